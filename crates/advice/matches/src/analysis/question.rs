//! The decisions that a record holds, in the order in which the players made them.

use tavola_rules::notation::Situation;
use tavola_rules::{Dice, GameResult, GameStage, Offer, Play, Player, WinKind};

use crate::playback::Playback;
use crate::record::{Act, Match};

/// A decision that a player had to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecisionPoint {
    /// The game, from 0.
    pub game: usize,
    /// The action of the game with which it was decided, from 0; for a double that was not made,
    /// the roll instead of it.
    pub action: usize,
    /// The turn within the game, from 1: every roll begins one.
    pub turn: usize,
    /// The row of match text in which it stands, from 1.
    pub row: usize,
    /// Who decides.
    pub player: Player,
    /// What is known before the decision, seen from the player on roll.
    pub situation: Situation,
    /// What was decided.
    pub choice: Choice,
}

impl DecisionPoint {
    /// What the record comments on what was done. A double that was not made has no words.
    pub fn comment<'a>(&self, record: &'a Match) -> &'a str {
        let action = record.games.get(self.game).and_then(|game| game.actions.get(self.action));
        let action = action.filter(|_| self.choice != Choice::Double { doubled: false });
        action.map_or("", |action| &action.comment)
    }
}

/// What a player had to decide, and did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// To play a roll, which this player did not choose.
    Play {
        /// The roll.
        dice: Dice,
        /// The play; `None` if the roll was not played.
        play: Option<Play>,
        /// Whether it is the first roll of the game, which is no double.
        opening: bool,
    },
    /// To double or to roll.
    Double {
        /// Whether the player doubled.
        doubled: bool,
    },
    /// To answer a double.
    Answer(Act),
    /// To offer to lose by so much.
    Resign(WinKind),
    /// To accept, or to refuse, to win by so much.
    AnswerResignation {
        /// What was offered.
        win: WinKind,
        /// Whether it was accepted.
        accepted: bool,
    },
}

impl Choice {
    /// The place of a cube action among [those of its kind](super::CubeFigures::choices).
    pub const fn place(self) -> Option<usize> {
        match self {
            Self::Double { doubled } => Some(doubled as usize),
            Self::Answer(Act::Take) => Some(0),
            Self::Answer(Act::Drop) => Some(1),
            Self::Answer(_) => Some(2),
            _ => None,
        }
    }
}

/// The decisions of a match. Cube actions count only where the rules of turns allow them; whether a
/// cube at this score has any effect is the business of the engine. A game that can't be followed
/// ends with the last decision before.
pub fn questions(record: &Match) -> Vec<DecisionPoint> {
    let mut questions = Vec::new();
    for (index, game) in record.games.iter().enumerate() {
        let Ok(mut playback) = Playback::of_game(record, game) else { continue };
        // A player who resigns the match may have left, or lost on time: that is no decision.
        let gives_up = |action: usize| {
            let wins = |result: &GameResult| {
                let score = game.score[result.winner.index()].saturating_add(result.points);
                !record.is_money() && score >= u32::from(record.length)
            };
            action + 2 >= game.actions.len() && game.result.as_ref().is_some_and(wins)
        };
        let (mut turn, mut row, mut is_open) = (0, 0, false);
        for (number, action) in game.actions.iter().enumerate() {
            // As match text is written: a cell of the first player begins a row.
            if !matches!(action.act, Act::Accept | Act::SetUp(..)) {
                row += usize::from(action.player == Player::One || !is_open);
                is_open = action.player == Player::One;
            }
            let mut ask = |situation, choice| {
                let (game, player, turn) = (index, action.player, turn + 1);
                questions.push(DecisionPoint {
                    game,
                    action: number,
                    turn,
                    row,
                    player,
                    situation,
                    choice,
                });
            };
            let mut situation = playback.situation();
            let first = playback.state().is_none();
            let state = playback.state();
            let may_double = state.is_some_and(|state| state.may_double());
            match action.act {
                Act::Roll(dice, play) => {
                    // The player who has just had a double taken can't double, nor the starter.
                    if may_double {
                        ask(situation, Choice::Double { doubled: false });
                    }
                    if first && action.player == Player::Two {
                        situation.stakes = situation.stakes.map(|stakes| stakes.flip());
                    }
                    situation.dice = Some(dice);
                    ask(situation, Choice::Play { dice, play, opening: first });
                    turn += 1;
                }
                Act::Double if may_double => {
                    ask(situation, Choice::Double { doubled: true });
                }
                Act::Take | Act::Drop | Act::Beaver
                    if state.is_some_and(|state| {
                        state.phase() == GameStage::Offered(Offer::Double)
                    }) =>
                {
                    ask(situation, Choice::Answer(action.act));
                }
                Act::Resign(win) if !first && !gives_up(number) => {
                    ask(situation, Choice::Resign(win));
                }
                Act::Accept | Act::Refuse if !gives_up(number) => {
                    if let Some(resignation) = state.and_then(|state| state.resignation()) {
                        let accepted = action.act == Act::Accept;
                        let asked = Choice::AnswerResignation { win: resignation.win, accepted };
                        ask(situation, asked);
                    }
                }
                _ => {}
            }
            if playback.act(action.player, &action.act).is_err() {
                break;
            }
        }
    }
    questions
}
