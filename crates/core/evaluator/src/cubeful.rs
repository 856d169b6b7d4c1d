//! Cube decisions and checker play with a cube, for money and at a match score, by search.
//!
//! # What n-ply means with a cube
//!
//! At 0-ply the cube model of `tavola_equity` turns the evaluator's probabilities into a value at a
//! cube. The cube efficiency depends on contact and pips. At n-ply every node carries a value for
//! each cube that may come up. The player on roll doubles where the values of their node say so;
//! the opponent takes or passes. The mean over the rolls is the value one node up. Money is counted
//! in points, a match in winning probability, so one recursion serves both. At 1-ply the root has a
//! share of its 0-ply value, as in a [`Search`].
//!
//! Inside the tree the players choose their plays for the cube that the search is about; worths at
//! other cubes follow these plays. A decision therefore takes one search with the cube where it is
//! and one with the doubled cube, each with the checker play that suits it.
//!
//! Where the two-sided bear-off database knows the value with a cube (money, no limit), the search
//! takes that exact value. At a match score the last rolls are solved for that score.
//!
//! ```
//! use tavola_equity::{CubeAction, Stakes};
//! use tavola_evaluator::{CubeEvaluator, CubefulEvaluator, PipCountEvaluator};
//! use tavola_evaluator::{Preset, SearchWatch};
//! use tavola_rules::{Backgammon, Cube, Options, Position};
//!
//! let game = Backgammon::Standard;
//! let evaluator = CubefulEvaluator::new(game, Box::new(PipCountEvaluator::new(game)), None)
//!     .with_settings(Preset::Full.at(2));
//! // A checker on the six point, which 27 of 36 rolls bear off, against one on the ace point.
//! let position = Position::from_points(&[(6, 1)], &[(1, 1)], 15)?;
//! let money = Stakes::money(&Options::default())?;
//! let analysis = evaluator.decide(&position, &money, Cube::START, SearchWatch::default())?;
//! assert_eq!(analysis.decision.action, CubeAction::DoubleTake);
//! assert!((analysis.decision.no_double.equity() - 0.5).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::num::NonZeroUsize;

use tavola_bearoff::Tables;
use tavola_equity::{
    CubeDecision, CubeExpectations, Efficiency, EfficiencyModel, Expectation, NoCube, OutcomeProbs,
    Stakes, StakesError, Value,
};
use tavola_rules::{Backgammon, Cube, CubeOwner, Dice, Game, Player, Position};

use self::endgame::Endgame;
use self::seated::{Exact, Seated, SeatedEvaluator, SeatedGame};
pub use self::utility::stage;
use self::utility::{Cubeful, CubefulValue};
use crate::evaluator::Evaluator;
use crate::rollout::{Rollout, RolloutCube, RolloutError, RolloutSettings, Scoring, Start};
use crate::search::{Preset, Search, SearchSettings, SearchWatch, SearchedPlay};

mod endgame;
mod seated;
#[cfg(test)]
mod tests;
mod trials;
mod utility;

/// Evaluates positions with a cube, from the probabilities that an evaluator gives.
///
/// The answers are the same on any number of threads, and do not depend on what was asked before.
/// A time limit is the exception.
pub struct CubefulEvaluator {
    game: Backgammon,
    main: Box<dyn Evaluator<Backgammon>>,
    pruning: Option<Box<dyn Evaluator<Backgammon>>>,
    tables: Tables,
    efficiency: EfficiencyModel,
    settings: SearchSettings,
    threads: NonZeroUsize,
}

/// A cube decision with the depth that it was found at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeAnalysis {
    /// What both sides should do, and what the alternatives are worth.
    pub decision: CubeDecision,
    /// The probabilities of the player on roll, without regard to the cube, for the plays that are
    /// best with the cube where it is.
    pub probs: OutcomeProbs,
    /// How live the cube is in the position, by the evaluator's own model.
    pub efficiency: Efficiency,
    /// Rolls that were looked ahead.
    pub ply: u8,
}

