//! The text of a play: `bar/20*`, `24/18*/13`, `6/5(2)`, `4/off`, `(no play)`.
//!
//! Written canonically: rearmost checker first, the steps of one checker joined, points between
//! named only where something is hit, equal moves counted. Two different afterstates of a roll
//! never have the same text.
//!
//! Read generously: any order, steps joined or not, commas or blanks between moves, any case,
//! `25` for the bar, `0` for off, hits and counts written or not.

use std::fmt::{self, Write};

use super::Quoted;
use crate::dice::Dice;
use crate::moves::{
    FROM_BAR, Play, Step, TO_OFF, can_move, destination, longest, moved, play_to, plays,
};
use crate::nearest::edits;
use crate::position::Position;

/// What a pass is written as.
const NO_PLAY: &str = "(no play)";

/// Why a text is not a play that a roll allows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayTextError {
    /// The text is no move text.
    #[error(
        "{input} is not a play: {part} is unreadable, expected moves such as bar/20, 24/18*/13, \
         6/5(2) or 4/off"
    )]
    Unreadable {
        /// The whole text, shortened.
        input: Quoted,
        /// The first piece that means nothing.
        part: Quoted,
    },
    /// The text can be read, but the rules or the dice don't allow the play.
    #[error("{}, expected {expected}", self.reason())]
    Illegal {
        /// The whole text, shortened.
        input: Quoted,
        /// The roll.
        dice: Dice,
        /// The rule it breaks.
        reason: IllegalReason,
        /// Some legal plays.
        expected: Box<Expected>,
    },
    /// The text fits plays with different afterstates, which differ in what is hit on the way.
    #[error("{input} is ambiguous with {dice}, expected one of {expected}")]
    Ambiguous {
        /// The whole text, shortened.
        input: Quoted,
        /// The roll.
        dice: Dice,
        /// The plays that it may mean.
        expected: String,
    },
}

impl PlayTextError {
    /// What is wrong, without the plays that were expected: they take some time to find.
    pub fn reason(&self) -> String {
        match self {
            Self::Illegal { input, dice, reason, .. } => {
                format!("{input} is illegal with {dice}: {reason}")
            }
            Self::Unreadable { .. } | Self::Ambiguous { .. } => self.to_string(),
        }
    }
}

/// Why a readable play is not legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalReason {
    /// Something can be played, so passing is not allowed.
    #[error("there is something to play")]
    MustPlay,
    /// Nothing can be played.
    #[error("no checker can move")]
    NothingToPlay,
    /// There is no checker where a move begins.
    #[error("no checker of the player on roll is on {}", if *from == FROM_BAR { "the bar".to_owned() } else { from.to_string() })]
    NoChecker {
        /// Where the move begins, 25 for the bar.
        from: u8,
    },
    /// A checker waits on the bar, and the text doesn't enter it.
    #[error("a checker on the bar must enter first")]
    BarFirst,
    /// The dice don't lead there, or through closed points, or against the rules of bar and
    /// bear-off.
    #[error("the dice can't be played like that")]
    NotWithTheseDice,
    /// A hit is written where no blot is.
    #[error("there is no blot to hit on {point}")]
    NothingToHit {
        /// Where the hit is written.
        point: u8,
    },
    /// More of the roll can be played, and so it must.
    #[error("more of the roll can be played")]
    MustPlayMore,
    /// Only one of the dice can be played, and it has to be the larger.
    #[error("the larger number can be played, and not both")]
    LargerDie,
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_pass() {
            return f.write_str(NO_PLAY);
        }
        let mut journeys = journeys(self.steps());
        journeys.sort_by_key(|journey| (std::cmp::Reverse(journey.from), journey.to));
        for (i, journey) in journeys.iter().enumerate() {
            let first = journeys.iter().position(|other| other.same_way(journey)) == Some(i);
            if !first {
                continue;
            }
            let equal = || journeys.iter().filter(|other| other.same_way(journey));
            if i > 0 {
                f.write_char(' ')?;
            }
            match journey.from {
                FROM_BAR => f.write_str("bar")?,
                from => write!(f, "{from}")?,
            }
            for point in &journey.hits_on_the_way {
                write!(f, "/{point}*")?;
            }
            match journey.to {
                TO_OFF => f.write_str("/off")?,
                to => write!(f, "/{to}")?,
            }
            if equal().any(|other| other.hits_at_the_end) {
                f.write_char('*')?;
            }
            match equal().count() {
                1 => {}
                n => write!(f, "({n})")?,
            }
        }
        Ok(())
    }
}

