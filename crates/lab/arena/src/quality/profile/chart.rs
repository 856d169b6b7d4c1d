//! How long games are, as bars.

use tavola_files::report::chart::Chart;

use super::{LETTERS, Profiled};
use crate::words as format;

/// Bars of each network, at most.
const BARS: u32 = 30;
/// Share of the games that have bars of their own; the longest few share the last one.
const SHOWN: f64 = 0.99;

/// A histogram of the lengths of the networks' games, which takes its colors from the classes of
/// the page. Empty without games.
pub fn lengths(networks: &[Profiled]) -> String {
    let all = networks.iter().flat_map(|network| &network.self_play.lengths);
    let games: u64 = all.clone().map(|(_, games)| games).sum();
    let Some(first) = all.clone().map(|(&turns, _)| turns).min() else { return String::new() };
    let mut sorted: Vec<(u32, u64)> = all.map(|(&turns, &games)| (turns, games)).collect();
    sorted.sort_unstable();
    let mut counted = 0;
    let last = sorted
        .iter()
        .find(|(_, games_of)| {
            counted += games_of;
            counted as f64 >= SHOWN * games as f64
        })
        .map_or(first, |&(turns, _)| turns);
    let step = (last - first).div_ceil(BARS).max(1);
    let first = first / step * step;
    let bars = ((last - first) / step + 1) as usize;

    let shares: Vec<Vec<f64>> = networks
        .iter()
        .map(|network| {
            let mut shares = vec![0.0; bars];
            for (&turns, &games) in &network.self_play.lengths {
                let bar = (((turns - first) / step) as usize).min(bars - 1);
                shares[bar] += games as f64 / network.self_play.games.max(1) as f64;
            }
            shares
        })
        .collect();
    let highest = shares.iter().flatten().copied().fold(0.0, f64::max);

    let margins = [80.0, 14.0, 20.0, 50.0];
    let mut chart = Chart::new([640.0, 230.0], margins, 0.0..bars as f64, 0.0..highest);
    let percent = |share| format!("{} %", format::percent(share as f32));
    chart.y_axis("", [0.0, highest / 2.0, highest].map(|share| (share, percent(share))));
    let width = 0.84 / networks.len() as f64;
    for (number, shares) in shares.iter().enumerate() {
        let (letter, class) = (LETTERS[number], format!("class=\"s{}\"", number + 1));
        for (bar, &share) in shares.iter().enumerate() {
            let from = first + bar as u32 * step;
            let to = match (bar + 1 == bars, step) {
                (true, _) => " turns and more".to_owned(),
                (false, 1) => " turns".to_owned(),
                (false, _) => format!(" to {} turns", from + step - 1),
            };
            let x = bar as f64 + 0.08 + number as f64 * width;
            let title = format!("{letter}: {from}{to}, {}", percent(share));
            chart.bar(&class, (x, 0.0), (x + width, share), &title);
        }
    }
    // As many numbers as there is room for.
    let numbers = (0..bars).step_by(bars.div_ceil(10)).map(|bar| {
        let more = if bar + 1 == bars { "+" } else { "" };
        (bar as f64 + 0.5, format!("{}{more}", first + bar as u32 * step))
    });
    chart.x_axis("turns of both players", numbers);
    chart.html("", "lengths of games")
}
