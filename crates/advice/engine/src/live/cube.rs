//! What the engine does in a game of backgammon, and what cube actions and resignations cost.

use tavola_matches::Act;
use tavola_rules::notation::{self, Situation};
use tavola_rules::{Beavers, Cube, CubeOwner, Offer, Play, WinKind, moves};

use super::matches::{HOPELESS, MatchTable, player};
use super::table::{TableQuestion, Turn};
use super::{Hint, Mistake, SeatAction};
use crate::effort::Effort;
use crate::error::{EngineError, ErrorKind, Result};
use crate::met;
use crate::operations::{Best, Cube as CubeQuestion, Eval};
use crate::terms::ResolvedTerms;

/// Advice on the cube looks this far ahead.
const PLY: u8 = 2;

/// What the engine does in its turn, and what the user's cube actions cost.
impl MatchTable {
    pub(super) fn best_play(&self, asking: &TableQuestion<'_>) -> Result<SeatAction> {
        let dice = self.dice().ok_or_else(|| EngineError::request("there is no roll to play"))?;
        let plays = moves::plays(self.position(), dice);
        let done = |play: &Play| Ok(SeatAction::Play { play: play.to_string() });
        let first = match &plays[..] {
            [] => return Ok(SeatAction::Play { play: "pass".to_owned() }),
            [(only, _)] => return done(only),
            [(first, _), ..] => first,
        };
        let effort = asking.setup.strength.effort();
        let ranked = self.ask(&self.situation(), effort, &Best::default(), asking)?.plays;
        let noisy = ranked.iter().filter_map(|ranked| {
            let (play, after) = plays.iter().find(|(play, _)| play.to_string() == ranked.play)?;
            let equity =
                ranked.cubeful.map_or(f64::from(ranked.equity), |figures| figures.cubeful_equity);
            Some((play, equity + asking.noise(after.cells())))
        });
        done(asking.choose(noisy).unwrap_or(first))
    }

    pub(super) fn double_or_roll(
        &self,
        seat: usize,
        asking: &TableQuestion<'_>,
    ) -> Result<SeatAction> {
        let situation = self.situation();
        if let Some(size) = self.resignation(seat, asking)? {
            return Ok(SeatAction::Resign { size });
        }
        let roll = SeatAction::Roll { dice: None };
        // Who needs no more than the cube is worth gains nothing by turning it, however weakly they
        // play.
        let is_dead = match (situation.stakes, situation.cube) {
            (Some(notation::MoneyOrMatch::Match(score)), Some(cube)) => {
                cube.value() >= u32::from(score.player_away())
            }
            _ => false,
        };
        if is_dead || !self.may_double() {
            return Ok(roll);
        }
        let effort = asking.setup.strength.effort();
        let answer = self.ask(&situation, effort, &CubeQuestion::default(), asking)?;
        let Some(losses) = answer.losses else { return Ok(roll) };
        let noise = asking.noise(self.position().cells());
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
        Ok(if doubles { SeatAction::Double } else { roll })
    }

    /// The answer to an offer of the other side.
    pub(super) fn answer(&self, offer: Offer, asking: &TableQuestion<'_>) -> Result<SeatAction> {
        let situation = Situation { offer: None, ..self.situation() };
        let effort = asking.setup.strength.effort();
        let noise = asking.noise(self.position().cells());
        let beavers = self.options.beavers;
        let (Offer::Beaver | Offer::Raccoon) = offer else {
            let answer = self.ask(&situation, effort, &CubeQuestion::default(), asking)?;
            let (Some(take), Some(pass)) = (answer.double_take, answer.double_pass) else {
                return Ok(SeatAction::Take);
            };
            let taken = take + 2.0 * noise;
            let beaver = answer.double_beaver.map(|beaver| beaver + 4.0 * noise);
            return Ok(match beaver {
                Some(beaver) if beavers != Beavers::Off && beaver < taken && beaver < pass => {
                    SeatAction::Beaver
                }
                _ if taken > pass => SeatAction::Drop,
                _ => SeatAction::Take,
            });
        };
        // What playing on is worth to the doubler, at the cube that is offered.
        let turns = if offer == Offer::Beaver { 2 } else { 3 };
        let exponent = situation.cube.map_or(0, |cube: Cube| cube.exponent()) + turns;
        let Ok(cube) = Cube::new(exponent, CubeOwner::Opponent) else {
            return Ok(SeatAction::Take);
        };
        let offered = Situation { cube: Some(cube), ..situation };
        let value = self.cubeful(&offered, effort, asking)? + noise;
        let (mine, raccoons) = match offer {
            Offer::Beaver => (value, beavers == Beavers::Raccoons),
            _ => (-value, false),
        };
        // Dropping costs the cube before the offer, half of that at stake.
        Ok(match mine {
            mine if mine < -0.5 => SeatAction::Drop,
            mine if mine > 0.0 && raccoons => SeatAction::Raccoon,
            _ => SeatAction::Take,
        })
    }

    /// Cubeful equity before the roll, of the player on roll.
    fn cubeful(
        &self,
        situation: &Situation,
        effort: Effort,
        asking: &TableQuestion<'_>,
    ) -> Result<f64> {
        // A level that rolls out has nothing to compare here.
        let effort = Effort::new(effort.settings().ply, effort.preset);
        let answer = self.ask(situation, effort, &Eval { cubeful: Some(true) }, asking)?;
        let cubeful = answer.cubeful.map(|figures| figures.cubeful_equity);
        Ok(cubeful.unwrap_or(f64::from(answer.evaluation.equity)))
    }

