//! The learning curve as a picture: strength against each opponent and loss, over the games
//! learned from.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::metrics::{EvaluationMetrics, Metrics, RoundMetrics};

/// Width and height of the picture in pixels.
const SIZE: (u32, u32) = (960, 800);
/// Height of the upper part, the strength.
const STRENGTH_HEIGHT: i32 = 500;
/// Colors that people with any kind of color vision tell apart (Okabe and Ito 2008, "Color
/// Universal Design").
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];
/// With more rounds than this the loss is drawn as means over neighboring rounds, or the line
/// would be a band of noise.
const LOSS_POINTS: usize = 400;

/// Why a picture can't be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the learning curve: {reason}")]
pub struct CurveError {
    reason: String,
}

/// Draws the learning curve of the run `name` as an SVG document.
///
/// Above, points per game against each opponent with 95 % intervals; below, the training loss;
/// both over self-play games learned from. Lines without any finite figure are left out.
///
/// # Errors
///
/// If the drawing library refuses, which no metrics are known to cause.
pub(crate) fn learning_curve(name: &str, metrics: &[Metrics]) -> Result<String, CurveError> {
    let mut rounds = Vec::new();
    let mut evaluations: Vec<(&str, Vec<&EvaluationMetrics>)> = Vec::new();
    for line in metrics {
        match line {
            Metrics::Round(round) if round.loss.is_finite() => rounds.push(round),
            Metrics::Evaluation(evaluation)
                if evaluation.interval.iter().all(|end| end.is_finite()) =>
            {
                match evaluations.iter_mut().find(|(who, _)| *who == evaluation.opponent) {
                    Some((_, series)) => series.push(evaluation),
                    None => evaluations.push((&evaluation.opponent, vec![evaluation])),
                }
            }
            Metrics::Round(_) | Metrics::Evaluation(_) | Metrics::States(_) => {}
        }
    }
    let games = metrics
        .iter()
        .map(|line| match line {
            Metrics::Round(round) => round.games,
            Metrics::Evaluation(evaluation) => evaluation.games,
            Metrics::States(states) => states.games,
        })
        .max()
        .unwrap_or(0)
        .max(1) as f64;

    let mut svg = String::new();
    draw(name, games, &rounds, &evaluations, &mut svg)
        .map_err(|error| CurveError { reason: error.to_string() })?;
    Ok(svg)
}

/// Draws the errors of the networks of the phases of a recipe, in order, over the hours that all of
/// them took, as an SVG document: the spread within siblings and the RMSE of states, each at the
/// plies at which it was measured. `None` if nothing was measured.
///
/// # Errors
///
/// If the drawing library refuses, which no metrics are known to cause.
pub(crate) fn strength_over_hours(
    phases: &[(&str, Vec<Metrics>)],
) -> Result<Option<String>, CurveError> {
    let plies = |line: &Metrics| match line {
        Metrics::States(states) => states.plies.clone(),
        Metrics::Round(_) | Metrics::Evaluation(_) => Vec::new(),
    };
    let mut series = Vec::new();
    for ply in 0..=2 {
        let at = |line: &Metrics| plies(line).into_iter().find(|at| at.ply == ply);
        let spread = |line: &Metrics| Some(at(line)?.siblings?.spread.mean);
        series.push((format!("spread within siblings at {ply}-ply"), points(phases, spread)));
        let rmse = |line: &Metrics| Some(at(line)?.grades.all.rmse);
        series.push((format!("RMSE of states at {ply}-ply"), points(phases, rmse)));
    }
    series.retain(|(_, lines)| !lines.is_empty());
    if series.is_empty() {
        return Ok(None);
    }
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (SIZE.0, STRENGTH_HEIGHT as u32));
    errors_over_hours(&area.into_drawing_area(), &series)
        .map_err(|error| CurveError { reason: error.to_string() })?;
    Ok(Some(svg))
}

