//! What other engines say beside ours, on the page of an analysis.

use std::fmt::Write as _;

use super::{escape, signed};
use crate::analysis::{Decision, Difference, MatchAnalysis, Opinion};

/// How many differences of two engines are listed.
const DIFFERENCES: usize = 20;

/// A cell with a figure of each engine that has some beside ours.
pub(super) fn cells(decision: &Decision, figure: impl Fn(&Opinion) -> Option<f64>) -> String {
    let cell =
        |opinion| format!("<td>{}</td>", figure(opinion).map_or(String::new(), |it| signed(it, 3)));
    decision.beside.iter().filter(|it| it.has_figures()).map(cell).collect()
}

/// Where the engines that were asked would decide differently, and what each thinks that the other
/// loses.
pub(super) fn write_differences(analysis: &MatchAnalysis, page: &mut String) {
    for engines in analysis.engine_pairs() {
        let [one, two] = engines.map(|it| escape(it.unwrap_or("tavola")));
        let (of, differences) = (analysis.decisions.len(), analysis.differences(engines));
        let _ = write!(
            page,
            "<table><caption>{one} and {two} differ in {} of {of} decisions</caption><tr><th></th>\
             <th>player</th><th>{one}</th><th>loss by {two}</th><th>{two}</th><th>loss by {one}</th>\
             <th>position</th></tr>",
            differences.len()
        );
        for difference in differences.iter().take(DIFFERENCES) {
            let Difference { decision, choices, losses } = difference;
            let loss = losses.map(|it| it.map_or(String::new(), |it| format!("&minus;{it:.3}")));
            let _ = write!(
                page,
                "<tr><th>game {}, turn {}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                 <td><code>{}</code></td></tr>",
                decision.game,
                decision.number,
                escape(&analysis.players[decision.player.index()].name),
                escape(choices[0]),
                loss[0],
                escape(choices[1]),
                loss[1],
                escape(&decision.position)
            );
        }
        page.push_str("</table>");
    }
}
