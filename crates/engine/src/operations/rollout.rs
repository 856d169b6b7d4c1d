//! `rollout`: what a position, or the plays of a roll, are worth when they are played out.

use std::num::NonZeroU32;

use serde::Serialize;
use tavola_evaluator::rollout::{
    Ended, Estimate, Figures, Luck, MAX_CANDIDATES, RolloutSettings, RolloutWatch, SavedRollout,
    StopRules,
};
use tavola_evaluator::{Evaluator, PlayableGame, rank_results, rollout};

use super::Operation;
use crate::error::{EngineError, ErrorKind};
use crate::fields::Fields;
use crate::lookahead::Lookahead;
use crate::network::Network;
use crate::session::Session;
use crate::subject::Asked;
use crate::terms::Terms;
use crate::watch::{Event, RolloutSoFar, Warning};

/// The most trials of a request.
pub const MOST_TRIALS: u64 = 1_000_000_000;

/// Asks to roll out the plays of the roll, or the position if it has none.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// How games are played, and when there are enough of them.
    pub settings: RolloutSettings,
    /// Which plays are rolled out. Absent: the position where there is no roll, otherwise the plays
    /// that look best.
    pub candidates: Option<Candidates>,
    /// A rollout to resume.
    pub resume: Option<SavedRollout>,
    /// Whether cube and score may be ignored; otherwise they are refused where they matter.
    pub cubeless: bool,
}

/// What is rolled out where there is a roll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidates {
    /// This number of the plays that look best at 0-ply.
    Best(usize),
    /// These plays.
    Plays(Vec<String>),
}

impl Rollout {
    /// Trials where none are named: every pair of first rolls of two dice once.
    pub const DEFAULT_TRIALS: u64 = 1296;

    /// The plays that are rolled out where none are named.
    pub const DEFAULT_TOP: usize = 5;
}

/// Figures with their standard errors, which have the same key and `_se` behind it. Five numbers
/// are win, win gammon, win backgammon, lose gammon and lose backgammon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolledFigures {
    /// Cubeless money equity.
    pub equity: f64,
    /// Its standard error.
    pub equity_se: f64,
    /// The five probabilities.
    pub probs: [f64; 5],
    /// Their standard errors.
    pub probs_se: [f64; 5],
    /// Of the exclusive outcomes: lose a single game, a gammon, a backgammon, win likewise.
    pub outcomes: [f64; 6],
    /// Their standard errors.
    pub outcomes_se: [f64; 6],
    /// The equity of the same games without variance reduction, if there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_equity: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_equity_se: Option<f64>,
    /// Games.
    pub trials: u64,
    /// Plies of lookahead in the play of the games.
    pub ply: u8,
}

impl RolledFigures {
    fn new(figures: &Figures, settings: &RolloutSettings) -> Self {
        let (equity, plain) = (figures.equity(), figures.plain_equity());
        let (five, six) = (figures.cumulative(), figures.outcomes());
        let reduced = settings.luck == Luck::TakenOff;
        Self {
            equity: equity.mean,
            equity_se: equity.standard_error,
            probs: five.map(probability),
            probs_se: five.map(|estimate| estimate.standard_error),
            outcomes: six.map(probability),
            outcomes_se: six.map(|estimate| estimate.standard_error),
            plain_equity: reduced.then_some(plain.mean),
            plain_equity_se: reduced.then_some(plain.standard_error),
            trials: figures.trials,
            ply: settings.play.ply,
        }
    }
}

/// A probability as people expect it: with variance reduction a rare outcome may come out a hair
/// below zero, or a sure one above one.
const fn probability(estimate: Estimate) -> f64 {
    estimate.mean.clamp(0.0, 1.0)
}

/// A play that was rolled out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolledPlay {
    /// The play in words.
    pub play: String,
    /// The afterstate in the notation of the game, the opponent on roll.
    pub position: String,
    /// What it is worth to the player who makes it.
    #[serde(flatten)]
    pub figures: RolledFigures,
    /// Equity lost against the best play, or, if it was dropped, against the one that was best
    /// then.
    pub loss: f64,
    /// Of the difference, game by game on the same dice.
    pub loss_se: f64,
    /// Whether it was dropped because it clearly loses.
    pub dropped: bool,
}

/// What a rollout has come to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Rolled {
    /// Before the roll.
    Position(Box<RolledFigures>),
    /// Best first; those that were dropped come last.
    Plays {
        /// The plays.
        plays: Vec<RolledPlay>,
    },
}

/// What [`Rollout`] answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolloutAnswer {
    /// The figures.
    #[serde(flatten)]
    pub rolled: Rolled,
    /// Why there are no more games; absent if there is nothing to roll out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// Seed of the dice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Games of each candidate that was not dropped.
    #[serde(skip)]
    pub trials: u64,
    /// The state of the rollout, to resume it.
    #[serde(skip)]
    pub saved: Option<SavedRollout>,
}

