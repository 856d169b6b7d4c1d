//! A line a minute of a training run, where there is no terminal for bars.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tavola_pipeline::RunEvent;

use crate::report::format;

/// Time between two lines.
const INTERVAL: Duration = Duration::from_secs(60);

/// The rounds whose time tells how long those that are left take: neither a crowded hour nor the
/// long games of a random network count for long.
const ROUNDS: usize = 32;

/// How fast rounds come, on this machine and now; at first no round was done.
#[derive(Debug, Default)]
pub struct RoundPace {
    /// When the last rounds were done, the oldest first, after the beginning.
    done: VecDeque<(Instant, u32)>,
    rounds: u32,
    /// Seconds that the phase of a recipe takes by its file, and all phases after it.
    by_the_file: [f64; 2],
}

impl RoundPace {
    /// Something happened.
    pub fn observe(&mut self, event: &RunEvent, now: Instant) {
        match event {
            RunEvent::PhaseBegan { by_the_file, .. } => self.by_the_file = *by_the_file,
            RunEvent::Started { after_round, rounds, .. } => {
                self.rounds = *rounds;
                self.done.clear();
                self.done.push_back((now, *after_round));
            }
            RunEvent::RoundFinished(round) => {
                self.done.push_back((now, round.round));
                if self.done.len() > ROUNDS {
                    self.done.pop_front();
                }
            }
            _ => {}
        }
    }

    /// The time that the rounds left take, and with it all phases after them, once a round is done.
    fn left(&self) -> Option<[Duration; 2]> {
        let (&(began, before), &(now, last)) = (self.done.front()?, self.done.back()?);
        let rounds = f64::from(last.saturating_sub(before));
        if rounds <= 0.0 {
            return None;
        }
        let rest = f64::from(self.rounds.saturating_sub(last));
        let left = now.duration_since(began).as_secs_f64() * rest / rounds;
        let [phase, later] = self.by_the_file;
        // As much faster or slower than the file says.
        let measured = left.max(f64::MIN_POSITIVE) * f64::from(self.rounds) / rest.max(1.0);
        let all = if phase > 0.0 { left + later * measured / phase } else { left };
        let time = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Some([left, all].map(time))
    }

    /// In words, empty at the end: `about 1 h 39 min left, 7 h 20 min in all phases`.
    pub fn in_words(&self) -> String {
        let left = self.left().filter(|[left, _]| !left.is_zero());
        let Some([left, all]) = left else { return String::new() };
        let later = (all > left).then(|| format!(", {} in all phases", format::duration(all)));
        format!("about {} left{}", format::duration(left), later.unwrap_or_default())
    }
}

/// When the last line was written, and how fast the run goes.
#[derive(Debug)]
pub struct TrainLog {
    last: Instant,
    /// How fast it goes.
    pub pace: RoundPace,
}

impl TrainLog {
    /// A log of a run that begins now.
    pub fn new(now: Instant) -> Self {
        Self { last: now, pace: RoundPace::default() }
    }

    /// The line that an event is worth, if it is time for one.
    pub fn line(&mut self, event: &RunEvent, now: Instant) -> Option<String> {
        self.pace.observe(event, now);
        if let RunEvent::Started { .. } = event {
            self.last = now;
        }
        if now.saturating_duration_since(self.last) < INTERVAL {
            return None;
        }
        let all = format::count(self.pace.rounds.into());
        let games = |round: &u32, done: &u64, of: &u64| {
            let [round, done, of] = [u64::from(*round), *done, *of].map(format::count);
            format!("round {round}/{all}: {done} of {of} games")
        };
        let line = match event {
            RunEvent::RoundFinished(round) => {
                let left = self.pace.in_words();
                let left = if left.is_empty() { left } else { format!(", {left}") };
                let [number, games] = [round.round.into(), round.games].map(format::count);
                let (loss, speed) = (round.loss, round.games_per_second);
                format!(
                    "round {number}/{all}: {games} games, loss {loss:.4}, {speed:.0} games/s{left}"
                )
            }
            RunEvent::GamesPlayed { round, done, of } => games(round, done, of) + " played",
            RunEvent::EvaluationGamesPlayed { round, opponent, done, of } => {
                format!("{} against {opponent}", games(round, done, of))
            }
            _ => return None,
        };
        self.last = now;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use tavola_pipeline::RoundMetrics;

    use super::*;

    fn round(round: u32) -> RunEvent {
        RunEvent::RoundFinished(RoundMetrics {
            round,
            games: u64::from(round) * 1000,
            positions: 0,
            loss: 0.53214,
            held_out_loss: None,
            learning_rate: 1e-3,
            lambda: 0.7,
            games_per_second: 211.6,
            positions_per_second: 0.0,
            given_targets: 0,
            given_targets_per_second: 0.0,
            pairs: 0,
            pair_rmse: None,
            selfplay_seconds: 0.0,
            learning_seconds: 0.0,
            seconds: 0.0,
        })
    }

    #[test]
    fn there_is_a_line_a_minute_with_the_time_left() {
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let mut log = TrainLog::new(began);
        let started = RunEvent::Started {
            directory: "runs/x".into(),
            after_round: 10,
            rounds: 1010,
            games_per_round: 1000,
            threads: 2,
            memory: 0,
        };
        assert_eq!(log.line(&started, at(0)), None);
        assert_eq!(log.line(&round(11), at(59)), None);
        assert_eq!(
            log.line(&round(20), at(60)).unwrap(),
            "round 20/1,010: 20,000 games, loss 0.5321, 212 games/s, about 1 h 39 min left"
        );
        let played = RunEvent::GamesPlayed { round: 21, done: 300, of: 1000 };
        assert_eq!(log.line(&played, at(119)), None);
        assert_eq!(
            log.line(&played, at(120)).unwrap(),
            "round 21/1,010: 300 of 1,000 games played"
        );
        let evaluation = RunEvent::EvaluationGamesPlayed {
            round: 25,
            opponent: "default".to_owned(),
            done: 4,
            of: 2000,
        };
        assert_eq!(
            log.line(&evaluation, at(200)).unwrap(),
            "round 25/1,010: 4 of 2,000 games against default"
        );
        assert_eq!(log.line(&round(26), at(201)), None);
    }

    #[test]
    fn the_time_left_follows_what_the_machine_does_now() {
        let began = Instant::now();
        let mut pace = RoundPace::default();
        let by_the_file = [600.0, 1200.0];
        let phase = RunEvent::PhaseBegan {
            name: "games".to_owned(),
            number: 1,
            of: 3,
            seconds_left: 1800.0,
            by_the_file,
        };
        let started = RunEvent::Started {
            directory: "runs/x".into(),
            after_round: 0,
            rounds: 100,
            games_per_round: 1000,
            threads: 2,
            memory: 0,
        };
        pace.observe(&phase, began);
        pace.observe(&started, began);
        assert_eq!(pace.in_words(), "");
        // The first round takes as long as a hundred later ones, which is forgotten.
        let mut now = began + Duration::from_secs(300);
        pace.observe(&round(1), now);
        assert_eq!(pace.in_words(), "about 8 h 15 min left, 24 h 55 min in all phases");
        for number in 2..=60 {
            now += Duration::from_secs(3);
            pace.observe(&round(number), now);
        }
        assert_eq!(pace.in_words(), "about 2 min 00 s left, 12 min 00 s in all phases");
        for number in 61..=100 {
            now += Duration::from_secs(3);
            pace.observe(&round(number), now);
        }
        assert_eq!(pace.left().unwrap()[0], Duration::ZERO);
        assert_eq!(pace.in_words(), "");
    }
}
