//! What a run keeps of itself, whatever it plays: progress, metrics, time and checkpoints.

use std::path::PathBuf;
use std::time::Instant;

use tavola_files::Failure;
use tavola_net::Weights;

use crate::checkpoint::{Progress, Totals};
use crate::config::Config;
use crate::context::RunContext;
use crate::curve::learning_curve;
use crate::error;
use crate::events::RunEvent;
use crate::manifest::Manifest;
use crate::metrics::{EvaluationMetrics, Metrics, MetricsFile, Reopened, csv};
use crate::names::{BEST, CONFIG, CURVE, EVALUATED, EVENTS, FINAL, LATEST, METRICS, TABLE};
use crate::report::RunReport;
use crate::run_dir::io_error;
use crate::tensorboard::Events;

/// The state of a run between two rounds.
pub(crate) struct RunState<'a> {
    /// What the rounds work with.
    pub(crate) context: &'a RunContext<'a>,
    manifest: &'a Manifest,
    /// The learner and what it has come to.
    pub(crate) progress: Progress,
    metrics: MetricsFile,
    events: Events,
    /// All lines of the metrics, for the picture.
    pub(crate) history: Vec<Metrics>,
    began: Instant,
    /// Seconds of earlier sessions.
    seconds_before: f64,
    /// The round of the newest checkpoint, and when it was saved.
    saved: (u32, Instant),
}

impl<'a> RunState<'a> {
    /// Goes on from `progress`.
    pub(crate) fn new(
        context: &'a RunContext<'a>,
        manifest: &'a Manifest,
        progress: Progress,
    ) -> Result<Self, Failure> {
        let Totals { round, seconds, .. } = progress.totals;
        let [path, events] = [METRICS, EVENTS].map(|name| context.dir.file(name));
        let Reopened { file: metrics, kept: history, missing } =
            MetricsFile::reopen(&path, round).map_err(io_error("read", &path))?;
        if let Some(reason) = missing {
            context.observer.observe(&RunEvent::Incomplete { path, reason });
        }
        let events =
            Events::begin(&events, &history, seconds).map_err(io_error("write", &events))?;
        let now = Instant::now();
        Ok(Self {
            context,
            manifest,
            progress,
            metrics,
            events,
            history,
            began: now,
            seconds_before: seconds,
            saved: (round, now),
        })
    }

    /// Writes what the folder of a run has before its first round in this session, and says that it
    /// has started. `begins`: it is the first session. `memory`: bytes that it will need.
    pub(crate) fn start(
        &mut self,
        begins: bool,
        games_per_round: u32,
        memory: u64,
    ) -> Result<(), Failure> {
        let &RunContext { plan, dir, threads, observer, .. } = self.context;
        if begins {
            dir.write(CONFIG, &plan.config().to_toml())?;
            self.save()?;
        }
        dir.write_manifest(self.manifest)?;
        observer.observe(&RunEvent::Started {
            directory: dir.path().to_owned(),
            after_round: self.progress.totals.round,
            rounds: plan.config().rounds,
            games_per_round,
            threads: threads.get(),
            memory,
        });
        Ok(())
    }

