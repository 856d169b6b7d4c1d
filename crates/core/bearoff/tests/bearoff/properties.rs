//! What holds for every position of the databases.

use std::sync::LazyLock;

use proptest::prelude::*;
use tavola_bearoff::{OneSided, Store, TableSpec, Tables};
use tavola_rules::Position;

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let specs = [TableSpec::one_sided(6, 8).unwrap(), TableSpec::two_sided(4).unwrap()];
    Store::in_memory().load(&specs, &|_| {}).0
});

/// Up to four checkers in a home board.
fn home() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(1..=6_usize, 1..=4)
}

fn position(mine: &[usize], theirs: &[usize]) -> Position {
    let stack = |points: &[usize]| -> Vec<(usize, u8)> {
        (1..=6).map(|p| (p, points.iter().filter(|&&q| q == p).count() as u8)).collect()
    };
    Position::from_points(&stack(mine), &stack(theirs), 15).unwrap()
}

fn one_sided(position: &Position) -> &'static OneSided {
    TABLES.one_sided(position).expect("the table covers the home board")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn rolls_to_finish_are_a_distribution_and_no_fewer_than_the_pips_need(mine in home()) {
        let here = position(&mine, &[1]);
        let rolls = one_sided(&here).rolls_to_finish(&here).unwrap();
        let sum: f32 = rolls.iter().map(|(_, probability)| probability).sum();
        prop_assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        // A roll is 49/6 pips on average, of which some may be wasted (A. Wald, "On Cumulative Sums
        // of Random Variables", 1944).
        prop_assert!(rolls.mean() * 49.0 / 6.0 >= f64::from(here.pip_count()) - 1e-3);
        let most = rolls.iter().last().map_or(0, |(number, _)| number);
        prop_assert!(most as usize <= mine.iter().sum(), "a roll bears off or goes a pip at least");
    }

    #[test]
    fn both_kinds_of_table_agree_and_being_on_roll_is_never_worse(
        mine in home(),
        theirs in home(),
    ) {
        let (here, there) = (position(&mine, &theirs), position(&theirs, &mine));
        let exact = TABLES.two_sided(&here).unwrap().probs();
        let race = one_sided(&here).race(&here).unwrap();
        prop_assert!((exact.equity() - race.equity()).abs() < 0.02, "{mine:?} {theirs:?}");
        let other = TABLES.two_sided(&there).unwrap().probs();
        prop_assert!(exact.equity() >= -other.equity() - 1e-4, "the right to roll is worth something");
    }
}
