//! From logits to probabilities, by an exponential function of our own.
//!
//! That of the standard library is another one on each operating system, and one call a logit takes
//! longer than a small network. This one is additions and multiplications alone, which every
//! processor rounds alike, and compilers make vectors of it.

use tavola_equity::OutcomeProbs;

use crate::arch::OUTPUTS;
use crate::fixed::BLOCK;

/// Below this, `e^x` counts as zero: the smallest normal number is at -87.3.
const SMALLEST: f32 = -87.0;

/// Added to a number between -2^22 and 2^22, it leaves no room for bits below one: the number is
/// rounded.
const TO_WHOLE: f32 = 12_582_912.0;

/// `ln 2` in two parts: the first has few bits, so that its products with small whole numbers are
/// exact.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// `e^x` for `x` of at most zero, off by at most a few units in the last place.
///
/// `x` is split into a multiple of `ln 2` and a rest of at most half of it, for which six terms of
/// the Taylor series are enough.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.max(SMALLEST);
    let whole = x * std::f32::consts::LOG2_E + TO_WHOLE;
    let twos = whole - TO_WHOLE;
    let rest = x - twos * LN_2[0] - twos * LN_2[1];
    let mut sum = 1.0 / 720.0;
    for term in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * rest + term;
    }
    // The last bits of `whole` are the number of twos, and those of the exponent begin at bit 23.
    f32::from_bits(sum.to_bits().wrapping_add(whole.to_bits() << 23))
}

/// Probabilities that are proportional to the exponentials of the logits, in their place.
pub(crate) fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = exp(*logit - largest));
    let sum: f32 = logits.iter().sum();
    for probability in logits {
        *probability /= sum;
    }
}

/// The softmax of the six classes of outcomes.
pub(crate) fn outcome_probs(mut logits: [f32; OUTPUTS]) -> OutcomeProbs {
    softmax(&mut logits);
    OutcomeProbs(logits)
}

/// The softmax of up to [`BLOCK`] positions side by side: the same numbers as [`outcome_probs`] of
/// each.
///
/// # Shapes
///
/// `logits`: `[classes, positions]`
#[inline(always)]
pub(crate) fn softmax_block(logits: &mut [[f32; BLOCK]; OUTPUTS]) {
    let mut largest = [f32::NEG_INFINITY; BLOCK];
    for class in &*logits {
        for (largest, logit) in largest.iter_mut().zip(class) {
            *largest = largest.max(*logit);
        }
    }
    let mut sum = [0.0; BLOCK];
    for class in &mut *logits {
        for ((sum, logit), largest) in sum.iter_mut().zip(class).zip(&largest) {
            *logit = exp(*logit - largest);
            *sum += *logit;
        }
    }
    for class in logits {
        for (probability, sum) in class.iter_mut().zip(&sum) {
            *probability /= sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_near_that_of_twice_the_precision() {
        for step in 0..870_000 {
            let x = -1e-4 * step as f32;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) - exact).abs() / exact;
            assert!(error < 3.0 * f64::from(f32::EPSILON), "{x}: {error}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f32::NEG_INFINITY) < 2e-38);
    }

    #[test]
    fn positions_side_by_side_get_the_same_probabilities_as_each_alone() {
        let logit = |class: usize, position: usize| {
            ((class * 31 + position * 17) % 23) as f32 * 1.37 - 11.0 * position as f32
        };
        let mut block: [[f32; BLOCK]; OUTPUTS] =
            std::array::from_fn(|class| std::array::from_fn(|position| logit(class, position)));
        softmax_block(&mut block);
        for position in 0..BLOCK {
            let alone = outcome_probs(std::array::from_fn(|class| logit(class, position)));
            assert_eq!(block.map(|class| class[position]), alone.0);
            assert!((alone.0.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }
}
