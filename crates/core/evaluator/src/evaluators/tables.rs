//! Bear-off databases in front of another evaluator.

use tavola_bearoff::Tables;
use tavola_equity::OutcomeProbs;
use tavola_rules::{Backgammon, Outcome, Position};

use crate::evaluator::Evaluator;

/// Evaluates by databases where they reach, and by another evaluator elsewhere. A two-sided
/// database is exact, a one-sided one nearly so in races (see [`Tables::evaluate`]).
///
/// Positions that no table covers, so all with contact, cost a few nanoseconds more than without
/// databases, and reach the other evaluator together, siblings as siblings. Its answers for them
/// are unchanged.
///
/// ```
/// use tavola_bearoff::{Store, TableSpec};
/// use tavola_evaluator::{Evaluator, PipCountEvaluator, TableEvaluator};
/// use tavola_rules::{Backgammon, Position};
///
/// let (tables, _) = Store::in_memory().load(&[TableSpec::two_sided(2)?], &|_| {});
/// let pip_count = PipCountEvaluator::new(Backgammon::Standard);
/// let mut evaluator = TableEvaluator::new(tables, Box::new(pip_count));
/// // One checker on the six point against one on the ace point.
/// let position = Position::from_points(&[(6, 1)], &[(1, 1)], 15)?;
/// let mut evaluated = Vec::new();
/// evaluator.evaluate(&[position], &mut evaluated);
/// assert_eq!(evaluated[0].cumulative().win, 0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableEvaluator {
    tables: Tables,
    otherwise: Box<dyn Evaluator<Backgammon>>,
    /// Scratch: the states outside the databases, and the other evaluator's probabilities for them.
    outside: Vec<Position>,
    evaluated: Vec<OutcomeProbs>,
}

impl TableEvaluator {
    /// These databases, and another evaluator for what they don't cover.
    pub fn new(tables: Tables, otherwise: Box<dyn Evaluator<Backgammon>>) -> Self {
        Self { tables, otherwise, outside: Vec::new(), evaluated: Vec::new() }
    }

    /// The tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The probabilities of a state, where the other evaluator is not needed.
    #[inline]
    fn known(&self, state: &Position) -> Option<OutcomeProbs> {
        self.tables.evaluate(state).or_else(|| Outcome::of(state).map(OutcomeProbs::certain))
    }

    /// Asks the tables about each state and `otherwise` about the rest, all at once.
    fn through_tables(
        &mut self,
        states: &[Position],
        out: &mut Vec<OutcomeProbs>,
        otherwise: impl FnOnce(&mut dyn Evaluator<Backgammon>, &[Position], &mut Vec<OutcomeProbs>),
    ) {
        // Most of the time no table reaches, and then nothing is copied.
        let Some((first, probs)) = states
            .iter()
            .enumerate()
            .find_map(|(i, state)| self.known(state).map(|probs| (i, probs)))
        else {
            return otherwise(&mut *self.otherwise, states, out);
        };
        out.clear();
        self.outside.clear();
        self.outside.extend_from_slice(&states[..first]);
        // A state outside is marked by impossible probabilities until it is evaluated.
        const OPEN: OutcomeProbs = OutcomeProbs([-1.0; 6]);
        out.resize(first, OPEN);
        out.push(probs);
        for state in &states[first + 1..] {
            out.push(self.known(state).unwrap_or_else(|| {
                self.outside.push(*state);
                OPEN
            }));
        }
        if self.outside.is_empty() {
            return;
        }
        otherwise(&mut *self.otherwise, &self.outside, &mut self.evaluated);
        let open = out.iter_mut().filter(|probs| **probs == OPEN);
        for (probs, evaluated) in open.zip(&self.evaluated) {
            *probs = *evaluated;
        }
    }
}

impl Evaluator<Backgammon> for TableEvaluator {
    fn evaluate(&mut self, states: &[Position], out: &mut Vec<OutcomeProbs>) {
        self.through_tables(states, out, |evaluator, states, out| evaluator.evaluate(states, out));
    }

    fn evaluate_siblings(
        &mut self,
        parent: &Position,
        states: &[Position],
        out: &mut Vec<OutcomeProbs>,
    ) {
        self.through_tables(states, out, |evaluator, states, out| {
            evaluator.evaluate_siblings(parent, states, out);
        });
    }

    /// Inside the two-sided table; a one-sided one takes the two sides for independent.
    fn is_exact(&self, state: &Position) -> bool {
        self.tables.two_sided(state).is_some() || self.otherwise.is_exact(state)
    }