impl Operation for Rollout {
    const NAME: &'static str = "rollout";
    type Answer = RolloutAnswer;

    fn read(fields: &mut Fields) -> Result<Self, EngineError> {
        let default = RolloutSettings::default();
        let trials = fields.number("trials", 2, MOST_TRIALS)?.unwrap_or(Self::DEFAULT_TRIALS);
        let seed = fields.number("seed", 0, u64::MAX)?.unwrap_or(default.seed);
        let top = fields.number("top", 1, MAX_CANDIDATES as u64)?;
        let plays = fields.texts("plays")?;
        let truncate = fields.number("truncate", 1, u32::MAX.into())?;
        let luck = match fields.flag("vr")? {
            Some(false) => Luck::Left,
            Some(true) | None => Luck::TakenOff,
        };
        let stop = StopRules {
            standard_error: fields.positive("until_se")?,
            lead: fields.positive("until_jsd")?,
        };
        let Lookahead { settings: play, limit } = Lookahead::read(fields, 0)?;
        if limit.is_some() {
            return Err(EngineError::unsupported(
                "\"time\" can't be given for a rollout, expected trials, until_se or until_jsd",
            ));
        }
        let truncate = truncate.and_then(|rolls| NonZeroU32::new(rolls as u32));
        let settings = RolloutSettings { trials, seed, truncate, luck, play, stop, ..default };
        let candidates = match (plays.is_empty(), top) {
            (true, top) => top.map(|top| Candidates::Best(top as usize)),
            (false, None) => Some(Candidates::Plays(plays)),
            (false, Some(_)) => {
                return Err(EngineError::request("\"top\" and \"plays\" are given, expected one"));
            }
        };
        Ok(Self { settings, candidates, resume: None, cubeless: false })
    }

    fn answer<G: PlayableGame>(&self, asked: &Asked<'_, G>) -> Result<RolloutAnswer, EngineError> {
        self.refuse_terms(asked)?;
        asked.expect_unfinished()?;
        asked.with_session(|session| {
            let candidates = self.candidates(asked, session)?;
            if candidates.as_ref().is_some_and(Vec::is_empty) {
                let rolled = Rolled::Plays { plays: Vec::new() };
                let (ended, seed, saved) = (None, None, None);
                return Ok(RolloutAnswer { rolled, ended, seed, trials: 0, saved });
            }
            let candidates = candidates.as_deref();
            let mut rollout = self.start(asked, session, candidates)?;
            let best = |rollout: &rollout::Rollout<G>| {
                candidates.map(|plays| plays[rollout.best()].0.to_string())
            };
            let ended = rollout.run(&mut RolloutWatch {
                cancel: asked.watch.cancel,
                progress: &mut |rollout| {
                    let so_far = RolloutSoFar {
                        trials: rollout.trials(),
                        best: best(rollout),
                        equity: rollout.figures(rollout.best()).equity(),
                        save: &|| rollout.save(),
                    };
                    (asked.watch.events)(Event::Rollout(&so_far));
                },
            });
            Ok(RolloutAnswer {
                rolled: rolled(asked, &rollout, candidates),
                ended: Some(ended),
                seed: Some(self.settings.seed),
                trials: rollout.trials(),
                saved: Some(rollout.save()),
            })
        })?
    }
}

/// Plays with the states after them.
type Plays<G> = Vec<(<G as PlayableGame>::Play, <G as tavola_rules::Game>::State)>;

impl Rollout {
    /// Cube and score have no influence on a rollout: they are refused by name, or named as ignored.
    fn refuse_terms<G: PlayableGame>(&self, asked: &Asked<'_, G>) -> Result<(), EngineError> {
        if !G::HAS_CUBE || !Terms::matter_in(&asked.situation) {
            return Ok(());
        }
        let terms = asked.terms()?;
        if !self.cubeless {
            return Err(EngineError::unsupported(format_args!(
                "a rollout has cubeless money figures and can't take account of {terms}, expected a \
                 position for money with the cube in the middle, without \"cube\", \"match\", \
                 \"jacoby\" or \"beavers\""
            )));
        }
        (asked.watch.events)(Event::Warning(Warning::Ignored(format!(
            "a rollout has cubeless money figures; {terms} is ignored"
        ))));
        Ok(())
    }