/// A play with what it is worth with a cube to the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubefulPlay<S = Position> {
    /// The position after the play, seen by the opponent, who is on roll.
    pub position: S,
    /// The probabilities of the player who made the play, without regard to the cube.
    pub probs: OutcomeProbs,
    /// The value of the play to the mover: the opponent may double before the next roll.
    pub value: Value,
    /// How much less that is than the best play *at the same depth*, in money equity or EMG; never
    /// negative.
    pub loss: f32,
    /// Rolls that were looked ahead, counted from the position after the play.
    pub ply: u8,
}

/// Evaluates plays and doubles with the cube, in a game that has one.
///
/// Equal questions have equal answers, on any number of threads; a time limit is the exception.
pub trait CubeEvaluator<G: Game>: Send {
    /// Looks ahead so deep and wide from now on.
    fn set_settings(&mut self, settings: SearchSettings);

    /// Uses this many threads from now on.
    fn set_threads(&mut self, threads: NonZeroUsize);

    /// Whether the player on roll should double and the opponent take, before the roll. `state` is
    /// not finished. With a time limit the depth is what the first of the searches reaches in its
    /// share of the time; the others go as deep.
    ///
    /// # Errors
    ///
    /// [`StakesError`] for a cube that a game with these stakes can't have.
    fn decide(
        &self,
        state: &G::State,
        stakes: &Stakes,
        cube: Cube,
        watch: SearchWatch<'_>,
    ) -> Result<CubeAnalysis, StakesError>;

    /// The plays in `state` that lead to these afterstates, of which there is at least one, the
    /// best with this cube first, at least `compared` of them at the full depth. Stakes and cube
    /// are seen by the player who is to play.
    ///
    /// # Errors
    ///
    /// As [`decide`](Self::decide).
    fn rank_among(
        &self,
        state: &G::State,
        afterstates: &[G::State],
        stakes: &Stakes,
        cube: Cube,
        compared: usize,
        watch: SearchWatch<'_>,
    ) -> Result<Vec<CubefulPlay<G::State>>, StakesError>;

    /// A rollout of the cube action: without a double, after a double that is taken and, where
    /// they are no multiples of that, after a beaver and a raccoon, on the same dice. Where the
    /// player on roll may not double, it is one of the state. Stakes and cube are seen by them.
    ///
    /// The players choose plays and doubles as `settings` say; how deep and wide this evaluator
    /// looks otherwise does not matter. `name` tells the evaluator from others in a saved rollout.
    ///
    /// # Errors
    ///
    /// [`RolloutError`]: impossible settings, a cube that a game with these stakes can't have, or
    /// a state in which the game is over.
    fn rollout_of_cube(
        &self,
        state: &G::State,
        stakes: &Stakes,
        cube: Cube,
        name: &str,
        settings: RolloutSettings,
    ) -> Result<Rollout<G>, RolloutError>;

    /// A rollout of plays, given by their afterstates, which the opponent sees. Stakes and cube
    /// are seen by the player who makes the play; the opponent may double before their roll.
    ///
    /// # Errors
    ///
    /// [`RolloutError`]: impossible settings, a cube that a game with these stakes can't have, no
    /// play or too many.
    fn rollout_of_plays(
        &self,
        after: &[G::State],
        stakes: &Stakes,
        cube: Cube,
        name: &str,
        settings: RolloutSettings,
    ) -> Result<Rollout<G>, RolloutError>;
}

impl CubeEvaluator<Backgammon> for CubefulEvaluator {
    fn set_settings(&mut self, settings: SearchSettings) {
        self.settings = settings;
    }

    fn set_threads(&mut self, threads: NonZeroUsize) {
        self.threads = threads;
    }

