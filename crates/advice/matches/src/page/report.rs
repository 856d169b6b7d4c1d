//! What text and page say alike of analyzed matches: figures of both players, what other engines say,
//! totals over several matches.

use tavola_equity::Equity;
use tavola_files::report::chart::Chart;
use tavola_files::report::{Document, Table, plural};

use crate::analysis::{
    Count, EngineDifference, MatchAnalysis, MistakeKind, PlayerSummary, PlayerTotals, TrendPoint,
    phase_in_words,
};
use crate::record::Details;

/// Begins the report of a match: which one it is, how both played in words, and how its games ended.
pub fn beginning(analysis: &MatchAnalysis, details: &Details) -> Document {
    let [one, two] = analysis.players.each_ref().map(|player| player.name.as_str());
    let mut document = Document::of([one, two]);
    let kind = match analysis.length {
        0 => "money session".to_owned(),
        length => format!("match to {}", plural(length.into(), "point")),
    };
    document.heading(1, format!("{one} - {two}, {kind}"));
    let about = [&analysis.source, &details.event, &details.round, &details.place, &details.date];
    let about: Vec<&str> =
        about.into_iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    document.say(about.join(", "));
    let headings = ["game", "score", "result"].map(str::to_owned);
    let lost = [one, two].map(|name| format!(">{name}: EMG lost"));
    let rows = (1..).zip(&analysis.games).map(|(number, game)| {
        let [left, right] = game.score;
        let crawford = if game.crawford { ", Crawford" } else { "" };
        let end = match (game.winner, game.points) {
            (Some(winner), Some(points)) => {
                let name = &analysis.players[winner - 1].name;
                format!("{name} wins {}", plural(points as usize, "point"))
            }
            _ => "not finished".to_owned(),
        };
        let lost = game.players.each_ref().map(|it| it.checker_error_emg + it.cube_error_emg);
        let game = [number.to_string(), format!("{left}-{right}{crawford}"), end];
        game.into_iter().chain(lost.map(|lost| format!("{lost:.3}")))
    });
    document.table(Table::of(headings.into_iter().chain(lost), rows));
    for sentence in analysis.in_words() {
        document.say(sentence);
    }
    document
}

/// Goes on with the figures of both players and what other engines say, with at most `most` of their
/// differences.
pub fn figures(analysis: &MatchAnalysis, most: usize, document: &mut Document) {
    document.heading(2, "Figures");
    players(&analysis.players, analysis.is_money(), document);
    document.table(kinds(&analysis.players.each_ref()));
    beside(analysis, most, document);
}

fn players(both: &[PlayerSummary; 2], money: bool, document: &mut Document) {
    let names = both.each_ref().map(|player| format!(">{}", player.name));
    let mut table = Table::new([""].into_iter().chain(names.iter().map(String::as_str)));
    let mut row = |name: &str, of: &dyn Fn(&PlayerSummary) -> String| {
        let [one, two] = both.each_ref().map(of);
        table.row([name.to_owned(), one, two]);
    };
    let text = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    row("PR (eXtreme Gammon)", &|player| text(player.rated()));
    row("rating", &|player| text(player.rating.map(str::to_owned)));
    row("error rate (GNU Backgammon)", &|player| rate(player.error_rate_memg, 1));
    row("  of plays", &|player| rate(player.checker_error_rate_memg, 1));
    row("  of cube actions", &|player| rate(player.cube_error_rate_memg, 1));
    row("error rate (Snowie)", &|player| rate(player.snowie_error_rate_memg, 1));
    row("plays, unforced", &|player| player.unforced_plays.to_string());
    row("cube decisions, close", &|player| player.close_cube_decisions.to_string());
    row("EMG lost by plays", &|player| format!("{:.3}", player.checker_error_emg));
    row("EMG lost by cube actions", &|player| format!("{:.3}", player.cube_error_emg));
    row("errors, blunders", &|player| format!("{}, {}", player.errors, player.blunders));
    let luck = if money { "luck in points" } else { "luck in EMG (MWC)" };
    row(luck, &|player| match player.luck_mwc {
        Some(mwc) => format!("{} ({:+.1} %)", Equity(player.luck_emg), 100.0 * mwc),
        None => format!("{:+.2}", player.luck_in_points()),
    });
    let result = |value: Option<f64>| {
        text(value.map(|value| match money {
            true => format!("{value:+.2}"),
            false => format!("{:.1} %", 100.0 * value),
        }))
    };
    if both[0].result.is_some() {
        row("result", &|player| result(player.result));
        row("luck-adjusted result", &|player| result(player.luck_adjusted_result));
    }
    document.table(table);
    document.say(
        "PR is 500 times the mean loss of a counted decision; the error rate is all errors per \
         unforced play and close cube decision, Snowie's per play of both players, in \
         thousandths: smaller is better. EMG is equity as for money with the cube at 1, MWC the \
         probability of winning the match. Luck is what the rolls gave, against average ones.",
    );
    let mut adjusted = both.iter().filter_map(|player| player.luck_adjusted_result);
    if !money && adjusted.any(|chance| !(0.0..=1.0).contains(&chance)) {
        document.say(
            "A luck-adjusted result is an estimate, right on average: beyond 0 and 100 % the luck \
             of these rolls was more than the match was worth.",
        );
    }
}

