//! Inputs near the seed inputs: flipped, cut, repeated and spliced.

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// Values at which widths and signs end.
const EDGES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, b'0', b'-', b' '];

/// Numbers that parsers like to get wrong.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "25",
    "127",
    "128",
    "255",
    "256",
    "-129",
    "65536",
    "2147483648",
    "18446744073709551616",
    "1e999",
    "NaN",
];

/// Makes inputs from seed inputs: the same ones for the same seed.
#[derive(Debug)]
pub struct Mutator {
    corpus: Vec<Vec<u8>>,
    dictionary: Vec<Vec<u8>>,
    longest: usize,
    rng: ChaCha8Rng,
}

impl Mutator {
    pub(crate) fn new(
        corpus: Vec<Vec<u8>>,
        dictionary: Vec<Vec<u8>>,
        longest: usize,
        seed: u64,
    ) -> Self {
        Self { corpus, dictionary, longest, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Writes the next input over `input`.
    pub fn next_into(&mut self, input: &mut Vec<u8>) {
        input.clear();
        if let Some(seed) = self.corpus.choose(&mut self.rng) {
            input.extend_from_slice(seed);
        }
        // Few changes reach deep, many find what nobody writes.
        let most = *[1, 2, 4, 16].choose(&mut self.rng).expect("the list has numbers");
        for _ in 0..self.rng.random_range(1..=most) {
            self.change(input);
        }
        input.truncate(self.longest);
    }

    /// Repeats a part of an input until it has this many bytes: what costs more than its length
    /// shows.
    pub fn lengthen(&mut self, input: &mut Vec<u8>, bytes: usize) {
        if input.is_empty() || input.len() >= bytes {
            return;
        }
        let widest = *[1, 8, 64, usize::MAX].choose(&mut self.rng).expect("not empty");
        let at = self.rng.random_range(0..input.len());
        let end = at.saturating_add(self.rng.random_range(1..=widest)).min(input.len());
        let part = input[at..end].to_vec();
        let times = (bytes - input.len()) / part.len();
        input.splice(end..end, part.repeat(times));
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let length = input.len();
        let at = self.rng.random_range(0..=length);
        let widest = *[2, 8, 64].choose(&mut self.rng).expect("not empty");
        let span = self.rng.random_range(1..=widest);
        let end = (at + span).min(length);
        match self.rng.random_range(0..11) {
            0 if at < length => input[at] ^= 1 << self.rng.random_range(0..8),
            1 if at < length => input[at] = self.rng.random(),
            2 if at < length => input[at] = *EDGES.choose(&mut self.rng).expect("not empty"),
            3 if at < length => input[at] = input[at].wrapping_add_signed(self.step()),
            4 => drop(input.drain(at..end)),
            5 => input.truncate(at),
            6 => {
                let bytes: Vec<u8> = (0..span.min(8)).map(|_| self.rng.random()).collect();
                input.splice(at..at, bytes);
            }
            7 => {
                let copy = input[at..end].to_vec();
                let to = self.rng.random_range(0..=length);
                input.splice(to..to, copy);
            }
            8 => {
                let word = if self.rng.random() {
                    self.dictionary.choose(&mut self.rng).map_or(&[][..], Vec::as_slice)
                } else {
                    NUMBERS.choose(&mut self.rng).expect("not empty").as_bytes()
                };
                let replaced = if self.rng.random() { at } else { end };
                input.splice(at..replaced, word.iter().copied());
            }
            9 => {
                // Another seed input, or a part of it.
                let Some(other) = self.corpus.choose(&mut self.rng) else { return };
                let from = self.rng.random_range(0..=other.len());
                let until = self.rng.random_range(from..=other.len());
                input.splice(at..end, other[from..until].iter().copied());
            }
            _ => {
                // A number in the text, replaced as a whole.
                let digit = |&byte: &u8| byte.is_ascii_digit();
                let Some(from) = input[at..].iter().position(digit) else { return };
                let from = at + from;
                let until = from + input[from..].iter().take_while(|byte| digit(byte)).count();
                let number = NUMBERS.choose(&mut self.rng).expect("not empty");
                input.splice(from..until, number.bytes());
            }
        }
    }

    fn step(&mut self) -> i8 {
        if self.rng.random() { 1 } else { -1 }
    }
}
