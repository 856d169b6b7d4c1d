//! The curve of a match: the chance of the first player to win it, decision by decision.

use tavola_rules::Player;

use super::chart::Chart;
use super::escape;
use crate::analysis::{MatchAnalysis, Thresholds};

/// The curve as SVG, with a dot for each error that leads to its place on the page. In a match it
/// is the chance to win it, for money the equity of the game, from -2 to 2.
pub(super) fn curve(analysis: &MatchAnalysis, prefix: &str, thresholds: &Thresholds) -> String {
    let money = analysis.is_money();
    let of_first = |player: Player, equity: f64, mwc: Option<f64>| match (player, mwc) {
        (Player::One, Some(mwc)) => mwc,
        (Player::Two, Some(mwc)) => 1.0 - mwc,
        (Player::One, None) => (equity.clamp(-2.0, 2.0) + 2.0) / 4.0,
        (Player::Two, None) => (2.0 - equity.clamp(-2.0, 2.0)) / 4.0,
    };
    let last = (analysis.decisions.len().max(2) - 1) as f64;
    let margins = [56.0, 12.0, 12.0, 28.0];
    let mut chart = Chart::new([1028.0, 260.0], margins, 0.0..last, 0.0..1.0);
    let labels = match money {
        true => [(0.0, "\u{2212}2"), (0.5, "0"), (1.0, "+2")],
        false => [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")],
    };
    chart.y_axis("", labels.map(|(value, label)| (value, label.to_owned())));
    let place = |(index, decision): (usize, &crate::analysis::Decision)| {
        (index as f64, of_first(decision.player, decision.equity, decision.mwc))
    };
    let decisions = || analysis.decisions.iter().enumerate();
    let begins = |&(index, decision): &(usize, &crate::analysis::Decision)| {
        index == 0 || analysis.decisions[index - 1].game != decision.game
    };
    let games = decisions().filter(begins);
    chart.x_axis("", games.map(|(index, it)| (index as f64, it.game.to_string())));
    chart.line("", decisions().map(place));
    for (index, decision) in decisions().filter(|(_, it)| it.loss >= thresholds.error) {
        let class = if decision.loss >= thresholds.blunder { "blunder" } else { "error" };
        let seat = decision.player.index();
        let (name, done, best) = (&analysis.players[seat].name, &decision.done, &decision.best);
        let title = format!("{name}: {done} instead of {best}, \u{2212}{:.3}", decision.loss);
        let class = format!("class=\"{class} seat{}\"", seat + 1);
        chart.link(&format!("#{prefix}{index}"));
        chart.dot(&class, place((index, decision)), &title);
        chart.link_end();
    }
    let name = escape(&analysis.players[0].name);
    let what = if money { "equity of" } else { "match-winning chance of" };
    format!(
        "<div class=\"curve\">{}</div><p class=\"hint\">The {what} {name}, game by game. A dot is an \
         error; filled dots are blunders. A click leads to it.</p>",
        chart.svg(&format!("role=\"img\" aria-label=\"{what} {name}\""))
    )
}
