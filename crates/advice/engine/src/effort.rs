//! How much work goes into an answer.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_evaluator::search::{MAX_PLY, SinglePlay};
use tavola_evaluator::{CloseRollout, Level, Preset, SearchSettings};
use tavola_rules::{alternatives, did_you_mean};

use crate::error::{EngineError, Result};
use crate::schema;

/// The longest time that a request may set.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How much work goes into an answer: a level, or plies, preset and time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Effort {
    /// How much work goes into the answer, in place of plies and preset: 0+ looks again at close
    /// plays, roller and roller+ roll out what is close after 2-ply
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "LEVEL",
            value_parser = level(),
            conflicts_with_all = ["ply", "preset", "time"],
            help = "How much work goes into the answer, in place of plies and preset: 0+ looks again at \
                close plays, roller and roller+ roll out what is close after 2-ply; beginner to expert, \
                who misread positions when they play, answer as 0-ply"
        )
    )]
    #[schemars(schema_with = "schema::level")]
    pub level: Option<Level>,
    /// Rolls to look ahead, 0 to 3; 0 is the bare network, at most 2 with more than two
    /// players [default: 2, or as far as the time allows]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_PLY)))
    )]
    #[schemars(range(max = MAX_PLY))]
    pub ply: Option<u8>,
    /// How wide to look; full leaves nothing out
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME", default_value_t, value_parser = named::<Preset>())
    )]
    #[schemars(schema_with = "schema::preset")]
    pub preset: Preset,
    /// Look deeper until the time is over, such as 200ms or 5s, at most a day; what is reached
    /// depends on the machine, so the answer may differ from one time to the next
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = time_limit))]
    #[serde(with = "time")]
    #[schemars(with = "Option<String>")]
    pub time: Option<Duration>,
    /// After the search, at least 2-ply, roll out every choice within 0.08 of the best until one
    /// leads by three standard errors, at most for this time [default: 60s]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "TIME",
            num_args = 0..=1,
            require_equals = true,
            default_missing_value = "60s",
            value_parser = time_limit,
            conflicts_with = "time"
        )
    )]
    #[serde(
        serialize_with = "time::serialize",
        deserialize_with = "time::sure",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub sure: Option<Duration>,
}

impl Effort {
    /// The depth of questions that name none: an answer takes some hundredths of a second.
    pub const DEFAULT_PLY: u8 = 2;

    /// This deep and wide, without a limit.
    pub const fn new(ply: u8, preset: Preset) -> Self {
        Self { level: None, ply: Some(ply), preset, time: None, sure: None }
    }

    /// This deep, without a limit.
    pub const fn at(ply: u8) -> Self {
        Self::new(ply, Preset::Normal)
    }

    /// Depth and width. Without a depth it is as deep as the time allows.
    pub fn settings(&self) -> SearchSettings {
        let default = if self.time.is_some() { MAX_PLY } else { Self::DEFAULT_PLY };
        let settings = match self.level {
            Some(level) => level.search(),
            None => self.preset.at(self.ply.unwrap_or(default)),
        };
        match self.sure {
            Some(_) if settings.ply < 2 => self.preset.at(2),
            _ => settings,
        }
    }

    /// In words: `2-ply, preset wide`, `level roller`, `5ms a decision`.
    pub fn in_words(&self) -> String {
        match (self.level, self.time, self.settings().ply) {
            (Some(level), ..) => format!("level {level}"),
            (_, Some(time), _) => format!("{time:?} a decision"),
            (.., 0) => "0-ply".to_owned(),
            (.., ply) => format!("{ply}-ply, preset {}", self.preset),
        }
    }

    /// The search of a ranking of `plays`, of which `full` have to reach the full depth.
    pub(crate) fn settings_for(&self, full: usize, plays: usize) -> SearchSettings {
        let settings = self.settings();
        let single_play = if full < plays { settings.single_play } else { SinglePlay::Evaluate };
        SearchSettings { single_play, ..settings }
    }

    /// What is rolled out after the search.
    pub(crate) fn rollout(&self) -> Option<CloseRollout> {
        match self.sure {
            Some(limit) => Some(CloseRollout::until_sure(limit)),
            None => self.level.and_then(Level::rollout),
        }
    }

