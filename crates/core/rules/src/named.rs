//! Names of the values of a type, as users type them.

use std::str::FromStr;

use crate::nearest::did_you_mean;
use crate::notation::Quoted;

/// A type whose values have names, by [`named!`](macro@crate::named).
pub trait Named: FromStr<Err = UnknownName> + Copy {
    /// The name of each value, and others that are read for it.
    const NAMES: &'static [(&'static str, &'static [&'static str])];
}

/// A text that names no value of a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown {what} {input}, expected {}{}",
    alternatives(.names.iter().map(|(name, _)| *name)),
    did_you_mean(&.input.0, .names.iter().map(|(name, _)| *name))
)]
pub struct UnknownName {
    what: &'static str,
    input: Quoted,
    names: &'static [(&'static str, &'static [&'static str])],
}

/// The number of the value that a text names, in any case of letters.
///
/// # Errors
///
/// [`UnknownName`] with what is named and all names.
pub fn number_of<T: Named>(what: &'static str, text: &str) -> Result<usize, UnknownName> {
    let is_meant = |name: &&str| name.eq_ignore_ascii_case(text.trim());
    let found =
        T::NAMES.iter().position(|(name, others)| is_meant(name) || others.iter().any(&is_meant));
    found.ok_or_else(|| UnknownName { what, input: text.into(), names: T::NAMES })
}

/// What may stand somewhere, in words: "near or far".
pub fn alternatives<S: Into<String>>(names: impl IntoIterator<Item = S>) -> String {
    let mut names: Vec<String> = names.into_iter().map(Into::into).collect();
    let last = names.pop().unwrap_or_default();
    if names.is_empty() { last } else { format!("{} or {last}", names.join(", ")) }
}

/// Gives the values of an enum names: `ALL`, `name`, [`Named`], `Display`, `FromStr`, and the
/// conversions by which serde writes and reads the name.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Side {
///     Near,
///     Far,
/// }
/// tavola_rules::named!(Side, "side": Near => "near", Far => "far" | "other");
/// assert_eq!("Other".parse(), Ok(Side::Far));
/// assert_eq!(Side::ALL.map(Side::name), ["near", "far"]);
/// let error = "fra".parse::<Side>().unwrap_err().to_string();
/// assert_eq!(error, "unknown side \"fra\", expected near or far (did you mean far?)");
/// ```
#[macro_export]
macro_rules! named {
    ($of:ident, $what:literal:
     $($value:ident => $name:literal $(| $other:literal)*),+ $(,)?) => {
        impl $of {
            /// All of them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The name as typed.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }

        impl $crate::Named for $of {
            const NAMES: &'static [(&'static str, &'static [&'static str])] =
                &[$(($name, &[$($other),*])),+];
        }

        impl ::std::fmt::Display for $of {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $of {
            type Err = $crate::UnknownName;

            fn from_str(text: &str) -> Result<Self, $crate::UnknownName> {
                Ok(Self::ALL[$crate::named::number_of::<Self>($what, text)?])
            }
        }

        impl TryFrom<String> for $of {
            type Error = $crate::UnknownName;

            fn try_from(text: String) -> Result<Self, $crate::UnknownName> {
                text.parse()
            }
        }

        impl From<$of> for &'static str {
            fn from(value: $of) -> Self {
                value.name()
            }
        }
    };
}
