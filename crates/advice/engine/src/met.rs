//! Match equity tables by name, kept between questions, and what follows from them at every score.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use tavola_equity::met::{MetError, MetModel};
use tavola_equity::{Efficiency, GammonRates, MatchEquityTable, Mwc, Stakes};
use tavola_files::limits::FILE_BYTES;
use tavola_rules::{Cube, CubeOwner, MatchScore, Options, did_you_mean};

use crate::error::{EngineError, ErrorKind, Result};
use crate::once::Made;

/// The table that is used where none is named.
pub const DEFAULT_MET: &str = "kazaross-xg2";

/// How far tables go at least, in points.
const SHORTEST: u16 = 25;

/// The longest table of each name so far.
#[derive(Debug, Default)]
pub(crate) struct MatchTables(Made<String, Arc<MatchEquityTable>>);

impl MatchTables {
    /// The table of this name, long enough for a match to `length`.
    ///
    /// Longer tables are computed once. They grow by doubling, so that a caller who asks about
    /// every length there is waits for few of them; entries do not depend on the length.
    pub(crate) fn get(&self, name: &str, length: u16) -> Result<Arc<MatchEquityTable>> {
        let sizes = std::iter::successors(Some(SHORTEST), |size| size.checked_mul(2));
        let enough = sizes.take_while(|size| *size < MatchEquityTable::MAX_LENGTH);
        let longest = enough.chain([MatchEquityTable::MAX_LENGTH]).find(|size| *size >= length);
        let make = || match_equity_table(name, longest.unwrap_or(length)).map(Arc::new);
        self.0.get(&name.to_owned(), |table| table.length() >= length, make)
    }
}

/// The match equity table of this name (`kazaross-xg2`, `rockwell-kazaross`, `own`) or in this XML
/// file, at least so long.
///
/// # Errors
///
/// [`EngineError`] of kind `met`.
pub fn match_equity_table(name: &str, length: u16) -> Result<MatchEquityTable> {
    let table = match name {
        DEFAULT_MET => MatchEquityTable::kazaross_xg2().clone(),
        "rockwell-kazaross" => MatchEquityTable::rockwell_kazaross().clone(),
        "own" => MetModel::default().table(length).map_err(unusable)?,
        file => read(Path::new(file))?,
    };
    Ok(table.covering(length).map_err(unusable)?.into_owned())
}

fn unusable(error: impl std::error::Error + 'static) -> EngineError {
    EngineError::caused(ErrorKind::Met, "", &error)
}

fn no_cube(error: impl std::error::Error + 'static) -> EngineError {
    EngineError::caused(ErrorKind::Cube, "", &error)
}

fn read(path: &Path) -> Result<MatchEquityTable> {
    let shown = path.display();
    let bytes = tavola_files::read(path, &FILE_BYTES).map_err(|error| {
        let context = format!(
            "cannot read {shown}, expected kazaross-xg2, rockwell-kazaross, own or an XML file{}",
            did_you_mean(&shown.to_string(), [DEFAULT_MET, "rockwell-kazaross", "own"])
        );
        EngineError::caused(ErrorKind::Met, context, &error)
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        EngineError::new(ErrorKind::Met, format_args!("{shown} is not a text in UTF-8"))
    })?;
    MatchEquityTable::from_xml(&text)
        .map_err(|error| EngineError::caused(ErrorKind::Met, format!("cannot use {shown}"), &error))
}

/// The part of a table up to some points to go.
#[derive(Debug, Serialize)]
pub struct MetPart<'a> {
    /// The name of the table.
    pub name: &'a str,
    /// What it says of itself.
    pub description: &'a str,
    /// How far it goes.
    pub away: u16,
    /// `[player_away - 1][opponent_away - 1]`.
    pub pre_crawford: Vec<Vec<f64>>,
    /// `[trailer_away - 1]`, from the trailer.
    pub post_crawford: Vec<f64>,
}

