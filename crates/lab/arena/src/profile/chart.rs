//! How long games are, as bars.

use std::fmt::Write;

use super::{LETTERS, Profiled};
use crate::words as format;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 80.0;
/// Right end of the bars; the last number is wider than its bar.
const RIGHT: f64 = 620.0;
const BOTTOM: f64 = 180.0;
const TOP: f64 = 14.0;
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

    let mut svg = String::new();
    draw(&mut svg, networks, &shares, highest, (first, step))
        .expect("writing to a string doesn't fail");
    svg
}

fn draw(
    svg: &mut String,
    networks: &[Profiled],
    shares: &[Vec<f64>],
    highest: f64,
    (first, step): (u32, u32),
) -> std::fmt::Result {
    let bars = shares[0].len();
    let column = (RIGHT - LEFT) / bars as f64;
    let width = column * 0.84 / networks.len() as f64;
    write!(
        svg,
        r#"<svg class="chart" role="img" aria-label="lengths of games" viewBox="0 0 {WIDTH} {HEIGHT}">"#
    )?;
    for share in [0.0, highest / 2.0, highest] {
        let y = BOTTOM - share / highest * (BOTTOM - TOP);
        write!(
            svg,
            r#"<path class="grid" d="M{LEFT} {y:.1}H{RIGHT}"/><text x="{:.1}" y="{:.1}" text-anchor="end">{} %</text>"#,
            LEFT - 5.0,
            y + 4.0,
            format::percent(share as f32)
        )?;
    }
    for (number, shares) in shares.iter().enumerate() {
        for (bar, share) in shares.iter().enumerate() {
            let x = LEFT + bar as f64 * column + column * 0.08 + number as f64 * width;
            let height = share / highest * (BOTTOM - TOP);
            let from = first + bar as u32 * step;
            let to = match (bar + 1 == bars, step) {
                (true, _) => " turns and more".to_owned(),
                (false, 1) => " turns".to_owned(),
                (false, _) => format!(" to {} turns", from + step - 1),
            };
            write!(
                svg,
                r#"<rect class="{}" x="{x:.1}" y="{:.1}" width="{width:.1}" height="{height:.1}"><title>{}: {from}{to}, {} %</title></rect>"#,
                LETTERS[number].to_lowercase(),
                BOTTOM - height,
                LETTERS[number],
                format::percent(*share as f32)
            )?;
        }
    }
    // As many numbers as there is room for.
    let every = bars.div_ceil(10);
    for bar in (0..bars).step_by(every) {
        let from = first + bar as u32 * step;
        let more = if bar + 1 == bars { "+" } else { "" };
        let x = LEFT + (bar as f64 + 0.5) * column;
        write!(
            svg,
            r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{from}{more}</text>"#,
            BOTTOM + 19.0
        )?;
    }
    write!(
        svg,
        r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">turns of both players</text></svg>"#,
        (LEFT + RIGHT) / 2.0,
        HEIGHT - 4.0
    )
}