/// The points of a phase: seconds of all phases until then, and the figure.
type Line = Vec<(f64, f64)>;

/// A figure of the states after each evaluation: a line for each phase, since some train another
/// network than the one before.
fn points(phases: &[(&str, Vec<Metrics>)], figure: impl Fn(&Metrics) -> Option<f64>) -> Vec<Line> {
    let (mut lines, mut before) = (Vec::new(), 0.0);
    for (_, metrics) in phases {
        let (mut line, mut seconds) = (Line::new(), 0.0);
        for entry in metrics {
            if let Metrics::Round(round) = entry {
                seconds = round.seconds;
            }
            line.extend(figure(entry).map(|figure| (before + seconds, figure)));
        }
        lines.push(line);
        before += seconds;
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Lines of errors in points over seconds, with a legend.
fn errors_over_hours(
    area: &Area<'_>,
    series: &[(String, Vec<Line>)],
) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let all = || series.iter().flat_map(|(_, lines)| lines.iter().flatten());
    let hours = all().map(|point| point.0 / 3600.0).fold(1.0 / 3600.0, f64::max);
    // A network that knows nothing is far off, and hides what comes later.
    let high = all().map(|point| (1000.0 * point.1).min(100.0)).fold(10.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption("errors of equity while learning", ("sans-serif", 24))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..1.02 * hours, 0.0..1.06 * high)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("hours")
        .y_desc("millipoints")
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .draw()?;
    for ((name, lines), color) in series.iter().zip(COLORS) {
        let last = lines.last().and_then(|line| line.last());
        let last = last.map_or(0.0, |point| 1000.0 * point.1);
        for (number, line) in lines.iter().enumerate() {
            let points = line.iter().map(|(seconds, error)| (seconds / 3600.0, 1000.0 * error));
            // What is far off lies above the picture.
            let points = points.filter(|point| point.1 <= 1.06 * high);
            let drawn = chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
            if number == 0 {
                drawn.label(format!("{name}, last {last:.1}")).legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 22, y)], color.stroke_width(3))
                });
            }
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(180, 180, 180))
        .label_font(("sans-serif", 15))
        .margin(8)
        .draw()?;
    area.present()?;
    Ok(())
}

/// Draws both parts into `svg`.
fn draw(
    name: &str,
    games: f64,
    rounds: &[&RoundMetrics],
    evaluations: &[(&str, Vec<&EvaluationMetrics>)],
    svg: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (above, below) = area.split_vertically(STRENGTH_HEIGHT);
    strength(&above, name, games, evaluations)?;
    loss(&below, games, rounds)?;
    area.present()?;
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Points per game against each opponent, with intervals, and a legend with the last figures.
fn strength(
    area: &Area<'_>,
    name: &str,
    games: f64,
    evaluations: &[(&str, Vec<&EvaluationMetrics>)],
) -> Result<(), Box<dyn std::error::Error>> {
    let ends = evaluations.iter().flat_map(|(_, series)| series.iter().flat_map(|e| e.interval));
    // Zero, equal strength, is always in sight.
    let (low, high) =
        ends.fold((-0.2_f64, 0.2_f64), |(low, high), end| (low.min(end), high.max(end)));
    let margin = 0.06 * (high - low);
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{name}: strength while learning"), ("sans-serif", 24))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d(-0.01 * games..1.02 * games, low - margin..high + margin)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("self-play games learned from")
        .y_desc("points per game, bars: 95 % interval")
        .x_label_formatter(&|games| count_label(*games))
        .y_label_formatter(&|ppg| format!("{ppg:+.1}"))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .draw()?;
    chart.draw_series(LineSeries::new([(-0.01 * games, 0.0), (1.02 * games, 0.0)], &BLACK))?;
    let above_the_line = ("sans-serif", 13)
        .into_font()
        .color(&RGBColor(90, 90, 90))
        .pos(Pos::new(HPos::Right, VPos::Bottom));
    chart.draw_series(std::iter::once(Text::new(
        "equal strength",
        (0.5 * games, 0.0),
        above_the_line,
    )))?;

    for (index, (opponent, series)) in evaluations.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let points = series.iter().map(|e| (e.games as f64, e.ppg));
        let last = series.last().map_or(String::new(), |e| {
            format!(", last {:+.3} ± {:.3} (95 %)", e.ppg, e.estimate().half_width())
        });
        chart
            .draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?
            .label(format!("against {opponent}{last}"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], color.stroke_width(3)));
        chart.draw_series(series.iter().map(|e| {
            let x = e.games as f64;
            PathElement::new([(x, e.interval[0]), (x, e.interval[1])], color.stroke_width(1))
        }))?;
        chart.draw_series(points.map(|point| Circle::new(point, 3, color.filled())))?;
    }
    if evaluations.is_empty() {
        let place = (0.5 * games, 0.5 * high);
        chart.draw_series(std::iter::once(Text::new(
            "no evaluation yet",
            place,
            ("sans-serif", 16).into_font().color(&RGBColor(90, 90, 90)),
        )))?;
    } else {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(180, 180, 180))
            .label_font(("sans-serif", 15))
            .margin(8)
            .draw()?;
    }
    Ok(())
}