    fn fork(&self) -> Box<dyn Evaluator<Backgammon>> {
        Box::new(Self::new(self.tables.clone(), self.otherwise.fork()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use tavola_bearoff::{Store, TableSpec};
    use tavola_net::{EncoderKind, random_weights};
    use tavola_rules::{Dice, Game};

    use super::*;
    use crate::analysis::rank_afterstates;
    use crate::evaluators::{FakeEvaluator, NetEvaluator};

    static TABLES: LazyLock<Tables> = LazyLock::new(|| {
        let specs = [TableSpec::one_sided(6, 8).unwrap(), TableSpec::two_sided(3).unwrap()];
        Store::in_memory().load(&specs, &|_| {}).0
    });

    const GAME: Backgammon = Backgammon::Standard;

    #[test]
    fn only_states_outside_the_tables_reach_the_other_evaluator() {
        let marked = OutcomeProbs([0.1, 0.1, 0.1, 0.3, 0.2, 0.2]);
        let fake = FakeEvaluator::new(GAME, move |_| marked);
        let mut evaluator = TableEvaluator::new(TABLES.clone(), Box::new(fake.clone()));
        let exact = Position::from_points(&[(6, 1)], &[(1, 1)], 15).unwrap();
        let race = Position::from_points(&[(6, 8)], &[(5, 7)], 15).unwrap();
        let over = Position::from_points(&[], &[(5, 7)], 15).unwrap();
        let long = Position::from_points(&[(7, 1)], &[(1, 1)], 15).unwrap();
        let states = [Position::STANDARD, exact, long, race, over.flip(), long];
        let mut out = vec![marked; 9];
        evaluator.evaluate(&states, &mut out);
        assert_eq!(out.len(), 6);
        assert_eq!(fake.evaluated(), 3);
        assert_eq!([out[0], out[2], out[5]], [marked; 3]);
        assert_eq!(out[1].of(Outcome::WinSingle), 0.75);
        assert_eq!(out[3], TABLES.evaluate(&race).unwrap());
        assert_eq!(out[4], OutcomeProbs::certain(Outcome::LoseSingle));
        // All outside goes as it is, all inside not at all.
        evaluator.evaluate(&[long; 2], &mut out);
        assert_eq!((&out[..], fake.evaluated()), (&[marked; 2][..], 5));
        evaluator.fork().evaluate(&[exact, race], &mut out);
        assert_eq!((out.len(), fake.evaluated()), (2, 5));
        evaluator.evaluate(&[], &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn siblings_are_evaluated_as_they_are_alone() {
        let weights = random_weights(EncoderKind::OneHot, &[16], 5);
        let net = NetEvaluator::new(&weights, GAME).unwrap();
        let mut evaluator = TableEvaluator::new(TABLES.clone(), Box::new(net));
        let mut alone = evaluator.fork();
        let (mut afterstates, mut siblings, mut single) = (Vec::new(), Vec::new(), Vec::new());
        let (mut inside, mut outside) = (0, 0);
        // On the border: the last checker comes home with some afterstates and not with others.
        for parent in [
            Position::from_points(&[(9, 1), (5, 3), (2, 2)], &[(6, 3), (3, 4)], 15).unwrap(),
            Position::from_points(&[(7, 2), (1, 3)], &[(6, 2)], 15).unwrap(),
            Position::from_points(&[(6, 4), (5, 4)], &[(6, 8)], 15).unwrap(),
            Position::STANDARD,
        ] {
            for (roll, _) in Dice::ALL {
                afterstates.clear();
                GAME.afterstates(&parent, roll, &mut afterstates);
                evaluator.evaluate_siblings(&parent.flip(), &afterstates, &mut siblings);
                for (state, probs) in afterstates.iter().zip(&siblings) {
                    alone.evaluate(std::slice::from_ref(state), &mut single);
                    for (a, b) in probs.0.iter().zip(single[0].0) {
                        assert!((a - b).abs() < 1e-5, "{state:?}: {probs:?} {single:?}");
                    }
                    match TABLES.evaluate(state) {
                        Some(_) => inside += 1,
                        None => outside += 1,
                    }
                }
            }
        }
        assert!(inside > 100 && outside > 100, "{inside} {outside}");
    }

    #[test]
    fn play_inside_the_two_sided_table_loses_nothing() {
        let fake = FakeEvaluator::new(GAME, |_| OutcomeProbs::certain(Outcome::WinSingle));
        let mut evaluator = TableEvaluator::new(TABLES.clone(), Box::new(fake));
        for (mine, theirs) in [
            (&[(6, 1), (5, 1), (4, 1)][..], &[(3, 3)][..]),
            (&[(6, 2), (2, 1)], &[(6, 1), (1, 2)]),
            (&[(5, 1), (1, 2)], &[(6, 2)]),
        ] {
            let state = Position::from_points(mine, theirs, 15).unwrap();
            // The mean of the best plays is the value: nothing is lost, roll by roll.
            let mean = Dice::ALL
                .into_iter()
                .map(|(roll, weight)| {
                    f32::from(weight) / 36.0
                        * rank_afterstates(&GAME, &mut evaluator, &state, roll)[0].equity
                })
                .sum::<f32>();
            let exact = TABLES.two_sided(&state).unwrap().cubeless;
            assert!((mean - exact).abs() < 1e-6, "{state:?}: {mean} {exact}");
        }
    }
}
