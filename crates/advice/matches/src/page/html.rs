//! The page of an analysis: one file that needs nothing else.

use std::fmt::Write as _;

use super::curve::curve;
use super::totals::write_totals;
use super::{GENERATOR, beside, board, commented, escape, signed};
use crate::analysis::{
    Decision, DecisionKind, Fault, MatchAnalysis, PlayerSummary, Thresholds, phase_in_words, totals,
};
use crate::record::Match;

/// The style of the page, for the screen and for paper.
const STYLE: &str = include_str!("page.css");

/// What filters the errors.
const SCRIPT: &str = include_str!("page.js");

/// The page of some matches: figures of both players, the curve, the worst errors first.
pub fn html(records: &[Match], analyses: &[MatchAnalysis], thresholds: &Thresholds) -> String {
    let title = match analyses {
        [only] => format!("{} - {}", only.players[0].name, only.players[1].name),
        several => format!("{} matches", several.len()),
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"generator\" content=\"{GENERATOR}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title>\n<style>\n{STYLE}</style></head>\n<body><main>\n",
        title = escape(&title)
    );
    if analyses.len() > 1 {
        let _ = write!(page, "<h1>{}</h1>", escape(&title));
        write_totals(&totals(analyses), &mut page);
    }
    for (index, analysis) in analyses.iter().enumerate() {
        let record = records.get(index);
        write_match(record, analysis, &format!("m{index}-"), thresholds, &mut page);
    }
    let _ = write!(page, "</main>\n<script>\n{SCRIPT}</script></body></html>\n");
    page
}

fn write_match(
    record: Option<&Match>,
    analysis: &MatchAnalysis,
    prefix: &str,
    thresholds: &Thresholds,
    page: &mut String,
) {
    let [one, two] = &analysis.players;
    let kind = match analysis.length {
        0 => "money session".to_owned(),
        length => format!("match to {length} points"),
    };
    let details = record.map(|record| &record.details);
    let mut about = vec![kind];
    if let Some(details) = details {
        about.extend(
            [&details.event, &details.round, &details.place, &details.date]
                .into_iter()
                .filter(|text| !text.is_empty())
                .cloned(),
        );
    }
    let _ = write!(
        page,
        "<section class=\"match\"><h1>{} &ndash; {}</h1><p class=\"about\">{}<br><small>{}</small></p>",
        escape(&one.name),
        escape(&two.name),
        escape(&about.join(", ")),
        escape(&analysis.source)
    );
    write_games(analysis, page);
    if !analysis.notes.is_empty() {
        page.push_str("<details><summary>Notes on the file</summary><ul>");
        for note in &analysis.notes {
            let _ = write!(page, "<li>{}</li>", escape(note));
        }
        page.push_str("</ul></details>");
    }
    for sentence in analysis.in_words() {
        let _ = write!(page, "<p>{}</p>", escape(&sentence));
    }
    page.push_str(&curve(analysis, prefix, thresholds));
    write_players(one, two, analysis.is_money(), page);
    write_kinds(&analysis.players, page);
    beside::write_differences(analysis, page);
    write_errors(analysis, prefix, thresholds, page);
    page.push_str("</section>\n");
}

fn write_games(analysis: &MatchAnalysis, page: &mut String) {
    let [one, two] = analysis.players.each_ref().map(|player| escape(&player.name));
    let _ = write!(
        page,
        "<table class=\"games\"><tr><th>game</th><th>score</th><th>result</th>\
         <th>EMG lost by {one}</th><th>by {two}</th></tr>"
    );
    for (number, game) in analysis.games.iter().enumerate() {
        let end = match (game.winner, game.points) {
            (Some(winner), Some(points)) => {
                format!("{} +{points}", escape(&analysis.players[winner - 1].name))
            }
            _ => "not finished".to_owned(),
        };
        let lost = |player: &PlayerSummary| player.checker_error_emg + player.cube_error_emg;
        let _ = write!(
            page,
            "<tr><td>{}</td><td>{}&ndash;{}{}</td><td>{end}</td><td>{:.3}</td><td>{:.3}</td></tr>",
            number + 1,
            game.score[0],
            game.score[1],
            if game.crawford { " Crawford" } else { "" },
            lost(&game.players[0]),
            lost(&game.players[1])
        );
    }
    page.push_str("</table>");
}

