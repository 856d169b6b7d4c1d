//! What a run reports of its rounds and evaluations, and the file of JSON lines that keeps it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_arena::Estimate;
use tavola_arena::grade::SiblingGrades;
use tavola_arena::grade::states::StateGrades;
use tavola_files::limits::LARGE_BYTES;
use tavola_files::{seal, unseal};

use crate::run_dir::if_there;

/// A line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Metrics {
    /// A round was played and learned.
    Round(RoundMetrics),
    /// The network played an opponent.
    Evaluation(EvaluationMetrics),
    /// The network evaluated rolled-out states.
    States(StatesMetrics),
}

impl Metrics {
    /// The round after which the line was written.
    pub const fn round(&self) -> u32 {
        match self {
            Self::Round(metrics) => metrics.round,
            Self::Evaluation(metrics) => metrics.round,
            Self::States(metrics) => metrics.round,
        }
    }

    /// The figures of the line by the names of their columns.
    pub(crate) fn figures(&self) -> Vec<(String, f64)> {
        match self {
            Self::Round(round) => {
                let figures = serde_json::to_value(round).unwrap_or_default();
                let figures = figures.as_object().cloned().unwrap_or_default();
                figures.into_iter().filter_map(|(key, it)| Some((key, it.as_f64()?))).collect()
            }
            Self::Evaluation(found) => {
                let [low, high] = found.interval;
                [("ppg", found.ppg), ("low", low), ("high", high)]
                    .map(|(name, figure)| (column_name(name, &found.opponent), figure))
                    .to_vec()
            }
            Self::States(found) => {
                let of = found.plies.iter().flat_map(|at| {
                    let (all, ply) = (&at.grades.all, format!("{}ply", at.ply));
                    [("rmse", all.rmse), ("bias", all.bias.mean)]
                        .map(|(name, figure)| (column_name(name, &ply), figure))
                });
                of.collect()
            }
        }
    }
}

/// The figures of one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundMetrics {
    /// The round, from 1.
    pub round: u32,
    /// Games learned from since the run began, this round's included; those of a dataset count as
    /// often as they are learned.
    pub games: u64,
    /// Positions after a play in these games.
    pub positions: u64,
    /// Mean cross-entropy of this round's samples in nats, each taken before its step, without the
    /// pairwise loss and the L2 penalty on the logits.
    pub loss: f64,
    /// Mean cross-entropy of new positions of this round before any of them was learned, by the
    /// weights before the round: of all, or of some thousand drawn evenly. None for a dataset, whose
    /// positions come again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out_loss: Option<f64>,
    /// The learning rate of this round.
    pub learning_rate: f64,
    /// The lambda of this round's targets.
    pub lambda: f64,
    /// Self-play games per second while this round's games were played; with a dataset, while they
    /// were learned.
    pub games_per_second: f64,
    /// Positions per second in the same time.
    pub positions_per_second: f64,
    /// Positions of this round's games with targets that do not come from the game: expected
    /// backups, and one of each pair of candidates.
    #[serde(default)]
    pub given_targets: u64,
    /// Such positions per second while this round's games were played.
    #[serde(default)]
    pub given_targets_per_second: f64,
    /// Pairwise targets of this round's games.
    #[serde(default)]
    pub pairs: u64,
    /// Root of the mean squared error of the differences in equity of these pairs, in points, each
    /// measured before its step; none without pairs. The other part of the loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair_rmse: Option<f64>,
    /// Seconds in which this round's games were played and labeled.
    pub selfplay_seconds: f64,
    /// Seconds in which the learner made targets from them and learned.
    pub learning_seconds: f64,
    /// Seconds that the run has taken so far, evaluations included, idle time between stop and
    /// resume excluded.
    pub seconds: f64,
}

