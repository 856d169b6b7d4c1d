//! The phase of a backgammon position: what kind of game it is.
//!
//! Networks and engines are good at one kind and bad at another, so errors are counted by phase.
//! There is no customary definition; this one is meant to be simple, to be decided by the
//! checkers alone and to give every position exactly one phase, the same from either side.

use std::fmt;

use serde::{Deserialize, Serialize};
use tavola_rules::position::{BAR, OPPONENT_BAR};
use tavola_rules::{Position, named};

/// What kind of game a position is, for games of fifteen checkers a side.
///
/// The rules are tried in this order, and the first that fits decides. *A side* is either of
/// them, in its own numbering; its *back zone* is its points 18 to 24 and its bar, that is the
/// opponent's home and bar point; a *made point* has two checkers or more.
///
/// 1. [`BearOff`](Self::BearOff), [`Race`](Self::Race): no contact.
/// 2. [`BearOffContact`](Self::BearOffContact): a side has borne a checker off, or may.
/// 3. [`Opening`](Self::Opening): at most 6 of the 30 checkers have left the places of the start.
/// 4. [`Crunched`](Self::Crunched): a side with a checker in its back zone has 6 or more checkers
///    on its points 1 and 2, where they are out of play.
/// 5. [`BackGame`](Self::BackGame): a side has made two or more points in the opponent's home and
///    is 40 pips or more behind.
/// 6. [`Priming`](Self::Priming): a side has 5 made points in a row with an opposing checker
///    behind them, or both sides have 4.
/// 7. [`Holding`](Self::Holding): a side has no checker in its back zone, and the other's there
///    all stand on one made point; or those of both do, each on one of the points 18 to 22.
/// 8. [`Middle`](Self::Middle): anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Few checkers have left their places.
    Opening,
    /// Contact of no particular kind.
    Middle,
    /// An anchor waits for a shot while the other side has escaped, or two anchors wait.
    Holding,
    /// Checkers are trapped behind a prime, or each side's behind the other's block.
    Priming,
    /// Two anchors in the opponent's home, far behind.
    BackGame,
    /// A board has broken while checkers are still back.
    Crunched,
    /// A side bears off, or is about to, while the other may still hit.
    BearOffContact,
    /// The sides have passed each other, and at least one side still comes home.
    Race,
    /// Nothing is left but to bear off, on both sides.
    BearOff,
}

/// Checkers away from the places of the start up to which a position is an opening: three turns
/// without doubles.
const OPENING_MOVED: u8 = 6;
/// Checkers on a side's points 1 and 2 from which its board is crunched.
const CRUNCHED_DEEP: i8 = 6;
/// Pips that a side in a back game is behind at least.
const BACK_GAME_BEHIND: u32 = 40;
/// Made points in a row that make a prime.
const PRIME: usize = 5;
/// Made points in a row of both sides that make it prime against prime.
const BLOCK: usize = 4;
/// First point of a side's back zone.
const BACK_ZONE: usize = 18;
/// First point of the opponent's home in a side's numbering.
const OPPONENT_HOME: usize = 19;
/// Last of the points where an anchor is advanced.
const ADVANCED_TO: usize = 22;

named!(Phase, "phase":
    Opening => "opening",
    Middle => "middle",
    Holding => "holding",
    Priming => "priming",
    BackGame => "back-game",
    Crunched => "crunched",
    BearOffContact => "bear-off-contact",
    Race => "race",
    BearOff => "bear-off",
);

