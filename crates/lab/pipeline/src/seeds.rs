//! Several runs of one configuration with different seeds: their mean, and how far they are apart.

use std::collections::BTreeMap;
use std::path::Path;

use tavola_files::Failure;
use tavola_files::report::chart::{COLORS, picture};

use crate::curve::{strength_chart, stroke};
use crate::metrics::{Metrics, column_name};
use crate::run_dir::io_error;

/// The table and the picture, in the directory above those of the runs.
const TABLE: &str = "seeds.csv";
const CURVE: &str = "seeds.svg";

/// A figure after a round, of all the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedMean {
    /// The round.
    pub round: u32,
    /// Games learned from, in the mean.
    pub games: f64,
    /// The figure: `loss`, or the points per game against an opponent, as in `metrics.csv`.
    pub figure: String,
    /// Runs that have it.
    pub runs: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, 0 for one.
    pub standard_deviation: f64,
    /// The least and the most.
    pub range: [f64; 2],
}

/// The figures of the rounds with an evaluation, of the runs that have come so far.
pub fn seed_means(runs: &[Vec<Metrics>]) -> Vec<SeedMean> {
    // Of a round and the name of a figure, the games and the value of each run.
    let mut found: BTreeMap<(u32, String), Vec<(u64, f64)>> = BTreeMap::new();
    for metrics in runs {
        let evaluated: Vec<u32> = metrics
            .iter()
            .filter(|line| !matches!(line, Metrics::Round(_)))
            .map(Metrics::round)
            .collect();
        for line in metrics {
            let (figure, games, value) = match line {
                Metrics::Round(round) if evaluated.contains(&round.round) => {
                    ("loss".to_owned(), round.games, round.loss)
                }
                Metrics::Evaluation(it) => (column_name("ppg", &it.opponent), it.games, it.ppg),
                Metrics::Round(_) | Metrics::States(_) => continue,
            };
            if value.is_finite() {
                found.entry((line.round(), figure)).or_default().push((games, value));
            }
        }
    }
    let mean = |((round, figure), values): ((u32, String), Vec<(u64, f64)>)| {
        let number = values.len() as f64;
        let figures = values.iter().map(|value| value.1);
        let mean = figures.clone().sum::<f64>() / number;
        let squares: f64 = figures.clone().map(|value| (value - mean).powi(2)).sum();
        SeedMean {
            round,
            games: values.iter().map(|value| value.0 as f64).sum::<f64>() / number,
            figure,
            runs: values.len(),
            mean,
            standard_deviation: (squares / (number - 1.0).max(1.0)).sqrt(),
            range: [figures.clone().fold(f64::MAX, f64::min), figures.fold(f64::MIN, f64::max)],
        }
    };
    found.into_iter().map(mean).collect()
}

/// Writes `seeds.csv` and `seeds.svg` of these runs into a directory.
///
/// # Errors
///
/// [`Failure`] if they can't be written.
pub fn write_seeds(
    directory: &Path,
    name: &str,
    runs: &[Vec<Metrics>],
) -> Result<Vec<SeedMean>, Failure> {
    let means = seed_means(runs);
    let mut text = "round,games,figure,runs,mean,standard_deviation,least,most\n".to_owned();
    for it in &means {
        let [least, most] = it.range;
        text += &format!(
            "{},{},{},{},{},{},{least},{most}\n",
            it.round, it.games, it.figure, it.runs, it.mean, it.standard_deviation
        );
    }
    for (file, bytes) in [(TABLE, text), (CURVE, curve(name, &means))] {
        let path = directory.join(file);
        tavola_files::write(&path, bytes.as_bytes()).map_err(io_error("write", &path))?;
    }
    Ok(means)
}

/// Strength against each opponent over games: the mean of the runs in a band from the least to the
/// most.
fn curve(name: &str, means: &[SeedMean]) -> String {
    let mut figures: Vec<&str> = Vec::new();
    for it in means.iter().filter(|it| it.figure != "loss") {
        if !figures.contains(&it.figure.as_str()) {
            figures.push(&it.figure);
        }
    }
    let shown = || means.iter().filter(|it| it.figure != "loss");
    let games = shown().map(|it| it.games).fold(1.0, f64::max);
    let runs = shown().map(|it| it.runs).max().unwrap_or(0);
    let caption = format!("{name}: strength while learning, mean of {runs} seeds");
    let ends = shown().flat_map(|it| it.range);
    let mut chart = strength_chart(&caption, "band: least to most", games, ends);
    let mut names = Vec::new();
    for (figure, color) in figures.iter().zip(COLORS) {
        let line: Vec<&SeedMean> = shown().filter(|it| it.figure == **figure).collect();
        let least = line.iter().map(|it| (it.games, it.range[0]));
        let most = line.iter().rev().map(|it| (it.games, it.range[1]));
        chart.area(&format!("fill=\"{color}\" fill-opacity=\"0.2\""), least.chain(most));
        chart.line(&stroke(color, 2), line.iter().map(|it| (it.games, it.mean)));
        let last = line.last().map_or(String::new(), |it| {
            format!(", last {:+.3} ({:+.3} to {:+.3})", it.mean, it.range[0], it.range[1])
        });
        names.push((color, format!("{figure}{last}")));
    }
    chart.legend(false, &names);
    picture(&[chart])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::EvaluationMetrics;

    fn run(ppg: f64) -> Vec<Metrics> {
        let evaluation = |round: u32, ppg: f64| {
            Metrics::Evaluation(EvaluationMetrics {
                round,
                games: u64::from(round) * 100,
                opponent: "pip count".to_owned(),
                evaluation_games: 40,
                seed: 1,
                ppg,
                standard_error: 0.1,
                interval: [ppg - 0.2, ppg + 0.2],
                seconds: 1.0,
                variance_reduction: None,
            })
        };
        vec![evaluation(0, -1.0), evaluation(10, ppg)]
    }

    #[test]
    fn seeds_have_a_mean_and_a_band() {
        let folder = tempfile::tempdir().unwrap();
        let means = write_seeds(folder.path(), "small", &[run(0.1), run(0.3), run(0.5)]).unwrap();
        let [start, end] = &means[..] else { panic!("{means:?}") };
        assert_eq!((start.round, start.mean, start.standard_deviation), (0, -1.0, 0.0));
        assert_eq!((end.runs, end.range, &*end.figure), (3, [0.1, 0.5], "ppg_pip_count"));
        assert!((end.mean - 0.3).abs() < 1e-12 && (end.standard_deviation - 0.2).abs() < 1e-12);
        let text = std::fs::read_to_string(folder.path().join(TABLE)).unwrap();
        assert!(text.starts_with("round,games,figure,runs,mean,"), "{text}");
        assert!(text.contains("\n10,1000,ppg_pip_count,3,0.3"), "{text}");
        let picture = std::fs::read_to_string(folder.path().join(CURVE)).unwrap();
        assert!(picture.contains("<polygon") && picture.contains("mean of 3 seeds"), "{picture}");
    }
}
