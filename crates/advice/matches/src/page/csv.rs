//! A row of comma-separated values for each decision.

use std::fmt::Write as _;

use crate::analysis::{MatchAnalysis, Opinion};

/// How every table of decisions begins.
pub(crate) const HEAD: &str = "source,game,turn";

/// The decisions of some matches, a row each, with a head. Numbers have a point.
pub fn csv(analyses: &[MatchAnalysis]) -> String {
    let mut engines: Vec<&str> = Vec::new();
    for name in analyses.iter().flat_map(MatchAnalysis::engines_beside) {
        if !engines.contains(&name) {
            engines.push(name);
        }
    }
    let mut text = format!(
        "{HEAD},row,player,kind,phase,done,best,loss_emg,loss_interval,loss_mwc,fault,forced,close,\
         counted_pr,depth,equity,mwc,luck_emg,luck_mwc,cube,position,habits,comment"
    );
    for name in &engines {
        for what in ["best", "equity", "loss"] {
            let _ = write!(text, ",{}", quoted(&format!("{name} {what}")));
        }
    }
    text.push('\n');
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
            let fields: Vec<String> =
                fields.into_iter().chain(beside).map(|field| quoted(&field)).collect();
            let _ = writeln!(text, "{}", fields.join(","));
        }
    }
    text
}

/// A field in quotes where it needs them. What a spreadsheet would take for a formula gets an
/// apostrophe, numbers apart.
fn quoted(field: &str) -> String {
    let formula = field.starts_with(['=', '+', '-', '@']) && field.parse::<f64>().is_err();
    let field = if formula { format!("'{field}") } else { field.to_owned() };
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}
