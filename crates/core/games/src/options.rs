//! The old games for two with their options, and the text that names them.

use std::fmt;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tavola_rules::notation::Quoted;

use crate::dice::DiceCount;
use crate::ludus::LudusOptions;
use crate::rules::{
    Cap, Exit, Goal, HandRule, LOSING, LockRule, ORDINARY, Opposite, Rules, Stake, Start, StuckRule,
};
use crate::trictrac::TrictracOptions;

/// An option that is either played or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// Not played, the default.
    #[default]
    Off,
    /// Played.
    On,
}

/// Options of Tabula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TabulaOptions {
    /// A win counts double if the loser has borne off nothing.
    pub gammons: Switch,
}

/// Where Puff limits a side to two checkers on a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PuffCap {
    /// On 7 to 18, the default.
    #[default]
    Middle,
    /// On all points. Then checkers need not enter while the die can't, and leave whenever they
    /// pass 24.
    Everywhere,
    /// Nowhere, as in the old sources.
    None,
}

/// Which way the opponent travels in Puff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PuffDirection {
    /// The same way, the default.
    #[default]
    Same,
    /// Against the player on roll ("Gegenpuff").
    Reverse,
}

/// Options of Puff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PuffOptions {
    /// Where two checkers of a side are the most.
    pub cap: PuffCap,
    /// Which way the opponent travels.
    pub direction: PuffDirection,
    /// A win counts double if the loser has borne off nothing.
    pub gammons: Switch,
    /// Who has thrown a double rolls again.
    pub extra_roll: Switch,
}

/// Options of Fallas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FallasOptions {
    /// What wins. Without effect with [`alfonso1283`](Self::alfonso1283), where all must go off.
    pub goal: Goal,
    /// A player who can play none of the dice loses.
    pub historical_fail: Switch,
    /// The game of the book of 1283: no checker is marked, single checkers can be hit, all fifteen
    /// must go off, and a player who can play none of the dice loses.
    pub alfonso1283: Switch,
}

/// Which points must be closed for a Barata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BarataZone {
    /// The six on which a die can enter, the default.
    #[default]
    #[serde(rename = "6")]
    Six,
    /// The whole own half.
    #[serde(rename = "12")]
    Twelve,
}

/// What a Barata is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BarataRule {
    /// Being locked out; the fourth time loses. The default.
    #[default]
    Counted,
    /// Four checkers on the bar before six points in a row that the opponent holds; loses at once.
    Historical,
}

/// Options of El Emperador.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmperadorOptions {
    /// What a Barata is.
    pub barata: BarataRule,
    /// Which points must be closed for it. Without effect on the historical one.
    pub barata_zone: BarataZone,
    /// What it is worth to the opponent.
    pub barata_win: Stake,
}

/// Where the checkers of Buffa de Baldrac arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuffaGoal {
    /// On point 24 alone, by exact count; any die bears off. The default.
    #[default]
    Point,
    /// On 19 to 24, and they are borne off as in Tabula.
    Quarter,
}

/// Which dice the opponent inherits in Buffa de Baldrac.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inheritance {
    /// Each that could not be played, the default.
    #[default]
    Dice,
    /// All, if none could be played.
    WholeRoll,
}

/// Options of Buffa de Baldrac.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuffaOptions {
    /// Where the checkers arrive.
    pub goal: BuffaGoal,
    /// Which dice the opponent inherits.
    pub inherit: Inheritance,
}

/// Options of todas tablas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TodasTablasOptions {
    /// How many dice are rolled: two, as the book of 1283 says, or three, as in most of its games.
    pub dice: DiceCount,
}

/// An old game for two with its options.
///
/// Its text is the name, and where options differ from their defaults a colon and these, with
/// commas between: `tabula`, `puff:cap=none,extra_roll=on`. It is read back with any order of
/// options, and is the [`id`](tavola_rules::Game::id) of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OldOptions {
    /// The Roman game of three dice, both players traveling the same way.
    Tabula(TabulaOptions),
    /// Two dice, the low one first, each by another checker.
    Puff(PuffOptions),
    /// Two marked checkers must run past the thirteen of the opponent.
    Fallas(FallasOptions),
    /// Fifteen checkers from the first point, no two of which may meet in the own half.
    Emperador(EmperadorOptions),
    /// What one player can't play, the other may.
    Buffa(BuffaOptions),
    /// The direct ancestor of backgammon, with its start.
    TodasTablas(TodasTablasOptions),
    /// Ludus duodecim scriptorum, on three rows of twelve points.
    Ludus(LudusOptions),
    /// Le Grand Trictrac, a match of twelve holes.
    Trictrac(TrictracOptions),
}

