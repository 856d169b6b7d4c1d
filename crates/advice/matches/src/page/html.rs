//! The page of an analysis: one file that needs nothing else.

use tavola_equity::Equity;
use tavola_files::report::{Document, Table, escape, page};

use super::curve::curve;
use super::{GENERATOR, board, commented, report};
use crate::analysis::{
    CubeFigures, Decision, DecisionKind, MatchAnalysis, Opinion, RatedPlay, Thresholds, totals,
};
use crate::record::Match;

/// What a choice offers: values, and what is read.
type Options<'a> = &'a [(&'a str, &'a str)];

/// What filters the errors.
const SCRIPT: &str = include_str!("page.js");

/// How many differences of two engines are listed.
const DIFFERENCES: usize = 20;

/// The page of some matches: figures of both players, the curve, the worst errors first.
pub fn html(records: &[Match], analyses: &[MatchAnalysis], thresholds: &Thresholds) -> String {
    let title = match analyses {
        [only] => format!("{} - {}", only.players[0].name, only.players[1].name),
        several => format!("{} matches", several.len()),
    };
    let mut body = String::new();
    if analyses.len() > 1 {
        body += &report::totals(&totals(analyses), analyses.len()).body();
    }
    for (index, (record, analysis)) in records.iter().zip(analyses).enumerate() {
        let prefix = format!("m{index}-");
        let mut document = report::beginning(analysis, &record.details);
        if !analysis.notes.is_empty() {
            let notes = analysis.notes.iter().map(|note| format!("<li>{}</li>", escape(note)));
            document.html(format!(
                "<details><summary>Notes on the file</summary><ul>{}</ul></details>",
                notes.collect::<String>()
            ));
        }
        document.html(curve(analysis, &prefix, thresholds));
        report::figures(analysis, DIFFERENCES, &mut document);
        errors(analysis, &prefix, thresholds, &mut document);
        body += &format!("<section class=\"match\">{}</section>\n", document.body());
    }
    page(&title, GENERATOR, &format!("<main>\n{body}</main>\n<script>\n{SCRIPT}</script>"))
}