/// How many decisions of each kind and phase were errors, and what all of them lost.
fn kinds(players: &[&PlayerSummary]) -> Table {
    let columns = players
        .iter()
        .flat_map(|player| [format!(">{}", player.name), ">of".to_owned(), ">EMG lost".to_owned()]);
    let mut table = Table::new(["errors and blunders".to_owned()].into_iter().chain(columns));
    let mut row = |name: &str, of: &dyn Fn(&PlayerSummary) -> Option<(Count, String)>| {
        let found: Vec<_> = players.iter().map(|player| of(player)).collect();
        if found.iter().any(Option::is_some) {
            let cells = found.into_iter().flat_map(|found| match found {
                Some((it, of)) => [it.errors.to_string(), of, format!("{:.3}", it.loss_emg)],
                None => [const { String::new() }; 3],
            });
            table.row([name.to_owned()].into_iter().chain(cells));
        }
    };
    // A kind of fault has no decisions without one.
    for fault in MistakeKind::ALL {
        row(fault.name(), &|player| Some((*player.faults.get(&fault)?, String::new())));
    }
    let mut phases: Vec<&String> = players.iter().flat_map(|it| it.phases.keys()).collect();
    phases.sort();
    phases.dedup();
    for phase in phases {
        row(phase_in_words(phase), &|player| {
            let count = player.phases.get(phase)?;
            Some((*count, count.decisions.to_string()))
        });
    }
    table
}

/// What players lost by the figures of other engines; where the engines that were asked would decide
/// differently, and what each thinks that the other loses.
fn beside(analysis: &MatchAnalysis, most: usize, document: &mut Document) {
    let names = analysis.players.each_ref().map(|player| format!(">{}", player.name));
    let mut lost = Table::new(["EMG lost by", ">decisions", &names[0], &names[1]]);
    for engine in analysis.engines_beside() {
        let (number, losses) = analysis.lost_beside(engine);
        for (name, lost_by) in ["tavola, the same", engine].into_iter().zip(losses).rev() {
            let [one, two] = lost_by.map(|lost| format!("{lost:.3}"));
            lost.row([name.to_owned(), number.to_string(), one, two]);
        }
    }
    if !analysis.engines_beside().is_empty() {
        document.table(lost);
    }
    for engines in analysis.engine_pairs() {
        let (of, differences) = (analysis.decisions.len(), analysis.differences(engines));
        let [one, two] = engines.map(|engine| engine.unwrap_or("tavola"));
        if differences.is_empty() {
            document.say(format!("{one} and {two} decide alike."));
            continue;
        }
        let differ = differences.len();
        document.heading(2, format!("{one} and {two} differ in {differ} of {of} decisions"));
        let by = [two, one].map(|engine| format!(">loss by {engine}"));
        let headings = [">game", ">turn", ">row", "player", one, &by[0], two, &by[1], "position"];
        let rows =
            differences.iter().take(most).map(|EngineDifference { decision, choices, losses }| {
                let loss = losses.map(|it| it.map_or("?".to_owned(), |it| format!("-{it:.3}")));
                let player = &analysis.players[decision.player.index()].name;
                let place = [decision.game, decision.number, decision.row].map(|it| it.to_string());
                let found =
                    [player, choices[0], &loss[0], choices[1], &loss[1], &decision.position];
                place.into_iter().chain(found.map(str::to_owned)).collect::<Vec<_>>()
            });
        document.table(Table::of(headings, rows));
    }
}

