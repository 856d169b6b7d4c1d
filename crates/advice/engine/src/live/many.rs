//! A game for more than two players, while it is played.

use rand::rngs::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_games::many::{AnyManyGame, ManyGame, ManyPlayer, RuleBasedPlayer};
use tavola_games::{TablesDice, with_many_game};
use tavola_rules::board::{Board, RoundPlayer};

use super::setup::named_game;
use super::table::{TableQuestion, Turn};
use super::{
    Awaited, DiceSource, GameBoard, GameEnd, Hint, LiveError, Mistake, PlayerView, SeatAction,
    in_words,
};
use crate::effort::Effort;
use crate::error::Result;
use crate::many::{ManyPlay, ManyPlays, ManyQuestion};
use crate::network::LoadedNetwork;
use crate::question::Question;

/// Where in a stream of the generator the dice begin that find who begins: beyond all rolls.
const FOR_START: u128 = 1 << 32;

/// Advice looks this far ahead.
pub(super) const PLY: u8 = 0;

/// Plays of a hint.
const ADVISED: usize = 5;

/// The players of the other seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Opponents {
    /// The network of the game.
    Network,
    /// The rules of thumb of the game.
    RuleBased,
}

impl Opponents {
    /// The strongest that come with the program for the game of this id.
    pub fn strongest(game: &str) -> Self {
        if LoadedNetwork::games().any(|name| name == game) {
            Self::Network
        } else {
            Self::RuleBased
        }
    }
}

/// A game for more than two players, and what its seats are called.
#[derive(Clone, Debug, Serialize)]
pub struct ManySeats {
    /// The game.
    pub game: String,
    /// The seats in turn order.
    pub seats: Vec<&'static str>,
}

/// What the seats of a game are called.
pub(super) fn seats(game: &AnyManyGame) -> Vec<&'static str> {
    with_many_game!(game, |game| {
        let players = game.board(&game.start(0), None).players;
        players.iter().map(|player| player.name).collect()
    })
}

/// Every game for more than two players.
pub fn many_games() -> Vec<ManySeats> {
    let seated = |game: &AnyManyGame| ManySeats { game: game.id(), seats: seats(game) };
    AnyManyGame::ALL.iter().map(seated).collect()
}

/// A game for more than two: the position, and the roll that is to be played.
#[derive(Clone, Debug)]
pub(super) struct ManyTurn<G: ManyGame> {
    game: G,
    state: G::State,
    roll: Option<TablesDice>,
    /// Whether the dice have found who begins.
    begun: bool,
    dice: DiceSource,
}

impl<G: ManyGame> ManyTurn<G> {
    /// A game before the dice find who begins.
    pub(super) fn new(game: G, dice: DiceSource) -> Self {
        Self { state: game.start(0), roll: None, begun: false, game, dice }
    }

    fn named(&self) -> Vec<(String, G::State)> {
        self.game.plays(&self.state, self.roll)
    }

    /// The plays, best first, with what each is worth to the seats, if a network says it.
    fn ranked(&self, ply: u8, asking: &TableQuestion<'_>) -> Result<Vec<ManyPlay>> {
        if asking.setup.opponents != Some(Opponents::RuleBased) {
            let question = Question {
                position: Some(self.position()),
                dice: self.roll.map(|roll| roll.to_string()),
                effort: Effort::at(ply),
                model: asking.setup.model.clone(),
                ..Question::start(named_game(&asking.setup.game)?)
            };
            let quiet = asking.quiet();
            let asked = ManyQuestion::new(asking.engine, &self.game, &question, &quiet)?;
            return Ok(asked.best()?.plays);
        }
        let plays = self.named();
        let states: Vec<G::State> = plays.iter().map(|(_, state)| state.clone()).collect();
        let best = RuleBasedPlayer.choose(&self.game, &self.state, &states);
        let position = self.game.write_state(&states[best]);
        Ok(vec![ManyPlay { play: plays[best].0.clone(), position, payoffs: Vec::new() }])
    }

    /// The play that a text names, its moves in any order.
    fn parse(&self, text: &str) -> Result<(String, G::State), LiveError> {
        let sorted = |play: &str| {
            let mut moves: Vec<String> = play.split_whitespace().map(str::to_owned).collect();
            moves.sort_unstable();
            moves
        };
        let wanted = sorted(text);
        if !matches!(self.awaited(), Awaited::Play(_)) {
            return Err(LiveError::Play(format!("{text:?} can't be played, there is no roll")));
        }
        let found = self.named().into_iter().find(|(play, _)| sorted(play) == wanted);
        found.ok_or_else(|| {
            let of = self.roll().map_or_else(|| "the offered dice".to_owned(), in_words);
            LiveError::Play(format!(
                "{text:?} is no play of {of}, expected one of the listed plays"
            ))
        })
    }
}

