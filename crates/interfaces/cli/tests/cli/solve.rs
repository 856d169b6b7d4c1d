//! Solving hypergammon, as far as it can be tested in seconds: what is refused before the work.

use crate::run::tavola;

#[test]
fn what_cannot_be_solved_or_compared_is_refused_before_the_work_begins() {
    let folder = tempfile::tempdir().unwrap();
    tavola(&["solve", "4HPwATDgc/ABMA"]).refused(&["expected"]);
    tavola(&["solve", "--roll", "37"]).refused(&["37"]);
    tavola(&["solve", "--model", "default"])
        .refused(&["trained for \"backgammon\", not for \"hypergammon\""]);
    tavola(&["solve", "--model", "nowhere.safetensors"]).refused(&["nowhere.safetensors"]);
    let table = folder.path().join("table.bin");
    std::fs::write(&table, b"something else").unwrap();
    tavola(&["solve", "--table", table.to_str().unwrap()]).refused(&["no solved game"]);
    tavola_bearoff::WholeGame::solve(1, 1e-6, &|_| {}).unwrap().save(&table).unwrap();
    tavola(&["solve", "--table", table.to_str().unwrap()])
        .refused(&["1 checkers a side, expected 3"]);
}