/// What one checker does in a play.
#[derive(Debug)]
struct Journey {
    from: u8,
    hits_on_the_way: Vec<u8>,
    to: u8,
    hits_at_the_end: bool,
}

impl Journey {
    /// Whether both are written as one move with a count.
    fn same_way(&self, other: &Self) -> bool {
        (self.from, self.to) == (other.from, other.to)
            && self.hits_on_the_way == other.hits_on_the_way
    }
}

/// Joins steps where one checker may have made both, the rearmost first.
fn journeys(steps: &[Step]) -> Vec<Journey> {
    let mut left: Vec<Step> = steps.to_vec();
    let mut chains: Vec<Vec<Step>> = Vec::new();
    while !left.is_empty() {
        let mut chain = vec![left.remove(0)];
        while let Some(next) = left.iter().position(|step| step.from == chain[chain.len() - 1].to) {
            chain.push(left.remove(next));
        }
        chains.push(chain);
    }
    let mut journeys: Vec<Journey> = chains
        .iter()
        .map(|chain| Journey {
            from: chain[0].from,
            hits_on_the_way: Vec::new(),
            to: chain[chain.len() - 1].to,
            hits_at_the_end: false,
        })
        .collect();
    // A hit is shown on a checker that stays there, if one does: then no way need be named.
    for hit in steps.iter().filter(|step| step.hit) {
        let point = hit.to;
        if let Some(journey) = journeys.iter_mut().find(|journey| journey.to == point) {
            journey.hits_at_the_end = true;
        } else if let Some(i) =
            chains.iter().position(|chain| chain.iter().any(|step| step.to == point))
        {
            journeys[i].hits_on_the_way.push(point);
        }
    }
    journeys
}

/// A piece of the text: a checker goes from here to there, whatever lies between.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Hop {
    at: u8,
    to: u8,
}

/// A play as written.
struct Written {
    hops: Vec<Hop>,
    /// Points with a `*`.
    hits: Vec<u8>,
}

