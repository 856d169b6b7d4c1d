//! One trial of a rollout.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::dice::Deal;
use super::scoring::{Parts, Scoring, Settled, flip};
use super::settings::{Luck, RolloutSettings};
use crate::evaluator::Evaluator;
use crate::expectation::{RollExpectation, RollValues, least};
use crate::pruning::{Pruner, Pruning};
use crate::search::{Search, SearchSettings, SearchWatch, SinglePlay};
use crate::utility::Utility;

/// A game that is not over by then is truncated, so that every rollout ends. Games between players
/// of any sense have some fifty turns.
const MAX_TURNS: u32 = 5_000;

/// Turns at which states come up again and again, so that what is found of them is kept.
const KEPT_TURNS: u32 = 2;

/// Situations that may be kept before those of one turn more are kept no longer. There 1,296 trials
/// meet at most 441; one takes two kilobytes.
const MOST_KEPT: usize = 1 << 13;

/// Afterstates of a roll that the pruning network leaves to the evaluator.
///
/// More of them mean better evaluation and more work. One leaves a seventh more spread and three
/// hardly less: `docs/log/search.md`.
const LUCK_PRUNING: Pruning = Pruning { keep: 2, within: 0.12 };

/// What a trial brought, from the player on roll at its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TrialResult {
    /// Probabilities of the six outcomes and the equity with the cube, less the luck if it is
    /// taken off.
    pub(super) parts: Parts,
    /// The equity that the trial counts.
    pub(super) equity: f64,
    /// The equity without variance reduction.
    pub(super) plain: f64,
}

/// One thread of a rollout.
pub(crate) trait Trials: Send {
    /// Plays trial number `trial` of a candidate; `None` if it is called off before its end.
    fn play(&mut self, candidate: usize, trial: u64, cancel: &AtomicBool) -> Option<TrialResult>;
}

/// Where the trials of a candidate begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<S, C> {
    /// The player on roll is next.
    pub(crate) state: S,
    /// Where the cube is.
    pub(crate) cube: C,
    /// Whether the player on roll may double before the first roll.
    pub(crate) may_double: bool,
}

/// How states are evaluated: by the evaluator alone, or by search.
type Policy<G, U> = Option<Box<Search<G, U>>>;

/// The player while the cube is in one place.
struct CubePolicy<G: Game, U: Utility<G>> {
    /// The utility without search.
    utility: U,
    first: Policy<G, U>,
    later: Policy<G, U>,
    /// Evaluates truncated games.
    leaf: Policy<G, U>,
    /// Decides about the cube.
    doubling: Policy<G, U>,
}

/// What was found of a state.
struct Known<S, C> {
    settled: Option<Settled<C>>,
    luck: Option<RollValues<f64, 7>>,
    /// By the number of the roll.
    chosen: Vec<Option<S>>,
}

/// A state, where the cube is, and the turn at which the state came up.
type Situation<S, C> = (S, C, u32);

/// What is known of the situations of the first turns.
type StateCache<S, C> = HashMap<Situation<S, C>, Known<S, C>>;

/// The values of all rolls of a state, and what it is worth by them.
type ValuesOfRolls<G, P> = (RollValues<f64, 7>, <<P as Scoring<G>>::Utility as Utility<G>>::Value);

/// Plays the trials of a rollout.
pub(crate) struct TrialPlayer<G: Game, P: Scoring<G>> {
    game: G,
    scoring: P,
    evaluator: Box<dyn Evaluator<G>>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    settings: RolloutSettings,
    starts: Arc<[Start<G::State, P::Cube>]>,
    cube_policies: HashMap<P::Cube, CubePolicy<G, P::Utility>>,
    turns: u32,
    deal: Deal,
    kept: StateCache<G::State, P::Cube>,
    /// What the last second look at a cube decision said of the rolls, by where the cube may go.
    ahead: Vec<(G::State, P::Cube, RollValues<f64, 7>)>,
    /// What leaves fewer plays to choose from at 0-ply, where the luck stays: with variance
    /// reduction that would save little.
    pruner: Option<Pruner<G>>,
    afterstates: Vec<G::State>,
    /// What the pruner leaves.
    left: Vec<G::State>,
    /// For variance reduction.
    expectation: RollExpectation<G>,
    evaluated: Vec<OutcomeProbs>,
}

