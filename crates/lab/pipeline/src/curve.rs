//! The learning curve as a picture: strength against each opponent and loss, over the games
//! learned from.

use tavola_files::report::chart::{COLORS, Chart, picture, ticks};

use crate::metrics::{EvaluationMetrics, Metrics, RoundMetrics};

/// Width and height of the strength, and height of the loss, in pixels.
const SIZE: [f64; 2] = [960.0, 500.0];
const LOSS_HEIGHT: f64 = 300.0;
/// The margins of each.
const MARGINS: [f64; 4] = [78.0, 46.0, 20.0, 52.0];
/// With more rounds than this the loss is drawn as means over neighboring rounds, or the line
/// would be a band of noise.
const LOSS_POINTS: usize = 400;

/// Draws the learning curve of the run `name` as an SVG document.
///
/// Above, points per game against each opponent with 95 % intervals; below, the training loss;
/// both over self-play games learned from. Lines without any finite figure are left out.
pub(crate) fn learning_curve(name: &str, metrics: &[Metrics]) -> String {
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
    let games = metrics.iter().map(|line| match line {
        Metrics::Round(round) => round.games,
        Metrics::Evaluation(evaluation) => evaluation.games,
        Metrics::States(states) => states.games,
    });
    let games = games.max().unwrap_or(0).max(1) as f64;
    picture(&[strength(name, games, &evaluations), loss(games, &rounds)])
}

/// Draws the errors of the networks of the phases of a recipe, in order, over the hours that all of
/// them took, as an SVG document: the spread within siblings and the RMSE of states, each at the
/// plies at which it was measured. `None` if nothing was measured.
pub(crate) fn strength_over_hours(phases: &[(&str, Vec<Metrics>)]) -> Option<String> {
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
    if series.is_empty() { None } else { Some(picture(&[errors_over_hours(&series)])) }
}

/// The points of a phase: hours of all phases until then, and the figure in thousandths.
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
            line.extend(figure(entry).map(|figure| ((before + seconds) / 3600.0, 1000.0 * figure)));
        }
        lines.push(line);
        before += seconds;
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Attributes of a line of this color and width.
pub(crate) fn stroke(color: &str, width: u32) -> String {
    format!("stroke=\"{color}\" stroke-width=\"{width}\"")
}

/// Lines of errors over hours, with a legend.
fn errors_over_hours(series: &[(String, Vec<Line>)]) -> Chart {
    let all = || series.iter().flat_map(|(_, lines)| lines.iter().flatten());
    let hours = 1.02 * all().map(|point| point.0).fold(1.0 / 3600.0, f64::max);
    // A network that knows nothing is far off, and hides what comes later.
    let high = 1.06 * all().map(|point| point.1.min(100.0)).fold(10.0, f64::max);
    let mut chart = Chart::new(SIZE, MARGINS, 0.0..hours, 0.0..high);
    chart.caption("errors of equity while learning");
    let label = |at: f64| (at, format!("{}", (at * 1e6).round() / 1e6));
    chart.x_axis("hours", ticks(&(0.0..hours), 10.0).into_iter().map(label));
    chart.y_axis("millipoints", ticks(&(0.0..high), 10.0).into_iter().map(label));
    let mut names = Vec::new();
    for ((name, lines), color) in series.iter().zip(COLORS) {
        let last = lines.last().and_then(|line| line.last()).map_or(0.0, |point| point.1);
        for line in lines {
            // What is far off lies above the picture.
            chart.line(&stroke(color, 2), line.iter().copied().filter(|point| point.1 <= high));
        }
        names.push((color, format!("{name}, last {last:.1}")));
    }
    chart.legend(true, &names);
    chart
}

/// A chart of points per game by games, with a line at zero: equal strength is always in sight.
pub(crate) fn strength_chart(
    caption: &str,
    of: &str,
    games: f64,
    ends: impl Iterator<Item = f64>,
) -> Chart {
    let (low, high) =
        ends.fold((-0.2_f64, 0.2_f64), |(low, high), end| (low.min(end), high.max(end)));
    let margin = 0.06 * (high - low);
    let (x, y) = (-0.01 * games..1.02 * games, low - margin..high + margin);
    let mut chart = Chart::new(SIZE, MARGINS, x.clone(), y.clone());
    chart.caption(caption);
    games_axis(&mut chart, games);
    let label = |ppg| (ppg, format!("{ppg:+.1}"));
    chart.y_axis(&format!("points per game, {of}"), ticks(&y, 10.0).into_iter().map(label));
    chart.line(&stroke("#000", 1), [(x.start, 0.0), (x.end, 0.0)]);
    chart
}