fn write_players(one: &PlayerSummary, two: &PlayerSummary, money: bool, page: &mut String) {
    let _ = write!(
        page,
        "<h2>Figures</h2><table class=\"players\"><tr><th></th><th>{}</th><th>{}</th></tr>",
        escape(&one.name),
        escape(&two.name)
    );
    let mut row = |name: &str, title: &str, of: &dyn Fn(&PlayerSummary) -> String| {
        let (one, two) = (of(one), of(two));
        let _ =
            write!(page, "<tr><th title=\"{title}\">{name}</th><td>{one}</td><td>{two}</td></tr>");
    };
    let rate = |rate: Option<f64>, digits: usize| {
        rate.map_or("&ndash;".to_owned(), |rate| format!("{rate:.digits$}"))
    };
    row("PR", "500 times the equity lost per counted decision, as eXtreme Gammon", &|player| {
        let rating = player.rating.map_or(String::new(), |name| format!(" ({name})"));
        player.rated().unwrap_or_else(|| "&ndash;".to_owned()) + &rating
    });
    row(
        "error rate",
        "all errors per unforced play and close cube decision, in thousandths, as \
         GNU Backgammon",
        &|player| rate(player.error_rate_memg, 1),
    );
    row("of plays", "per unforced play", &|player| rate(player.checker_error_rate_memg, 1));
    row("of cube actions", "per close cube decision", &|player| {
        rate(player.cube_error_rate_memg, 1)
    });
    row("Snowie error rate", "all errors per play of both players", &|player| {
        rate(player.snowie_error_rate_memg, 1)
    });
    row("unforced plays", "rolls with more than one play", &|player| {
        player.unforced_plays.to_string()
    });
    row("close cube decisions", "and all doubles, takes and passes", &|player| {
        player.close_cube_decisions.to_string()
    });
    row("EMG lost by plays", "equity as for money with the cube at 1", &|player| {
        format!("{:.3}", player.checker_error_emg)
    });
    row("EMG lost by cube actions", "equity as for money with the cube at 1", &|player| {
        format!("{:.3}", player.cube_error_emg)
    });
    row("errors, blunders", "", &|player| format!("{}, {}", player.errors, player.blunders));
    let luck = if money { "luck in points" } else { "luck in EMG (MWC)" };
    row(luck, "what the rolls gave, against average ones", &|player| match player.luck_mwc {
        Some(mwc) => format!("{} ({} %)", signed(player.luck_emg, 3), signed(100.0 * mwc, 1)),
        None => signed(player.luck_in_points(), 2),
    });
    if one.result.is_some() {
        let result = |value: Option<f64>| match value {
            None => "&ndash;".to_owned(),
            Some(points) if money => signed(points, 2),
            Some(chance) => format!("{:.1} %", 100.0 * chance).replace('-', "&minus;"),
        };
        row("result", "", &|player| result(player.result));
        row("luck-adjusted result", "the result less the luck of both", &|player| {
            result(player.luck_adjusted_result)
        });
    }
    page.push_str("</table>");
}

/// What was lost in which way and in which phase.
fn write_kinds([one, two]: &[PlayerSummary; 2], page: &mut String) {
    let cell = |count: Option<&crate::analysis::Count>| match count {
        Some(count) if count.decisions > 0 => {
            format!("<td>{}</td><td>{:.3}</td>", count.errors, count.loss_emg)
        }
        _ => "<td></td><td></td>".to_owned(),
    };
    let head = format!(
        "<tr><th></th><th colspan=\"2\">{}</th><th colspan=\"2\">{}</th></tr>\
         <tr><th></th><th>errors and blunders</th><th>EMG lost</th><th>errors and blunders</th>\
         <th>EMG lost</th></tr>",
        escape(&one.name),
        escape(&two.name)
    );
    let _ = write!(page, "<div class=\"side\"><table><caption>by kind</caption>{head}");
    for fault in Fault::ALL {
        let (a, b) = (one.faults.get(&fault), two.faults.get(&fault));
        if a.is_some() || b.is_some() {
            let _ = write!(page, "<tr><th>{}</th>{}{}</tr>", fault.name(), cell(a), cell(b));
        }
    }
    let _ = write!(page, "</table><table><caption>by phase</caption>{head}");
    let mut phases: Vec<&String> = one.phases.keys().chain(two.phases.keys()).collect();
    phases.sort();
    phases.dedup();
    for phase in phases {
        let (a, b) = (one.phases.get(phase), two.phases.get(phase));
        let _ = write!(page, "<tr><th>{}</th>{}{}</tr>", phase_in_words(phase), cell(a), cell(b));
    }
    page.push_str("</table></div>");
}

fn write_errors(
    analysis: &MatchAnalysis,
    prefix: &str,
    thresholds: &Thresholds,
    page: &mut String,
) {
    let mut errors: Vec<(usize, &Decision)> = analysis
        .decisions
        .iter()
        .enumerate()
        .filter(|(_, decision)| decision.loss >= thresholds.error)
        .collect();
    errors.sort_by(|(_, a), (_, b)| b.loss.total_cmp(&a.loss));
    page.push_str("<h2>Errors, the worst first</h2>");
    if errors.is_empty() {
        let _ = write!(page, "<p>No decision lost {} or more.</p>", thresholds.error);
        return;
    }
    let [one, two] = &analysis.players;
    let _ = write!(
        page,
        "<form class=\"filter\"><label>player <select name=\"seat\"><option value=\"\">both\
         </option><option value=\"1\">{}</option><option value=\"2\">{}</option></select></label> \
         <label>kind <select name=\"kind\"><option value=\"\">all</option><option value=\"checker\">\
         plays</option><option value=\"cube\">cube actions</option></select></label> \
         <label>size <select name=\"size\"><option value=\"\">errors</option>\
         <option value=\"blunder\">blunders</option></select></label> \
         <label>order <select name=\"order\"><option value=\"\">worst first</option>\
         <option value=\"time\">as played</option></select></label></form><div class=\"errors\">",
        escape(&one.name),
        escape(&two.name)
    );
    for (index, decision) in errors {
        write_error(analysis, index, decision, prefix, thresholds, page);
    }
    page.push_str("</div>");
}

