//! The ladder as a picture: a rating with its interval for each player.

use tavola_arena::ladder::{LadderRating, Standings};
use tavola_files::report::chart::{COLORS, Chart, picture as charts, ticks};

/// Width of the picture in pixels, height of a player's line, and of what surrounds the lines.
const WIDTH: f64 = 960.0;
const LINE: f64 = 26.0;
const MARGINS: [f64; 4] = [12.0, 46.0, 12.0, 52.0];
/// Players that are this many points behind the best have no place in the magnified part.
const NEAR: f64 = 0.3;

/// Draws the ladder as an SVG document: all players, and below it once more those near the top,
/// magnified.
pub fn picture(standings: &Standings) -> String {
    let all: Vec<&LadderRating> =
        standings.ranked().into_iter().map(|(rating, _)| rating).collect();
    let best = all.first().map_or(0.0, |rating| rating.ppg.mean);
    let near: Vec<_> = all.iter().copied().filter(|rating| rating.ppg.mean > best - NEAR).collect();
    let mut parts = vec![part("ladder", &all)];
    if near.len() > 1 && near.len() < all.len() {
        parts.push(part("the top, magnified", &near));
    }
    charts(&parts)
}

fn part(caption: &str, ratings: &[&LadderRating]) -> Chart {
    let (low, high) = ratings.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), r| {
        (low.min(r.ppg.low), high.max(r.ppg.high))
    });
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let width = (high - low).max(0.01);
    // Names stand to the right of the intervals.
    let range = low - 0.04 * width..high + 0.45 * width;
    let rows = ratings.len() as f64;
    let size = [WIDTH, rows * LINE + MARGINS[1] + MARGINS[3]];
    let mut chart = Chart::new(size, MARGINS, range.clone(), 0.0..rows.max(1.0));
    chart.caption(caption);
    let label = |ppg| (ppg, format!("{ppg:+.2}"));
    chart
        .x_axis("points per game, bars: 95 % interval", ticks(&range, 10.0).into_iter().map(label));
    // Blue, which people with any kind of color vision tell from gray.
    let (stroke, fill) =
        ("stroke=\"#0072b2\" stroke-width=\"2\"", format!("fill=\"{}\"", COLORS[0]));
    for (place, rating) in ratings.iter().enumerate() {
        let (ppg, half, y) = (rating.ppg, rating.ppg.half_width(), rows - place as f64 - 0.5);
        chart.line(stroke, [(ppg.low, y), (ppg.high, y)]);
        chart.dot(&fill, (ppg.mean, y), "");
        let label = format!("{}  {:+.3} ± {half:.3}", rating.version.name, ppg.mean);
        chart.text("", (ppg.high, y), [8.0, 5.0], &label);
    }
    chart
}

#[cfg(test)]
mod tests {
    use tavola_arena::ladder::{Anchor, Ladder, MatchUp, Version};

    use super::*;

    #[test]
    fn everybody_is_in_the_picture_and_the_top_twice() {
        let mut ladder = Ladder::default();
        for id in ["zero", "two <2>", "two and a bit"] {
            ladder.add_version(Version { id: id.to_owned(), name: id.to_owned() });
        }
        for (a, b, ppg) in [("two <2>", "zero", 1.7), ("two and a bit", "two <2>", 0.03)] {
            let (a, b) = (a.to_owned(), b.to_owned());
            let (deviation, stake, seconds) = (0.5, 1.3, 1.0);
            let (first, pairs, luck_evaluator) = (0, 1000, None);
            ladder
                .add_match_up(MatchUp {
                    a,
                    b,
                    first,
                    pairs,
                    ppg,
                    deviation,
                    stake,
                    seconds,
                    luck_evaluator,
                })
                .unwrap();
        }
        let standings = ladder.standings(&[Anchor { id: "zero".to_owned(), ppg: 0.0 }]).unwrap();
        let svg = picture(&standings);
        for (text, times) in [("two &lt;2&gt;", 2), ("two and a bit", 2), ("zero", 1)] {
            assert_eq!(svg.matches(text).count(), times, "{text}");
        }
        assert!(svg.contains("points per game, bars: 95 % interval"));
        assert!(svg.trim_end().ends_with("</svg>"));
        let empty = Ladder::default();
        assert!(empty.standings(&[]).is_err());
    }
}
