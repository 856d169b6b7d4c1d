//! `rollout`: what a position, or the plays of a roll, are worth when they are played out.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tavola_equity::{Value, Verdict};
use tavola_evaluator::remote::RemoteError;
use tavola_evaluator::rollout::{
    CubeTerms, Ended, Estimate, FirstRolls, LaterPlay, Luck, MAX_CANDIDATES, RolloutSettings,
    RolloutWatch, SavedRollout, StopRules, TrialRunner, TrialsElsewhere,
};
use tavola_evaluator::search::MAX_PLY;
use tavola_evaluator::{Evaluator, PlayableGame, Preset, rank_afterstates, rollout};

use super::cube::{self, Question};
use super::{MwcAnswer, Operation};
use crate::error::{EngineError, ErrorKind};
use crate::lookahead::time;
use crate::network::Network;
use crate::remote::RolloutRecipe;
use crate::request::texts;
use crate::schema;
use crate::session::Session;
use crate::subject::Asked;
use crate::terms::Terms;
use crate::watch::{Event, RolloutSoFar, Watch};

/// The most trials of a request.
pub const MOST_TRIALS: u64 = 1_000_000_000;

/// Asks to roll out the plays of the roll, or the position if it has none.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Rollout {
    /// Whether both players use the cube in the games [default: where there is one]
    #[cfg_attr(
        feature = "clap",
        arg(
            long = "cubeless",
            num_args = 0,
            default_missing_value = "false",
            help = "Play the games without the cube"
        )
    )]
    pub cubeful: Option<bool>,
    /// How many of the roll's best plays at 0-ply to roll out [default: 5]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", conflicts_with = "plays", value_parser = clap::value_parser!(u16).range(1..=MAX_CANDIDATES as i64))
    )]
    #[schemars(range(min = 1, max = MAX_CANDIDATES))]
    pub top: Option<u16>,
    /// Roll out this play; may be repeated
    #[cfg_attr(feature = "clap", arg(long = "play", value_name = "PLAY"))]
    #[serde(deserialize_with = "texts")]
    #[schemars(schema_with = "schema::texts")]
    pub plays: Vec<String>,
    /// Games for the position or each play, at most; in 1,296 every pair of first rolls comes once
    #[cfg_attr(
        feature = "clap",
        arg(long, short = 'n', value_name = "N", default_value_t = Self::DEFAULT_TRIALS, value_parser = clap::value_parser!(u64).range(2..=MOST_TRIALS))
    )]
    #[schemars(range(min = 2, max = MOST_TRIALS))]
    pub trials: u64,
    /// Seed of the dice
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", default_value_t = 1))]
    pub seed: u64,
    /// Cut games short after N rolls and evaluate them there by network or table
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = rolls))]
    pub truncate: Option<NonZeroU32>,
    /// Rolls to look ahead where games are cut short, 0 to 3
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", default_value_t = 0, requires = "truncate", value_parser = plies())
    )]
    #[schemars(range(max = MAX_PLY))]
    pub leaf_ply: u8,
    /// Rolls to look ahead for each play of the games, 0 to 3
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", default_value_t = 0, value_parser = plies())
    )]
    #[schemars(range(max = MAX_PLY))]
    pub ply: u8,
    /// How wide to look; full leaves nothing out
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME", default_value_t, value_parser = crate::lookahead::preset())
    )]
    #[schemars(schema_with = "schema::preset")]
    pub preset: Preset,
    /// Rolls to look ahead in the turns behind those of later_from
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", requires = "later_from", value_parser = plies())
    )]
    #[schemars(range(max = MAX_PLY))]
    pub later_ply: Option<u8>,
    /// Turns of both sides after which later_ply applies
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", requires = "later_ply"))]
    pub later_from: Option<NonZeroU32>,
    /// Rolls to look ahead for each cube decision of the games, 0 to 3
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", default_value_t = 0, value_parser = plies())
    )]
    #[schemars(range(max = MAX_PLY))]
    pub cube_ply: u8,
    /// Whether the luck of the dice is taken off the results
    #[cfg_attr(
        feature = "clap",
        arg(long = "no-vr", action = clap::ArgAction::SetFalse, help = "Leave the luck of the dice in the results")
    )]
    pub vr: bool,
    /// Draw the first two rolls like all others
    #[cfg_attr(feature = "clap", arg(long))]
    pub random_dice: bool,
    /// Stop once the equity of all that is still rolled out has this standard error, in points or
    /// EMG
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", value_parser = positive))]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub until_se: Option<f64>,
    /// Stop once the best play is ahead of all others by N standard errors of the
    /// difference; of a cube action, once doubling and taking are both so clear
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", value_parser = positive))]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub until_jsd: Option<f64>,
    /// Stop after this time, such as 30s; the number of games then depends on the machine
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "TIME", value_parser = crate::lookahead::time_limit)
    )]
    #[serde(with = "time", default = "longest_request")]
    #[schemars(with = "Option<String>")]
    pub time: Option<Duration>,
    /// Drop a play once it is behind by N standard errors of the difference
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "X", default_value_t = Self::DEFAULT_DROP, value_parser = positive)
    )]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub drop_jsd: f64,
    /// Drop no play
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "drop_jsd"))]
    pub keep_all: bool,
    /// A rollout to resume.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub resume: Option<SavedRollout>,
}