    fn config(&self) -> &'a Config {
        self.context.plan.config()
    }

    /// Seconds that the run has taken, in all its sessions.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds_before + self.began.elapsed().as_secs_f64()
    }

    /// Adds a line to the metrics.
    pub(crate) fn report(&mut self, line: Metrics) -> Result<(), Failure> {
        let appended = self.metrics.append(&line).and_then(|()| self.events.append(&line));
        appended.map_err(io_error("write", &self.context.dir.file(METRICS)))?;
        self.history.push(line);
        Ok(())
    }

    /// Whether the last round was evaluated against this opponent.
    pub(crate) fn is_evaluated(&self, opponent: &str) -> bool {
        let round = self.progress.totals.round;
        let is_it = |line: &Metrics| matches!(line, Metrics::Evaluation(e) if e.round == round && e.opponent == opponent);
        self.history.iter().any(is_it)
    }

    /// Keeps weights that are evaluated, if the configuration says so.
    pub(crate) fn keep_weights(&self, weights: &Weights) -> Result<(), Failure> {
        if self.config().evaluation.keep_weights {
            let round = self.progress.totals.round;
            let path = self.context.dir.file_in(EVALUATED, round, "safetensors")?;
            weights.save(&path).map_err(error::weights)?;
        }
        Ok(())
    }

    /// Keeps the weights if they are the best so far by the yardstick of the configuration.
    pub(crate) fn keep_best(&self, weights: &Weights) -> Result<(), Failure> {
        let best = self.config().evaluation.best_of(&self.history).map(|best| best.round);
        match best == Some(self.progress.totals.round) {
            true => weights.save(&self.context.dir.file(BEST)).map_err(error::weights),
            false => Ok(()),
        }
    }

    /// Whether all rounds are done, or evaluations brought nothing better for longer than the patience.
    pub(crate) fn is_done(&self) -> bool {
        let settings = &self.config().evaluation;
        let since = settings.best_of(&self.history).map_or(0, |best| best.evaluations_since);
        self.progress.totals.round >= self.config().rounds
            || settings.patience.is_some_and(|patience| since >= patience)
    }

    /// Draws the learning curve.
    pub(crate) fn draw(&self) -> Result<(), Failure> {
        let dir = self.context.dir;
        dir.write(CURVE, &learning_curve(&dir.name(), &self.history))?;
        dir.write(TABLE, &csv(&self.history))
    }

    /// Saves a checkpoint, if the configuration says that it is time.
    pub(crate) fn save_if_due(&mut self) -> Result<(), Failure> {
        let settings = &self.config().checkpoint;
        let (round, at) = self.saved;
        let seconds = settings.every_seconds.unwrap_or(f64::INFINITY);
        let is_due = self.progress.totals.round - round >= settings.every_rounds
            || at.elapsed().as_secs_f64() >= seconds;
        if is_due { self.save() } else { Ok(()) }
    }

    /// Saves a checkpoint, if the newest one is of an earlier round.
    pub(crate) fn save_if_behind(&mut self) -> Result<(), Failure> {
        if self.saved.0 < self.progress.totals.round { self.save() } else { Ok(()) }
    }

    /// Saves a checkpoint, and removes what no checkpoint needs any more.
    fn save(&mut self) -> Result<(), Failure> {
        let (dir, config) = (self.context.dir, self.config());
        self.metrics.sync().map_err(io_error("write", &dir.file(METRICS)))?;
        self.progress.totals.seconds = self.seconds();
        let round = self.progress.totals.round;
        let folder = dir.begin_checkpoint(round)?;
        self.progress
            .save(&folder, config)
            .map_err(Failure::work_in("cannot save a checkpoint"))?;
        // Before the checkpoint is in place: a run that is killed in between makes both again.
        self.weights().save(&dir.file(LATEST)).map_err(error::weights)?;
        let oldest = dir.finish_checkpoint(round)?;
        // The round after the oldest checkpoint is the first one that may be learned again.
        dir.remove_records_before((oldest + 2).saturating_sub(config.replay.window))?;
        let path = dir.checkpoint(round);
        self.context.observer.observe(&RunEvent::CheckpointSaved { round, path });
        self.saved = (round, Instant::now());
        Ok(())
    }

    /// Saves the last checkpoint and the weights that the run was for; the file of these.
    pub(crate) fn finish(&mut self) -> Result<PathBuf, Failure> {
        self.save_if_behind()?;
        let weights = self.context.dir.file(FINAL);
        match self.progress.totals.round < self.config().rounds {
            true => Weights::load(&self.context.dir.file(BEST)).map_err(error::weights)?,
            false => self.weights(),
        }
        .save(&weights)
        .map_err(error::weights)?;
        Ok(weights)
    }

    /// What the run has come to, with the weights of the result if it is finished.
    pub(crate) fn ended(&self, weights: Option<PathBuf>) -> RunReport {
        let newest = || self.history.iter().rev();
        let last = |name: &String| -> Option<EvaluationMetrics> {
            newest().find_map(|line| match line {
                Metrics::Evaluation(found) if found.opponent == *name => Some(found.clone()),
                _ => None,
            })
        };
        let Totals { round, games, positions, .. } = self.progress.totals;
        let opponents = self.config().evaluation.opponents.iter().flatten();
        RunReport {
            directory: self.context.dir.path().to_owned(),
            finished: weights.is_some(),
            rounds_done: round,
            rounds: self.config().rounds,
            games,
            positions,
            seconds: self.seconds(),
            weights,
            evaluations: opponents.filter_map(last).collect(),
            states: newest().find_map(|line| match line {
                Metrics::States(states) => Some(states.clone()),
                _ => None,
            }),
        }
    }

    /// The weights after the last round, with how they came about: only what is the same however
    /// often the run was resumed, so that files can be compared. The manifest has the rest.
    pub(crate) fn weights(&self) -> Weights {
        let Self { manifest, progress, .. } = self;
        let config = self.config();
        let totals = &progress.totals;
        let mut training: Vec<(&str, String)> = vec![
            ("config_sha256", manifest.config_sha256.clone()),
            ("seed", config.seed.to_string()),
            ("rounds", format!("{} of {}", totals.round, config.rounds)),
            ("games", totals.games.to_string()),
            ("positions", totals.positions.to_string()),
        ];
        if let Some(start) = &config.start {
            let start = start.path.display().to_string();
            let checksum = manifest.inputs.get(&start).cloned().unwrap_or_default();
            training.push(("start", start));
            training.push(("start_sha256", checksum));
        }
        if let Some(session) = manifest.sessions.last() {
            training.push(("tool_version", session.tool.version.clone()));
            let commit = session.tool.commit.clone().unwrap_or_else(|| "unknown".to_owned());
            training.push(("tool_commit", commit));
        }
        let training = training.into_iter().map(|(key, text)| (key.to_owned(), text)).collect();
        progress.learner.weights(training)
    }
}
