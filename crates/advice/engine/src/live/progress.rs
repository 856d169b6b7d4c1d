//! What is done in a running game: by the user, by the engine and by itself, and taken back.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_files::limits::SESSION_GAMES;

use super::{Awaited, ChouetteTable, DiceSource, Done, Live, LiveError, LoggedTurn, SeatAction};
use crate::engine::Engine;
use crate::error::Result;
use crate::watch::Watch;

impl Live {
    /// What is done without a decision: rolls of games without a cube, and turns with one play.
    pub(super) fn goes_by_itself(&self) -> Option<SeatAction> {
        let computer = self.setup.dice == DiceSource::Computer;
        match self.table.awaited() {
            Awaited::Opening if computer => Some(SeatAction::Roll { dice: None }),
            Awaited::Roll(_) if self.cubed().is_none() => Some(SeatAction::Roll { dice: None }),
            Awaited::Play(_) => self.table.forced().map(|play| SeatAction::Play { play }),
            _ => None,
        }
    }

    /// What comes next without the user; `None` once the user has to decide. The game is not
    /// changed, so that a thread may decide on a copy.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError), such as a network of another game or a canceled search.
    pub fn decide(&self, engine: &Engine, watch: &Watch<'_>) -> Result<Option<SeatAction>> {
        if let Some(action) = self.goes_by_itself() {
            return Ok(Some(action));
        }
        match self.to_act() {
            Some(seat) if !self.setup.is_person(seat) => {
                self.table.decide(seat, &self.asking(engine, watch)).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Does what [`decide`](Self::decide) has said.
    ///
    /// # Errors
    ///
    /// [`LiveError`]; nothing is changed then.
    pub fn follow(&mut self, action: &SeatAction) -> Result<Option<LoggedTurn>, LiveError> {
        let seat = self.to_act().unwrap_or(self.user());
        self.act_as(seat, action)
    }

    /// Does what comes next without the user, and says what it was; `None` once the user has to
    /// decide.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError); nothing is changed then.
    pub fn step(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<Option<LoggedTurn>> {
        while let Some(action) = self.decide(engine, watch)? {
            if let Some(happened) = self.follow(&action)? {
                return Ok(Some(happened));
            }
        }
        Ok(None)
    }

    /// Lets the engine act until the user has to decide.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError); what was done before stays done.
    pub fn go_on(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<Vec<LoggedTurn>> {
        let mut happened = Vec::new();
        while let Some(one) = self.step(engine, watch)? {
            watch.check()?;
            happened.push(one);
        }
        Ok(happened)
    }

    /// Plays the game to its end, the engine in all seats: a sample of how a network plays.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError); what was done before stays done.
    pub fn play_out(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<()> {
        while !matches!(self.table.awaited(), Awaited::GameOver(_)) {
            let action = match (self.goes_by_itself(), self.to_act()) {
                (Some(action), _) => action,
                (None, Some(seat)) => self.table.decide(seat, &self.asking(engine, watch))?,
                (None, None) => return Ok(()),
            };
            self.follow(&action)?;
        }
        Ok(())
    }

    /// Does what the user asks for, lets the engine act until the user has to decide, and says what
    /// was done. Nothing is changed where there is an error.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError).
    pub fn turn(
        &mut self,
        action: &SeatAction,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Vec<LoggedTurn>> {
        let mut after = self.clone();
        // A game that was read from its text does not know that the engine has decided to roll.
        after.go_on(engine, watch)?;
        let mut happened = Vec::from_iter(after.choose(action)?);
        if *action != SeatAction::TakeBack {
            happened.extend(after.go_on(engine, watch)?);
        }
        *self = after;
        Ok(happened)
    }

    /// Does what the user has chosen, which for typed dice may be a roll of the engine; says what
    /// was done, where there is something to show.
    ///
    /// # Errors
    ///
    /// [`LiveError`]; nothing is changed then.
    pub fn choose(&mut self, action: &SeatAction) -> Result<Option<LoggedTurn>, LiveError> {
        match action {
            SeatAction::NextGame => self.next_game().map(|()| None),
            SeatAction::TakeBack => self.take_back().map(|()| None),
            _ => {
                let seat = match self.table.awaited() {
                    Awaited::Dice(seat) if matches!(action, SeatAction::Roll { .. }) => seat,
                    _ => self.user(),
                };
                self.act_as(seat, action)
            }
        }
    }

    pub(super) fn act_as(
        &mut self,
        seat: usize,
        action: &SeatAction,
    ) -> Result<Option<LoggedTurn>, LiveError> {
        self.check(seat, action)?;
        let SeatAction::Roll { dice } = action else { return self.record(seat, action).map(Some) };
        let opening = self.table.awaited() == Awaited::Opening;
        // Between turns no real dice are thrown.
        let between = self.cubed().is_none() && matches!(self.table.awaited(), Awaited::Roll(_));
        let source = if between { DiceSource::Computer } else { self.setup.dice };
        let (seat, dice) = match (source, dice) {
            (DiceSource::Computer, Some(_)) => return Err(LiveError::ComputerRolls),
            (DiceSource::Computer, None) => {
                let mut rng = ChaCha8Rng::seed_from_u64(self.setup.seed);
                rng.set_stream(self.clock());
                self.table.throw(&mut rng)
            }
            (DiceSource::Typed, Some(dice)) if opening && self.cubed().is_none() => {
                (self.highest(dice)?, dice.clone())
            }
            (DiceSource::Typed, Some(dice)) => match dice[..] {
                [user, engine] if opening && user == engine => return Err(LiveError::EqualDice),
                [user, engine] if opening && user < engine => (1 - self.user(), dice.clone()),
                _ => (seat, dice.clone()),
            },
            (DiceSource::Typed, None) if seat == self.user() || !self.table.wait_for_dice() => {
                return Err(LiveError::NoDice);
            }
            (DiceSource::Typed, None) => return Ok(None),
        };
        let rolled = self.record(seat, &SeatAction::Roll { dice: Some(dice) })?;
        // A roll that stands in the line of its play is not shown for itself.
        Ok(self.done.last().is_some_and(|done| self.is_shown(done)).then_some(rolled))
    }

    pub(super) fn record(
        &mut self,
        seat: usize,
        action: &SeatAction,
    ) -> Result<LoggedTurn, LiveError> {
        let user = self.user();
        let is_play = matches!(action, SeatAction::Play { .. });
        let forced = is_play && self.table.forced().is_some();
        let decided = self.setup.is_person(seat)
            && match self.table.awaited() {
                Awaited::Play(_) => is_play && !forced,
                Awaited::Roll(_) => self.may_double(),
                Awaited::Cube(..) | Awaited::Answer(..) | Awaited::Resignation(..) => true,
                _ => false,
            };
        let roll = self.table.told_roll().filter(|_| is_play);
        let reasons = self.table.reasons(seat, action);
        let about = self.chouette().and_then(ChouetteTable::whose_cube);
        let action = self.table.act(seat, action)?;
        self.done.push(Done { seat, action, decided, forced, roll, reasons, about });
        let board = self.table.board(user);
        let last = self.happened(&self.done[self.done.len() - 1]);
        Ok(LoggedTurn { board: Some(board), ..last })
    }

    /// Puts the result of the game into the score and begins the next one.
    ///
    /// # Errors
    ///
    /// [`LiveError::GameRuns`], [`LiveError::MatchOver`], [`LiveError::TooManyGames`].
    pub fn next_game(&mut self) -> Result<(), LiveError> {
        match self.awaited() {
            Awaited::GameOver(_) => {}
            Awaited::MatchOver(_) => return Err(LiveError::MatchOver),
            _ => return Err(LiveError::GameRuns),
        }
        if self.game_number() as u64 >= SESSION_GAMES.default {
            return Err(LiveError::TooManyGames);
        }
        let mut next = self.table.clone();
        next.next_game()?;
        self.score = self.score();
        self.begun = next.clone();
        self.table = next;
        self.finished.push(std::mem::take(&mut self.done));
        Ok(())
    }

    /// Goes back to the last decision of the user before this one, within the game. Rolls that
    /// follow are the same ones again.
    ///
    /// # Errors
    ///
    /// [`LiveError::NothingToTakeBack`].
    pub fn take_back(&mut self) -> Result<(), LiveError> {
        let last = self.done.iter().rposition(|done| done.decided);
        let last = last.ok_or(LiveError::NothingToTakeBack)?;
        let mut table = self.begun.clone();
        for done in &self.done[..last] {
            table.act(done.seat, &done.action)?;
        }
        self.table = table;
        self.done.truncate(last);
        Ok(())
    }

    /// Whether there is something to take back.
    pub fn may_take_back(&self) -> bool {
        self.done.iter().any(|done| done.decided)
    }
}
