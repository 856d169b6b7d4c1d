//! The analysis of a match as text: beside what the page says too, the worst decisions in one table
//! and what is open.

use tavola_files::report::{Document, Table, plural};
use tavola_matches::analysis::{Decision, MatchAnalysis, Opinion, Thresholds};
use tavola_matches::{Match, page};

/// How both players played in words and figures, and the worst decisions.
pub fn report(
    record: &Match,
    analysis: &MatchAnalysis,
    thresholds: &Thresholds,
    worst: usize,
) -> Document {
    let mut document = page::report::beginning(analysis, &record.details);
    page::report::figures(analysis, worst, &mut document);
    add_worst(analysis, thresholds, worst, &mut document);
    document
}

/// The place of a decision in the match.
fn place(decision: &Decision) -> impl Iterator<Item = String> {
    [decision.game, decision.number, decision.row].into_iter().map(|number| number.to_string())
}

/// How many decisions have open verdicts, and after `--sure` which and what is open.
pub fn add_open(
    analysis: &MatchAnalysis,
    thresholds: &Thresholds,
    most: usize,
    sure: bool,
    document: &mut Document,
) {
    let open = plural(analysis.open(), "decision");
    match (analysis.open(), sure) {
        (0, true) => document.say("Every verdict is certain."),
        (0, false) => {}
        (_, false) => document
            .say(format!("In {open} the verdict may change; --sure checks them by rollouts.")),
        (_, true) => {
            document.heading(2, format!("Still open in {open} when the time was over"));
            let rows = analysis.decisions.iter().filter_map(|decision| {
                Some(place(decision).chain([decision.open_in_words(thresholds)?]))
            });
            document.table(Table::of([">game", ">turn", ">row", "open"], rows.take(most)));
        }
    }
}

fn add_worst(
    analysis: &MatchAnalysis,
    thresholds: &Thresholds,
    worst: usize,
    document: &mut Document,
) {
    let mut wrong: Vec<&Decision> =
        analysis.decisions.iter().filter(|decision| decision.loss > 0.0005).collect();
    wrong.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    wrong.truncate(worst);
    if wrong.is_empty() {
        return;
    }
    document.heading(2, "The worst decisions, with the 95 % interval of the loss in EMG");
    let engines = analysis.engines_beside();
    let headings = [">#", ">game", ">turn", ">row", "player", ">loss", "done", "best"];
    let beside = engines.iter().flat_map(|name| [name.to_string(), format!(">{name} loss")]);
    let rows = wrong.iter().enumerate().map(|(index, decision)| {
        let name = &analysis.players[decision.player.index()].name;
        let words = [name.clone(), decision.lost(), decision.done.clone(), decision.best.clone()];
        let beside = engines.iter().flat_map(|name| match decision.opinion(name) {
            Some(opinion) => [Opinion::in_words(opinion), format!("-{:.3}", opinion.loss)],
            None => [String::new(), String::new()],
        });
        [(index + 1).to_string()].into_iter().chain(place(decision)).chain(words).chain(beside)
    });
    document.table(Table::of(headings.map(str::to_owned).into_iter().chain(beside), rows));
    document
        .heading(2, "The positions, and what is open; `tavola analyze --html FILE` shows boards");
    let mut table = Table::new([">#", "position"]);
    for (index, decision) in wrong.iter().enumerate() {
        table.row([(index + 1).to_string(), decision.position.clone()]);
        if let Some(open) = decision.open_in_words(thresholds) {
            table.row([String::new(), open]);
        }
    }
    document.table(table);
}
