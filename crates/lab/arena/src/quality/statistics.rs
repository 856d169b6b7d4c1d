//! Statistics of games: their length, what it is worth to begin, how they end, how often the
//! special rules have a say; and how an evaluator opens.
//!
//! ```
//! use tavola_arena::openings;
//! use tavola_evaluator::PlayableGame;
//! use tavola_rules::Backgammon;
//!
//! let game = Backgammon::Standard;
//! let openings = openings(&game, game.baseline().as_mut());
//! assert_eq!(openings.len(), 15);
//! let sum: f64 = openings.iter().map(|opening| opening.probability).sum();
//! assert!((sum - 1.0).abs() < 1e-12);
//! ```

use std::collections::BTreeMap;

use serde::Serialize;
use tavola_evaluator::{
    EndingRule, Estimate, Evaluator, PlayableGame, TurnEvent, rank_afterstates,
};

use crate::stats::Moments;

mod report;

pub use self::report::{
    EndingCount, EventCount, GameReport, GameReportSettings, StrengthReport, WinKinds,
};

/// How often something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// Turns of all games in which it happened.
    pub turns: u64,
    /// Games in which it happened at least once.
    pub games: u64,
}

/// Counts the turns and events of a game while it is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameCounter {
    turns: u32,
    events: BTreeMap<TurnEvent, u64>,
}

impl GameCounter {
    /// A turn that led from `before`, seen by the player who made it, to `after`, seen by the
    /// opponent.
    pub fn turn<G: PlayableGame>(
        &mut self,
        game: &G,
        before: &G::State,
        roll: G::Roll,
        after: &G::State,
    ) {
        self.turns += u32::from(game.is_whole_turn(before));
        for event in game.turn_events(before, roll, after) {
            *self.events.entry(event).or_default() += 1;
        }
    }
}

/// What games add up to. All sums are of whole numbers, so the order of games does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameStatistics {
    /// How many games had this many turns, those of both players together; without turns in which
    /// a player only waits or has not rolled yet.
    pub lengths: BTreeMap<u32, u64>,
    /// Games by the points of the player who began, from three lost to three won.
    pub points_of_first: [u64; 7],
    /// Games that were truncated at the turn limit, and are otherwise left out.
    pub truncated: u64,
    /// By which rule games ended.
    pub endings: BTreeMap<EndingRule, u64>,
    /// What happened in them; nothing that the game does not know.
    pub events: BTreeMap<TurnEvent, Occurrences>,
}

/// Turns of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Length {
    /// Their mean.
    pub mean: f64,
    /// The standard deviation of a single game; 0 with fewer than two.
    pub standard_deviation: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
    /// The fewest turns.
    pub shortest: u32,
    /// The most turns.
    pub longest: u32,
}

impl GameStatistics {
    /// Counts a game that ended in `last` with these points of the player who began.
    pub fn add<G: PlayableGame>(
        &mut self,
        game: &G,
        counter: &GameCounter,
        last: &G::State,
        points_of_first: i32,
    ) {
        *self.lengths.entry(counter.turns).or_default() += 1;
        // An outcome has at most three points.
        self.points_of_first[(points_of_first + 3) as usize] += 1;
        for (&event, turns) in &counter.events {
            let occurrences = self.events.entry(event).or_default();
            occurrences.turns += turns;
            occurrences.games += 1;
        }
        if let Some(ending) = game.ending(last) {
            *self.endings.entry(ending).or_default() += 1;
        }
    }

    /// Games that were played to their end.
    pub fn games(&self) -> u64 {
        self.points_of_first.iter().sum()
    }

    /// Games that either side won by exactly this many points; with 0, draws.
    pub fn won_by(&self, points: usize) -> u64 {
        match points {
            0 => self.points_of_first[3],
            1..=3 => self.points_of_first[3 - points] + self.points_of_first[3 + points],
            _ => 0,
        }
    }

    /// Games that the player who began has won.
    pub fn first_wins(&self) -> u64 {
        self.points_of_first[4..].iter().sum()
    }

    /// Games that the opponent of the player who began has won.
    pub fn second_wins(&self) -> u64 {
        self.points_of_first[..3].iter().sum()
    }

    /// Points per game of the player who begins; `None` with fewer than two games.
    pub fn first_mover(&self) -> Option<Estimate> {
        let points = (-3..=3).map(f64::from);
        Moments::of(points.zip(self.points_of_first)).estimate()
    }

    /// The mean number of turns of a game; `None` with fewer than two games.
    pub fn turns(&self) -> Option<Estimate> {
        self.moments_of_turns().estimate()
    }

    fn moments_of_turns(&self) -> Moments {
        Moments::of(self.lengths.iter().map(|(&turns, &games)| (f64::from(turns), games)))
    }

