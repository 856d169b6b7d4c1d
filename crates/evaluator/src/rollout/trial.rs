//! One game of a rollout.

use std::collections::HashMap;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::dice::Deal;
use super::settings::{Luck, RolloutSettings};
use super::tally;
use crate::evaluator::Evaluator;
use crate::expectation::{Expectation, RollValues, least};
use crate::pruning::{Pruner, Pruning};
use crate::search::{Search, SearchSettings, SearchWatch, Sole};

/// A game that is not over by then is cut short, so that every rollout ends, whoever plays: games
/// between players of any sense have some fifty turns.
const MAX_TURNS: u32 = 5_000;

/// Turns at which states come up again and again, so that what is found of them is kept.
const KEPT_TURNS: u32 = 2;

/// Results of a roll that the pruning network leaves to the luck judge.
///
/// More of them mean better judgement and more work; `docs/performance.md`, section "Rollouts",
/// has what was measured: one leaves a quarter more spread, and all of them none less.
const LUCK_PRUNING: Pruning = Pruning { keep: 3, within: f32::INFINITY };

/// What a game brought, from the player on roll at its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrialResult {
    /// Chances of the six outcomes, less the luck if it is taken off.
    pub(super) chances: [f64; 6],
    /// The equity with the luck left in.
    pub(super) plain: f64,
}

/// How plays are chosen and states judged.
enum Way<G: Game> {
    /// By what the evaluator says alone.
    Bare,
    /// By looking ahead.
    Search(Box<Search<G>>),
}

/// One thread of a rollout.
pub(super) struct Player<G: Game> {
    game: G,
    judge: Box<dyn Evaluator<G>>,
    first: Way<G>,
    /// The turn from which on the other way is used, and that way.
    later: Option<(u32, Way<G>)>,
    /// Who judges games that are cut short.
    leaf: Way<G>,
    turns: u32,
    luck: Luck,
    deal: Deal,
    /// What is known of states at the first turns.
    kept: HashMap<(G::State, u32), Known<G::State>>,
    results: Vec<G::State>,
    /// For variance reduction.
    expectation: Expectation<G>,
    judged: Vec<OutcomeProbs>,
}

/// What was found of a state.
struct Known<S> {
    luck: Option<RollValues<f64, 6>>,
    /// By the number of the roll.
    chosen: Vec<Option<S>>,
}

impl<G: Game> Player<G> {
    pub(super) fn new(
        game: &G,
        judge: &dyn Evaluator<G>,
        pruning: Option<&dyn Evaluator<G>>,
        settings: &RolloutSettings,
    ) -> Self {
        let way = |play: SearchSettings| match play.ply {
            0 => Way::Bare,
            _ => {
                let pruning = pruning.map(Evaluator::fork);
                let settings = SearchSettings { sole: Sole::Accept, ..play };
                Way::Search(Box::new(Search::new(game.clone(), judge.fork(), pruning, settings)))
            }
        };
        Self {
            game: game.clone(),
            judge: judge.fork(),
            first: way(settings.play),
            later: settings.later.map(|later| (later.after.get(), way(later.play))),
            leaf: way(settings.leaf),
            turns: settings.truncate.map_or(MAX_TURNS, |turns| turns.get().min(MAX_TURNS)),
            luck: settings.luck,
            deal: Deal::new(game, settings.seed, settings.dice),
            kept: HashMap::new(),
            results: Vec::new(),
            expectation: Expectation::new(
                game.clone(),
                judge.fork(),
                pruning.map(|pruning| Pruner::new(pruning.fork(), LUCK_PRUNING)),
            ),
            judged: Vec::new(),
        }
    }