/// Reads a play of `dice` in `position`: the canonical play and the position after it, seen by
/// the opponent, who is then on roll.
///
/// An empty text, `(no play)`, `no play`, `pass` and `cannot move` are the pass, which is right
/// if and only if nothing can be played. `Bar/24 pass` says that the other die can't be. A `*` that
/// is written must hit; one that is left out is
/// no claim. Where the text fits several afterstates, the one that hits just what is named counts.
///
/// # Errors
///
/// [`PlayTextError`] says whether the text is unreadable, illegal or ambiguous.
///
/// ```
/// use tavola_rules::{Dice, Position, notation::parse_play};
///
/// let (play, _) = parse_play("6/5, 8/5", &Position::STANDARD, Dice::new(3, 1)?)?;
/// assert_eq!(play.to_string(), "8/5 6/5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_play(
    text: &str,
    position: &Position,
    dice: Dice,
) -> Result<(Play, Position), PlayTextError> {
    let written = read(text)?;
    let illegal = |reason| PlayTextError::Illegal {
        input: text.into(),
        dice,
        reason,
        expected: Box::new(Expected::new(text, &written, position, dice)),
    };
    match (can_move(position, dice), written.hops.is_empty()) {
        (true, false) => {}
        (false, true) => return Ok((Play::PASS, position.flip())),
        (false, false) => return Err(illegal(IllegalReason::NothingToPlay)),
        (true, true) => return Err(illegal(IllegalReason::MustPlay)),
    }
    let count = |point: u8| position.cells()[usize::from(point)];
    if let Some(hop) = written
        .hops
        .iter()
        .find(|hop| count(hop.at) <= 0 && !written.hops.iter().any(|other| other.to == hop.at))
    {
        return Err(illegal(IllegalReason::NoChecker { from: hop.at }));
    }
    if position.bar() > 0 && written.hops.iter().all(|hop| hop.at != FROM_BAR) {
        return Err(illegal(IllegalReason::BarFirst));
    }
    if let Some(&point) = written.hits.iter().find(|&&point| count(point) != -1) {
        return Err(illegal(IllegalReason::NothingToHit { point }));
    }

    let mut reached = Vec::new();
    let mut all = [dice.high(), dice.low(), dice.high(), dice.low()];
    let dice_left = &mut all[..if dice.is_double() { 4 } else { 2 }];
    if written.hops.len() <= dice_left.len() {
        search(position, &mut written.hops.clone(), dice_left, 0, &mut reached);
    }
    let Some(most_used) = reached.iter().map(|&(_, used)| used).max() else {
        return Err(illegal(IllegalReason::NotWithTheseDice));
    };
    let mut candidates: Vec<(Play, Position)> = Vec::new();
    for result in reached.iter().map(|(after, _)| after.flip()) {
        if let Some(play) = play_to(position, dice, &result)
            && !candidates.contains(&(play, result))
        {
            candidates.push((play, result));
        }
    }
    candidates.sort_by_cached_key(|(play, _)| play.order());
    if candidates.is_empty() {
        return Err(illegal(if most_used < longest(position, dice) {
            IllegalReason::MustPlayMore
        } else {
            IllegalReason::LargerDie
        }));
    }

    // A blot is hit if the mover stands there, or passed there, afterwards: where a hop ends it is,
    // and with it all that is written as a hit.
    let hit = |result: &Position, point: u8| {
        count(point) == -1 && result.cells()[usize::from(25 - point)] <= 0
    };
    if let Some(&found) = candidates.iter().find(|(_, result)| {
        let mut hits = (1..=24).filter(|&point| hit(result, point));
        hits.all(|point| written.hops.iter().any(|hop| hop.to == point))
    }) {
        return Ok(found);
    }
    match candidates[..] {
        [only] => Ok(only),
        _ => {
            let expected = list(&candidates, candidates.len());
            Err(PlayTextError::Ambiguous { input: text.into(), dice, expected })
        }
    }
}

/// Legal plays near to one that is not, found when they are shown: reading goes on without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    text: String,
    /// Where checkers were moved from.
    from: Vec<u8>,
    position: Position,
    dice: Dice,
}

impl Expected {
    fn new(text: &str, written: &Written, position: &Position, dice: Dice) -> Self {
        // A text that is much longer than a play is near to none.
        let text = text.trim().to_ascii_lowercase().chars().take(60).collect();
        let from = written.hops.iter().map(|hop| hop.at).collect();
        Self { text, from, position: *position, dice }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The most plays that are compared with the text letter by letter: those that begin where
        /// it does.
        const COMPARED: usize = 100;
        let mut near = plays(&self.position, self.dice);
        let number = near.len();
        if number > COMPARED {
            let others = |play: &Play| {
                play.steps().iter().filter(|step| !self.from.contains(&step.from)).count()
            };
            near.sort_by_cached_key(|(play, _)| others(play));
            near.truncate(COMPARED);
        }
        let written: Vec<char> = self.text.chars().collect();
        near.sort_by_cached_key(|(play, _)| {
            edits(&written, &play.to_string().chars().collect::<Vec<_>>())
        });
        f.write_str(&list(&near, number))
    }
}