impl Phase {
    /// The phase in the words of players: its name, but for `back game` and `bear-off with contact`.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::BackGame => "back game",
            Self::BearOffContact => "bear-off with contact",
            _ => self.name(),
        }
    }

    /// The phase of an unfinished position. It does not matter who is on roll.
    pub fn of(position: &Position) -> Self {
        let sides = [*position, position.flip()];
        if !position.has_contact() {
            return if sides.iter().all(is_home) { Self::BearOff } else { Self::Race };
        }
        if sides.iter().any(|side| side.off() > 0 || is_home(side)) {
            return Self::BearOffContact;
        }
        if sides.iter().map(moved_from_start).sum::<u8>() <= OPENING_MOVED {
            return Self::Opening;
        }
        if sides.iter().any(is_crunched) {
            return Self::Crunched;
        }
        if sides.iter().any(is_back_game) {
            return Self::BackGame;
        }
        let blocks = sides.each_ref().map(longest_block);
        if blocks.iter().any(|&block| block >= PRIME) || blocks.iter().all(|&block| block >= BLOCK)
        {
            return Self::Priming;
        }
        match sides.each_ref().map(Back::of) {
            [Back::Escaped, Back::Anchor(_)] | [Back::Anchor(_), Back::Escaped] => Self::Holding,
            [Back::Anchor(a), Back::Anchor(b)] if a.max(b) <= ADVANCED_TO => Self::Holding,
            _ => Self::Middle,
        }
    }
}

/// A classical back game: a side has made two points in the opponent's home, both among that side's
/// points 1 to 5, and is 40 pips or more behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackGame {
    /// The two points as the opponent numbers them, the larger first.
    pub points: [u8; 2],
    /// Whether the side that plays it is on roll.
    pub is_on_roll: bool,
}

impl BackGame {
    /// Every pair of points, either side on roll.
    pub fn all() -> impl Iterator<Item = Self> {
        let pairs = (2..=5).flat_map(|high| (1..high).map(move |low| [high, low]));
        pairs.flat_map(|points| [true, false].map(|is_on_roll| Self { points, is_on_roll }))
    }

    /// The back game of a position, if it is one.
    pub fn of(position: &Position) -> Option<Self> {
        [(*position, true), (position.flip(), false)].into_iter().find_map(|(side, is_on_roll)| {
            let made = (1..=6).rev().filter(|&point| side.point(25 - point) >= 2);
            let points: [u8; 2] =
                made.map(|point| point as u8).collect::<Vec<_>>().try_into().ok()?;
            (is_back_game(&side) && points[0] < 6).then_some(Self { points, is_on_roll })
        })
    }

    /// Who is on roll, in words.
    pub const fn side(self) -> &'static str {
        if self.is_on_roll { "back game on roll" } else { "against a back game" }
    }
}

/// Points and side, as in `5-3, back game on roll`.
impl fmt::Display for BackGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [high, low] = self.points;
        write!(f, "{high}-{low}, {}", self.side())
    }
}

/// Whether a side attacks: the other has a checker on the bar or two single ones in that side's
/// home, and no anchor there; the attacker holds two points of it and has most checkers near.
///
/// Players call that a blitz. It is no [`Phase`] of its own: gradings count such positions among
/// those of the opening and the middle game.
pub fn is_blitz(position: &Position) -> bool {
    position.has_contact() && [*position, position.flip()].iter().any(attacks)
}

/// Home points that an attacker holds at least.
const ATTACK_POINTS: usize = 2;

/// Checkers of an attacker that have come within the [`ATTACK_ZONE`] at least.
const ATTACKERS: i8 = 9;

/// Points up to here are near the home.
const ATTACK_ZONE: usize = 11;

fn attacks(side: &Position) -> bool {
    let cells = side.cells();
    let home = &cells[1..=6];
    let single = home.iter().filter(|&&count| count == -1).count();
    let on_the_bar = cells[OPPONENT_BAR] < 0;
    let points = home.iter().filter(|&&count| count >= 2).count();
    let near: i8 = cells[1..=ATTACK_ZONE].iter().filter(|&&count| count > 0).sum();
    (on_the_bar || single >= 2)
        && home.iter().all(|&count| count >= -1)
        && points >= ATTACK_POINTS
        && near >= ATTACKERS
        && side.off() == 0
}