/// When a request in JSON that names no time stops: requests behind it wait.
const fn longest_request() -> Option<Duration> {
    Some(Duration::from_mins(10))
}

impl Default for Rollout {
    fn default() -> Self {
        Self {
            cubeful: None,
            top: None,
            plays: Vec::new(),
            trials: Self::DEFAULT_TRIALS,
            seed: 1,
            truncate: None,
            leaf_ply: 0,
            ply: 0,
            preset: Preset::default(),
            later_ply: None,
            later_from: None,
            cube_ply: 0,
            vr: true,
            random_dice: false,
            until_se: None,
            until_jsd: None,
            time: None,
            drop_jsd: Self::DEFAULT_DROP,
            keep_all: false,
            resume: None,
        }
    }
}

/// A rollout as a level has it: with variance reduction, leaves at 0-ply, in the normal preset.
impl From<&RolloutSettings> for Rollout {
    fn from(settings: &RolloutSettings) -> Self {
        Self {
            trials: settings.trials,
            truncate: settings.truncate,
            ply: settings.play.ply,
            later_ply: settings.later.map(|later| later.play.ply),
            later_from: settings.later.map(|later| later.after),
            until_jsd: settings.stop.lead,
            drop_jsd: settings.drop.unwrap_or(Self::DEFAULT_DROP),
            keep_all: settings.drop.is_none(),
            ..Self::default()
        }
    }
}

impl Rollout {
    /// Trials where none are named: every pair of first rolls of two dice once.
    pub const DEFAULT_TRIALS: u64 = 1296;

    /// The plays that are rolled out where none are named.
    pub const DEFAULT_TOP: usize = 5;

    /// The standard errors of the difference behind which a play is dropped.
    pub const DEFAULT_DROP: f64 = 4.0;

    /// How games are played, and when there are enough of them.
    pub fn settings(&self) -> RolloutSettings {
        let later = self.later_from.zip(self.later_ply);
        RolloutSettings {
            trials: self.trials,
            seed: self.seed,
            truncate: self.truncate,
            leaf: self.preset.at(self.leaf_ply),
            dice: if self.random_dice { FirstRolls::Random } else { FirstRolls::Stratified },
            luck: if self.vr { Luck::TakenOff } else { Luck::Left },
            play: self.preset.at(self.ply),
            later: later.map(|(after, ply)| LaterPlay { after, play: self.preset.at(ply) }),
            doubling: self.preset.at(self.cube_ply),
            stop: StopRules {
                standard_error: self.until_se,
                lead: self.until_jsd,
                time: self.time,
            },
            drop: (!self.keep_all).then_some(self.drop_jsd),
        }
    }

    /// Refuses what excludes, or needs, something else.
    fn check(&self) -> Result<(), EngineError> {
        let refused = |message: &str| Err(EngineError::request(message));
        if self.top.is_some() && !self.plays.is_empty() {
            return refused("\"top\" and \"plays\" are given, expected one");
        }
        if self.later_ply.is_some() != self.later_from.is_some() {
            return refused("one of \"later_ply\" and \"later_from\" is given, expected both");
        }
        if self.leaf_ply > 0 && self.truncate.is_none() {
            return refused("\"leaf_ply\" is given without \"truncate\", expected both");
        }
        Ok(())
    }
}

