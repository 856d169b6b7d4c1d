//! A recipe: one file whose phases, each a training run, lead from random weights to a network.
//!
//! The keys of the file are those of every phase; a `[[phase]]` says what is different in it. Its
//! tables are added key by key, but those with a `kind` are replaced. Where a phase names the network
//! of an earlier one, as in `start = "phase:NAME"`, that is `final.safetensors` in the directory
//! `NAME` of the recipe. So nothing comes from outside the file, and a recipe that was stopped goes
//! on in the phase where it was.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tavola_evaluator::remote::Remote;
use tavola_files::Failure;
use tavola_net::Arch;

use crate::config::{self, Config, Override, Plan, of_text};
use crate::curve::strength_over_hours;
use crate::error::{self, HoldsARun};
use crate::events::{Observer, RunEvent};
use crate::manifest::Manifest;
use crate::memory;
use crate::metrics::{Metrics, read_metrics};
use crate::names::{FINAL, LOCK, MANIFEST, METRICS};
use crate::report::RunReport;
use crate::run::{RunOptions, run};
use crate::run_dir::{Begin, create, io_error, lock, names_in, read_manifest};

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
    /// [`Failure`], for the first phase that can't be used.
    pub fn load(
        path: &Path,
        directory: &Path,
        overrides: &[Override],
    ) -> Result<Option<Self>, Failure> {
        let text = config::error::read(path)?;
        let mut common: toml::Table = of_text(&text, path)?;
        let Some(phases) = common.remove("phase") else { return Ok(None) };
        let wrong = |key: &str, value: String, expected: &str| {
            config::error::value(path, key, &value, expected)
        };
        let tables = match phases {
            toml::Value::Array(tables) if !tables.is_empty() => tables,
            other => {
                let expected = "one table or more, each headed by [[phase]]";
                return Err(wrong("phase", other.to_string(), expected));
            }
        };
        // A path of a network ends at these.
        if let Some(text) = directory.to_str().filter(|text| text.contains(['#', '@'])) {
            let expected = "a name without # and @ for the directory of a recipe";
            return Err(wrong("the directory", format!("{text:?}"), expected));
        }
        let mut recipe = Self { directory: respelled(directory), phases: Vec::new() };
        for table in tables {
            let toml::Value::Table(mut own) = table else {
                return Err(wrong("phase", table.to_string(), "a table headed by [[phase]]"));
            };
            let name = own.remove("name").unwrap_or_else(|| toml::Value::String(String::new()));
            let name = match name.as_str() {
                Some(name) if recipe.is_new_name(name) => name.to_owned(),
                _ => {
                    let expected =
                        "a name of 1 to 64 letters, digits and hyphens that no other phase has";
                    return Err(wrong("phase.name", name.to_string(), expected));
                }
            };
            let minutes = match own.remove("minutes") {
                None => 0.0,
                Some(toml::Value::Integer(minutes)) if minutes >= 0 => minutes as f64,
                Some(toml::Value::Float(minutes)) if minutes >= 0.0 && minutes.is_finite() => {
                    minutes
                }
                Some(other) => {
                    let key = format!("{name}.minutes");
                    return Err(wrong(&key, other.to_string(), "a number from 0"));
                }
            };
            let mut table = common.clone();
            merge(&mut table, own);
            let unknown = |key: &str, text: String| {
                let expected = "the name of an earlier phase behind \"phase:\"";
                wrong(&format!("{key} in phase {name}"), format!("{text:?}"), expected)
            };
            for (key, value) in table.iter_mut() {
                recipe.resolve(value).map_err(|text| unknown(key, text))?;
            }
            let mut overrides = overrides.to_vec();
            for Override { key, value } in &mut overrides {
                recipe.resolve(value).map_err(|text| unknown(key, text))?;
            }
            let plan = Plan::of_phase(table, &overrides, path, (&recipe.directory, &name))?;
            if let Some(first) = recipe.phases.first().map(|first| &first.plan.config().game)
                && *first != plan.config().game
            {
                let found = format!("{:?}", plan.config().game);
                return Err(wrong(&format!("game in phase {name}"), found, &format!("{first:?}")));
            }
            recipe.phases.push(RecipePhase { name, minutes, plan });
        }
        Ok(Some(recipe))
    }

    fn is_new_name(&self, name: &str) -> bool {
        (1..=64).contains(&name.len())
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
                // A checksum or a depth may follow.
                let (name, behind) = name.split_at(name.find(['#', '@']).unwrap_or(name.len()));
                if self.phases.iter().all(|phase| phase.name != name) {
                    return Err(text.clone());
                }
                let path = self.directory.join(name).join(FINAL);
                *text = format!("{before}{}{behind}", path.display());
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

    /// Runs all phases, or goes on with those that are left: finished ones stay as they are. The
    /// report is that of the last phase, or of the one that was stopped. `options` are as for
    /// [`run`](run()); the directory is that of [`load`](Self::load).
    ///
    /// # Errors
    ///
    /// [`Failure`], as for a single run. What can be checked of later phases is checked first.
    pub fn run(
        &self,
        options: &RunOptions,
        remote: Option<&dyn Remote>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<RunReport, Failure> {
        let (_lock, begun) = self.open(options.begin, observer)?;
        self.check(&begun)?;
        let drawing = |event: &RunEvent| {
            observer.observe(event);
            if let RunEvent::StatesEvaluated(_) = event {
                self.draw(observer);
            }
        };
        // As fast as the phases before in this session, compared with what the file expects: the
        // machine of an earlier session may have been another one, or crowded.
        let (mut last, mut seconds, mut expected) = (None, 0.0, 0.0);
        for (number, (phase, begun)) in self.phases.iter().zip(&begun).enumerate() {
            let is_last = number + 1 == self.phases.len();
            if begun.is_finished_as(&phase.plan) && !is_last {
                continue;
            }
            let rounds = f64::from(phase.plan.config().rounds);
            let rest = (1.0 - f64::from(begun.rounds) / rounds).max(0.0);
            let later: f64 = self.phases[number + 1..].iter().map(|phase| phase.minutes).sum();
            let pace = if expected > 0.0 { seconds / expected } else { 60.0 };
            observer.observe(&RunEvent::PhaseBegan {
                name: phase.name.clone(),
                number: number + 1,
                of: self.phases.len(),
                seconds_left: pace * (rest * phase.minutes + later),
                by_the_file: [60.0 * phase.minutes, 60.0 * later],
            });
            let begin = if begun.is_there { Begin::Resume } else { Begin::New };
            let directory = self.directory.join(&phase.name);
            let options = RunOptions { directory, begin, ..options.clone() };
            let report = run(&phase.plan, &options, remote, &drawing, cancel)?;
            if phase.minutes > 0.0 {
                seconds += report.seconds - begun.seconds;
                expected += rest * phase.minutes;
            }
            let is_finished = report.finished;
            if is_finished {
                observer.observe(&RunEvent::PhaseFinished(Box::new(report.clone())));
            }
            last = Some(report);
            self.draw(observer);
            if !is_finished {
                break;
            }
        }
        Ok(last.expect("the last phase always runs"))
    }

    /// Takes the directory, for as long as the file lives, and says what it holds of each phase.
    fn open(
        &self,
        begin: Begin,
        observer: &dyn Observer,
    ) -> Result<(fs::File, Vec<Begun>), Failure> {
        let folder = |phase: &RecipePhase| self.directory.join(&phase.name);
        let is_any_there = self.phases.iter().map(folder).any(|folder| folder.is_dir());
        match begin {
            Begin::Resume if !is_any_there => {
                return Err(error::no_run(&self.directory, "resume"));
            }
            Begin::New if is_any_there => {
                return Err(Failure::input(HoldsARun { path: self.directory.clone() }));
            }
            Begin::Resume | Begin::New => {}
        }
        create(&self.directory)?;
        let own: BTreeSet<&str> = self.phases.iter().map(|phase| phase.name.as_str()).collect();
        for name in names_in(&self.directory)? {
            let is_run = || self.directory.join(&name).join(MANIFEST).is_file();
            if begin == Begin::New && ![LOCK, CURVE].contains(&name.as_str()) {
                return Err(error::other_files(&self.directory, &name));
            } else if !own.contains(name.as_str()) && is_run() {
                let folder = self.directory.join(&name);
                let text = format!("{} is no phase of the recipe", folder.display());
                observer.observe(&RunEvent::Warning(text));
            }
        }
        let lock = lock(&self.directory)?;
        let begun = self.phases.iter().map(|phase| Begun::of(&folder(phase)));
        Ok((lock, begun.collect::<Result<_, _>>()?))
    }

    /// Refuses phases that don't follow from each other any more, and what is known to fail later.
    fn check(&self, begun: &[Begun]) -> Result<(), Failure> {
        let last = begun.iter().rposition(|begun| begun.manifest.is_some()).unwrap_or(0);
        for (phase, begun) in self.phases.iter().zip(begun).take(last) {
            let path = self.directory.join(&phase.name);
            let Some(manifest) = begun.manifest.as_ref().filter(|_| begun.is_finished()) else {
                let later = &self.phases[last].name;
                return Err(Failure::input(format!(
                    "{} is not finished, but phase {later} was begun after it: remove the \
                     directories of the phases behind it, or begin in another directory",
                    path.display()
                )));
            };
            if !begun.is_finished_as(&phase.plan) {
                let given = phase.plan.resuming(&manifest.config);
                let differences = manifest.config.differences(given.config());
                return Err(error::other_config(&path, &differences));
            }
        }
        for (phase, begun) in self.phases.iter().zip(begun) {
            if begun.is_finished() {
                continue;
            }
            let config = phase.plan.config();
            for (key, path) in files(config) {
                if !path.starts_with(&self.directory) && !path.is_file() {
                    let missing = io::Error::from(io::ErrorKind::NotFound);
                    return Err(error::input("the file", key, path)(missing));
                }
            }
            // At least so much, by a network of one unit.
            if config.dataset.is_none() {
                memory::check(memory::estimate(config, None, &Arch::new(1, (&[1]).into())))?;
            }
        }
        Ok(())
    }

    /// Draws strength over the hours of all phases so far. What is wrong with the picture or with the
    /// metrics of a phase ends no training.
    fn draw(&self, observer: &dyn Observer) {
        let mut phases: Vec<(&str, Vec<Metrics>)> = Vec::new();
        for phase in &self.phases {
            let path = self.directory.join(&phase.name).join(METRICS);
            match read_metrics(&path) {
                Ok(metrics) => phases.push((&phase.name, metrics)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let reason = format!("{error}; {CURVE} is drawn without it");
                    observer.observe(&RunEvent::Incomplete { path, reason });
                }
            }
        }
        let path = self.directory.join(CURVE);
        let Some(picture) = strength_over_hours(&phases) else { return };
        if let Err(error) = tavola_files::write(&path, picture.as_bytes()) {
            let text = tavola_files::chain(&io_error("write", &path)(error));
            observer.observe(&RunEvent::Warning(text));
        }
    }
}

/// The path of a directory as every run of a recipe spells it, since paths are part of what a run is:
/// from the working directory where it is below that.
fn respelled(directory: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let below = directory.strip_prefix(here).or_else(|_| directory.strip_prefix("."));
    let path: PathBuf = below.unwrap_or(directory).components().collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

/// What the directory of a phase holds.
struct Begun {
    is_there: bool,
    manifest: Option<Manifest>,
    has_result: bool,
    /// Rounds that are done, and the seconds that they took.
    rounds: u32,
    seconds: f64,
}

impl Begun {
    fn of(folder: &Path) -> Result<Self, Failure> {
        let metrics = read_metrics(&folder.join(METRICS)).unwrap_or_default();
        let newest = metrics.iter().rev().find_map(|line| match line {
            Metrics::Round(round) => Some((round.round, round.seconds)),
            Metrics::Evaluation(_) | Metrics::States(_) => None,
        });
        let (rounds, seconds) = newest.unwrap_or_default();
        Ok(Self {
            is_there: folder.is_dir(),
            manifest: read_manifest(folder)?,
            has_result: folder.join(FINAL).is_file(),
            rounds,
            seconds,
        })
    }

    fn is_finished(&self) -> bool {
        self.has_result && self.manifest.as_ref().is_some_and(|it| it.finished.is_some())
    }

    /// Whether it is finished, and this is its plan.
    fn is_finished_as(&self, plan: &Plan) -> bool {
        let is_same = |manifest: &Manifest| {
            let given = plan.resuming(&manifest.config);
            manifest.config.without_device() == given.config().without_device()
        };
        self.is_finished() && self.manifest.as_ref().is_some_and(is_same)
    }
}

/// The files that a configuration names and that no checkpoint has, with their keys.
fn files(config: &Config) -> Vec<(&'static str, &Path)> {
    let weights = [("start", &config.start), ("target_network", &config.target_network)];
    let weights = weights.into_iter().filter_map(|(key, file)| Some((key, &*file.as_ref()?.path)));
    let pruning = config.targets.pruning().map(|it| ("pruning.network", &*it.network.path));
    let table = config.targets.table().map(|path| ("targets.table", path));
    weights.chain(pruning).chain(table).collect()
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