/// Points per game against each opponent, with intervals, and a legend with the last figures.
fn strength(name: &str, games: f64, evaluations: &[(&str, Vec<&EvaluationMetrics>)]) -> Chart {
    let ends = evaluations.iter().flat_map(|(_, series)| series.iter().flat_map(|e| e.interval));
    let caption = format!("{name}: strength while learning");
    let mut chart = strength_chart(&caption, "bars: 95 % interval", games, ends);
    chart.text("text-anchor=\"end\"", (0.5 * games, 0.0), [0.0, -5.0], "equal strength");
    let mut names = Vec::new();
    for (index, (opponent, series)) in evaluations.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        chart.line(&stroke(color, 2), series.iter().map(|e| (e.games as f64, e.ppg)));
        for e in series {
            let x = e.games as f64;
            chart.line(&stroke(color, 1), e.interval.map(|end| (x, end)));
            chart.dot(&format!("fill=\"{color}\""), (x, e.ppg), "");
        }
        let last = series.last().map_or(String::new(), |e| {
            format!(", last {:+.3} ± {:.3} (95 %)", e.ppg, e.estimate().half_width())
        });
        names.push((color, format!("against {opponent}{last}")));
    }
    if evaluations.is_empty() {
        chart.text("", (0.5 * games, 0.1), [0.0; 2], "no evaluation yet");
    }
    chart.legend(false, &names);
    chart
}

/// The training loss.
fn loss(games: f64, rounds: &[&RoundMetrics]) -> Chart {
    let stride = rounds.len().div_ceil(LOSS_POINTS).max(1);
    let means = |figure: fn(&RoundMetrics) -> Option<f64>| -> Vec<(f64, f64)> {
        let mean = |chunk: &[&RoundMetrics]| {
            let figures: Vec<f64> = chunk.iter().filter_map(|round| figure(round)).collect();
            let mean = figures.iter().sum::<f64>() / figures.len() as f64;
            mean.is_finite().then(|| (chunk[chunk.len() / 2].games as f64, mean))
        };
        rounds.chunks(stride).filter_map(mean).collect()
    };
    let points = means(|round| Some(round.loss));
    let held_out = means(|round| round.held_out_loss);
    let ends = points.iter().chain(&held_out).map(|point| point.1);
    let (low, high) = match points.is_empty() {
        true => (0.0, 1.0),
        false => (ends.clone().fold(f64::INFINITY, f64::min), ends.fold(f64::MIN, f64::max)),
    };
    let margin = (0.06 * (high - low)).max(0.005);
    let y = low - margin..high + margin;
    let size = [SIZE[0], LOSS_HEIGHT];
    let mut chart = Chart::new(size, MARGINS, -0.01 * games..1.02 * games, y.clone());
    chart.caption("loss of positions while they are learned, and of new ones before");
    games_axis(&mut chart, games);
    let label = |loss| (loss, format!("{loss:.2}"));
    chart.y_axis("cross-entropy, nats a position", ticks(&y, 5.0).into_iter().map(label));
    chart.line(&stroke(COLORS[1], 2), held_out);
    chart.line(&stroke(COLORS[0], 2), points);
    let names = [(COLORS[0], "training loss"), (COLORS[1], "held-out loss")];
    chart.legend(true, &names.map(|(color, name)| (color, name.to_owned())));
    chart
}

/// The axis of games from 0.
fn games_axis(chart: &mut Chart, games: f64) {
    let ticks = ticks(&(0.0..1.02 * games), 8.0).into_iter().map(|at| (at, count_label(at)));
    chart.x_axis("self-play games learned from", ticks);
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
                    held_out_loss: Some(1.65 - 0.5 * learned),
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
        let svg = learning_curve("smoke <1>", &run());
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
        assert!(learning_curve("empty", &[]).contains("no evaluation yet"));
        let mut metrics = run();
        metrics.truncate(2);
        learning_curve("first", &metrics);
        if let Metrics::Evaluation(evaluation) = &mut metrics[0] {
            evaluation.interval = [f64::NAN, f64::INFINITY];
        }
        assert!(!learning_curve("not finite", &metrics).contains("NaN"));
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
        assert!(strength_over_hours(&[("games", run())]).is_none());
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
        let svg = strength_over_hours(&phases).unwrap();
        for text in ["hours", "spread within siblings at 0-ply, last 13.1", "last 50.0"] {
            assert!(svg.contains(text), "{text:?} is missing");
        }
        // Two figures of two phases; 1,500 millipoints lie above the picture.
        let lines = svg.lines().filter(|line| line.starts_with("<polyline"));
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