/// A text that names no game of the family, or an option that the game has not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GameOptionsError {
    /// There is no such game.
    #[error("unknown game {}, expected {expected}", Quoted::from(.input.as_str()))]
    Game {
        /// As given.
        input: String,
        /// The names that would do.
        expected: String,
    },
    /// The options can't be read.
    #[error("unusable options of {game} in {}: {reason}", Quoted::from(.input.as_str()))]
    Options {
        /// As given.
        input: String,
        /// The name of the game.
        game: &'static str,
        /// What is wrong with them.
        reason: String,
    },
}

impl OldOptions {
    /// The games with their default options.
    pub fn all() -> [Self; 8] {
        [
            Self::Tabula(TabulaOptions::default()),
            Self::Puff(PuffOptions::default()),
            Self::Fallas(FallasOptions::default()),
            Self::Emperador(EmperadorOptions::default()),
            Self::Buffa(BuffaOptions::default()),
            Self::TodasTablas(TodasTablasOptions::default()),
            Self::Ludus(LudusOptions::default()),
            Self::Trictrac(TrictracOptions::default()),
        ]
    }

    /// The name of the game, whatever its options.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Tabula(_) => "tabula",
            Self::Puff(_) => "puff",
            Self::Fallas(_) => "fallas",
            Self::Emperador(_) => "emperador",
            Self::Buffa(_) => "buffa",
            Self::TodasTablas(_) => "todas-tablas",
            Self::Ludus(_) => "ludus",
            Self::Trictrac(_) => "trictrac",
        }
    }

    /// The rules in a few sentences, with the default options.
    pub const fn brief(&self) -> &'static str {
        match self {
            Self::Tabula(_) => {
                "Fifteen checkers a side enter on 1 to 6 and run to 24, both players the same way. \
                 Three dice, each one move; no doubles. On the first turn every die enters a \
                 checker; no checker leaves 1 to 6 before all have entered. A single checker is hit and \
                 enters again from the bar; two close a point. As many dice as possible must be \
                 played, then as many pips. All on 19 to 24 are borne off; first off wins."
            }
            Self::Puff(_) => {
                "Fifteen checkers a side enter on 1 to 6 and run to 24, both players the same way. \
                 Two dice, the low one first or the turn is lost; each moves another checker. A \
                 double d-d is d, d, 7-d, 7-d. All must have entered before any moves on; who is \
                 hit enters again. On 7 to 18 two checkers of a side are the most. All on 19 to 24 \
                 are borne off; first off wins."
            }
            Self::Fallas(_) => {
                "Each side has two marked checkers on its 1 and thirteen others on its 19, and \
                 the players run against each other. Three dice, each one move. A single unmarked \
                 checker closes its point; a single marked one is hit and enters again on 1 to 6. \
                 Unmarked ones may be borne off at any time, marked ones when both are on 19 to 24. \
                 The first to bear off both marked ones wins."
            }
            Self::Emperador(_) => {
                "All fifteen checkers start on 1, and the players run against each other. Three \
                 dice, each one move. On 1 to 12 no checker may land on another of its own side. A \
                 player with a checker on the bar and no open point among 1 to 6 loses the turn and \
                 has a Barata; the fourth loses the game. All on 19 to 24 are borne off; first off wins. \
                 If neither side can ever move, it is a draw."
            }
            Self::Buffa(_) => {
                "Both enter on the same side of the board from opposite ends, fifteen checkers a \
                 side. Three dice, each one move; on the first turn every die enters a checker, and \
                 no checker leaves 1 to 6 before all have entered. Checkers gather on 24, by exact \
                 count; when all are there, any die bears one off. Dice that could not be played \
                 go to the opponent, who may use them before the roll. First off wins."
            }
            Self::TodasTablas(_) => {
                "The start of backgammon, and the players run against each other. Two dice, each one \
                 move; equal dice are nothing special, and there is no cube. A single checker is hit \
                 and enters again from the bar; two close a point. As many dice as possible must be \
                 played, then as many pips. All on 19 to 24 are borne off; first off wins."
            }
            Self::Ludus(_) => {
                "Fifteen checkers a side enter on six points of their own and travel twenty-four \
                 points that both share, the same way. Three dice, used one by one or added up: a sum \
                 is one jump. Checkers that stand together may move together. No checker leaves the \
                 entry points before all have entered. A single checker is hit, by one or by several, \
                 and enters again; two close a point. Three equal dice give another roll. From the \
                 last six points checkers leave by exact count, once all are there; first off wins."
            }
            Self::Trictrac(_) => {
                "Fifteen checkers a side start on 1 and move against each other; one enemy closes a \
                 field, and nothing is captured. A roll scores, before it is played, by what it could \
                 do: single checkers that it could hit, six fields (a jan) that it fills or keeps full \
                 with two checkers each, the enemy's corner. Twelve points are a hole, two if the \
                 opponent scored nothing in between. Who wins a hole by an own roll holds and plays \
                 it, or goes: all checkers return, all points are lost, and the same player rolls. The \
                 own corner, 12, is entered and left by two together. Twelve holes win the match."
            }
        }
    }

    /// Whether this is Le Grand Trictrac.
    pub(crate) const fn is_trictrac(&self) -> bool {
        matches!(self, Self::Trictrac(_))
    }

    /// The options that differ from their defaults, by name.
    pub(crate) fn changed(&self) -> Vec<(String, String)> {
        match self {
            Self::Tabula(options) => changed(options),
            Self::Puff(options) => changed(options),
            Self::Fallas(options) => changed(options),
            Self::Emperador(options) => changed(options),
            Self::Buffa(options) => changed(options),
            Self::TodasTablas(options) => changed(options),
            Self::Ludus(options) => changed(options),
            Self::Trictrac(options) => changed(options),
        }
    }

    /// What the engine plays by.
    pub(crate) fn rules(&self) -> Rules {
        let stake = |double: bool| if double { Stake::Double } else { Stake::Single };
        match *self {
            Self::Tabula(TabulaOptions { gammons }) => {
                Rules { shut_out: stake(gammons == Switch::On), ..Rules::TABULA }
            }
            Self::Puff(PuffOptions { cap, direction, gammons, extra_roll }) => {
                let most = |from, to| Some(Cap { from, to, most: 2 });
                let (cap, hand, exit) = match cap {
                    PuffCap::Middle => (Rules::PUFF.cap, HandRule::BeforeMoving, Exit::Home),
                    PuffCap::Everywhere => (most(1, 24), HandRule::WherePossible, Exit::Passing),
                    PuffCap::None => (None, HandRule::BeforeMoving, Exit::Home),
                };
                Rules {
                    cap,
                    hand,
                    exit,
                    opposite: match direction {
                        PuffDirection::Same => Opposite::Same,
                        PuffDirection::Reverse => Opposite::Reverse,
                    },
                    shut_out: stake(gammons == Switch::On),
                    extra_roll,
                    ..Rules::PUFF
                }
            }
            Self::Fallas(FallasOptions { goal, historical_fail, alfonso1283 }) => {
                let stuck = match (historical_fail, alfonso1283) {
                    (Switch::Off, Switch::Off) => StuckRule::Passes,
                    _ => StuckRule::Loses,
                };
                match alfonso1283 {
                    Switch::Off => Rules { stuck, goal, ..Rules::FALLAS },
                    Switch::On => Rules {
                        stuck,
                        goal: Goal::All,
                        start: Start::Points(&[(1, 2), (19, 13)], &[]),
                        marked: 0,
                        layout: &LOSING,
                        ..Rules::FALLAS
                    },
                }
            }
            Self::Emperador(EmperadorOptions { barata, barata_zone, barata_win }) => {
                let lock_win = barata_win;
                match barata {
                    BarataRule::Counted => {
                        let zone = match barata_zone {
                            BarataZone::Six => 6,
                            BarataZone::Twelve => 12,
                        };
                        let lock = LockRule::Barata { zone };
                        Rules { lock, lock_win, ..Rules::EMPERADOR }
                    }
                    BarataRule::Historical => Rules {
                        lock: LockRule::Prime,
                        lock_win,
                        layout: &ORDINARY,
                        ..Rules::EMPERADOR
                    },
                }
            }
            Self::Buffa(BuffaOptions { goal, inherit }) => Rules {
                exit: match goal {
                    BuffaGoal::Point => Exit::LastPoint,
                    BuffaGoal::Quarter => Exit::Home,
                },
                inherit: Some(inherit),
                ..Rules::BUFFA
            },
            Self::TodasTablas(TodasTablasOptions { dice }) => Rules { dice, ..Rules::TODAS_TABLAS },
            Self::Ludus(_) => Rules::LUDUS,
            Self::Trictrac(_) => Rules::TRICTRAC,
        }
    }
}

