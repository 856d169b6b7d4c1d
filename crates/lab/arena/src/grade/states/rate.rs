//! Rolling drawn states out, with breaks.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tavola_evaluator::rollout::{Ended, Rollout, RolloutSettings, RolloutWatch};
use tavola_evaluator::{Evaluator, PlayableGame};
use tavola_files::{Journal, journal};
use tavola_rules::Game;

use super::{DrawnStates, FORMAT, RatedState, StateHeader, StateLine, VERSION};
use crate::grade::GradingError;
use crate::grade::grader::round;
use crate::grade::grading::unfinished_path;
use crate::grade::header::Purpose;

/// How states are rolled out.
pub struct StateRater<'a, G: Game> {
    /// Plays the trials and evaluates luck.
    pub evaluator: &'a dyn Evaluator<G>,
    /// Makes luck cheaper to evaluate.
    pub pruning: Option<&'a dyn Evaluator<G>>,
    /// The trials; the dice of each state follow from the seed and the state.
    pub settings: RolloutSettings,
    /// Threads.
    pub threads: NonZeroUsize,
}

impl StateHeader {
    /// The header of a file of these states, of which `network` played the games and plays the
    /// trials.
    pub fn new<G: PlayableGame>(
        game: &G,
        drawn: &DrawnStates<G>,
        (seed, games): (u64, u64),
        purpose: Purpose,
        command: String,
        (network, identity, settings): (String, String, String),
    ) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            game: game.id(),
            purpose,
            command,
            network,
            identity,
            settings,
            seed,
            games,
            bands: drawn.bands.clone(),
            states: drawn.states.len() as u64,
        }
    }
}

impl<G: PlayableGame> StateRater<'_, G> {
    /// What a state is worth; `None` if `cancel` was set before.
    fn rate(
        &self,
        game: &G,
        state: G::State,
        cancel: &AtomicBool,
    ) -> Result<Option<RatedState<G::State>>, GradingError> {
        let crc = tavola_files::crc32(game.write_state(&state).as_bytes());
        let seed = self.settings.seed.rotate_left(32) ^ u64::from(crc);
        let settings = RolloutSettings { seed, ..self.settings };
        let (evaluator, pruning, own) = (self.evaluator, self.pruning, game.clone());
        let mut rollout = Rollout::of_state(own, evaluator, pruning, "", settings, state)?
            .on_threads(self.threads);
        if rollout.run(&mut RolloutWatch { cancel, progress: &mut |_| {} }) == Ended::Canceled {
            return Ok(None);
        }
        let figures = rollout.figures(0);
        let (equity, probs) = (figures.equity(), figures.cumulative());
        Ok(Some(RatedState {
            state,
            phase: game.phase(&state),
            probs: probs.map(|chance| round(chance.mean)),
            probs_se: probs.map(|chance| round(chance.standard_error)),
            equity: round(equity.mean),
            equity_se: round(equity.standard_error),
        }))
    }
}

/// Rolls out all states, in their order, and writes the file.
///
/// Each goes to [a file beside it](unfinished_path) as soon as it is done. If the work is called off
/// or killed, the same call goes on behind the last state in that file. `observer` is told of states
/// that are done: how many at a time.
///
/// # Errors
///
/// [`GradingError`].
pub fn rate_states<G: PlayableGame>(
    game: &G,
    header: &StateHeader,
    drawn: &DrawnStates<G>,
    rater: &StateRater<'_, G>,
    path: &Path,
    cancel: &AtomicBool,
    observer: &dyn Fn(usize),
) -> Result<(), GradingError> {
    let part = unfinished_path(path);
    let (mut journal, done) = match journal::is_begun(&part) {
        false => (Journal::create(&part, header)?, 0),
        true => {
            let (journal, content) = Journal::open::<StateHeader, StateLine>(&part)?;
            let other = |of| Err(GradingError::Other { part: part.clone(), of });
            if content.header != *header {
                return other("with other settings or of another draw");
            }
            let asked = drawn.states.iter().map(|state| game.write_state(state));
            let same = content.lines.iter().zip(asked).all(|(line, state)| line.position == state);
            if !same || content.lines.len() > drawn.states.len() {
                return other("of other states");
            }
            (journal, content.lines.len())
        }
    };
    observer(done);
    for (number, &state) in drawn.states.iter().enumerate().skip(done) {
        let Some(rated) = rater.rate(game, state, cancel)? else {
            journal.sync()?;
            let asked = drawn.states.len();
            return Err(GradingError::Canceled { finished: number, asked, part });
        };
        journal.append(&StateLine::of(game, &rated))?;
        observer(1);
    }
    journal.sync()?;
    drop(journal);
    let failed = |source| GradingError::Write { path: path.to_owned(), source };
    fs::rename(&part, path).map_err(failed)
}