impl<G: Game, P: Scoring<G>> TrialPlayer<G, P> {
    pub(crate) fn new(
        game: &G,
        scoring: P,
        (evaluator, pruning): (&dyn Evaluator<G>, Option<&dyn Evaluator<G>>),
        settings: &RolloutSettings,
        starts: Arc<[Start<G::State, P::Cube>]>,
    ) -> Self {
        Self {
            game: game.clone(),
            scoring,
            evaluator: evaluator.fork(),
            pruning: pruning.map(Evaluator::fork),
            settings: *settings,
            starts,
            cube_policies: HashMap::new(),
            turns: settings.truncate.map_or(MAX_TURNS, |turns| turns.get().min(MAX_TURNS)),
            deal: Deal::new(game, settings.seed, settings.dice),
            kept: HashMap::new(),
            ahead: Vec::new(),
            pruner: pruning
                .filter(|_| settings.luck == Luck::Left)
                .map(|pruning| Pruner::new(pruning.fork(), Pruning::AT_0_PLY)),
            afterstates: Vec::new(),
            left: Vec::new(),
            expectation: RollExpectation::new(
                game.clone(),
                evaluator.fork(),
                pruning.map(|pruning| Pruner::new(pruning.fork(), LUCK_PRUNING)),
            ),
            evaluated: Vec::new(),
        }
    }

    /// The player while the cube is there.
    fn cube_policy(&mut self, cube: P::Cube) -> &mut CubePolicy<G, P::Utility> {
        let Self { game, scoring, evaluator, pruning, settings, .. } = self;
        let policy = |play: SearchSettings| -> Policy<G, P::Utility> {
            let settings = SearchSettings { single_play: SinglePlay::Accept, ..play };
            (play.ply > 0).then(|| {
                let (main, pruning) = (evaluator.fork(), pruning.as_ref().map(|p| p.fork()));
                let utility = scoring.utility(cube, play.ply);
                Box::new(Search::with_utility(game.clone(), main, pruning, settings, utility))
            })
        };
        self.cube_policies.entry(cube).or_insert_with(|| CubePolicy {
            utility: scoring.utility(cube, 0),
            first: policy(settings.play),
            later: settings.later.and_then(|later| policy(later.play)),
            leaf: policy(settings.leaf),
            doubling: policy(settings.doubling),
        })
    }

    /// What is known of a situation of the first turns.
    fn known(&self, situation: &Situation<G::State, P::Cube>) -> Option<&Known<G::State, P::Cube>> {
        if situation.2 <= KEPT_TURNS { self.kept.get(situation) } else { None }
    }

    /// Keeps something of a situation of the first turns.
    fn keep(
        &mut self,
        situation: &Situation<G::State, P::Cube>,
        note: impl FnOnce(&mut Known<G::State, P::Cube>),
    ) {
        let has_room = situation.2 == KEPT_TURNS && self.kept.len() < MOST_KEPT;
        if situation.2 < KEPT_TURNS || has_room {
            let rolls = self.game.rolls().len();
            let unknown = || Known { settled: None, luck: None, chosen: vec![None; rolls] };
            note(self.kept.entry(*situation).or_insert_with(unknown));
        }
    }

    /// What the evaluator alone says of a state.
    fn evaluate(&mut self, state: &G::State) -> OutcomeProbs {
        self.evaluator.evaluate(std::slice::from_ref(state), &mut self.evaluated);
        self.evaluated[0]
    }

    /// What the evaluator alone says of a state, and the equity with this cube.
    fn evaluate_parts(&mut self, state: &G::State, cube: P::Cube, may_double: bool) -> Parts {
        let probs = self.evaluate(state);
        let value = self.cube_policy(cube).utility.value(state, &probs);
        self.scoring.parts(&value, may_double)
    }