    fn decide(
        &self,
        state: &Position,
        stakes: &Stakes,
        cube: Cube,
        watch: SearchWatch<'_>,
    ) -> Result<CubeAnalysis, StakesError> {
        stakes.check_cube(cube)?;
        let turns = stakes.turns(cube);
        let first =
            SearchWatch { limit: watch.limit.map(|limit| limit / (u32::from(turns) + 1)), ..watch };
        let (evaluated, ply) =
            self.search(stakes, cube, self.settings).evaluate(&seated(state), first);
        let settings = SearchSettings { ply, ..self.settings };
        let after_turns = |turn: u8| -> Option<Expectation> {
            let cube = Cube::new(cube.exponent() + turn, CubeOwner::Opponent).ok()?;
            let rest = SearchWatch { limit: None, ..watch };
            let mut search = self.search(stakes, cube, settings);
            (turn <= turns).then(|| search.evaluate(&seated(state), rest).0.no_double())
        };
        let expectations = CubeExpectations::new(evaluated.no_double(), after_turns);
        let decision = CubeDecision::from_expectations(stakes, cube, &expectations);
        let efficiency = self.efficiency.at(stage(state));
        Ok(CubeAnalysis { decision, probs: evaluated.probs, efficiency, ply })
    }

    fn rank_among(
        &self,
        state: &Position,
        afterstates: &[Position],
        stakes: &Stakes,
        cube: Cube,
        compared: usize,
        watch: SearchWatch<'_>,
    ) -> Result<Vec<CubefulPlay>, StakesError> {
        stakes.check_cube(cube)?;
        let root = seated(state);
        let seat = root.seat.flip();
        let afterstates: Vec<Seated> =
            afterstates.iter().map(|&position| Seated { position, seat }).collect();
        let mut search = self.search(stakes, cube, self.settings);
        Ok(plays(search.rank_among(&root, &afterstates, compared, watch), stakes, cube))
    }

    fn rollout_of_cube(
        &self,
        position: &Position,
        stakes: &Stakes,
        cube: Cube,
        name: &str,
        settings: RolloutSettings,
    ) -> Result<Rollout<Backgammon>, RolloutError> {
        if self.game.outcome(position).is_some() {
            return Err(RolloutError::Finished);
        }
        stakes.check_cube(cube)?;
        let scoring = self.scoring(stakes, cube);
        let state = seated(position);
        // The value of the cube multiplies points for money, so a beaver is worth twice a take.
        let turns = scoring.turns(&state, cube).min(if stakes.is_unlimited() { 1 } else { 3 });
        let start = |turns| {
            let cube = scoring.after_turns(&state, cube, turns);
            Start { state, cube, may_double: false }
        };
        let starts: Vec<_> = (0..=turns).map(start).collect();
        // All lines are needed to the end: none of them is a choice of one player.
        let settings = RolloutSettings { drop: None, ..settings };
        self.rollout(scoring, starts, RolloutCube::action(stakes, cube), name, settings)
    }

    fn rollout_of_plays(
        &self,
        after: &[Position],
        stakes: &Stakes,
        cube: Cube,
        name: &str,
        settings: RolloutSettings,
    ) -> Result<Rollout<Backgammon>, RolloutError> {
        stakes.check_cube(cube)?;
        let start = |&position: &Position| {
            let state = Seated { position, seat: Player::Two };
            Start { state, cube, may_double: true }
        };
        let starts = after.iter().map(start).collect();
        let terms = RolloutCube::plays(stakes, cube);
        self.rollout(self.scoring(stakes, cube), starts, terms, name, settings)
    }
}

/// A ranking by worths as one by values.
fn plays(
    ranking: Vec<SearchedPlay<Seated, CubefulValue>>,
    stakes: &Stakes,
    cube: Cube,
) -> Vec<CubefulPlay> {
    let play = |ranked: SearchedPlay<Seated, CubefulValue>| CubefulPlay {
        position: ranked.state.position,
        probs: ranked.value.probs,
        value: stakes.value(ranked.value.expectation(), cube),
        loss: ranked.loss,
        ply: ranked.ply,
    };
    ranking.into_iter().map(play).collect()
}

