//! Match equity tables: the probability of winning a match before a game, by the points that both
//! sides still need.
//!
//! A table holds the games before and in the Crawford game by (player's points to go, opponent's
//! points to go), and those after it by the points that the trailing side needs. Tables are for
//! equal players: one side's probability is what the other's leaves.
//!
//! Two published tables are built in ([`MatchEquityTable::kazaross_xg2`],
//! [`MatchEquityTable::rockwell_kazaross`]), others are read from the customary XML
//! ([`MatchEquityTable::from_xml`]), and [`MetModel`] computes one from a gammon rate and the cube
//! theory of this crate. The same computation continues a table beyond its last score:
//! [`MatchEquityTable::covering`].

mod model;
mod xml;

use std::borrow::Cow;
use std::sync::OnceLock;

use tavola_rules::{MatchPhase, MatchScore};

use crate::units::Mwc;

pub use model::MetModel;

/// Why there is no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetError {
    /// One side needs no more points: the match is over, or never began.
    #[error(
        "score {player} away, {opponent} away is not a score of an unfinished match, expected both to need 1 point or more"
    )]
    NotRunning {
        /// Points that the player needs.
        player: u16,
        /// Points that the opponent needs.
        opponent: u16,
    },
    /// The table is too short.
    #[error("{away} points to go are beyond this table, expected at most {length}")]
    Beyond {
        /// The points requested.
        away: u16,
        /// The points up to which the table goes.
        length: u16,
    },
    /// No table is made as long as this.
    #[error("a match to {length} is too long, expected 1 to {}", MatchEquityTable::MAX_LENGTH)]
    TooLong {
        /// The length requested.
        length: u16,
    },
}

/// The probability of winning a match by what both sides still need, for equal players.
///
/// # Invariant
///
/// Every entry is a probability, an entry and its mirror image sum to 1, and needing fewer points
/// (or an opponent who needs more) never lowers it.
///
/// ```
/// use tavola_equity::MatchEquityTable;
/// use tavola_rules::MatchScore;
///
/// let table = MatchEquityTable::kazaross_xg2();
/// assert_eq!(table.pre_crawford(3, 5)?.0, 0.64795);
/// // 4-2 in a match to 7 is 3 away, 5 away.
/// assert_eq!(table.mwc(MatchScore::new(7, 4, 2)?)?.0, 0.64795);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MatchEquityTable {
    name: String,
    description: String,
    /// The comment at the head of the file, which may be a notice that has to be kept.
    notice: Option<String>,
    length: u16,
    /// `[player_away - 1][opponent_away - 1]`, row by row.
    pre_crawford: Vec<f64>,
    /// `[trailer_away - 1]`, from the trailer.
    post_crawford: Vec<f64>,
}

impl MatchEquityTable {
    /// The longest match that a table is made for.
    pub const MAX_LENGTH: u16 = 500;

