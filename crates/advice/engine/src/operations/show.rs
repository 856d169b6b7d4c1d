//! `show`: a position with its board and what can be counted.

use serde::{Deserialize, Serialize};
use tavola_evaluator::{PlayableGame, SituationOf, Written, WrittenForm};
use tavola_games::many::ManyGame;
use tavola_rules::board::{Board, Charset, Color, Theme};

use super::Operation;
use crate::error::{EngineError, ErrorKind, Result};
use crate::many::{self, ManyQuestion, ManyShown};
use crate::question::{PositionQuestion, in_words};
use crate::schema;

/// Asks for the board.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Show {
    /// A play of the roll to show, such as '8/5 6/5'
    #[cfg_attr(feature = "clap", arg(long, value_name = "PLAY"))]
    pub play: Option<String>,
    /// Whether the play is shown by arrows on the board before it, and not by the board after it.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub arrows: bool,
}

/// What [`Show`] answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ShowAnswer {
    /// The game with its options.
    pub game: String,
    /// The rules in a few sentences.
    pub rules: &'static str,
    /// The position in the notation of the game.
    pub position: String,
    /// The position with dice, cube and score as an XGID, in games that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::written")]
    pub xgid: Option<Written>,
    /// The board as text.
    pub board: String,
    /// The dice, the highest first.
    pub dice: Option<Vec<u8>>,
    /// Pips that the player on roll still has to travel.
    pub pips: u32,
    /// Pips that the opponent still has to travel.
    pub opponent_pips: u32,
    /// Checkers that the player on roll has borne off.
    pub off: u8,
    /// Checkers that the opponent has borne off.
    pub opponent_off: u8,
    /// Whether the game is over.
    pub over: bool,
    /// How the game has ended, in words.
    #[serde(skip)]
    pub end: Option<String>,
    /// The board to draw.
    #[serde(skip)]
    pub drawing: Board,
}

impl Operation for Show {
    const NAME: &'static str = "show";
    const ABOUT_OFFERS: bool = true;
    type Answer = ShowAnswer;
    type Many = ManyShown;

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<ShowAnswer> {
        let game = asked.game;
        let mut situation: SituationOf<G> = asked.situation;
        let mut arrows = None;
        if let Some(text) = &self.play {
            let (play, after) = asked.parse_play(text)?;
            match self.arrows {
                true => arrows = Some(play),
                false => situation = situation.after_play(after),
            }
        }
        let state = &situation.position;
        let flipped = game.flip(state);
        let xgid = game.write_as(&situation, WrittenForm::Xgid).transpose();
        let arrows = arrows.map(|play| (play, Theme::default().arrow));
        let drawing = game.board_view(&situation, arrows.as_slice());
        Ok(ShowAnswer {
            game: game.id(),
            rules: game.brief(),
            position: game.write_state(state),
            xgid: xgid.map_err(|error| EngineError::new(ErrorKind::Position, error))?,
            board: drawing.text(Charset::Unicode, Color::Never),
            dice: situation.dice.map(|dice| game.numbers(dice)),
            pips: game.pips(state),
            opponent_pips: game.pips(&flipped),
            off: game.borne_off(state),
            opponent_off: game.borne_off(&flipped),
            over: game.outcome(state).is_some(),
            end: game.outcome(state).map(in_words),
            drawing,
        })
    }

    fn answer_many<G: ManyGame>(&self, asked: &ManyQuestion<'_, G>) -> Result<ManyShown> {
        many::refuse([("play", self.play.is_some())])?;
        Ok(asked.shown())
    }
}
