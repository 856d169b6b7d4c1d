//! The curve of a match: the chance of the first player to win it, decision by decision.

use std::fmt::Write as _;

use tavola_rules::Player;

use super::escape;
use crate::analysis::{MatchAnalysis, Thresholds};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 12.0;

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
    let count = analysis.decisions.len().max(2);
    let x = |index: usize| LEFT + WIDTH * index as f64 / (count - 1) as f64;
    let y = |value: f64| TOP + HEIGHT * (1.0 - value);
    let mut svg = String::new();
    let name = escape(&analysis.players[0].name);
    let what = if money { "equity of" } else { "match-winning chance of" };
    let _ = write!(
        svg,
        "<div class=\"curve\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{what} {name}\">",
        LEFT + WIDTH + 12.0,
        TOP + HEIGHT + 28.0
    );
    let labels: [(f64, &str); 3] = match money {
        true => [(0.0, "\u{2212}2"), (0.5, "0"), (1.0, "+2")],
        false => [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")],
    };
    for (value, label) in labels {
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y1}\" y2=\"{y1}\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>",
            LEFT + WIDTH,
            LEFT - 6.0,
            y(value) + 4.0,
            y1 = y(value)
        );
    }
    let mut game = 0;
    let mut points = String::new();
    let mut dots = String::new();
    for (index, decision) in analysis.decisions.iter().enumerate() {
        if decision.game != game {
            game = decision.game;
            let _ = write!(
                svg,
                "<line class=\"grid\" x1=\"{x1:.1}\" x2=\"{x1:.1}\" y1=\"{TOP}\" y2=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"{}\">{game}</text>",
                TOP + HEIGHT,
                x(index) + 3.0,
                TOP + HEIGHT + 18.0,
                x1 = x(index)
            );
        }
        let value = of_first(decision.player, decision.equity, decision.mwc);
        let _ = write!(points, "{:.1},{:.1} ", x(index), y(value));
        if decision.loss >= thresholds.error {
            let class = if decision.loss >= thresholds.blunder { "blunder" } else { "error" };
            let seat = decision.player.index() + 1;
            let _ = write!(
                dots,
                "<a href=\"#{prefix}{index}\"><circle class=\"{class} seat{seat}\" cx=\"{:.1}\" \
                 cy=\"{:.1}\" r=\"4\"><title>{}: {} instead of {}, &minus;{:.3}</title></circle></a>",
                x(index),
                y(value),
                escape(&analysis.players[seat - 1].name),
                escape(&decision.done),
                escape(&decision.best),
                decision.loss
            );
        }
    }
    let _ = write!(svg, "<polyline points=\"{}\"/>{dots}</svg></div>", points.trim_end());
    let _ = write!(
        svg,
        "<p class=\"hint\">The {what} {name}, game by game. A dot is an error; filled dots are \
         blunders. A click leads to it.</p>"
    );
    svg
}
