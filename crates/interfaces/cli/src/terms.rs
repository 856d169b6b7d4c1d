//! Cube and score on the command line.

use clap::Args;
use tavola_engine::{DEFAULT_MET, MatchPoints, Terms, named};
use tavola_rules::{Cube, CubeOwner, MatchScore};

use crate::failure::{Blame, Failure, Outcome};

/// Cube and score, in place of those that the position carries.
#[derive(Clone, Debug, Args)]
pub struct TermsArgs {
    /// The value of the cube, 1, 2, 4 ... [default: that of the position, or 1]
    #[arg(long, value_name = "VALUE")]
    pub cube: Option<u32>,
    /// Who owns a cube above 1; the player is the one on roll
    #[arg(long, value_name = "WHO", requires = "cube", value_parser = named::<CubeOwner>())]
    pub owner: Option<CubeOwner>,
    /// Points of the match [default: that of the position, or money play]
    #[arg(long, short = 'l', value_name = "POINTS")]
    pub match_length: Option<u16>,
    /// The score of the match, the player on roll first [default: that of the position, or 0-0]. At
    /// 1-away it is post-Crawford unless --crawford says otherwise
    #[arg(long, value_name = "MINE-THEIRS", value_parser = points)]
    pub score: Option<[u16; 2]>,
    /// This is the Crawford game
    #[arg(long)]
    pub crawford: bool,
    /// For money: gammons count single until the cube is turned
    #[arg(long, conflicts_with = "match_length")]
    pub jacoby: bool,
    /// For money: allow beavers (immediate redouble, keeping the cube)
    #[arg(long, conflicts_with = "match_length")]
    pub beavers: bool,
    /// As --beavers, and the doubler may turn the cube once more
    #[arg(long, conflicts_with = "match_length")]
    pub raccoons: bool,
    /// What match scores are worth: kazaross-xg2, rockwell-kazaross, own or an XML file. Money play
    /// needs none
    #[arg(long, value_name = "TABLE", default_value = DEFAULT_MET)]
    pub met: String,
}

/// Points won so far, the player on roll first.
fn points(text: &str) -> Result<[u16; 2], String> {
    let points = text.split_once('-').and_then(|(player, opponent)| {
        Some([player.trim().parse().ok()?, opponent.trim().parse().ok()?])
    });
    points.ok_or_else(|| "expected two numbers such as 3-5".to_owned())
}

impl TermsArgs {
    /// What is given.
    pub fn terms(&self) -> Outcome<Terms> {
        Ok(Terms {
            cube: self.cube()?,
            score: self.score()?,
            points: self.points(),
            jacoby: self.jacoby.then_some(true),
            beavers: self.beavers.then_some(true),
            raccoons: self.raccoons,
            met: Some(self.met.clone()),
        })
    }

    fn cube(&self) -> Outcome<Option<Cube>> {
        let Some(value) = self.cube else { return Ok(None) };
        let owner = match self.owner {
            Some(owner) => owner,
            None if value == 1 => CubeOwner::Center,
            None => {
                // A value that no cube shows would stay wrong with any owner.
                Cube::from_value(value, CubeOwner::Center).or_input()?;
                return Err(Failure::input(format_args!(
                    "--cube {value} without an owner, expected --owner player, opponent or center"
                )));
            }
        };
        Cube::from_value(value, owner).or_input().map(Some)
    }

    /// The score of a match whose length the position has to say.
    fn points(&self) -> Option<MatchPoints> {
        let given = self.match_length.is_none() && (self.score.is_some() || self.crawford);
        given.then_some(MatchPoints { score: self.score, crawford: self.crawford })
    }

    fn score(&self) -> Outcome<Option<MatchScore>> {
        let Some(length) = self.match_length else { return Ok(None) };
        let [player, opponent] = self.score.unwrap_or_default();
        let make = if self.crawford { MatchScore::crawford } else { MatchScore::new };
        make(length, player, opponent).or_input().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: TermsArgs = TermsArgs {
        cube: None,
        owner: None,
        match_length: None,
        score: None,
        crawford: false,
        jacoby: false,
        beavers: false,
        raccoons: false,
        met: String::new(),
    };

    #[test]
    fn arguments_become_stakes() {
        let args = TermsArgs {
            cube: Some(2),
            owner: Some(CubeOwner::Player),
            match_length: Some(7),
            score: Some([3, 5]),
            ..NONE
        };
        let stakes = args.terms().unwrap();
        assert_eq!(stakes.cube, Some(Cube::from_value(2, CubeOwner::Player).unwrap()));
        assert_eq!(stakes.score, Some(MatchScore::new(7, 3, 5).unwrap()));
        assert_eq!((stakes.jacoby, stakes.beavers), (None, None));
        let args = TermsArgs { jacoby: true, raccoons: true, ..NONE };
        let stakes = args.terms().unwrap();
        assert_eq!((stakes.jacoby, stakes.raccoons, stakes.cube), (Some(true), true, None));
    }

    #[test]
    fn impossible_stakes_are_refused_with_a_reason() {
        let to_seven = TermsArgs { match_length: Some(7), ..NONE };
        for (args, part) in [
            (TermsArgs { cube: Some(3), owner: Some(CubeOwner::Player), ..NONE }, "power of two"),
            (TermsArgs { cube: Some(2), ..NONE }, "--owner"),
            (TermsArgs { cube: Some(3), ..NONE }, "power of two"),
            (TermsArgs { cube: Some(0), ..NONE }, "power of two"),
            (TermsArgs { cube: Some(1 << 25), ..NONE }, "2^25 is too large"),
            (TermsArgs { cube: Some(1), owner: Some(CubeOwner::Player), ..NONE }, "at least 2"),
            (TermsArgs { score: Some([7, 2]), ..to_seven.clone() }, "both below 7"),
            (TermsArgs { match_length: Some(0), ..NONE }, "at least 1"),
            (
                TermsArgs { score: Some([3, 5]), crawford: true, ..to_seven.clone() },
                "one point from winning",
            ),
        ] {
            let message = args.terms().unwrap_err().message();
            assert!(message.contains(part), "{args:?}: {message}");
        }
        for text in ["", "3", "3:5", "a-b", "-1-2", "3-99999"] {
            assert!(points(text).is_err(), "{text:?}");
        }
    }
}
