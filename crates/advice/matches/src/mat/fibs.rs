//! What FIBS answers to `oldmoves`: a line for each roll, with points as player X counts them.
//!
//! ```text
//! Score is 0-0 in a 5 point match.
//! ann is X - bob is O
//! X: (3 1) 8-5 6-5
//! O: (6 5) can't move
//! X: doubles.
//! O: accepts the double.
//! ```

use tavola_rules::Player;

use super::cells::Cell;
use super::plays::{moves, play};

/// Who is who.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The points of X and O, or of both seats once the names are known.
    pub(super) score: [u32; 2],
    /// Whether X is the second player.
    pub(super) swapped: bool,
}

impl Names {
    /// The player of `X` or `O`.
    pub(super) fn side(&self, mark: char) -> Player {
        if (mark == 'X') == self.swapped { Player::Two } else { Player::One }
    }
}

/// `Score is 0-0 in a 5 point match.`, with length 0 for other games.
pub(super) fn score(line: &str) -> Option<([u32; 2], u16)> {
    let rest = &line[line.find("Score is ")? + 9..];
    let (score, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (one, two) = score.trim_end_matches('.').split_once('-')?;
    let length = rest.split_whitespace().find_map(|word| word.trim_end_matches('-').parse().ok());
    Some(([one.parse().ok()?, two.parse().ok()?], length.unwrap_or(0)))
}

/// `ann is X - bob is O`.
pub(super) fn names(line: &str) -> Option<[String; 2]> {
    let (x, rest) = line.split_once(" is X")?;
    let o = rest.trim_start_matches([' ', '-']).split_once(" is O")?.0;
    Some([x.trim().to_owned(), o.trim().to_owned()])
}

/// A line that begins with `X:` or `O:`.
pub(super) fn act(line: &str) -> Option<(char, Cell)> {
    let mark = line.chars().next().filter(|c| matches!(c, 'X' | 'O'))?;
    let rest = line[1..].strip_prefix(':')?.trim();
    if let Some((dice, text)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        let digits: String = dice.chars().filter(char::is_ascii_digit).collect();
        let (text, _) = play(text.trim_end_matches('.'));
        // Those who move upwards are written as X counts.
        let turned = moves(&text).map(|moves| {
            let rises = |&(from, to): &(u8, u8)| match (from, to) {
                (25, to) => to < 7,
                (from, 0) => from > 18,
                (from, to) => from < to,
            };
            let turn = |point: u8| if matches!(point, 0 | 25) { point } else { 25 - point };
            let rising = moves.iter().any(rises);
            let turn = |point: u8| if rising { turn(point) } else { point };
            let text = moves.iter().map(|&(from, to)| format!("{}/{}", turn(from), turn(to)));
            text.collect::<Vec<_>>().join(" ")
        });
        let play = turned.unwrap_or_default();
        return Some((
            mark,
            digits.parse().map_or(Cell::NoRoll(rest.to_owned()), |dice| Cell::Roll(dice, play)),
        ));
    }
    let words = rest.to_ascii_lowercase();
    let cell = match words.split(' ').next()?.trim_end_matches('.') {
        "doubles" | "redoubles" => Cell::Double,
        "accepts" => Cell::Accept,
        "rejects" | "gives" => Cell::Refuse,
        "wants" | "resigns" => Cell::Resign(None),
        "wins" => Cell::Wins(
            words.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0),
        ),
        _ => return None,
    };
    Some((mark, cell))
}
