//! OGIDs: the text of OpenGammon for everything about a game.
//!
//! `white:black:cube[:dice:acted:state:white score:black score:match length:move:checkers]`. The
//! first two fields name a point for each checker: `0` to `9`, then `a` to `p` for 10 to 25. White
//! moves from 1 to 24 and has the bar at 0, Black moves the other way and has it at 25. The fifth
//! field is the player who made the last action, so the other one is on roll; a game at its very
//! start is White's. An offered cube is the last action of the player who doubled.

use super::situation::{self, MoneyOrMatch, Situation};
use super::{Ignored, Input, NotationError, Reading, fitting};
use crate::cube::{CubeOwner, Offer};
use crate::dice::Dice;
use crate::position::{BAR, Position};

const FORM: &str = "an OGID";

/// Whether the fields are those of an OGID rather than of an XGID, which has a number where an OGID
/// has its cube.
pub(super) fn looks_like_ogid(text: &str) -> bool {
    text.split(':').nth(2).is_some_and(|field| cube(field).is_some())
}

/// The point of a character; 26 is a checker that has been borne off.
fn point(c: char) -> Option<usize> {
    match c {
        '0'..='9' | 'a'..='q' => c.to_digit(36).and_then(|point| usize::try_from(point).ok()),
        _ => None,
    }
}

/// Owner, exponent and action of a cube such as `N0N` or `W1O`.
fn cube(field: &str) -> Option<(char, &str, char)> {
    let mut chars = field.chars();
    let (owner, action) = (chars.next()?, chars.next_back()?);
    let exponent = chars.as_str();
    let is_right = "BWND?".contains(owner)
        && "OTPN".contains(action)
        && !exponent.is_empty()
        && exponent.bytes().all(|b| b.is_ascii_digit());
    is_right.then_some((owner, exponent, action))
}

/// Reads an OGID without a label.
pub(super) fn decode(text: &str, checkers: u8) -> Result<Reading, NotationError> {
    let input = Input { form: FORM, text };
    let error = |field, found: &str, expected| input.field(field, found, expected);
    let number = |field, found: &str, most: u16| {
        if found.is_empty() {
            return Ok(0);
        }
        let number = found.parse().ok().filter(|number| *number <= most);
        number.ok_or_else(|| error(field, found, "a number that is not too large"))
    };
    let fields: Vec<&str> = text.trim().split(':').map(str::trim).collect();
    let field = |i: usize| fields.get(i).copied().unwrap_or("");
    let mut ignored = Vec::new();

    let (owner, exponent, action) = cube(field(2))
        .ok_or_else(|| error("the cube", field(2), "owner, exponent and action such as N0N"))?;
    let exponent = number("the cube's exponent", exponent, 15)? as u8;
    let dice: Option<Dice> = match field(3) {
        "" => None,
        dice => Some(
            dice.parse().map_err(|_| error("the roll", dice, "two dice such as 31, or none"))?,
        ),
    };
    let state = field(5);
    let offered = action == 'O' || state == "D";
    ignored.extend(dice.filter(|_| offered).map(Ignored::Roll));
    let acted_is_white = match field(4) {
        "W" => Some(true),
        "B" => Some(false),
        "" => None,
        other => return Err(error("the player who acted", other, "W or B")),
    };
    let opens = dice.is_none() && (state == "IW" || fields.len() < 6);
    // Whether the position is seen by White: the player on roll, or the one who doubled.
    let white = match acted_is_white {
        Some(is_white) if offered => is_white,
        Some(is_white) if !opens => !is_white,
        _ => true,
    };
    if ["G", "M", "RG", "RM", "P"].contains(&state) {
        ignored.push(Ignored::GameState(state.into()));
    }

    let mut sides = [[0_u8; 26]; 2];
    for (side, letters) in sides.iter_mut().zip([field(0), field(1)]) {
        for letter in letters.chars() {
            let expected = "0 to 9 and a to p for the points 0 to 25";
            match point(letter).ok_or_else(|| error("a point", letters, expected))? {
                26 => {}
                at => side[at] = side[at].saturating_add(1),
            }
        }
    }
    // Each side in its own numbering, with 25 for the bar.
    let own = |side: [u8; 26], is_white: bool| -> Vec<(usize, u8)> {
        let number = |point| if is_white { BAR - point } else { point };
        (0..=25).map(|point| (number(point), side[point])).filter(|&(_, n)| n > 0).collect()
    };
    let [of_white, of_black] = [own(sides[0], true), own(sides[1], false)];
    if of_white.iter().chain(&of_black).any(|&(point, _)| point == 0) {
        return Err(error("a side", field(0), "no checkers on the bar of the other side"));
    }
    let (mine, theirs) = if white { (of_white, of_black) } else { (of_black, of_white) };
    let owned = number("the checkers a side", field(10), 15)?;
    if owned != 0 && owned != u16::from(checkers) {
        let expected = "as many as the game has";
        return Err(error("the number of checkers a side", field(10), expected));
    }
    let position =
        Position::from_points(&mine, &theirs, checkers).map_err(|reason| input.checkers(reason))?;

    let digits = field(8).find(|c: char| !c.is_ascii_digit()).unwrap_or(field(8).len());
    let (length, modifier) = field(8).split_at(digits);
    let length = number("the match length", length, i16::MAX as u16)?;
    let mut scores = [0; 2];
    for (score, i) in scores.iter_mut().zip([6, 7]) {
        *score = number("a score", field(i), i16::MAX as u16)?;
    }
    if !white {
        scores.swap(0, 1);
    }
    match modifier.get(..1) {
        None | Some("C" | "L") => {}
        Some("G") => ignored.push(Ignored::GameLimit(modifier[1..].into())),
        _ => return Err(error("the match length", field(8), "a number, as 7, 7C, 7L or 9G15")),
    }
    let stakes = if fields.len() < 9 {
        None
    } else if length == 0 {
        if scores != [0, 0] {
            ignored.push(Ignored::MoneyScore(scores));
        }
        Some(MoneyOrMatch::Money { jacoby: false, beavers: None })
    } else {
        let [player, opponent] = scores;
        let crawford = modifier.starts_with('C');
        let score = situation::match_score(length, player, opponent, crawford)
            .map_err(|reason| input.score(reason))?;
        if crawford && !score.is_crawford() {
            ignored.push(Ignored::CrawfordFlag);
        }
        Some(MoneyOrMatch::Match(score))
    };
    let owner = match owner {
        'W' | 'B' if (owner == 'W') == white => CubeOwner::Player,
        'W' | 'B' => CubeOwner::Opponent,
        _ => CubeOwner::Center,
    };
    let situation = Situation {
        position,
        dice: if offered { None } else { dice },
        offer: offered.then_some(Offer::Double),
        cube: Some(situation::cube(exponent, owner)),
        stakes,
    };
    Ok(Reading { situation, ignored })
}