    /// Evaluates a state in which a game is cut short.
    fn evaluate_cut(
        &mut self,
        state: &G::State,
        cube: P::Cube,
        cancel: &AtomicBool,
    ) -> Option<Parts> {
        match &mut self.cube_policy(cube).leaf {
            Some(search) => {
                let value = unless(cancel, |watch| search.evaluate(state, watch).0)?;
                Some(self.scoring.parts(&value, true))
            }
            None => Some(self.evaluate_parts(state, cube, true)),
        }
    }

    /// What becomes of the cube before the roll.
    fn settle(
        &mut self,
        situation: &Situation<G::State, P::Cube>,
        cancel: &AtomicBool,
    ) -> Option<Settled<P::Cube>> {
        let &(state, cube, _) = situation;
        let turns = self.scoring.turns(&state, cube);
        if turns == 0 {
            return Some(Settled::Roll(cube));
        }
        if let Some(settled) = self.known(situation).and_then(|known| known.settled) {
            return Some(settled);
        }
        let probs = (self.settings.doubling.ply == 0).then(|| self.evaluate(&state));
        let mut values = Vec::with_capacity(4);
        for turns in 0..=turns {
            let cube = self.scoring.after_turns(&state, cube, turns);
            let cube_policy = self.cube_policy(cube);
            values.push(match (&mut cube_policy.doubling, &probs) {
                (Some(search), _) => unless(cancel, |watch| search.evaluate(&state, watch).0)?,
                (None, Some(probs)) => cube_policy.utility.value(&state, probs),
                (None, None) => unreachable!("at 0-ply the evaluator was asked"),
            });
        }
        let (mut settled, lead) = self.scoring.settle(&state, cube, &values);
        let near = |within| self.settings.doubling.ply == 0 && lead < within;
        if self.settings.look_again.is_some_and(near) {
            settled = self.settle_again(&state, cube, turns);
        }
        self.keep(situation, |known| known.settled = Some(settled));
        Some(settled)
    }

    /// What becomes of the cube by values at 1-ply. They are those that tell luck, so that variance
    /// reduction need not find them again.
    fn settle_again(&mut self, state: &G::State, cube: P::Cube, turns: u8) -> Settled<P::Cube> {
        self.ahead.clear();
        let mut values = Vec::with_capacity(4);
        for turns in 0..=turns {
            let cube = self.scoring.after_turns(state, cube, turns);
            let (rolls, value) = self.values_of_rolls(state, cube);
            self.ahead.push((*state, cube, rolls));
            values.push(value);
        }
        self.scoring.settle(state, cube, &values).0
    }

    /// The state after the play that is chosen for a roll.
    fn choose(
        &mut self,
        situation: &Situation<G::State, P::Cube>,
        roll: usize,
        cancel: &AtomicBool,
    ) -> Option<G::State> {
        if let Some(chosen) = self.known(situation).and_then(|known| known.chosen[roll]) {
            return Some(chosen);
        }
        let &(state, cube, turn) = situation;
        let dice = self.game.rolls()[roll].0;
        let later = self.settings.later.is_some_and(|later| turn >= later.after.get());
        let cube_policy = self.cube_policy(cube);
        let policy = if later { &mut cube_policy.later } else { &mut cube_policy.first };
        let chosen = match policy {
            Some(search) => unless(cancel, |watch| search.rank(&state, dice, watch)[0].state)?,
            None => {
                let utility = cube_policy.utility.clone();
                let preference =
                    |state: &G::State, probs: &OutcomeProbs| utility.preference_of(state, probs);
                let Self { game, evaluator, pruner, afterstates, left, evaluated, .. } = self;
                afterstates.clear();
                game.afterstates(&state, dice, afterstates);
                let parent = game.flip(&state);
                if let Some(pruner) = pruner.as_mut().filter(|_| afterstates.len() > 1) {
                    left.clear();
                    let all = (&afterstates[..], &[afterstates.len()][..]);
                    pruner.prune(&parent, all, preference, (left, &mut Vec::new()));
                    std::mem::swap(afterstates, left);
                }
                if let [only] = afterstates[..] {
                    only
                } else {
                    evaluator.evaluate_siblings(&parent, afterstates, evaluated);
                    let value = |i: usize| preference(&afterstates[i], &evaluated[i]);
                    let best = least(0..afterstates.len(), value);
                    afterstates[best.expect("a roll has an afterstate")]
                }
            }
        };
        self.keep(situation, |known| known.chosen[roll] = Some(chosen));
        Some(chosen)
    }

