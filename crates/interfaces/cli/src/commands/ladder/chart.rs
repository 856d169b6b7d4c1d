//! The ladder as a picture: a rating with its interval for each player.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tavola_arena::ladder::{Rating, Standings};

/// Width of the picture in pixels.
const WIDTH: u32 = 960;
/// Height of a player's line, and of what surrounds the lines of a part.
const LINE: u32 = 26;
const AROUND: u32 = 110;
/// Players that are this many points behind the best have no place in the magnified part.
const NEAR: f64 = 0.3;
/// A blue that people with any kind of color vision tell from gray (Okabe and Ito 2008, "Color
/// Universal Design").
const BLUE: RGBColor = RGBColor(0, 114, 178);

/// Why a picture can't be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the drawing library says {reason}")]
pub struct ChartError {
    reason: String,
}

/// Draws the ladder as an SVG document: all players, and below it once more those near the top,
/// magnified.
///
/// # Errors
///
/// If the drawing library refuses, which no ladder is known to cause.
pub fn picture(standings: &Standings) -> Result<String, ChartError> {
    let all: Vec<&Rating> = standings.ranked().into_iter().map(|(rating, _)| rating).collect();
    let best = all.first().map_or(0.0, |rating| rating.ppg.mean);
    let near: Vec<_> = all.iter().copied().filter(|rating| rating.ppg.mean > best - NEAR).collect();
    let magnified = near.len() > 1 && near.len() < all.len();
    let height = |ratings: &[&Rating]| ratings.len() as u32 * LINE + AROUND;
    let heights = (height(&all), if magnified { height(&near) } else { 0 });
    let mut svg = String::new();
    draw(&all, magnified.then_some(&*near), heights, &mut svg)
        .map_err(|error| ChartError { reason: error.to_string() })?;
    Ok(svg)
}

fn draw(
    all: &[&Rating],
    near: Option<&[&Rating]>,
    heights: (u32, u32),
    svg: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, (WIDTH, heights.0 + heights.1)).into_drawing_area();
    area.fill(&WHITE)?;
    let (above, below) = area.split_vertically(heights.0);
    part(&above, "ladder", all)?;
    if let Some(near) = near {
        part(&below, "the top, magnified", near)?;
    }
    area.present()?;
    Ok(())
}

fn part(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    caption: &str,
    ratings: &[&Rating],
) -> Result<(), Box<dyn std::error::Error>> {
    let (low, high) = ratings.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), r| {
        (low.min(r.ppg.low), high.max(r.ppg.high))
    });
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let width = (high - low).max(0.01);
    // Names stand to the right of the intervals.
    let range = low - 0.04 * width..high + 0.45 * width;
    let rows = ratings.len() as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(46)
        .build_cartesian_2d(range, 0.0..rows.max(1.0))?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .light_line_style(WHITE)
        .x_desc("points per game, bars: 95 % interval")
        .x_label_formatter(&|ppg| format!("{:+.2}", ppg + 0.0))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .draw()?;
    let font = ("sans-serif", 14).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
    for (place, rating) in ratings.iter().enumerate() {
        let y = rows - place as f64 - 0.5;
        let (ppg, half) = (rating.ppg, rating.ppg.half_width());
        let bar = [(ppg.low, y), (ppg.high, y)];
        chart.draw_series(std::iter::once(PathElement::new(bar, BLUE.stroke_width(2))))?;
        chart.draw_series(std::iter::once(Circle::new((ppg.mean, y), 4, BLUE.filled())))?;
        let label = format!("{}  {:+.3} ± {half:.3}", rating.version.name, ppg.mean);
        let place = (ppg.high + 0.015 * width, y);
        chart.draw_series(std::iter::once(Text::new(label, place, font.clone())))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tavola_arena::ladder::{Anchor, Ladder, MatchUp, Version};

    use super::*;

    #[test]
    fn everybody_is_in_the_picture_and_the_top_twice() {
        let mut ladder = Ladder::new();
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
        let svg = picture(&standings).unwrap();
        for (text, times) in [("two &lt;2&gt;", 2), ("two and a bit", 2), ("zero", 1)] {
            assert_eq!(svg.matches(text).count(), times, "{text}");
        }
        assert!(svg.contains("points per game, bars: 95 % interval"));
        assert!(svg.trim_end().ends_with("</svg>"));
        let empty = Ladder::new();
        assert!(empty.standings(&[]).is_err());
    }
}
