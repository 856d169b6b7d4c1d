//! Bars for long work, on stderr and only on a terminal.

use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use tavola_arena::{PairResult, Progress, Scores, Sprt, SprtResult, win_probability};
use tavola_bearoff::{GenerationProgress, TableSpec};
use tavola_files::locked;
use tavola_pipeline::{Observer, RoundMetrics, RunEvent};
use tavola_play::DuelUnit;

use crate::report::train_log::TrainLog;
use crate::report::{format, warning};

/// How often bars move although nothing was reported, so that the time goes on.
const TICK: Duration = Duration::from_millis(250);

/// The progress of a training run: a bar for its rounds, one for the games being played, and a
/// line for each evaluation, which also goes to a file that stands in for the terminal.
pub struct TrainProgress {
    all: MultiProgress,
    rounds: ProgressBar,
    games: ProgressBar,
    /// How fast it goes, and the lines where there are no bars.
    log: Mutex<TrainLog>,
    /// Rounds are reported by one thread and games by others, each for a phase of its own.
    phase: Mutex<String>,
}

impl TrainProgress {
    /// Bars that appear with the first event.
    pub fn new() -> Self {
        let all = MultiProgress::with_draw_target(warning::draw_target());
        let rounds = all.add(
            warning::bar(None)
                .with_style(style("round {pos}/{len} {bar:8} {elapsed}, {wide_msg}"))
                .with_message("ETA ?"),
        );
        let games = all.add(
            warning::bar(None).with_style(style("{prefix} {bar:8} {human_pos}/{human_len} games")),
        );
        let log = Mutex::new(TrainLog::new(Instant::now()));
        Self { all, rounds, games, log, phase: Mutex::default() }
    }

    /// A line above the bars, or alone where there are none.
    fn note(&self, text: &str) {
        // Without a terminal, and when it fails, the line goes the plain way.
        if self.all.is_hidden() || self.all.println(text).is_err() {
            warning::note(text);
        }
    }

    /// A line about a round, unless it is the last one: the report has that.
    fn note_round(&self, round: u32, text: &str) {
        if self.rounds.length() != Some(round.into()) {
            self.note(&format!("round {round:>4}: {text}"));
        }
    }

    fn games_played(&self, phase: String, done: u64, of: u64) {
        let mut last = locked(&self.phase);
        if *last != phase {
            self.games.set_length(of);
            self.games.reset();
            self.games.set_prefix(phase.clone());
            *last = phase;
        }
        // Threads report in any order.
        if done > self.games.position() {
            self.games.set_position(done);
        }
    }

    fn rounds_done(&self, done: u32) {
        self.rounds.set_position(done.into());
        self.rounds
            .set_prefix(format!("round {done}/{}", self.rounds.length().unwrap_or_default()));
    }

    fn round_finished(&self, round: &RoundMetrics) {
        self.rounds_done(round.round);
        let left = locked(&self.log).pace.in_words();
        let left = if left.is_empty() { left } else { format!("{left}; ") };
        self.rounds.set_message(format!(
            "{left}loss {:.4}, {:.0} games/s",
            round.loss, round.games_per_second
        ));
    }
}

