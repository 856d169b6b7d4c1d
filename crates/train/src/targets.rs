//! From records of games to what a network should have answered.
//!
//! Records hold facts; here is decided what to learn from them. [`TdTargets`] learns from the
//! game's own later judgements and its outcome. Better judgements of single states (all rolls,
//! deeper search, rollouts, exact tables) come as [`Label`]s of the states of a game; those of
//! states that belong to no game go straight to [`Samples::push`].

use serde::{Deserialize, Serialize};
use tavola_data::{Choice, Label, LabelsOf, Pair, RecordOf, Rival};
use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

/// States and the outcome chances that the network should give them, both from the player on
/// roll. A sample can be the rival of the one before it: what the network says of the two should
/// differ as their targets do.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    stride: usize,
    /// # Shapes
    ///
    /// `[samples, stride]`
    cells: Vec<i8>,
    targets: Vec<OutcomeProbs>,
    is_rival: Vec<bool>,
}

impl Samples {
    /// No samples yet, of states with `stride` cells: the length of the game's
    /// [`layout`](Game::layout).
    pub const fn new(stride: usize) -> Self {
        Self { stride, cells: Vec::new(), targets: Vec::new(), is_rival: Vec::new() }
    }

    /// Appends one. Padding after the cells is left out.
    ///
    /// # Panics
    ///
    /// If there are fewer cells than a state has.
    pub fn push(&mut self, cells: &[i8], target: OutcomeProbs) {
        self.cells.extend_from_slice(&cells[..self.stride]);
        self.targets.push(target);
        self.is_rival.push(false);
    }

    /// Appends a rival of the last sample, which must not be a rival itself.
    ///
    /// # Panics
    ///
    /// If it is one, if there is none, or if there are fewer cells than a state has.
    pub fn push_rival(&mut self, cells: &[i8], target: OutcomeProbs) {
        assert_eq!(self.is_rival.last(), Some(&false), "a rival follows a sample that is none");
        self.push(cells, target);
        *self.is_rival.last_mut().expect("one was pushed") = true;
    }

    /// Number of samples.
    pub const fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Cells of a state.
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// The cells of sample number `sample`, counted from 0.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn cells(&self, sample: usize) -> &[i8] {
        &self.cells[sample * self.stride..][..self.stride]
    }

    /// Whether sample number `sample`, counted from 0, is a rival of the one before it.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn is_rival(&self, sample: usize) -> bool {
        self.is_rival[sample]
    }

    /// The number of the rival of sample number `sample`, counted from 0, if it has one.
    pub fn rival_of(&self, sample: usize) -> Option<usize> {
        let next = sample + 1;
        self.is_rival.get(next).is_some_and(|&is_rival| is_rival).then_some(next)
    }

    /// The targets of all samples, in order.
    pub fn targets(&self) -> &[OutcomeProbs] {
        &self.targets
    }

    /// Removes all samples and keeps their memory for the next ones.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.targets.clear();
        self.is_rival.clear();
    }
}

/// What to do at plays that were drawn at random instead of being the best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExploredPlays {
    /// The state before the play learns from the judgement of the state right after it, and from
    /// nothing later. Every state is a sample, but those before explored plays are taught
    /// a little less than they are worth.
    #[default]
    OneStep,
    /// The state before the play is no sample, and what came earlier learns from how it was
    /// judged when it arose. Nothing is taught wrongly, but samples are lost.
    Skip,
}

/// Targets by temporal differences, TD(lambda), over the six outcome classes (Sutton 1988,
/// "Learning to predict by the methods of temporal differences").
///
/// With `V` for the judgement of a state that the record holds, from its player on roll, the
/// target of a state is
///
/// ```text
/// target(state) = flip((1 - lambda) * V(next state) + lambda * target(next state))
/// ```
///
/// and the finished state is worth its certain outcome. So lambda 1 teaches the outcome of the
/// game and lambda 0 the judgement one play later.
///
/// Where the luck of the roll is known, it is taken off the right side. That moves no target on
/// average, as luck is zero on average, and takes away most of its noise; single targets may then
/// leave the range from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TdTargets {
    lambda: f32,
    explored: ExploredPlays,
}

/// Why targets can't be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetsError {
    /// Lambda is not a weight.
    #[error("lambda is {found}, expected a number from 0 to 1")]
    Lambda {
        /// As given.
        found: f64,
    },
}

impl TdTargets {
    /// Targets with this lambda, from 0 to 1.
    ///
    /// # Errors
    ///
    /// [`TargetsError::Lambda`] if it is anything else.
    pub fn new(lambda: f64, explored: ExploredPlays) -> Result<Self, TargetsError> {
        if (0.0..=1.0).contains(&lambda) {
            Ok(Self { lambda: lambda as f32, explored })
        } else {
            Err(TargetsError::Lambda { found: lambda })
        }
    }