/// The training loss.
fn loss(
    area: &Area<'_>,
    games: f64,
    rounds: &[&RoundMetrics],
) -> Result<(), Box<dyn std::error::Error>> {
    let stride = rounds.len().div_ceil(LOSS_POINTS).max(1);
    let points: Vec<(f64, f64)> = rounds
        .chunks(stride)
        .map(|chunk| {
            let mean = chunk.iter().map(|round| round.loss).sum::<f64>() / chunk.len() as f64;
            (chunk[chunk.len() / 2].games as f64, mean)
        })
        .collect();
    let (low, high) =
        points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &(_, loss)| {
            (low.min(loss), high.max(loss))
        });
    let (low, high) = if points.is_empty() { (0.0, 1.0) } else { (low, high) };
    let margin = (0.06 * (high - low)).max(0.005);
    let mut chart = ChartBuilder::on(area)
        .caption("training loss", ("sans-serif", 18))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d(-0.01 * games..1.02 * games, low - margin..high + margin)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .y_labels(6)
        .x_desc("self-play games learned from")
        .y_desc("cross-entropy, nats a position")
        .x_label_formatter(&|games| count_label(*games))
        .y_label_formatter(&|loss| format!("{loss:.2}"))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .draw()?;
    chart.draw_series(LineSeries::new(points, COLORS[0].stroke_width(2)))?;
    Ok(())
}

