//! Equities of plays by rollouts.

use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_engine::Effort;
use tavola_evaluator::rollout::{
    Ended, FirstRolls, Luck, Rollout, RolloutError, RolloutSettings, RolloutWatch, SampleMean,
    StopRules,
};
use tavola_evaluator::search::MoveFilter;
use tavola_evaluator::{Evaluator, PlayableGame, Search, SearchWatch};
use tavola_rules::Game;

use super::decision::{QuestionOf, RatedAfterstate};
use super::header::GraderInfo;

/// Plies and preset in words, as a header has them: `2-ply wide`.
pub fn in_words(effort: Effort) -> String {
    effort.in_words().replacen(", preset", "", 1)
}

/// How decisions are graded by rollouts, always with variance reduction and stratified first rolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutGraderSettings {
    /// The search that chooses the plays to be rolled out.
    pub first_look: Effort,
    /// Which plays are rolled out, by what the first look says that they lose, in points.
    pub candidates: MoveFilter,
    /// How both sides play.
    pub play: Effort,
    /// Rolls after which a game is cut short; `None` plays to the end.
    pub truncate: Option<NonZeroU32>,
    /// How a game that is cut short is graded.
    pub leaf: Effort,
    /// Games for each play, at most.
    pub trials: u64,
    /// What the dice follow from, together with the decision: every decision has its own.
    pub seed: u64,
    /// When there are enough games for a decision.
    pub stop: StopRules,
    /// A play is dropped once it is behind by this number of standard errors of the difference.
    pub drop: f64,
}

impl RolloutGraderSettings {
    /// The rollout of one decision with these dice.
    fn rollout(&self, seed: u64) -> RolloutSettings {
        RolloutSettings {
            trials: self.trials,
            seed,
            truncate: self.truncate,
            leaf: self.leaf.settings(),
            dice: FirstRolls::Stratified,
            luck: Luck::TakenOff,
            play: self.play.settings(),
            later: None,
            stop: self.stop,
            drop: Some(self.drop),
            ..RolloutSettings::default()
        }
    }
}

/// In words, for the header of a reference: everything that the figures depend on.
impl fmt::Display for RolloutGraderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { truncate, trials, seed, stop, drop, .. } = self;
        let [play, leaf] = [self.play, self.leaf].map(in_words);
        write!(f, "{play} play, ")?;
        match truncate {
            None => write!(f, "to the end")?,
            Some(rolls) => write!(f, "cut after {rolls} rolls and graded there at {leaf}")?,
        }
        write!(f, ", variance-reduced, first two rolls stratified, up to {trials} games a play")?;
        if let Some(error) = stop.standard_error {
            write!(f, ", until the standard error is {error}")?;
        }
        if let Some(lead) = stop.lead {
            write!(f, ", until the best leads by {lead} JSD")?;
        }
        write!(f, ", plays {drop} JSD behind dropped, seed {seed} and the decision")
    }
}

/// The seed of the dice of a decision or state: its own, so that the errors of decisions have nothing
/// to do with each other, and the same wherever in a file the decision stands.
pub(super) fn seed_of(seed: u64, question: &str) -> u64 {
    seed.rotate_left(32) ^ u64::from(tavola_files::crc32(question.as_bytes()))
}

/// Grades decisions by rollouts with one evaluator.
pub struct RolloutGrader<G: Game> {
    game: G,
    search: Search<G>,
    grader: Box<dyn Evaluator<G>>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    /// What the header of a reference says of it.
    pub info: GraderInfo,
    settings: RolloutGraderSettings,
    threads: NonZeroUsize,
}