/// Rolls to look ahead.
#[cfg(feature = "clap")]
fn plies() -> impl clap::builder::TypedValueParser<Value = u8> {
    clap::builder::RangedI64ValueParser::<u8>::new().range(0..=i64::from(MAX_PLY))
}

/// A number of rolls.
#[cfg(feature = "clap")]
fn rolls(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| "expected a number of rolls from 1".to_owned())
}

/// A positive, finite number, as it is typed.
///
/// # Errors
///
/// What was expected, in words.
#[cfg(feature = "clap")]
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

/// Figures with their standard errors, which have the same key and `_se` behind it. Five numbers
/// are win, win gammon, win backgammon, lose gammon and lose backgammon.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
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
    /// With the cube, where games are played with it.
    #[serde(flatten)]
    pub cubeful: Option<RolledCubeful>,
    /// The equity, with the cube if there is one, of the same games without variance reduction, if
    /// there was any.
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

/// What a position or a play is worth with a cube.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolledCubeful {
    /// Money equity per unit of the cube, in a match EMG.
    pub cubeful_equity: f64,
    /// Its standard error.
    pub cubeful_equity_se: f64,
    /// The probability of winning the match, in a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mwc: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mwc_se: Option<f64>,
}

impl RolledCubeful {
    fn new(equity: Estimate, terms: &CubeTerms) -> Self {
        let mwc = terms.mwc(equity);
        Self {
            cubeful_equity: equity.mean,
            cubeful_equity_se: equity.standard_error,
            mwc: mwc.map(|mwc| mwc.mean),
            mwc_se: mwc.map(|mwc| mwc.standard_error),
        }
    }
}

impl RolledFigures {
    fn new<G: PlayableGame>(rollout: &rollout::Rollout<G>, candidate: usize) -> Self {
        let (figures, settings) = (rollout.figures(candidate), rollout.settings());
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
            cubeful: figures
                .cubeful()
                .zip(rollout.cube())
                .map(|(equity, terms)| RolledCubeful::new(equity, terms)),
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

/// A position that was rolled out. With a cube the figures are those of the games without a double,
/// and the equity and MWC with the cube are those of the best action.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolledPosition {
    /// The figures.
    #[serde(flatten)]
    pub figures: RolledFigures,
    /// The cube action, where the player on roll may double.
    #[serde(flatten)]
    pub action: Option<RolledAction>,
}

/// A cube action by rollout, from the player on roll: equities per unit of the cube before a
/// double, in a match EMG, and their standard errors.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolledAction {
    /// Whose decision it is.
    pub question: Question,
    /// What both sides should do.
    #[serde(flatten)]
    #[schemars(schema_with = "schema::verdict")]
    pub verdict: Verdict,
    /// Rolling without a double.
    pub no_double: f64,
    /// Its standard error.
    pub no_double_se: f64,
    /// A double that is taken.
    pub double_take: f64,
    /// Its standard error.
    pub double_take_se: f64,
    /// A double that is passed.
    pub double_pass: f64,
    /// A double that is beavered, where beavers are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_beaver: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_beaver_se: Option<f64>,
    /// The same as probabilities to win the match, in a match.
    #[serde(flatten)]
    pub mwc: Option<MwcAnswer>,
    /// By how much doubling is better than rolling, if the opponent answers as they should.
    pub gain_of_doubling: f64,
    /// Of the difference, game by game on the same dice.
    pub gain_of_doubling_se: f64,
    /// By how much taking, or beavering, is better for the opponent than passing.
    pub gain_of_taking: f64,
    /// Its standard error.
    pub gain_of_taking_se: f64,
    /// The probability that doubling is right for the player on roll, as far as the games tell.
    pub double_is_right: f64,
    /// The probability that taking is right for the opponent.
    pub take_is_right: f64,
    /// The figures of the games after a double that is taken.
    pub taken: Box<RolledFigures>,
}