impl Observer for TrainProgress {
    fn observe(&self, event: &RunEvent) {
        let line = locked(&self.log).line(event, Instant::now());
        if let Some(line) = line.filter(|_| self.all.is_hidden()) {
            self.note(&line);
        }
        match event {
            RunEvent::PhaseBegan { name, number, of, seconds_left, by_the_file } => {
                let left = Duration::try_from_secs_f64(*seconds_left).unwrap_or_default();
                let is_said = (by_the_file[0] + by_the_file[1] - seconds_left).abs() < 0.5;
                let source = if is_said { " by its file" } else { "" };
                let left = (!left.is_zero())
                    .then(|| format!(", about {} left{source}", format::duration(left)));
                let left = left.unwrap_or_default();
                self.note(&format!("phase {number} of {of}: {name}{left}"));
            }
            RunEvent::PhaseFinished(report) => {
                let evaluations = report.evaluations.iter().map(format::evaluation);
                for line in evaluations.chain(report.states.as_ref().map(format::states)) {
                    self.note(&format!("at its end: {line}"));
                }
            }
            RunEvent::Started {
                directory,
                after_round,
                rounds,
                games_per_round,
                threads,
                memory,
            } => {
                let begin = match after_round {
                    0 => "training".to_owned(),
                    round => format!("resuming after round {round}"),
                };
                self.note(&format!(
                    "{begin} in {}: {} of {}, {}, about {} MB of memory",
                    directory.display(),
                    format::plural(*rounds as usize, "round"),
                    format::plural(*games_per_round as usize, "game"),
                    format::plural(*threads, "thread"),
                    format::count(memory >> 20),
                ));
                self.rounds.set_length((*rounds).into());
                self.rounds_done(*after_round);
                self.rounds.enable_steady_tick(TICK);
            }
            RunEvent::CheckpointRefused { path, reason } => {
                self.note(&format!(
                    "warning: cannot use the checkpoint {}: {reason}; trying an older one",
                    path.display()
                ));
            }
            RunEvent::Incomplete { path, reason } => {
                self.note(&format!("warning: {}: {reason}; going on", path.display()));
            }
            RunEvent::Warning(message) => self.note(&format!("warning: {message}")),
            RunEvent::Doing(message) => self.note(message),
            RunEvent::GamesPlayed { round, done, of } => {
                self.games_played(format!("self-play {round}"), *done, *of);
            }
            RunEvent::RoundFinished(round) => self.round_finished(round),
            RunEvent::EvaluationGamesPlayed { opponent, done, of, .. } => {
                self.games_played(format!("against {opponent}"), *done, *of);
            }
            RunEvent::EvaluationFinished(evaluation) => {
                self.note_round(evaluation.round, &format::evaluation(evaluation));
            }
            RunEvent::StatesEvaluated(states) => {
                self.note_round(states.round, &format::states(states));
            }
            // A saved checkpoint is no news, and later kinds of event are no reason to fail.
            _ => {}
        }
    }
}

/// The score of a duel so far, beside its games.
pub struct DuelProgress {
    scores: Mutex<Scores>,
    sprt: Option<Sprt>,
    unit: DuelUnit,
}

impl DuelProgress {
    /// Of a duel of games or matches, and of a test if there is one.
    pub fn new(unit: DuelUnit, sprt: Option<Sprt>) -> Self {
        Self { scores: Mutex::new(Scores::default()), sprt, unit }
    }

    /// A pair of them was played.
    pub fn pair_played(&self, pair: &PairResult, stages: &Stages) {
        let mut scores = locked(&self.scores);
        scores.add(pair);
        // Often enough to watch, rarely enough to cost nothing.
        let shown = scores.pairs().is_multiple_of(64).then_some(&*scores);
        let ppg = shown.and_then(|it| it.luck_adjusted().or_else(|| it.points_per_game()));
        let result = ppg.map(|ppg| {
            let mut result = match self.unit {
                DuelUnit::Games => format::strength(ppg),
                DuelUnit::Matches => format::win_probability(win_probability(ppg)),
            };
            result += " (95 %)";
            if let Some(said) = self.sprt.and_then(|test| SprtResult::of(test, &scores)) {
                result += "  ";
                result += &format::log_likelihood_ratio(&said.test, said.log_likelihood_ratio);
            }
            result
        });
        stages.more_done(2, result);
    }
}

/// The progress of a job that consists of a number of like things. The bar is gone when this is
/// dropped.
pub struct CountProgress(ProgressBar);

impl CountProgress {
    /// A bar for this number of things of this name, in the plural.
    pub fn new(number: u64, things: &'static str) -> Self {
        let bar = warning::bar(Some(number)).with_prefix(things).with_style(style(
            "{bar:8} {human_pos}/{human_len} {prefix}  {rate}  ETA {left}  {wide_msg}",
        ));
        bar.enable_steady_tick(TICK);
        Self(bar)
    }

    /// `done` of `of` items are finished.
    pub fn done_of(&self, done: usize, of: usize) {
        self.0.set_length(of as u64);
        self.0.set_position(done as u64);
    }