impl CubefulEvaluator {
    /// A cubeful evaluator at 0-ply on one thread, without tables and with the default
    /// efficiencies. `main` evaluates the leaves; `pruning` leaves it fewer candidates, as for
    /// [`Search::new`].
    pub fn new(
        game: Backgammon,
        main: Box<dyn Evaluator<Backgammon>>,
        pruning: Option<Box<dyn Evaluator<Backgammon>>>,
    ) -> Self {
        Self {
            game,
            main,
            pruning,
            tables: Tables::default(),
            efficiency: EfficiencyModel::default(),
            settings: Preset::default().at(0),
            threads: NonZeroUsize::MIN,
        }
    }

    /// Sets how deep and wide it looks. Widths are in money equity or EMG.
    #[must_use]
    pub fn with_settings(self, settings: SearchSettings) -> Self {
        Self { settings, ..self }
    }

    /// Takes values from the two-sided one of these tables where it knows the cube.
    #[must_use]
    pub fn with_tables(self, tables: Tables) -> Self {
        Self { tables, ..self }
    }

    /// Sets the number of threads; the answers do not depend on it.
    #[must_use]
    pub fn on_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// How deep and wide it looks.
    pub const fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    /// The evaluator of the leaves.
    pub fn evaluator(&self) -> &dyn Evaluator<Backgammon> {
        &*self.main
    }

    /// Another cubeful evaluator with the same answers.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            main: self.main.fork(),
            pruning: self.pruning.as_ref().map(|pruning| pruning.fork()),
            tables: self.tables.clone(),
            ..*self
        }
    }

    /// The plays of a roll, the best with this cube first, in the order that [`Search::rank`]
    /// explains. Stakes and cube are seen by the player who is to play.
    ///
    /// `position` must not be finished.
    ///
    /// # Errors
    ///
    /// [`StakesError`] for a cube that a game with these stakes can't have.
    pub fn rank(
        &self,
        position: &Position,
        roll: Dice,
        stakes: &Stakes,
        cube: Cube,
        watch: SearchWatch<'_>,
    ) -> Result<Vec<CubefulPlay>, StakesError> {
        stakes.check_cube(cube)?;
        let ranking = self.search(stakes, cube, self.settings).rank(&seated(position), roll, watch);
        Ok(plays(ranking, stakes, cube))
    }

    /// A search for these stakes and this cube, which fit together.
    fn search(
        &self,
        stakes: &Stakes,
        cube: Cube,
        settings: SearchSettings,
    ) -> Search<SeatedGame, Cubeful> {
        let (main, pruning) = self.seated_evaluators(stakes);
        let endgame = self.endgame(stakes);
        let utility = Cubeful::new(stakes, cube, settings.ply, self.efficiency, endgame);
        Search::with_utility(SeatedGame(self.game), main, pruning, settings, utility)
            .on_threads(self.threads)
    }

    /// What knows values with the cube: the tables where it is as endless as theirs, a solution at
    /// the stakes elsewhere. Without a cube in play the evaluator knows all.
    fn endgame(&self, stakes: &Stakes) -> Endgame {
        match stakes.may_double(Cube::START) {
            Err(NoCube::OutOfPlay(_)) => Endgame::Table(Tables::default()),
            _ if stakes.is_unlimited() => Endgame::Table(self.tables.clone()),
            _ => endgame::at_stakes(stakes),
        }
    }

    /// The main evaluator and the pruning one, of positions with seats.
    fn seated_evaluators(&self, stakes: &Stakes) -> (BoxedSeated, Option<BoxedSeated>) {
        let exact = match stakes.may_double(Cube::START) {
            Err(NoCube::OutOfPlay(_)) => Exact::AsEvaluated,
            _ => Exact::Solved(self.endgame(stakes)),
        };
        let seat = |evaluator: &dyn Evaluator<Backgammon>| -> BoxedSeated {
            Box::new(SeatedEvaluator::new(evaluator.fork(), exact.clone()))
        };
        (seat(&*self.main), self.pruning.as_deref().map(seat))
    }
}

type BoxedSeated = Box<dyn Evaluator<SeatedGame>>;

fn seated(position: &Position) -> Seated {
    Seated { position: *position, seat: Player::One }
}