impl<G: PlayableGame> RolloutGrader<G> {
    /// A grader that plays and evaluates with `grader`; `pruning` makes that quicker, see
    /// [`Rollout::of_state`]. `name` and `identity` are for the header of a reference: what people
    /// call the grader, and what tells its networks and tables from all others.
    pub fn new(
        game: &G,
        grader: &dyn Evaluator<G>,
        pruning: Option<&dyn Evaluator<G>>,
        (name, identity): (String, String),
        settings: RolloutGraderSettings,
        threads: NonZeroUsize,
    ) -> Self {
        let fork = || pruning.map(Evaluator::fork);
        let first_look = settings.first_look.settings();
        let search =
            Search::new(game.clone(), grader.fork(), fork(), first_look).on_threads(threads);
        let MoveFilter { keep, extra, within } = settings.candidates;
        let info = GraderInfo {
            name,
            settings: settings.to_string(),
            rated: format!(
                "the {keep} best at {}, and up to {extra} more within {within} of the best",
                in_words(settings.first_look)
            ),
            margin: round(f64::from(within)),
            identity: Some(identity),
        };
        let (game, grader, pruning) = (game.clone(), grader.fork(), fork());
        Self { game, search, grader, pruning, info, settings, threads }
    }

    /// The plays that are worth a rollout, best first as the first look has it, and what else the
    /// settings ask for.
    fn candidates(&mut self, (state, roll): &QuestionOf<G>, cancel: &AtomicBool) -> Vec<G::State> {
        let watch = SearchWatch { cancel: Some(cancel), ..SearchWatch::default() };
        let mut ranking = self.search.rank(state, *roll, watch);
        // Plays of different depths are compared by what each loses at its own.
        ranking.sort_by(|a, b| a.loss.total_cmp(&b.loss));
        let expectation: Vec<f32> = ranking.iter().map(|play| -play.loss).collect();
        ranking.truncate(self.settings.candidates.survivors(&expectation));
        ranking.into_iter().map(|play| play.state).collect()
    }

    /// The rated plays of a decision, best first; `None` if `cancel` was set before there were
    /// enough games. The same decision gets the same figures on any number of threads.
    ///
    /// # Errors
    ///
    /// [`RolloutError`] if the settings are impossible.
    pub fn evaluate(
        &mut self,
        question: &QuestionOf<G>,
        cancel: &AtomicBool,
    ) -> Result<Option<Vec<RatedAfterstate<G::State>>>, RolloutError> {
        let candidates = self.candidates(question, cancel);
        if cancel.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let text = format!("{} {}", self.game.write_state(&question.0), question.1);
        let mut settings = self.settings.rollout(seed_of(self.settings.seed, &text));
        if candidates.len() == 1 {
            // The only play has nobody to be ahead of.
            settings.stop.lead = None;
        }
        let (grader, pruning) = (&*self.grader, self.pruning.as_deref());
        let (game, name) = (self.game.clone(), &self.info.name);
        let mut rollout = Rollout::of_plays(game, grader, pruning, name, settings, &candidates)?
            .on_threads(self.threads);
        if rollout.run(&mut RolloutWatch { cancel, progress: &mut |_| {} }) == Ended::Canceled {
            return Ok(None);
        }
        let best = rollout.figures(rollout.best()).equity().mean;
        let mut plays: Vec<RatedAfterstate<G::State>> = candidates
            .iter()
            .enumerate()
            .map(|(candidate, &after)| {
                let loss = loss(&rollout, candidate);
                let own = rollout.figures(candidate).equity();
                RatedAfterstate {
                    after,
                    equity: round(best - loss.mean),
                    standard_error: Some(round(own.standard_error)),
                    loss_error: Some(round(loss.standard_error)),
                }
            })
            .collect();
        plays.sort_by(|a, b| b.equity.total_cmp(&a.equity));
        Ok(Some(plays))
    }
}

/// What a candidate loses against the best, on the same dice. One that was dropped is only known
/// to be behind the best of that moment, which may have fallen behind another since.
fn loss<G: Game>(rollout: &Rollout<G>, candidate: usize) -> SampleMean {
    let best = rollout.best();
    match rollout.dropped(candidate) {
        None => rollout.behind(best, candidate).unwrap_or_default(),
        Some(dropped) => {
            let (first, rest) = (dropped.by(), loss(rollout, dropped.behind));
            SampleMean {
                mean: first.mean + rest.mean,
                standard_error: first.standard_error.hypot(rest.standard_error),
            }
        }
    }
}

/// Hundredths of a millipoint are far below all standard errors.
pub(super) fn round(points: f64) -> f64 {
    // Adding zero makes no zero negative.
    (points * 1e5).round() / 1e5 + 0.0
}
