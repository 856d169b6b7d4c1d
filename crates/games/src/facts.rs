//! What the records of games say about a game: its length, the value of the first turn, how games
//! end, how often the special rules matter, and how an evaluator opens.
//!
//! ```
//! use tavola_games::{PlayableGame, Tables, facts};
//!
//! let game = Tables::new("puff".parse()?);
//! let openings = facts::openings(&game, game.baseline().as_mut());
//! assert_eq!(openings.len(), 21);
//! let chances: f64 = openings.iter().map(|opening| opening.chance).sum();
//! assert!((chances - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use tavola_data::RecordOf;
use tavola_evaluator::{Evaluator, rank_results};

use tavola_evaluator::{Ending, Event, PlayableGame};

/// Whole numbers, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    count: u64,
    sum: i128,
    squares: i128,
    range: Option<(i64, i64)>,
}

impl Sample {
    /// Adds a number.
    pub fn add(&mut self, number: i64) {
        self.count += 1;
        self.sum += i128::from(number);
        self.squares += i128::from(number).pow(2);
        let (least, most) = self.range.unwrap_or((number, number));
        self.range = Some((least.min(number), most.max(number)));
    }

    /// Adds all numbers of another sample.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.range = match (self.range, other.range) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, None) | (None, one) => one,
        };
    }

    /// How many there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The least and the greatest; `None` of nothing.
    pub const fn range(&self) -> Option<(i64, i64)> {
        self.range
    }

    /// The mean; 0 of nothing.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    /// The standard deviation of a single number; 0 with fewer than two.
    pub fn deviation(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let count = i128::from(self.count);
        let spread = count * self.squares - self.sum * self.sum;
        (spread as f64 / (count * (count - 1)) as f64).sqrt()
    }

    /// The standard error of the mean.
    pub fn standard_error(&self) -> f64 {
        self.deviation() / (self.count.max(1) as f64).sqrt()
    }
}

/// How often something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// Turns of all games in which it happened.
    pub turns: u64,
    /// Games in which it happened at least once.
    pub games: u64,
}

/// What games add up to. All sums are of whole numbers, so the order of games does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFacts {
    /// Turns of a game, without those in which a player only waits or has not rolled yet.
    pub length: Sample,
    /// Points of the player who begins, one number a game.
    pub first_mover: Sample,
    /// Games that the player who begins has won.
    pub first_wins: u64,
    /// Games that the opponent has won.
    pub second_wins: u64,
    /// Games that neither player has won.
    pub draws: u64,
    /// Games that were won by one, two and three points.
    pub wins_by_points: [u64; 3],
    /// By which rule games ended.
    pub endings: BTreeMap<Ending, u64>,
    /// What happened in them; nothing that the game does not know.
    pub events: BTreeMap<Event, Occurrences>,
}

impl GameFacts {
    /// Counts a game, which must have been played to its end.
    pub fn add<G: PlayableGame>(&mut self, game: &G, record: &RecordOf<G>) {
        let mut seen: BTreeMap<Event, u64> = BTreeMap::new();
        let mut before = record.start;
        let mut length = 0;
        for turn in &record.turns {
            length += i64::from(game.is_whole_turn(&before));
            for event in game.turn_events(&before, turn.roll, &turn.after) {
                *seen.entry(event).or_default() += 1;
            }
            before = turn.after;
        }
        for (event, turns) in seen {
            let occurrences = self.events.entry(event).or_default();
            occurrences.turns += turns;
            occurrences.games += 1;
        }
        if let Some(ending) = game.ending(&before) {
            *self.endings.entry(ending).or_default() += 1;
        }
        self.length.add(length);
        let points = record.outcome_at(0).points();
        self.first_mover.add(points.into());
        match points.signum() {
            1 => self.first_wins += 1,
            -1 => self.second_wins += 1,
            _ => self.draws += 1,
        }
        if points != 0 {
            self.wins_by_points[points.unsigned_abs() as usize - 1] += 1;
        }
    }

    /// Counts all that another one has counted.
    pub fn merge(&mut self, other: &Self) {
        self.length.merge(&other.length);
        self.first_mover.merge(&other.first_mover);
        self.first_wins += other.first_wins;
        self.second_wins += other.second_wins;
        self.draws += other.draws;
        for (sum, count) in self.wins_by_points.iter_mut().zip(other.wins_by_points) {
            *sum += count;
        }
        for (&ending, count) in &other.endings {
            *self.endings.entry(ending).or_default() += count;
        }
        for (&event, occurrences) in &other.events {
            let sum = self.events.entry(event).or_default();
            sum.turns += occurrences.turns;
            sum.games += occurrences.games;
        }
    }

    /// Games counted.
    pub const fn games(&self) -> u64 {
        self.length.count()
    }
}

