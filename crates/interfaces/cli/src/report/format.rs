//! How numbers are written.

use std::time::Duration;

use tavola_arena::{Sprt, Stronger};
use tavola_equity::Probs;
use tavola_pipeline::{EvaluationMetrics, StatesAtPly, StatesMetrics};
use tavola_play::DuelUnit;

/// An equity or a difference of equities in points, always with its sign: `+0.152`.
pub fn equity(points: f32) -> String {
    // A negative zero would look like a loss.
    let rounded = (points * 1000.0).round() / 1000.0 + 0.0;
    format!("{rounded:+.3}")
}

/// A loss with its interval where there is one, as `-0.042 ± 0.011`.
pub fn loss(loss: f64, interval: Option<f64>) -> String {
    format!("-{loss:.3}{}", within(interval))
}

/// What is written behind a loss: its interval where there is one.
pub fn within(interval: Option<f64>) -> String {
    interval.map_or_else(String::new, |interval| format!(" ± {interval:.3}"))
}

/// A text in lines of at most `width` characters, which end at spaces. A word that is longer has a
/// line of its own.
pub fn fold(text: &str, width: usize) -> Vec<String> {
    if text.chars().count() <= width {
        return vec![text.to_owned()];
    }
    let indent = text.len() - text.trim_start().len();
    let mut lines = vec![String::new()];
    for word in text.trim_start().split(' ') {
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            *line = format!("{}{word}", &text[..indent]);
        } else if line.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{}{word}", &text[..indent]));
        } else {
            *line = format!("{line} {word}");
        }
    }
    lines
}

/// Who is stronger, in words.
pub fn verdict(stronger: Stronger) -> &'static str {
    match stronger {
        Stronger::A => "A is stronger",
        Stronger::B => "B is stronger",
        Stronger::NotSignificant => "not significant (95 % CI includes 0)",
        Stronger::Even => "even in every pair",
        Stronger::TooFewPairs => "too few pairs to tell",
    }
}

/// The name and version of a player.
pub fn named(name: &str, version: &str) -> String {
    if version.is_empty() { name.to_owned() } else { format!("{name} ({version})") }
}

/// What a duel counts, in the plural.
pub const fn unit(unit: DuelUnit) -> &'static str {
    match unit {
        DuelUnit::Games => "games",
        DuelUnit::Matches => "matches",
    }
}

/// A log-likelihood ratio between its bounds: `LLR +1.27 in -2.94..+2.94`.
pub fn log_likelihood_ratio(test: &Sprt, ratio: f64) -> String {
    let (low, high) = test.bounds();
    // Players who always play alike have ratios beyond all numbers.
    let shown = ratio.clamp(-999.0, 999.0);
    format!("LLR {shown:+.2} in {low:+.2}..{high:+.2}")
}

/// Points per game with their 95 % interval: `+0.012 ± 0.009 ppg`.
pub fn strength(ppg: f64, interval: [f64; 2]) -> String {
    format!("{ppg:+.3} ± {:.3} ppg", (interval[1] - interval[0]) / 2.0)
}

/// A probability to win with its 95 % interval, in percent: `54.31 ± 1.20 %`, or `100.00 %, 95.42
/// to 100.00` where the interval does not reach as far to both sides.
pub fn win_probability(probability: f64, [low, high]: [f64; 2]) -> String {
    let percent = 100.0 * probability;
    let off_center = 50.0 * (low + high) - percent;
    if off_center.abs() < 0.005 {
        format!("{percent:.2} ± {:.2} %", 50.0 * (high - low))
    } else {
        format!("{percent:.2} %, {:.2} to {:.2}", 100.0 * low, 100.0 * high)
    }
}

/// One line for the result of an evaluation.
pub fn evaluation(metrics: &EvaluationMetrics) -> String {
    format!(
        "{} against {} (95 % CI, {} games, seed {})",
        strength(metrics.ppg, metrics.interval),
        metrics.opponent,
        count(metrics.evaluation_games),
        metrics.seed
    )
}

/// One line for the errors of a network on rolled-out states, in millipoints.
pub fn states(metrics: &StatesMetrics) -> String {
    let at = |at: &StatesAtPly| {
        let all = &at.grades.all;
        let bias = 1000.0 * all.bias.mean;
        let siblings = at.siblings.map_or_else(String::new, |siblings| {
            let half = (siblings.spread.high - siblings.spread.low) / 2.0;
            format!("siblings s {:.1} ± {:.1}, ", 1000.0 * siblings.spread.mean, 1000.0 * half)
        });
        format!("{siblings}RMSE {:.1} at {}-ply (bias {bias:+.1})", 1000.0 * all.rmse, at.ply)
    };
    let plies: Vec<String> = metrics.plies.iter().map(at).collect();
    format!("{}, in millipoints, {}", plies.join(", "), metrics.file)
}

/// A probability in percent without the sign: `54.3`.
pub fn percent(probability: f32) -> String {
    format!("{:.1}", probability * 100.0)
}

/// The headings that go with [`probabilities`].
pub const CHANCE_HEADINGS: [&str; 5] = [">W", ">WG", ">WB", ">LG", ">LB"];

/// The five probabilities in percent, in the customary order.
pub fn probabilities(probs: &Probs) -> [String; 5] {
    probs.to_array().map(percent)
}

/// A roll: `3-1`.
pub fn dice(numbers: Option<&[u8]>) -> String {
    let numbers: Vec<String> = numbers.unwrap_or_default().iter().map(u8::to_string).collect();
    numbers.join("-")
}

/// A whole number in groups of three: `20,000`.
pub fn count(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
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

/// A number of things with its noun: `1 play`, `3 plays`.
pub fn plural(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", count(number as u64))
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
        assert_eq!(win_probability(0.5431, [0.5311, 0.5551]), "54.31 ± 1.20 %");
        assert_eq!(win_probability(0.5, [0.5, 0.5]), "50.00 ± 0.00 %");
        assert_eq!(win_probability(1.0, [0.95418, 1.0]), "100.00 %, 95.42 to 100.00");
    }

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

    #[test]
    fn texts_are_folded_at_spaces() {
        assert_eq!(fold("one two", 7), ["one two"]);
        assert_eq!(fold("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(fold("elephants go", 4), ["elephants", "go"]);
    }

    #[test]
    fn counts_have_groups_and_nouns_agree() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "play"), "1 play");
        assert_eq!(plural(0, "play"), "0 plays");
    }
}
