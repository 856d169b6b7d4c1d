//! The request for a new game: [`NewGame`], which becomes a [`Setup`] or is refused.

use std::collections::BTreeMap;
use std::fmt::Display;

use schemars::JsonSchema;
use serde::Deserialize;
use tavola_files::limits::NAME_LETTERS;
use tavola_games::{AnyGame, NamedGame};
use tavola_rules::chouette::{BoxPasses, ChouetteRules, Extras, FEWEST, TeamCubes};
use tavola_rules::notation::{Form, MoneyOrMatch, Situation};
use tavola_rules::{Backgammon, Beavers, Cube, Game, Opening, Options};

use super::setup::{named_game, seats};
use super::{DiceSource, Live, Opponents, Setup, StartPosition, Strength};
use crate::error::{EngineError, ErrorKind, Result};

/// The most players of a chouette.
pub(super) const MOST_PLAYERS: usize = 20;

/// The most points that are played for, as far as match equities go.
const MOST_POINTS: u16 = 64;

/// What a game is to be; a field that is missing has the usual value.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewGame {
    /// The game with its options: `backgammon`, `tabula`, `four-seasons`, ...
    pub game: String,
    /// The points that win, at most 64; 0 plays for money, or as long as one likes. Missing: 5 with
    /// a cube, 1 in other games for two, 0 in games for more, which have no end.
    #[schemars(range(max = 64))]
    pub length: Option<u16>,
    /// Backgammon: the position that the match begins with, in any notation, seen by the player on
    /// roll, with its roll, cube, score and options of money.
    pub position: Option<String>,
    /// The engine is on roll in it.
    pub engine_on_roll: bool,
    /// For money: gammons count single until the cube is turned.
    pub jacoby: bool,
    /// For money: whether a double may be beavered.
    pub beavers: Beavers,
    /// How well the engine plays.
    pub strength: Strength,
    /// In games for more than two: the seat of the user, from 1; seat 1 begins the first game.
    #[schemars(range(min = 1, max = 7))]
    pub seat: u8,
    /// In games for more than two: the players of the other seats; missing: the strongest that come
    /// with the program.
    pub opponents: Option<Opponents>,
    /// Who rolls.
    pub dice: DiceSource,
    /// Gives the dice and the noise of weak play; missing: another one each time.
    pub seed: Option<u32>,
    /// What the user is called, up to 24 characters.
    #[schemars(length(min = 1, max = 24))]
    pub name: String,
    /// Further people at the board: what they are called, by seat from 1.
    pub people: BTreeMap<u8, String>,
    /// Backgammon for money between this many players, one of them the box against a team.
    #[schemars(range(min = 3, max = 20))]
    pub chouette: Option<u8>,
    /// In a chouette: one cube for the team, or one for each member.
    pub cubes: TeamCubes,
    /// In a chouette: whether the box stays by the last game at the board or by its balance.
    pub box_passes: BoxPasses,
    /// In a chouette: whether who drops may bet against the only one who takes.
    pub extras: Extras,
    /// Backgammon: one die each for the first roll, or a pair each, which the higher one plays.
    pub opening: Opening,
    /// Backgammon between two people: plays against the rules may be made, and stand unless the
    /// opponent claims them before the next roll.
    pub condone: bool,
}

impl Live {
    /// The game before its first roll; `seed` counts where none is named.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` or `game`.
    pub fn begin(asked: NewGame, seed: u32) -> Result<Self> {
        Self::new(asked.setup(seed)?)
    }

    /// Calls a seat otherwise from now on.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` for what is no name, or the name of another seat.
    pub fn rename(&mut self, seat: usize, name: &str) -> Result<()> {
        let [name, _] = check_name(name)?;
        if self.setup.names.iter().enumerate().any(|(other, known)| other != seat && *known == name)
        {
            return Err(EngineError::request(format_args!(
                "\"name\" is {name:?}, expected another one than those of the other seats"
            )));
        }
        self.setup.names[seat] = name;
        Ok(())
    }
}

