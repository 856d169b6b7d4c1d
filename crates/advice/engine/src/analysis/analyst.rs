//! The answers to the questions of a match, one at a time.

use std::sync::Arc;

use tavola_equity::{Answer, CubeAction, CubeDecision, MatchEquityTable, Probs, Stakes, Value};
use tavola_evaluator::{
    CubeEvaluator, CubefulPlay, Phase, Preset, SearchSettings, SearchWatch, error_bar,
    lead_by_surpassing,
};
use tavola_matches::Act;
use tavola_matches::Match;
use tavola_matches::analysis::{
    Choice, CubeFigures, Decision, DecisionKind, Fault, Question, RatedPlay, RollLuck,
};
use tavola_rules::notation::Situation;
use tavola_rules::{Backgammon, Cube, Dice, Game, Play, Player, Position, WinKind, moves};

use super::{Analysis, phase, written};
use crate::error::{EngineError, ErrorKind};
use crate::session::Session;
use crate::terms::Terms;

/// Plays that are evaluated at the full depth where one was made that loses [`NOTABLE`] or more.
const COMPARED: usize = 4;

/// A loss from which on a reader wants to see what else there was.
const NOTABLE: f64 = 0.005;

/// A double that is worse than rolling by more, one ply ahead, is not looked at any deeper: no
/// deeper look changes its value by as much.
const OUT_OF_REACH: f64 = 0.3;

/// Plays that a decision keeps, the one that was made apart.
const KEPT: usize = 5;

/// A decision about the cube is close if no alternative is worse by more, as GNU Backgammon counts.
const CLOSE: f64 = 0.16;

/// Plays that differ by no more are no choice, as eXtreme Gammon counts.
const NO_CHOICE: f64 = 0.001;

/// A double that is worse by more is no temptation, as eXtreme Gammon counts.
const OBVIOUS: f64 = 0.2;

/// What answers the questions of one match, one at a time.
pub(super) struct Analyst<'a> {
    pub(super) game: Backgammon,
    pub(super) table: Option<Arc<MatchEquityTable>>,
    pub(super) record: &'a Match,
    pub(super) analysis: &'a Analysis,
    pub(super) session: &'a mut Session<Backgammon>,
}

