//! Games side by side that a caller steps through: for learners that choose the plays themselves.

use rand::rngs::ChaCha8Rng;
use tavola_rules::Game;

use crate::random::{RandomFor, game_rng};

/// What a step did in one of the games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stepped {
    /// Points of the player who made the play; 0 while the game goes on.
    pub points: i32,
    /// Whether the play ended the game; another one has begun in its place.
    pub over: bool,
}

/// A play that is not in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("play {found} of game {place}, expected one from 0 to {}", plays - 1)]
pub struct UnknownPlay {
    /// The place of the game.
    pub place: usize,
    /// The number of the play, as given.
    pub found: i64,
    /// How many plays there are, at least one.
    pub plays: usize,
}

/// Games that are played at the same time, one step each. Where a game is over the next one of the
/// run begins. The rolls follow from the seed and the number of the game, so a run is the same
/// whatever the number of places, if plays are chosen by the position.
#[derive(Debug)]
pub struct SteppedGames<G: Game> {
    game: G,
    seed: u64,
    /// The number of the next game that begins.
    next: u64,
    states: Vec<G::State>,
    rolls: Vec<G::Roll>,
    rngs: Vec<ChaCha8Rng>,
    numbers: Vec<u64>,
    reached: Vec<G::State>,
    /// The afterstates of all places, one place after the other.
    afterstates: Vec<G::State>,
    /// Where those of each place begin, and one entry more for the end.
    offsets: Vec<usize>,
}

impl<G: Game> SteppedGames<G> {
    /// The first games of the run with this seed, at the start, with their opening rolls.
    pub fn new(game: G, places: usize, seed: u64) -> Self {
        let mut games = Self {
            seed,
            next: 0,
            states: vec![game.start(); places],
            rolls: Vec::with_capacity(places),
            rngs: Vec::with_capacity(places),
            numbers: Vec::with_capacity(places),
            reached: vec![game.start(); places],
            afterstates: Vec::new(),
            offsets: Vec::new(),
            game,
        };
        for _ in 0..places {
            let (number, mut rng) = games.begin();
            games.rolls.push(games.game.opening_roll(&mut rng));
            games.rngs.push(rng);
            games.numbers.push(number);
        }
        games.list_plays();
        games
    }

    /// The number and the dice of the next game.
    fn begin(&mut self) -> (u64, ChaCha8Rng) {
        let number = self.next;
        self.next += 1;
        (number, game_rng(self.seed, number, RandomFor::SteppedRolls))
    }

    fn list_plays(&mut self) {
        self.afterstates.clear();
        self.offsets.clear();
        self.offsets.push(0);
        for (state, roll) in self.states.iter().zip(&self.rolls) {
            self.game.afterstates(state, *roll, &mut self.afterstates);
            self.offsets.push(self.afterstates.len());
        }
    }

    /// The state of each game, from the player on roll.
    pub fn states(&self) -> &[G::State] {
        &self.states
    }

    /// The roll of each game, which is to be played.
    pub fn rolls(&self) -> &[G::Roll] {
        &self.rolls
    }

    /// The number of each game within the run.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// What the last step led to in each game, seen by the opponent of the player who made the play;
    /// the start before the first one. Unlike [`states`](Self::states) it shows how a game ended.
    pub fn reached(&self) -> &[G::State] {
        &self.reached
    }

    /// What the plays lead to, one game after the other; each seen by the opponent, who is then on
    /// roll. A pass is the only play of its roll.
    pub fn afterstates(&self) -> &[G::State] {
        &self.afterstates
    }

    /// Where in [`afterstates`](Self::afterstates) those of each game begin; the last entry is
    /// their number.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Makes a play in each game, by its number in the list of that game, and rolls again.
    ///
    /// # Errors
    ///
    /// [`UnknownPlay`] if one is not in the list; nothing is changed then.
    ///
    /// # Panics
    ///
    /// If there are not as many plays as games.
    pub fn step(&mut self, plays: &[i64]) -> Result<Vec<Stepped>, UnknownPlay> {
        assert_eq!(plays.len(), self.states.len(), "a play for each game");
        let lists = self.offsets.windows(2).map(|ends| ends[1] - ends[0]);
        let unknown =
            plays.iter().zip(lists).position(|(&play, plays)| !(0..plays as i64).contains(&play));
        if let Some(place) = unknown {
            let plays_there = self.offsets[place + 1] - self.offsets[place];
            return Err(UnknownPlay { place, found: plays[place], plays: plays_there });
        }
        let mut steps = vec![Stepped::default(); plays.len()];
        for (place, (&play, step)) in plays.iter().zip(&mut steps).enumerate() {
            let after = self.afterstates[self.offsets[place] + play as usize];
            self.reached[place] = after;
            match self.game.outcome(&after) {
                None => {
                    self.states[place] = after;
                    self.rolls[place] = self.game.roll(&mut self.rngs[place]);
                }
                Some(outcome) => {
                    *step = Stepped { points: -outcome.points(), over: true };
                    let (number, mut rng) = self.begin();
                    self.states[place] = self.game.start();
                    self.rolls[place] = self.game.opening_roll(&mut rng);
                    self.rngs[place] = rng;
                    self.numbers[place] = number;
                }
            }
        }
        self.list_plays();
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::Backgammon;

    use super::*;

    /// The points of the first games of a run, by their numbers: the last play of each list is made.
    fn run(places: usize, games: usize) -> Vec<i32> {
        let mut run = SteppedGames::new(Backgammon::Hypergammon, places, 7);
        let mut points = vec![0; games];
        let mut known = 0;
        while known < games {
            let numbers = run.numbers().to_vec();
            let plays: Vec<i64> =
                run.offsets().windows(2).map(|ends| (ends[1] - ends[0] - 1) as i64).collect();
            let steps = run.step(&plays).unwrap();
            for ((step, number), reached) in steps.iter().zip(numbers).zip(run.reached()) {
                assert_eq!(step.over, Backgammon::Hypergammon.outcome(reached).is_some());
                if let Some(place) = points.get_mut(number as usize).filter(|_| step.over) {
                    *place = step.points;
                    known += 1;
                }
            }
        }
        points
    }

    #[test]
    fn a_run_does_not_depend_on_the_number_of_places() {
        let points = run(1, 20);
        assert_eq!(points, run(8, 20));
        // The play that ends a game wins it.
        assert!(points.iter().all(|&points| points > 0), "{points:?}");
    }

    #[test]
    fn an_unknown_play_changes_nothing() {
        let mut games = SteppedGames::new(Backgammon::Standard, 2, 1);
        let before = (games.states().to_vec(), games.rolls().to_vec());
        let plays = games.offsets()[2] - games.offsets()[1];
        for found in [plays as i64, -1, i64::MIN] {
            let error = games.step(&[0, found]).unwrap_err();
            assert_eq!(error, UnknownPlay { place: 1, found, plays });
        }
        assert_eq!(before, (games.states().to_vec(), games.rolls().to_vec()));
        assert_eq!(games.step(&[0, 0]).unwrap(), [Stepped::default(); 2]);
    }
}