    /// Appends the samples of one game: its states from the last unfinished one back to the
    /// start.
    ///
    /// # Panics
    ///
    /// If `samples` have more cells than the game's states.
    pub fn append<G: Game>(&self, record: &RecordOf<G>, samples: &mut Samples) {
        self.append_states::<G>(record, |_| Label::FromGame, |_| None, &[], samples);
    }

    /// The same, but as the labels of the states say: from the first on, one for each state but
    /// the finished one. A given target counts for its own state alone; what states before it
    /// learn from the game is the same with and without it. The rival of a state follows
    /// it: its target is as far from that state's as it was judged to be. Pairs come last, one of
    /// each the rival of the other.
    ///
    /// # Panics
    ///
    /// If `samples` have more cells than the game's states, or if there are fewer labels than
    /// states.
    pub fn append_labelled<G: Game>(
        &self,
        record: &RecordOf<G>,
        labels: &LabelsOf<G>,
        samples: &mut Samples,
    ) {
        let luck = |turn| labels.luck.get(turn);
        self.append_states::<G>(
            record,
            |state| labels.labels[state],
            luck,
            &labels.rivals,
            samples,
        );
        for Pair { states: [one, other], probs } in &labels.pairs {
            samples.push(G::cells(one), probs[0]);
            samples.push_rival(G::cells(other), probs[1]);
        }
    }

    fn append_states<'a, G: Game>(
        &self,
        record: &RecordOf<G>,
        label: impl Fn(usize) -> Label,
        luck: impl Fn(usize) -> Option<&'a [f32; 6]>,
        rivals: &[Rival<G::State>],
        samples: &mut Samples,
    ) {
        // Both belong to the state after the turn: its judgement, and its target so far.
        let mut judged = OutcomeProbs::certain(record.outcome);
        let mut learnt = judged;
        let mut rivals = rivals.iter().rev().peekable();
        for (i, turn) in record.turns.iter().enumerate().rev() {
            let (before, judged_before) = match i.checked_sub(1) {
                Some(previous) => (record.turns[previous].after, record.turns[previous].probs),
                // Nothing comes before the start, so nobody asks how it was judged.
                None => (record.start, OutcomeProbs::default()),
            };
            learnt = match (turn.choice, self.explored) {
                (Choice::Best, _) => mix(judged, learnt, self.lambda).flip(),
                (Choice::Explored, ExploredPlays::OneStep) => judged.flip(),
                (Choice::Explored, ExploredPlays::Skip) => judged_before,
            };
            if let Some(luck) = luck(i) {
                for (chance, luck) in learnt.0.iter_mut().zip(luck) {
                    *chance -= luck;
                }
            }
            let is_sound = turn.choice == Choice::Best || self.explored == ExploredPlays::OneStep;
            let target = match label(i) {
                Label::Given(probs) => Some(probs),
                Label::FromGame if is_sound => Some(learnt),
                Label::FromGame | Label::Skip => None,
            };
            if let Some(target) = target {
                samples.push(G::cells(&before), target);
                if let Some(rival) = rivals.next_if(|rival| rival.of == i) {
                    let target = std::array::from_fn(|k| target.0[k] + rival.difference[k]);
                    samples.push_rival(G::cells(&rival.state), OutcomeProbs(target));
                }
            }
            // Those of a state that is no sample.
            while rivals.next_if(|rival| rival.of >= i).is_some() {}
            judged = judged_before;
        }
    }
}