/// The totals of players over several matches: a row for each; then for those of more than one their
/// errors and how they got better.
pub fn totals(totals: &[PlayerTotals], matches: usize) -> Document {
    let mut document = Document::default();
    document.heading(1, format!("{matches} matches"));
    let headings =
        ["player", ">matches", ">PR", ">error rate", ">errors", ">blunders", ">luck (EMG)"];
    let rows = totals.iter().map(|PlayerTotals { matches, summary, .. }| {
        [
            summary.name.clone(),
            matches.to_string(),
            rate(summary.pr, 2),
            rate(summary.error_rate_memg, 1),
            summary.errors.to_string(),
            summary.blunders.to_string(),
            Equity(summary.luck_emg).to_string(),
        ]
    });
    document.table(Table::of(headings, rows));
    for PlayerTotals { summary, trend, .. } in totals.iter().filter(|player| player.matches > 1) {
        document.heading(2, format!("{}, by kind, by phase and by date", summary.name));
        document.html(chart(trend));
        document.table(kinds(&[summary]));
        let habits = summary.recurring();
        if !habits.is_empty() {
            let rows = habits.into_iter().map(|(habit, phase, Count { errors, loss_emg, .. })| {
                let (name, phase) = (habit.name(), phase.map_or("all", phase_in_words));
                [name.to_owned(), phase.to_owned(), errors.to_string(), format!("{loss_emg:.3}")]
            });
            let headings = ["recurring errors", "phase", ">times", ">EMG lost"];
            document.table(Table::of(headings, rows));
        }
        let rows = trend.iter().map(|TrendPoint { date, source, pr, error_rate_memg }| {
            let date = if date.is_empty() { "-" } else { date };
            [date.to_owned(), rate(*pr, 2), rate(*error_rate_memg, 1), source.clone()]
        });
        document.table(Table::of(["date", ">PR", ">error rate", "match"], rows));
    }
    document
}

/// The PR of one match after the other as SVG, with the dates below.
fn chart(points: &[TrendPoint]) -> String {
    let rated: Vec<(&TrendPoint, f64)> =
        points.iter().filter_map(|point| Some((point, point.pr?))).collect();
    if rated.len() < 2 {
        return String::new();
    }
    let highest = rated.iter().map(|(_, pr)| *pr).fold(1.0, f64::max);
    let (last, margins) = ((rated.len() - 1) as f64, [48.0, 12.0, 24.0, 28.0]);
    let mut chart = Chart::new([1032.0, 180.0], margins, 0.0..last, 0.0..highest);
    chart.y_axis("", [0.0, highest].map(|level| (level, format!("{level:.1}"))));
    // A date is some 80 wide.
    let every = (90.0 * last / 960.0).ceil().max(1.0) as usize;
    let dates = rated.iter().enumerate().step_by(every);
    chart.x_axis("", dates.map(|(index, (point, _))| (index as f64, point.date.clone())));
    chart.line("", rated.iter().enumerate().map(|(index, (_, pr))| (index as f64, *pr)));
    for (index, (point, pr)) in rated.iter().enumerate() {
        let title = format!("{} {}: PR {pr:.2}", point.date, point.source);
        chart.dot("class=\"s1\"", (index as f64, *pr), &title);
    }
    chart.html("across", "PR of each match")
}

/// A rate, `-` without one.
fn rate(rate: Option<f64>, digits: usize) -> String {
    rate.map_or("-".to_owned(), |rate| format!("{rate:.digits$}"))
}
