//! What two agents play against each other: single games for points, games with a cube, matches.
//!
//! A [`Format`] drives one game or match between two agents and says what a position is worth in
//! its own unit. Duels are generic over it: [`Points`] serves every game, and
//! [`CubeTerms`](crate::CubeTerms) is backgammon with the doubling cube.

use serde::{Deserialize, Serialize};
use tavola_equity::{OutcomeProbs, Stakes};
use tavola_rules::{Cube, Game, Outcome, Player, WinKind};

use crate::agent::{Agent, AgentChoice, AgentError};
use crate::game::{
    ChoosingPlayer, FirstRoll, GameError, GameLoop, GameObserver, RandomRolls, Seat, Seats,
};
use crate::random::{RandomFor, game_rng};
use crate::variance_reduction::LuckMeter;

/// What a duel counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DuelUnit {
    /// Games, for points.
    Games,
    /// Matches, for the probability of winning one.
    Matches,
}

impl DuelUnit {
    /// What is counted, in the plural.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Matches => "matches",
        }
    }
}

/// An agent in a seat.
pub type SeatedAgent<'a, G> = &'a mut (dyn Agent<G> + 'static);

/// What two agents play, and by which rules.
pub trait Format<G: Game>: Sync {
    /// Plays a game or a match between seats one and two. The rolls follow from the seed, the
    /// number, and for a match from the game of the match. From `start`, seat one is on roll with
    /// any roll; without it the opening roll decides.
    ///
    /// # Errors
    ///
    /// [`AgentError`] if an agent fails or breaks a rule.
    fn play(
        &self,
        games: &mut GameLoop<G>,
        start: Option<&G::State>,
        agents: [SeatedAgent<'_, G>; 2],
        seed: u64,
        number: u64,
    ) -> Result<Played<G>, AgentError>;

    /// The value of a position to its player on roll, in points of a [`Score`]. Stakes and cube
    /// are seen by that player.
    fn value(
        &self,
        stakes: Option<&Stakes>,
        cube: Cube,
        state: &G::State,
        probs: &OutcomeProbs,
    ) -> f64;

    /// What is counted.
    fn unit(&self) -> DuelUnit {
        DuelUnit::Games
    }

    /// What the games are played for in words; `None` without a cube.
    fn terms(&self) -> Option<String> {
        None
    }
}

/// What one game, or one match, came to, from seat one or from player a of a duel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Points of a game; 1 for a match that was won and -1 for one that was lost.
    pub points: i32,
    /// Games played: 1 unless it was a match.
    pub games: u32,
    /// Games in which the cube was turned and taken.
    pub turned: u32,
    /// Games that ended with a dropped cube.
    pub dropped: u32,
    /// Games that ended with a resignation.
    pub resigned: u32,
    /// Games that were won with a gammon or backgammon, resignations included.
    pub gammons: u32,
    /// Games whose cube stood at its limit in the end.
    pub capped: u32,
    /// The highest cube that was played at.
    pub highest_cube: u32,
}

impl Score {
    /// The score of a game without a cube.
    pub fn of(outcome: Outcome) -> Self {
        let gammons = u32::from(outcome.points().abs() >= 2);
        Self { points: outcome.points(), games: 1, gammons, highest_cube: 1, ..Self::default() }
    }

    /// The score of the other player.
    #[must_use]
    pub const fn flip(self) -> Self {
        Self { points: -self.points, ..self }
    }
}

/// A roll of a game, with all that its luck depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rolled<S, R> {
    /// Before the roll, from the player on roll.
    pub state: S,
    /// What was rolled.
    pub roll: R,
    /// The player on roll.
    pub by: Player,
    /// From the player on roll.
    pub cube: Cube,
    /// The first roll of a game, which may follow rules of its own.
    pub opening: bool,
}

/// A roll of this game.
pub type RolledOf<G> = Rolled<<G as Game>::State, <G as Game>::Roll>;

/// The rolls of a game.
#[derive(Clone, Debug)]
pub struct Trace<G: Game> {
    /// Seen by each seat; `None` without a cube.
    pub stakes: Option<[Stakes; 2]>,
    /// The rolls in order.
    pub rolls: Vec<RolledOf<G>>,
    /// The afterstate of each roll, seen by the opponent of the player who rolled.
    pub afterstates: Vec<G::State>,
    /// What was done with the cube, and to end the game, in order.
    pub actions: Vec<CubeTurn>,
    /// Points of seat one; `None` if the game was truncated at the turn limit.
    pub points: Option<i32>,
}

/// What a player may do beside moving checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubleOrResign {
    /// Offers the cube at this value.
    Double {
        /// The value.
        to: u32,
    },
    /// Takes and turns the cube to this value at once: a beaver or a raccoon.
    Redouble {
        /// The value.
        to: u32,
    },
    /// Takes the cube.
    Take,
    /// Drops the cube and loses.
    Drop,
    /// Offers to lose this much.
    Resign(WinKind),
    /// Accepts such an offer.
    AcceptResignation,
    /// Refuses it.
    RefuseResignation,
}

/// An action and its place in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CubeTurn {
    /// Rolls that were played before.
    pub before_roll: usize,
    /// Its player.
    pub by: Player,
    /// The action.
    pub action: DoubleOrResign,
}