/// How an evaluator plays a first roll, at 0-ply.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The roll.
    pub roll: String,
    /// The chance of this roll at the beginning.
    pub chance: f64,
    /// Distinct results that there are to choose from.
    pub choices: usize,
    /// The best play by the evaluator.
    pub play: String,
    /// What it is worth to the player who makes it, in points.
    pub equity: f32,
    /// The next best play and what it loses, where there is one.
    pub second: Option<(String, f32)>,
}

/// The opening play of `judge` for every roll with which the game can begin.
pub fn openings<G: PlayableGame>(game: &G, judge: &mut dyn Evaluator<G>) -> Vec<Opening> {
    let start = game.start();
    let rolls = game.opening_rolls();
    let ways: f64 = rolls.iter().map(|&(_, weight)| f64::from(weight)).sum();
    let opening = |(roll, weight): (G::Roll, u8)| {
        let ranked = rank_results(game, judge, &start, roll);
        let words = game.named_results(&start, roll);
        let name = |state: &G::State| {
            let found = words.iter().find(|(_, after)| after == state);
            found.map_or_else(String::new, |(play, _)| play.clone())
        };
        Opening {
            roll: roll.to_string(),
            chance: f64::from(weight) / ways,
            choices: ranked.len(),
            play: name(&ranked[0].state),
            equity: ranked[0].equity,
            second: ranked.get(1).map(|second| (name(&second.state), second.loss)),
        }
    };
    rolls.into_iter().map(opening).collect()
}

#[cfg(test)]
mod tests {
    use tavola_data::{Choice, Turn};
    use tavola_equity::OutcomeProbs;
    use tavola_rules::{Backgammon, Game};

    use super::*;
    use crate::engine::Tables;

    /// A game from `position` in which the first listed play of each roll is made.
    fn record(game: &Tables, position: &str, rolls: &[&str]) -> RecordOf<Tables> {
        let start = game.parse_position(position).unwrap();
        let mut state = start;
        let mut turns = Vec::new();
        for roll in rolls {
            let roll = game.parse_roll(roll).unwrap();
            state = game.named_results(&state, roll)[0].1;
            turns.push(Turn {
                roll,
                after: state,
                probs: OutcomeProbs::default(),
                choice: Choice::Best,
            });
        }
        let outcome = game.outcome(&state).expect("the game ends here");
        RecordOf::<Tables> { index: 0, start, turns, outcome }
    }

    #[test]
    fn games_are_counted_by_length_winner_end_and_events() {
        let game = Tables::new("emperador".parse().unwrap());
        let race = record(&game, "24:1 off:14 / 24:2 off:13", &["321"]);
        let lock = "1:1 2:1 3:1 4:1 5:1 6:1 15:8 bar:1 barata:2 / 13:15";
        // The first locks himself out a third time; the fourth needs no turn any more.
        let barata = record(&game, lock, &["321", "111"]);
        let mut facts = GameFacts::default();
        facts.add(&game, &race);
        let mut other = GameFacts::default();
        other.add(&game, &barata);
        facts.merge(&other);
        assert_eq!((facts.games(), facts.first_wins, facts.second_wins), (2, 1, 1));
        assert_eq!((facts.length.mean(), facts.length.range()), (1.5, Some((1, 2))));
        assert_eq!(facts.first_mover.mean(), 0.0);
        assert_eq!(facts.wins_by_points, [2, 0, 0]);
        let endings: Vec<_> = facts.endings.into_iter().collect();
        assert_eq!(endings, [(Ending::BorneOff, 1), (Ending::Barata, 1)]);
        assert_eq!(facts.events[&Event::OwnBarata], Occurrences { turns: 1, games: 1 });
    }

    #[test]
    fn samples_know_their_spread() {
        let mut sample = Sample::default();
        assert_eq!((sample.mean(), sample.deviation(), sample.range()), (0.0, 0.0, None));
        let mut rest = Sample::default();
        [2, 4, 4, 4].into_iter().for_each(|number| sample.add(number));
        [5, 5, 7, 9].into_iter().for_each(|number| rest.add(number));
        sample.merge(&rest);
        assert_eq!((sample.mean(), sample.range()), (5.0, Some((2, 9))));
        assert!((sample.deviation() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert!((sample.standard_error() - (32.0_f64 / 56.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn backgammon_never_begins_with_a_double() {
        let game = Backgammon::Standard;
        let openings = openings(&game, game.baseline().as_mut());
        assert_eq!(openings.len(), 15);
        assert!(openings.iter().all(|opening| !opening.play.is_empty() && opening.choices > 1));
        assert!(openings.iter().all(|opening| opening.second.as_ref().unwrap().1 >= 0.0));
    }
}
