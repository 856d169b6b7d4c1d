//! What the engine does in its turn.

use tavola_equity::{OutcomeProbs, Probs, Stakes};
use tavola_rules::notation::Situation;
use tavola_rules::{Beavers, Cube, CubeOwner, Dice, Offer, Outcome, Player, WinKind, moves};

use super::strength::noise;
use super::{Awaited, Choice, ENGINE, LiveMatch, TurnError};
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::lookahead::Lookahead;
use crate::met;
use crate::operations::{Best, Cube as CubeQuestion, Eval};
use crate::terms::Terms;
use crate::watch::Watch;

/// Below this probability of winning the engine resigns, and this much equity it gives away by it.
const HOPELESS: f64 = 0.0005;

impl LiveMatch {
    /// Whether the engine can play the game: it needs a network for it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model`.
    pub fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        let start = Situation::from(self.game().start_position());
        let lookahead = Lookahead::new(Some(0), tavola_evaluator::Preset::default(), None, 0);
        let eval = Eval { lookahead, cubeful: Some(false) };
        engine.ask(&self.subject(&start), &eval, watch).map(drop)
    }

    /// What the engine does now; `None` if it has nothing to decide. The match is not changed, so
    /// that a thread may decide on a copy.
    ///
    /// # Errors
    ///
    /// [`EngineError`], such as a network of another game or a cancelled search.
    pub fn decide(
        &self,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Choice>, EngineError> {
        match self.awaited() {
            Awaited::Roll(ENGINE)
            | Awaited::Play(ENGINE, _)
            | Awaited::Answer(ENGINE, _)
            | Awaited::Resignation(ENGINE, _) => self.decide_for_either(engine, watch),
            _ => Ok(None),
        }
    }

    /// What the engine would do in the place of the player who is to act; `None` if no player is.
    fn decide_for_either(
        &self,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Choice>, EngineError> {
        let choice = match self.awaited() {
            Awaited::Roll(_) => self.double_or_roll(engine, watch)?,
            Awaited::Play(_, dice) => self.best_play(dice, engine, watch)?,
            Awaited::Answer(_, offer) => self.answer(offer, engine, watch)?,
            Awaited::Resignation(_, win) => match self.accepts_resignation(win, engine, watch)? {
                true => Choice::Accept,
                false => Choice::Refuse,
            },
            _ => return Ok(None),
        };
        Ok(Some(choice))
    }

    /// Plays the game to its end, the engine on both sides: a sample of how a network plays.
    ///
    /// # Errors
    ///
    /// [`TurnError`]; what was done before stays done.
    pub fn play_out(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), TurnError> {
        while let Some(choice) = self.decide_for_either(engine, watch)? {
            let acts = self.to_act().unwrap_or(ENGINE);
            self.choose_as(acts, choice)?;
        }
        Ok(())
    }

    /// Noise of the level for the position of the player on roll.
    fn noise(&self) -> f64 {
        let sigma = self.setup.strength.noise();
        if sigma == 0.0 {
            return 0.0;
        }
        sigma * noise(self.setup.seed, self.decision(), self.position().cells())
    }

    /// A number that no other decision of the match has.
    fn decision(&self) -> u64 {
        let steps: usize = self.finished.iter().map(|(_, done)| done.len()).sum();
        (steps + self.done.len()) as u64
    }

    fn best_play(
        &self,
        dice: Dice,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Choice, EngineError> {
        let position = self.position();
        let plays = moves::plays(position, dice);
        let (first, sigma) = match plays[..] {
            [] => return Ok(Choice::Play(moves::Play::PASS)),
            [(only, _)] => return Ok(Choice::Play(only)),
            [(first, _), ..] => (first, self.setup.strength.noise()),
        };
        let situation = self.recorder.playback().situation();
        let best = Best { lookahead: self.setup.strength.lookahead(), ..Best::default() };
        let ranked = engine.ask(&self.subject(&situation), &best, watch)?.answer.plays;
        let by_name = |name: &str| plays.iter().find(|(play, _)| play.to_string() == name);
        if sigma == 0.0 {
            let best = ranked.first().and_then(|best| by_name(&best.play));
            return Ok(Choice::Play(best.map_or(first, |(play, _)| *play)));
        }
        let decision = self.decision();
        let noisy = ranked.iter().filter_map(|ranked| {
            let (play, after) = by_name(&ranked.play)?;
            let equity =
                ranked.cubeful.map_or(f64::from(ranked.equity), |figures| figures.cubeful_equity);
            Some((*play, equity + sigma * noise(self.setup.seed, decision, after.cells())))
        });
        let best = noisy.max_by(|(_, a), (_, b)| a.total_cmp(b));
        Ok(Choice::Play(best.map_or(first, |(play, _)| play)))
    }

    fn double_or_roll(&self, engine: &Engine, watch: &Watch<'_>) -> Result<Choice, EngineError> {
        let situation = self.recorder.playback().situation();
        if let Some(win) = self.resignation(&situation, engine, watch)? {
            return Ok(Choice::Resign(win));
        }
        if !self.may_double() {
            return Ok(Choice::Roll(None));
        }
        let question = CubeQuestion { lookahead: self.setup.strength.lookahead() };
        let answer = engine.ask(&self.subject(&situation), &question, watch)?.answer;
        let Some(losses) = answer.losses else { return Ok(Choice::Roll(None)) };
        let noise = self.noise();
        let doubles = match (noise, answer.double_take, answer.double_pass) {
            (0.0, ..) => losses.double == 0.0 && losses.no_double > 0.0,
            (_, Some(take), Some(pass)) => {
                // A misread position is worth twice the error at twice the stake.
                let taken = take + 2.0 * noise;
                let beavered = answer.double_beaver.map_or(taken, |beaver| beaver + 4.0 * noise);
                taken.min(pass).min(beavered) > answer.no_double + noise
            }
            _ => false,
        };
        Ok(if doubles { Choice::Double } else { Choice::Roll(None) })
    }

    /// The answer to an offer of the user.
    fn answer(
        &self,
        offer: Offer,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Choice, EngineError> {
        let situation = Situation { offer: None, ..self.recorder.playback().situation() };
        let lookahead = self.setup.strength.lookahead();
        let noise = self.noise();
        let (Offer::Beaver | Offer::Raccoon) = offer else {
            let question = CubeQuestion { lookahead };
            let answer = engine.ask(&self.subject(&situation), &question, watch)?.answer;
            let (Some(take), Some(pass)) = (answer.double_take, answer.double_pass) else {
                return Ok(Choice::Take);
            };
            let taken = take + 2.0 * noise;
            let beaver = answer.double_beaver.map(|beaver| beaver + 4.0 * noise);
            let beavers = self.setup.options.beavers != Beavers::Off;
            return Ok(match beaver {
                Some(beaver) if beavers && beaver < taken && beaver < pass => Choice::Beaver,
                _ if taken > pass => Choice::Drop,
                _ => Choice::Take,
            });
        };
        // What playing on is worth to the doubler, at the cube that is offered.
        let turns = if offer == Offer::Beaver { 2 } else { 3 };
        let exponent = situation.cube.map_or(0, |cube: Cube| cube.exponent()) + turns;
        let Ok(cube) = Cube::new(exponent, CubeOwner::Opponent) else { return Ok(Choice::Take) };
        let offered = Situation { cube: Some(cube), ..situation };
        let value = self.cubeful(&offered, lookahead, engine, watch)? + noise;
        let (mine, player) = match offer {
            Offer::Beaver => (value, self.setup.options.beavers == Beavers::Raccoons),
            _ => (-value, false),
        };
        // Dropping costs the cube before the offer, half of that at stake.
        Ok(match mine {
            mine if mine < -0.5 => Choice::Drop,
            mine if mine > 0.0 && player => Choice::Raccoon,
            _ => Choice::Take,
        })
    }

    /// Cubeful equity before the roll, of the player on roll.
    fn cubeful(
        &self,
        situation: &Situation,
        lookahead: Lookahead,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<f64, EngineError> {
        let eval = Eval { lookahead, cubeful: Some(true) };
        let answer = engine.ask(&self.subject(situation), &eval, watch)?.answer;
        let cubeful = answer.cubeful.map(|figures| figures.cubeful_equity);
        Ok(cubeful.unwrap_or(f64::from(answer.evaluation.equity)))
    }

    /// Stakes and cube of a situation.
    fn terms(&self, situation: &Situation, engine: &Engine) -> Result<Terms, EngineError> {
        let table = engine.match_equities(met::DEFAULT, self.setup.length)?;
        Terms::new(situation, &table, self.setup.options.beavers)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))
    }

    /// The loss that the engine offers before its roll, if the game is hopeless. It does not repeat
    /// an offer that was refused.
    fn resignation(
        &self,
        situation: &Situation,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<WinKind>, EngineError> {
        let lookahead = Lookahead::new(Some(0), tavola_evaluator::Preset::default(), None, 0);
        let eval = Eval { lookahead, cubeful: Some(false) };
        let probs = engine.ask(&self.subject(situation), &eval, watch)?.answer.evaluation.probs;
        if !self.setup.options.resignation || f64::from(probs.win) > HOPELESS {
            return Ok(None);
        }
        let Terms { stakes, cube, .. } = self.terms(situation, engine)?;
        let playing_on = worth(&stakes, cube, &probs);
        let loss = |win| worth(&stakes, cube, &certain(win, false));
        let offered = [WinKind::Single, WinKind::Gammon, WinKind::Backgammon]
            .into_iter()
            .find(|&win| loss(win) <= playing_on + HOPELESS)
            .filter(|&win| playing_on - loss(win) <= HOPELESS);
        Ok(offered.filter(|&win| !self.has_offered(win)))
    }

    fn has_offered(&self, win: WinKind) -> bool {
        use tavola_matches::Act;
        let offer = super::Step::Act(Act::Resign(win));
        self.done.iter().any(|done| done.player == ENGINE && done.step == offer)
    }

    /// Whether the engine gains no more by playing on than the user offers.
    pub(super) fn accepts_resignation(
        &self,
        win: WinKind,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<bool, EngineError> {
        let situation = self.recorder.playback().situation();
        let on_roll = self.recorder.playback().on_roll().unwrap_or(Player::One);
        let lookahead = self.setup.strength.lookahead();
        let before_roll = Situation { dice: None, ..situation };
        let playing_on = match situation.dice {
            None => self.cubeful(&before_roll, lookahead, engine, watch)?,
            Some(_) => {
                let best = Best { lookahead, top: Some(1), cubeful: Some(true), ..Best::default() };
                let answer = engine.ask(&self.subject(&situation), &best, watch)?.answer;
                let figures = answer.plays.first().and_then(|play| play.cubeful);
                match figures {
                    Some(figures) => figures.cubeful_equity,
                    // The player dances: near enough what the position is worth before the roll.
                    None => self.cubeful(&before_roll, lookahead, engine, watch)?,
                }
            }
        };
        let Terms { stakes, cube, .. } = self.terms(&before_roll, engine)?;
        let wins = on_roll == ENGINE;
        let offered = worth(&stakes, cube, &certain(win, wins));
        let gain = if wins { offered - playing_on } else { playing_on - offered };
        Ok(gain >= -1e-6)
    }
}

/// A certain end, seen by the player on roll.
fn certain(win: WinKind, wins: bool) -> Probs {
    let outcome = match win {
        WinKind::Single => Outcome::LoseSingle,
        WinKind::Gammon => Outcome::LoseGammon,
        WinKind::Backgammon => Outcome::LoseBackgammon,
    };
    OutcomeProbs::certain(if wins { outcome.flip() } else { outcome }).cumulative()
}

/// What outcomes are worth to the player on roll, in equity at the cube.
fn worth(stakes: &Stakes, cube: Cube, probs: &Probs) -> f64 {
    stakes.value(stakes.cubeless(probs, cube), cube).equity()
}
