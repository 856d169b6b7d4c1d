//! How numbers, and words of commands, are written.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

use tavola_arena::Stronger;
pub use tavola_arena::words::{
    count, equity, log_likelihood_ratio, millipoints, percent, points, strength, win_probability,
};
use tavola_equity::Probs;
pub use tavola_files::report::{fold, plural};
use tavola_pipeline::{EvaluationMetrics, StatesAtPly, StatesMetrics};

/// A loss with its interval where there is one, as `-0.042 ± 0.011`.
pub fn loss(loss: f64, interval: Option<f64>) -> String {
    format!("-{loss:.3}{}", within(interval))
}

/// What is written behind a loss: its interval where there is one.
pub fn within(interval: Option<f64>) -> String {
    interval.map_or_else(String::new, |interval| format!(" ± {interval:.3}"))
}

/// A word of a command as a shell reads it: quoted where it has to be.
pub fn shell_word(word: impl Display) -> String {
    let word = word.to_string();
    // Only a zero byte can't be quoted, which no argument has.
    shlex::try_quote(&word).map_or_else(|_| word.clone(), Cow::into_owned)
}

/// The name and version of a player.
pub fn named(name: &str, version: &str) -> String {
    if version.is_empty() { name.to_owned() } else { format!("{name} ({version})") }
}

/// One line for the result of an evaluation. Few pairs of games say too little of their own spread
/// for an interval.
pub fn evaluation(metrics: &EvaluationMetrics) -> String {
    let EvaluationMetrics { opponent, evaluation_games: games, seed, .. } = metrics;
    let (games, estimate) = (count(*games), metrics.estimate());
    let (ppg, said) = match Stronger::by(estimate, metrics.evaluation_games / 2) {
        Stronger::TooFewPairs => {
            (format!("{:+.1} ppg", metrics.ppg), format!("{games} games, too few to tell"))
        }
        _ => (strength(estimate), format!("95 % CI, {games} games")),
    };
    format!("{ppg} against {opponent} ({said}, seed {seed})")
}

/// One line for the errors of a network on rolled-out states, in points.
pub fn states(metrics: &StatesMetrics) -> String {
    let at = |at: &StatesAtPly| {
        let all = &at.grades.all;
        let siblings = at.siblings.map_or_else(String::new, |siblings| {
            format!(", between plays of one roll {:.3}", siblings.spread.mean)
        });
        format!("{}-ply {:.3}{siblings}", at.ply, all.rmse)
    };
    let plies: Vec<String> = metrics.plies.iter().map(at).collect();
    format!("errors of equity in points: {} ({})", plies.join("; "), metrics.file)
}

/// The headings that go with [`probabilities`].
pub const CHANCE_HEADINGS: [&str; 5] = [">W", ">WG", ">WB", ">LG", ">LB"];

/// The five probabilities in percent, in the customary order.
pub fn probabilities(probs: &Probs) -> [String; 5] {
    probs.to_array().map(percent)
}

/// A probability in percent with this many digits behind the point.
pub fn chance(probability: f64, digits: usize) -> String {
    format!("{:.digits$}", 100.0 * probability)
}

/// A roll: `3-1`.
pub fn dice(numbers: Option<&[u8]>) -> String {
    let numbers: Vec<String> = numbers.unwrap_or_default().iter().map(u8::to_string).collect();
    numbers.join("-")
}

/// A rate to three digits with its unit of thousands: `2.53 M/s`, `812 k/s`, `97.1 /s`.
pub fn rate(per_second: f64) -> String {
    let (number, unit) = match per_second {
        r if r >= 999.5e6 => (r / 1e9, "G/s"),
        r if r >= 999.5e3 => (r / 1e6, "M/s"),
        r if r >= 999.5 => (r / 1e3, "k/s"),
        r => (r, "/s"),
    };
    let digits = match number {
        n if n >= 99.95 => 0,
        n if n >= 9.995 => 1,
        _ => 2,
    };
    format!("{number:.digits$} {unit}")
}

/// A length of time in the two largest units: `1 h 05 min`, `3 min 07 s`, `4.2 s`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_keep_three_digits() {
        for (rate_per_second, text) in [
            (2_531_000.0, "2.53 M/s"),
            (812_400.0, "812 k/s"),
            (97.06, "97.1 /s"),
            (999_900.0, "1.00 M/s"),
            (0.5, "0.50 /s"),
        ] {
            assert_eq!(rate(rate_per_second), text);
        }
    }

    #[test]
    fn durations_use_two_units() {
        for (seconds, text) in
            [(4.24, "4.2 s"), (59.99, "1 min 00 s"), (187.0, "3 min 07 s"), (3900.0, "1 h 05 min")]
        {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), text);
        }
    }
}
