//! Golden cases.
use tavola_rules::*;
#[test]
fn start_position_counts() {
    let expected = [
        (1, 1, 42),
        (2, 1, 15),
        (2, 2, 75),
        (3, 1, 16),
        (3, 2, 17),
        (3, 3, 73),
        (4, 1, 14),
        (4, 2, 18),
        (4, 3, 17),
        (4, 4, 52),
        (5, 1, 8),
        (5, 2, 8),
        (5, 3, 9),
        (5, 4, 9),
        (5, 5, 4),
        (6, 1, 10),
        (6, 2, 14),
        (6, 3, 14),
        (6, 4, 14),
        (6, 5, 7),
        (6, 6, 11),
    ];
    for (a, b, n) in expected {
        let mut r = vec![];
        movegen::results(&Position::STANDARD, Dice::new(a, b).unwrap(), &mut r);
        assert_eq!(r.len(), n, "{a}-{b}");
    }
}
