//! TD(lambda) over the six outcome probabilities (Sutton 1988, "Learning to predict by the methods
//! of temporal differences").
//!
//! ```text
//! T(s) = flip((1 - lambda) V(s') + lambda T(s'))
//! ```
//!
//! `V(s')` is in the record: the evaluation by the network that played, as deep as it searched the
//! play. A terminal state is worth its certain outcome. So lambda 1 teaches the outcome of the game, and lambda 0 the
//! evaluation one play later. Where labels have the luck of the roll, it is taken off the right
//! side: see `variance_reduced`.

use serde::{Deserialize, Serialize};
use tavola_data::{Choice, Comparison, Label, LabelsOf, RecordOf, Return, Returns, Samples};
use tavola_equity::OutcomeProbs;
use tavola_files::Failure;
use tavola_rules::Game;

/// What is learned before a play that exploration drew at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExplorationTarget {
    /// The evaluation of the state right after the play, and nothing later. Every state is
    /// a sample, but the targets before explored plays are a little low.
    #[default]
    OneStep,
    /// Nothing; earlier states learn the evaluation of the state before the play. No target is
    /// biased, but samples are lost.
    Skip,
}

/// Turns records and labels into samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TdTargets {
    lambda: f32,
    exploration: ExplorationTarget,
}

impl TdTargets {
    /// Targets with this lambda, from 0 to 1.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it is anything else.
    pub fn new(lambda: f64, exploration: ExplorationTarget) -> Result<Self, Failure> {
        if (0.0..=1.0).contains(&lambda) {
            Ok(Self { lambda: lambda as f32, exploration })
        } else {
            Err(Failure::input(format!("lambda is {lambda}, expected a number from 0 to 1")))
        }
    }

    /// Appends the samples of one game as the labels say, one for each state but the terminal one:
    /// its states from the last unfinished one back to the start. A given target counts for its own
    /// state alone: what earlier states learn from the game is the same without it. The siblings of a
    /// state follow it; candidates come last.
    ///
    /// # Panics
    ///
    /// If `samples` have more cells than the game's states, or if there are fewer labels than
    /// states.
    pub fn append<G: Game>(
        &self,
        record: &RecordOf<G>,
        labels: &LabelsOf<G>,
        samples: &mut Samples,
    ) {
        let mut returns = Returns::new(samples.stride());
        self.exploration.append::<G>(record, labels, &mut returns);
        returns.resolve(|| self.lambda, samples);
    }
}