/// A game or match that was played.
#[derive(Clone, Debug)]
pub struct Played<G: Game> {
    /// What it came to, from seat one; `None` if a game was truncated at the turn limit.
    pub score: Option<Score>,
    /// The rolls of its games, in order.
    pub traces: Vec<Trace<G>>,
}

/// Single games for points, without a cube.
#[derive(Clone, Copy, Debug, Default)]
pub struct Points;

/// Writes down the rolls of a game without a cube.
struct Tracer<G: Game> {
    rolls: Vec<RolledOf<G>>,
    afterstates: Vec<G::State>,
    first: FirstRoll,
}

impl<G: Game> GameObserver<G> for Tracer<G> {
    fn turn(&mut self, situation: &ChoosingPlayer<'_, G>, decision: &AgentChoice) {
        self.afterstates.push(situation.afterstates[decision.index]);
        self.rolls.push(Rolled {
            state: *situation.state,
            roll: situation.roll,
            by: match situation.seat {
                Seat::First => Player::One,
                Seat::Second => Player::Two,
            },
            cube: Cube::START,
            opening: situation.turn == 0 && self.first == FirstRoll::Opening,
        });
    }
}

impl<G: Game> Format<G> for Points {
    fn play(
        &self,
        games: &mut GameLoop<G>,
        start: Option<&G::State>,
        [first, second]: [SeatedAgent<'_, G>; 2],
        seed: u64,
        number: u64,
    ) -> Result<Played<G>, AgentError> {
        let (start, first_roll) = match start {
            Some(start) => (*start, FirstRoll::Ordinary),
            None => (games.game().start(), FirstRoll::Opening),
        };
        let mut rolls = RandomRolls::new(game_rng(seed, number, RandomFor::DuelRolls), first_roll);
        let mut tracer = Tracer { rolls: Vec::new(), afterstates: Vec::new(), first: first_roll };
        let score = match games.play(&start, &mut rolls, Seats::Two { first, second }, &mut tracer)
        {
            Ok(end) => Some(Score::of(end.outcome_for(Seat::First))),
            Err(GameError::NoChoice { reason, .. }) => return Err(reason),
            // Too long: duels look for finished start positions before they begin.
            Err(_) => None,
        };
        let Tracer { rolls, afterstates, .. } = tracer;
        let points = score.map(|score| score.points);
        let actions = Vec::new();
        Ok(Played {
            score,
            traces: vec![Trace { stakes: None, rolls, afterstates, actions, points }],
        })
    }

    fn value(&self, _: Option<&Stakes>, _: Cube, _: &G::State, probs: &OutcomeProbs) -> f64 {
        f64::from(probs.equity())
    }
}

impl<G: Game> LuckMeter<G> {
    /// The luck of seat one in `first` less that of seat one in `second`, two games or matches on
    /// the same dice: the luck of a player who sits in seat one in the first and in seat two in
    /// the second.
    ///
    /// A roll that comes in the same situation in both brings luck to the player in one and takes
    /// as much in the other, so it is skipped. That leaves nothing of a pair in which both
    /// players always chose alike, and little of one in which they nearly did. So is the first
    /// roll of a game, whose probabilities are others.
    ///
    /// The luck of a roll is the value after its best play less the mean over all rolls. When the
    /// dice are rolled the cube stands where it stands, so the mean of that luck is zero for any
    /// evaluator and whatever the players do with the cube before and after; and so is the mean of
    /// its sum over any rolls that are chosen without a look at the dice.
    pub fn pair(&mut self, format: &dyn Format<G>, first: &[Trace<G>], second: &[Trace<G>]) -> f64 {
        let mut luck = 0.0;
        for number in 0..first.len().max(second.len()) {
            let (one, other) = (first.get(number), second.get(number));
            let same_stakes = one.map(|game| &game.stakes) == other.map(|game| &game.stakes);
            let rolls = |game: Option<&Trace<G>>| game.map_or(0, |game| game.rolls.len());
            for turn in 0..rolls(one).max(rolls(other)) {
                let roll =
                    |game: Option<&Trace<G>>| game.and_then(|game| game.rolls.get(turn).copied());
                let (here, there) = (roll(one), roll(other));
                if same_stakes && here == there {
                    continue;
                }
                for (game, rolled, sign) in [(one, here, 1.0), (other, there, -1.0)] {
                    if let (Some(game), Some(rolled)) = (game, rolled)
                        && !rolled.opening
                    {
                        luck += sign * self.of_seat_one(format, game, &rolled);
                    }
                }
            }
        }
        luck
    }

    /// The luck of seat one with a roll that is no opening.
    pub fn of_seat_one(
        &mut self,
        format: &dyn Format<G>,
        trace: &Trace<G>,
        rolled: &RolledOf<G>,
    ) -> f64 {
        // After the play the opponent is on roll.
        let stakes = trace.stakes.as_ref().map(|stakes| &stakes[rolled.by.flip().index()]);
        let cube = rolled.cube.flip();
        let luck = self.roll_expectation(&rolled.state, rolled.roll, |state, probs| {
            format.value(stakes, cube, state, probs)
        });
        if rolled.by == Player::One { luck } else { -luck }
    }
}