fn errors(
    analysis: &MatchAnalysis,
    prefix: &str,
    thresholds: &Thresholds,
    document: &mut Document,
) {
    document.heading(2, "Errors, the worst first");
    let mut errors: Vec<(usize, &Decision)> = analysis.decisions.iter().enumerate().collect();
    errors.retain(|(_, decision)| decision.loss >= thresholds.error);
    errors.sort_by(|(_, a), (_, b)| b.loss.total_cmp(&a.loss));
    if errors.is_empty() {
        return document.say(format!("No decision lost {} or more.", thresholds.error));
    }
    let [one, two] = analysis.players.each_ref().map(|player| player.name.as_str());
    let choices: [(&str, &str, Options<'_>); 4] = [
        ("player", "seat", &[("", "both"), ("1", one), ("2", two)]),
        ("kind", "kind", &[("", "all"), ("checker", "plays"), ("cube", "cube actions")]),
        ("size", "size", &[("", "errors"), ("blunder", "blunders")]),
        ("order", "order", &[("", "worst first"), ("time", "as played")]),
    ];
    let choices = choices.into_iter().map(|(label, name, options)| {
        let options = options
            .iter()
            .map(|(value, text)| format!("<option value=\"{value}\">{}</option>", escape(text)));
        let options: String = options.collect();
        format!("<label>{label} <select name=\"{name}\">{options}</select></label> ")
    });
    let choices: String = choices.collect();
    let errors = errors
        .into_iter()
        .map(|(index, decision)| error(analysis, (index, decision), prefix, thresholds));
    document.html(format!(
        "<form class=\"filter\">{choices}</form><div class=\"errors\">{}</div>\n",
        errors.collect::<String>()
    ));
}

/// A decision with its board.
fn error(
    analysis: &MatchAnalysis,
    (index, decision): (usize, &Decision),
    prefix: &str,
    thresholds: &Thresholds,
) -> String {
    let Decision { game, number, row, loss, interval, .. } = decision;
    let seat = decision.player.index() + 1;
    let size = if *loss >= thresholds.blunder { "blunder" } else { "error" };
    let kind = if decision.kind == DecisionKind::Checker { "checker" } else { "cube" };
    let fault = decision.fault.map_or("", |fault| fault.name());
    let chance = decision
        .loss_mwc
        .map_or_else(String::new, |mwc| format!(", {:.2} % of the match", 100.0 * mwc));
    format!(
        "<article id=\"{prefix}{index}\" class=\"{size}\" data-seat=\"{seat}\" data-kind=\"{kind}\" \
         data-size=\"{size}\" data-index=\"{index}\" data-loss=\"{loss:.6}\"><h3>game {game}, turn \
         {number} (row {row}): {} <span class=\"size\">{fault}, &minus;{loss:.3} &plusmn; \
         {interval:.3}{chance}</span></h3><div class=\"board\">{}</div><div class=\"why\">{}</div>\
         </article>\n",
        escape(&analysis.players[seat - 1].name),
        board(decision, true),
        why(decision, thresholds).body()
    )
}

/// What was played and what it lost, by whom and why.
fn why(decision: &Decision, thresholds: &Thresholds) -> Document {
    let mut document = Document::default();
    document.html(format!(
        "<p>played <b class=\"made\">{}</b>; best <b class=\"best\">{}</b> ({})</p>",
        escape(&decision.done),
        escape(&decision.best),
        decision.evaluated_by()
    ));
    if let Some(open) = decision.open_in_words(thresholds) {
        document.say(format!("still open: {open}"));
    }
    for opinion in &decision.beside {
        let Opinion { name, engine, loss, .. } = opinion;
        document.html(format!(
            "<p>{}: <b class=\"best\">{}</b>, loss {loss:.3} ({})</p>",
            escape(name),
            escape(&opinion.in_words()),
            escape(engine)
        ));
    }
    let others: Vec<&Opinion> = decision.beside.iter().filter(|it| it.has_figures()).collect();
    let headings = |first: &str| {
        let engines = others.iter().map(|opinion| format!(">{}", opinion.name));
        [first.to_owned(), ">equity".to_owned()].into_iter().chain(engines)
    };
    let figures = |own: f64, of: &dyn Fn(&Opinion) -> Option<f64>| {
        let figure = |it: Option<f64>| it.map_or_else(String::new, |it| Equity(it).to_string());
        let mut figures = vec![figure(Some(own))];
        figures.extend(others.iter().map(|opinion| figure(of(opinion))));
        figures
    };
    if !decision.plays.is_empty() {
        let rest = [">loss", ">W", ">WG", ">WB", ">LG", ">LB"].map(str::to_owned);
        let mut table = Table::new(headings("play").chain(rest));
        for RatedPlay { play, equity, loss, interval, probs, .. } in &decision.plays {
            let lost = match *loss > 0.0 {
                true => format!("-{loss:.3} ± {interval:.3}"),
                false => String::new(),
            };
            let figures = figures(*equity, &|opinion| {
                let mut plays = opinion.plays.iter();
                Some(plays.find(|it| it.play == *play)?.equity)
            });
            let probs = probs.map(|prob| format!("{:.1}", 100.0 * prob));
            let cells = [play.clone()].into_iter().chain(figures).chain([lost]).chain(probs);
            match *play == decision.done {
                true => table.marked_row("made", cells),
                false => table.row(cells),
            }
        }
        document.table(table);
        decision.why.iter().for_each(|sentence| document.say(sentence));
    }
    if let Some(actions) = &decision.actions {
        document.say(&actions.verdict);
        let mut table = Table::new(headings("action"));
        let of = |it: &CubeFigures| [it.no_double, it.double_take, it.double_pass];
        let names = ["no double", "double, take", "double, pass"];
        for (at, (name, own)) in names.into_iter().zip(of(actions)).enumerate() {
            let figures = figures(own, &|opinion| Some(of(opinion.actions.as_ref()?)[at]));
            table.row([name.to_owned()].into_iter().chain(figures));
        }
        document.table(table);
        if let Some([win, win_gammon, _, lose_gammon, _]) = actions.probs {
            let [win, win_gammon, lose_gammon] =
                [win, win_gammon, lose_gammon].map(|prob| 100.0 * prob);
            document.say(format!(
                "The player on roll wins {win:.1} %, a gammon {win_gammon:.1} %, and loses a \
                 gammon {lose_gammon:.1} %."
            ));
        }
    }
    document.html(commented(&decision.comment));
    document.say(format!("`{}`", decision.position));
    document
}