    /// Plays game number `trial` from `start`.
    pub(super) fn play(&mut self, start: &G::State, trial: u64) -> TrialResult {
        let mut rolls = self.deal.game(trial);
        let mut state = *start;
        let mut luck = [0.0; 6];
        let mut turn = 0;
        let end = loop {
            if self.game.outcome(&state).is_some() || self.judge.is_exact(&state) {
                break self.judge_alone(&state);
            }
            if turn == self.turns {
                break self.judge_cut(&state);
            }
            let roll = self.deal.roll(&mut rolls, turn);
            if self.luck == Luck::TakenOff {
                self.add_luck(&state, turn, roll, &mut luck);
            }
            state = self.choose(&state, turn, roll);
            turn += 1;
        };
        let mut chances = end.0.map(f64::from);
        if turn % 2 == 1 {
            chances = flip(&chances);
        }
        let plain = tally::equity(&chances);
        for (chance, luck) in chances.iter_mut().zip(luck) {
            *chance -= luck;
        }
        TrialResult { chances, plain }
    }

    fn judge_alone(&mut self, state: &G::State) -> OutcomeProbs {
        self.judge.evaluate(std::slice::from_ref(state), &mut self.judged);
        self.judged[0]
    }

    /// Judges a state in which a game is cut short.
    fn judge_cut(&mut self, state: &G::State) -> OutcomeProbs {
        match &mut self.leaf {
            Way::Search(search) => search.judge(state, SearchWatch::default()).0,
            Way::Bare => self.judge_alone(state),
        }
    }

    /// The state after the play that is chosen for a roll.
    fn choose(&mut self, state: &G::State, turn: u32, roll: usize) -> G::State {
        let known = if turn < KEPT_TURNS { self.kept.get(&(*state, turn)) } else { None };
        if let Some(chosen) = known.and_then(|known| known.chosen[roll]) {
            return chosen;
        }
        let dice = self.game.rolls()[roll].0;
        let way = match &mut self.later {
            Some((from, later)) if turn >= *from => later,
            _ => &mut self.first,
        };
        let chosen = match way {
            Way::Search(search) => search.rank(state, dice, SearchWatch::default())[0].state,
            Way::Bare => {
                self.results.clear();
                self.game.results(state, dice, &mut self.results);
                if self.results.len() == 1 {
                    self.results[0]
                } else {
                    let parent = self.game.flip(state);
                    self.judge.evaluate_siblings(&parent, &self.results, &mut self.judged);
                    let best = least(0..self.results.len(), |i| self.judged[i].equity());
                    self.results[best.expect("a roll has a result")]
                }
            }
        };
        if turn < KEPT_TURNS {
            self.keep(state, turn).chosen[roll] = Some(chosen);
        }
        chosen
    }

    /// Adds the luck of the roll to a sum that is kept from the player on roll at the start.
    fn add_luck(&mut self, state: &G::State, turn: u32, roll: usize, sum: &mut [f64; 6]) {
        let known = if turn < KEPT_TURNS { self.kept.get(&(*state, turn)) } else { None };
        let luck = match known.and_then(|known| known.luck.as_ref()) {
            Some(luck) => luck.luck(roll),
            None => {
                let luck = self.luck_of_rolls(state);
                let of_roll = luck.luck(roll);
                if turn < KEPT_TURNS {
                    self.keep(state, turn).luck = Some(luck);
                }
                of_roll
            }
        };
        let luck = if turn % 2 == 1 { flip(&luck) } else { luck };
        for (sum, luck) in sum.iter_mut().zip(luck) {
            *sum += luck;
        }
    }

    fn keep(&mut self, state: &G::State, turn: u32) -> &mut Known<G::State> {
        let rolls = self.game.rolls().len();
        let unknown = || Known { luck: None, chosen: vec![None; rolls] };
        self.kept.entry((*state, turn)).or_insert_with(unknown)
    }

    /// What each roll is worth to the player on roll: the judgement of the best of those results
    /// that the pruning network likes best, or of all where there is none.
    ///
    /// It must not depend on the roll that fell, nor on the play that is made, or luck would not
    /// be zero on average.
    fn luck_of_rolls(&mut self, state: &G::State) -> RollValues<f64, 6> {
        let rolls = self.expectation.evaluate_cubeless(state);
        RollValues::new::<G>(rolls.best().map(|r| (r.weight, r.probs.flip().0.map(f64::from))))
    }
}

/// The chances seen by the other player.
fn flip(chances: &[f64; 6]) -> [f64; 6] {
    let [a, b, c, d, e, f] = *chances;
    [d, e, f, a, b, c]
}