/// Options as names and values.
fn table<T: Serialize>(options: &T) -> Map<String, Value> {
    match serde_json::to_value(options) {
        Ok(Value::Object(table)) => table,
        _ => unreachable!("options are structs of plain enums"),
    }
}

/// The options that differ from their defaults, by name.
pub(crate) fn changed<T: Serialize + Default>(options: &T) -> Vec<(String, String)> {
    let defaults = table(&T::default());
    let text = |value: &Value| value.as_str().expect("options are plain enums").to_owned();
    table(options)
        .iter()
        .filter(|(name, value)| defaults.get(*name) != Some(value))
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}

/// Writes the options of a game with one kind of options behind its name, and reads them back.
macro_rules! options_as_text {
    ($options:ident) => {
        impl std::fmt::Display for $options {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::options::write_id(f, Self::NAME, &$crate::options::changed(self))
            }
        }

        impl std::str::FromStr for $options {
            type Err = $crate::options::GameOptionsError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::options::read_id(Self::NAME, text, |options| options)
            }
        }
    };
}
pub(crate) use options_as_text;

/// Writes a name with its changed options.
pub(crate) fn write_id(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    changed: &[(String, String)],
) -> fmt::Result {
    f.write_str(name)?;
    for (i, (name, value)) in changed.iter().enumerate() {
        write!(f, "{}{name}={value}", if i == 0 { ':' } else { ',' })?;
    }
    Ok(())
}

