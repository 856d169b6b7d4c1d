//! `convert`: a position in another form.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tavola_evaluator::{PlayableGame, Written};
use tavola_rules::board::{Charset, Color, Theme};
use tavola_rules::notation::MoneyOrMatch::{self, Match};
use tavola_rules::{Cube, alternatives, did_you_mean};

use super::Operation;
use crate::error::{EngineError, ErrorKind, Result};
use crate::question::PositionQuestion;
use crate::request::wrong;
use crate::schema;

/// Asks for the position in another form.
#[derive(Clone, Copy, Debug, Default, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Convert {
    /// The notation to write [default: every one that fits in a line]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FORM", value_parser = form()))]
    #[schemars(schema_with = "schema::form")]
    pub to: Option<ConvertTarget>,
}

/// The forms in which a position can be written, by their names.
#[cfg(feature = "clap")]
fn form() -> impl clap::builder::TypedValueParser<Value = ConvertTarget> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(
        ConvertTarget::ALL
            .map(|known| PossibleValue::new(known.name).aliases(known.aliases).help(known.meaning)),
    )
    .try_map(|name| name.parse())
}

/// The forms in which a position can be written or drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvertTarget {
    /// As a text.
    Text(tavola_evaluator::WrittenForm),
    /// As a drawing of characters, without color.
    Board,
    /// As a drawing in SVG.
    Svg,
}

/// A form with its names.
#[derive(Clone, Copy, Debug)]
pub struct TargetName {
    /// The form.
    pub form: ConvertTarget,
    /// The name that is written.
    pub name: &'static str,
    /// Other names that are read.
    pub aliases: &'static [&'static str],
    /// What it holds.
    pub meaning: &'static str,
}

impl ConvertTarget {
    /// Every form with its names.
    pub const ALL: [TargetName; 10] = {
        use tavola_evaluator::WrittenForm as Of;
        const fn named(
            form: ConvertTarget,
            name: &'static str,
            aliases: &'static [&'static str],
            meaning: &'static str,
        ) -> TargetName {
            TargetName { form, name, aliases, meaning }
        }
        [
            named(
                Self::Text(Of::PositionId),
                "position-id",
                &["position_id", "positionid", "posid", "gnuid"],
                "GNU Position ID: the checkers alone",
            ),
            named(
                Self::Text(Of::MatchId),
                "match-id",
                &["match_id", "matchid"],
                "GNU Match ID: cube, score and dice alone",
            ),
            named(
                Self::Text(Of::GnubgId),
                "gnubg-id",
                &["gnubg_id", "gnu"],
                "GNU Position ID and Match ID, with a colon between",
            ),
            named(Self::Text(Of::Xgid), "xgid", &[], "XGID"),
            named(Self::Text(Of::Ogid), "ogid", &[], "OGID of OpenGammon"),
            named(Self::Text(Of::Fibs), "fibs", &[], "Board of the FIBS server"),
            named(
                Self::Text(Of::Ints),
                "ints",
                &["counts"],
                "26 integers: opponent's bar, points 1 to 24, own bar",
            ),
            named(
                Self::Text(Of::Text),
                "text",
                &[],
                "The game's own notation: that of docs/games/ for the historical games, the GNU \
                 Position ID for backgammon",
            ),
            named(Self::Board, "board", &[], "A drawing for the terminal"),
            named(Self::Svg, "svg", &[], "A drawing as SVG"),
        ]
    };

    /// The name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|known| known.form == self);
        found.expect("every form is listed").name
    }

    /// Every name that is read.
    pub(crate) fn names() -> Vec<&'static str> {
        let names = |known: &TargetName| [&[known.name], known.aliases].concat();
        Self::ALL.iter().flat_map(names).collect()
    }

    /// The forms that a game has.
    fn of<G: PlayableGame>(game: &G) -> Vec<Self> {
        let forms = game.forms().iter().map(|&form| Self::Text(form));
        let own = [Self::Text(tavola_evaluator::WrittenForm::Text), Self::Board, Self::Svg];
        forms.chain(own).collect()
    }
}

impl fmt::Display for ConvertTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ConvertTarget {
    type Err = String;

    /// The error says what was expected.
    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let is_named =
            |known: &&TargetName| known.name == lower || known.aliases.contains(&&*lower);
        Self::ALL.iter().find(is_named).map(|known| known.form).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|known| known.name).collect();
            format!("{}{}", names.join(", "), did_you_mean(text, names.iter().copied()))
        })
    }
}

