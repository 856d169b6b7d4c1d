//! What a table plays for.

use std::fmt;

use tavola_equity::{MatchEquityTable, Stakes, StakesError};
use tavola_rules::{Beavers, MatchScore, Options, Player, Session};

/// What is played for, and by which rules.
#[derive(Clone, Debug, PartialEq)]
pub struct CubeTerms {
    /// The points that win a match, which counts for one; `None` for money, where each game counts
    /// for the points that it brings.
    match_length: Option<u16>,
    options: Options,
    /// What match scores are worth to the players; not used for money.
    table: MatchEquityTable,
}

impl CubeTerms {
    /// Games for money.
    ///
    /// # Errors
    ///
    /// [`StakesError`] for options that don't fit.
    pub fn money(options: &Options) -> Result<Self, StakesError> {
        Stakes::money(options)?;
        let table = MatchEquityTable::kazaross_xg2().clone();
        Ok(Self { match_length: None, options: options.clone(), table })
    }

    /// Matches to `length` points. Players know what scores are worth from `table`.
    ///
    /// # Errors
    ///
    /// [`StakesError`] for options that don't fit a match and for a table that is too short.
    pub fn match_to(
        length: u16,
        options: &Options,
        table: &MatchEquityTable,
    ) -> Result<Self, StakesError> {
        options.check_match(length)?;
        let table = table.covering(length)?.into_owned();
        Ok(Self { match_length: Some(length), options: options.clone(), table })
    }

    /// The points that win the match; `None` for money.
    pub const fn match_length(&self) -> Option<u16> {
        self.match_length
    }

    /// The options agreed.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// A session that has not begun.
    pub(super) fn session(&self) -> Session {
        match self.match_length {
            None => Session::money(&self.options),
            Some(length) => Session::match_to(length, &self.options),
        }
        .expect("the options were checked")
    }

    /// What the next game of a session is played for, seen by each seat.
    pub(super) fn stakes(&self, session: &Session) -> [Stakes; 2] {
        let one = match session.match_score(Player::One) {
            None => Stakes::money(&self.options),
            Some(score) => Stakes::for_match(score, &self.table, &self.options),
        };
        let one = one.expect("options and table were checked for this contest");
        let two = one.flip();
        [one, two]
    }
}

/// What of the next game's score each seat sees.
pub(super) fn scores(session: &Session) -> [Option<MatchScore>; 2] {
    [session.match_score(Player::One), session.match_score(Player::Two)]
}

impl fmt::Display for CubeTerms {
    /// Everything that a result depends on: `money, Jacoby, cube to 64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = &self.options;
        match self.match_length {
            None => f.write_str("money")?,
            Some(length) => write!(f, "match to {length}, {}", self.table.name())?,
        }
        if options.jacoby {
            f.write_str(", Jacoby")?;
        }
        match options.beavers {
            Beavers::Off => {}
            Beavers::Beavers => f.write_str(", beavers")?,
            Beavers::Raccoons => f.write_str(", beavers and raccoons")?,
        }
        if options.automatic_doubles > 0 {
            write!(f, ", up to {} automatic doubles", options.automatic_doubles)?;
        }
        if self.match_length.is_some() && !options.crawford {
            f.write_str(", no Crawford game")?;
        }
        if let Some(limit) = options.cube_limit {
            write!(f, ", cube to {limit}")?;
        }
        if !options.resignation {
            f.write_str(", no resignations")?;
        }
        Ok(())
    }
}
