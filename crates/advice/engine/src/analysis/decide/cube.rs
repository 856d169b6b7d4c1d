//! What doubles and their answers lose.

use tavola_equity::{CubeAction, CubeDecision, Doubled, Response, Value};
use tavola_evaluator::{Preset, error_bar};
use tavola_matches::Act;
use tavola_matches::analysis::{CubeFigures, Decision, DecisionKind, MistakeKind, ResponseTerms};
use tavola_rules::notation::Situation;

use super::{Decider, NO_CHOICE, lost_mwc, mwc};
use crate::error::{EngineError, ErrorKind, Result};
use crate::terms::ResolvedTerms;

/// A double that is worse than rolling by more, one ply ahead, is not looked at any deeper: no
/// deeper look changes its value by as much.
const OUT_OF_REACH: f64 = 0.3;

/// A decision about the cube is close if no alternative is worse by more, as GNU Backgammon counts.
const CLOSE: f64 = 0.16;

/// A double that is worse by more is no temptation, as eXtreme Gammon counts.
const OBVIOUS: f64 = 0.2;

impl Decider<'_> {
    /// What both sides should do with the cube; `None` where it can't be turned.
    fn cube_decision(
        &mut self,
        situation: &Situation,
        terms: &ResolvedTerms,
        ply: Option<u8>,
    ) -> Result<Option<(CubeDecision, CubeFigures, u8)>> {
        if terms.may_double().is_err() {
            return Ok(None);
        }
        let settings =
            ply.map_or_else(|| self.analysis.effort.settings(), |ply| Preset::Normal.at(ply));
        let watch = self.watch.searching();
        let cube = self.session.cube(settings);
        let found = cube
            .decide(&situation.position, &terms.stakes, terms.cube, watch)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))?;
        let decision = found.decision;
        let Ok(doubled) = decision.double else { return Ok(None) };
        let chances = [decision.no_double, doubled.take, doubled.pass].map(mwc);
        let probs = found.probs.cumulative();
        let equities = [decision.no_double, doubled.take, doubled.pass].map(Value::equity);
        let figures = CubeFigures {
            verdict: decision.verdict(terms.cube).to_string(),
            cubeless: Some(terms.cubeless(&probs).equity()),
            mwc: match chances {
                [Some(a), Some(b), Some(c)] => Some([a, b, c]),
                _ => None,
            },
            probs: Some(probs.to_array()),
            ..CubeFigures::new(equities, ResponseTerms::of(situation))
        };
        Ok(Some((decision, figures, found.ply)))
    }

    pub(super) fn double(
        &mut self,
        blank: Decision,
        situation: &Situation,
        terms: &ResolvedTerms,
        doubled: bool,
    ) -> Result<Option<Decision>> {
        // A cube whose single win decides the match is dead for its owner.
        if terms.stakes.wins_match(terms.cube) && !doubled {
            return Ok(None);
        }
        let screened = match doubled || self.analysis.effort.settings().ply < 2 {
            true => None,
            false => self.cube_decision(situation, terms, Some(1))?,
        };
        let screened = screened.filter(|(found, ..)| {
            let double = found.double.ok().map(|double| double.value().equity());
            double.is_some_and(|double| found.no_double.equity() - double > OUT_OF_REACH)
        });
        let searched = match screened {
            None => self.cube_decision(situation, terms, None)?,
            settled => settled,
        };
        let Some((found, mut figures, depth)) = searched else { return Ok(None) };
        let Ok(double) = found.double else { return Ok(None) };
        let again = terms.cube.owner() == tavola_rules::CubeOwner::Player;
        let ahead = found.no_double.equity() - double.value().equity();
        figures.interval = error_bar(depth, None, ahead.abs());
        let against = double.take.equity().min(double.pass.equity());
        let hopeless = found.no_double.equity() < -0.9 && double.take.equity() < -0.9;
        let mut decision = Decision {
            kind: DecisionKind::Double,
            close: doubled || found.best().equity() - against < CLOSE,
            counted_pr: doubled
                || (ahead.abs() > NO_CHOICE
                    && found.no_double.equity() - against < OBVIOUS
                    && !hopeless),
            depth,
            actions: Some(figures),
            ..blank
        };
        rate_double(&mut decision, &found, double, (doubled, again));
        decision.interval = error_bar(depth, None, decision.loss);
        Ok(Some(decision))
    }

    pub(super) fn response(
        &mut self,
        blank: Decision,
        situation: &Situation,
        terms: &ResolvedTerms,
        act: Act,
    ) -> Result<Option<Decision>> {
        let Some((found, mut figures, depth)) = self.cube_decision(situation, terms, None)? else {
            return Ok(None);
        };
        let Ok(double) = found.double else { return Ok(None) };
        let answer = match act {
            Act::Drop => Response::Pass,
            Act::Beaver => Response::Beaver,
            _ => Response::Take,
        };
        let apart = (double.take.equity() - double.pass.equity()).abs();
        figures.interval = error_bar(depth, None, apart);
        let mut decision = Decision {
            kind: DecisionKind::Response,
            close: true,
            counted_pr: true,
            depth,
            actions: Some(figures),
            ..blank
        };
        rate_response(&mut decision, double, answer);
        decision.interval = error_bar(depth, None, decision.loss);
        Ok(Some(decision))
    }
}

/// What doubling, or redoubling, or not, has lost.
pub(in crate::analysis) fn rate_double(
    decision: &mut Decision,
    found: &CubeDecision,
    double: Doubled,
    (doubled, again): (bool, bool),
) {
    let (yes, no) = if again { ("redouble", "no redouble") } else { ("double", "no double") };
    let word = |doubles: bool| if doubles { yes } else { no }.to_owned();
    let made = if doubled { double.value() } else { found.no_double };
    decision.done = word(doubled);
    decision.best = word(found.is_double());
    decision.loss = if doubled { found.loss_of_double() } else { found.loss_of_no_double() };
    decision.loss_mwc = lost_mwc(found.best(), made);
    decision.fault = (decision.loss > 0.0).then_some(match (doubled, found.action) {
        (false, _) => MistakeKind::MissedDouble,
        (true, CubeAction::TooGoodPass | CubeAction::TooGoodTake) => {
            MistakeKind::WrongDoubleTooGood
        }
        (true, _) => MistakeKind::WrongDouble,
    });
    (decision.equity, decision.mwc) = (made.equity(), mwc(made));
}

/// What an answer to a double has lost. All values are the doubler's.
pub(in crate::analysis) fn rate_response(
    decision: &mut Decision,
    double: Doubled,
    answer: Response,
) {
    let word = |answer: Response| match answer {
        Response::Take => "take".to_owned(),
        Response::Pass => "pass".to_owned(),
        Response::Beaver => "beaver".to_owned(),
    };
    let value = match (answer, double.beaver) {
        (Response::Pass, _) => double.pass,
        (Response::Beaver, Some((value, _))) => value,
        _ => double.take,
    };
    let best = double.value();
    (decision.done, decision.best) = (word(answer), word(double.answer));
    decision.loss = (value.equity() - best.equity()).max(0.0);
    decision.loss_mwc = lost_mwc(value, best);
    decision.fault = (decision.loss > 0.0).then_some(match (answer, double.answer) {
        (Response::Pass, _) => MistakeKind::WrongPass,
        (Response::Take, Response::Pass) => MistakeKind::WrongTake,
        _ => MistakeKind::WrongBeaver,
    });
    decision.equity = -value.equity();
    decision.mwc = mwc(value).map(|mwc| 1.0 - mwc);
}
