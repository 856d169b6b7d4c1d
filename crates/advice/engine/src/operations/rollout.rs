//! `rollout`: what a position, or the plays of a roll, are worth when they are played out.

mod answer;

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tavola_evaluator::remote::RemoteError;
use tavola_evaluator::rollout::{
    Ended, FirstRolls, LaterPlay, Luck, MAX_CANDIDATES, RolloutSettings, RolloutWatch, SampleMean,
    SavedRollout, StopRules, TrialRunner, TrialsOnFleet,
};
use tavola_evaluator::search::MAX_PLY;
use tavola_evaluator::{Evaluator, PlayableGame, Preset, rank_afterstates, rollout};

use self::answer::rolled;
pub use self::answer::{
    RolledAction, RolledCubeful, RolledFigures, RolledPlay, RolledPosition, RolloutAnswer,
    RolloutResult, Spread,
};
use super::{Operation, cube, play_to};
use crate::effort::time;
use crate::error::{EngineError, ErrorKind, Result};
use crate::network::LoadedNetwork;
use crate::question::PositionQuestion;
use crate::remote::RolloutRecipe;
use crate::request::texts;
use crate::schema;
use crate::session::Evaluators;
use crate::terms::ResolvedTerms;
use crate::watch::{EngineEvent, RolloutSoFar, Watch};

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
        arg(long, value_name = "NAME", default_value_t, value_parser = crate::effort::named::<Preset>())
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
    /// Rolls to look ahead for each cube decision of the games, 0 to 3 [default: 0, and 1 where
    /// another action is within 0.2]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = plies()))]
    #[schemars(range(max = MAX_PLY))]
    pub cube_ply: Option<u8>,
    /// Whether the luck of the dice is taken off the results
    #[cfg_attr(
        feature = "clap",
        arg(long = "no-vr", action = clap::ArgAction::SetFalse, help = "Disable variance reduction")
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
        arg(long, value_name = "TIME", value_parser = crate::effort::time_limit)
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
            cube_ply: None,
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
            doubling: self.preset.at(self.cube_ply.unwrap_or(0)),
            look_again: self.cube_ply.is_none().then_some(RolloutSettings::LOOK_AGAIN),
            stop: StopRules {
                standard_error: self.until_se,
                lead: self.until_jsd,
                time: self.time,
            },
            drop: (!self.keep_all).then_some(self.drop_jsd),
        }
    }

    /// Refuses what excludes, or needs, something else.
    fn check(&self) -> Result<()> {
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

impl Operation for Rollout {
    const NAME: &'static str = "rollout";
    const ABOUT_OFFERS: bool = true;
    type Answer = RolloutAnswer;
    type Many = ();

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<RolloutAnswer> {
        self.check()?;
        asked.expect_unfinished()?;
        let with_cube = self.cubeful.unwrap_or(G::HAS_CUBE);
        let terms = with_cube.then(|| asked.terms()).transpose()?;
        let question = cube::question(asked)?;
        asked.with_session(|session| {
            let candidates = self.candidates(asked, session)?;
            if candidates.as_ref().is_some_and(Vec::is_empty) {
                let rolled = RolloutResult::Plays { plays: Vec::new(), best_is_right: None };
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
                        cube: rollout.cube_action().map(|it| [it.no_double, it.double_take]),
                        save: &|| rollout.save(),
                    };
                    (asked.watch.events)(EngineEvent::Rollout(&so_far));
                },
            };
            let ended = match asked.on_fleet {
                None => rollout.run(&mut watch),
                Some(on_fleet) => {
                    let plays = candidates.unwrap_or_default().iter();
                    // With the same candidates, whoever ranks them.
                    let same = Self {
                        plays: plays.map(|(play, _)| play.to_string()).collect(),
                        top: None,
                        resume: None,
                        cubeful: Some(with_cube),
                        ..self.clone()
                    };
                    let recipe = RolloutRecipe::new(asked.engine, asked.question, &same)?;
                    let work = |running: &[usize]| Ok(recipe.work(running));
                    let of = TrialsOnFleet { on_fleet, work: &work };
                    let ended = rollout.run_remote(&of, &mut watch);
                    ended.map_err(|error| EngineError::of_fleet(&*error))?
                }
            };
            Ok(RolloutAnswer {
                rolled: rolled(asked, &rollout, candidates, question),
                terms: terms.as_ref().map(ResolvedTerms::to_string),
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
    asked: &PositionQuestion<'_, G>,
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
        asked: &PositionQuestion<'_, G>,
        session: &mut Evaluators<G>,
    ) -> Result<Option<Plays<G>>> {
        let (game, state) = (asked.game, asked.state());
        let Some(roll) = asked.situation.dice else {
            return match self.top.is_none() && self.plays.is_empty() {
                true => Ok(None),
                false => Err(EngineError::new(
                    ErrorKind::Dice,
                    "plays without a roll, expected dice beside them",
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
            let play = |after: G::State| (*play_to(&plays, &after), after);
            return Ok(Some(ranked.into_iter().map(|ranked| play(ranked.state)).collect()));
        }
        let mut plays: Plays<G> = Vec::new();
        for text in &self.plays {
            let (play, after) = asked.parse_play(text)?;
            if plays.iter().any(|(_, other)| *other == after) {
                return Err(EngineError::new(
                    ErrorKind::Play,
                    format_args!("the play {text:?} is given twice, expected different ones"),
                ));
            }
            plays.push((play, after));
        }
        Ok(Some(plays))
    }

    fn start<G: PlayableGame>(
        &self,
        asked: &PositionQuestion<'_, G>,
        session: &mut Evaluators<G>,
        terms: Option<&ResolvedTerms>,
        plays: Option<&[(G::Play, G::State)]>,
    ) -> Result<rollout::Rollout<G>> {
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
    asked: &PositionQuestion<'_, G>,
    session: &mut Evaluators<G>,
    terms: Option<&ResolvedTerms>,
    after: Option<Vec<G::State>>,
    settings: RolloutSettings,
) -> Result<rollout::Rollout<G>> {
    let (game, state) = (asked.game.clone(), asked.state());
    let name = identity(asked)?;
    let rollout = match (terms, after) {
        (Some(ResolvedTerms { stakes, cube, .. }), after) => {
            let evaluator = session.cube(settings.play);
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

/// Runs a rollout that the caller watches and can cancel.
pub(super) fn run<G: PlayableGame>(
    watch: &Watch<'_>,
    rollout: &mut rollout::Rollout<G>,
) -> Result<Ended> {
    let ended = rollout.run(&mut RolloutWatch { cancel: watch.cancel, progress: &mut |_| {} });
    watch.check()?;
    Ok(ended)
}

/// Whether a choice is certain to be the best one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Certainty {
    /// It is; else the time was too short to tell.
    pub certain: bool,
    /// The probability that it is, as far as the games tell; missing where no other choice is near
    /// enough for a rollout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
}

impl Certainty {
    /// No other choice is near the best one.
    pub(super) const APART: Self = Self { certain: true, probability: None };

    /// The lead that makes a choice certain, as a probability in percent.
    const ASKED: &str = "99.9 %";

    /// What a rollout says by its leads.
    pub(super) fn of<G: PlayableGame>(
        rollout: &rollout::Rollout<G>,
        ended: Ended,
        leads: impl Iterator<Item = SampleMean>,
    ) -> Self {
        let right = leads.map(|lead| {
            let above = rollout.probability_above_zero(lead);
            above.max(1.0 - above)
        });
        Self { certain: ended == Ended::Lead, probability: Some(right.fold(1.0, f64::min)) }
    }
}

/// Behind the name of the choice.
impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.certain, self.probability) {
            (true, None) => f.write_str("certain, as no other choice is within 0.08"),
            (true, Some(_)) => write!(f, "at least {} sure", Self::ASKED),
            (false, probability) => {
                // Never rounded up to what was not reached.
                let percent = (1000.0 * probability.unwrap_or(0.5)).floor().min(998.0) / 10.0;
                write!(f, "{percent:.1} % sure, certain from {}", Self::ASKED)
            }
        }
    }
}

/// What figures depend on beside the settings: networks by their checksums, and the databases.
fn identity<G: PlayableGame>(asked: &PositionQuestion<'_, G>) -> Result<String> {
    let network = asked.engine.network(asked.question.model.as_deref(), &asked.game.id())?;
    let pruning = LoadedNetwork::pruning()?;
    Ok(format!(
        "network {}, pruning network {}, tables [{}]",
        network.weights().checksum(),
        pruning.weights().checksum(),
        asked.engine.tables(asked.watch).names().join(", ")
    ))
}

#[cfg(test)]
#[cfg(feature = "clap")]
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