    /// The plays to roll out; `None` without a roll.
    fn candidates<G: PlayableGame>(
        &self,
        asked: &Asked<'_, G>,
        session: &mut Session<G>,
    ) -> Result<Option<Plays<G>>, EngineError> {
        let (game, state) = (asked.game, asked.state());
        let Some(roll) = asked.situation.dice else {
            return match &self.candidates {
                None => Ok(None),
                Some(_) => Err(EngineError::new(
                    ErrorKind::Dice,
                    "plays are asked for without a roll, expected dice beside them",
                )),
            };
        };
        let default = Candidates::Best(Self::DEFAULT_TOP);
        let texts = match self.candidates.as_ref().unwrap_or(&default) {
            Candidates::Best(top) => {
                let plays = game.plays(state, roll);
                if plays.is_empty() {
                    return Ok(Some(plays));
                }
                let mut ranked = rank_results(game, &mut *session.main, state, roll);
                ranked.truncate(*top);
                let play = |after: G::State| {
                    let found = plays.iter().find(|(_, result)| *result == after);
                    *found.expect("a ranking is one of these plays")
                };
                return Ok(Some(ranked.into_iter().map(|ranked| play(ranked.state)).collect()));
            }
            Candidates::Plays(texts) => texts,
        };
        let mut plays: Plays<G> = Vec::new();
        for text in texts {
            let (play, after) = game
                .parse_play(text, state, roll)
                .map_err(|error| EngineError::new(ErrorKind::Play, error))?;
            if plays.iter().any(|(_, other)| *other == after) {
                return Err(EngineError::new(
                    ErrorKind::Play,
                    format_args!("the play {text:?} is asked for twice, expected different ones"),
                ));
            }
            plays.push((play, after));
        }
        Ok(Some(plays))
    }

    fn start<G: PlayableGame>(
        &self,
        asked: &Asked<'_, G>,
        session: &Session<G>,
        plays: Option<&[(G::Play, G::State)]>,
    ) -> Result<rollout::Rollout<G>, EngineError> {
        let game = asked.game.clone();
        let name = identity(asked)?;
        let (main, pruning): (&dyn Evaluator<G>, _) = (&*session.main, session.pruning.as_deref());
        let mut settings = self.settings;
        let rollout = match plays {
            None => {
                let state = *asked.state();
                rollout::Rollout::of_state(game, main, pruning, &name, settings, state)
            }
            Some(plays) => {
                if plays.len() == 1 {
                    // The only play has none to be ahead of, which is no mistake of the question.
                    settings.stop.lead = None;
                }
                let after: Vec<G::State> = plays.iter().map(|(_, after)| *after).collect();
                rollout::Rollout::of_plays(game, main, pruning, &name, settings, &after)
            }
        };
        let rollout = rollout.map_err(EngineError::request)?;
        let mut rollout = rollout.on_threads(asked.engine.threads());
        if let Some(saved) = self.resume.clone() {
            rollout.resume(saved).map_err(|error| EngineError::new(ErrorKind::Resume, error))?;
        }
        Ok(rollout)
    }
}

/// What figures depend on beside the settings: networks by their checksums, and the databases.
fn identity<G: PlayableGame>(asked: &Asked<'_, G>) -> Result<String, EngineError> {
    let network = asked.engine.network(asked.model().map(std::path::PathBuf::as_path))?;
    let pruning = Network::pruning()?;
    let tables = asked.engine.tables(asked.watch);
    let tables: Vec<String> = tables.iter().map(|table| table.spec().to_string()).collect();
    Ok(format!(
        "network {}, pruning network {}, tables [{}]",
        network.weights().checksum(),
        pruning.weights().checksum(),
        tables.join(", ")
    ))
}

/// The figures, the best candidate first, those that were dropped last.
fn rolled<G: PlayableGame>(
    asked: &Asked<'_, G>,
    rollout: &rollout::Rollout<G>,
    plays: Option<&[(G::Play, G::State)]>,
) -> Rolled {
    let figures = |candidate| RolledFigures::new(&rollout.figures(candidate), rollout.settings());
    let Some(plays) = plays else { return Rolled::Position(Box::new(figures(0))) };
    let mut order: Vec<usize> = (0..plays.len()).collect();
    let key = |candidate: usize| {
        (rollout.dropped(candidate).is_some(), -rollout.figures(candidate).equity().mean)
    };
    order.sort_by(|&a, &b| {
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let play = |candidate: usize| {
        let (play, after) = &plays[candidate];
        let dropped = rollout.dropped(candidate);
        let loss = match dropped {
            Some(dropped) => dropped.by(),
            None => rollout.behind(rollout.best(), candidate).unwrap_or_default(),
        };
        RolledPlay {
            play: play.to_string(),
            position: asked.game.write_state(after),
            figures: figures(candidate),
            loss: loss.mean,
            loss_se: loss.standard_error,
            dropped: dropped.is_some(),
        }
    };
    Rolled::Plays { plays: order.into_iter().map(play).collect() }
}
