//! A canary of the released networks: what they think of the positions of `canary.txt`. It sings
//! when a change of encoding, inference or the weights file moves the answers of a network that
//! was not trained again.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use tavola_games::many::AnyManyGame;

use crate::run::tavola_with_input;
use crate::workspace;

/// How far a probability may be from the one that is written down. Weights of fixed precision and
/// other processors differ by less, a wrong input or layer by much more.
const RANGE: f64 = 0.002;

/// A line of the file: the network, its game, a position and a roll, and what is expected.
struct Line<'a> {
    network: &'a str,
    position: &'a str,
    dice: Vec<u32>,
    play: &'a str,
    probs: Vec<f64>,
}

fn line(text: &str) -> Line<'_> {
    let fields: Vec<&str> = text.split('|').map(str::trim).collect();
    let [network, position, dice, play, probs] = fields[..] else { panic!("{text}") };
    Line {
        network,
        position,
        dice: dice.chars().map(|die| die.to_digit(10).unwrap()).collect(),
        play,
        probs: probs.split(' ').map(|number| number.parse().unwrap()).collect(),
    }
}

/// Asks a network about its positions: their probabilities and the best play of the rolls.
fn check(network: &str, lines: &[Line<'_>]) {
    let file = workspace().join(format!("models/{network}.safetensors"));
    let game = network.strip_prefix("games/").unwrap_or("backgammon");
    if game.parse::<AnyManyGame>().is_ok() {
        return check_several(game, &file, lines);
    }
    let mut requests = String::new();
    for Line { position, dice, .. } in lines {
        let eval = json!({"op": "eval", "position": position, "ply": 0});
        let best = json!({"op": "best", "position": position, "dice": dice, "ply": 0, "top": 1});
        requests += &format!("{eval}\n{best}\n");
    }
    let args = ["batch", "--no-tables", "--game", game, "--model", file.to_str().unwrap()];
    let answers = tavola_with_input(&args, requests.as_bytes()).done().stdout;
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2 * lines.len());
    for (line, answer) in lines.iter().zip(answers.chunks_exact(2)) {
        let place = format!("{network} in {} with {:?}", line.position, line.dice);
        let probs = answer[0]["probs"].as_array().unwrap_or_else(|| panic!("{place}: {answer:?}"));
        for (is, expected) in probs.iter().zip(&line.probs) {
            let difference = (is.as_f64().unwrap() - expected).abs();
            assert!(difference <= RANGE, "{place}: {probs:?}, expected {:?}", line.probs);
        }
        assert_eq!((probs.len(), line.probs.len()), (5, 5), "{place}");
        assert_eq!(answer[1]["plays"][0]["play"], line.play, "{place}");
    }
}

/// The same for a game for more than two players, where points are expected.
fn check_several(game: &str, file: &Path, lines: &[Line<'_>]) {
    for Line { position, dice, play, probs, .. } in lines {
        let eval = json!({"op": "eval", "game": game, "position": position, "ply": 0});
        let best = json!({
            "op": "best", "game": game, "position": position, "dice": dice, "ply": 0, "top": 1
        });
        let requests = format!("{eval}\n{best}\n");
        let args = ["batch", "--model", file.to_str().unwrap()];
        let answers = tavola_with_input(&args, requests.as_bytes()).done().stdout;
        let answers: Vec<Value> =
            answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let payoffs = answers[0]["payoffs"].as_array().unwrap_or_else(|| panic!("{answers:?}"));
        assert_eq!(payoffs.len(), probs.len(), "{game} in {position}");
        for (is, expected) in payoffs.iter().zip(probs) {
            let difference = (is.as_f64().unwrap() - expected).abs();
            assert!(difference <= 10.0 * RANGE, "{game} in {position}: {payoffs:?}");
        }
        assert_eq!(answers[1]["plays"][0]["play"], *play, "{game} in {position} with {dice:?}");
    }
}

#[test]
fn released_networks_think_what_they_thought_when_they_were_released() {
    let mut networks: BTreeMap<&str, Vec<Line<'_>>> = BTreeMap::new();
    let lines = include_str!("canary.txt").lines().filter(|line| !line.starts_with('#'));
    for line in lines.map(line) {
        networks.entry(line.network).or_default().push(line);
    }
    for (network, lines) in &networks {
        check(network, lines);
    }
    for folder in ["", "games/"] {
        for entry in workspace().join("models").join(folder).read_dir().unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if let Some(name) = name.strip_suffix(".safetensors") {
                let network = format!("{folder}{name}");
                assert!(networks.contains_key(network.as_str()), "canary.txt lacks {network}");
            }
        }
    }
}