impl RolledAction {
    fn new<G: PlayableGame>(rollout: &rollout::Rollout<G>, question: Question) -> Option<Self> {
        let rolled = rollout.cube_action()?;
        let doubled = rolled.decision.double.ok()?;
        let terms = rollout.cube()?;
        let mwc = |value: Value| value.mwc().map(|mwc| mwc.0);
        Some(Self {
            question,
            verdict: rolled.decision.verdict(terms.cube),
            no_double: rolled.no_double.mean,
            no_double_se: rolled.no_double.standard_error,
            double_take: rolled.double_take.mean,
            double_take_se: rolled.double_take.standard_error,
            double_pass: doubled.pass.equity(),
            double_beaver: rolled.beaver.map(|beaver| beaver.mean),
            double_beaver_se: rolled.beaver.map(|beaver| beaver.standard_error),
            mwc: mwc(rolled.decision.no_double).map(|mwc_no_double| MwcAnswer {
                mwc_no_double,
                mwc_double_take: mwc(doubled.take),
                mwc_double_pass: mwc(doubled.pass),
            }),
            gain_of_doubling: rolled.gain_of_doubling.mean,
            gain_of_doubling_se: rolled.gain_of_doubling.standard_error,
            gain_of_taking: rolled.gain_of_taking.mean,
            gain_of_taking_se: rolled.gain_of_taking.standard_error,
            double_is_right: rollout.probability_above_zero(rolled.gain_of_doubling),
            take_is_right: rollout.probability_above_zero(rolled.gain_of_taking),
            taken: Box::new(RolledFigures::new(rollout, 1)),
        })
    }
}

impl RolledPosition {
    fn new<G: PlayableGame>(rollout: &rollout::Rollout<G>, question: Question) -> Self {
        let mut figures = RolledFigures::new(rollout, 0);
        if let Some((rolled, terms)) = rollout.cube_action().zip(rollout.cube()) {
            figures.cubeful = Some(RolledCubeful::new(rolled.best(), terms));
        }
        Self { figures, action: RolledAction::new(rollout, question) }
    }
}

/// A play that was rolled out.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
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
#[derive(schemars::JsonSchema)]
pub enum Rolled {
    /// Before the roll.
    Position(Box<RolledPosition>),
    /// Best first; those that were dropped come last.
    Plays {
        /// The plays.
        plays: Vec<RolledPlay>,
        /// The probability that the first play is better than the second, as far as the games tell:
        /// at least this where `ended` is `lead`. Absent if there is one play alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        best_is_right: Option<f64>,
    },
}

/// What [`Rollout`] answers.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolloutAnswer {
    /// The figures.
    #[serde(flatten)]
    pub rolled: Rolled,
    /// Why there are no more games; absent if there is nothing to roll out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::ended")]
    pub ended: Option<Ended>,
    /// The stakes in words, where games are played with the cube.
    #[serde(skip)]
    pub terms: Option<String>,
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
    const ABOUT_OFFERS: bool = true;
    type Answer = RolloutAnswer;

    fn answer<G: PlayableGame>(&self, asked: &Asked<'_, G>) -> Result<RolloutAnswer, EngineError> {
        self.check()?;
        asked.expect_unfinished()?;
        let with_cube = self.cubeful.unwrap_or(G::HAS_CUBE);
        let terms = with_cube.then(|| asked.terms()).transpose()?;
        let question = cube::question(asked)?;
        asked.with_session(|session| {
            let candidates = self.candidates(asked, session)?;
            if candidates.as_ref().is_some_and(Vec::is_empty) {
                let rolled = Rolled::Plays { plays: Vec::new(), best_is_right: None };
                let (terms, ended, seed, saved) = (None, None, None, None);
                return Ok(RolloutAnswer { rolled, terms, ended, seed, trials: 0, saved });
            }
            let candidates = candidates.as_deref();
            let mut rollout = self.start(asked, session, terms.as_ref(), candidates)?;
            let best = |rollout: &rollout::Rollout<G>| {
                candidates.map(|plays| plays[rollout.best()].0.to_string())
            };
            let mut watch = RolloutWatch {
                cancel: asked.watch.cancel,
                progress: &mut |rollout| {
                    let so_far = RolloutSoFar {
                        trials: rollout.trials(),
                        best: best(rollout),
                        equity: match candidates {
                            None => rollout.figures(0).compared(),
                            Some(_) => rollout.figures(rollout.best()).compared(),
                        },
                        save: &|| rollout.save(),
                    };
                    (asked.watch.events)(Event::Rollout(&so_far));
                },
            };
            let ended = match asked.elsewhere {
                None => rollout.run(&mut watch),
                Some(elsewhere) => {
                    let plays = candidates.unwrap_or_default().iter();
                    // With the same candidates, whoever ranks them.
                    let same = Self {
                        plays: plays.map(|(play, _)| play.to_string()).collect(),
                        top: None,
                        resume: None,
                        cubeful: Some(with_cube),
                        ..self.clone()
                    };
                    let recipe = RolloutRecipe::new(asked.engine, asked.subject, &same)?;
                    let work = |running: &[usize]| Ok(recipe.work(running));
                    let of = TrialsElsewhere { elsewhere, work: &work };
                    let ended = rollout.run_elsewhere(&of, &mut watch);
                    ended.map_err(|error| EngineError::elsewhere(&*error))?
                }
            };
            Ok(RolloutAnswer {
                rolled: rolled(asked, &rollout, candidates, question),
                terms: terms.as_ref().map(Terms::to_string),
                ended: Some(ended),
                seed: Some(self.seed),
                trials: rollout.trials(),
                saved: Some(rollout.save()),
            })
        })?
    }
}