    /// Refuses a level beside what it stands for.
    pub(crate) fn check(&self) -> Result<()> {
        let other = self.ply.is_some() || self.time.is_some() || self.preset != Preset::default();
        if self.sure.is_some() && self.time.is_some() {
            return Err(EngineError::request(
                "\"sure\" beside \"time\", expected one limit of time",
            ));
        }
        match self.level {
            Some(level) if other => Err(EngineError::request(format_args!(
                "\"level\" is \"{level}\" beside ply, preset or time, expected one or the other"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses levels that roll choices out, where there are none.
    pub(crate) fn check_without_rollouts(&self) -> Result<()> {
        let what = match (self.sure, self.level) {
            (Some(_), _) => "\"sure\" is given".to_owned(),
            (None, Some(level)) if level.rollout().is_some() => format!("the level is \"{level}\""),
            _ => return self.check(),
        };
        Err(EngineError::request(format_args!(
            "{what}, which rolls out plays and cube actions, expected a level of 0, 0+, 1, 2 or 3"
        )))
    }

    /// This depth, with the time divided by a number of parts.
    pub(crate) fn share(self, parts: u32) -> Self {
        Self { time: self.time.map(|time| time / parts), ..self }
    }
}

/// As it is typed behind the name of a network: a level, plies and a preset, or a time.
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.level, self.time) {
            (Some(level), _) => level.fmt(f),
            (_, Some(time)) => write!(f, "{}us", time.as_micros()),
            _ => write!(f, "{}/{}", self.settings().ply, self.preset),
        }
    }
}

/// Reads what is written so; plies without a preset are levels too. An error is what was expected.
impl FromStr for Effort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, preset) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let level = name.parse::<Level>().ok();
        match (level, level.and_then(Level::plies), preset.map(|name| (name, name.parse()))) {
            (_, Some(ply), None) => Ok(Self::at(ply)),
            (_, Some(ply), Some((_, Ok(preset)))) => Ok(Self::new(ply, preset)),
            (_, Some(_), Some((name, Err(_)))) => {
                let names = Preset::ALL.map(Preset::name);
                let hint = did_you_mean(name, names);
                Err(format!("{} after the /{hint}", alternatives(names)))
            }
            (Some(level), None, None) => Ok(Self { level: Some(level), ..Self::default() }),
            (None, None, None) if time_limit(text).is_ok_and(|time| time.as_micros() > 0) => {
                Ok(Self { time: time_limit(text).ok(), ..Self::default() })
            }
            _ => Err(format!(
                "one of {} after the @, a number with a preset as in @2/wide, or the time of a \
                 decision as in @5ms",
                Level::ALL.map(Level::name).join(", ")
            )),
        }
    }
}

/// A time such as 200ms, more than nothing and at most a day.
///
/// # Errors
///
/// What was expected, in words.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    match text.parse::<humantime::Duration>() {
        Ok(time) if !time.is_zero() && *time <= LONGEST => Ok(*time),
        _ => Err("expected a time up to a day, such as 200ms or 5s".to_owned()),
    }
}

/// A limit in JSON: the text of a time.
pub(crate) mod time {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(|time| humantime::format_duration(time).to_string()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        read("time", deserializer)
    }

    pub(crate) fn sure<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        read("sure", deserializer)
    }

    fn read<'de, D: Deserializer<'de>>(
        key: &str,
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let refused = |expected| D::Error::custom(format_args!("{key:?} is {text:?}, {expected}"));
        super::time_limit(&text).map(Some).map_err(refused)
    }
}

/// The levels of play: those that misread positions search as the bare network does.
#[cfg(feature = "clap")]
fn level() -> impl clap::builder::TypedValueParser<Value = Level> {
    use clap::builder::TypedValueParser;
    named::<crate::live::Strength>().map(crate::live::Strength::level)
}

/// The values of a type by their names.
#[cfg(feature = "clap")]
pub fn named<T: tavola_rules::Named + Send + Sync + 'static>()
-> impl clap::builder::TypedValueParser<Value = T> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let names = T::NAMES.iter().map(|(name, others)| PossibleValue::new(*name).aliases(*others));
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_unusable_ones_refused() {
        assert_eq!(time_limit("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(time_limit("1s 500ms"), Ok(Duration::from_millis(1500)));
        for text in ["", "0s", "200", "soon", "-1s", "2days", "99999999999999999999s"] {
            assert!(time_limit(text).unwrap_err().contains("200ms"), "{text:?}");
        }
    }

    #[test]
    fn time_is_a_reason_to_look_deeper() {
        let ply = |ply, time| Effort { ply, time, ..Effort::default() }.settings().ply;
        let second = Some(Duration::from_secs(1));
        assert_eq!(ply(None, None), Effort::DEFAULT_PLY);
        assert_eq!(ply(None, second), MAX_PLY);
        assert_eq!(ply(Some(1), second), 1);
    }
}
