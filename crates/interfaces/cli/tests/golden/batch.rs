//! `tavola batch`: every operation in every game, about positions from games between the released
//! networks and random play, and what is refused. The requests stand in `requests/`.

use std::fs;

use crate::run::tavola_with_input;
use crate::text::rounded;
use crate::{assert_golden, schema, workspace};

/// Compares the answers to the requests of a game; its network is a file of `models/games`, the
/// built-in one or none.
fn check(requests: &str, game: &str, network: Option<&str>) {
    let root = workspace();
    let input =
        root.join("crates/interfaces/cli/tests/golden/requests").join(format!("{requests}.jsonl"));
    let model = network.map(|name| root.join(format!("models/games/{name}.safetensors")));
    let mut args = vec!["batch", "--threads", "1", "--game", game];
    if let Some(model) = &model {
        args.extend(["--model", model.to_str().unwrap()]);
    }
    let input = fs::read(input).unwrap();
    let run = tavola_with_input(&args, &input).done();
    let lines = input.split(|byte| *byte == b'\n').count() - 1;
    assert_eq!(run.stdout.lines().count(), lines, "one answer to each line");
    for (request, answer) in input.split(|byte| *byte == b'\n').zip(run.stdout.lines()) {
        schema::assert_valid(request, answer);
    }
    let (refusals, answers): (Vec<&str>, Vec<&str>) =
        run.stdout.lines().partition(|line| line.contains("\"error\":"));
    assert_golden(&format!("{requests}_answers"), &rounded(&answers.join("\n")));
    if !refusals.is_empty() {
        assert_golden(&format!("{requests}_refusals"), &rounded(&refusals.join("\n")));
    }
}

/// One test for each game, so that they run side by side and fail by name.
macro_rules! games {
    ($($test:ident: $requests:literal, $game:literal, $network:expr;)*) => {
        $(#[test]
        fn $test() {
            check($requests, $game, $network);
        })*
    };
}

games! {
    backgammon: "backgammon", "backgammon", None;
    nackgammon: "nackgammon", "nackgammon", Some("nackgammon");
    hypergammon: "hypergammon", "hypergammon", Some("hypergammon");
    longgammon: "longgammon", "longgammon", Some("longgammon");
    tabula: "tabula", "tabula", Some("tabula");
    puff: "puff", "puff", Some("puff");
    fallas: "fallas", "fallas", Some("fallas");
    emperador: "emperador", "emperador", Some("emperador");
    buffa: "buffa", "buffa", Some("buffa");
}