/// Writes a situation with the player on roll as White. Jacoby and beavers are not kept, and a
/// beaver or raccoon becomes the double that an OGID can say.
pub(super) fn encode(situation: &Situation) -> Result<String, NotationError> {
    let position = &situation.position;
    let side = |sign: i8| -> String {
        let counts = position.counts();
        (0..=25)
            // White's numbering is that of the opponent of the player on roll.
            .flat_map(|point| {
                let count = (counts[25 - point] * sign).max(0) as usize;
                let letter = char::from_digit(point as u32, 36).expect("25 is p");
                std::iter::repeat_n(letter, count)
            })
            .collect()
    };
    let cube = situation.cube.unwrap_or_default();
    fitting(FORM, "the cube's exponent", cube.exponent().into(), 15, "0 to 15")?;
    let owner = match cube.owner() {
        CubeOwner::Center => 'N',
        CubeOwner::Player => 'W',
        CubeOwner::Opponent => 'B',
    };
    let (action, acted, state) =
        if situation.offer.is_some() { ('O', 'W', "D") } else { ('N', 'B', "") };
    let dice = situation.dice.map_or_else(String::new, |d| format!("{}{}", d.low(), d.high()));
    let (length, scores) = match situation.stakes {
        Some(MoneyOrMatch::Match(score)) => {
            let (length, most) = (score.length().into(), i16::MAX as u32);
            fitting(FORM, "the match length", length, most, "0 to 32767")?;
            let crawford = if score.is_crawford() { "C" } else { "" };
            (format!("{length}{crawford}"), [score.player(), score.opponent()])
        }
        _ => ("0".to_owned(), [0, 0]),
    };
    let checkers = match position.checkers() {
        15 => String::new(),
        other => format!(":{other}"),
    };
    Ok(format!(
        "{}:{}:{owner}{}{action}:{dice}:{acted}:{state}:{}:{}:{length}:0{checkers}",
        side(1),
        side(-1),
        cube.exponent(),
        scores[0],
        scores[1],
    ))
}
