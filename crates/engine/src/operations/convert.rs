//! `convert`: a position in another form.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use tavola_evaluator::{PlayableGame, Written};
use tavola_rules::board::{Charset, Color};

use super::Operation;
use crate::error::{EngineError, ErrorKind};
use crate::fields::{Fields, wrong};
use crate::subject::{Asked, Board};

/// Asks for the position in another form.
#[derive(Clone, Copy, Debug)]
pub struct Convert {
    /// The form.
    pub to: Form,
}

/// The forms in which a position can be written or drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a text.
    Text(tavola_evaluator::Form),
    /// As a drawing of characters, without colour.
    Board,
    /// As a drawing in SVG.
    Svg,
}

impl Form {
    /// Every form with its name.
    pub const ALL: [(&'static str, Self); 8] = {
        use tavola_evaluator::Form as Of;
        [
            ("position-id", Self::Text(Of::PositionId)),
            ("match-id", Self::Text(Of::MatchId)),
            ("gnubg-id", Self::Text(Of::GnubgId)),
            ("xgid", Self::Text(Of::Xgid)),
            ("ints", Self::Text(Of::Ints)),
            ("text", Self::Text(Of::Text)),
            ("board", Self::Board),
            ("svg", Self::Svg),
        ]
    };

    /// Other names that are read.
    const ALIASES: [(&'static str, &'static str); 9] = [
        ("position_id", "position-id"),
        ("positionid", "position-id"),
        ("posid", "position-id"),
        ("gnuid", "position-id"),
        ("match_id", "match-id"),
        ("matchid", "match-id"),
        ("gnubg_id", "gnubg-id"),
        ("gnu", "gnubg-id"),
        ("counts", "ints"),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, form)| *form == self).map_or("text", |(name, _)| name)
    }

    /// The forms that a game has.
    pub fn of<G: PlayableGame>(game: &G) -> Vec<Self> {
        let forms = game.forms().iter().map(|&form| Self::Text(form));
        let own = [Self::Text(tavola_evaluator::Form::Text), Self::Board, Self::Svg];
        forms.chain(own).collect()
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Form {
    type Err = String;

    /// The error says what was expected.
    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let alias = Self::ALIASES.iter().find(|(alias, _)| *alias == lower);
        let name = alias.map_or(lower.as_str(), |(_, name)| name);
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, form)| *form).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            names.join(", ")
        })
    }
}

/// What [`Convert`] answers.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Converted {
    /// The position in the form.
    pub position: Written,
}

impl Operation for Convert {
    const NAME: &'static str = "convert";
    type Answer = Converted;

    fn read(fields: &mut Fields) -> Result<Self, EngineError> {
        let name = fields.text("to")?;
        let name = fields.required("to", name)?;
        match name.parse() {
            Ok(to) => Ok(Self { to }),
            Err(expected) => Err(wrong("to", &Value::from(name), &expected)),
        }
    }

    fn answer<G: PlayableGame>(&self, asked: &Asked<'_, G>) -> Result<Converted, EngineError> {
        let board = || Board::new(asked.game, asked.situation);
        let position = match self.to {
            Form::Board => Written::Text(board().text(Charset::Unicode, Color::Never)),
            Form::Svg => Written::Text(board().svg()),
            Form::Text(form) => asked
                .game
                .write_as(&asked.situation, form)
                .ok_or_else(|| {
                    let names = Form::of(asked.game).into_iter().map(Form::name);
                    let names: Vec<&str> = names.collect();
                    let (last, first) = names.split_last().expect("every game has a text");
                    EngineError::new(
                        ErrorKind::To,
                        format_args!(
                            "{} can't be written as {}, expected {} or {last}",
                            asked.game.id(),
                            self.to,
                            first.join(", ")
                        ),
                    )
                })?
                .map_err(|error| EngineError::new(ErrorKind::Position, error))?,
        };
        Ok(Converted { position })
    }
}