    /// The luck of a roll, to the player on roll.
    fn luck(&mut self, situation: &Situation<G::State, P::Cube>, roll: usize) -> Parts {
        if let Some(values) = self.known(situation).and_then(|known| known.luck.as_ref()) {
            return values.luck(roll);
        }
        let &(state, cube, _) = situation;
        let ahead = self.ahead.iter().position(|(of, at, _)| (*of, *at) == (state, cube));
        let values = match ahead {
            Some(number) => self.ahead.swap_remove(number).2,
            None => self.values_of_rolls(&state, cube).0,
        };
        let luck = values.luck(roll);
        self.keep(situation, |known| known.luck = Some(values));
        luck
    }

    /// The value of each roll to the player on roll: that of the best of those afterstates that
    /// the pruning network likes best, or of all where there is none; and the value of the state
    /// at 1-ply.
    ///
    /// It must not depend on the roll that fell, nor on the play that is made, or luck would not
    /// be zero on average.
    fn values_of_rolls(&mut self, state: &G::State, cube: P::Cube) -> ValuesOfRolls<G, P> {
        let utility = self.cube_policy(cube).utility.clone();
        let preference =
            |state: &G::State, probs: &OutcomeProbs| utility.preference_of(state, probs);
        let Self { expectation, scoring, .. } = self;
        let rolls = expectation.evaluate(state, preference);
        let mut after = Vec::with_capacity(32);
        let values = RollValues::new::<G>(rolls.best_by(preference).map(|best| {
            let value = utility.value(&best.state, &best.probs);
            after.push((utility.flip(&value), best.weight.into()));
            (best.weight, flip(&scoring.parts(&value, true)))
        }));
        (values, utility.before_roll(state, &after))
    }
}

/// Does a search, whose answer counts only if it was not called off meanwhile.
fn unless<T>(cancel: &AtomicBool, search: impl FnOnce(SearchWatch<'_>) -> T) -> Option<T> {
    let found = search(SearchWatch { cancel: Some(cancel), ..SearchWatch::default() });
    (!cancel.load(Ordering::Relaxed)).then_some(found)
}

impl<G: Game, P: Scoring<G>> Trials for TrialPlayer<G, P> {
    fn play(&mut self, candidate: usize, trial: u64, cancel: &AtomicBool) -> Option<TrialResult> {
        let Start { mut state, mut cube, mut may_double } = self.starts[candidate];
        let mut rolls = self.deal.game(trial);
        let mut luck = [0.0; 7];
        let mut turn = 0;
        let end = loop {
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            if self.game.outcome(&state).is_some() || self.evaluator.is_exact(&state) {
                break self.evaluate_parts(&state, cube, may_double);
            }
            if turn == self.turns {
                break self.evaluate_cut(&state, cube, cancel)?;
            }
            if may_double {
                match self.settle(&(state, cube, turn), cancel)? {
                    Settled::Roll(there) => cube = there,
                    Settled::Over(equity) => {
                        // The probabilities of the game that is not played out.
                        let [a, b, c, d, e, f, _] = self.evaluate_parts(&state, cube, true);
                        break [a, b, c, d, e, f, equity];
                    }
                }
            }
            let situation = (state, cube, turn);
            let roll = self.deal.roll(&mut rolls, turn);
            if self.settings.luck == Luck::TakenOff {
                let of_roll = self.luck(&situation, roll);
                let of_roll = if turn % 2 == 1 { flip(&of_roll) } else { of_roll };
                for (sum, luck) in luck.iter_mut().zip(of_roll) {
                    *sum += luck;
                }
            }
            state = self.choose(&situation, roll, cancel)?;
            may_double = true;
            turn += 1;
        };
        let mut parts = if turn % 2 == 1 { flip(&end) } else { end };
        let plain = P::equity(&parts);
        for (part, luck) in parts.iter_mut().zip(luck) {
            *part -= luck;
        }
        Some(TrialResult { parts, equity: P::equity(&parts), plain })
    }
}
