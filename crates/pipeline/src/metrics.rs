//! What a run reports of its rounds and evaluations, and the file of JSON lines that keeps it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_files::{seal, unseal};

/// A line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Metrics {
    /// A round was played and learned.
    Round(RoundMetrics),
    /// The network played an opponent.
    Evaluation(EvaluationMetrics),
}

impl Metrics {
    /// The round after which the line was written.
    pub const fn round(&self) -> u32 {
        match self {
            Self::Round(metrics) => metrics.round,
            Self::Evaluation(metrics) => metrics.round,
        }
    }
}

/// The figures of one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundMetrics {
    /// The round, from 1.
    pub round: u32,
    /// Self-play games learned from since the run began, this round's included.
    pub games: u64,
    /// Positions after a play in these games.
    pub positions: u64,
    /// Mean cross-entropy of this round's samples in nats, each taken before its step, without the
    /// pairwise loss and the L2 penalty on the logits.
    pub loss: f64,
    /// The learning rate of this round.
    pub learning_rate: f64,
    /// The lambda of this round's targets.
    pub lambda: f64,
    /// Self-play games per second while this round's games were played.
    pub games_per_second: f64,
    /// Positions per second while this round's games were played.
    pub positions_per_second: f64,
    /// Positions of this round's games with targets that do not come from the game: expected
    /// backups, and one of each pair of candidates.
    #[serde(default, alias = "exact_positions")]
    pub given_targets: u64,
    /// Such positions per second while this round's games were played.
    #[serde(default, alias = "exact_positions_per_second")]
    pub given_targets_per_second: f64,
    /// Pairwise targets of this round's games.
    #[serde(default, alias = "rivals")]
    pub pairs: u64,
    /// Seconds in which this round's games were played and labelled.
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
    #[serde(default, alias = "luck_judge", skip_serializing_if = "Option::is_none")]
    pub variance_reduction: Option<String>,
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
        let text = match fs::read(path) {
            Ok(bytes) => bytes,
            // Killed before the first line.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let (mut kept, mut lines, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
        for (index, line) in finished_lines(&text).enumerate() {
            match parse(line) {
                Ok(metrics) if metrics.round() > round => break,
                Ok(metrics) => {
                    kept.push(metrics);
                    lines.extend_from_slice(line);
                }
                Err(error) => damaged.push(format!("line {} is damaged: {error}", index + 1)),
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
    let text = fs::read(path)?;
    let lines = finished_lines(&text).enumerate().map(|(index, line)| {
        parse(line).map_err(|error| {
            let reason = format!("line {} is damaged: {error}", index + 1);
            io::Error::new(io::ErrorKind::InvalidData, reason)
        })
    });
    lines.collect()
}

/// The lines that end as they should.
fn finished_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"))
}

/// A line, [sealed](tavola_files::seal) or of a version that did not seal.
fn parse(line: &[u8]) -> io::Result<Metrics> {
    Ok(serde_json::from_slice(&unseal(line)?)?)
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
    use super::*;

    fn round(round: u32) -> Metrics {
        Metrics::Round(RoundMetrics {
            round,
            games: u64::from(round) * 10,
            positions: u64::from(round) * 500,
            loss: 1.0 / 3.0,
            learning_rate: 1e-3,
            lambda: 0.7,
            games_per_second: 100.0,
            positions_per_second: 5000.0,
            given_targets: 40,
            given_targets_per_second: 400.0,
            pairs: 300,
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