fn write_error(
    analysis: &MatchAnalysis,
    index: usize,
    decision: &Decision,
    prefix: &str,
    thresholds: &Thresholds,
    page: &mut String,
) {
    let seat = decision.player.index() + 1;
    let size = if decision.loss >= thresholds.blunder { "blunder" } else { "error" };
    let kind = if decision.kind == DecisionKind::Checker { "checker" } else { "cube" };
    let fault = decision.fault.map_or("", |fault| fault.name());
    let chance = match decision.loss_mwc {
        Some(mwc) => format!(", {:.2} % of the match", 100.0 * mwc),
        None => String::new(),
    };
    let _ = write!(
        page,
        "<article id=\"{prefix}{index}\" class=\"{size}\" data-seat=\"{seat}\" data-kind=\"{kind}\" \
         data-size=\"{size}\" data-index=\"{index}\" data-loss=\"{:.6}\"><h3>game {}, turn {} (row {}): {} \
         <span class=\"size\">{fault}, &minus;{:.3} &plusmn; {:.3}{chance}</span></h3><div class=\"board\">{}</div>\
         <div class=\"why\">",
        decision.loss,
        decision.game,
        decision.number,
        decision.row,
        escape(&analysis.players[seat - 1].name),
        decision.loss,
        decision.interval,
        board(decision, true)
    );
    let _ = write!(
        page,
        "<p>played <b class=\"made\">{}</b>; best <b class=\"best\">{}</b> ({})</p>",
        escape(&decision.done),
        escape(&decision.best),
        decision.evaluated_by()
    );
    if let Some(open) = decision.open_in_words(thresholds) {
        let _ = write!(page, "<p>still open: {}</p>", escape(&open));
    }
    let mut heads = String::new();
    for opinion in &decision.beside {
        let _ = write!(
            page,
            "<p>{}: <b class=\"best\">{}</b>, loss {:.3} ({})</p>",
            escape(&opinion.name),
            escape(&opinion.in_words()),
            opinion.loss,
            escape(&opinion.engine)
        );
        if opinion.has_figures() {
            let _ = write!(heads, "<th>{}</th>", escape(&opinion.name));
        }
    }
    if !decision.plays.is_empty() {
        let _ = write!(
            page,
            "<table><tr><th>play</th><th>equity</th>{heads}<th>loss</th><th>W</th><th>WG</th>\
             <th>WB</th><th>LG</th><th>LB</th></tr>"
        );
        for play in &decision.plays {
            let class = if play.play == decision.done { " class=\"made\"" } else { "" };
            let loss = match play.loss > 0.0 {
                true => format!("&minus;{:.3} &plusmn; {:.3}", play.loss, play.interval),
                false => String::new(),
            };
            let _ = write!(
                page,
                "<tr{class}><td>{}</td><td>{}</td>{}<td>{loss}</td>",
                escape(&play.play),
                signed(play.equity, 3),
                beside::cells(decision, |opinion| {
                    let of = opinion.plays.iter().find(|it| it.play == play.play)?;
                    Some(of.equity)
                })
            );
            for prob in play.probs {
                let _ = write!(page, "<td>{:.1}</td>", 100.0 * prob);
            }
            page.push_str("</tr>");
        }
        page.push_str("</table>");
        for sentence in &decision.why {
            let _ = write!(page, "<p>{}</p>", escape(sentence));
        }
    }
    if let Some(figures) = &decision.actions {
        let _ = write!(
            page,
            "<p>{}</p><table><tr><th>action</th><th>equity</th>{heads}</tr>",
            escape(&figures.verdict)
        );
        let rows = ["no double", "double, take", "double, pass"];
        let values = [figures.no_double, figures.double_take, figures.double_pass];
        for (at, (row, value)) in rows.into_iter().zip(values).enumerate() {
            let others = beside::cells(decision, |opinion| {
                let of = opinion.actions.as_ref()?;
                Some([of.no_double, of.double_take, of.double_pass][at])
            });
            let _ = write!(page, "<tr><td>{row}</td><td>{}</td>{others}</tr>", signed(value, 3));
        }
        page.push_str("</table>");
        if let Some([win, win_gammon, _, lose_gammon, _]) = figures.probs {
            let [win, win_gammon, lose_gammon] =
                [win, win_gammon, lose_gammon].map(|prob| 100.0 * prob);
            let _ = write!(
                page,
                "<p>The player on roll wins {win:.1} %, a gammon {win_gammon:.1} %, and loses a \
                 gammon {lose_gammon:.1} %.</p>"
            );
        }
    }
    page.push_str(&commented(&decision.comment));
    let _ = write!(
        page,
        "<p class=\"id\"><code>{}</code></p></div></article>",
        escape(&decision.position)
    );
}
