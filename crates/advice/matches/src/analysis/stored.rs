//! What a file says of a decision: the analysis of the program that wrote it.

use tavola_rules::Player;
use tavola_rules::notation::{Form, MoneyOrMatch, Situation};

use super::beside::Opinion;
use super::cube::{CubeFigures, ResponseTerms};
use super::decision::{DecisionKind, RatedPlay};
use super::question::{Choice, DecisionPoint};
use crate::ogxm;
use crate::playback::Playback;
use crate::record::{Act, Game, Match, Property, RecordedAction};

/// The property of a roll: equity of the play that was made, then of the best one.
pub(crate) const PLAYS: &str = "XG";
/// The property of a double, or of the roll in its place: equities of no double and of a double that
/// is taken, seen by the player on roll.
pub(crate) const CUBE: &str = "XC";

/// The property of a roll that was not played: the plays, each after its equity and five chances.
pub(crate) const PLAYS_OPEN: &str = "XP";

/// Such a property with its equities.
pub(crate) fn property(name: &str, equities: [f64; 2]) -> Property {
    let values = equities.iter().map(|equity| format!("{equity:.4}")).collect();
    Property { name: name.to_owned(), values }
}

pub(crate) fn equities(action: &RecordedAction, name: &str) -> Option<[f64; 2]> {
    let found = action.properties.iter().find(|property| property.name == name)?;
    let [first, second] = found.values.as_slice() else { return None };
    let equity = |text: &String| text.parse().ok().filter(|equity: &f64| equity.is_finite());
    Some([equity(first)?, equity(second)?])
}

/// What the file of a match says of a decision: eXtreme Gammon, then the other engines that have
/// analyzed it.
pub fn stored(record: &Match, question: &DecisionPoint) -> Vec<Opinion> {
    let actions = record.games.get(question.game).map_or(&[][..], |game| &game.actions);
    let of_xg = by(xg(), question, |at, name| equities(actions.get(at)?, name));
    let others = ogxm::others(record).into_iter().filter_map(|(number, name, engine)| {
        let opinion = Opinion { name, engine, ..Opinion::default() };
        by(opinion, question, |at, name| ogxm::said(record, number, (question.game, at), name))
    });
    let found = of_xg.into_iter().chain(others);
    found.map(|it| Opinion { stored: true, ..it }).collect()
}

/// An opinion of eXtreme Gammon that says nothing yet.
fn xg() -> Opinion {
    let (name, engine) = ("XG".to_owned(), "eXtreme Gammon".to_owned());
    Opinion { name, engine, ..Opinion::default() }
}

/// What the equities of actions, by their number and the name of the property, say of a decision.
fn by(
    opinion: Opinion,
    question: &DecisionPoint,
    equities: impl Fn(usize, &str) -> Option<[f64; 2]>,
) -> Option<Opinion> {
    let (at, kind) = match question.choice {
        Choice::Play { play: Some(play), .. } => {
            let [equity, top] = equities(question.action, PLAYS)?;
            let loss = (top - equity).max(0.0);
            let best = if loss > 0.0 { String::new() } else { play.to_string() };
            return Some(Opinion { best, equity, loss, ..opinion });
        }
        Choice::Double { .. } => (question.action, DecisionKind::Double),
        Choice::Answer(_) => (question.action.checked_sub(1)?, DecisionKind::Response),
        _ => return None,
    };
    let figures = cube_figures(equities(at, CUBE)?, &question.situation);
    Some(opinion.on_cube(figures, kind, question.choice.place()))
}

/// What the equities of [`CUBE`] say.
fn cube_figures([no_double, taken]: [f64; 2], situation: &Situation) -> CubeFigures {
    CubeFigures::new([no_double, taken, 1.0], ResponseTerms::of(situation))
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
        [before @ .., RecordedAction { act: Act::Roll(dice, Some(_)), .. }]
            if matches!(before, [] | [RecordedAction { act: Act::SetUp(..), .. }]) =>
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
fn said(action: &RecordedAction, situation: &Situation) -> Option<Opinion> {
    if situation.dice.is_some() {
        let plays = action.properties.iter().find(|it| it.name == PLAYS_OPEN)?;
        let mut plays: Vec<RatedPlay> = plays.values.iter().filter_map(|it| rated(it)).collect();
        let best = plays.first()?.clone();
        let top = plays.iter().map(|play| play.equity).fold(best.equity, f64::max);
        plays.iter_mut().for_each(|play| play.loss = top - play.equity);
        return Some(Opinion { best: best.play, equity: best.equity, plays, ..xg() });
    }
    let figures = cube_figures(equities(action, CUBE)?, situation);
    let kind =
        if situation.offer.is_some() { DecisionKind::Response } else { DecisionKind::Double };
    Some(xg().on_cube(figures, kind, None))
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
