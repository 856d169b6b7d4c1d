//! The numbers of a state, as all games of this crate keep them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `N` small numbers, a multiple of eight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C, align(8))]
pub(crate) struct Cells<const N: usize>(pub(crate) [i8; N]);

impl<const N: usize> Cells<N> {
    /// A number that depends on all numbers, equal for equal ones.
    #[inline]
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = 0u64;
        for eight in self.0.as_chunks::<8>().0 {
            let word = u64::from_ne_bytes(eight.map(|cell| cell as u8));
            hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        hash ^ (hash >> 32)
    }
}

impl<const N: usize> Deref for Cells<N> {
    type Target = [i8];

    #[inline]
    fn deref(&self) -> &[i8] {
        &self.0
    }
}

impl<const N: usize> DerefMut for Cells<N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [i8] {
        &mut self.0
    }
}

impl<const N: usize> Hash for Cells<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint());
    }
}

/// The numbers that are not zero.
impl<const N: usize> fmt::Debug for Cells<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().enumerate().filter(|(_, cell)| **cell != 0)).finish()
    }
}

/// Arrays longer than 32 have no implementation.
impl<const N: usize> Serialize for Cells<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(N)?;
        self.0.iter().try_for_each(|cell| tuple.serialize_element(cell))?;
        tuple.end()
    }
}

impl<'de, const N: usize> Deserialize<'de> for Cells<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers<const N: usize>;

        impl<'de, const N: usize> Visitor<'de> for Numbers<N> {
            type Value = Cells<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{N} numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Cells<N>, A::Error> {
                let mut cells = Cells([0; N]);
                for (i, cell) in cells.0.iter_mut().enumerate() {
                    *cell =
                        seq.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &self))?;
                }
                Ok(cells)
            }
        }

        deserializer.deserialize_tuple(N, Numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_too_few_are_refused() {
        let cells: Cells<40> = Cells(std::array::from_fn(|i| i as i8 - 20));
        let text = serde_json::to_string(&cells).unwrap();
        assert_eq!(serde_json::from_str::<Cells<40>>(&text).unwrap(), cells);
        let error = serde_json::from_str::<Cells<40>>("[1, 2]").unwrap_err().to_string();
        assert!(error.contains("invalid length 2, expected 40 numbers"), "{error}");
    }
}
