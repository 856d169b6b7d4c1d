//! Self-play of games for more than two: a network in all seats, and what is to be learned from its games.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_data::Samples;
use tavola_games::many::{ManyEvaluator, ManyGame, ManyPlayer, RuleBasedPlayer};

/// A finished game of a network against itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlayedGame {
    /// The states in which a player decided, each as seen by that seat.
    ///
    /// # Shapes
    ///
    /// `[states, layout]`
    cells: Vec<i8>,
    /// The seat that decided.
    seats: Vec<usize>,
    /// What each seat could expect after each decision, as a share of all stakes, by the network; at
    /// last what each won.
    ///
    /// # Shapes
    ///
    /// `[states, players]`
    shares: Vec<f32>,
}

/// Who chooses in self-play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chooser {
    /// The network plays every seat and maximizes that seat's expectation.
    Network,
    /// The simple player of the game; the network only says what is to be expected.
    RuleBased,
}

/// Plays the game of this number with the same player in all seats. Who begins changes from game
/// to game. `None` if it is not over after `most` decisions.
pub(crate) fn play<G: ManyGame>(
    game: &G,
    evaluator: &mut ManyEvaluator<G>,
    chooser: Chooser,
    (run_seed, index): (u64, u64),
    most: u32,
) -> Option<PlayedGame> {
    let mut dice = ChaCha8Rng::seed_from_u64(run_seed);
    dice.set_stream(index);
    let mut state = game.start((index % G::PLAYERS as u64) as usize);
    let (mut results, mut cells) = (Vec::new(), Vec::new());
    let mut played = PlayedGame { cells: Vec::new(), seats: Vec::new(), shares: Vec::new() };
    let mut expected = vec![0.0; G::PLAYERS];
    for _ in 0..most {
        let seat = game.on_roll(&state);
        game.cells(&state, seat, &mut cells);
        let roll = game.rolls(&state).then(|| game.roll(&mut dice));
        results.clear();
        game.results(&state, roll, &mut results);
        let chosen = match chooser {
            Chooser::Network => evaluator.best(seat, &results, &mut expected),
            Chooser::RuleBased => {
                let chosen = RuleBasedPlayer.choose(game, &state, &results);
                evaluator.shares(&results[chosen], &mut expected);
                chosen
            }
        };
        played.cells.extend_from_slice(&cells);
        played.seats.push(seat);
        played.shares.extend_from_slice(&expected);
        state = results.swap_remove(chosen);
        if game.payoffs(&state).is_some() {
            return Some(played);
        }
    }
    None
}

impl PlayedGame {
    /// Decisions in it.
    pub(crate) fn decisions(&self) -> usize {
        self.seats.len()
    }

    /// Appends every state with its target: TD(lambda) of the shares of all seats, seen by the
    /// seat that decided.
    pub(crate) fn append<G: ManyGame>(&self, lambda: f32, samples: &mut Samples) {
        let players = G::PLAYERS;
        let stride = samples.stride();
        let mut target = vec![0.0; players];
        let mut seen = vec![0.0; players];
        for (number, &seat) in self.seats.iter().enumerate().rev() {
            let next = &self.shares[number * players..][..players];
            let is_last = number + 1 == self.seats.len();
            for (target, &next) in target.iter_mut().zip(next) {
                *target = if is_last { next } else { next + lambda * (*target - next) };
            }
            for (offset, seen) in seen.iter_mut().enumerate() {
                *seen = target[(seat + offset) % players];
            }
            samples.push_shares(&self.cells[number * stride..][..stride], &seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use tavola_games::many::FourSeasons;
    use tavola_net::{EncoderKind, initial_weights};

    use super::*;

    fn game() -> PlayedGame {
        let interface = FourSeasons::STANDARD.interface();
        let weights = initial_weights(&interface, EncoderKind::OneHot, &[8], 3).unwrap();
        let mut evaluator = ManyEvaluator::new(&weights, &FourSeasons::STANDARD).unwrap();
        play(&FourSeasons::STANDARD, &mut evaluator, Chooser::Network, (4, 2), 5000).unwrap()
    }

    #[test]
    fn the_simple_player_chooses_where_it_is_asked_to() {
        let interface = FourSeasons::STANDARD.interface();
        let weights = |seed| initial_weights(&interface, EncoderKind::OneHot, &[8], seed);
        let [one, two] = [1, 2].map(|seed| {
            let mut evaluator =
                ManyEvaluator::new(&weights(seed).unwrap(), &FourSeasons::STANDARD).unwrap();
            play(&FourSeasons::STANDARD, &mut evaluator, Chooser::RuleBased, (4, 2), 5000).unwrap()
        });
        assert_eq!((&one.cells, &one.seats), (&two.cells, &two.seats));
        assert_ne!(one.shares, two.shares);
    }

    fn targets(game: &PlayedGame, lambda: f32) -> Vec<Vec<f32>> {
        let interface = FourSeasons::STANDARD.interface();
        let mut samples = Samples::with_outputs(interface.layout.len(), interface.outputs);
        game.append::<FourSeasons>(lambda, &mut samples);
        (0..samples.len()).rev().map(|sample| samples.target(sample).to_vec()).collect()
    }

    #[test]
    fn with_a_lambda_of_one_every_seat_learns_who_has_won() {
        let game = game();
        assert_eq!(game.seats[0], 2);
        assert_eq!(game, self::game());
        let winner = *game.seats.last().unwrap();
        for (target, seat) in targets(&game, 1.0).iter().zip(&game.seats) {
            let mut expected = vec![0.0; 4];
            expected[(winner + 4 - seat) % 4] = 1.0;
            assert_eq!(target, &expected);
        }
    }

    #[test]
    fn with_a_lambda_of_zero_it_learns_what_is_expected_after_the_decision() {
        let game = game();
        for (number, (target, seat)) in targets(&game, 0.0).iter().zip(&game.seats).enumerate() {
            let mut expected = game.shares[number * 4..][..4].to_vec();
            expected.rotate_left(*seat);
            assert_eq!(target, &expected);
            assert!((target.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
}