    /// Stakes and cube of a situation.
    fn terms(&self, situation: &Situation, asking: &TableQuestion<'_>) -> Result<ResolvedTerms> {
        let table = asking.engine.match_equities(met::DEFAULT_MET, self.length)?;
        ResolvedTerms::new(situation, &table, self.options.beavers)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))
    }

    /// The loss that a seat offers before its roll, if the game is hopeless. It does not repeat an
    /// offer that was refused.
    fn resignation(&self, seat: usize, asking: &TableQuestion<'_>) -> Result<Option<WinKind>> {
        let situation = self.situation();
        let eval = Eval { cubeful: Some(false) };
        let answer = self.ask(&situation, Effort::at(0), &eval, asking)?;
        let probs = answer.evaluation.probs;
        if !self.options.resignation || f64::from(probs.win) > HOPELESS {
            return Ok(None);
        }
        let terms = self.terms(&situation, asking)?;
        let playing_on = terms.cubeless(&probs).equity();
        let loss = |win| terms.resigned(win, true).equity();
        let offered = [WinKind::Single, WinKind::Gammon, WinKind::Backgammon]
            .into_iter()
            .find(|&win| loss(win) <= playing_on + HOPELESS)
            .filter(|&win| playing_on - loss(win) <= HOPELESS);
        let refused = |win| {
            let actions = &self.recorder.game().actions;
            actions.iter().any(|one| one.player == player(seat) && one.act == Act::Resign(win))
        };
        Ok(offered.filter(|&win| !refused(win)))
    }

    /// What a seat gives away by losing so much for certain in place of playing on; negative where
    /// it gains by it.
    pub(super) fn cost_of_resigning(
        &self,
        seat: usize,
        win: WinKind,
        asking: &TableQuestion<'_>,
    ) -> Result<f64> {
        let situation = self.situation();
        let ahead = asking.setup.strength.effort();
        let before_roll = Situation { dice: None, ..situation };
        let playing_on = match situation.dice {
            None => self.cubeful(&before_roll, ahead, asking)?,
            Some(_) => {
                let best = Best { top: Some(1), cubeful: Some(true), ..Best::default() };
                let answer = self.ask(&situation, ahead, &best, asking)?;
                match answer.plays.first().and_then(|play| play.cubeful) {
                    Some(figures) => figures.cubeful_equity,
                    // The player dances: near enough what the position is worth before the roll.
                    None => self.cubeful(&before_roll, ahead, asking)?,
                }
            }
        };
        let is_on_roll = self.mover() == player(seat);
        let resigned = self.terms(&before_roll, asking)?.resigned(win, is_on_roll).equity();
        Ok(if is_on_roll { playing_on - resigned } else { resigned - playing_on })
    }

    pub(super) fn cube_advice(&self, asking: &TableQuestion<'_>) -> Result<Hint> {
        let (situation, cube) = (self.before_roll(), CubeQuestion::default());
        Ok(Hint::Cube(Box::new(self.ask(&situation, Effort::at(PLY), &cube, asking)?)))
    }

    /// What an extra wins for who gives it, in points: the other side of the taken cube, less the
    /// stake before.
    pub(super) fn extra(&self, asking: &TableQuestion<'_>) -> Result<f64> {
        let situation = self.before_roll();
        let value = self.cubeful(&situation, Effort::at(PLY), asking)?;
        Ok(f64::from(situation.cube.unwrap_or_default().value()) * (value - 0.5))
    }

    pub(super) fn cube_mistake(
        &self,
        action: &SeatAction,
        asking: &TableQuestion<'_>,
    ) -> Result<Option<Mistake>> {
        let Hint::Cube(answer) = self.cube_advice(asking)? else { return Ok(None) };
        let Some(losses) = answer.losses else { return Ok(None) };
        let before = [("no double", losses.no_double), ("double", losses.double)];
        let mut answers = vec![("take", losses.take), ("drop", losses.pass)];
        answers.extend(losses.beaver.map(|loss| ("beaver", loss)));
        let (chosen, among) = match action {
            SeatAction::Double => ("double", &before[..]),
            SeatAction::Take | SeatAction::Drop | SeatAction::Beaver => {
                (action.name(), &answers[..])
            }
            _ => ("no double", &before[..]),
        };
        let loss = among.iter().find(|(name, _)| *name == chosen).map(|(_, loss)| *loss);
        let better = among.iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
        Ok(loss.zip(better).map(|(loss, (better, _))| Mistake {
            chosen: chosen.to_owned(),
            better: (*better).to_owned(),
            loss,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::live::{Awaited, Live};
    use crate::watch::Watch;

    /// The engine owns a cube of 2 and needs two points.
    #[test]
    fn weak_levels_leave_a_dead_cube_alone() {
        let engine = Engine::without_tables();
        let xgid = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:1:1:0:3:10";
        for seed in 1..20 {
            let asked = format!(
                r#"{{"position": "{xgid}", "seed": {seed}, "strength": "beginner",
                     "engine_on_roll": true}}"#
            );
            let live = Live::begin(serde_json::from_str(&asked).unwrap(), 1).unwrap();
            assert_eq!(live.awaited(), Awaited::Roll(1));
            let action = live.decide(&engine, &Watch::default()).unwrap();
            assert_eq!(action, Some(SeatAction::Roll { dice: None }), "{seed}");
        }
    }
}
