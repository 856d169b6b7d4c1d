//! Match equity tables by name, kept between questions.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tavola_equity::MatchEquityTable;
use tavola_equity::met::MetModel;
use tavola_files::limits::FILE_BYTES;
use tavola_rules::did_you_mean;

use crate::error::{EngineError, ErrorKind};

/// The table that is used where none is named.
pub const DEFAULT_MET: &str = "kazaross-xg2";

/// How far tables go at least, in points.
const SHORTEST: u16 = 25;

/// The longest table of each name so far.
#[derive(Debug, Default)]
pub(crate) struct Tables(Mutex<HashMap<String, Arc<MatchEquityTable>>>);

impl Tables {
    /// The table of this name, long enough for a match to `length`.
    ///
    /// Longer tables are computed once. They grow by doubling, so that a caller who asks about
    /// every length there is waits for few of them; entries do not depend on the length.
    pub(crate) fn get(
        &self,
        name: &str,
        length: u16,
    ) -> Result<Arc<MatchEquityTable>, EngineError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = known.get(name).filter(|table| table.length() >= length) {
            return Ok(Arc::clone(table));
        }
        let sizes = std::iter::successors(Some(SHORTEST), |size| size.checked_mul(2));
        let enough = sizes.take_while(|size| *size < MatchEquityTable::MAX_LENGTH);
        let longest = enough.chain([MatchEquityTable::MAX_LENGTH]).find(|size| *size >= length);
        let table = Arc::new(match_equity_table(name, longest.unwrap_or(length))?);
        known.insert(name.to_owned(), Arc::clone(&table));
        Ok(table)
    }
}

/// The match equity table of this name (`kazaross-xg2`, `rockwell-kazaross`, `own`) or in this XML
/// file, at least so long.
///
/// # Errors
///
/// [`EngineError`] of kind `met`.
pub fn match_equity_table(name: &str, length: u16) -> Result<MatchEquityTable, EngineError> {
    let table = match name {
        DEFAULT_MET => MatchEquityTable::kazaross_xg2().clone(),
        "rockwell-kazaross" => MatchEquityTable::rockwell_kazaross().clone(),
        "own" => MetModel::default().table(length).map_err(|error| unusable(&error))?,
        file => read(Path::new(file))?,
    };
    Ok(table.covering(length).map_err(|error| unusable(&error))?.into_owned())
}

fn unusable(error: &(dyn std::error::Error + 'static)) -> EngineError {
    EngineError::caused(ErrorKind::Met, "", error)
}

fn read(path: &Path) -> Result<MatchEquityTable, EngineError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_do_not_depend_on_the_length_of_a_table() {
        let tables = Tables::default();
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
        let error = Tables::default().get("nowhere.xml", 7).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Met);
        assert!(error.to_string().contains("nowhere.xml"), "{error}");
    }
}