impl ExplorationTarget {
    /// Appends what one game teaches before lambda is chosen, as [`TdTargets::append`] does.
    ///
    /// # Panics
    ///
    /// As there.
    pub fn append<G: Game>(
        self,
        record: &RecordOf<G>,
        labels: &LabelsOf<G>,
        returns: &mut Returns,
    ) {
        let learns = labels.labels.contains(&Label::FromGame);
        // `V` of the state after the turn.
        let mut later = OutcomeProbs::certain(record.outcome);
        let mut siblings =
            labels.comparisons.iter().rev().filter_map(|comparison| match comparison {
                Comparison::Sibling { of, state, difference } => Some((*of, state, difference)),
                Comparison::Candidates { .. } => None,
            });
        let mut sibling = siblings.next();
        for (i, turn) in record.turns.iter().enumerate().rev() {
            let (before, value) = match i.checked_sub(1) {
                Some(previous) => (record.turns[previous].after, record.turns[previous].probs),
                // Nothing comes before the start: any value does that fits its step.
                None => (record.start, later.flip()),
            };
            let is_played = turn.choice == Choice::Best;
            let is_unbiased = is_played || self == Self::OneStep;
            let next = if is_unbiased { later.flip() } else { value };
            let luck = labels.luck.get(i).copied().unwrap_or_default();
            let step = std::array::from_fn(|k| next.0[k] - luck[k] - value.0[k]);
            let goes_on = is_played && i + 1 < record.turns.len();
            let is_learned = labels.labels[i] == Label::FromGame && is_unbiased;
            let kind = match (goes_on, is_learned) {
                (true, true) => Return::Earlier,
                (true, false) => Return::EarlierUnlearned,
                (false, true) => Return::Last,
                (false, false) => Return::LastUnlearned,
            };
            if learns {
                returns.push_step(kind, G::cells(&before), value.0, step);
            }
            let given = match labels.labels[i] {
                Label::Given(probs) => Some(probs.0),
                Label::FromGame | Label::Skip => None,
            };
            if let Some(given) = given {
                returns.push(Return::Given, G::cells(&before), given);
            }
            while let Some((of, state, difference)) = sibling
                && of >= i
            {
                // A state that is no sample has no siblings.
                if of == i && (is_learned || given.is_some()) {
                    returns.push(Return::Difference, G::cells(state), *difference);
                }
                sibling = siblings.next();
            }
            later = value;
        }
        for comparison in &labels.comparisons {
            if let Comparison::Candidates { states: [one, other], probs } = comparison {
                returns.push(Return::Given, G::cells(one), probs[0].0);
                returns.push(Return::Sibling, G::cells(other), probs[1].0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use tavola_data::{GameLabels, GameRecord, Turn};
    use tavola_rules::{Backgammon, Dice, Outcome, Position};

    use super::*;

    /// Four states and an end; the evaluations are those of the states 1, 2, 3 and the end.
    fn record(choices: [Choice; 4]) -> RecordOf<Backgammon> {
        let evaluated = [
            [0.1, 0.0, 0.0, 0.9, 0.0, 0.0],
            [0.8, 0.0, 0.0, 0.2, 0.0, 0.0],
            [0.3, 0.0, 0.0, 0.5, 0.2, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        ];
        let rolls = Backgammon::Standard.rolls();
        let turns = std::iter::zip(choices, evaluated)
            .enumerate()
            .map(|(i, (choice, probs))| Turn {
                roll: rolls[i].0,
                after: state(i + 1),
                probs: OutcomeProbs(probs),
                choice,
            })
            .collect::<Vec<Turn<Position, Dice>>>();
        // The last player lost a gammon.
        GameRecord { index: 0, start: state(0), turns, outcome: Outcome::LoseGammon }
    }

    /// The same random game every time, all its states different.
    fn state(number: usize) -> Position {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut state = Position::STANDARD;
        for _ in 0..number {
            let mut afterstates = Vec::new();
            let roll = Backgammon::Standard.roll(&mut rng);
            Backgammon::Standard.afterstates(&state, roll, &mut afterstates);
            state = afterstates[0];
        }
        state
    }

    /// The targets of all samples, by number of state.
    fn targets(
        lambda: f64,
        explored: ExplorationTarget,
        choices: [Choice; 4],
    ) -> Vec<(usize, [f32; 6])> {
        labeled_targets(lambda, explored, choices, None)
    }

    fn labeled_targets(
        lambda: f64,
        explored: ExplorationTarget,
        choices: [Choice; 4],
        labels: Option<[Label; 4]>,
    ) -> Vec<(usize, [f32; 6])> {
        let mut samples = Samples::new(Backgammon::Standard.layout().len());
        let targets = TdTargets::new(lambda, explored).unwrap();
        let labels = GameLabels::new(labels.unwrap_or([Label::FromGame; 4]).to_vec());
        targets.append::<Backgammon>(&record(choices), &labels, &mut samples);
        let mut found: Vec<_> = (0..samples.len())
            .map(|sample| {
                let cells = samples.cells(sample);
                let same = |&i: &usize| &Backgammon::cells(&state(i))[..cells.len()] == cells;
                ((0..4).find(same).unwrap(), samples.target(sample).try_into().unwrap())
            })
            .collect();
        found.sort_by_key(|&(state, _)| state);
        found
    }

    fn assert_close(found: &[(usize, [f32; 6])], expected: &[(usize, [f32; 6])]) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((i, found), (j, expected)) in found.iter().zip(expected) {
            assert_eq!(i, j);
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-6, "state {i}: {found:?}, expected {expected:?}");
            }
        }
    }

    use Choice::{Best, Explored};

    const LOSE_GAMMON: [f32; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    const WIN_GAMMON: [f32; 6] = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

    #[test]
    fn variance_reduction_takes_the_luck_of_every_turn_off() {
        let luck = [0.25, 0.0, 0.0, -0.25, 0.0, 0.0];
        let none = [0.0; 6];
        let labels = GameLabels {
            luck: vec![none, luck, none, luck],
            ..GameLabels::new(vec![Label::FromGame; 4])
        };
        let mut samples = Samples::new(Backgammon::Standard.layout().len());
        let targets = TdTargets::new(1.0, ExplorationTarget::OneStep).unwrap();
        targets.append::<Backgammon>(&record([Best; 4]), &labels, &mut samples);
        // From the last state back: the winner of the gammon was lucky twice, on their own turns.
        let found: Vec<_> = (0..samples.len())
            .map(|sample| (sample, samples.target(sample).try_into().unwrap()))
            .collect();
        let expected = [
            (0, [-0.25, 0.0, 0.0, 0.25, 1.0, 0.0]),
            (1, [0.25, 1.0, 0.0, -0.25, 0.0, 0.0]),
            (2, [-0.5, 0.0, 0.0, 0.5, 1.0, 0.0]),
            (3, [0.5, 1.0, 0.0, -0.5, 0.0, 0.0]),
        ];
        assert_close(&found, &expected);
    }

    #[test]
    fn siblings_follow_their_state_and_differ_as_their_labels_say() {
        let difference = [0.1, 0.0, 0.0, -0.1, 0.0, 0.0];
        let sibling = |of, number| Comparison::Sibling { of, state: state(number), difference };
        let labels = [Label::FromGame, Label::FromGame, Label::Skip, Label::FromGame];
        let labels = GameLabels {
            // State 2 is no sample.
            comparisons: vec![sibling(1, 11), sibling(1, 14), sibling(2, 12), sibling(3, 13)],
            ..GameLabels::new(labels.to_vec())
        };
        let mut samples = Samples::new(Backgammon::Standard.layout().len());
        let targets = TdTargets::new(1.0, ExplorationTarget::OneStep).unwrap();
        targets.append::<Backgammon>(&record([Best; 4]), &labels, &mut samples);
        let found: Vec<_> = (0..samples.len()).map(|i| samples.is_sibling(i)).collect();
        assert_eq!(found, [false, true, false, true, true, false]);
        assert_eq!((samples.family(0), samples.family(2)), (0..2, 2..5));
        for (sample, of, number) in [(1, 0, 13), (3, 2, 14), (4, 2, 11)] {
            let target = samples.target(of);
            let expected: [f32; 6] = std::array::from_fn(|k| target[k] + difference[k]);
            assert_eq!(samples.target(sample), expected);
            let cells = samples.cells(sample);
            assert_eq!(cells, &Backgammon::cells(&state(number))[..cells.len()]);
        }
    }

    #[test]
    fn candidates_are_learned_as_they_were_evaluated() {
        let probs = [LOSE_GAMMON, WIN_GAMMON].map(OutcomeProbs);
        let labels = GameLabels {
            comparisons: vec![Comparison::Candidates { states: [state(7), state(8)], probs }],
            ..GameLabels::new(vec![Label::Skip; 4])
        };
        let mut samples = Samples::new(Backgammon::Standard.layout().len());
        let targets = TdTargets::new(1.0, ExplorationTarget::OneStep).unwrap();
        targets.append::<Backgammon>(&record([Best; 4]), &labels, &mut samples);
        let targets = (0..samples.len()).map(|sample| samples.target(sample));
        assert!(targets.eq(probs.iter().map(|probs| &probs.0[..])));
        for (sample, number) in [(0, 7), (1, 8)] {
            assert_eq!(samples.is_sibling(sample), sample == 1);
            let cells = samples.cells(sample);
            assert_eq!(cells, &Backgammon::cells(&state(number))[..cells.len()]);
        }
    }

    #[test]
    fn lambda_one_teaches_the_outcome() {
        let expected = [(0, LOSE_GAMMON), (1, WIN_GAMMON), (2, LOSE_GAMMON), (3, WIN_GAMMON)];
        assert_close(&targets(1.0, ExplorationTarget::OneStep, [Best; 4]), &expected);
    }

    #[test]
    fn lambda_zero_teaches_the_next_evaluation() {
        let expected = [
            (0, [0.9, 0.0, 0.0, 0.1, 0.0, 0.0]),
            (1, [0.2, 0.0, 0.0, 0.8, 0.0, 0.0]),
            (2, [0.5, 0.2, 0.0, 0.3, 0.0, 0.0]),
            (3, WIN_GAMMON),
        ];
        assert_close(&targets(0.0, ExplorationTarget::OneStep, [Best; 4]), &expected);
    }

    #[test]
    fn lambda_between_mixes_as_computed_by_hand() {
        // Half the evaluation and half the target of the next state, flipped; from the end:
        // state 2 from (0.15 + 0, 0, 0, 0.25 + 0, 0.1 + 0.5, 0),
        // state 1 from (0.4 + 0.125, 0.3, 0, 0.1 + 0.075, 0, 0),
        // state 0 from (0.05 + 0.0875, 0, 0, 0.45 + 0.2625, 0.15, 0).
        let expected = [
            (0, [0.7125, 0.15, 0.0, 0.1375, 0.0, 0.0]),
            (1, [0.175, 0.0, 0.0, 0.525, 0.3, 0.0]),
            (2, [0.25, 0.6, 0.0, 0.15, 0.0, 0.0]),
            (3, WIN_GAMMON),
        ];
        assert_close(&targets(0.5, ExplorationTarget::OneStep, [Best; 4]), &expected);
    }

    #[test]
    fn nothing_later_is_learned_through_an_explored_play() {
        let choices = [Best, Explored, Best, Best];
        let state_1 = [0.2, 0.0, 0.0, 0.8, 0.0, 0.0];
        let expected =
            [(0, [0.8, 0.0, 0.0, 0.2, 0.0, 0.0]), (1, state_1), (2, LOSE_GAMMON), (3, WIN_GAMMON)];
        assert_close(&targets(1.0, ExplorationTarget::OneStep, choices), &expected);
    }

    #[test]
    fn skipped_explored_plays_leave_the_evaluation_before_them() {
        let choices = [Best, Explored, Best, Best];
        let expected = [(0, [0.9, 0.0, 0.0, 0.1, 0.0, 0.0]), (2, LOSE_GAMMON), (3, WIN_GAMMON)];
        assert_close(&targets(1.0, ExplorationTarget::Skip, choices), &expected);
        // At the start nothing comes before.
        let expected = [(1, WIN_GAMMON), (2, LOSE_GAMMON), (3, WIN_GAMMON)];
        let choices = [Explored, Best, Best, Best];
        assert_close(&targets(1.0, ExplorationTarget::Skip, choices), &expected);
    }

    #[test]
    fn labels_choose_the_states_and_given_targets_touch_no_other() {
        let given = [0.1, 0.2, 0.0, 0.3, 0.3, 0.1];
        let labels =
            [Label::FromGame, Label::Skip, Label::Given(OutcomeProbs(given)), Label::FromGame];
        let found = labeled_targets(0.5, ExplorationTarget::OneStep, [Best; 4], Some(labels));
        let from_game = targets(0.5, ExplorationTarget::OneStep, [Best; 4]);
        assert_close(&found, &[from_game[0], (2, given), from_game[3]]);
        let all =
            labeled_targets(0.5, ExplorationTarget::Skip, [Best; 4], Some([Label::FromGame; 4]));
        assert_eq!(all, from_game);
    }

    #[test]
    fn a_given_target_is_learned_even_before_a_play_drawn_at_random() {
        let choices = [Best, Explored, Best, Best];
        let labels =
            [Label::Skip, Label::Given(OutcomeProbs(WIN_GAMMON)), Label::Skip, Label::Skip];
        let found = labeled_targets(0.5, ExplorationTarget::Skip, choices, Some(labels));
        assert_close(&found, &[(1, WIN_GAMMON)]);
    }

    #[test]
    fn lambda_outside_its_range_is_refused() {
        for lambda in [-0.01, 1.01, f64::NAN] {
            assert!(TdTargets::new(lambda, ExplorationTarget::Skip).is_err());
        }
    }
}
