//! A line a minute of a training run, where there is no terminal for bars.

use std::time::{Duration, Instant};

use tavola_pipeline::RunEvent;

use crate::report::format;

/// Time between two lines.
const INTERVAL: Duration = Duration::from_secs(60);

/// When the last line was written, and how far the run was when it began.
#[derive(Debug)]
pub struct TrainLog {
    began: Instant,
    last: Instant,
    /// Rounds that were done when it began, and all of them.
    after_round: u32,
    rounds: u32,
}

impl TrainLog {
    /// A log of a run that begins now.
    pub const fn new(now: Instant) -> Self {
        Self { began: now, last: now, after_round: 0, rounds: 0 }
    }

    /// The line that an event is worth, if it is time for one.
    pub fn line(&mut self, event: &RunEvent, now: Instant) -> Option<String> {
        if let RunEvent::Started { after_round, rounds, .. } = event {
            *self = Self { after_round: *after_round, rounds: *rounds, ..Self::new(now) };
        }
        if now.saturating_duration_since(self.last) < INTERVAL {
            return None;
        }
        let all = format::count(self.rounds.into());
        let games = |done: &u64, of: &u64| {
            format!("{} of {} games", format::count(*done), format::count(*of))
        };
        let line = match event {
            RunEvent::RoundFinished(round) => {
                let done = f64::from(round.round.saturating_sub(self.after_round).max(1));
                let left = f64::from(self.rounds.saturating_sub(round.round));
                let left = (now - self.began).mul_f64(left / done);
                format!(
                    "round {}/{all}: {} games, loss {:.4}, {:.0} games/s, about {} left",
                    format::count(round.round.into()),
                    format::count(round.games),
                    round.loss,
                    round.games_per_second,
                    format::duration(left)
                )
            }
            RunEvent::GamesPlayed { round, done, of } => {
                format!(
                    "round {}/{all}: {} played",
                    format::count((*round).into()),
                    games(done, of)
                )
            }
            RunEvent::EvaluationGamesPlayed { round, opponent, done, of } => {
                format!(
                    "round {}/{all}: {} against {opponent}",
                    format::count((*round).into()),
                    games(done, of)
                )
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
}
