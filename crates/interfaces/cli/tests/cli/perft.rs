//! `tavola perft`.

use crate::run::tavola;

#[test]
fn the_start_has_447_positions_after_one_roll_in_text_and_json() {
    let text = tavola(&["perft", "--depth", "1"]).done().stdout;
    assert_eq!(text, "depth  nodes  weighted\n    1    447       637\n");
    let json = tavola(&["perft", "4HPwATDgc/ABMA", "--depth", "2", "--json"]).json();
    assert_eq!(json["depths"][0]["nodes"], 447);
    assert_eq!(json["depths"][1]["depth"], 2);
    assert!(json.get("rolls").is_none());
}

#[test]
fn the_rolls_of_any_game_add_up() {
    for game in ["hypergammon", "tabula", "fallas"] {
        let json = tavola(&["perft", "--game", game, "-d", "1", "--by-roll", "--json"]).json();
        let rolls = json["rolls"].as_array().unwrap();
        assert!(rolls.len() >= 21, "{json}");
        for count in ["nodes", "weighted"] {
            let sum: u64 = rolls.iter().map(|roll| roll[count].as_u64().unwrap()).sum();
            assert_eq!(json["depths"][0][count], sum, "{game}");
        }
    }
}

#[test]
fn depths_and_positions_that_cannot_be_are_refused() {
    tavola(&["perft", "--depth", "0"]).refused(&["--depth", "from 1 to 6"]);
    tavola(&["perft", "foo"]).refused(&["\"foo\"", "Position ID"]);
}