/// `(1 - weight) * a + weight * b`
fn mix(a: OutcomeProbs, b: OutcomeProbs, weight: f32) -> OutcomeProbs {
    OutcomeProbs(std::array::from_fn(|i| (1.0 - weight) * a.0[i] + weight * b.0[i]))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use tavola_data::{GameLabels, GameRecord, Turn};
    use tavola_rules::{Backgammon, Dice, Outcome, Position};

    use super::*;

    /// Four states and an end; the judgements are those of the states 1, 2, 3 and the end.
    fn record(choices: [Choice; 4]) -> RecordOf<Backgammon> {
        let judged = [
            [0.1, 0.0, 0.0, 0.9, 0.0, 0.0],
            [0.8, 0.0, 0.0, 0.2, 0.0, 0.0],
            [0.3, 0.0, 0.0, 0.5, 0.2, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        ];
        let rolls = Backgammon::Standard.rolls();
        let turns = std::iter::zip(choices, judged)
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
            let mut results = Vec::new();
            let roll = Backgammon::Standard.roll(&mut rng);
            Backgammon::Standard.results(&state, roll, &mut results);
            state = results[0];
        }
        state
    }

    /// The targets of all samples, by number of state.
    fn targets(
        lambda: f64,
        explored: ExploredPlays,
        choices: [Choice; 4],
    ) -> Vec<(usize, [f32; 6])> {
        labelled_targets(lambda, explored, choices, None)
    }

    fn labelled_targets(
        lambda: f64,
        explored: ExploredPlays,
        choices: [Choice; 4],
        labels: Option<[Label; 4]>,
    ) -> Vec<(usize, [f32; 6])> {
        let mut samples = Samples::new(Backgammon::Standard.layout().len());
        let targets = TdTargets::new(lambda, explored).unwrap();
        match labels {
            None => targets.append::<Backgammon>(&record(choices), &mut samples),
            Some(labels) => {
                let labels = GameLabels::new(labels.to_vec());
                targets.append_labelled::<Backgammon>(&record(choices), &labels, &mut samples);
            }
        }
        let mut found: Vec<_> = (0..samples.len())
            .map(|sample| {
                let cells = samples.cells(sample);
                let same = |&i: &usize| &Backgammon::cells(&state(i))[..cells.len()] == cells;
                ((0..4).find(same).unwrap(), samples.targets()[sample].0)
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
    fn luck_is_taken_off_every_turn_on_the_way() {
        let luck = [0.25, 0.0, 0.0, -0.25, 0.0, 0.0];
        let none = [0.0; 6];
        let labels = GameLabels {
            luck: vec![none, luck, none, luck],
            ..GameLabels::new(vec![Label::FromGame; 4])
        };
        let mut samples = Samples::new(Backgammon::Standard.layout().len());
        let targets = TdTargets::new(1.0, ExploredPlays::OneStep).unwrap();
        targets.append_labelled::<Backgammon>(&record([Best; 4]), &labels, &mut samples);
        // From the last state back: the winner of the gammon was lucky twice, on his own turns.
        let found: Vec<_> = samples.targets().iter().map(|target| target.0).collect();
        assert_eq!(found[0], [-0.25, 0.0, 0.0, 0.25, 1.0, 0.0]);
        assert_eq!(found[1], [0.25, 1.0, 0.0, -0.25, 0.0, 0.0]);
        assert_eq!(found[2], [-0.5, 0.0, 0.0, 0.5, 1.0, 0.0]);
        assert_eq!(found[3], [0.5, 1.0, 0.0, -0.5, 0.0, 0.0]);
    }

    #[test]
    fn a_rival_follows_its_state_and_differs_by_what_was_judged() {
        let difference = [0.1, 0.0, 0.0, -0.1, 0.0, 0.0];
        let rival = |of| Rival { of, state: state(10 + of), difference };
        let labels = [Label::FromGame, Label::FromGame, Label::Skip, Label::FromGame];
        let labels = GameLabels {
            // Of a state that is no sample there is nothing to learn.
            rivals: vec![rival(1), rival(2), rival(3)],
            ..GameLabels::new(labels.to_vec())
        };
        let mut samples = Samples::new(Backgammon::Standard.layout().len());
        let targets = TdTargets::new(1.0, ExploredPlays::OneStep).unwrap();
        targets.append_labelled::<Backgammon>(&record([Best; 4]), &labels, &mut samples);
        let found: Vec<_> = (0..samples.len()).map(|i| samples.is_rival(i)).collect();
        assert_eq!(found, [false, true, false, true, false]);
        for (sample, number) in [(1, 13), (3, 11)] {
            let target = samples.targets()[sample - 1].0;
            let expected: [f32; 6] = std::array::from_fn(|k| target[k] + difference[k]);
            assert_eq!(samples.targets()[sample].0, expected);
            let cells = samples.cells(sample);
            assert_eq!(cells, &Backgammon::cells(&state(number))[..cells.len()]);
        }
    }

    #[test]
    fn pairs_are_learned_as_they_were_judged() {
        let probs = [LOSE_GAMMON, WIN_GAMMON].map(OutcomeProbs);
        let labels = GameLabels {
            pairs: vec![Pair { states: [state(7), state(8)], probs }],
            ..GameLabels::new(vec![Label::Skip; 4])
        };
        let mut samples = Samples::new(Backgammon::Standard.layout().len());
        let targets = TdTargets::new(1.0, ExploredPlays::OneStep).unwrap();
        targets.append_labelled::<Backgammon>(&record([Best; 4]), &labels, &mut samples);
        assert_eq!(samples.targets(), probs);
        for (sample, number) in [(0, 7), (1, 8)] {
            assert_eq!(samples.is_rival(sample), sample == 1);
            let cells = samples.cells(sample);
            assert_eq!(cells, &Backgammon::cells(&state(number))[..cells.len()]);
        }
    }

    #[test]
    fn lambda_one_teaches_the_outcome() {
        let expected = [(0, LOSE_GAMMON), (1, WIN_GAMMON), (2, LOSE_GAMMON), (3, WIN_GAMMON)];
        assert_close(&targets(1.0, ExploredPlays::OneStep, [Best; 4]), &expected);
    }

    #[test]
    fn lambda_zero_teaches_the_next_judgement() {
        let expected = [
            (0, [0.9, 0.0, 0.0, 0.1, 0.0, 0.0]),
            (1, [0.2, 0.0, 0.0, 0.8, 0.0, 0.0]),
            (2, [0.5, 0.2, 0.0, 0.3, 0.0, 0.0]),
            (3, WIN_GAMMON),
        ];
        assert_close(&targets(0.0, ExploredPlays::OneStep, [Best; 4]), &expected);
    }

    #[test]
    fn lambda_between_mixes_as_computed_by_hand() {
        // Half the judgement and half the target of the next state, flipped; from the end:
        // state 2 from (0.15 + 0, 0, 0, 0.25 + 0, 0.1 + 0.5, 0),
        // state 1 from (0.4 + 0.125, 0.3, 0, 0.1 + 0.075, 0, 0),
        // state 0 from (0.05 + 0.0875, 0, 0, 0.45 + 0.2625, 0.15, 0).
        let expected = [
            (0, [0.7125, 0.15, 0.0, 0.1375, 0.0, 0.0]),
            (1, [0.175, 0.0, 0.0, 0.525, 0.3, 0.0]),
            (2, [0.25, 0.6, 0.0, 0.15, 0.0, 0.0]),
            (3, WIN_GAMMON),
        ];
        assert_close(&targets(0.5, ExploredPlays::OneStep, [Best; 4]), &expected);
    }

    #[test]
    fn nothing_later_is_learnt_through_an_explored_play() {
        let choices = [Best, Explored, Best, Best];
        let state_1 = [0.2, 0.0, 0.0, 0.8, 0.0, 0.0];
        let expected =
            [(0, [0.8, 0.0, 0.0, 0.2, 0.0, 0.0]), (1, state_1), (2, LOSE_GAMMON), (3, WIN_GAMMON)];
        assert_close(&targets(1.0, ExploredPlays::OneStep, choices), &expected);
    }

    #[test]
    fn skipped_explored_plays_leave_the_judgement_before_them() {
        let choices = [Best, Explored, Best, Best];
        let expected = [(0, [0.9, 0.0, 0.0, 0.1, 0.0, 0.0]), (2, LOSE_GAMMON), (3, WIN_GAMMON)];
        assert_close(&targets(1.0, ExploredPlays::Skip, choices), &expected);
        // At the start nothing comes before.
        let expected = [(1, WIN_GAMMON), (2, LOSE_GAMMON), (3, WIN_GAMMON)];
        let choices = [Explored, Best, Best, Best];
        assert_close(&targets(1.0, ExploredPlays::Skip, choices), &expected);
    }

    #[test]
    fn labels_choose_the_states_and_given_targets_touch_no_other() {
        let given = [0.1, 0.2, 0.0, 0.3, 0.3, 0.1];
        let labels =
            [Label::FromGame, Label::Skip, Label::Given(OutcomeProbs(given)), Label::FromGame];
        let found = labelled_targets(0.5, ExploredPlays::OneStep, [Best; 4], Some(labels));
        let from_game = targets(0.5, ExploredPlays::OneStep, [Best; 4]);
        assert_close(&found, &[from_game[0], (2, given), from_game[3]]);
        let all = labelled_targets(0.5, ExploredPlays::Skip, [Best; 4], Some([Label::FromGame; 4]));
        assert_eq!(all, from_game);
    }

    #[test]
    fn a_given_target_is_learnt_even_before_a_play_drawn_at_random() {
        let choices = [Best, Explored, Best, Best];
        let labels =
            [Label::Skip, Label::Given(OutcomeProbs(WIN_GAMMON)), Label::Skip, Label::Skip];
        let found = labelled_targets(0.5, ExploredPlays::Skip, choices, Some(labels));
        assert_close(&found, &[(1, WIN_GAMMON)]);
    }

    #[test]
    fn lambda_outside_its_range_is_refused() {
        for lambda in [-0.01, 1.01, f64::NAN] {
            assert!(TdTargets::new(lambda, ExploredPlays::Skip).is_err());
        }
    }
}