/// What plays trials of a rollout in another process.
pub(crate) fn trial_runner<G: PlayableGame>(
    operation: &Rollout,
    asked: &Asked<'_, G>,
    running: Vec<usize>,
) -> Result<TrialRunner, RemoteError> {
    asked.expect_unfinished()?;
    let terms = operation.cubeful.unwrap_or(false).then(|| asked.terms()).transpose()?;
    asked.with_session(|session| {
        let candidates = operation.candidates(asked, session)?;
        let rollout = operation.start(asked, session, terms.as_ref(), candidates.as_deref())?;
        rollout.into_runner(running)
    })?
}

/// Plays with the states after them.
type Plays<G> = Vec<(<G as PlayableGame>::Play, <G as tavola_rules::Game>::State)>;

impl Rollout {
    /// The plays to roll out; `None` without a roll.
    fn candidates<G: PlayableGame>(
        &self,
        asked: &Asked<'_, G>,
        session: &mut Session<G>,
    ) -> Result<Option<Plays<G>>, EngineError> {
        let (game, state) = (asked.game, asked.state());
        let Some(roll) = asked.situation.dice else {
            return match self.top.is_none() && self.plays.is_empty() {
                true => Ok(None),
                false => Err(EngineError::new(
                    ErrorKind::Dice,
                    "plays are asked for without a roll, expected dice beside them",
                )),
            };
        };
        if self.plays.is_empty() {
            let plays = game.plays(state, roll);
            if plays.is_empty() {
                return Ok(Some(plays));
            }
            let mut ranked = rank_afterstates(game, &mut *session.main, state, roll);
            ranked.truncate(self.top.map_or(Self::DEFAULT_TOP, usize::from));
            let play = |after: G::State| {
                let found = plays.iter().find(|(_, result)| *result == after);
                *found.expect("a ranking is one of these plays")
            };
            return Ok(Some(ranked.into_iter().map(|ranked| play(ranked.state)).collect()));
        }
        let mut plays: Plays<G> = Vec::new();
        for text in &self.plays {
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
        session: &mut Session<G>,
        terms: Option<&Terms>,
        plays: Option<&[(G::Play, G::State)]>,
    ) -> Result<rollout::Rollout<G>, EngineError> {
        let mut settings = self.settings();
        let after: Option<Vec<G::State>> =
            plays.map(|plays| plays.iter().map(|(_, after)| *after).collect());
        if plays.is_some_and(|plays| plays.len() == 1) {
            // The only play has none to be ahead of, which is no mistake of the question.
            settings.stop.lead = None;
        }
        let mut rollout = prepare(asked, session, terms, after, settings)?;
        if let Some(saved) = self.resume.clone() {
            rollout.resume(saved).map_err(|error| EngineError::new(ErrorKind::Resume, error))?;
        }
        Ok(rollout)
    }
}

/// A rollout of the position, or of the plays that lead to these states, with the cube where there
/// are terms.
pub(super) fn prepare<G: PlayableGame>(
    asked: &Asked<'_, G>,
    session: &mut Session<G>,
    terms: Option<&Terms>,
    after: Option<Vec<G::State>>,
    settings: RolloutSettings,
) -> Result<rollout::Rollout<G>, EngineError> {
    let (game, state) = (asked.game.clone(), asked.state());
    let name = identity(asked)?;
    let rollout = match (terms, after) {
        (Some(Terms { stakes, cube, .. }), after) => {
            let evaluator = session.cube(settings.play);
            let evaluator = evaluator.expect("terms exist in games with a cube alone");
            match after {
                None => evaluator.rollout_of_cube(state, stakes, *cube, &name, settings),
                Some(after) => evaluator.rollout_of_plays(&after, stakes, *cube, &name, settings),
            }
        }
        (None, after) => {
            let main: &dyn Evaluator<G> = &*session.main;
            let pruning = session.pruning.as_deref();
            match after {
                None => rollout::Rollout::of_state(game, main, pruning, &name, settings, *state),
                Some(after) => {
                    rollout::Rollout::of_plays(game, main, pruning, &name, settings, &after)
                }
            }
        }
    };
    let rollout = rollout.map_err(EngineError::request)?;
    Ok(rollout.on_threads(asked.engine.threads()))
}

/// What the rollouts of a level have found about a choice: games, and standard errors in points or
/// EMG.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Spread {
    /// Games.
    pub trials: u64,
    /// Standard error of the equity that choices are compared by.
    pub equity_se: f64,
    /// Standard error of the loss, game by game on the same dice.
    pub loss_se: f64,
}