impl Analyst<'_> {
    fn terms(&self, situation: &Situation) -> Result<Terms, EngineError> {
        let any = MatchEquityTable::kazaross_xg2();
        let table = self.table.as_deref().unwrap_or(any);
        Terms::new(situation, table, self.record.options.beavers)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))
    }

    fn cube(
        &mut self,
        settings: SearchSettings,
    ) -> Result<&dyn CubeEvaluator<Backgammon>, EngineError> {
        let game = self.game;
        self.session.cube(settings).ok_or_else(|| {
            EngineError::unsupported(format_args!("{} is played without a cube", game.id()))
        })
    }

    /// The answer to a question; `None` where there was nothing to decide.
    pub(super) fn decide(&mut self, question: &Question) -> Result<Option<Decision>, EngineError> {
        let situation = &question.situation;
        let terms = self.terms(situation)?;
        let phase = phase(&situation.position).to_owned();
        let blank = Decision {
            game: 0,
            number: 0,
            row: 0,
            player: question.player,
            kind: DecisionKind::Checker,
            position: written(situation),
            phase,
            cube: terms.cube.value(),
            done: String::new(),
            best: String::new(),
            loss: 0.0,
            interval: 0.0,
            open: Vec::new(),
            loss_mwc: terms.stakes.is_match().then_some(0.0),
            fault: None,
            forced: false,
            close: false,
            counted_pr: false,
            depth: 0,
            equity: 0.0,
            mwc: None,
            luck: None,
            rollout: None,
            xg: None,
            plays: Vec::new(),
            actions: None,
            why: Vec::new(),
        };
        match question.choice {
            Choice::Play { dice, play, opening } => {
                self.play(blank, situation, &terms, dice, play, opening).map(Some)
            }
            Choice::Double { doubled } => self.double(blank, situation, &terms, doubled),
            Choice::Answer(act) => self.response(blank, situation, &terms, act),
            Choice::Resign(win) => {
                self.resignation(blank, situation, &terms, question, win, None).map(Some)
            }
            Choice::AnswerResignation { win, accepted } => {
                self.resignation(blank, situation, &terms, question, win, Some(accepted)).map(Some)
            }
        }
    }

    /// The plays that lead to these afterstates, `compared` of them at the full depth.
    fn rank(
        &mut self,
        position: &Position,
        afterstates: &[Position],
        terms: &Terms,
        compared: usize,
        ply: Option<u8>,
    ) -> Result<Vec<CubefulPlay>, EngineError> {
        let settings = match ply {
            Some(ply) => Preset::Normal.at(ply),
            None => self.analysis.lookahead.settings_for(compared, afterstates.len()),
        };
        let (cube, watch) = (self.cube(settings)?, SearchWatch::default());
        cube.rank_among(position, afterstates, &terms.stakes, terms.cube, compared, watch)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))
    }

    /// Evaluates more plays of a ranking at the depth of the best one: those that `wanted` names.
    fn deepen(
        &mut self,
        position: &Position,
        ranking: &mut [CubefulPlay],
        terms: &Terms,
        ply: Option<u8>,
        wanted: impl Fn(usize, &CubefulPlay) -> bool,
    ) -> Result<(), EngineError> {
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

    fn play(
        &mut self,
        mut decision: Decision,
        situation: &Situation,
        terms: &Terms,
        dice: Dice,
        play: Option<Play>,
        opening: bool,
    ) -> Result<Decision, EngineError> {
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
        decision.fault = (decision.loss > 0.0).then_some(Fault::Play);
        decision.close = !decision.forced;
        decision.counted_pr = !decision.forced && best.value.equity() - worst > NO_CHOICE;
        (decision.equity, decision.mwc) = (made.value.equity(), mwc(made.value));
        Ok(decision)
    }

    /// The value of the best play of a roll at 0-ply, to the player on roll.
    fn best_of_roll(
        &mut self,
        position: &Position,
        terms: &Terms,
        dice: Dice,
    ) -> Result<Value, EngineError> {
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
        terms: &Terms,
        dice: Dice,
        opening: bool,
    ) -> Result<RollLuck, EngineError> {
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
            let terms = self.terms(&Situation {
                position: position.flip(),
                cube: situation.cube.map(Cube::flip),
                stakes: situation.stakes.map(|stakes| stakes.flip()),
                ..*situation
            })?;
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

    /// What both sides should do with the cube; `None` where it can't be turned.
    fn cube_decision(
        &mut self,
        situation: &Situation,
        terms: &Terms,
        ply: Option<u8>,
    ) -> Result<Option<(CubeDecision, CubeFigures, u8)>, EngineError> {
        if terms.may_double().is_err() {
            return Ok(None);
        }
        let settings =
            ply.map_or_else(|| self.analysis.lookahead.settings(), |ply| Preset::Normal.at(ply));
        let cube = self.cube(settings)?;
        let found = cube
            .decide(&situation.position, &terms.stakes, terms.cube, SearchWatch::default())
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))?;
        let decision = found.decision;
        let Ok(doubled) = decision.double else { return Ok(None) };
        let chances = [decision.no_double, doubled.take, doubled.pass].map(mwc);
        let probs = found.probs.cumulative();
        let cubeless = terms.stakes.cubeless(&probs, terms.cube);
        let figures = CubeFigures {
            verdict: decision.verdict(terms.cube).to_string(),
            no_double: decision.no_double.equity(),
            double_take: doubled.take.equity(),
            double_pass: doubled.pass.equity(),
            interval: 0.0,
            cubeless: terms.stakes.value(cubeless, terms.cube).equity(),
            mwc: match chances {
                [Some(a), Some(b), Some(c)] => Some([a, b, c]),
                _ => None,
            },
            probs: probs.to_array(),
        };
        Ok(Some((decision, figures, found.ply)))
    }

    fn double(
        &mut self,
        blank: Decision,
        situation: &Situation,
        terms: &Terms,
        doubled: bool,
    ) -> Result<Option<Decision>, EngineError> {
        // A cube whose single win decides the match is dead for its owner.
        if terms.stakes.wins_match(terms.cube) && !doubled {
            return Ok(None);
        }
        let screened = match doubled || self.analysis.lookahead.settings().ply < 2 {
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
        let redouble = terms.cube.owner() == tavola_rules::CubeOwner::Player;
        let (yes, no) =
            if redouble { ("redouble", "no redouble") } else { ("double", "no double") };
        let word = |doubles: bool| if doubles { yes } else { no }.to_owned();
        let values = (found.no_double, double.value());
        let made = if doubled { values.1 } else { values.0 };
        let best = found.best();
        let loss = if doubled { found.loss_of_double() } else { found.loss_of_no_double() };
        let ahead = found.no_double.equity() - double.value().equity();
        let too_good = matches!(found.action, CubeAction::TooGoodPass | CubeAction::TooGoodTake);
        figures.interval = error_bar(depth, None, ahead.abs());
        let fault = match doubled {
            false => Fault::MissedDouble,
            true if too_good => Fault::WrongDoubleTooGood,
            true => Fault::WrongDouble,
        };
        let against = double.take.equity().min(double.pass.equity());
        let hopeless = found.no_double.equity() < -0.9 && double.take.equity() < -0.9;
        Ok(Some(Decision {
            kind: DecisionKind::Double,
            done: word(doubled),
            best: word(found.is_double()),
            loss,
            interval: error_bar(depth, None, loss),
            loss_mwc: lost_mwc(best, made),
            fault: (loss > 0.0).then_some(fault),
            close: doubled || best.equity() - against < CLOSE,
            counted_pr: doubled
                || (ahead.abs() > NO_CHOICE
                    && found.no_double.equity() - against < OBVIOUS
                    && !hopeless),
            depth,
            equity: made.equity(),
            mwc: mwc(made),
            actions: Some(figures),
            ..blank
        }))
    }

    fn response(
        &mut self,
        blank: Decision,
        situation: &Situation,
        terms: &Terms,
        act: Act,
    ) -> Result<Option<Decision>, EngineError> {
        let Some((found, mut figures, depth)) = self.cube_decision(situation, terms, None)? else {
            return Ok(None);
        };
        let Ok(double) = found.double else { return Ok(None) };
        let answer = match act {
            Act::Drop => Answer::Pass,
            Act::Beaver => Answer::Beaver,
            _ => Answer::Take,
        };
        let word = |answer: Answer| {
            match answer {
                Answer::Take => "take",
                Answer::Pass => "pass",
                Answer::Beaver => "beaver",
            }
            .to_owned()
        };
        let value = match (answer, double.beaver) {
            (Answer::Pass, _) => double.pass,
            (Answer::Beaver, Some((value, _))) => value,
            _ => double.take,
        };
        let best = double.value();
        let loss = (value.equity() - best.equity()).max(0.0);
        let apart = (double.take.equity() - double.pass.equity()).abs();
        figures.interval = error_bar(depth, None, apart);
        let fault = match (answer, double.answer) {
            (Answer::Pass, _) => Fault::WrongPass,
            (Answer::Take, Answer::Pass) => Fault::WrongTake,
            _ => Fault::WrongBeaver,
        };
        Ok(Some(Decision {
            kind: DecisionKind::Response,
            done: word(answer),
            best: word(double.answer),
            loss,
            interval: error_bar(depth, None, loss),
            // Both values are the doubler's.
            loss_mwc: lost_mwc(value, best),
            fault: (loss > 0.0).then_some(fault),
            close: true,
            counted_pr: true,
            depth,
            equity: -value.equity(),
            mwc: mwc(value).map(|mwc| 1.0 - mwc),
            actions: Some(figures),
            ..blank
        }))
    }

    /// A resignation, or the answer to one.
    fn resignation(
        &mut self,
        blank: Decision,
        situation: &Situation,
        terms: &Terms,
        question: &Question,
        win: WinKind,
        accepted: Option<bool>,
    ) -> Result<Decision, EngineError> {
        // What playing on is worth to the player on roll.
        let (value, depth) = match situation.dice {
            Some(dice) => {
                let plays = moves::plays(&situation.position, dice);
                let after: Vec<Position> = match plays.is_empty() {
                    true => vec![situation.position.flip()],
                    false => plays.into_iter().map(|(_, after)| after).collect(),
                };
                let best = self.rank(&situation.position, &after, terms, 1, None)?[0];
                (best.value, best.ply)
            }
            None => {
                let cube = self.cube(self.analysis.lookahead.settings())?;
                let watch = SearchWatch::default();
                let found = cube
                    .decide(&situation.position, &terms.stakes, terms.cube, watch)
                    .map_err(|error| EngineError::new(ErrorKind::Cube, error))?;
                (found.decision.best(), found.ply)
            }
        };
        let seat_on_roll = self.on_roll(question);
        let resigns = match accepted {
            None => question.player,
            Some(_) => question.player.flip(),
        };
        let lost = resigned(&terms.stakes, terms.cube, win, resigns == seat_on_roll);
        // Both seen by the player who resigns.
        let sign = if resigns == seat_on_roll { 1.0 } else { -1.0 };
        let (goes_on, gives_up) = (sign * value.equity(), sign * lost.equity());
        let kind = match win {
            WinKind::Single => "a single game",
            WinKind::Gammon => "a gammon",
            WinKind::Backgammon => "a backgammon",
        };
        let (done, best, loss) = match accepted {
            None => {
                let best = if goes_on > gives_up { "play on" } else { "resign" };
                (format!("resign {kind}"), best, goes_on - gives_up)
            }
            Some(true) => {
                let best = if gives_up > goes_on { "refuse" } else { "accept" };
                (format!("accept {kind}"), best, gives_up - goes_on)
            }
            Some(false) => {
                let best = if gives_up > goes_on { "refuse" } else { "accept" };
                (format!("refuse {kind}"), best, goes_on - gives_up)
            }
        };
        let loss = loss.max(0.0);
        let values = [value, lost]
            .map(|value| mwc(value).map(|mwc| if sign > 0.0 { mwc } else { 1.0 - mwc }));
        let loss_mwc = match values {
            [Some(on), Some(up)] if loss > 0.0 => Some((on - up).abs()),
            [Some(_), Some(_)] => Some(0.0),
            _ => None,
        };
        let of_player = |equity: f64| if accepted.is_some() { -equity } else { equity };
        let (after, chance) = match accepted {
            Some(false) => (goes_on, values[0]),
            _ => (gives_up, values[1]),
        };
        Ok(Decision {
            kind: match accepted {
                None => DecisionKind::Resignation,
                Some(_) => DecisionKind::ResignationResponse,
            },
            done,
            best: best.to_owned(),
            loss,
            loss_mwc,
            fault: (loss > 0.0).then_some(Fault::WrongResignation),
            depth,
            equity: of_player(after),
            mwc: chance.map(|mwc| if accepted.is_some() { 1.0 - mwc } else { mwc }),
            ..blank
        })
    }

    /// Who is on roll where a resignation is offered or answered.
    fn on_roll(&self, question: &Question) -> Player {
        let game = &self.record.games[question.game];
        let playback = tavola_matches::Playback::of_game(self.record, game);
        let Ok(mut playback) = playback else { return question.player };
        for action in &game.actions[..question.action] {
            if playback.act(action.player, &action.act).is_err() {
                break;
            }
        }
        playback.on_roll().unwrap_or(question.player)
    }
}

/// A play among others; the first one if it is not there.
fn at(ranking: &[CubefulPlay], made: &Position) -> CubefulPlay {
    *ranking.iter().find(|ranked| ranked.position == *made).unwrap_or(&ranking[0])
}

/// What it is worth to the player on roll that a player gives up so much.
fn resigned(stakes: &Stakes, cube: Cube, win: WinKind, by_player_on_roll: bool) -> Value {
    let gammon = if win >= WinKind::Gammon { 1.0 } else { 0.0 };
    let backgammon = if win == WinKind::Backgammon { 1.0 } else { 0.0 };
    let probs = if by_player_on_roll {
        Probs { win: 0.0, lose_gammon: gammon, lose_backgammon: backgammon, ..Probs::default() }
    } else {
        Probs { win: 1.0, win_gammon: gammon, win_backgammon: backgammon, ..Probs::default() }
    };
    stakes.value(stakes.cubeless(&probs, cube), cube)
}

fn mwc(value: Value) -> Option<f64> {
    value.mwc().map(|mwc| mwc.0)
}

/// The chances that the second value has less.
fn lost_mwc(best: Value, made: Value) -> Option<f64> {
    Some((mwc(best)? - mwc(made)?).max(0.0))
}
