//! A record as SGF.

use std::fmt::Write as _;

use tavola_rules::{Backgammon, Beavers, CubeOwner, GameEnding, Player};

use super::game::is_reserved;
use super::points::{checkers, color, letters, side_letters};
use super::tree::{escaped, is_name};
use crate::record::{Act, Game, Match, Property, RecordedAction};
use crate::unsaid;

/// The match as SGF that GNU Backgammon reads: a tree for each game.
///
/// What the format has no words for is written with properties of our own, which other programs
/// pass over: resignations that don't end the game (`RS`), why a record stops (`XB`), and tags of
/// match text (`XT`). Of the options, limits of the cube other than none and 1 are left out.
pub fn write(record: &Match) -> String {
    let mut text = String::new();
    for (index, game) in record.games.iter().enumerate() {
        write_game(record, index, game, &mut text);
    }
    if record.games.is_empty() {
        write_game(record, 0, &Game::default(), &mut text);
    }
    text
}

fn write_game(record: &Match, index: usize, game: &Game, text: &mut String) {
    let version = env!("CARGO_PKG_VERSION");
    let _ = write!(text, "(;FF[4]GM[6]CA[UTF-8]AP[tavola:{version}]");
    let [ws, bs] = game.score;
    let _ = write!(text, "MI[length:{}][game:{index}][ws:{ws}][bs:{bs}]", record.length);
    let mut put = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = write!(text, "{name}[{}]", escaped(value));
        }
    };
    put("PW", &record.players[0]);
    put("PB", &record.players[1]);
    if index == 0 {
        let details = &record.details;
        put("EV", &details.event);
        put("RO", &details.round);
        put("PC", &details.place);
        put("DT", &details.date);
        put("AN", &details.annotator);
        put("GC", &details.comment);
        if !details.other.is_empty() {
            text.push_str("XT");
            for (name, value) in &details.other {
                let _ = write!(text, "[{}][{}]", escaped(name), escaped(value));
            }
        }
    }
    let rules = rules(record, game);
    if !rules.is_empty() {
        let _ = write!(text, "RU[{}]", rules.join(":"));
    }
    let plain = |action: &RecordedAction| action.comment.is_empty() && action.properties.is_empty();
    let end = game.actions.iter().rev().take(2);
    let resigned = unsaid::is_resigned(record, game) && end.into_iter().all(plain);
    if let Some(result) = &game.result {
        // Without it GNU Backgammon takes the game for one that goes on.
        let mark = if matches!(result.ending, GameEnding::Resigned(_)) { "R" } else { "" };
        let _ = write!(text, "RE[{}+{}{mark}]", color(result.winner), result.points);
    } else if index + 1 < record.games.len() {
        // The score of the next game would tell an end that the record does not have.
        text.push_str("RE[Void]");
    }
    if let Some(why) = &game.broken {
        let _ = write!(text, "XB[{}]", escaped(why));
    }
    let mut actions = &game.actions[..];
    if resigned {
        actions = &actions[..actions.len() - 2];
    }
    if let Some(cube) = automatic_double(record, game) {
        let _ = write!(text, "CV[{cube}]");
        actions = &actions[1..];
    }
    rest(&game.properties, &game.comment, true, text);
    for action in actions {
        write_action(action, text);
    }
    text.push_str(")\n");
}

fn rules(record: &Match, game: &Game) -> Vec<&'static str> {
    let options = &record.options;
    let mut rules = Vec::new();
    if record.is_money() {
        if options.jacoby {
            rules.push("Jacoby");
        }
        match options.beavers {
            Beavers::Off => {}
            Beavers::Beavers => rules.push("Beavers"),
            Beavers::Raccoons => rules.push("Raccoons"),
        }
    } else {
        if options.crawford {
            rules.push("Crawford");
        }
        if game.crawford {
            rules.push("CrawfordGame");
        }
    }
    if options.cube_limit == Some(1) {
        rules.push("NoCube");
    }
    match options.start {
        Backgammon::Standard => {}
        Backgammon::Nackgammon => rules.push("Nackgammon"),
        Backgammon::Hypergammon => rules.push("Hypergammon3"),
        Backgammon::Longgammon => rules.push("Longgammon"),
    }
    if rules.is_empty() && record.length > 1 {
        rules.push("Standard");
    }
    rules
}

/// The cube at the beginning if it is all that is set up.
fn automatic_double(record: &Match, game: &Game) -> Option<u32> {
    let Some(RecordedAction { player, act: Act::SetUp(position, cube), comment, properties }) =
        game.actions.first()
    else {
        return None;
    };
    let next = game.actions.get(1);
    let plain = *position == record.options.start.start_position()
        && cube.owner() == CubeOwner::Center
        && cube.value() > 1
        && record.is_money()
        && comment.is_empty()
        && properties.is_empty()
        && next.is_some_and(|next| {
            next.player == *player && !matches!(next.act, Act::SetUp(..) | Act::Resign(_))
        });
    plain.then(|| cube.value())
}

fn write_action(action: &RecordedAction, text: &mut String) {
    let by = color(action.player);
    let _ = match action.act {
        Act::Roll(dice, Some(play)) => {
            let letters = letters(action.player, &play);
            write!(text, "\n;{by}[{}{}{letters}]", dice.high(), dice.low())
        }
        Act::Roll(dice, None) => write!(text, "\n;PL[{by}]DI[{}{}]", dice.high(), dice.low()),
        Act::Double | Act::Beaver | Act::Raccoon => write!(text, "\n;{by}[double]"),
        Act::Take => write!(text, "\n;{by}[take]"),
        Act::Drop => write!(text, "\n;{by}[drop]"),
        Act::Resign(kind) => write!(text, "\n;RS[{by}:{kind}]"),
        Act::Accept => write!(text, "\n;RS[{by}:accept]"),
        Act::Refuse => write!(text, "\n;RS[{by}:refuse]"),
        Act::SetUp(position, cube) => {
            let checkers = checkers(&position, action.player);
            let _ = write!(text, "\n;PL[{by}]AE[a:y]");
            for (name, player) in [("AW", Player::One), ("AB", Player::Two)] {
                let letters = side_letters(&checkers, player);
                if !letters.is_empty() {
                    text.push_str(name);
                }
                for letter in letters {
                    let _ = write!(text, "[{letter}]");
                }
            }
            // Nodes of their own, as GNU Backgammon wants them.
            let owner = match cube.owner() {
                CubeOwner::Center => 'c',
                CubeOwner::Player => by.to_ascii_lowercase(),
                CubeOwner::Opponent => color(action.player.flip()).to_ascii_lowercase(),
            };
            write!(text, "\n;CV[{}]\n;CP[{owner}]", cube.value())
        }
    };
    rest(&action.properties, &action.comment, false, text);
}

/// Properties as they were, of a game or of an action, and a comment.
fn rest(properties: &[Property], comment: &str, of_game: bool, text: &mut String) {
    for property in properties {
        if is_reserved(&property.name, of_game) || !is_name(&property.name) {
            continue;
        }
        text.push_str(&property.name);
        if property.values.is_empty() {
            text.push_str("[]");
        }
        for value in &property.values {
            let _ = write!(text, "[{}]", escaped(value));
        }
    }
    if !comment.is_empty() {
        let _ = write!(text, "C[{}]", escaped(comment));
    }
}
