//! One expectation over all rolls: the best afterstate of each roll, and the weighted mean.
//!
//! ```text
//! value(state) = sum over rolls r of weight(r) / 36 * max over plays p of r: value(state after p)
//! ```
//!
//! This is the full-width backup that everything in the project rests on: the nodes of a
//! [search](crate::search), variance reduction in rollouts, duels and training targets, and
//! expected-backup targets. A [`RollExpectation`] lists the afterstates of all rolls, evaluates them in
//! one batch and picks the best of each roll; what "best" means is the caller's.
//!
//! # Variance reduction
//!
//! The luck of a roll is its value less the mean over all rolls ([`RollValues::luck`]). Its mean
//! is zero whatever the evaluator says, as long as the values depend on neither the roll that fell
//! nor the play that was made. So a result less its luck keeps its expectation, and the better the
//! evaluator, the smaller its variance: luck is a control variate.

use std::ops::{Add, Div, Mul, Range, Sub};

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::evaluator::Evaluator;
use crate::pruning::Pruner;
use crate::utility::{Preference, Utility};

/// The afterstates of all rolls of a state, evaluated; with a pruner only those that it keeps.
///
/// Buffers are kept from state to state.
pub struct RollExpectation<G: Game> {
    game: G,
    evaluator: Box<dyn Evaluator<G>>,
    pruner: Option<Pruner<G>>,
    /// The afterstates of all rolls, and where those of each roll end.
    all: (Vec<G::State>, Vec<usize>),
    /// The afterstates that the pruner keeps, and where those of each roll end.
    kept: (Vec<G::State>, Vec<usize>),
    /// What the evaluator says of those that are kept.
    probs: Vec<OutcomeProbs>,
    /// The rolls that stand for all.
    sampled: Vec<(G::Roll, u8)>,
}

/// Which rolls stand for all: each `step`th of the [`Game::TOTAL_WEIGHT`] ways to roll, which the
/// step divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RollSample {
    step: u32,
    first: u32,
}

impl RollSample {
    /// All rolls.
    pub(crate) const ALL: Self = Self::every(1);

    /// Each `step`th way to roll.
    pub(crate) const fn every(step: u32) -> Self {
        Self { step, first: 0 }
    }

    /// The sample after roll number `number`: those after all rolls together cover them evenly.
    pub(crate) const fn after(self, number: u32) -> Self {
        // No divisor of the ways of three dice shares a factor with 5.
        Self { step: self.step, first: (self.first + 5 * number) % self.step }
    }

    /// The most rolls that a sample of the game `G` has.
    pub(crate) fn most<G: Game>(self, all: &[(G::Roll, u8)]) -> usize {
        all.len().min((G::TOTAL_WEIGHT / self.step) as usize)
    }

    /// The rolls, with weights that have the same sum as those of all.
    pub(crate) fn of<R: Copy>(self, all: &[(R, u8)], rolls: &mut Vec<(R, u8)>) {
        rolls.clear();
        let before = |way: u32| (way + self.step - 1).saturating_sub(self.first) / self.step;
        let mut ways = 0;
        for &(roll, weight) in all {
            let end = ways + u32::from(weight);
            let weight = (before(end) - before(ways)) * self.step;
            if weight > 0 {
                rolls.push((roll, weight as u8));
            }
            ways = end;
        }
    }
}

impl<G: Game> RollExpectation<G> {
    /// An expectation by `evaluator`.
    pub const fn new(game: G, evaluator: Box<dyn Evaluator<G>>, pruner: Option<Pruner<G>>) -> Self {
        Self {
            game,
            evaluator,
            pruner,
            all: (Vec::new(), Vec::new()),
            kept: (Vec::new(), Vec::new()),
            probs: Vec::new(),
            sampled: Vec::new(),
        }
    }

    /// Another expectation with the same answers, for use on another thread.
    #[must_use]
    pub fn fork(&self) -> Self {
        let pruner = self.pruner.as_ref().map(Pruner::fork);
        Self::new(self.game.clone(), self.evaluator.fork(), pruner)
    }

    /// The evaluator, to ask it about single states.
    pub fn evaluator(&mut self) -> &mut dyn Evaluator<G> {
        &mut *self.evaluator
    }

