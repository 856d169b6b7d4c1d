//! The answers that commands and `batch` share. Figures are cubeless money figures.

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;
use tavola_equity::Probs;
use tavola_evaluator::{Search, SearchWatch};
use tavola_rules::board::{BoardView, Charset, Color, Theme};
use tavola_rules::moves::{self, Play};
use tavola_rules::notation::{self, MatchId, NotationError, Situation, encode_position_id};
use tavola_rules::{Backgammon, Dice, Game, Outcome, Position};

use crate::args::Form;
use crate::cubeful::CubefulFigures;
use crate::report::format;

/// A legal play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LegalPlay {
    /// Canonical move text.
    pub play: String,
    /// GNU Position ID of the result, the opponent on roll.
    pub position: String,
}

/// A play and what it is worth to the player who makes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatedPlay {
    /// Canonical move text.
    pub play: String,
    /// GNU Position ID of the result, the opponent on roll.
    pub position: String,
    /// The result itself.
    #[serde(skip)]
    pub after: Position,
    /// Cubeless money equity in points.
    pub equity: f32,
    /// Equity lost against the best play as judged at the same depth, never negative.
    pub loss: f32,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    #[serde(serialize_with = "as_five")]
    pub probs: Probs,
    /// With a cube, where plays are ranked so.
    #[serde(flatten)]
    pub cubeful: Option<CubefulFigures>,
    /// Plies of lookahead.
    pub ply: u8,
}

/// What a position is worth to the player on roll, before the roll.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    #[serde(serialize_with = "as_five")]
    pub probs: Probs,
    /// Cubeless money equity in points.
    pub equity: f32,
    /// Plies of lookahead.
    pub ply: u8,
}

/// Every distinct result of the roll, with one way to play it; none if the game is over.
pub fn legal(position: &Position, dice: Dice) -> Vec<LegalPlay> {
    ways_to_play(position, dice)
        .into_iter()
        .map(|(play, result)| LegalPlay {
            play: play.to_string(),
            position: encode_position_id(&result),
        })
        .collect()
}

/// The plays of the roll, best first; none if the player can't move or the game is over. Plays
/// that were judged deepest come first.
pub fn best(
    search: &mut Search<Backgammon>,
    position: &Position,
    dice: Dice,
    watch: SearchWatch<'_>,
) -> Vec<RatedPlay> {
    let plays: HashMap<Position, Play> =
        ways_to_play(position, dice).into_iter().map(|(play, result)| (result, play)).collect();
    if plays.is_empty() {
        return Vec::new();
    }
    search
        .rank(position, dice, watch)
        .into_iter()
        .map(|ranked| {
            let probs = ranked.value.cumulative();
            let play = &plays[&ranked.state];
            let rated = rated(play, &ranked.state, probs, ranked.loss, ranked.ply);
            RatedPlay { equity: ranked.worth, ..rated }
        })
        .collect()
}

/// A play that leads to `after`, without figures for a cube.
pub fn rated(play: &Play, after: &Position, probs: Probs, loss: f32, ply: u8) -> RatedPlay {
    RatedPlay {
        play: play.to_string(),
        position: encode_position_id(after),
        after: *after,
        equity: probs.equity(),
        loss,
        probs,
        cubeful: None,
        ply,
    }
}

/// What the position is worth before the roll.
pub fn eval(
    search: &mut Search<Backgammon>,
    position: &Position,
    watch: SearchWatch<'_>,
) -> Judgement {
    let (probs, ply) = search.judge(position, watch);
    Judgement { probs: probs.cumulative(), equity: probs.equity(), ply }
}

/// How the game has ended, from the player on roll; `None` while it goes on.
pub fn outcome(position: &Position) -> Option<Outcome> {
    Backgammon::Standard.outcome(position)
}

/// One way to play each distinct result of the roll; none if the game is over.
pub fn ways_to_play(position: &Position, dice: Dice) -> Vec<(Play, Position)> {
    if outcome(position).is_some() { Vec::new() } else { moves::plays(position, dice) }
}

/// The five chances as an array.
pub fn as_five<S: serde::Serializer>(probs: &Probs, serializer: S) -> Result<S::Ok, S::Error> {
    format::five(probs).serialize(serializer)
}

/// A position in another form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Converted {
    /// 26 integers.
    Counts(Vec<i8>),
    /// Any other form.
    Text(String),
}

/// Reads a position in any accepted notation; `game` says how many checkers a side owns.
pub fn parse_position(text: &str, game: Backgammon) -> Result<Situation, NotationError> {
    notation::read_situation(text, game).map(|reading| reading.situation)
}

impl fmt::Display for Converted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counts(counts) => {
                let counts: Vec<String> = counts.iter().map(i8::to_string).collect();
                f.write_str(&counts.join(","))
            }
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Writes a situation in another form; a board comes without colour.
pub fn convert(situation: &Situation, form: Form) -> Result<Converted, NotationError> {
    let text = match form {
        Form::Ints => return Ok(Converted::Counts(situation.position.counts().to_vec())),
        Form::PositionId | Form::Text => encode_position_id(&situation.position),
        Form::MatchId => MatchId::from_situation(situation).encode()?,
        Form::GnubgId => notation::Form::PositionAndMatchId.write(situation)?,
        Form::Xgid => notation::Form::Xgid.write(situation)?,
        Form::Board => BoardView::from(situation).text(Charset::Unicode, Color::Never),
        Form::Svg => BoardView::from(situation).svg(&Theme::default()),
    };
    Ok(Converted::Text(text))
}
