//! The curve of a match: the chance of the first player to win it, decision by decision.

use tavola_files::report::chart::Chart;
use tavola_files::report::escape;
use tavola_rules::Player;

use crate::analysis::{Decision, MatchAnalysis, Thresholds};

/// The curve as SVG, with a dot for each error that leads to its place on the page. In a match it
/// is the chance to win it, for money the equity of the game, from -2 to 2.
pub(super) fn curve(analysis: &MatchAnalysis, prefix: &str, thresholds: &Thresholds) -> String {
    let money = analysis.is_money();
    let place = |(index, decision): (usize, &Decision)| {
        let chance = decision.mwc.unwrap_or_else(|| (decision.equity.clamp(-2.0, 2.0) + 2.0) / 4.0);
        (index as f64, if decision.player == Player::One { chance } else { 1.0 - chance })
    };
    let last = (analysis.decisions.len().max(2) - 1) as f64;
    let margins = [56.0, 12.0, 12.0, 28.0];
    let mut chart = Chart::new([1028.0, 260.0], margins, 0.0..last, 0.0..1.0);
    let labels = match money {
        true => [(0.0, "\u{2212}2"), (0.5, "0"), (1.0, "+2")],
        false => [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")],
    };
    chart.y_axis("", labels.map(|(value, label)| (value, label.to_owned())));
    let decisions = || analysis.decisions.iter().enumerate();
    let begins = |&(index, decision): &(usize, &Decision)| {
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
        let class = format!("class=\"{class} s{}\"", seat + 1);
        chart.link(&format!("#{prefix}{index}"));
        chart.dot(&class, place((index, decision)), &title);
        chart.link_end();
    }
    let what = if money { "equity of" } else { "match-winning chance of" };
    let what = format!("{what} {}", analysis.players[0].name);
    format!(
        "{}<p>The {}, game by game. A dot is an error; filled dots are blunders. A click leads to \
         it.</p>",
        chart.html("across", &what),
        escape(&what)
    )
}