/// The first of `number` plays, for an error.
fn list(plays: &[(Play, Position)], number: usize) -> String {
    const MOST: usize = 6;
    if plays.is_empty() {
        return NO_PLAY.to_owned();
    }
    let mut texts: Vec<String> =
        plays.iter().take(MOST).map(|(play, _)| format!("\"{play}\"")).collect();
    if number > MOST {
        texts.push(format!("or another of {number} plays"));
    }
    texts.join(", ")
}

/// Reads the moves without asking whether they can be played.
fn read(text: &str) -> Result<Written, PlayTextError> {
    let mut written = Written { hops: Vec::new(), hits: Vec::new() };
    let lower = text.trim().to_ascii_lowercase();
    let bare = lower.trim_start_matches('(').trim_end_matches(')').trim_end_matches('.');
    if ["", "no play", "no move", "pass", "cannot move", "can't move", "none"].contains(&bare) {
        return Ok(written);
    }
    // A count may stand apart: `6/5 (2)`.
    let joined = lower.replace(" (", "(");
    for word in joined.split([' ', '\t', '\n', '\r', ',', ';']).filter(|word| !word.is_empty()) {
        if word == "pass" && !written.hops.is_empty() {
            continue;
        }
        let unreadable = || PlayTextError::Unreadable { input: text.into(), part: word.into() };
        let (places, count) = split_count(word).ok_or_else(unreadable)?;
        let mut at = None;
        let mut hops = Vec::new();
        for part in places.split('/') {
            let name = part.trim_end_matches('*');
            let place = match name {
                "bar" => FROM_BAR,
                "off" => TO_OFF,
                _ if (1..=2).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_digit()) => {
                    name.parse().ok().filter(|&n| n <= FROM_BAR).ok_or_else(unreadable)?
                }
                _ => return Err(unreadable()),
            };
            let hits = name.len() < part.len();
            if hits && (at.is_none() || place == TO_OFF) {
                return Err(unreadable());
            }
            if let Some(at) = at.replace(place) {
                if place >= at {
                    return Err(unreadable());
                }
                hops.push(Hop { at, to: place });
            }
            if hits && !written.hits.contains(&place) {
                written.hits.push(place);
            }
        }
        if hops.is_empty() {
            return Err(unreadable());
        }
        for _ in 0..count {
            written.hops.extend(&hops);
        }
        // No roll has more than four steps; the search below would only find that out slowly.
        written.hops.truncate(5);
    }
    Ok(written)
}

/// Splits `6/5*(2)` or `6/5(2)*` into the move and its count, 1 if there is none.
fn split_count(word: &str) -> Option<(String, usize)> {
    let Some((places, rest)) = word.split_once('(') else { return Some((word.to_owned(), 1)) };
    let (count, behind) = rest.split_once(')')?;
    let count = count.parse().ok().filter(|n| (1..=4).contains(n))?;
    match behind {
        "" => Some((places.to_owned(), count)),
        "*" => Some((format!("{places}*"), count)),
        _ => None,
    }
}

/// Collects every position, seen by the mover, in which all hops have arrived, with the number of
/// dice used, of which `used` are gone before this.
fn search(
    position: &Position,
    hops: &mut [Hop],
    dice: &mut [u8],
    used: usize,
    reached: &mut Vec<(Position, usize)>,
) {
    if hops.iter().all(|hop| hop.at == hop.to) {
        if !reached.contains(&(*position, used)) {
            reached.push((*position, used));
        }
        return;
    }
    for next in used..dice.len() {
        if dice[used..next].contains(&dice[next]) {
            continue;
        }
        dice.swap(used, next);
        for i in 0..hops.len() {
            let hop = hops[i];
            if hop.at == hop.to || hops[..i].contains(&hop) {
                continue;
            }
            let landing = destination(position, hop.at, dice[used]).filter(|&to| to >= hop.to);
            if let Some(to) = landing {
                hops[i].at = to;
                search(&moved(position, hop.at, to), hops, dice, used + 1, reached);
                hops[i].at = hop.at;
            }
        }
        dice.swap(used, next);
    }
}