impl Default for NewGame {
    fn default() -> Self {
        Self {
            game: "backgammon".to_owned(),
            length: None,
            position: None,
            engine_on_roll: false,
            jacoby: false,
            beavers: Beavers::Off,
            strength: Strength::default(),
            seat: 1,
            opponents: None,
            dice: DiceSource::Computer,
            seed: None,
            name: "You".to_owned(),
            people: BTreeMap::new(),
            chouette: None,
            cubes: TeamCubes::default(),
            box_passes: BoxPasses::default(),
            extras: Extras::default(),
            opening: Opening::default(),
            condone: false,
        }
    }
}

impl NewGame {
    /// The setup that this asks for; `seed` counts where none is named.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` or `game`.
    pub fn setup(self, seed: u32) -> Result<Setup> {
        let game = named_game(&self.game)?;
        let (id, start, usual, most) = match &game {
            NamedGame::Two(AnyGame::Backgammon(start)) if self.chouette.is_some() => {
                (start.id(), Some(*start), 0, 0)
            }
            NamedGame::Two(AnyGame::Backgammon(start)) => {
                (start.id(), Some(*start), 5, MOST_POINTS)
            }
            NamedGame::Two(game) => (game.id(), None, 1, MOST_POINTS),
            NamedGame::Many(game) => (game.id(), None, 0, 0),
        };
        let is_many = matches!(game, NamedGame::Many(_));
        let last = self.chouette.map_or(game.many().map_or(1, |game| game.players()), usize::from);
        let begun = self.position.as_ref().map(|text| self.begun(text, start)).transpose()?;
        let (length, jacoby, beavers) = match begun.as_ref().map(|(_, stakes)| stakes) {
            None => (self.length.unwrap_or(usual), self.jacoby, self.beavers),
            Some(MoneyOrMatch::Match(score)) => (score.length(), false, Beavers::Off),
            Some(&MoneyOrMatch::Money { jacoby, beavers }) => match beavers {
                Some(false) => (0, jacoby, Beavers::Off),
                Some(true) if self.beavers == Beavers::Off => (0, jacoby, Beavers::Beavers),
                _ => (0, jacoby, self.beavers),
            },
        };
        let wrong = |field: &str, found: &dyn Display, expected: &str| {
            let message = format!("{field:?} is {found}, expected {expected} in {id}");
            Err(EngineError::request(message))
        };
        if self.engine_on_roll && begun.is_none() {
            return wrong("engine_on_roll", &true, "it beside a position alone");
        }
        if length > most {
            return wrong("length", &length, &format!("a number from 0 to {most}"));
        }
        if start.is_none() {
            let beavers = self.beavers != Beavers::Off;
            let given = [
                ("jacoby", self.jacoby),
                ("beavers", beavers),
                ("chouette", self.chouette.is_some()),
                ("opening", self.opening != Opening::default()),
                ("condone", self.condone),
            ];
            if let Some((field, _)) = given.iter().find(|(_, given)| *given) {
                return wrong(field, &"set", "none, for there is no cube");
            }
        }
        if !(1..=last).contains(&usize::from(self.seat)) {
            return wrong("seat", &self.seat, &format!("a number from 1 to {last}"));
        }
        self.strength.check(is_many, &id)?;
        if let (false, Some(_)) = (is_many, self.opponents) {
            return wrong("opponents", &"set", "none, for there is one opponent,");
        }
        let opponents = self.opponents.or_else(|| is_many.then(|| Opponents::strongest(&id)));
        let seat = usize::from(self.seat) - 1;
        let (names, chouette) = (self.seated(&game)?, self.chouette_rules()?);
        let people: Vec<usize> = self.people.keys().map(|&seat| usize::from(seat) - 1).collect();
        if self.condone && (people.is_empty() || chouette.is_some()) {
            return wrong("condone", &true, "false, except between two people,");
        }
        let options = start.map(|start| Options {
            start,
            jacoby,
            beavers,
            opening: self.opening,
            resignation: chouette.is_none(),
            ..Options::default()
        });
        let (strength, dice) = (self.strength, self.dice);
        let seed = self.seed.unwrap_or(seed).into();
        Ok(Setup {
            game: id,
            length,
            options,
            position: begun.map(|(begun, _)| begun),
            chouette,
            condone: self.condone,
            names,
            seat,
            people,
            strength,
            opponents,
            dice,
            seed,
            model: None,
            tutor: false,
        })
    }

