//! What the plays of a game without a cube lost, decision by decision.

use std::path::PathBuf;

use serde::Serialize;
use tavola_matches::analysis::Thresholds;

use super::{Live, SeatAction, Setup, in_words};
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::watch::Watch;

/// What the players of a game without a cube lost.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// The game.
    pub game: String,
    /// Rolls that were looked ahead.
    pub ply: u8,
    /// What counts as an error or a blunder, in points.
    pub thresholds: Thresholds,
    /// The players in the order of their seats.
    pub players: Vec<ReviewedPlayer>,
    /// Every play with an alternative, in order.
    pub decisions: Vec<ReviewedPlay>,
}

/// What one player lost.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewedPlayer {
    /// The name.
    pub name: String,
    /// Plays with an alternative.
    pub decisions: usize,
    /// Those that lost at least so much, blunders included.
    pub errors: usize,
    /// Those that lost even more.
    pub blunders: usize,
    /// Points lost in all.
    pub lost: f64,
}

/// A play with an alternative.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewedPlay {
    /// The number of the game, from 1.
    pub game: usize,
    /// The number of the play in it, from 1.
    pub number: usize,
    /// The seat, from 1.
    pub seat: usize,
    /// The position before the play, seen by the player.
    pub position: String,
    /// The roll; empty where offered or inherited dice are played.
    pub roll: String,
    /// What was played.
    pub play: String,
    /// What is best.
    pub best: String,
    /// Points lost against it.
    pub loss: f64,
}

impl Live {
    /// Plays the games again and compares every play with the best one, at `ply` or as far as
    /// hints look, by the network of the game unless `model` names one. `done` hears how many
    /// actions of how many are done.
    ///
    /// # Errors
    ///
    /// [`EngineError`], also of kind `request` for a game with a cube, whose record is
    /// [analyzed](crate::Analysis) instead.
    pub fn review(
        &self,
        thresholds: Thresholds,
        (ply, model): (Option<u8>, Option<PathBuf>),
        engine: &Engine,
        watch: &Watch<'_>,
        done: &dyn Fn(usize, usize),
    ) -> Result<Review> {
        if self.cubed().is_some() {
            let game = &self.setup.game;
            let message = format!("it is a game of {game}, expected one without a cube");
            return Err(EngineError::request(message));
        }
        let games: Vec<_> = self.games().collect();
        let (mut so_far, of) = (0, games.iter().map(|game| game.len()).sum());
        let model = model.or_else(|| self.setup.model.clone());
        let mut live = Self::new(Setup { model, ..self.setup.clone() })?;
        let ply = ply.unwrap_or_else(|| live.setup.advice_ply());
        let mut decisions = Vec::new();
        for (at, game) in games.into_iter().enumerate() {
            if at > 0 {
                live.next_game()?;
            }
            let mut number = 0;
            for act in game {
                watch.check()?;
                number += usize::from(matches!(act.action, SeatAction::Play { .. }));
                if matches!(act.action, SeatAction::Play { .. }) && live.table.forced().is_none() {
                    let asking =
                        super::TableQuestion { ply: Some(ply), ..live.asking(engine, watch) };
                    let found = live.table.mistake(&act.action, &asking)?;
                    let roll = live.table.told_roll().map_or_else(String::new, in_words);
                    let position = live.table.position();
                    decisions.extend(found.map(|found| ReviewedPlay {
                        game: at + 1,
                        number,
                        seat: act.seat + 1,
                        position,
                        roll,
                        play: found.chosen,
                        best: found.better,
                        loss: found.loss,
                    }));
                }
                live.record(act.seat, &act.action)?;
                so_far += 1;
                done(so_far, of);
            }
        }
        let names = (1..).zip(&self.setup.names);
        let players = names.map(|(seat, name)| {
            let own = || decisions.iter().filter(move |play| play.seat == seat);
            let from = |least: f64| own().filter(|play| play.loss >= least).count();
            ReviewedPlayer {
                name: name.clone(),
                decisions: own().count(),
                errors: from(thresholds.error),
                blunders: from(thresholds.blunder),
                lost: own().map(|play| play.loss).sum(),
            }
        });
        let players = players.collect();
        Ok(Review { game: self.setup.game.clone(), ply, thresholds, players, decisions })
    }
}
