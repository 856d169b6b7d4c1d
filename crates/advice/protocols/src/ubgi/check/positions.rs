//! Positions and rolls of the checks.

use tavola_rules::Position;

/// A position by its points, from either side.
pub(super) fn points(mine: &[(usize, u8)], theirs: &[(usize, u8)]) -> Position {
    Position::from_points(mine, theirs, 15).expect("the positions of the checks are positions")
}

/// Positions and rolls in which plays are easily written or chosen wrongly.
pub(super) fn positions() -> Vec<(&'static str, Position, &'static str)> {
    let wall = [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (7, 5)];
    vec![
        ("an opening play", Position::STANDARD, "31"),
        ("one checker twice", Position::STANDARD, "65"),
        ("doubles are four hops", Position::STANDARD, "33"),
        (
            "two checkers enter",
            points(&[(25, 2), (6, 5), (8, 8)], &[(6, 5), (8, 3), (13, 7)]),
            "53",
        ),
        ("a checker enters with the larger number", points(&[(25, 1), (6, 14)], &wall), "61"),
        (
            "the larger number must be played",
            points(&[(10, 1), (1, 14)], &[(22, 2), (6, 13)]),
            "52",
        ),
        ("both numbers are played", points(&[(9, 1), (2, 2), (1, 12)], &[(20, 2), (6, 13)]), "61"),
        ("a hit on the way", points(&[(24, 2), (6, 13)], &[(7, 1), (12, 2), (6, 12)]), "64"),
        ("checkers are borne off", points(&[(6, 2), (5, 2)], &[(6, 15)]), "65"),
        ("borne off by a larger number", points(&[(3, 2), (2, 1)], &[(6, 15)]), "66"),
        ("the last checker ends the play", points(&[(1, 1)], &[(6, 15)]), "44"),
        ("a race", points(&[(9, 5), (7, 5), (4, 5)], &[(9, 5), (7, 5), (4, 5)]), "42"),
    ]
}

#[cfg(test)]
mod tests {
    use tavola_rules::Dice;
    use tavola_rules::moves::plays;

    use super::*;

    #[test]
    fn the_positions_test_what_they_are_named_for() {
        for (name, position, dice) in positions() {
            let dice: Dice = dice.parse().unwrap();
            let plays = plays(&position, dice);
            assert!(!plays.is_empty(), "{name}");
            let most = plays.iter().map(|(play, _)| play.steps().len()).max().unwrap();
            let expected = match name {
                "doubles are four hops" => 4,
                "borne off by a larger number" => 3,
                "the larger number must be played" => 1,
                "the last checker ends the play" => 1,
                _ => 2,
            };
            assert_eq!(most, expected, "{name}");
        }
    }
}
