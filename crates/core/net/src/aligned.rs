//! Numbers that begin where a cache line does.
//!
//! A vector of 64 bytes that lies across two cache lines takes two reads. The allocator promises 16
//! bytes, and of a large table every vector would lie across.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// A list of numbers of which the first begins a cache line.
#[derive(Debug)]
pub(crate) struct Aligned<T> {
    /// The list, with room before it and behind it.
    numbers: Vec<T>,
    start: usize,
    length: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// Makes room for `length` numbers. Those that are there already stay.
    pub(crate) fn grow(&mut self, length: usize) {
        if self.length < length {
            let mut longer = Self::zeros(length);
            longer[..self.length].copy_from_slice(self);
            *self = longer;
        }
    }

    /// A list of this length.
    pub(crate) fn zeros(length: usize) -> Self {
        let room = LINE / size_of::<T>();
        let numbers = vec![T::default(); length + room];
        let start = numbers.as_ptr().align_offset(LINE).min(room);
        Self { numbers, start, length }
    }
}

impl<T: Copy + Default> From<&[T]> for Aligned<T> {
    fn from(numbers: &[T]) -> Self {
        let mut aligned = Self::zeros(numbers.len());
        aligned.copy_from_slice(numbers);
        aligned
    }
}

impl<T: Copy + Default> Clone for Aligned<T> {
    /// Another list in memory of its own, which begins a cache line too.
    fn clone(&self) -> Self {
        Self::from(&self[..])
    }
}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Self { numbers: Vec::new(), start: 0, length: 0 }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.numbers[self.start..self.start + self.length]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_begin_a_cache_line_however_they_came_about() {
        let begins_a_line = |list: &[i16]| (list.as_ptr() as usize).is_multiple_of(LINE);
        for length in [0, 1, 31, 32, 100_000] {
            let numbers: Vec<i16> = (0..length).map(|i| i as i16).collect();
            let list = Aligned::from(&numbers[..]);
            assert_eq!(list[..], numbers[..]);
            let mut other = list.clone();
            assert_eq!(other[..], list[..]);
            other.grow(length + 1);
            assert_eq!((&other[..length], other[length]), (&list[..], 0));
            assert!(begins_a_line(&list) && begins_a_line(&other));
        }
    }
}
