//! How results are written: numbers with their signs, intervals and units.

use tavola_equity::Equity;
use tavola_evaluator::Estimate;

use crate::strength::sprt::Sprt;

pub use tavola_engine::operations::signed_equity as equity;
pub use tavola_files::report::count;

/// Points with their 95 % interval: `+0.012 ± 0.009`.
pub fn points(estimate: Estimate) -> String {
    format!("{} ± {:.3}", Equity(estimate.mean), estimate.half_width())
}

/// Points per game with their 95 % interval: `+0.012 ± 0.009 ppg`.
pub fn strength(ppg: Estimate) -> String {
    format!("{} ppg", points(ppg))
}

/// A probability to win with its 95 % interval, in percent: `54.31 ± 1.20 %`, or `100.00 %, 95.42
/// to 100.00` where the interval does not reach as far to both sides.
pub fn win_probability(probability: Estimate) -> String {
    let Estimate { mean, low, high, .. } = probability;
    let percent = 100.0 * mean;
    let off_center = 50.0 * (low + high) - percent;
    if off_center.abs() < 0.005 {
        format!("{percent:.2} ± {:.2} %", 100.0 * probability.half_width())
    } else {
        format!("{percent:.2} %, {:.2} to {:.2}", 100.0 * low, 100.0 * high)
    }
}

/// A log-likelihood ratio between its bounds: `LLR +1.27 in -2.94..+2.94`.
pub fn log_likelihood_ratio(test: &Sprt, ratio: f64) -> String {
    let (low, high) = test.bounds();
    // Players who always play alike have ratios beyond all numbers.
    let shown = ratio.clamp(-999.0, 999.0);
    format!("LLR {shown:+.2} in {low:+.2}..{high:+.2}")
}

/// An estimate in millipoints with half its 95 % interval: `5.2 ± 1.3`.
pub fn millipoints(estimate: Estimate) -> String {
    format!("{:.1} ± {:.1}", 1000.0 * estimate.mean, 1000.0 * estimate.half_width())
}

/// A probability in percent without the sign: `54.3`.
pub fn percent(probability: f32) -> String {
    format!("{:.1}", probability * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equities_carry_their_sign_and_zero_is_never_negative() {
        assert_eq!(equity(0.1524), "+0.152");
        assert_eq!(equity(-1.0), "-1.000");
        assert_eq!(equity(-0.0001), "+0.000");
    }

    #[test]
    fn probabilities_to_win_show_the_ends_of_an_interval_that_leans() {
        let of =
            |mean, low, high| win_probability(Estimate { mean, standard_error: 0.0, low, high });
        assert_eq!(of(0.5431, 0.5311, 0.5551), "54.31 ± 1.20 %");
        assert_eq!(of(0.5, 0.5, 0.5), "50.00 ± 0.00 %");
        assert_eq!(of(1.0, 0.95418, 1.0), "100.00 %, 95.42 to 100.00");
    }
}
