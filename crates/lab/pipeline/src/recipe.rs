//! A recipe: one file whose phases, each a training run, lead from random weights to a network.
//!
//! The keys of the file are those of every phase; a `[[phase]]` says what is different in it. Its
//! tables are added key by key, but those with a `kind` are replaced. Where a phase names the network
//! of an earlier one, as in `start = "phase:NAME"`, that is `final.safetensors` in the directory
//! `NAME` of the recipe. So nothing comes from outside the file, and a recipe that was stopped goes
//! on in the phase where it was.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tavola_evaluator::remote::Remote;

use crate::config::{ConfigError, Override, Plan, of_text};
use crate::curve::strength_over_hours;
use crate::error::RunError;
use crate::events::{Observer, RunEvent};
use crate::metrics::read_metrics;
use crate::report::{RunEnding, RunReport};
use crate::run::{RunOptions, run_from};
use crate::run_dir::{Begin, io_error};

/// What precedes the name of an earlier phase in place of a path.
const REFERENCE: &str = "phase:";

/// The curve of strength in the recipe's directory.
const CURVE: &str = "strength.svg";

/// The phases of a file, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    directory: PathBuf,
    phases: Vec<RecipePhase>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipePhase {
    /// Its name, which is that of its run directory too.
    pub name: String,
    /// Minutes that it is expected to take on two cores; 0 if the file does not say.
    pub minutes: f64,
    /// Its training run.
    pub plan: Plan,
}

impl Recipe {
    /// Reads a file with phases; `None` if it has none, and so is a single run. `overrides` replace
    /// values of every phase. `directory` is where the phases go.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], for the first phase that can't be used.
    pub fn load(
        path: &Path,
        directory: &Path,
        overrides: &[Override],
    ) -> Result<Option<Self>, ConfigError> {
        let text = tavola_files::read_text(path, &tavola_files::limits::CONFIGURATION_BYTES)
            .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        let mut common: toml::Table = of_text(&text, path)?;
        let Some(phases) = common.remove("phase") else { return Ok(None) };
        let wrong = |key: &str, value: String, expected: &str| ConfigError::Value {
            file: path.to_owned(),
            key: key.to_owned(),
            value,
            expected: expected.to_owned(),
        };
        let toml::Value::Array(tables) = phases else {
            return Err(wrong("phase", phases.to_string(), "tables, each headed by [[phase]]"));
        };
        let mut recipe = Self { directory: directory.to_owned(), phases: Vec::new() };
        for table in tables {
            let toml::Value::Table(mut own) = table else {
                return Err(wrong("phase", table.to_string(), "a table headed by [[phase]]"));
            };
            let name = own.remove("name").unwrap_or_else(|| toml::Value::String(String::new()));
            let name = match name.as_str() {
                Some(name) if recipe.is_new_name(name) => name.to_owned(),
                _ => {
                    let expected = "a name of letters, digits and hyphens that no other phase has";
                    return Err(wrong("phase.name", name.to_string(), expected));
                }
            };
            let minutes = match own.remove("minutes") {
                None => 0.0,
                Some(toml::Value::Integer(minutes)) if minutes >= 0 => minutes as f64,
                Some(other) => {
                    let key = format!("{name}.minutes");
                    return Err(wrong(&key, other.to_string(), "a whole number from 0"));
                }
            };
            let mut table = common.clone();
            merge(&mut table, own);
            for (_, value) in table.iter_mut() {
                recipe.resolve(value).map_err(|unknown| {
                    let expected = "the name of an earlier phase behind \"phase:\"";
                    wrong(&format!("phase {name}"), format!("{unknown:?}"), expected)
                })?;
            }
            let plan = Plan::of_phase(table, overrides, path, directory)?;
            recipe.phases.push(RecipePhase { name, minutes, plan });
        }
        Ok(Some(recipe))
    }

    fn is_new_name(&self, name: &str) -> bool {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && self.phases.iter().all(|phase| phase.name != name)
    }

    /// Puts paths in place of the names of phases. The error is a name that there is not.
    fn resolve(&self, value: &mut toml::Value) -> Result<(), String> {
        match value {
            toml::Value::String(text) => {
                // Opponents in evaluations may stand behind `raw:`.
                let (before, name) = match text.split_once(REFERENCE) {
                    Some((before, name)) if before.is_empty() || before == "raw:" => (before, name),
                    _ => return Ok(()),
                };
                if self.phases.iter().all(|phase| phase.name != name) {
                    return Err(text.clone());
                }
                let path = self.directory.join(name).join("final.safetensors");
                *text = format!("{before}{}", path.display());
                Ok(())
            }
            toml::Value::Array(values) => values.iter_mut().try_for_each(|one| self.resolve(one)),
            toml::Value::Table(table) => {
                table.iter_mut().try_for_each(|(_, value)| self.resolve(value))
            }
            _ => Ok(()),
        }
    }

    /// The phases in order.
    pub fn phases(&self) -> &[RecipePhase] {
        &self.phases
    }

    /// Runs all phases, or goes on with those that are left. The report is that of the last phase,
    /// or of the one that was stopped. `options` are as for [`run_from`], with the directory of the
    /// recipe.
    ///
    /// # Errors
    ///
    /// [`RunError`], as for a single run.
    pub fn run(
        &self,
        options: &RunOptions,
        remote: Option<&dyn Remote>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<RunReport, RunError> {
        let (mut last, mut seconds, mut expected) = (None, 0.0, 0.0);
        let left = |number: usize| self.phases[number..].iter().map(|phase| phase.minutes);
        for (number, phase) in self.phases.iter().enumerate() {
            let directory = self.directory.join(&phase.name);
            let begin = match options.begin {
                Begin::Resume if directory.is_dir() => Begin::Resume,
                _ => Begin::New,
            };
            // As fast as the phases before, compared with what the file expects.
            let pace = if expected > 0.0 { seconds / expected } else { 60.0 };
            observer.observe(&RunEvent::PhaseBegan {
                name: phase.name.clone(),
                number: number + 1,
                of: self.phases.len(),
                seconds_left: pace * left(number).sum::<f64>(),
            });
            let options = RunOptions { directory, begin, ..options.clone() };
            let report = run_from(&phase.plan, &options, remote, observer, cancel)?;
            let is_finished = matches!(report.ending, RunEnding::Finished { .. });
            seconds += report.seconds;
            expected += phase.minutes;
            if is_finished {
                observer.observe(&RunEvent::PhaseFinished(Box::new(report.clone())));
            }
            last = Some(report);
            self.draw()?;
            if !is_finished {
                break;
            }
        }
        Ok(last.expect("a recipe has phases"))
    }

    /// Draws strength over the hours of all phases so far.
    fn draw(&self) -> Result<(), RunError> {
        let mut phases = Vec::new();
        for phase in &self.phases {
            let path = self.directory.join(&phase.name).join("metrics.jsonl");
            if path.is_file() {
                let metrics = read_metrics(&path).map_err(io_error("read", &path))?;
                phases.push((phase.name.as_str(), metrics));
            }
        }
        let picture = strength_over_hours(&phases)?;
        let path = self.directory.join(CURVE);
        tavola_files::write(&path, picture.as_bytes()).map_err(io_error("write", &path))?;
        Ok(())
    }
}

/// Adds the keys of `own` to those of `table`: tables key by key, but those with a `kind` as a whole.
fn merge(table: &mut toml::Table, own: toml::Table) {
    for (key, value) in own {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(there)), toml::Value::Table(new))
                if !there.contains_key("kind") && !new.contains_key("kind") =>
            {
                merge(there, new);
            }
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}