    /// Evaluates the afterstates of `state`, which is not terminal and where every roll of the
    /// game can come. `prune_by` is for the [pruner](Pruner::prune): what the opponent of the mover
    /// compares afterstates by.
    pub fn evaluate(
        &mut self,
        state: &G::State,
        prune_by: impl Fn(&G::State, &OutcomeProbs) -> Preference,
    ) -> EvaluatedRolls<'_, G> {
        self.evaluate_sample(state, RollSample::ALL, prune_by)
    }

    /// Evaluates the afterstates of a sample of the rolls, as [`evaluate`](Self::evaluate) those of
    /// all.
    fn evaluate_sample(
        &mut self,
        state: &G::State,
        sample: RollSample,
        prune_by: impl Fn(&G::State, &OutcomeProbs) -> Preference,
    ) -> EvaluatedRolls<'_, G> {
        let Self { game, evaluator, pruner, all, kept, probs, sampled } = self;
        let rolls = match sample {
            RollSample::ALL => game.rolls(),
            sample => {
                sample.of(game.rolls(), sampled);
                sampled
            }
        };
        let (listed, ends) = if pruner.is_some() { &mut *all } else { &mut *kept };
        listed.clear();
        ends.clear();
        for &(roll, _) in rolls {
            game.afterstates(state, roll, listed);
            ends.push(listed.len());
        }
        // One batch for all rolls: their afterstates share the parent.
        let parent = game.flip(state);
        if let Some(pruner) = pruner {
            kept.0.clear();
            kept.1.clear();
            pruner.prune(&parent, (&all.0, &all.1), prune_by, (&mut kept.0, &mut kept.1));
        }
        evaluator.evaluate_siblings(&parent, &kept.0, probs);
        EvaluatedRolls { rolls, states: &kept.0, ends: &kept.1, probs }
    }

    /// Evaluates the afterstates of `state` as [`evaluate`](Self::evaluate), pruning by cubeless
    /// equity.
    pub fn evaluate_cubeless(&mut self, state: &G::State) -> EvaluatedRolls<'_, G> {
        self.evaluate(state, |_, probs| Preference::cubeless(probs))
    }

    /// The 1-ply value of `state`, which is not terminal, if both players strive for `utility`.
    pub fn value<U: Utility<G>>(&mut self, state: &G::State, utility: &U) -> U::Value {
        self.value_of(state, utility, RollSample::ALL, |_| {})
    }

    /// The 1-ply value of `state` by a sample of the rolls; `observer` sees the best afterstate of
    /// each.
    pub(crate) fn value_of<U: Utility<G>>(
        &mut self,
        state: &G::State,
        utility: &U,
        sample: RollSample,
        mut observer: impl FnMut(&BestAfterstate<G, Preference>),
    ) -> U::Value {
        let preference =
            |state: &G::State, probs: &OutcomeProbs| utility.preference_of(state, probs);
        let rolls = self.evaluate_sample(state, sample, preference);
        let after = rolls.best_by(preference).map(|best| {
            observer(&best);
            let value = utility.value(&best.state, &best.probs);
            (utility.flip(&value), best.weight.into())
        });
        utility.before_roll(state, &after.collect::<Vec<_>>())
    }
}

/// The afterstates of all rolls of a state, with what the evaluator says of them.
pub struct EvaluatedRolls<'a, G: Game> {
    rolls: &'a [(G::Roll, u8)],
    states: &'a [G::State],
    ends: &'a [usize],
    probs: &'a [OutcomeProbs],
}

/// The best afterstate of a roll.
#[derive(Clone, Copy, Debug)]
pub struct BestAfterstate<G: Game, V> {
    /// The roll.
    pub roll: G::Roll,
    /// Its weight out of [`Game::TOTAL_WEIGHT`].
    pub weight: u8,
    /// The afterstate, seen by the opponent of the mover.
    pub state: G::State,
    /// The outcome probabilities there, from that opponent.
    pub probs: OutcomeProbs,
    /// Its value to that opponent, by which it was chosen.
    pub value: V,
}

impl<G: Game> EvaluatedRolls<'_, G> {
    /// Of each roll, in the order of the game's, the afterstate with the least value to the
    /// opponent of the mover; the first of equals.
    pub fn best_by<V: PartialOrd + Copy>(
        &self,
        value: impl Fn(&G::State, &OutcomeProbs) -> V,
    ) -> impl Iterator<Item = BestAfterstate<G, V>> {
        self.afterstates().map(move |(roll, weight, range)| {
            let value = |i: usize| value(&self.states[i], &self.probs[i]);
            let i = least(range, value).expect("every roll has an afterstate, if only the pass");
            let (state, probs) = (self.states[i], self.probs[i]);
            BestAfterstate { roll, weight, state, probs, value: value(i) }
        })
    }

    /// Of each roll, in the order of the game's, the afterstate with the least cubeless equity to
    /// the opponent of the mover.
    pub fn best(&self) -> impl Iterator<Item = BestAfterstate<G, f32>> {
        self.best_by(|_, probs| probs.equity())
    }

    /// The rolls with their weights, and where their afterstates are.
    fn afterstates(&self) -> impl Iterator<Item = (G::Roll, u8, Range<usize>)> {
        let mut start = 0;
        self.rolls.iter().zip(self.ends).map(move |(&(roll, weight), &end)| {
            let range = start..end;
            start = end;
            (roll, weight, range)
        })
    }
}