/// Whether no checker of the player on roll is outside their home.
fn is_home(side: &Position) -> bool {
    side.cells()[7..=BAR].iter().all(|&count| count <= 0)
}

/// Checkers of the player on roll that are missing at the places of the usual start.
fn moved_from_start(side: &Position) -> u8 {
    (1..=24)
        .map(|point| {
            let at_start = Position::STANDARD.point(point).max(0);
            (at_start - side.point(point).max(0)).max(0).unsigned_abs()
        })
        .sum()
}

fn is_crunched(side: &Position) -> bool {
    let deep = side.point(1).max(0) + side.point(2).max(0);
    deep >= CRUNCHED_DEEP && Back::of(side) != Back::Escaped
}

fn is_back_game(side: &Position) -> bool {
    let anchors = (OPPONENT_HOME..=24).filter(|&point| side.point(point) >= 2).count();
    anchors >= 2 && side.pip_count() >= side.opponent_pip_count() + BACK_GAME_BEHIND
}

/// Most made points in a row of the player on roll that an opposing checker has yet to pass.
fn longest_block(side: &Position) -> usize {
    let cells = side.cells();
    // The opponent moves upwards: what is below their last checker blocks no one.
    let Some(last) = (OPPONENT_BAR..=24).find(|&point| cells[point] < 0) else { return 0 };
    let (mut longest, mut row) = (0, 0);
    for &count in &cells[last + 1..=24] {
        row = if count >= 2 { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    longest
}

/// What a side has in its back zone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Back {
    /// Nothing.
    Escaped,
    /// One made point, and nothing else.
    Anchor(usize),
    /// Anything else.
    Scattered,
}

impl Back {
    fn of(side: &Position) -> Self {
        let mut held = (BACK_ZONE..=BAR).filter(|&point| side.cells()[point] > 0);
        match (held.next(), held.next()) {
            (None, _) => Self::Escaped,
            (Some(point), None) if point != BAR && side.point(point) >= 2 => Self::Anchor(point),
            _ => Self::Scattered,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use tavola_rules::{Backgammon, Game};

    use super::*;

    #[track_caller]
    fn check(phase: Phase, mine: &[(usize, u8)], theirs: &[(usize, u8)]) {
        let position = Position::from_points(mine, theirs, 15).unwrap();
        assert_eq!(Phase::of(&position), phase, "{position:?}");
        assert_eq!(Phase::of(&position.flip()), phase, "from the other side: {position:?}");
    }

    const START: [(usize, u8); 4] = [(24, 2), (13, 5), (8, 3), (6, 5)];

    #[test]
    fn the_start_and_its_first_turns_are_the_opening() {
        check(Phase::Opening, &START, &START);
        // 3-1 and 6-4 hit in answer: two and two checkers, and the one that was hit.
        check(
            Phase::Opening,
            &[(25, 1), (24, 1), (13, 5), (8, 2), (6, 4), (5, 2)],
            &[(24, 1), (14, 1), (13, 5), (8, 3), (6, 5)],
        );
        // The seventh checker.
        let seven = [(24, 2), (13, 1), (11, 1), (10, 1), (9, 2), (8, 2), (7, 1), (6, 3), (5, 2)];
        check(
            Phase::Opening,
            &[(24, 2), (13, 3), (11, 2), (8, 2), (6, 4), (5, 2)],
            &[(24, 2), (13, 5), (8, 1), (6, 5), (4, 2)],
        );
        check(Phase::Middle, &seven, &START);
    }

    #[test]
    fn a_classical_back_game_is_told_by_its_points_and_by_who_is_on_roll() {
        let all: Vec<String> = BackGame::all().map(|kind| kind.to_string()).collect();
        assert_eq!((all.len(), all[0].as_str()), (20, "2-1, back game on roll"));
        let of = |mine: &[(usize, u8)], theirs: &[(usize, u8)]| {
            let position = Position::from_points(mine, theirs, 15).unwrap();
            let seen = BackGame::of(&position);
            let turned = BackGame::of(&position.flip());
            assert_eq!(
                turned,
                seen.map(|it| BackGame { is_on_roll: !it.is_on_roll, ..it }),
                "{position:?}"
            );
            seen
        };
        let theirs = [(13, 2), (8, 3), (7, 2), (6, 3), (5, 3), (4, 2)];
        let mine = |high, low| [(high, 2), (low, 2), (13, 4), (8, 3), (6, 4)];
        let found = of(&mine(24, 22), &theirs).unwrap();
        assert_eq!((found.points, found.is_on_roll), ([3, 1], true));
        // Three points, the bar point, or too few pips behind.
        assert_eq!(of(&[(24, 2), (23, 2), (22, 2), (8, 5), (6, 4)], &theirs), None);
        let apart = [(13, 4), (8, 3), (6, 3), (5, 3), (4, 2)];
        assert_eq!(of(&mine(24, 18), &apart), None);
        assert_eq!(of(&[(24, 2), (22, 2), (3, 4), (2, 4), (1, 3)], &theirs), None);
    }

    #[test]
    fn a_checker_on_the_bar_before_a_board_that_fills_is_a_blitz() {
        let blitz = |mine: &[(usize, u8)], theirs: &[(usize, u8)]| {
            let position = Position::from_points(mine, theirs, 15).unwrap();
            assert_eq!(is_blitz(&position), is_blitz(&position.flip()), "{position:?}");
            is_blitz(&position)
        };
        let attacker = [(24, 2), (13, 2), (8, 3), (6, 4), (5, 2), (4, 2)];
        assert!(blitz(&attacker, &[(25, 1), (24, 1), (13, 5), (8, 3), (6, 5)]));
        assert!(blitz(&attacker, &[(24, 1), (23, 1), (13, 5), (8, 3), (6, 5)]));
        // An anchor ends it; one checker that is not hit is no attack yet.
        assert!(!blitz(&attacker, &[(25, 1), (24, 2), (13, 5), (8, 2), (6, 5)]));
        assert!(!blitz(&attacker, &[(24, 1), (13, 5), (8, 4), (6, 5)]));
        assert!(!blitz(&START, &[(25, 1), (24, 1), (13, 5), (8, 3), (6, 5)]));
        // A hit while bearing off is none.
        assert!(!blitz(&[(6, 4), (5, 4), (4, 3)], &[(25, 1), (13, 5), (8, 3), (6, 6)]));
    }

    #[test]
    fn a_race_ends_in_a_bear_off_when_both_sides_are_home() {
        let home = [(6, 5), (5, 5), (4, 5)];
        check(Phase::Race, &[(7, 1), (6, 4), (5, 5), (4, 5)], &home);
        check(Phase::BearOff, &home, &home);
        check(Phase::BearOff, &[(1, 1)], &[(6, 2), (1, 3)]);
    }

    #[test]
    fn bearing_off_while_the_other_may_hit_is_bear_off_against_contact() {
        let ace_point = [(24, 2), (6, 4), (5, 4), (4, 3), (3, 2)];
        check(Phase::BearOffContact, &[(6, 5), (5, 5), (4, 5)], &ace_point);
        check(Phase::BearOffContact, &[(6, 2), (2, 2)], &ace_point);
        // Hit after eight checkers were off.
        check(Phase::BearOffContact, &[(25, 1), (3, 3), (2, 3)], &ace_point);
    }

    #[test]
    fn a_broken_board_with_checkers_back_is_crunched() {
        check(
            Phase::Crunched,
            &[(20, 2), (13, 2), (6, 2), (3, 3), (2, 3), (1, 3)],
            &[(21, 1), (13, 3), (8, 3), (6, 4), (4, 4)],
        );
        // Checkers as deep matter less once nothing is back; the others wait on an anchor.
        check(
            Phase::Holding,
            &[(13, 2), (8, 2), (6, 2), (3, 3), (2, 3), (1, 3)],
            &[(21, 2), (13, 3), (8, 3), (6, 4), (4, 3)],
        );
    }

    #[test]
    fn two_anchors_far_behind_are_a_back_game() {
        let ahead = [(10, 2), (8, 3), (7, 2), (6, 4), (5, 4)];
        let back = [(24, 2), (22, 3), (8, 2), (6, 4), (5, 2), (4, 2)];
        check(Phase::BackGame, &back, &ahead);
        // The same anchors with no more than 33 pips less.
        check(Phase::Middle, &back, &[(24, 1), (13, 6), (8, 2), (7, 2), (6, 4)]);
    }

    #[test]
    fn a_prime_before_a_checker_is_priming() {
        let trapped = [(24, 2), (13, 5), (8, 3), (6, 3), (4, 2)];
        check(
            Phase::Priming,
            &[(20, 1), (13, 2), (8, 2), (7, 2), (6, 3), (5, 3), (4, 2)],
            &trapped,
        );
        // Four points in a row are a prime if the other side has them too.
        let four = [(24, 2), (16, 5), (7, 2), (6, 2), (5, 2), (4, 2)];
        check(Phase::Priming, &four, &four);
        check(Phase::Middle, &four, &[(24, 2), (13, 5), (8, 2), (6, 3), (4, 3)]);
        // No checker is behind this one.
        check(
            Phase::Holding,
            &[(18, 2), (13, 3), (6, 2), (5, 2), (4, 2), (3, 2), (2, 2)],
            &[(17, 2), (13, 5), (11, 4), (6, 2), (5, 2)],
        );
    }

    #[test]
    fn an_anchor_against_escaped_checkers_is_a_holding_game() {
        let escaped = [(13, 4), (8, 4), (6, 4), (4, 3)];
        check(Phase::Holding, &[(20, 2), (13, 3), (8, 3), (6, 4), (5, 3)], &escaped);
        check(Phase::Holding, &[(24, 2), (13, 3), (8, 3), (6, 4), (5, 3)], &escaped);
        let advanced = [(20, 2), (13, 2), (9, 2), (8, 2), (6, 4), (4, 3)];
        check(Phase::Holding, &advanced, &advanced);
        // A third checker wanders about, or the anchors are the deepest.
        check(Phase::Middle, &[(23, 1), (20, 2), (13, 2), (8, 3), (6, 4), (5, 3)], &escaped);
        let deepest = [(24, 2), (13, 2), (9, 2), (8, 2), (6, 4), (4, 3)];
        check(Phase::Middle, &deepest, &deepest);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for phase in Phase::ALL {
            assert_eq!(phase.name().parse(), Ok(phase));
            let json = serde_json::to_string(&phase).unwrap();
            assert_eq!(json, format!("{:?}", phase.name()));
            assert_eq!(serde_json::from_str::<Phase>(&json).unwrap(), phase);
        }
        let error = "midle".parse::<Phase>().unwrap_err();
        assert!(error.to_string().contains("\"midle\""), "{error}");
    }

    #[test]
    fn random_games_have_the_same_phase_from_either_side_and_never_regain_contact() {
        let game = Backgammon::Standard;
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut seen, mut afterstates) = (std::collections::HashSet::new(), Vec::new());
        for _ in 0..50 {
            let mut state = game.start();
            let mut parted = false;
            while game.outcome(&state).is_none() {
                let phase = Phase::of(&state);
                assert_eq!(Phase::of(&state.flip()), phase, "{state:?}");
                seen.insert(phase);
                let no_contact = matches!(phase, Phase::Race | Phase::BearOff);
                assert!(no_contact || !parted, "{state:?}");
                parted = no_contact;
                afterstates.clear();
                game.afterstates(&state, game.roll(&mut rng), &mut afterstates);
                let index = rand::RngExt::random_range(&mut rng, 0..afterstates.len());
                state = afterstates[index];
            }
        }
        assert!(seen.len() >= 6, "{seen:?}");
    }
}
