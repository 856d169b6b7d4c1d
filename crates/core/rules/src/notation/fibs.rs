//! Boards as the server FIBS sends them, and as GNU Backgammon exchanges them with other programs.
//!
//! `board:you:opponent:length:score:score:` and 26 points, then turn, dice of both, cube, who may
//! double, whether a double was offered, color, direction, home and bar, checkers off and on the
//! bar, and four more numbers. Points are positive for the player O.

use super::situation::{self, MoneyOrMatch, Situation};
use super::{Ignored, Input, NotationError, Reading, fitting};
use crate::cube::{CubeOwner, Offer};
use crate::dice::Dice;
use crate::position::{BAR, OPPONENT_BAR, Position};

const FORM: &str = "a FIBS board";
const LABEL: &str = "board:";
/// The fields behind the label; the last four are about what the player may do.
const FIELDS: usize = 52;
const NEEDED: usize = FIELDS - 4;
/// What FIBS writes for a match without end.
const UNLIMITED: i32 = 9999;

// Fields behind the label.
const LENGTH: usize = 2;
const SCORES: usize = 3;
const POINTS: usize = 5;
const TURN: usize = 31;
const DICE: usize = 32;
const CUBE: usize = 36;
const MAY_DOUBLE: usize = 37;
const DOUBLED: usize = 39;
const COLOR: usize = 40;
const DIRECTION: usize = 41;
const ON_BAR: usize = 46;

/// Whether this is a line with a board.
pub(super) fn looks_like_fibs(text: &str) -> bool {
    text.get(..LABEL.len()).is_some_and(|label| label.eq_ignore_ascii_case(LABEL))
}

/// Reads a line with its label.
pub(super) fn decode(text: &str, checkers: u8) -> Result<Reading, NotationError> {
    let input = Input { form: FORM, text };
    let error = |field, found: &str, expected| input.field(field, found, expected);
    let body = text[LABEL.len()..].trim().trim_end_matches(':');
    let fields: Vec<&str> = body.split(':').map(str::trim).collect();
    if fields.len() < NEEDED {
        let found = fields.len().to_string();
        return Err(error("the number of fields", &found, "52 between colons behind board:"));
    }
    let mut numbers = [0_i32; NEEDED];
    for (number, field) in numbers.iter_mut().zip(&fields).skip(LENGTH) {
        *number = field.parse().map_err(|_| error("a field", field, "a whole number"))?;
    }
    let (mine, upward) = match (numbers[COLOR], numbers[DIRECTION]) {
        (1 | -1, -1) => (numbers[COLOR], false),
        (1 | -1, 1) => (numbers[COLOR], true),
        _ => return Err(error("color or direction", fields[COLOR], "1 or -1")),
    };
    // All points as the receiver of the line numbers them, their own checkers positive.
    let mut counts = [0_i8; 26];
    for (point, count) in counts.iter_mut().enumerate() {
        let at = if upward { BAR - point } else { point };
        *count = i8::try_from(numbers[POINTS + at])
            .ok()
            .and_then(|number| number.checked_mul(mine as i8))
            .ok_or_else(|| error("a point", fields[POINTS + at], "checkers of one side"))?;
    }
    // Both places beyond the points may hold the checkers on the bar, or those borne off.
    let on_bar = |i: usize| i8::try_from(numbers[ON_BAR + i]).ok().filter(|n| *n >= 0);
    let (Some(bar), Some(opponent_bar)) = (on_bar(0), on_bar(1)) else {
        return Err(error("the bar", fields[ON_BAR], "a number of checkers"));
    };
    counts[BAR] = counts[BAR].max(0).max(bar);
    counts[OPPONENT_BAR] = counts[OPPONENT_BAR].min(0).min(-opponent_bar);
    let position =
        Position::from_counts(&counts, checkers).map_err(|reason| input.checkers(reason))?;

    let offered = numbers[DOUBLED] != 0;
    // A double that the receiver has to answer was made by the other player.
    let receiver_acts = match numbers[TURN] {
        turn @ (1 | -1) => turn == mine && !offered,
        _ => return Err(error("the turn", fields[TURN], "1 or -1 in a running game")),
    };
    let pair = |at: usize| match (numbers[at], numbers[at + 1]) {
        (0, 0) => Ok(None),
        (a, b) => {
            let die = |n| u8::try_from(n).unwrap_or(0);
            Dice::new(die(a), die(b))
                .map(Some)
                .map_err(|_| error("the roll", fields[at], "two dice from 1 to 6, or zeros"))
        }
    };
    let dice = pair(if receiver_acts { DICE } else { DICE + 2 })?;
    let value = u32::try_from(numbers[CUBE]).ok().filter(|n| n.is_power_of_two());
    let exponent = value
        .map(u32::trailing_zeros)
        .filter(|&exponent| exponent <= 15)
        .ok_or_else(|| error("the cube", fields[CUBE], "a power of two up to 32768"))?;
    let may_double = [MAY_DOUBLE, MAY_DOUBLE + 1].map(|at| numbers[at] != 0);
    let owner = match (may_double, offered) {
        ([true, false], false) => CubeOwner::Player,
        ([false, true], false) => CubeOwner::Opponent,
        // The player who doubles a cube above 1 has owned it.
        (_, true) => CubeOwner::Opponent,
        _ => CubeOwner::Center,
    };
    let mut ignored: Vec<Ignored> =
        dice.filter(|_| offered).map(Ignored::Roll).into_iter().collect();
    let points = |i: usize| {
        u16::try_from(numbers[SCORES + i])
            .ok()
            .filter(|&score| score <= i16::MAX as u16)
            .ok_or_else(|| error("a score", fields[SCORES + i], "0 to 32767"))
    };
    let scores = [points(0)?, points(1)?];
    let stakes = match numbers[LENGTH] {
        0 | UNLIMITED => {
            if scores != [0, 0] {
                ignored.push(Ignored::MoneyScore(scores));
            }
            MoneyOrMatch::Money { jacoby: false, beavers: None }
        }
        length => {
            let expected = "1 to 32767, or 9999 for money";
            let length = u16::try_from(length)
                .ok()
                .filter(|&length| length <= i16::MAX as u16)
                .ok_or_else(|| error("the match length", fields[LENGTH], expected))?;
            // In the Crawford game no player may double.
            let crawford = may_double == [false, false]
                && !offered
                && scores.iter().any(|score| score + 1 == length);
            MoneyOrMatch::Match(
                situation::match_score(length, scores[0], scores[1], crawford)
                    .map_err(|reason| input.score(reason))?,
            )
        }
    };
    let mut situation = Situation {
        position,
        dice: if offered { None } else { dice },
        offer: offered.then_some(Offer::Double),
        cube: Some(situation::cube(exponent as u8, owner)),
        stakes: Some(stakes),
    };
    if !receiver_acts {
        let seen = situation.after_play(position.flip());
        situation = Situation { dice: situation.dice, offer: situation.offer, ..seen };
    }
    Ok(Reading { situation, ignored })
}