/// Reads the name of a game with its options, of which `of` makes what the type is read from.
pub(crate) fn read_id<T: DeserializeOwned>(
    game: &'static str,
    text: &str,
    of: impl FnOnce(Value) -> Value,
) -> Result<T, GameOptionsError> {
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    if !name.trim().eq_ignore_ascii_case(game) {
        return Err(GameOptionsError::Game { input: text.to_owned(), expected: game.to_owned() });
    }
    let read = |table| serde_json::from_value(of(table)).map_err(|error| error.to_string());
    table_of(options).and_then(read).map_err(|reason| GameOptionsError::Options {
        input: text.to_owned(),
        game,
        reason,
    })
}

fn table_of(text: &str) -> Result<Value, String> {
    let mut table = Map::new();
    for option in text.split(',').filter(|option| !option.trim().is_empty()) {
        let (name, value) = option
            .split_once('=')
            .ok_or_else(|| format!("{} has no value, expected name=value", Quoted::from(option)))?;
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if table.insert(name.clone(), Value::String(value)).is_some() {
            return Err(format!("{} is given twice", Quoted::from(&*name)));
        }
    }
    Ok(Value::Object(table))
}

impl fmt::Display for OldOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_id(f, self.name(), &self.changed())
    }
}

impl FromStr for OldOptions {
    type Err = GameOptionsError;

    fn from_str(text: &str) -> Result<Self, GameOptionsError> {
        let (name, _) = text.split_once(':').unwrap_or((text, ""));
        let all = Self::all();
        let Some(game) = all.iter().find(|game| game.name().eq_ignore_ascii_case(name.trim()))
        else {
            let expected = all.map(|game| game.name()).join(", ");
            return Err(GameOptionsError::Game { input: text.to_owned(), expected });
        };
        let name = game.name();
        read_id(name, text, |options| json!({ name: options }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_options_are_read_back() {
        for text in [
            "tabula",
            "tabula:gammons=on",
            "puff:cap=none,extra_roll=on",
            "puff:cap=everywhere,direction=reverse,gammons=on",
            "fallas:alfonso1283=on",
            "fallas:goal=all15,historical_fail=on",
            "emperador:barata=historical",
            "emperador:barata_win=double,barata_zone=12",
            "buffa:goal=quarter,inherit=whole_roll",
            "todas-tablas:dice=3",
            "ludus:home_needed=false,stack_move=off",
            "trictrac:ecole=on,exit_exact=free",
        ] {
            let options: OldOptions = text.parse().unwrap();
            let mut changed: Vec<_> = text.split([':', ',']).skip(1).collect();
            changed.sort_unstable();
            let mut found: Vec<_> =
                options.changed().iter().map(|(name, value)| format!("{name}={value}")).collect();
            found.sort_unstable();
            assert_eq!(found, changed);
            assert_eq!(options.to_string().parse(), Ok(options));
        }
        assert_eq!("puff:cap=middle".parse(), Ok(OldOptions::all()[1]));
        assert_eq!(OldOptions::all()[1].to_string(), "puff");
    }

    #[test]
    fn what_is_no_game_or_option_is_refused_with_what_would_do() {
        for (text, expected) in [
            ("ludo", "expected tabula, puff, fallas, emperador, buffa"),
            ("tabula:cap=none", "expected `gammons`"),
            ("puff:cap=some", "expected one of `middle`, `everywhere`, `none`"),
            ("puff:cap", "expected name=value"),
            ("puff:cap=none,cap=none", "given twice"),
        ] {
            let error = text.parse::<OldOptions>().unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains(text), "{error}");
        }
    }
}
