//! What a duel with the cube is played for.

use clap::Args;
use tavola_engine::DEFAULT_MET;
use tavola_play::CubeTerms;
use tavola_rules::{Backgammon, Options};

use crate::args::beavers;
use crate::failure::{Blame, Outcome};

/// Over the options of a duel with the cube.
pub const HEADING: &str = "With the doubling cube";

/// The cube, and the rules that go with it.
#[derive(Debug, Args)]
pub struct StakesArgs {
    /// Play for money with the doubling cube
    #[arg(long, help_heading = HEADING)]
    pub cube: bool,
    /// Play matches to POINTS points, with the Crawford rule; --games is then the number of
    /// matches
    #[arg(long = "match", short = 'l', value_name = "POINTS", conflicts_with = "cube", help_heading = HEADING)]
    pub match_length: Option<u16>,
    /// Jacoby rule: gammons count only once the cube is turned
    #[arg(long, requires = "cube", help_heading = HEADING)]
    pub jacoby: bool,
    /// Allow beavers: immediate redoubles that keep the cube
    #[arg(long, requires = "cube", help_heading = HEADING)]
    pub beavers: bool,
    /// As --beavers, and the doubler may turn the cube once more
    #[arg(long, requires = "cube", help_heading = HEADING)]
    pub raccoons: bool,
    /// Ties in the opening roll that may double the cube
    #[arg(long, value_name = "N", default_value_t = 0, requires = "cube", help_heading = HEADING)]
    pub automatic_doubles: u8,
    /// The highest cube, a power of two
    #[arg(long, value_name = "VALUE", default_value_t = 64, help_heading = HEADING)]
    pub cube_limit: u32,
    /// Play hopeless games to their end
    #[arg(long, help_heading = HEADING)]
    pub no_resign: bool,
    /// The match equity table that tavola's players know: kazaross-xg2, rockwell-kazaross, own or
    /// an XML file
    #[arg(long, value_name = "TABLE", default_value = DEFAULT_MET, requires = "match_length", help_heading = HEADING)]
    pub met: String,
}

impl StakesArgs {
    /// Whether there is a cube.
    pub const fn has_cube(&self) -> bool {
        self.cube || self.match_length.is_some()
    }

    /// What is played for with a cube.
    pub fn terms(&self, game: Backgammon) -> Outcome<CubeTerms> {
        let options = Options {
            jacoby: self.jacoby,
            automatic_doubles: self.automatic_doubles,
            beavers: beavers(self.beavers, self.raccoons),
            resignation: !self.no_resign,
            cube_limit: Some(self.cube_limit),
            start: game,
            ..Options::default()
        };
        match self.match_length {
            Some(length) => {
                // A length that there can't be is refused with its own words.
                options.check_match(length).or_input()?;
                let table = tavola_engine::match_equity_table(&self.met, length)?;
                CubeTerms::match_to(length, &options, &table).or_input()
            }
            None => CubeTerms::money(&options).or_input(),
        }
    }
}