impl<'de> Deserialize<'de> for ConvertTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|expected: String| {
            serde::de::Error::custom(wrong("to", &Value::from(name), &expected))
        })
    }
}

/// What [`Convert`] answers.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
#[derive(schemars::JsonSchema)]
pub enum Converted {
    /// One form.
    One {
        /// The position in this form.
        #[schemars(schema_with = "schema::written")]
        position: Written,
    },
    /// Every form that fits in a line.
    All(#[schemars(schema_with = "schema::forms")] BTreeMap<String, Written>),
}

impl Operation for Convert {
    const NAME: &'static str = "convert";
    const ABOUT_OFFERS: bool = true;
    type Answer = Converted;
    type Many = ();

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<Converted> {
        let forms = asked.game.forms();
        match self.to {
            Some(form) => {
                let position = write(asked, form)?;
                if let (ConvertTarget::Text(form), Written::Text(text)) = (form, &position) {
                    tell_what_is_lost(asked, form, text);
                }
                Ok(Converted::One { position })
            }
            None if forms.is_empty() => {
                let text = ConvertTarget::Text(tavola_evaluator::WrittenForm::Text);
                Ok(Converted::One { position: write(asked, text)? })
            }
            None => {
                let written = |&form: &tavola_evaluator::WrittenForm| {
                    let form = ConvertTarget::Text(form);
                    Ok((form.name().replace('-', "_"), write(asked, form)?))
                };
                Ok(Converted::All(forms.iter().map(written).collect::<Result<_>>()?))
            }
        }
    }
}

/// The position of a question in a form.
fn write<G: PlayableGame>(asked: &PositionQuestion<'_, G>, form: ConvertTarget) -> Result<Written> {
    let board = || asked.game.board_view(&asked.situation, &[]);
    let text = match form {
        ConvertTarget::Board => {
            return Ok(Written::Text(board().text(Charset::Unicode, Color::Never)));
        }
        ConvertTarget::Svg => return Ok(Written::Text(board().svg(&Theme::default()))),
        ConvertTarget::Text(text) => text,
    };
    let written = asked.game.write_as(&asked.situation, text).ok_or_else(|| {
        let names = ConvertTarget::of(asked.game).into_iter().map(ConvertTarget::name);
        EngineError::new(
            ErrorKind::To,
            format_args!(
                "{} can't be written as {form}, expected {}",
                asked.game.id(),
                alternatives(names)
            ),
        )
    })?;
    written.map_err(|error| EngineError::new(ErrorKind::Position, error))
}

/// Warns of what the text, which was written in a form that holds more than the checkers, has no
/// place for.
fn tell_what_is_lost<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    form: tavola_evaluator::WrittenForm,
    text: &str,
) {
    use tavola_evaluator::WrittenForm::{Fibs, GnubgId, Ogid, Xgid};
    if !matches!(form, Fibs | GnubgId | Ogid | Xgid) {
        return;
    }
    let Ok((kept, _)) = asked.game.parse_with_warnings(text) else { return };
    let of_money = |stakes: Option<MoneyOrMatch>| match stakes {
        Some(MoneyOrMatch::Money { jacoby, beavers }) => (jacoby, beavers == Some(true)),
        Some(MoneyOrMatch::Match(_)) | None => (false, false),
    };
    let (jacoby, beavers) = of_money(asked.situation.stakes);
    let (keeps_jacoby, keeps_beavers) = of_money(kept.stakes);
    let cube = |cube: Option<Cube>| cube.unwrap_or(Cube::START);
    let of_match =
        |stakes: Option<MoneyOrMatch>| stakes.filter(|stakes| matches!(stakes, Match(_)));
    for (what, is_lost) in [
        ("the Jacoby rule", jacoby && !keeps_jacoby),
        ("beavers", beavers && !keeps_beavers),
        ("the score", of_match(asked.situation.stakes) != of_match(kept.stakes)),
        ("the cube", cube(asked.situation.cube) != cube(kept.cube)),
        ("the roll", asked.situation.dice != kept.dice),
        ("the offer", asked.situation.offer != kept.offer),
    ] {
        if is_lost {
            asked.watch.ignored(format_args!(
                "{what}, for which a text of the form {} has no place",
                ConvertTarget::Text(form)
            ));
        }
    }
}
