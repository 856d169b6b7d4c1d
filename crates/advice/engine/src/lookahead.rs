//! How far a question looks ahead.

use std::time::Duration;

use tavola_evaluator::search::MAX_PLY;
use tavola_evaluator::{Preset, SearchSettings};

use crate::error::{EngineError, ErrorKind};
use crate::fields::{Fields, wrong};

/// The longest time that a request may set.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How far to look ahead, and how long at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookahead {
    /// Depth and width.
    pub settings: SearchSettings,
    /// When to stop. With a limit the answer depends on the machine.
    pub limit: Option<Duration>,
}

impl Default for Lookahead {
    /// The normal preset at 2-ply, without a limit.
    fn default() -> Self {
        Self::new(None, Preset::default(), None, Self::DEFAULT_PLY)
    }
}

impl Lookahead {
    /// The depth of questions that name none: an answer takes some hundredths of a second.
    pub const DEFAULT_PLY: u8 = 2;

    /// Depth, width and limit; without a depth it is `default`, or as deep as the time allows.
    pub fn new(ply: Option<u8>, preset: Preset, limit: Option<Duration>, default: u8) -> Self {
        let ply = ply.unwrap_or(if limit.is_some() { MAX_PLY } else { default });
        Self { settings: preset.at(ply), limit }
    }

    /// Reads `ply`, `preset` and `time`.
    pub(crate) fn read(fields: &mut Fields, default: u8) -> Result<Self, EngineError> {
        let ply = fields.number("ply", 0, MAX_PLY.into())?.map(|ply| ply as u8);
        let preset = match fields.name("preset", || Preset::ALL.map(Preset::name).to_vec())? {
            None => Preset::default(),
            Some(name) => {
                name.parse().map_err(|error| EngineError::new(ErrorKind::Preset, error))?
            }
        };
        Ok(Self::new(ply, preset, read_time(fields)?, default))
    }

    /// The same with a share of the time.
    pub(crate) fn share(self, parts: u32) -> Self {
        Self { limit: self.limit.map(|limit| limit / parts), ..self }
    }
}

/// Reads `time`.
pub(crate) fn read_time(fields: &mut Fields) -> Result<Option<Duration>, EngineError> {
    let text = fields.text("time")?;
    text.map(|text| time_limit(&text).map_err(|expected| wrong("time", &text.into(), &expected)))
        .transpose()
}

/// A time such as 200ms, more than nothing and at most a day.
///
/// # Errors
///
/// What was expected, in words.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    match text.parse::<humantime::Duration>() {
        Ok(time) if !time.is_zero() && *time <= LONGEST => Ok(*time),
        _ => Err("a time up to a day, such as 200ms or 5s".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_unusable_ones_refused() {
        assert_eq!(time_limit("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(time_limit("1s 500ms"), Ok(Duration::from_millis(1500)));
        for text in ["", "0s", "200", "soon", "-1s", "2days", "99999999999999999999s"] {
            assert!(time_limit(text).unwrap_err().contains("200ms"), "{text:?}");
        }
    }

    #[test]
    fn time_is_a_reason_to_look_deeper() {
        let second = Some(Duration::from_secs(1));
        let ply = |ply, limit| Lookahead::new(ply, Preset::Normal, limit, 0).settings.ply;
        assert_eq!(ply(None, None), 0);
        assert_eq!(ply(None, second), MAX_PLY);
        assert_eq!(ply(Some(1), second), 1);
    }
}
