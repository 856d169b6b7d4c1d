//! The metrics of a run as scalars for TensorBoard, in its file of events.
//!
//! A record is its length, a checksum of the length, an `Event` and its checksum; the numbers of the
//! fields are those of TensorFlow's `event.proto` and `summary.proto`, and the checksums are masked
//! as in its `record_writer.cc`. A scalar's step is the round.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tavola_net::protobuf::Message;

use crate::metrics::Metrics;

/// The file of events, open for the lines to come.
#[derive(Debug)]
pub(crate) struct Events {
    file: File,
    /// Unix time at which the run would have begun if it had never stopped.
    begin: f64,
    /// Seconds of the run so far.
    seconds: f64,
}

impl Events {
    /// Writes the lines so far. What an earlier session wrote beyond them is gone.
    pub(crate) fn begin(path: &Path, lines: &[Metrics], seconds: f64) -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let mut events = Self { file: File::create(path)?, begin: now - seconds, seconds: 0.0 };
        events.record(Message::default().text(3, "brain.Event:2"))?;
        lines.iter().try_for_each(|line| events.append(line))?;
        Ok(events)
    }

    /// Adds the figures of a line.
    pub(crate) fn append(&mut self, line: &Metrics) -> io::Result<()> {
        if let Metrics::Round(round) = line {
            self.seconds = round.seconds;
        }
        let scalars = scalars(line)
            .into_iter()
            .map(|(tag, figure)| Message::default().text(1, &tag).float(2, figure as f32));
        let summary = scalars.fold(Message::default(), |all, scalar| all.message(1, &scalar));
        self.record(Message::default().number(2, line.round().into()).message(5, &summary))
    }

    fn record(&mut self, event: Message) -> io::Result<()> {
        let time = Message::default().double(1, self.begin + self.seconds);
        let event = [time.into_bytes(), event.into_bytes()].concat();
        let length = (event.len() as u64).to_le_bytes();
        let record = [&length, &masked(&length)[..], &event, &masked(&event)].concat();
        self.file.write_all(&record)
    }
}

/// A checksum as records have it.
fn masked(bytes: &[u8]) -> [u8; 4] {
    let checksum = crc32c::crc32c(bytes);
    checksum.rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

/// The figures of a line by their names: those of the table, in groups.
fn scalars(line: &Metrics) -> Vec<(String, f64)> {
    let group = match line {
        Metrics::Round(_) => "round",
        Metrics::Evaluation(_) => "evaluation",
        Metrics::States(_) => "states",
    };
    let figures = line.figures().into_iter().filter(|(name, _)| name != "round");
    figures.map(|(name, figure)| (format!("{group}/{name}"), figure)).collect()
}