/// The result of the network against one opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationMetrics {
    /// The round after which the network played; 0 is the network at the start.
    pub round: u32,
    /// Self-play games that the network had learned from.
    pub games: u64,
    /// Who it played: `random`, `pip-count` or a weights file.
    pub opponent: String,
    /// Games played against the opponent.
    pub evaluation_games: u64,
    /// Seed of their dice.
    pub seed: u64,
    /// Points per game won by the network, cubeless; negative: lost. With variance reduction
    /// if there is a [`variance_reduction`](Self::variance_reduction).
    pub ppg: f64,
    /// Standard error of [`ppg`](Self::ppg).
    pub standard_error: f64,
    /// Ends of the 95 % interval of [`ppg`](Self::ppg).
    pub interval: [f64; 2],
    /// Seconds that the games took.
    pub seconds: f64,
    /// The weights file of the network that evaluated luck, with variance reduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variance_reduction: Option<String>,
}

impl EvaluationMetrics {
    /// The points per game, with their uncertainty.
    pub const fn estimate(&self) -> Estimate {
        let [low, high] = self.interval;
        Estimate { mean: self.ppg, standard_error: self.standard_error, low, high }
    }
}

/// What a network's evaluations of the states are at a depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatesAtPly {
    /// Plies of lookahead.
    pub ply: u8,
    /// Errors of equity, in points, and of the five chances.
    #[serde(flatten)]
    pub grades: StateGrades,
    /// The spread of the errors within siblings, where there are decisions for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub siblings: Option<SiblingGrades>,
}

/// How well the network evaluated rolled-out states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatesMetrics {
    /// The round after which it did; 0 is the network at the start.
    pub round: u32,
    /// Self-play games that the network had learned from.
    pub games: u64,
    /// The file of states, as in the configuration.
    pub file: String,
    /// At each depth.
    pub plies: Vec<StatesAtPly>,
    /// Seconds that the evaluations took.
    pub seconds: f64,
}

/// The figures as a table with a line for each round, for spreadsheets: the columns of
/// [`RoundMetrics`], three for each opponent, which are empty where it was not played, and two for
/// each depth at which states were evaluated.
pub(crate) fn csv(lines: &[Metrics]) -> String {
    let mut columns: Vec<String> = ROUND_COLUMNS.split(' ').map(str::to_owned).collect();
    // Evaluations come before the first round, and after the round that they belong to.
    let mut rows: BTreeMap<u32, BTreeMap<String, f64>> = BTreeMap::new();
    let of_states = |line: &&Metrics| matches!(line, Metrics::States(_));
    let others = lines.iter().filter(|line| !of_states(line));
    for line in others.chain(lines.iter().filter(of_states)) {
        let row = rows.entry(line.round()).or_default();
        row.insert("round".to_owned(), line.round().into());
        for (column, figure) in line.figures() {
            if !columns.contains(&column) {
                columns.push(column.clone());
            }
            row.insert(column, figure);
        }
    }
    let mut text = csv_line(&columns);
    for row in rows.values() {
        let cell = |column: &String| row.get(column).map_or_else(String::new, f64::to_string);
        text += &csv_line(&columns.iter().map(cell).collect::<Vec<_>>());
    }
    text
}

/// The columns of a round: keys of [`RoundMetrics`].
const ROUND_COLUMNS: &str = "round games positions loss held_out_loss learning_rate lambda games_per_second \
    positions_per_second given_targets given_targets_per_second pairs pair_rmse selfplay_seconds \
    learning_seconds seconds";

/// The name of a column: a figure, and whom or what it is of. No blanks, so that programs can name it.
pub(crate) fn column_name(figure: &str, of: &str) -> String {
    format!("{figure}_{}", of.split_whitespace().collect::<Vec<_>>().join("_"))
}