/// Runs a rollout that the caller watches and can cancel.
pub(super) fn run<G: PlayableGame>(
    watch: &Watch<'_>,
    rollout: &mut rollout::Rollout<G>,
) -> Result<(), EngineError> {
    rollout.run(&mut RolloutWatch { cancel: watch.cancel, progress: &mut |_| {} });
    watch.check()
}

/// What figures depend on beside the settings: networks by their checksums, and the databases.
fn identity<G: PlayableGame>(asked: &Asked<'_, G>) -> Result<String, EngineError> {
    let network =
        asked.engine.network(asked.model().map(std::path::PathBuf::as_path), &asked.game.id())?;
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
    question: Question,
) -> Rolled {
    let Some(plays) = plays else {
        return Rolled::Position(Box::new(RolledPosition::new(rollout, question)));
    };
    let mut order: Vec<usize> = (0..plays.len()).collect();
    let key = |candidate: usize| {
        let figures = rollout.figures(candidate);
        // Where the opponent cashes after every play, they are told apart by cubeless equity.
        let preference = [figures.compared().mean, figures.equity().mean];
        (rollout.dropped(candidate).is_some(), preference)
    };
    order.sort_by(|&a, &b| {
        let ((a_is_dropped, a), (b_is_dropped, b)) = (key(a), key(b));
        let compared = || b[0].total_cmp(&a[0]);
        a_is_dropped.cmp(&b_is_dropped).then_with(compared).then_with(|| b[1].total_cmp(&a[1]))
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
            figures: RolledFigures::new(rollout, candidate),
            loss: loss.mean,
            loss_se: loss.standard_error,
            dropped: dropped.is_some(),
        }
    };
    let plays: Vec<RolledPlay> = order.into_iter().map(play).collect();
    let best_is_right = plays.get(1).map(|second| {
        let lead = Estimate { mean: second.loss, standard_error: second.loss_se };
        rollout.probability_above_zero(lead)
    });
    Rolled::Plays { plays, best_is_right }
}

#[cfg(all(test, feature = "clap"))]
mod tests {
    use super::*;

    #[test]
    fn only_positive_numbers_are_bounds() {
        assert_eq!(positive("0.01"), Ok(0.01));
        for text in ["0", "-1", "nan", "inf", "", "x"] {
            assert!(positive(text).unwrap_err().contains("above 0"), "{text:?}");
        }
    }
}
