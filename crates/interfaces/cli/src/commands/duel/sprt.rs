//! The sequential test on the command line.

use clap::Args;
use tavola_arena::Sprt;

use crate::failure::{Blame, Outcome};

/// A test that may end a duel.
#[derive(Debug, Args)]
pub struct SprtArgs {
    /// End as soon as it is decided whether A's advantage over B is nearer LOW or HIGH millipoints
    /// a game, such as 0..5, with few wrong decisions
    #[arg(long, value_name = "LOW..HIGH", value_parser = strengths, allow_hyphen_values = true)]
    pub sprt: Option<(f64, f64)>,
    /// Probability that --sprt decides for HIGH when A is LOW stronger
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub alpha: f64,
    /// Probability that --sprt decides for LOW when A is HIGH stronger
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub beta: f64,
}

impl SprtArgs {
    /// The test of `--sprt`, if there is one.
    pub fn test(&self) -> Outcome<Option<Sprt>> {
        self.sprt
            .map(|(low, high)| Sprt::new(low / 1000.0, high / 1000.0, self.alpha, self.beta))
            .transpose()
            .or_input()
    }
}

/// Two numbers with two dots between.
fn strengths(text: &str) -> Result<(f64, f64), String> {
    text.split_once("..")
        // Three dots are a slip rather than the half of `0...5`.
        .filter(|(_, high)| !high.starts_with('.'))
        .and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)))
        .filter(|(low, high)| low < high && *low >= -3000.0 && *high <= 3000.0)
        .ok_or_else(|| {
            "expected two numbers of millipoints from -3000 to 3000, the smaller one first, such as \
             0..5 or -2.5..2.5"
                .to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_are_two_numbers_in_millipoints() {
        assert_eq!(strengths("0..5"), Ok((0.0, 5.0)));
        assert_eq!(strengths("-2.5..2.5"), Ok((-2.5, 2.5)));
        for text in ["", "5", "0..", "..5", "0...5", "a..b", "5..0", "0..9999"] {
            assert!(strengths(text).unwrap_err().contains("0..5"), "{text:?}");
        }
        let test = |sprt| SprtArgs { sprt, alpha: 0.05, beta: 0.05 }.test();
        assert_eq!(test(Some((0.0, 5.0))).unwrap().unwrap().high, 0.005);
        assert!(test(None).unwrap().is_none());
        assert!(test(Some((5.0, 5.0))).is_err());
    }
}