impl<'a> MetPart<'a> {
    /// The part up to this many points to go.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `met` beyond the end of the table.
    pub fn new(table: &'a MatchEquityTable, away: u16) -> Result<Self> {
        let mwc = |found: Result<Mwc, MetError>| found.map(|mwc| mwc.0).map_err(unusable);
        let row = |player| {
            let found = (1..=away).map(|opponent| mwc(table.pre_crawford(player, opponent)));
            found.collect::<Result<Vec<f64>>>()
        };
        let after = (1..=away).map(|trailer| mwc(table.post_crawford(trailer)));
        Ok(Self {
            name: table.name(),
            description: table.description(),
            away,
            pre_crawford: (1..=away).map(row).collect::<Result<_>>()?,
            post_crawford: after.collect::<Result<_>>()?,
        })
    }
}

/// Take points and gammon values with one value of the cube, by the player's and the opponent's
/// points to go; `None` where the double has no effect, or no cube is in play.
#[derive(Debug, Serialize)]
pub struct TakePoints {
    /// The cube before the double.
    pub cube: u32,
    /// The probability that the player needs to take, if the cube is never turned again.
    pub take_dead: Vec<Vec<Option<f64>>>,
    /// The probability that the player needs to take, if the cube is turned at the perfect moment
    /// (live cube).
    pub take_live: Vec<Vec<Option<f64>>>,
    /// What the player's gammons are worth with the cube at this value.
    pub gammon_value: Vec<Vec<f64>>,
}

impl TakePoints {
    /// Those of a cube of this value before the double, with this share of gammons.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `met` or `cube`: a score beyond the end of the table, or no cube.
    pub fn new(table: &MatchEquityTable, away: u16, value: u32, gammon_rate: f64) -> Result<Self> {
        let size = usize::from(away);
        let mut sheet = Self {
            cube: value,
            take_dead: Vec::with_capacity(size),
            take_live: Vec::with_capacity(size),
            gammon_value: Vec::with_capacity(size),
        };
        let owner = if value == 1 { CubeOwner::Center } else { CubeOwner::Opponent };
        let cube = Cube::from_value(value, owner).map_err(no_cube)?;
        let rates =
            GammonRates { win_gammon: gammon_rate, lose_gammon: gammon_rate, ..GammonRates::NONE };
        for player in 1..=away {
            let (mut dead, mut live, mut gammons) = (Vec::new(), Vec::new(), Vec::new());
            for opponent in 1..=away {
                let length = player.max(opponent);
                let score =
                    MatchScore::new(length, length - player, length - opponent).map_err(no_cube)?;
                let stakes =
                    Stakes::for_match(score, table, &Options::default()).map_err(no_cube)?;
                let take = |efficiency| {
                    let points = stakes.points(&rates, cube, efficiency).ok()?;
                    (value < u32::from(length)).then_some(points.take)
                };
                dead.push(take(Efficiency::DEAD));
                live.push(take(Efficiency::LIVE));
                gammons.push(stakes.gammon_values(cube).player);
            }
            sheet.take_dead.push(dead);
            sheet.take_live.push(live);
            sheet.gammon_value.push(gammons);
        }
        Ok(sheet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_do_not_depend_on_the_length_of_a_table() {
        let tables = MatchTables::default();
        for name in [DEFAULT_MET, "rockwell-kazaross", "own"] {
            let alone = match_equity_table(name, 27).unwrap();
            let longer = tables.get(name, 27).unwrap();
            assert_eq!(longer.length(), 50);
            for player in 1..=27 {
                for opponent in 1..=27 {
                    let mwc = |table: &MatchEquityTable| table.pre_crawford(player, opponent);
                    assert_eq!(mwc(&alone).unwrap(), mwc(&longer).unwrap(), "{player} {opponent}");
                }
            }
            assert!(Arc::ptr_eq(&longer, &tables.get(name, 3).unwrap()), "computed once");
        }
    }

    #[test]
    fn a_file_that_is_no_table_is_named() {
        let error = MatchTables::default().get("nowhere.xml", 7).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Met);
        assert!(error.to_string().contains("nowhere.xml"), "{error}");
    }
}
