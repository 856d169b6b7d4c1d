//! What a file says of a decision: the analysis of the program that wrote it.

use serde::{Deserialize, Serialize};

use super::question::{Choice, Question};
use crate::record::{Act, Action, Match, Property};

/// The property of a roll: equity of the play that was made, then of the best one.
pub(crate) const PLAYS: &str = "XG";
/// The property of a double, or of the roll in its place: equities of no double and of a double that
/// is taken, seen by the player on roll.
pub(crate) const CUBE: &str = "XC";

/// What eXtreme Gammon said of what was done, in its equity: per cube, in a match EMG.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Of what was done, to the player who did it.
    pub equity: f64,
    /// Lost against the best choice, 0 or more.
    pub loss: f64,
}

/// Such a property with its equities.
pub(crate) fn property(name: &str, equities: [f64; 2]) -> Property {
    let values = equities.iter().map(|equity| format!("{equity:.4}")).collect();
    Property { name: name.to_owned(), values }
}

pub(crate) fn equities(action: &Action, name: &str) -> Option<[f64; 2]> {
    let found = action.properties.iter().find(|property| property.name == name)?;
    let [first, second] = found.values.as_slice() else { return None };
    let equity = |text: &String| text.parse().ok().filter(|equity: &f64| equity.is_finite());
    Some([equity(first)?, equity(second)?])
}

impl Stored {
    /// What the file of a match says of a decision, if it says anything.
    pub fn of(record: &Match, question: &Question) -> Option<Self> {
        let actions = &record.games.get(question.game)?.actions;
        let action = actions.get(question.action)?;
        let of = |done: f64, others: &[f64]| {
            let best = others.iter().copied().fold(done, f64::max);
            Self { equity: done, loss: best - done }
        };
        match question.choice {
            Choice::Play { play: Some(_), .. } => {
                let [done, best] = equities(action, PLAYS)?;
                Some(of(done, &[best]))
            }
            Choice::Double { doubled } => {
                let [no_double, taken] = equities(action, CUBE)?;
                let double = taken.min(1.0);
                Some(match doubled {
                    true => of(double, &[no_double]),
                    false => of(no_double, &[double]),
                })
            }
            Choice::Answer(act @ (Act::Take | Act::Drop)) => {
                let [_, taken] = equities(actions.get(question.action.checked_sub(1)?)?, CUBE)?;
                Some(match act {
                    Act::Take => of(-taken, &[-1.0]),
                    _ => of(-1.0, &[-taken]),
                })
            }
            _ => None,
        }
    }
}