/// The index with the least value; the first of equals.
pub fn least<V: PartialOrd>(
    indices: impl IntoIterator<Item = usize>,
    value: impl Fn(usize) -> V,
) -> Option<usize> {
    let mut indices = indices.into_iter();
    let first = indices.next()?;
    let mut best = (first, value(first));
    for i in indices {
        let value = value(i);
        if value < best.1 {
            best = (i, value);
        }
    }
    Some(best.0)
}

/// A floating-point number in which values are summed: `f32` or `f64`.
pub trait Real:
    Copy
    + Default
    + From<u16>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
}

impl Real for f32 {}
impl Real for f64 {}

/// The value of each roll to the mover, and the mean over all rolls. A value may have several
/// parts, such as six outcome probabilities.
#[derive(Clone, Debug)]
pub struct RollValues<T, const N: usize> {
    values: Vec<[T; N]>,
    mean: [T; N],
}

impl<T: Real, const N: usize> RollValues<T, N> {
    /// From the weight and the value of each roll of the game `G`, in order.
    pub fn new<G: Game>(rolls: impl Iterator<Item = (u8, [T; N])>) -> Self {
        let mut mean = [T::default(); N];
        let add = |(weight, value): (u8, [T; N])| {
            let probability = probability::<G, T>(weight);
            for (mean, part) in mean.iter_mut().zip(value) {
                *mean = *mean + probability * part;
            }
            value
        };
        let values = rolls.map(add).collect();
        Self { values, mean }
    }

    /// The mean over all rolls.
    pub const fn mean(&self) -> [T; N] {
        self.mean
    }

    /// The luck of roll number `roll`: its value less the mean.
    pub fn luck(&self, roll: usize) -> [T; N] {
        std::array::from_fn(|part| self.values[roll][part] - self.mean[part])
    }
}

/// The probability of a roll of the game `G` with this weight.
pub fn probability<G: Game, T: Real>(weight: u8) -> T {
    let all = u16::try_from(G::TOTAL_WEIGHT).expect("three dice have 216 rolls");
    T::from(u16::from(weight)) / T::from(all)
}

#[cfg(test)]
mod tests {
    use tavola_net::{EncoderKind, random_weights};
    use tavola_rules::{Backgammon, Dice, Position};

    use super::*;
    use crate::evaluators::{FakeEvaluator, NetEvaluator, PipCountEvaluator};
    use crate::pruning::Pruning;
    use crate::search::Cubeless;

    const GAME: Backgammon = Backgammon::Standard;

    fn racer(pruning: Option<Pruning>) -> RollExpectation<Backgammon> {
        let racer = || Box::new(PipCountEvaluator::new(GAME));
        RollExpectation::new(GAME, racer(), pruning.map(|how| Pruner::new(racer(), how)))
    }

    #[test]
    fn samples_of_rolls_keep_the_sum_of_the_weights_and_cover_the_rolls_evenly() {
        let all = Dice::ALL;
        let sum = |rolls: &[(Dice, u8)]| rolls.iter().map(|&(_, weight)| u32::from(weight)).sum();
        let mut rolls = Vec::new();
        RollSample::ALL.of(&all, &mut rolls);
        assert_eq!(rolls, all);
        for step in [2, 3, 4, 6, 9, 12, 18, 36] {
            let sample = RollSample::every(step);
            let mut covered = [0; 21];
            for number in 0..step {
                sample.after(number).of(&all, &mut rolls);
                let total: u32 = sum(&rolls);
                assert_eq!(total, 36, "{step} {number}");
                assert!(rolls.len() <= sample.most::<Backgammon>(&all), "{step} {number}");
                for (roll, weight) in &rolls {
                    let at = all.iter().position(|(other, _)| other == roll).unwrap();
                    covered[at] += u32::from(*weight);
                }
            }
            // All samples together are all rolls, as often as each comes.
            let expected = all.map(|(_, weight)| u32::from(weight) * step);
            assert_eq!(covered, expected, "{step}");
        }
    }

    #[test]
    fn the_first_of_the_least_is_found() {
        let values = [0.5, -0.25, -0.25, 0.0];
        assert_eq!(least(0..4, |i| values[i]), Some(1));
        assert_eq!(least([3, 0], |i| values[i]), Some(3));
        assert_eq!(least(0..0, |i| values[i]), None);
    }

