//! What plays lose, and the luck of rolls.

use tavola_equity::Value;
use tavola_evaluator::error_bar;
use tavola_evaluator::{CubefulPlay, Phase, Preset, lead_by_surpassing};
use tavola_matches::analysis::{Decision, MistakeKind, RatedPlay, RollLuck};
use tavola_rules::notation::Situation;
use tavola_rules::{Backgammon, Dice, Game, Play, Position, moves};

use super::{Decider, NO_CHOICE, lost_mwc, mwc};
use crate::error::{EngineError, ErrorKind, Result};
use crate::terms::ResolvedTerms;

/// Plays that are evaluated at the full depth where one was made that loses [`NOTABLE`] or more.
const COMPARED: usize = 4;

/// A loss from which on a reader wants to see what else there was.
const NOTABLE: f64 = 0.005;

/// Plays that a decision keeps, the one that was made apart.
const KEPT: usize = 5;

impl Decider<'_> {
    /// The plays that lead to these afterstates, `compared` of them at the full depth.
    pub(super) fn rank(
        &mut self,
        position: &Position,
        afterstates: &[Position],
        terms: &ResolvedTerms,
        compared: usize,
        ply: Option<u8>,
    ) -> Result<Vec<CubefulPlay>> {
        let settings = match ply {
            Some(ply) => Preset::Normal.at(ply),
            None => self.analysis.effort.settings_for(compared, afterstates.len()),
        };
        let watch = self.watch.searching();
        let cube = self.session.cube(settings);
        cube.rank_among(position, afterstates, &terms.stakes, terms.cube, compared, watch)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))
    }

    /// Evaluates more plays of a ranking at the depth of the best one: those that `wanted` names.
    fn deepen(
        &mut self,
        position: &Position,
        ranking: &mut [CubefulPlay],
        terms: &ResolvedTerms,
        ply: Option<u8>,
        wanted: impl Fn(usize, &CubefulPlay) -> bool,
    ) -> Result<()> {
        let depth = ranking[0].ply;
        let shallow: Vec<Position> = ranking
            .iter()
            .enumerate()
            .filter(|(place, ranked)| ranked.ply < depth && wanted(*place, ranked))
            .map(|(_, ranked)| ranked.position)
            .collect();
        if shallow.is_empty() {
            return Ok(());
        }
        for deep in self.rank(position, &shallow, terms, shallow.len(), ply)? {
            let place = ranking.iter_mut().find(|ranked| ranked.position == deep.position);
            *place.expect("it is one of the plays") = deep;
        }
        ranking.sort_by(|a, b| {
            let value = || b.value.equity().total_cmp(&a.value.equity());
            b.ply.cmp(&a.ply).then_with(value)
        });
        lead_by_surpassing(
            &Backgammon::Standard,
            ranking,
            |ranked| &ranked.position,
            |ranked, first| *ranked = CubefulPlay { position: ranked.position, ..*first },
        );
        Ok(())
    }

    pub(super) fn play(
        &mut self,
        mut decision: Decision,
        situation: &Situation,
        terms: &ResolvedTerms,
        dice: Dice,
        play: Option<Play>,
        opening: bool,
    ) -> Result<Decision> {
        let position = &situation.position;
        decision.luck = Some(self.luck(situation, terms, dice, opening)?);
        let plays = moves::plays(position, dice);
        decision.forced = plays.len() < 2;
        let Some(play) = play.filter(|_| !plays.is_empty()) else {
            // A dance, or a roll that was not played.
            decision.done =
                if plays.is_empty() { "cannot move" } else { Decision::NOT_PLAYED }.to_owned();
            decision.best.clone_from(&decision.done);
            decision.forced = true;
            let after = [position.flip()];
            let value = self.rank(position, &after, terms, 1, Some(0))?[0].value;
            (decision.equity, decision.mwc) = (value.equity(), mwc(value));
            return Ok(decision);
        };
        let after = play.apply(position).map_err(|error| {
            EngineError::new(ErrorKind::Play, format_args!("{play} can't be played: {error}"))
        })?;
        let afterstates: Vec<Position> = plays.iter().map(|(_, after)| *after).collect();
        let ply = decision.forced.then_some(0);
        let mut ranking = self.rank(position, &afterstates, terms, 1, ply)?;
        let two_and_made = |place, ranked: &CubefulPlay| place == 1 || ranked.position == after;
        self.deepen(position, &mut ranking, terms, ply, two_and_made)?;
        if ranking[0].value.equity() - at(&ranking, &after).value.equity() >= NOTABLE {
            self.deepen(position, &mut ranking, terms, ply, |place, _| place < COMPARED)?;
        }
        let (best, made) = (ranking[0], at(&ranking, &after));
        let depth = best.ply;
        let name = |position: &Position| {
            let play = plays.iter().find(|(_, afterstate)| afterstate == position);
            play.map_or_else(String::new, |(play, _)| play.to_string())
        };
        let loss = |ranked: &CubefulPlay| (best.value.equity() - ranked.value.equity()).max(0.0);
        let bar = |ranked: &CubefulPlay| error_bar(depth, Some(Phase::of(position)), loss(ranked));
        let rated = |ranked: &CubefulPlay| RatedPlay {
            play: name(&ranked.position),
            equity: ranked.value.equity(),
            mwc: mwc(ranked.value),
            loss: loss(ranked),
            interval: bar(ranked),
            probs: ranked.probs.cumulative().to_array(),
            ply: ranked.ply,
        };
        let worst = ranking.iter().map(|ranked| ranked.value.equity()).fold(f64::MAX, f64::min);
        decision.plays = ranking
            .iter()
            .enumerate()
            .filter(|(place, ranked)| {
                ranked.position == after || (*place < KEPT && ranked.ply == depth)
            })
            .map(|(_, ranked)| rated(ranked))
            .collect();
        decision.done = play.to_string();
        decision.best = name(&best.position);
        decision.depth = depth;
        decision.loss = loss(&made);
        decision.interval = if decision.forced { 0.0 } else { bar(&made) };
        decision.loss_mwc = lost_mwc(best.value, made.value);
        decision.fault = (decision.loss > 0.0).then_some(MistakeKind::Play);
        decision.close = !decision.forced;
        decision.counted_pr = !decision.forced && best.value.equity() - worst > NO_CHOICE;
        (decision.equity, decision.mwc) = (made.value.equity(), mwc(made.value));
        Ok(decision)
    }

    /// The value of the best play of a roll at 0-ply, to the player on roll.
    fn best_of_roll(
        &mut self,
        position: &Position,
        terms: &ResolvedTerms,
        dice: Dice,
    ) -> Result<Value> {
        let mut afterstates = Vec::new();
        // A player who can't move has one afterstate, the pass.
        self.game.afterstates(position, dice, &mut afterstates);
        Ok(self.rank(position, &afterstates, terms, 1, Some(0))?[0].value)
    }

    /// The value of the best play of a roll, less the mean over all rolls that could fall, at
    /// 0-ply. Of the first roll both players could have been the one who makes it.
    fn luck(
        &mut self,
        situation: &Situation,
        terms: &ResolvedTerms,
        dice: Dice,
        opening: bool,
    ) -> Result<RollLuck> {
        let position = &situation.position;
        let mut sums = (0.0, 0.0, 0.0);
        let mut fell = None;
        for (roll, weight) in Dice::ALL {
            if opening && roll.is_double() {
                continue;
            }
            let value = self.best_of_roll(position, terms, roll)?;
            if roll == dice {
                fell = Some(value);
            }
            let weight = f64::from(weight);
            let mwc = value.mwc().map_or(0.0, |mwc| mwc.0);
            sums = (sums.0 + weight, sums.1 + weight * value.equity(), sums.2 + weight * mwc);
        }
        let (mut emg, mut chance) = (sums.1 / sums.0, sums.2 / sums.0);
        if opening {
            let terms = self.terms(&situation.after_play(position.flip()))?;
            let mut other = (0.0, 0.0, 0.0);
            for (roll, weight) in Dice::ALL.into_iter().filter(|(roll, _)| !roll.is_double()) {
                let value = self.best_of_roll(&position.flip(), &terms, roll)?;
                let weight = f64::from(weight);
                let mwc = value.mwc().map_or(0.0, |mwc| 1.0 - mwc.0);
                other =
                    (other.0 + weight, other.1 - weight * value.equity(), other.2 + weight * mwc);
            }
            emg = (emg + other.1 / other.0) / 2.0;
            chance = (chance + other.2 / other.0) / 2.0;
        }
        let fell = match fell {
            Some(value) => value,
            // A first roll that is a double, by other rules of the opening.
            None => self.best_of_roll(position, terms, dice)?,
        };
        Ok(RollLuck { emg: fell.equity() - emg, mwc: fell.mwc().map(|mwc| mwc.0 - chance) })
    }
}

/// A play among others; the first one if it is not there.
fn at(ranking: &[CubefulPlay], made: &Position) -> CubefulPlay {
    *ranking.iter().find(|ranked| ranked.position == *made).unwrap_or(&ranking[0])
}
