//! Points as letters: `a` to `x` are 1 to 24 as White counts them, `y` is the bar, `z` is off.

use std::fmt::Write as _;

use tavola_rules::moves::{FROM_BAR, TO_OFF};
use tavola_rules::{Play, Player, Position, position};

/// White is the first seat.
pub(super) fn color(player: Player) -> char {
    match player {
        Player::One => 'W',
        Player::Two => 'B',
    }
}

/// The player of `W` or `B`, in upper or lower case, also spelled out.
pub(super) fn player(text: &str) -> Option<Player> {
    match text.trim().as_bytes().first()?.to_ascii_lowercase() {
        b'w' => Some(Player::One),
        b'b' => Some(Player::Two),
        _ => None,
    }
}

/// The letter of a point as the player counts it: 25 is the bar, 0 off.
fn letter(player: Player, point: u8) -> char {
    match point {
        FROM_BAR => 'y',
        TO_OFF => 'z',
        _ => {
            let white = if player == Player::One { point } else { 25 - point };
            char::from(b'a' + white - 1)
        }
    }
}

/// The point of a letter as the player counts it: 25 is the bar, 0 off.
pub(super) fn point(player: Player, letter: char) -> Option<u8> {
    match letter.to_ascii_lowercase() {
        'y' => Some(FROM_BAR),
        'z' => Some(TO_OFF),
        letter @ 'a'..='x' => {
            let white = letter as u8 - b'a' + 1;
            Some(if player == Player::One { white } else { 25 - white })
        }
        _ => None,
    }
}

/// A play as letters, two a step.
pub(super) fn letters(player: Player, play: &Play) -> String {
    let steps = play.steps().iter();
    steps.flat_map(|step| [letter(player, step.from), letter(player, step.to)]).collect()
}

/// Letters as the text of a play; `None` if they are none.
pub(super) fn text(player: Player, letters: &str) -> Option<String> {
    let points: Option<Vec<u8>> = letters
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|letter| point(player, letter))
        .collect();
    let points = points?;
    if points.len() % 2 != 0 || points.len() > 8 {
        return None;
    }
    let mut text = String::new();
    for step in points.chunks_exact(2) {
        let _ = write!(text, "{}/{} ", step[0], step[1]);
    }
    Some(text)
}

/// The checkers of both sides: `[seat][point as that player counts, 25 the bar]`.
pub(super) type Checkers = [[u8; 26]; 2];

/// The checkers of a position that is seen from this player.
pub(super) fn checkers(position: &Position, on_roll: Player) -> Checkers {
    let mut checkers = [[0; 26]; 2];
    for at in 1..=24 {
        let count = position.point(at);
        if count > 0 {
            checkers[on_roll.index()][at] = count.unsigned_abs();
        } else {
            checkers[on_roll.flip().index()][25 - at] = count.unsigned_abs();
        }
    }
    checkers[on_roll.index()][25] = position.bar();
    checkers[on_roll.flip().index()][25] = position.opponent_bar();
    checkers
}

/// The position with these checkers, seen from this player.
pub(super) fn position(
    checkers: &Checkers,
    on_roll: Player,
    a_side: u8,
) -> Result<Position, position::PositionError> {
    let side = |player: Player| -> Vec<(usize, u8)> {
        let points = checkers[player.index()].iter().enumerate().skip(1);
        points.filter(|(_, count)| **count > 0).map(|(at, count)| (at, *count)).collect()
    };
    Position::from_points(&side(on_roll), &side(on_roll.flip()), a_side)
}

/// The letters of a side's checkers, one for each.
pub(super) fn side_letters(checkers: &Checkers, player: Player) -> Vec<char> {
    let counts = checkers[player.index()].iter().enumerate().skip(1);
    counts
        .flat_map(|(at, count)| std::iter::repeat_n(letter(player, at as u8), usize::from(*count)))
        .collect()
}