    #[test]
    fn without_a_pruner_all_afterstates_of_each_roll_are_evaluated() {
        let mut expectation = racer(None);
        let rolls = expectation.evaluate(&Position::STANDARD, |_, _| unreachable!("no pruner"));
        let mut count = 0;
        for (roll, _, range) in rolls.afterstates() {
            let mut afterstates = Vec::new();
            GAME.afterstates(&Position::STANDARD, roll, &mut afterstates);
            assert_eq!(rolls.states[range], afterstates);
            count += 1;
        }
        assert_eq!((count, rolls.probs.len()), (21, rolls.states.len()));
    }

    #[test]
    fn a_pruner_keeps_the_best_of_each_roll() {
        // One pip less to go for the opponent is worth a hundredth.
        let fake = FakeEvaluator::new(GAME, |state: &Position| {
            let win = 0.5 - state.pip_count() as f32 / 200.0;
            OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
        });
        let pruning = Pruning { keep: 3, within: 0.025 };
        let pruner = Pruner::new(Box::new(fake), pruning);
        let racer = Box::new(PipCountEvaluator::new(GAME));
        let mut few = RollExpectation::new(GAME, racer, Some(pruner)).fork();
        let few = few.evaluate_cubeless(&Position::STANDARD);
        let mut all = self::racer(None);
        let all = all.evaluate_cubeless(&Position::STANDARD);
        let mut left = Vec::new();
        for ((roll, _, range), (_, _, few_range)) in all.afterstates().zip(few.afterstates()) {
            let mut expected = all.states[range].to_vec();
            expected.sort_by_key(|state| std::cmp::Reverse(state.pip_count()));
            let most = expected[0].pip_count();
            expected.truncate(3);
            expected.retain(|state| most - state.pip_count() <= 2);
            let pips = |states: &[Position]| states.iter().map(|s| s.pip_count()).collect();
            let (found, expected): (Vec<_>, Vec<_>) =
                (pips(&few.states[few_range]), pips(&expected));
            assert_eq!(found, expected, "{roll}");
            left.push(found.len());
        }
        assert!(left.contains(&3), "{left:?}");
        let mut one = self::racer(Some(pruning));
        let one = one.evaluate_cubeless(&Position::STANDARD);
        assert!(one.afterstates().all(|(_, _, range)| (1..=3).contains(&range.len())));
    }

    /// States along a random game.
    fn states(seed: u64) -> Vec<Position> {
        use rand::SeedableRng;
        use rand::rngs::ChaCha8Rng;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut state = Position::STANDARD;
        let mut states = vec![state];
        while states.len() < 30 {
            let mut afterstates = Vec::new();
            GAME.afterstates(&state, GAME.roll(&mut rng), &mut afterstates);
            state = afterstates[seed as usize % afterstates.len()];
            if GAME.outcome(&state).is_some() {
                break;
            }
            states.push(state);
        }
        states
    }

    #[test]
    fn the_mean_luck_of_all_rolls_is_zero_whatever_the_evaluator_and_the_pruner_say() {
        for seed in 0..4 {
            let net = |seed| {
                let weights = random_weights(EncoderKind::Tesauro, &[8], seed);
                Box::new(NetEvaluator::new(&weights, GAME).unwrap())
            };
            for keep in [None, Some(1), Some(3)] {
                let pruner =
                    keep.map(|keep| Pruner::new(net(seed + 9), Pruning { keep, within: 9.0 }));
                let mut expectation = RollExpectation::new(GAME, net(seed), pruner);
                for state in states(seed) {
                    let evaluated = expectation.evaluate_cubeless(&state);
                    let values = evaluated.best().map(|best| (best.weight, best.probs.flip().0));
                    let values = values.map(|(weight, probs)| (weight, probs.map(f64::from)));
                    let values = RollValues::new::<Backgammon>(values);
                    for part in 0..6 {
                        let luck = GAME.rolls().iter().enumerate();
                        let sum: f64 = luck
                            .map(|(roll, &(_, weight))| f64::from(weight) * values.luck(roll)[part])
                            .sum();
                        assert!(sum.abs() < 1e-12, "{state:?}: {sum}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_value_is_the_weighted_mean_of_the_best_afterstates() {
        for state in states(5) {
            let mut expectation = racer(None);
            let value = expectation.value(&state, &Cubeless);
            let rolls = expectation.evaluate_cubeless(&state);
            let values = rolls.best().map(|best| (best.weight, best.probs.flip().0));
            let mean = RollValues::new::<Backgammon>(values).mean();
            for (a, b) in value.0.iter().zip(mean) {
                assert!((a - b).abs() < 1e-6, "{value:?}, {mean:?}");
            }
        }
    }
}