    /// Turns of a game.
    pub fn length(&self) -> Length {
        let moments = self.moments_of_turns();
        Length {
            mean: moments.mean(),
            standard_deviation: moments.deviation(),
            standard_error: moments.standard_error(),
            shortest: self.lengths.keys().next().copied().unwrap_or_default(),
            longest: self.lengths.keys().next_back().copied().unwrap_or_default(),
        }
    }
}

/// How an evaluator plays a first roll at 0-ply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningRoll {
    /// The roll.
    pub roll: String,
    /// The probability of this roll at the beginning.
    pub probability: f64,
    /// Distinct afterstates to choose from.
    pub choices: usize,
    /// The play that the evaluator likes best.
    pub play: String,
    /// Its equity, of the player who makes it.
    pub equity: f32,
    /// The next best play, where there is one.
    pub second: Option<String>,
    /// What it loses.
    pub second_loses: Option<f32>,
}

/// The play among these that leads to this afterstate.
pub(crate) fn name_of<S: PartialEq>(plays: &[(String, S)], state: &S) -> String {
    let found = plays.iter().find(|(_, after)| after == state);
    found.map_or_else(String::new, |(play, _)| play.clone())
}

/// The opening play of `evaluator` for every roll with which the game can begin.
pub fn openings<G: PlayableGame>(game: &G, evaluator: &mut dyn Evaluator<G>) -> Vec<OpeningRoll> {
    let start = game.start();
    let rolls = game.opening_rolls();
    let total: f64 = rolls.iter().map(|&(_, weight)| f64::from(weight)).sum();
    let opening = |(roll, weight): (G::Roll, u8)| {
        let ranked = rank_afterstates(game, evaluator, &start, roll);
        let words = game.named_afterstates(&start, roll);
        let name = |state: &G::State| name_of(&words, state);
        OpeningRoll {
            roll: roll.to_string(),
            probability: f64::from(weight) / total,
            choices: ranked.len(),
            play: name(&ranked[0].state),
            equity: ranked[0].equity,
            second: ranked.get(1).map(|second| name(&second.state)),
            second_loses: ranked.get(1).map(|second| second.loss),
        }
    };
    rolls.into_iter().map(opening).collect()
}

#[cfg(test)]
mod tests {
    use tavola_games::OldGame;
    use tavola_rules::{Backgammon, Game};

    use super::*;

    /// Counts a game from `position` in which the first listed play of each roll is made.
    fn count(statistics: &mut GameStatistics, game: &OldGame, position: &str, rolls: &[&str]) {
        let mut state = game.parse_state(position).unwrap();
        let mut counter = GameCounter::default();
        for roll in rolls {
            let roll = game.parse_roll(roll).unwrap();
            let after = game.named_afterstates(&state, roll)[0].1;
            counter.turn(game, &state, roll, &after);
            state = after;
        }
        // The outcome is that of the player on roll in the last state.
        let outcome = game.outcome(&state).expect("the game ends here");
        let of_first = if rolls.len().is_multiple_of(2) { outcome } else { outcome.flip() };
        statistics.add(game, &counter, &state, of_first.points());
    }

    #[test]
    fn games_are_counted_by_length_winner_end_and_events() {
        let game = OldGame::new("emperador".parse().unwrap());
        let lock = "1:1 2:1 3:1 4:1 5:1 6:1 15:8 bar:1 barata:2 / 13:15";
        let mut statistics = GameStatistics::default();
        count(&mut statistics, &game, "24:1 off:14 / 24:2 off:13", &["321"]);
        // The first locks himself out a third time; the fourth needs no turn any more.
        count(&mut statistics, &game, lock, &["321", "111"]);
        assert_eq!(
            (statistics.games(), statistics.first_wins(), statistics.second_wins()),
            (2, 1, 1)
        );
        let Length { mean, standard_deviation, shortest, longest, .. } = statistics.length();
        assert_eq!((mean, shortest, longest), (1.5, 1, 2));
        assert!((standard_deviation - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(statistics.first_mover().unwrap().mean, 0.0);
        assert_eq!((statistics.won_by(1), statistics.won_by(0)), (2, 0));
        let endings: Vec<_> = statistics.endings.into_iter().collect();
        assert_eq!(endings, [(EndingRule::BorneOff, 1), (EndingRule::Barata, 1)]);
        assert_eq!(statistics.events[&TurnEvent::OwnBarata], Occurrences { turns: 1, games: 1 });
    }

    #[test]
    fn backgammon_never_begins_with_a_double() {
        let game = Backgammon::Standard;
        let openings = openings(&game, game.baseline().as_mut());
        assert_eq!(openings.len(), 15);
        assert!(openings.iter().all(|opening| !opening.play.is_empty() && opening.choices > 1));
        assert!(openings.iter().all(|opening| opening.second_loses.unwrap() >= 0.0));
    }
}