/// Cells with commas between, in quotes where they need them.
fn csv_line(cells: &[String]) -> String {
    let quoted = cells.iter().map(|cell| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

/// `metrics.jsonl`, open for appending.
#[derive(Debug)]
pub(crate) struct MetricsFile {
    file: File,
}

/// What there is of the metrics.
pub(crate) struct Reopened {
    /// The file, for the lines to come.
    pub(crate) file: MetricsFile,
    /// The lines that remain.
    pub(crate) kept: Vec<Metrics>,
    /// What was lost of them, in words.
    pub(crate) missing: Option<String>,
}

impl MetricsFile {
    /// The file as it was after `round`: later lines, damaged ones, and a last line that was never
    /// finished, are taken out. Nothing but the learning curve depends on them.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub(crate) fn reopen(path: &Path, round: u32) -> io::Result<Reopened> {
        // A run that was killed before its first line has none.
        let text = if_there(tavola_files::read(path, &LARGE_BYTES))?.unwrap_or_default();
        let (mut kept, mut lines, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
        for (line, read) in finished_lines(&text) {
            match read {
                Ok(metrics) if metrics.round() > round => break,
                Ok(metrics) => {
                    kept.push(metrics);
                    lines.extend_from_slice(line);
                }
                Err(error) => damaged.push(error.to_string()),
            }
        }
        if !damaged.is_empty() {
            tavola_files::write(path, &lines)?;
        }
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        file.set_len(lines.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
        let missing = missing(&kept, round, damaged);
        Ok(Reopened { file: Self { file }, kept, missing })
    }

    /// Adds a line.
    pub(crate) fn append(&mut self, metrics: &Metrics) -> io::Result<()> {
        let line = seal(&serde_json::to_string(metrics)?) + "\n";
        self.file.write_all(line.as_bytes())
    }

    /// Makes all lines survive a crash.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Reads the metrics that a run has written so far; a last line that isn't finished is left out.
///
/// # Errors
///
/// Those of the file system, and [`io::ErrorKind::InvalidData`] with the line's number for a
/// damaged line.
pub fn read_metrics(path: &Path) -> io::Result<Vec<Metrics>> {
    let text = tavola_files::read(path, &LARGE_BYTES)?;
    finished_lines(&text).map(|(_, read)| read).collect()
}

/// The lines that end as they should, each with what it says, [sealed](tavola_files::seal) or of a
/// version that did not seal.
fn finished_lines(text: &[u8]) -> impl Iterator<Item = (&[u8], io::Result<Metrics>)> {
    let lines = text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
    lines.enumerate().map(|(index, line)| {
        let read = || -> io::Result<Metrics> { Ok(serde_json::from_slice(&unseal(line)?)?) };
        let damaged = |error: io::Error| format!("line {} is damaged: {error}", index + 1);
        (line, read().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, damaged(error))))
    })
}

/// What of the rounds up to `round` is not told any more.
fn missing(kept: &[Metrics], round: u32, mut damaged: Vec<String>) -> Option<String> {
    let told = |round| {
        let is_told = |line: &Metrics| matches!(line, Metrics::Round(line) if line.round == round);
        kept.iter().any(is_told)
    };
    let untold = (1..=round).filter(|&round| !told(round)).count();
    if untold > 0 {
        damaged.push(format!("the figures of {untold} of {round} rounds are missing"));
    }
    (!damaged.is_empty()).then(|| damaged.join("; "))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn round(round: u32) -> Metrics {
        Metrics::Round(RoundMetrics {
            round,
            games: u64::from(round) * 10,
            positions: u64::from(round) * 500,
            loss: 1.0 / 3.0,
            held_out_loss: Some(0.25),
            learning_rate: 1e-3,
            lambda: 0.7,
            games_per_second: 100.0,
            positions_per_second: 5000.0,
            given_targets: 40,
            given_targets_per_second: 400.0,
            pairs: 300,
            pair_rmse: Some(0.02),
            selfplay_seconds: 0.1,
            learning_seconds: 0.2,
            seconds: 0.3,
        })
    }

    #[test]
    fn reopening_cuts_off_later_rounds_and_a_half_written_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut file = MetricsFile::reopen(&path, 0).unwrap().file;
        for number in 1..=4 {
            file.append(&round(number)).unwrap();
        }
        let mut text = fs::read(&path).unwrap();
        text.extend(br#"{"type":"round","rou"#);
        fs::write(&path, &text).unwrap();
        assert_eq!(read_metrics(&path).unwrap().len(), 4);

        let Reopened { mut file, kept, missing } = MetricsFile::reopen(&path, 2).unwrap();
        assert_eq!((kept, missing), (vec![round(1), round(2)], None));
        file.append(&round(3)).unwrap();
        file.sync().unwrap();
        assert_eq!(read_metrics(&path).unwrap(), [round(1), round(2), round(3)]);
    }

    #[test]
    fn the_table_has_a_line_a_round_and_columns_for_each_opponent() {
        let evaluation = |round, opponent: &str, ppg| {
            Metrics::Evaluation(EvaluationMetrics {
                round,
                games: 0,
                opponent: opponent.to_owned(),
                evaluation_games: 4,
                seed: 1,
                ppg,
                standard_error: 0.5,
                interval: [ppg - 1.0, ppg + 1.0],
                seconds: 1.0,
                variance_reduction: None,
            })
        };
        let engine = "exec:sh -c 'a, \"b\"'";
        let lines = [
            evaluation(0, "random", -1.5),
            round(1),
            round(2),
            evaluation(2, "random", 0.25),
            evaluation(2, engine, -0.5),
        ];
        let text = csv(&lines);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("round,games,positions,loss,held_out_loss,learning_rate,lambda,")
        );
        assert!(lines[0].ends_with(
            ",seconds,ppg_random,low_random,high_random,\"ppg_exec:sh_-c_'a,_\"\"b\"\"'\",\
             \"low_exec:sh_-c_'a,_\"\"b\"\"'\",\"high_exec:sh_-c_'a,_\"\"b\"\"'\""
        ));
        assert_eq!(lines[1], "0,,,,,,,,,,,,,,,,-1.5,-2.5,-0.5,,,");
        assert_eq!(
            lines[2],
            "1,10,500,0.3333333333333333,0.25,0.001,0.7,100,5000,40,400,300,0.02,0.1,0.2,0.3,,,,,,"
        );
        assert!(
            lines[3].starts_with("2,20,1000,")
                && lines[3].ends_with(",0.25,-0.75,1.25,-0.5,-1.5,0.5")
        );
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn damaged_and_missing_lines_are_told_and_never_end_a_resume() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut file = MetricsFile::reopen(&path, 0).unwrap().file;
        for number in 1..=3 {
            file.append(&round(number)).unwrap();
        }
        let whole = fs::read_to_string(&path).unwrap();
        // A figure that changes and a line that is no JSON any more.
        for damage in [("\"games\":20", "\"games\":21"), ("\"round\":2", "round\":2")] {
            fs::write(&path, whole.replacen(damage.0, damage.1, 1)).unwrap();
            assert!(read_metrics(&path).unwrap_err().to_string().contains("line 2"));
            let Reopened { kept, missing, .. } = MetricsFile::reopen(&path, 3).unwrap();
            assert_eq!(kept, [round(1), round(3)]);
            let missing = missing.unwrap();
            assert!(missing.starts_with("line 2 is damaged"), "{missing}");
            assert!(missing.ends_with("the figures of 1 of 3 rounds are missing"), "{missing}");
            assert_eq!(read_metrics(&path).unwrap(), kept);
        }
        fs::write(&path, b"").unwrap();
        let missing = MetricsFile::reopen(&path, 3).unwrap().missing.unwrap();
        assert_eq!(missing, "the figures of 3 of 3 rounds are missing");
    }

    #[test]
    fn lines_without_a_checksum_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        fs::write(&path, serde_json::to_string(&round(1)).unwrap() + "\n").unwrap();
        assert_eq!(read_metrics(&path).unwrap(), [round(1)]);
    }
}
