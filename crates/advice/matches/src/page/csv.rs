//! A row of comma-separated values for each decision.

use tavola_files::report::Table;

use crate::analysis::{MatchAnalysis, Opinion};

/// How every table of decisions begins.
pub(crate) const HEAD: &str = "source,game,turn";

/// What follows, those of other engines apart.
const HEADINGS: &str = "row,player,kind,phase,done,best,loss_emg,loss_interval,loss_mwc,fault,forced,\
                        close,counted_pr,depth,equity,mwc,luck_emg,luck_mwc,cube,position,habits,\
                        comment";

/// The decisions of some matches, a row each, with a head. Numbers have a point.
pub fn csv(analyses: &[MatchAnalysis]) -> String {
    let mut engines: Vec<&str> = Vec::new();
    for name in analyses.iter().flat_map(MatchAnalysis::engines_beside) {
        if !engines.contains(&name) {
            engines.push(name);
        }
    }
    let of_engines = engines
        .iter()
        .flat_map(|name| ["best", "equity", "loss"].map(|what| format!("{name} {what}")));
    let headings = HEAD.split(',').chain(HEADINGS.split(',')).map(str::to_owned).chain(of_engines);
    let headings: Vec<String> = headings.collect();
    // Names of columns stay as they are, and numbers have six digits.
    let mut table = Table::plain(headings.iter().map(|_| ""));
    table.row(headings);
    for analysis in analyses {
        for decision in &analysis.decisions {
            let number = |value: Option<f64>| value.map_or(String::new(), |it| format!("{it:.6}"));
            let kind = serde_json::to_value(decision.kind).unwrap_or_default();
            let luck = decision.luck;
            let fields = [
                analysis.source.clone(),
                decision.game.to_string(),
                decision.number.to_string(),
                decision.row.to_string(),
                analysis.players[decision.player.index()].name.clone(),
                kind.as_str().unwrap_or_default().to_owned(),
                decision.phase.clone(),
                decision.done.clone(),
                decision.best.clone(),
                format!("{:.6}", decision.loss),
                format!("{:.6}", decision.interval),
                number(decision.loss_mwc),
                decision.fault.map_or("", |fault| fault.name()).to_owned(),
                decision.forced.to_string(),
                decision.close.to_string(),
                decision.counted_pr.to_string(),
                decision.depth.to_string(),
                format!("{:.6}", decision.equity),
                number(decision.mwc),
                number(luck.map(|luck| luck.emg)),
                number(luck.and_then(|luck| luck.mwc)),
                decision.cube.to_string(),
                decision.position.clone(),
                decision.habits.iter().map(|it| it.name()).collect::<Vec<_>>().join("; "),
                decision.comment.clone(),
            ];
            let beside = engines.iter().flat_map(|name| {
                let opinion = decision.opinion(name);
                let figure = |of: fn(&Opinion) -> f64| number(opinion.map(of));
                let best = opinion.map_or_else(String::new, |it| it.best.clone());
                [best, figure(|it| it.equity), figure(|it| it.loss)]
            });
            table.row(fields.into_iter().chain(beside));
        }
    }
    table.csv(None, true)
}