    /// The position that the match begins with, and what it is played for.
    fn begun(
        &self,
        text: &str,
        start: Option<Backgammon>,
    ) -> Result<(StartPosition, MoneyOrMatch)> {
        let fits = |start: Backgammon| start.start_position().checkers() == 15;
        if !start.is_some_and(fits) || self.length.is_some() || self.chouette.is_some() {
            return Err(EngineError::request(format_args!(
                "\"position\" is {text:?}, expected one in games of fifteen checkers with a cube \
                 alone, and neither \"length\" nor \"chouette\" beside it"
            )));
        }
        let on_roll = usize::from(self.engine_on_roll);
        let situation = StartPosition { xgid: text.to_owned(), on_roll }.situation()?;
        let beavers = Some(self.beavers != Beavers::Off);
        let stakes =
            situation.stakes.unwrap_or(MoneyOrMatch::Money { jacoby: self.jacoby, beavers });
        let cube = Some(situation.cube.unwrap_or(Cube::START));
        let situation = Situation { offer: None, cube, stakes: Some(stakes), ..situation };
        let xgid = Form::Xgid
            .write(&situation)
            .map_err(|error| EngineError::new(ErrorKind::Position, error))?;
        Ok((StartPosition { xgid, on_roll }, stakes))
    }

    /// What the chouette is played by, where there is one.
    fn chouette_rules(&self) -> Result<Option<ChouetteRules>> {
        let Self { chouette, cubes, box_passes, extras, .. } = *self;
        let refuse = |found: &str, expected: &str| {
            Err(EngineError::request(format_args!("{found}, expected {expected}")))
        };
        let rules = ChouetteRules { cubes, box_passes, extras, ..ChouetteRules::default() };
        match chouette {
            None if rules == ChouetteRules::default() => Ok(None),
            None => refuse("\"cubes\", \"box_passes\" or \"extras\" is set", "\"chouette\" too"),
            Some(players) if !(FEWEST..=MOST_PLAYERS).contains(&usize::from(players)) => refuse(
                &format!("\"chouette\" is {players}"),
                &format!("a number from {FEWEST} to {MOST_PLAYERS}"),
            ),
            Some(_) if self.dice == DiceSource::Typed => {
                refuse("\"dice\" is typed", "computer in a chouette")
            }
            Some(_) => match (self.beavers, cubes) {
                (Beavers::Off, _) | (Beavers::Beavers, TeamCubes::Each) => Ok(Some(rules)),
                (found, _) => refuse(
                    &format!("\"beavers\" is {found:?}"),
                    "off in a chouette, or beavers with a cube for each member",
                ),
            },
        }
    }

    /// What the seats are called: people by their names, the others as game or engine are.
    fn seated(&self, game: &NamedGame) -> Result<Vec<String>> {
        let [own, engine] = check_name(&self.name)?;
        let mut names: Vec<String> = match (self.chouette, game) {
            (Some(players), _) => (1..=players).map(|at| format!("tavola {at}")).collect(),
            (None, NamedGame::Two(_)) => vec![String::new(), engine],
            (None, NamedGame::Many(_)) => seats(game).into_iter().map(str::to_owned).collect(),
        };
        names[usize::from(self.seat) - 1] = own;
        for (&seat, name) in &self.people {
            let [name, _] = check_name(name)?;
            let free = (1..=names.len()).contains(&usize::from(seat)) && seat != self.seat;
            if !free || names.contains(&name) {
                return Err(EngineError::request(format_args!(
                    "\"people\" has {name:?} in seat {seat}, expected other names and other seats, \
                     from 1 to {}",
                    names.len()
                )));
            }
            names[usize::from(seat) - 1] = name;
        }
        Ok(names)
    }
}

/// The names of the user and of the engine, given that of the user.
///
/// # Errors
///
/// [`EngineError`] of kind `request` if it can't stand in a record of a match.
fn check_name(name: &str) -> Result<[String; 2]> {
    let is_name = (1..=NAME_LETTERS.default as usize).contains(&name.trim().chars().count())
        && !name.chars().any(|c| c.is_control() || c == ':');
    if !is_name {
        return Err(EngineError::request(format_args!(
            "\"name\" is {name:?}, expected 1 to 24 characters without a colon"
        )));
    }
    let name = name.trim().to_owned();
    let engine = if name == "tavola" { "tavola (engine)" } else { "tavola" };
    Ok([name, engine.to_owned()])
}
