//! Errors that players know by name, and that come again: each with the phases in which it was made.

use serde::{Deserialize, Serialize};

use super::decision::{Decision, DecisionKind, MistakeKind, RatedPlay};

/// How often a player can win at least to take a double, if no player wins a gammon and the cube is never
/// turned again.
const DEAD_TAKE_POINT: f64 = 0.25;

/// The least gain of equity by gammons that a play is made for.
const NOTABLE: f64 = 0.02;

/// A fault by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Habit {
    /// Not doubled, where the opponent would have had to take.
    DoubleTooLate,
    /// Not doubled, where the opponent would have had to pass.
    MissedCash,
    /// Doubled, where it was not good enough.
    DoubleTooEarly,
    /// Doubled, where playing on for the gammon was better.
    CashTooGood,
    /// Taken, where a pass was right.
    LooseTake,
    /// Passed, where a take was right.
    TightPass,
    /// A play that wins as often as the best one, or oftener, but fewer gammons; a take with wins
    /// enough and too many gammons lost.
    GammonsUnderrated,
    /// A play for gammons that costs too many wins.
    GammonsOverrated,
}

tavola_rules::named!(Habit, "habit":
    DoubleTooLate => "doubled too late",
    MissedCash => "missed cash",
    DoubleTooEarly => "doubled too early",
    CashTooGood => "cashed when too good",
    LooseTake => "loose take",
    TightPass => "tight pass",
    GammonsUnderrated => "gammons underrated",
    GammonsOverrated => "gammons overrated",
);

impl Habit {
    /// The names that an error has: of the action, and of what was misjudged.
    pub fn of(decision: &Decision) -> Vec<Self> {
        let figures = decision.actions.as_ref();
        let action = match decision.fault {
            Some(MistakeKind::MissedDouble) => {
                figures.map(|figures| match figures.double_take < figures.double_pass {
                    true => Self::DoubleTooLate,
                    false => Self::MissedCash,
                })
            }
            Some(MistakeKind::WrongDouble) => Some(Self::DoubleTooEarly),
            Some(MistakeKind::WrongDoubleTooGood) => Some(Self::CashTooGood),
            Some(MistakeKind::WrongTake) => Some(Self::LooseTake),
            Some(MistakeKind::WrongPass) => Some(Self::TightPass),
            _ => None,
        };
        let gammons = match decision.kind {
            DecisionKind::Checker => of_play(decision),
            DecisionKind::Response if decision.fault == Some(MistakeKind::WrongTake) => {
                // The figures are those of the player who has doubled.
                let probs = figures.and_then(|figures| figures.probs);
                let wins = probs.map(|probs| 1.0 - f64::from(probs[0]));
                wins.filter(|wins| *wins >= DEAD_TAKE_POINT).map(|_| Self::GammonsUnderrated)
            }
            _ => None,
        };
        action.into_iter().chain(gammons).collect()
    }
}

/// Whether a play lost by its gammons alone, or for them.
fn of_play(decision: &Decision) -> Option<Habit> {
    let best = decision.plays.first()?;
    let made = decision.plays.iter().find(|play| play.play == decision.done)?;
    let more = |of: fn(&RatedPlay) -> f32| f64::from(of(best)) - f64::from(of(made));
    let wins = 2.0 * more(|play| play.probs[0]);
    let gammons = more(|play| play.probs[1] + play.probs[2] - play.probs[3] - play.probs[4]);
    match wins > 0.0 {
        false if gammons >= NOTABLE => Some(Habit::GammonsUnderrated),
        true if gammons <= -NOTABLE => Some(Habit::GammonsOverrated),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn decision(more: Value) -> Decision {
        let mut decision = json!({
            "game": 1, "number": 1, "player": 1, "kind": "checker", "position": "", "phase": "middle",
            "cube": 1, "done": "b", "best": "a", "loss": 0.1, "interval": 0.0, "forced": false,
            "close": true, "counted_pr": true, "depth": 2, "equity": 0.0,
        });
        let more = more.as_object().unwrap().clone();
        decision.as_object_mut().unwrap().extend(more);
        serde_json::from_value(decision).unwrap()
    }

    fn cube(kind: &str, fault: &str, (take, pass): (f64, f64), win: f64) -> Vec<Habit> {
        Habit::of(&decision(json!({"kind": kind, "fault": fault, "actions": {
            "verdict": "", "terms": {"redouble": false, "beavers": false}, "no_double": 0.5, "double_take": take, "double_pass": pass, "interval": 0.0,
            "cubeless": 0.5, "probs": [win, 0.3, 0.0, 0.1, 0.0]}})))
    }

    #[test]
    fn cube_errors_have_the_names_of_players() {
        assert_eq!(cube("double", "missed_double", (0.8, 1.0), 0.7), [Habit::DoubleTooLate]);
        assert_eq!(cube("double", "missed_double", (1.2, 1.0), 0.8), [Habit::MissedCash]);
        assert_eq!(cube("double", "wrong_double", (0.3, 1.0), 0.6), [Habit::DoubleTooEarly]);
        assert_eq!(cube("double", "wrong_double_too_good", (1.5, 1.0), 0.8), [Habit::CashTooGood]);
        assert_eq!(cube("response", "wrong_pass", (0.8, 1.0), 0.7), [Habit::TightPass]);
        assert_eq!(cube("response", "wrong_take", (1.2, 1.0), 0.8), [Habit::LooseTake]);
        // Wins enough for a take, were it not for the gammons.
        let gammons = [Habit::LooseTake, Habit::GammonsUnderrated];
        assert_eq!(cube("response", "wrong_take", (1.2, 1.0), 0.72), gammons);
    }

    #[test]
    fn plays_are_named_by_what_outweighed_what() {
        let of = |best: [f64; 5], made: [f64; 5]| {
            let play = |name: &str, loss: f64, probs: [f64; 5]| {
                json!({"play": name, "equity": -loss, "loss": loss, "interval": 0.0, "probs": probs,
                       "ply": 2})
            };
            let plays = json!([play("a", 0.0, best), play("b", 0.1, made)]);
            Habit::of(&decision(json!({"fault": "play", "plays": plays})))
        };
        let even = [0.5, 0.1, 0.0, 0.1, 0.0];
        assert_eq!(of([0.5, 0.3, 0.0, 0.1, 0.0], even), [Habit::GammonsUnderrated]);
        assert_eq!(of([0.49, 0.1, 0.0, 0.0, 0.0], even), [Habit::GammonsUnderrated]);
        assert_eq!(of([0.6, 0.05, 0.0, 0.1, 0.0], even), [Habit::GammonsOverrated]);
        assert_eq!(of([0.6, 0.2, 0.0, 0.1, 0.0], even), []);
        assert_eq!(of([0.6, 0.1, 0.0, 0.1, 0.0], even), []);
        assert_eq!(of([0.6, 0.09, 0.0, 0.1, 0.0], even), [], "a percent is no gamble");
    }
}
