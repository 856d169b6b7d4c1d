//! An analysis as properties of a record, in the words of GNU Backgammon.

use std::fmt::Write as _;

use tavola_rules::Player;
use tavola_rules::notation::parse_play;

use super::points::{color, letters};
use crate::analysis::{Choice, Decision, DecisionPoint, MatchAnalysis, questions};
use crate::record::{Match, Property};

/// What stands for an earlier analysis, and goes: plays, cube, luck, marks, statistics.
const ANALYSIS: [&str; 12] =
    ["A", "DA", "LU", "MR", "GS", "BM", "DO", "TE", "BC", "DC", "GB", "GW"];

/// The luck of a roll from which on GNU Backgammon marks it.
const LUCKY: f64 = 0.3;

/// How GNU Backgammon writes the settings of an evaluation behind its plies: not reduced,
/// deterministic, no noise, pruned.
const SETTINGS: &str = "0 1 0.000000 1";

/// The record with its analysis as GNU Backgammon keeps it: `A` holds the candidates of a play and
/// which one was played, `DA` a decision about the cube, `LU` the luck of a roll. An earlier
/// analysis goes. Game statistics are left to GNU Backgammon, which makes them when it reads.
///
/// ```
/// # use tavola_matches::{Match, analysis::MatchAnalysis, sgf};
/// # fn write(record: &Match, analysis: &MatchAnalysis) -> String {
/// sgf::write(&sgf::annotated(record, analysis))
/// # }
/// ```
pub fn annotated(record: &Match, analysis: &MatchAnalysis) -> Match {
    let mut annotated = record.clone();
    for game in &mut annotated.games {
        game.properties.retain(|property| !ANALYSIS.contains(&property.name.as_str()));
        for action in &mut game.actions {
            action.properties.retain(|property| !ANALYSIS.contains(&property.name.as_str()));
        }
    }
    let mut decisions = analysis.decisions.iter().peekable();
    for question in questions(record) {
        // Questions without an answer have no decision.
        let Some(decision) = decisions.next_if(|decision| decision.is_about(&question)) else {
            continue;
        };
        let Some(game) = annotated.games.get_mut(question.game) else { continue };
        let Some(action) = game.actions.get_mut(question.action) else { continue };
        let properties = &mut action.properties;
        if let Some(value) = cube(decision) {
            properties.push(Property { name: "DA".to_owned(), values: vec![value] });
        }
        if let Choice::Play { .. } = question.choice {
            let values = plays(decision, &question);
            if !values.is_empty() {
                properties.push(Property { name: "A".to_owned(), values });
            }
        }
        if let Some(luck) = decision.luck {
            let values = vec![format!("{:.5}", luck.emg)];
            properties.push(Property { name: "LU".to_owned(), values });
            properties.extend(mark(luck.emg, question.player));
        }
    }
    annotated
}

/// The mark of a lucky or unlucky roll, good for White or for Black: 1, or 2 from twice as much on.
fn mark(luck: f64, player: Player) -> Option<Property> {
    let lucky = if luck > 0.0 { player } else { player.flip() };
    let grade = (luck.abs() / LUCKY).min(2.0) as u8;
    let name = format!("G{}", color(lucky));
    (grade > 0).then(|| Property { name, values: vec![grade.to_string()] })
}

/// `E ver 3 2C 1 0.000000 1`, then the five probabilities, equity without and with the cube: of no
/// double, and of a double that is taken. The last of each is a chance in a match.
fn cube(decision: &Decision) -> Option<String> {
    let figures = decision.actions.as_ref()?;
    let (no_double, double_take) = match figures.mwc {
        Some([no_double, double_take, _]) => (no_double, double_take),
        None => (figures.no_double, figures.double_take),
    };
    let (probs, cubeless) = figures.probs.zip(figures.cubeless)?;
    let mut text = format!("E ver 3 {}C 1 0.000000 1", decision.depth);
    for cubeful in [no_double, double_take] {
        probabilities(&probs, &mut text);
        let _ = write!(text, " {cubeless:.6} {cubeful:.6}");
    }
    Some(text)
}

/// Which candidate was played, then the candidates, best first.
fn plays(decision: &Decision, question: &DecisionPoint) -> Vec<String> {
    let Choice::Play { dice, play: Some(made), .. } = question.choice else {
        return Vec::new();
    };
    if decision.forced {
        return Vec::new();
    }
    let position = &question.situation.position;
    let Ok(after) = made.apply(position) else { return Vec::new() };
    let mut values = vec![String::new()];
    let mut played = None;
    for rated in &decision.plays {
        let Ok((mut play, reached)) = parse_play(&rated.play, position, dice) else { continue };
        if reached == after {
            played = Some(values.len() - 1);
            play = made;
        }
        let mut text = format!("{} E ver 3", letters(question.player, &play));
        probabilities(&rated.probs, &mut text);
        let _ = write!(text, " {:.6} {}C {SETTINGS}", rated.equity, rated.ply);
        values.push(text);
    }
    match played {
        Some(index) => values[0] = index.to_string(),
        None => values.clear(),
    }
    values
}

fn probabilities(probs: &[f32; 5], text: &mut String) {
    for prob in probs {
        let _ = write!(text, " {prob:.6}");
    }
}