/// `1500` as `1.5 k`, for axes.
fn count_label(count: f64) -> String {
    let (scaled, unit) = match count.abs() {
        millions if millions >= 1e6 => (count / 1e6, " M"),
        thousands if thousands >= 1e3 => (count / 1e3, " k"),
        _ => (count, ""),
    };
    let rounded = (scaled * 100.0).round() / 100.0;
    format!("{rounded}{unit}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run() -> Vec<Metrics> {
        let mut metrics = Vec::new();
        for round in 0..=60_u32 {
            let games = u64::from(round) * 1000;
            let learned = 1.0 - (-f64::from(round) / 12.0).exp();
            if round > 0 {
                metrics.push(Metrics::Round(RoundMetrics {
                    round,
                    games,
                    positions: games * 55,
                    loss: 1.6 - 0.5 * learned,
                    learning_rate: 1e-3,
                    lambda: 0.7,
                    games_per_second: 1000.0,
                    positions_per_second: 55_000.0,
                    given_targets: 0,
                    given_targets_per_second: 0.0,
                    pairs: 0,
                    pair_rmse: None,
                    selfplay_seconds: 1.0,
                    learning_seconds: 1.0,
                    seconds: f64::from(round),
                }));
            }
            if round % 10 == 0 {
                for (opponent, most) in [("random", 2.45), ("pip-count", 1.1)] {
                    let ppg = -0.1 + most * learned;
                    metrics.push(Metrics::Evaluation(EvaluationMetrics {
                        round,
                        games,
                        opponent: opponent.to_owned(),
                        evaluation_games: 2000,
                        seed: 1,
                        ppg,
                        standard_error: 0.03,
                        interval: [ppg - 0.06, ppg + 0.06],
                        seconds: 1.0,
                        variance_reduction: None,
                    }));
                }
            }
        }
        metrics
    }

    #[test]
    fn the_picture_says_what_it_shows() {
        let svg = learning_curve("smoke <1>", &run()).unwrap();
        for text in [
            "smoke &lt;1&gt;: strength while learning",
            "points per game, bars: 95 % interval",
            "self-play games learned from",
            "cross-entropy, nats a position",
            "against random, last +2.333 ± 0.060 (95 %)",
            "against pip-count",
            "equal strength",
            "20 k",
        ] {
            assert!(svg.contains(text), "{text:?} is missing");
        }
        assert!(svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn few_or_strange_figures_are_drawn_all_the_same() {
        assert!(learning_curve("empty", &[]).unwrap().contains("no evaluation yet"));
        let mut metrics = run();
        metrics.truncate(2);
        learning_curve("first", &metrics).unwrap();
        if let Metrics::Evaluation(evaluation) = &mut metrics[0] {
            evaluation.interval = [f64::NAN, f64::INFINITY];
        }
        learning_curve("not finite", &metrics).unwrap();
    }

    /// The evaluation of states after a round, with these errors in points.
    fn states(round: u32, rmse: f64, spread: f64) -> Metrics {
        let estimate =
            |mean| json!({ "mean": mean, "standard_error": 0.0, "low": 0.0, "high": 0.0 });
        let metrics = json!({
            "type": "states", "round": round, "games": 1, "file": "", "seconds": 0.0,
            "plies": [{
                "ply": 0, "states": 9, "rmse": rmse, "rmse_se": 0.0, "bias": estimate(0.0),
                "chances": (0..5).map(|_| estimate(0.0)).collect::<Vec<_>>(), "bands": [],
                "siblings": {
                    "decisions": 9, "siblings": 9, "spread": estimate(spread), "is_noise_known": true,
                },
            }],
        });
        serde_json::from_value(metrics).unwrap()
    }

    #[test]
    fn strength_over_hours_has_a_line_for_each_phase() {
        assert!(strength_over_hours(&[("games", run())]).unwrap().is_none());
        let with = |states: [Metrics; 3]| run().into_iter().chain(states).collect::<Vec<_>>();
        let phases = [
            (
                "games",
                with([states(60, 1.5, 0.07), states(61, 0.09, 0.03), states(62, 0.06, 0.02)]),
            ),
            (
                "prune",
                with([states(60, 0.08, 0.03), states(61, 0.07, 0.03), states(62, 0.05, 0.0131)]),
            ),
        ];
        let svg = strength_over_hours(&phases).unwrap().unwrap();
        for text in ["hours", "spread within siblings at 0-ply, last 13.1", "last 50.0"] {
            assert!(svg.contains(text), "{text:?} is missing");
        }
        // Two figures of two phases; 1,500 millipoints lie above the picture.
        let lines =
            svg.lines().filter(|line| line.starts_with("<polyline") && line.contains("\"2\""));
        let points: Vec<usize> = lines.map(|line| line.matches(',').count()).collect();
        assert_eq!(points, [3, 3, 2, 3], "{svg}");
    }

    #[test]
    fn counts_are_short() {
        assert_eq!(count_label(1500.0), "1.5 k");
        assert_eq!(count_label(250_000.0), "250 k");
        assert_eq!(count_label(3e6), "3 M");
        assert_eq!(count_label(0.0), "0");
    }
}