/// Writes a situation as the line that the player who has to act gets, as player O.
///
/// Jacoby and beavers are not kept, and a beaver or raccoon becomes a double.
pub(super) fn encode(situation: &Situation) -> Result<String, NotationError> {
    let offered = situation.offer.is_some();
    // While a cube is offered the opponent has to act.
    let seen = if offered { situation.after_play(situation.position.flip()) } else { *situation };
    let cube = seen.cube.unwrap_or_default();
    fitting(FORM, "the cube's exponent", cube.exponent().into(), 15, "0 to 15")?;
    // As seen by the player who answers: the player who doubled owned a cube above 1.
    if offered && cube.owner() != CubeOwner::Opponent {
        let field = "the value of an offered cube that its player does not own";
        fitting(FORM, field, cube.value(), 1, "1")?;
    }
    let (length, scores, crawford) = match seen.stakes {
        Some(MoneyOrMatch::Match(score)) => {
            let length = i32::from(score.length());
            if length == UNLIMITED || length > i32::from(i16::MAX) {
                let (field, found) = ("the match length", score.length().into());
                let expected = "1 to 32767 without 9999, which means money";
                return Err(NotationError::NoRoom { form: FORM, field, found, expected });
            }
            (length, [score.player(), score.opponent()], score.is_crawford())
        }
        _ => (UNLIMITED, [0, 0], false),
    };
    let position = &seen.position;
    let points: Vec<String> = position.counts().iter().map(i8::to_string).collect();
    let dice = situation.dice.map_or((0, 0), |dice| (dice.high(), dice.low()));
    let may =
        |owner| u8::from(!crawford && (cube.owner() == owner || cube.owner() == CubeOwner::Center));
    let (mine, theirs) = match offered {
        // The cube that was offered is no longer to be turned.
        true => (0, 0),
        false => (may(CubeOwner::Player), may(CubeOwner::Opponent)),
    };
    let turn = if offered { -1 } else { 1 };
    Ok(format!(
        "{LABEL}You:Opponent:{length}:{}:{}:{}:{turn}:{}:{}:0:0:{}:{mine}:{theirs}:{}:1:-1:0:25:\
         {}:{}:{}:{}:0:0:0:0",
        scores[0],
        scores[1],
        points.join(":"),
        dice.0,
        dice.1,
        cube.value(),
        u8::from(offered),
        position.off(),
        position.opponent_off(),
        position.bar(),
        position.opponent_bar(),
    ))
}