    /// Kazaross-XG2, up to 25 points: the table that most players use.
    ///
    /// Copyright (C) 2011 Neil Kazaross; its notice stands in the file and in
    /// [`notice`](Self::notice).
    pub fn kazaross_xg2() -> &'static Self {
        static TABLE: OnceLock<MatchEquityTable> = OnceLock::new();
        TABLE.get_or_init(|| {
            Self::from_xml(include_str!("../met/Kazaross-XG2.xml"))
                .expect("the embedded table is well-formed")
        })
    }

    /// Rockwell-Kazaross, up to 25 points, by GNU Backgammon's rollouts.
    ///
    /// Copyright (C) 2008-2010 David Rockwell and Neil Kazaross; its notice stands in the file and
    /// in [`notice`](Self::notice).
    pub fn rockwell_kazaross() -> &'static Self {
        static TABLE: OnceLock<MatchEquityTable> = OnceLock::new();
        TABLE.get_or_init(|| {
            Self::from_xml(include_str!("../met/Rockwell-Kazaross.xml"))
                .expect("the embedded table is well-formed")
        })
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it comes from, in a sentence.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The comment at the head of its file: authors, and what may be done with it.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The most points to go that it covers.
    pub fn length(&self) -> u16 {
        self.length
    }

    /// The probability of the player on roll before a game at `score`.
    ///
    /// # Errors
    ///
    /// [`MetError::Beyond`]: [`covering`](Self::covering) makes a longer table.
    pub fn mwc(&self, score: MatchScore) -> Result<Mwc, MetError> {
        let (player, opponent) = (score.player_away(), score.opponent_away());
        match score.phase() {
            MatchPhase::PreCrawford | MatchPhase::Crawford => self.pre_crawford(player, opponent),
            MatchPhase::PostCrawford if player == 1 => self.post_crawford(opponent).map(Mwc::flip),
            MatchPhase::PostCrawford => self.post_crawford(player),
        }
    }

    /// The probability of a player who needs `player` points against one who needs `opponent`,
    /// before the Crawford game; where one of them needs a single point, before the Crawford game
    /// itself.
    ///
    /// # Errors
    ///
    /// [`MetError::NotRunning`], [`MetError::Beyond`].
    pub fn pre_crawford(&self, player: u16, opponent: u16) -> Result<Mwc, MetError> {
        if player == 0 || opponent == 0 {
            return Err(MetError::NotRunning { player, opponent });
        }
        self.check(player.max(opponent))?;
        Ok(Mwc(self.pre_crawford[self.index(player, opponent)]))
    }

    /// The probability of a player who needs `trailer` points against one who needs a single one,
    /// after the Crawford game.
    ///
    /// # Errors
    ///
    /// [`MetError::NotRunning`], [`MetError::Beyond`].
    pub fn post_crawford(&self, trailer: u16) -> Result<Mwc, MetError> {
        if trailer == 0 {
            return Err(MetError::NotRunning { player: trailer, opponent: 1 });
        }
        self.check(trailer)?;
        Ok(Mwc(self.post_crawford[usize::from(trailer) - 1]))
    }

    /// This table, or one that goes on to `length` if it is shorter.
    ///
    /// The scores beyond are computed from those inside, one game at a time, by the default
    /// [`MetModel`]; no entry inside changes.
    ///
    /// # Errors
    ///
    /// [`MetError::TooLong`].
    pub fn covering(&self, length: u16) -> Result<Cow<'_, Self>, MetError> {
        if length <= self.length {
            Ok(Cow::Borrowed(self))
        } else {
            MetModel::default().extend(self, length).map(Cow::Owned)
        }
    }

    fn check(&self, away: u16) -> Result<(), MetError> {
        if away > self.length {
            Err(MetError::Beyond { away, length: self.length })
        } else {
            Ok(())
        }
    }

    fn index(&self, player: u16, opponent: u16) -> usize {
        (usize::from(player) - 1) * usize::from(self.length) + usize::from(opponent) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_entries_are_reproduced() {
        let table = MatchEquityTable::kazaross_xg2();
        for (player, opponent, probability) in [
            (1, 2, 0.67736),
            (1, 3, 0.75076),
            (2, 1, 0.32264),
            (2, 3, 0.59947),
            (2, 4, 0.66870),
            (3, 4, 0.57150),
            (4, 5, 0.57732),
            (5, 7, 0.62638),
            (7, 7, 0.5),
            (1, 25, 0.99905),
        ] {
            assert_eq!(table.pre_crawford(player, opponent), Ok(Mwc(probability)));
        }
        assert_eq!(table.post_crawford(2), Ok(Mwc(0.48803)));
        assert_eq!(table.post_crawford(25), Ok(Mwc(0.00123)));
        let older = MatchEquityTable::rockwell_kazaross();
        assert_eq!(older.pre_crawford(1, 2), Ok(Mwc(0.676888)));
        assert_eq!(older.pre_crawford(3, 5), Ok(Mwc(0.647713)));
        for table in [table, older] {
            assert!(table.notice().unwrap().contains("Copying and distribution of this file"));
        }
    }

    #[test]
    fn crawford_and_post_crawford_games_have_their_own_entries() {
        let table = MatchEquityTable::kazaross_xg2();
        let mwc = |score: MatchScore| table.mwc(score).unwrap().0;
        // 6-5 in a match to 7: 1 away, 2 away.
        assert_eq!(mwc(MatchScore::crawford(7, 6, 5).unwrap()), 0.67736);
        assert_eq!(mwc(MatchScore::crawford(7, 5, 6).unwrap()), 0.32264);
        assert_eq!(mwc(MatchScore::new(7, 5, 6).unwrap()), 0.48803);
        assert_eq!(mwc(MatchScore::new(7, 6, 5).unwrap()), 1.0 - 0.48803);
        assert_eq!(mwc(MatchScore::new(7, 6, 6).unwrap()), 0.5);
    }

    #[test]
    fn both_sides_chances_make_one_and_fewer_points_to_go_are_better() {
        let own = MetModel::default().table(12).unwrap();
        for table in [MatchEquityTable::kazaross_xg2(), MatchEquityTable::rockwell_kazaross(), &own]
        {
            let probability = |a, b| table.pre_crawford(a, b).unwrap().0;
            for a in 1..=table.length() {
                for b in 1..=table.length() {
                    assert!((probability(a, b) + probability(b, a) - 1.0).abs() < 1e-12);
                    if a > 1 {
                        assert!(
                            probability(a - 1, b) > probability(a, b),
                            "{a} {b} in {}",
                            table.name()
                        );
                    }
                }
                if a > 1 {
                    let post = |a| table.post_crawford(a).unwrap();
                    assert!(post(a - 1) > post(a), "{a} in {}", table.name());
                }
            }
        }
    }

    #[test]
    fn impossible_scores_are_errors() {
        let table = MatchEquityTable::kazaross_xg2();
        assert_eq!(table.pre_crawford(0, 3), Err(MetError::NotRunning { player: 0, opponent: 3 }));
        assert_eq!(table.post_crawford(0), Err(MetError::NotRunning { player: 0, opponent: 1 }));
        assert_eq!(table.pre_crawford(26, 3), Err(MetError::Beyond { away: 26, length: 25 }));
        assert_eq!(
            table.covering(MatchEquityTable::MAX_LENGTH + 1).unwrap_err(),
            MetError::TooLong { length: 501 }
        );
    }

    #[test]
    fn a_longer_table_keeps_the_shorter_one_and_goes_on_smoothly() {
        let table = MatchEquityTable::kazaross_xg2();
        assert!(matches!(table.covering(25), Ok(Cow::Borrowed(_))));
        let longer = table.covering(33).unwrap();
        assert_eq!(longer.length(), 33);
        let probability = |a, b| longer.pre_crawford(a, b).unwrap().0;
        for a in 1..=33 {
            for b in 1..=33 {
                if a <= 25 && b <= 25 {
                    assert_eq!(longer.pre_crawford(a, b), table.pre_crawford(a, b));
                }
                assert!((probability(a, b) + probability(b, a) - 1.0).abs() < 1e-12);
                if a > 1 {
                    assert!(probability(a - 1, b) > probability(a, b), "{a} {b}");
                }
            }
            if a > 1 {
                let post = |a| longer.post_crawford(a).unwrap();
                assert!(post(a - 1) > post(a));
            }
        }
        // The step over the edge is like the last one before it.
        let (before, over) =
            (probability(24, 23) - probability(25, 23), probability(25, 23) - probability(26, 23));
        assert!((before / over - 1.0).abs() < 0.15, "{before} {over}");
    }
}
