//! How a rate changes over a run.

use std::f64::consts::PI;
use std::fmt;
use std::ops::RangeInclusive;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number, such as the learning rate or the lambda of the targets, as a function of the
/// progress of a run.
///
/// In a configuration: `learning_rate = { kind = "cosine", from = 1.5e-3, to = 3e-5 }`; a number
/// alone is a constant.
///
/// ```
/// use tavola_train::Schedule;
///
/// let lambda = Schedule::Linear { from: 0.7, to: 0.3, warm_up: 0.0 };
/// assert!((lambda.at(0.5) - 0.5).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// Always the same.
    Constant {
        /// The value.
        value: f64,
        /// Share of the run, from 0 to below 1, in which the value first climbs in a straight
        /// line from a tenth of where the schedule begins.
        #[serde(default)]
        warm_up: f64,
    },
    /// A straight line.
    Linear {
        /// Value at the start, after the warm-up.
        from: f64,
        /// Value at the end.
        to: f64,
        /// As for [`Constant`](Self::Constant).
        #[serde(default)]
        warm_up: f64,
    },
    /// Half a cosine wave: flat at both ends, steepest in the middle.
    Cosine {
        /// Value at the start, after the warm-up.
        from: f64,
        /// Value at the end.
        to: f64,
        /// As for [`Constant`](Self::Constant).
        #[serde(default)]
        warm_up: f64,
    },
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrTable;

        impl<'de> Visitor<'de> for NumberOrTable {
            type Value = Schedule;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a number, or a schedule such as { kind = \"cosine\", from = 1e-3, to = 1e-5 }",
                )
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Schedule, E> {
                Ok(Schedule::Constant { value, warm_up: 0.0 })
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Schedule, E> {
                self.visit_f64(value as f64)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Schedule, E> {
                self.visit_f64(value as f64)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Schedule, A::Error> {
                Schedule::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(NumberOrTable)
    }
}

/// Where a warm-up begins, as a share of where it leads. Not zero, so that the first steps
/// of a run do something.
const WARM_UP_BEGINS: f64 = 0.1;

/// Why a schedule can't be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field} of the {kind} schedule is {found}, expected a number {expected}")]
pub struct ScheduleError {
    /// Name of the schedule.
    pub kind: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// What it is.
    pub found: f64,
    /// What it should be.
    pub expected: String,
}

impl Schedule {
    /// The value at `progress` through the run, from 0 (start) to 1 (end); outside, that of the
    /// nearer end.
    pub fn at(&self, progress: f64) -> f64 {
        let (from, to, warm_up) = match *self {
            Self::Constant { value, warm_up } => (value, value, warm_up),
            Self::Linear { from, to, warm_up } | Self::Cosine { from, to, warm_up } => {
                (from, to, warm_up)
            }
        };
        let progress = progress.clamp(0.0, 1.0);
        if progress < warm_up {
            return from * (WARM_UP_BEGINS + (1.0 - WARM_UP_BEGINS) * progress / warm_up);
        }
        let progress = (progress - warm_up) / (1.0 - warm_up);
        let done = match self {
            Self::Constant { .. } | Self::Linear { .. } => progress,
            Self::Cosine { .. } => (1.0 - (PI * progress).cos()) / 2.0,
        };
        // In this form both ends are met exactly, and rounding never leads out of their range.
        (from * (1.0 - done) + to * done).max(from.min(to)).min(from.max(to))
    }

    /// Whether the value is the same at any progress.
    pub const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant { warm_up: 0.0, .. })
    }

    /// Whether all values lie in `range` (a warm-up may start below it) and the warm-up is a
    /// share of the run.
    ///
    /// # Errors
    ///
    /// [`ScheduleError`] names the first field that is not as it should be.
    pub fn check(&self, range: RangeInclusive<f64>) -> Result<(), ScheduleError> {
        let (kind, values, warm_up) = match *self {
            Self::Constant { value, warm_up } => ("constant", vec![("value", value)], warm_up),
            Self::Linear { from, to, warm_up } => {
                ("linear", vec![("from", from), ("to", to)], warm_up)
            }
            Self::Cosine { from, to, warm_up } => {
                ("cosine", vec![("from", from), ("to", to)], warm_up)
            }
        };
        for (field, found) in values {
            if !found.is_finite() || !range.contains(&found) {
                let expected = format!("from {} to {}", range.start(), range.end());
                return Err(ScheduleError { kind, field, found, expected });
            }
        }
        if !(0.0..1.0).contains(&warm_up) {
            let expected = "from 0 to below 1".to_owned();
            return Err(ScheduleError { kind, field: "warm_up", found: warm_up, expected });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_meet_both_ends_and_the_middle() {
        for (schedule, middle) in [
            (Schedule::Linear { from: 0.7, to: 0.3, warm_up: 0.0 }, 0.5),
            (Schedule::Cosine { from: 0.7, to: 0.3, warm_up: 0.0 }, 0.5),
        ] {
            assert_eq!(schedule.at(0.0), 0.7);
            assert_eq!(schedule.at(1.0), 0.3);
            assert_eq!(schedule.at(-3.0), 0.7);
            assert_eq!(schedule.at(7.0), 0.3);
            assert!((schedule.at(0.5) - middle).abs() < 1e-12);
        }
        assert_eq!(Schedule::Constant { value: 0.1, warm_up: 0.0 }.at(0.3), 0.1);
        let cosine = Schedule::Cosine { from: 1.0, to: 0.0, warm_up: 0.0 };
        assert!(cosine.at(0.25) > 0.75 && cosine.at(0.75) < 0.25);
    }

    #[test]
    fn warm_up_climbs_from_a_tenth_and_then_the_schedule_begins() {
        let schedule = Schedule::Linear { from: 1.0, to: 0.0, warm_up: 0.2 };
        assert!((schedule.at(0.0) - 0.1).abs() < 1e-12);
        assert!((schedule.at(0.1) - 0.55).abs() < 1e-12);
        assert_eq!(schedule.at(0.2), 1.0);
        assert!((schedule.at(0.6) - 0.5).abs() < 1e-12);
        assert_eq!(schedule.at(1.0), 0.0);
    }

    #[test]
    fn configurations_are_read_and_mistakes_refused() {
        #[derive(Deserialize)]
        struct Config {
            rate: Schedule,
        }
        let read = |text: &str| toml::from_str::<Config>(text).map(|config| config.rate);
        assert_eq!(
            read("rate = { kind = \"cosine\", from = 1e-3, to = 1e-5 }").unwrap(),
            Schedule::Cosine { from: 1e-3, to: 1e-5, warm_up: 0.0 }
        );
        assert_eq!(read("rate = 1").unwrap(), Schedule::Constant { value: 1.0, warm_up: 0.0 });
        assert_eq!(read("rate = 1e-3").unwrap(), Schedule::Constant { value: 1e-3, warm_up: 0.0 });
        let error = read("rate = \"high\"").unwrap_err().to_string();
        assert!(error.contains("expected a number, or a schedule such as"), "{error}");
        assert!(read("rate = { kind = \"cosine\", from = 1e-3, until = 1e-5 }").is_err());
        assert!(read("rate = { kind = \"constant\", value = 1e-3, steps = 5 }").is_err());
        assert!(read("rate = { kind = \"wavy\", value = 1e-3 }").is_err());
    }

    #[test]
    fn values_outside_their_range_are_named() {
        let lambda = Schedule::Linear { from: 0.7, to: 1.3, warm_up: 0.0 };
        let error = lambda.check(0.0..=1.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "to of the linear schedule is 1.3, expected a number from 0 to 1"
        );
        assert!(lambda.check(0.0..=2.0).is_ok());
        for value in [f64::NAN, f64::INFINITY] {
            assert!(Schedule::Constant { value, warm_up: 0.0 }.check(0.0..=f64::MAX).is_err());
        }
        for warm_up in [-0.1, 1.0, f64::NAN] {
            assert!(Schedule::Constant { value: 0.5, warm_up }.check(0.0..=1.0).is_err());
        }
    }
}
