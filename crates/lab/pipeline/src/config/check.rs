//! Whether the values of a configuration are in their ranges.

use std::cell::RefCell;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

use tavola_arena::RAW;
use tavola_files::Failure;
use tavola_train::{LearnerError, Schedule};

use super::Config;
use crate::names::FINAL;

/// The smallest learning rate: a smaller one moves no f32 weight.
const LEAST_RATE: f64 = 1e-12;

/// Checks values of one file.
pub(super) struct Check<'a> {
    pub(super) file: &'a Path,
    /// Where earlier phases of a recipe will have put their networks.
    pub(super) made_before: Option<&'a Path>,
    /// The name of the phase of a recipe whose values they are.
    pub(super) phase: Option<&'a str>,
    /// The key of the error that was made last, with the names of its tables.
    pub(super) key: RefCell<String>,
}

impl<'a> Check<'a> {
    /// Checks values of a file of a single run.
    pub(super) fn of(file: &'a Path) -> Self {
        Self { file, made_before: None, phase: None, key: RefCell::default() }
    }

    /// Whether a player's name is a network that an earlier phase of the recipe makes.
    pub(super) fn is_made_before(&self, player: &str) -> bool {
        let file = player.strip_prefix(RAW).unwrap_or(player);
        let file = Path::new(file.split(['#', '@']).next().unwrap_or(file));
        let (name, folder) = (file.file_name(), file.parent().and_then(Path::parent));
        name == Some(FINAL.as_ref()) && folder.is_some() && folder == self.made_before
    }

    pub(super) fn error(
        &self,
        key: impl Into<String>,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Failure {
        let phase = self.phase.map_or_else(String::new, |name| format!(" in phase {name}"));
        let key = key.into();
        *self.key.borrow_mut() = key.split(' ').next().unwrap_or_default().to_owned();
        let key = format!("{key}{phase}");
        super::error::value(self.file, &key, &value.to_string(), &expected.into())
    }

    pub(super) fn range<T: PartialOrd + fmt::Display>(
        &self,
        key: &str,
        value: T,
        range: RangeInclusive<T>,
    ) -> Result<(), Failure> {
        if range.contains(&value) {
            Ok(())
        } else {
            Err(self.error(key, value, format!("{} to {}", range.start(), range.end())))
        }
    }

    pub(super) fn learning(&self, config: &Config) -> Result<(), Failure> {
        self.range("learner.batch_size", config.learner.batch_size, 1..=1_000_000)?;
        self.range("learner.epochs", config.learner.epochs, 1..=1000)?;
        config.learner.check().map_err(|error| match error {
            LearnerError::Setting { name, found, expected } => {
                self.error(format!("learner.{name}"), found, format!("a number {expected}"))
            }
            LearnerError::GpuNotBuilt => {
                let expected = format!("\"cpu\": {error}");
                self.error("learner.device", "\"gpu\"", expected)
            }
            error => self.error("learner", error, "settings that fit together"),
        })?;
        self.schedule("learning_rate", &config.learning_rate, LEAST_RATE..=1.0)
    }

    pub(super) fn schedule(
        &self,
        key: &str,
        schedule: &Schedule,
        range: RangeInclusive<f64>,
    ) -> Result<(), Failure> {
        schedule.check(range).map_err(|error| {
            self.error(
                format!("{key} ({} schedule) {}", error.kind, error.field),
                error.found,
                format!("a number {}", error.expected),
            )
        })
    }
}
