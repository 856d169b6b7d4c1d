//! What a file says of a decision: the analysis of the program that wrote it.

use serde::{Deserialize, Serialize};

use tavola_rules::Player;
use tavola_rules::notation::{Form, MoneyOrMatch, Situation};

use super::beside::{CubeOpinion, CubeTerms, Opinion};
use super::decision::{DecisionKind, RatedPlay};
use super::question::{Choice, Question};
use crate::ogxm;
use crate::playback::Playback;
use crate::record::{Act, Action, Game, Match, Property};

/// The property of a roll: equity of the play that was made, then of the best one.
pub(crate) const PLAYS: &str = "XG";
/// The property of a double, or of the roll in its place: equities of no double and of a double that
/// is taken, seen by the player on roll.
pub(crate) const CUBE: &str = "XC";

/// The property of a roll that was not played: the plays, each after its equity and five chances.
pub(crate) const PLAYS_OPEN: &str = "XP";

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

/// What another engine said of what was done, in our equity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredBy {
    /// The engine, as the file calls it.
    pub engine: String,
    /// What it said.
    #[serde(flatten)]
    pub stored: Stored,
}

impl Stored {
    /// What the file of a match says of a decision, if eXtreme Gammon has analyzed it.
    pub fn of(record: &Match, question: &Question) -> Option<Self> {
        let actions = &record.games.get(question.game)?.actions;
        Self::by(question, |at, name| equities(actions.get(at)?, name))
    }

    /// What the other engines say that have analyzed it.
    pub fn others(record: &Match, question: &Question) -> Vec<StoredBy> {
        let said = ogxm::others(record).into_iter().filter_map(|(number, engine)| {
            let stored = Self::by(question, |at, name| {
                ogxm::said(record, number, (question.game, at), name)
            });
            Some(StoredBy { engine, stored: stored? })
        });
        said.collect()
    }

    /// What the equities of actions, by their number and the name of the property, say of a decision.
    fn by(question: &Question, equities: impl Fn(usize, &str) -> Option<[f64; 2]>) -> Option<Self> {
        let of = |done: f64, others: &[f64]| {
            let best = others.iter().copied().fold(done, f64::max);
            Self { equity: done, loss: best - done }
        };
        match question.choice {
            Choice::Play { play: Some(_), .. } => {
                let [done, best] = equities(question.action, PLAYS)?;
                Some(of(done, &[best]))
            }
            Choice::Double { doubled } => {
                let [no_double, taken] = equities(question.action, CUBE)?;
                let double = taken.min(1.0);
                Some(match doubled {
                    true => of(double, &[no_double]),
                    false => of(no_double, &[double]),
                })
            }
            Choice::Answer(act @ (Act::Take | Act::Drop)) => {
                let [_, taken] = equities(question.action.checked_sub(1)?, CUBE)?;
                Some(match act {
                    Act::Take => of(-taken, &[-1.0]),
                    _ => of(-1.0, &[-taken]),
                })
            }
            _ => None,
        }
    }
}

/// A decision that a record stops at, as a position that is saved by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDecision {
    /// Position, cube, score and roll as an XGID.
    pub xgid: String,
    /// What eXtreme Gammon says of it; there the best play stands for the one that was made.
    pub opinion: Option<Opinion>,
    /// What the file comments on it.
    pub comment: String,
}

/// The decisions that the games of a record stop at after a position that was set up.
pub fn open_decisions(record: &Match) -> Vec<OpenDecision> {
    record.games.iter().filter_map(|game| open_decision(record, game)).collect()
}

fn open_decision(record: &Match, game: &Game) -> Option<OpenDecision> {
    let mut playback = Playback::of_game(record, game).ok()?;
    // A play behind a position that was set up is that of a position saved by itself.
    let (before, made) = match game.actions.as_slice() {
        [before @ .., Action { act: Act::Roll(dice, Some(_)), .. }]
            if matches!(before, [] | [Action { act: Act::SetUp(..), .. }]) =>
        {
            (before, Some(*dice))
        }
        actions => (actions, None),
    };
    for action in before {
        playback.act(action.player, &action.act).ok()?;
    }
    let last = game.actions.last()?;
    let mut situation = playback.situation();
    if before.is_empty() && last.player == Player::Two {
        // Nothing tells before the first roll who sees the position.
        situation.stakes = situation.stakes.map(MoneyOrMatch::flip);
    }
    situation.dice = situation.dice.or(made);
    let is_open =
        made.is_some() || matches!(last.act, Act::SetUp(..) | Act::Roll(_, None) | Act::Double);
    let xgid = Form::Xgid.write(&situation).ok().filter(|_| is_open && game.result.is_none())?;
    Some(OpenDecision { xgid, opinion: said(last, &situation), comment: last.comment.clone() })
}

/// What eXtreme Gammon says of an open decision.
fn said(action: &Action, situation: &Situation) -> Option<Opinion> {
    let mut said = Opinion {
        name: "XG".to_owned(),
        engine: "eXtreme Gammon".to_owned(),
        ..Opinion::default()
    };
    if situation.dice.is_some() {
        let plays = action.properties.iter().find(|it| it.name == PLAYS_OPEN)?;
        let mut plays: Vec<RatedPlay> = plays.values.iter().filter_map(|it| rated(it)).collect();
        let best = plays.first()?.clone();
        let top = plays.iter().map(|play| play.equity).fold(best.equity, f64::max);
        plays.iter_mut().for_each(|play| play.loss = top - play.equity);
        (said.best, said.equity, said.plays) = (best.play, best.equity, plays);
        return Some(said);
    }
    let [no_double, double_take] = equities(action, CUBE)?;
    let actions = CubeOpinion { no_double, double_take, double_pass: 1.0, probs: None };
    let kind =
        if situation.offer.is_some() { DecisionKind::Response } else { DecisionKind::Double };
    let choices = actions.choices(kind, CubeTerms::of(situation));
    let best = choices.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    (said.best, said.equity, said.actions) = (best.0.to_owned(), best.1, Some(actions));
    Some(said)
}

/// A value of [`PLAYS_OPEN`].
fn rated(value: &str) -> Option<RatedPlay> {
    let words: Vec<&str> = value.splitn(7, ' ').collect();
    let number = |at: usize| words.get(at)?.parse::<f64>().ok().filter(|it| it.is_finite());
    let mut probs = [0.0; 5];
    for (at, prob) in probs.iter_mut().enumerate() {
        *prob = number(at + 1)? as f32;
    }
    let (equity, play) = (number(0)?, (*words.get(6)?).to_owned());
    Some(RatedPlay { play, equity, mwc: None, loss: 0.0, interval: 0.0, probs, ply: 0 })
}