    /// `done` items are finished, with this result.
    pub fn done_so_far(&self, done: u64, result: String) {
        self.0.set_position(done);
        self.0.set_message(result);
    }
}

/// A bar for each stage of a job, and before the first for bear-off databases.
#[derive(Default)]
pub struct Stages {
    stage: Mutex<Option<CountProgress>>,
    /// Those of bear-off databases.
    pub tables: TableProgress,
}

impl Stages {
    /// A number of things more of the stage are done, with this result if there is a new one.
    fn more_done(&self, more: u64, result: Option<String>) {
        if let Some(bar) = &*locked(&self.stage) {
            if let Some(result) = result {
                bar.0.set_message(result);
            }
            bar.0.inc(more);
        }
    }
}

impl Progress for Stages {
    fn begin(&self, number: u64, things: &'static str) {
        self.tables.finish();
        let mut bar = locked(&self.stage);
        // The old one goes before the new one comes.
        *bar = None;
        *bar = Some(CountProgress::new(number, things));
    }

    fn one_done(&self) {
        self.more_done(1, None);
    }
}

/// The progress of a ladder: a bar for its time, and the last match-up. Without a terminal a line a
/// minute.
pub struct LadderProgress {
    bar: ProgressBar,
    time: Duration,
    match_ups: u64,
    told: Duration,
}

impl LadderProgress {
    /// A bar for this long.
    pub fn new(time: Duration) -> Self {
        let bar = warning::bar(Some(time.as_secs().max(1)))
            .with_style(style("{bar:8} elapsed {elapsed}  {prefix}  {wide_msg}"));
        Self { bar, time, match_ups: 0, told: Duration::ZERO }
    }

    /// A match-up was played.
    pub fn played(&mut self, match_up: &str, elapsed: Duration) {
        const MINUTE: Duration = Duration::from_secs(60);
        if self.match_ups == 0 {
            self.bar.enable_steady_tick(TICK);
        }
        self.match_ups += 1;
        let number = format::plural(self.match_ups as usize, "match-up");
        if self.bar.is_hidden() && elapsed - self.told >= MINUTE {
            self.told = elapsed;
            let [gone, all] = [elapsed, self.time].map(format::duration);
            warning::note(&format!("{gone} of {all}, {number}; the last: {match_up}"));
        }
        self.bar.set_position(elapsed.as_secs().min(self.time.as_secs()));
        self.bar.set_prefix(number);
        self.bar.set_message(match_up.to_owned());
    }
}

/// The progress of generating bear-off databases: a bar for each, while it lasts.
#[derive(Default)]
pub struct TableProgress(Mutex<Option<(TableSpec, ProgressBar)>>);

impl TableProgress {
    /// So much of a table is done.
    pub fn generated(&self, progress: &GenerationProgress) {
        let mut bar = locked(&self.0);
        match &*bar {
            Some((spec, bar)) if *spec == progress.spec => bar.set_position(progress.done),
            _ => {
                let new = warning::bar(Some(progress.of))
                    .with_prefix(progress.spec.to_string())
                    .with_style(style(
                        "bear-off database, {prefix}: {bar:8} {human_pos}/{human_len}  ETA {left}",
                    ));
                new.set_position(progress.done);
                // Writing the file moves no number.
                new.enable_steady_tick(TICK);
                *bar = Some((progress.spec, new));
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        *locked(&self.0) = None;
    }
}

/// The style of a bar. In its template `{left}` is the time that is left and `{rate}` the speed.
pub fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the templates of this crate are well formed")
        .with_key("left", |state: &ProgressState, text: &mut dyn fmt::Write| {
            let left = state.eta();
            // Nothing is known before the first step.
            let _ = match left.is_zero() && state.len() != Some(state.pos()) {
                true => write!(text, "?"),
                false => write!(text, "{:#}", HumanDuration(left)),
            };
        })
        .with_key("rate", |state: &ProgressState, text: &mut dyn fmt::Write| {
            let _ = write!(text, "{:.1}/s", state.per_sec());
        })
        .progress_chars("━╸─")
}
