//! Numbers as texts, which keep every bit and infinity in any format.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(number: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    // The shortest text that reads back to the same number.
    serializer.serialize_str(&number.to_string())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    text.parse().map_err(|_| serde::de::Error::custom(format!("{text:?} is not a number")))
}