impl<G: ManyGame> Turn for ManyTurn<G> {
    fn brief(&self) -> &'static str {
        self.game.brief()
    }

    fn awaited(&self) -> Awaited {
        if let Some(payoffs) = self.game.payoffs(&self.state) {
            let gains = payoffs.into_iter().map(f64::from).collect();
            return Awaited::GameOver(GameEnd { winner: None, gains, how: String::new() });
        }
        let seat = self.game.on_roll(&self.state);
        match self.roll {
            None if !self.begun => Awaited::Opening,
            None if self.game.rolls(&self.state) => match self.dice {
                DiceSource::Computer => Awaited::Roll(seat),
                DiceSource::Typed => Awaited::Dice(seat),
            },
            _ => Awaited::Play(seat),
        }
    }

    fn on_roll(&self) -> Option<usize> {
        self.begun.then(|| self.game.on_roll(&self.state))
    }

    fn throw(&self, rng: &mut ChaCha8Rng) -> (usize, Vec<u8>) {
        if !self.begun {
            // The first roll of the game comes from the same stream.
            rng.set_word_pos(FOR_START);
            let order = self.game.throw_for_start(rng);
            return (order.seats[0], order.throws.iter().map(|throws| throws[0]).collect());
        }
        (self.game.on_roll(&self.state), self.game.roll(rng).numbers().to_vec())
    }

    fn act(&mut self, seat: usize, action: &SeatAction) -> Result<SeatAction, LiveError> {
        match action {
            SeatAction::Roll { dice: Some(dice) } if !self.begun && dice.len() == G::PLAYERS => {
                for die in dice {
                    let alike = self.game.parse_roll(&in_words(vec![*die; 3]));
                    alike.map_err(|error| LiveError::Dice(error.to_string()))?;
                }
                (self.state, self.begun) = (self.game.start(seat), true);
                Ok(action.clone())
            }
            SeatAction::Roll { dice: Some(dice) } => {
                let roll = self.game.parse_roll(&in_words(dice.clone()));
                self.roll = Some(roll.map_err(|error| LiveError::Dice(error.to_string()))?);
                // Games of older files begin with the roll of the seat that begins.
                if !std::mem::replace(&mut self.begun, true) {
                    self.state = self.game.start(seat);
                }
                Ok(action.clone())
            }
            SeatAction::Play { play } => {
                let (play, after) = self.parse(play)?;
                (self.state, self.roll) = (after, None);
                Ok(SeatAction::Play { play })
            }
            _ => Err(LiveError::Play(format!("{:?} belongs to games with a cube", action.name()))),
        }
    }

    fn next_game(&mut self) -> Result<(), LiveError> {
        *self = Self::new(self.game.clone(), self.dice);
        Ok(())
    }

    fn roll(&self) -> Option<Vec<u8>> {
        self.roll.map(|roll| roll.numbers().to_vec())
    }

    fn told_roll(&self) -> Option<Vec<u8>> {
        self.roll()
    }

    fn thrown(&self) -> (usize, u8) {
        (3, self.game.dice().1)
    }

    fn plays(&self) -> Vec<String> {
        self.named().into_iter().map(|(play, _)| play).collect()
    }

    /// What a play does to others, and why there is none.
    fn reasons(&self, seat: usize, action: &SeatAction) -> Vec<String> {
        let SeatAction::Play { play } = action else { return Vec::new() };
        let Ok((play, after)) = self.parse(play) else { return Vec::new() };
        let mut reasons = Vec::new();
        match (play.as_str(), self.roll) {
            ("pass", Some(_)) => {
                reasons.push("no die can be played".to_owned());
                if self.game.offered(&after).is_some() {
                    reasons.push("dice are offered to the next player".to_owned());
                }
            }
            ("pass" | "decline", _) => {}
            (_, None) => reasons.push("offered dice are played".to_owned()),
            _ => {}
        }
        let [before, now] = [&self.state, &after].map(|state| self.game.board(state, None).players);
        for (at, (old, new)) in before.iter().zip(&now).enumerate() {
            let count = |player: &RoundPlayer, kind: &str| {
                let found = player.beside.iter().find(|(what, _)| *what == kind);
                found.map_or(0, |&(_, count)| i32::from(count))
            };
            let change = |kind| count(new, kind) - count(old, kind);
            let name = new.name;
            if at != seat && change("bar") > 0 {
                reasons.push(format!("a checker of {name} is removed and has to enter again"));
            }
            if at != seat && change("left") < 0 {
                reasons.push(format!("a checker of {name} is captured for good"));
                if count(new, "left") == 0 {
                    reasons.push(format!("{name} has no checkers left"));
                }
            }
            if change("closed") < 0 {
                reasons.push(format!("the start cell of {name} counts from now on"));
            }
        }
        if self.game.payoffs(&after).is_some() {
            reasons.push(format!("{} has won", now[seat].name));
        }
        reasons
    }

    fn drawing(&self, _: usize, _: &[String]) -> Board {
        Board::from(self.game.board(&self.state, self.roll))
    }

    fn board(&self, user: usize) -> GameBoard {
        let view = self.game.board(&self.state, self.roll);
        let players = view.players.into_iter().map(|player| PlayerView {
            name: player.name.to_owned(),
            color: player.color.to_owned(),
            beside: player
                .beside
                .into_iter()
                .map(|(what, count)| (what.to_owned(), count))
                .collect(),
        });
        let offered = self.game.offered(&self.state).filter(|_| self.roll.is_none());
        GameBoard::Round {
            players: players.collect(),
            numbers: (0..view.cells.len()).map(|at| self.game.number(user, at)).collect(),
            cells: view.cells.into_iter().map(|(seat, count)| (seat + 1, count)).collect(),
            offered: offered.map(|dice| dice.numbers().to_vec()),
        }
    }

    fn position(&self) -> String {
        self.game.write_state(&self.state)
    }

    fn decide(&self, seat: usize, asking: &TableQuestion<'_>) -> Result<SeatAction> {
        let plays = self.ranked(asking.setup.strength.ply(), asking)?;
        let mut cells = Vec::new();
        // The noise is in stakes, as it is in units of the cube in games for two.
        let noisy = |play: ManyPlay| {
            let value = f64::from(play.payoffs.first().copied().unwrap_or_default());
            let noise = self.game.parse_state(&play.position).map_or(0.0, |after| {
                self.game.cells(&after, seat, &mut cells);
                f64::from(self.game.stake()) * asking.noise(&cells)
            });
            (play, value + noise)
        };
        let best = asking.choose(plays.into_iter().map(noisy)).expect("every turn has a play");
        Ok(SeatAction::Play { play: best.play })
    }

    fn hint(&self, asking: &TableQuestion<'_>) -> Result<Hint> {
        let mut plays = self.ranked(PLY, asking)?;
        plays.truncate(ADVISED);
        Ok(Hint::Many(ManyPlays { legal: plays.len(), plays }))
    }

    /// Points that a play loses by the network; the rules of thumb have none.
    fn mistake(&self, action: &SeatAction, asking: &TableQuestion<'_>) -> Result<Option<Mistake>> {
        let SeatAction::Play { play } = action else { return Ok(None) };
        let (chosen, _) = self.parse(play)?;
        let plays = self.ranked(asking.ply.unwrap_or(PLY), asking)?;
        let value = |play: &ManyPlay| play.payoffs.first().copied();
        let found = plays.iter().find(|play| play.play == chosen).and_then(value);
        let (Some(best), Some(found)) = (plays.first(), found) else { return Ok(None) };
        let loss = f64::from(value(best).unwrap_or(found) - found);
        Ok(Some(Mistake { chosen, better: best.play.clone(), loss }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    #[test]
    fn the_log_says_what_happens_between_four_and_seven_players() {
        let removed = "a checker of summer is removed and has to enter again";
        for (game, turns, expected) in [
            ("four-seasons", 240, &[removed, "dice are offered to the next player", "has won"][..]),
            (
                "astronomy",
                900,
                &["is captured for good", "counts from now on", "has no checkers left"],
            ),
        ] {
            let ask = format!(r#"{{"game": "{game}", "seed": 4, "opponents": "rule-based"}}"#);
            let mut live = Live::begin(serde_json::from_str(&ask).unwrap(), 1).unwrap();
            let engine = Engine::without_tables();
            let mut reasons = Vec::new();
            for _ in 0..turns {
                live.go_on(&engine, &Watch::default()).unwrap();
                if matches!(live.awaited(), Awaited::GameOver(_)) {
                    break;
                }
                let play = live.plays().swap_remove(0);
                live.choose(&SeatAction::Play { play }).unwrap();
            }
            reasons.extend(live.log().into_iter().flat_map(|happened| happened.reasons));
            for part in expected {
                assert!(reasons.iter().any(|reason| reason.contains(part)), "{part}: {reasons:?}");
            }
        }
    }
}
