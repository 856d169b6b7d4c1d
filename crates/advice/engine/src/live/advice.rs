//! What the engine says of a running game: hints, values and the cost of mistakes.

use super::{Awaited, Hint, Live, Mistake, Opponents, PositionValue, SeatAction};
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::watch::Watch;

impl Live {
    /// Whether the engine can play the game: it needs a network for it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model`.
    pub fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<()> {
        if self.setup.opponents == Some(Opponents::RuleBased) {
            return Ok(());
        }
        self.asking(engine, watch).value(None, 0).map(drop)
    }

    /// Advice on what the user must decide.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn hint(&self, engine: &Engine, watch: &Watch<'_>) -> Result<Hint> {
        match self.to_act() {
            Some(seat) if seat == self.user() => self.table.hint(&self.asking(engine, watch)),
            _ => Ok(Hint::Nothing),
        }
    }

    /// What the position is worth to the seat on roll, before the roll.
    ///
    /// # Errors
    ///
    /// [`EngineError`], also of kind `request` if the game is over.
    pub fn evaluate(&self, engine: &Engine, watch: &Watch<'_>) -> Result<PositionValue> {
        match self.table.awaited() {
            Awaited::GameOver(_) => Err(EngineError::request("the game is over")),
            _ => self.table.evaluate(&self.asking(engine, watch)),
        }
    }

    /// What an action of the user loses, before it is done; `None` if it is the best one, or
    /// nothing can be lost by it.
    ///
    /// # Errors
    ///
    /// [`EngineError`], also where the action can't be done now.
    pub fn mistake(
        &self,
        action: &SeatAction,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>> {
        if matches!(action, SeatAction::NextGame | SeatAction::TakeBack) {
            return Ok(None);
        }
        if let (SeatAction::Roll { .. }, Awaited::Dice(seat)) = (action, self.table.awaited()) {
            // The dice of another seat are no decision of the user.
            return self.check(seat, action).map(|()| None).map_err(EngineError::from);
        }
        self.check(self.user(), action)?;
        let mistake = self.table.mistake(action, &self.asking(engine, watch))?;
        Ok(mistake.filter(|mistake| mistake.loss > 0.0))
    }
}
