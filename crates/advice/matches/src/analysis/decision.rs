//! A decision that was evaluated.

use serde::{Deserialize, Serialize};
use tavola_rules::Player;

use super::beside::Opinion;
use super::cube::CubeFigures;
use super::habit::Habit;
use super::question::{Choice, DecisionPoint};
use super::summary::Thresholds;

/// Choices that differ by no more are equally good.
const AS_GOOD: f64 = 0.001;

/// How many margins fit the interval around one: 1 or more if the sign is open.
fn ratio(interval: f64, margin: f64) -> f64 {
    interval / margin.abs().max(f64::MIN_POSITIVE)
}

/// The kind of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// A play of a roll.
    #[default]
    Checker,
    /// To double or to roll.
    Double,
    /// To take, to pass or to beaver.
    Response,
    /// To offer a resignation.
    Resignation,
    /// To accept or to refuse one.
    ResignationResponse,
}

/// In which way a decision was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MistakeKind {
    /// Another play was better.
    Play,
    /// Not doubled, where doubling was right.
    MissedDouble,
    /// Doubled too early.
    WrongDouble,
    /// Doubled, where playing on for the gammon was better.
    WrongDoubleTooGood,
    /// Taken instead of passed.
    WrongTake,
    /// Passed instead of taken.
    WrongPass,
    /// Beavered instead of anything else, or not beavered.
    WrongBeaver,
    /// Resigned for too much, or accepted or refused wrongly.
    WrongResignation,
}

tavola_rules::named!(MistakeKind, "fault":
    Play => "wrong play",
    MissedDouble => "missed double",
    WrongDouble => "wrong double",
    WrongDoubleTooGood => "double when too good",
    WrongTake => "wrong take",
    WrongPass => "wrong pass",
    WrongBeaver => "wrong beaver",
    WrongResignation => "wrong resignation",
);

/// A phase of the game in the words of players, where its name is none: `back game`.
pub fn phase_in_words(name: &str) -> &str {
    match name {
        "back-game" => "back game",
        "bear-off-contact" => "bear-off with contact",
        name => name,
    }
}

/// A play of a roll with what it is worth to the player who makes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatedPlay {
    /// The play in words.
    pub play: String,
    /// Equity with the cube: money equity per cube, in a match EMG.
    pub equity: f64,
    /// The chance to win the match, in a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mwc: Option<f64>,
    /// Equity lost against the best play, 0 or more.
    pub loss: f64,
    /// Half of the 95 % interval of that, in the same unit.
    pub interval: f64,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon, without regard to the cube.
    pub probs: [f32; 5],
    /// Plies of lookahead.
    pub ply: u8,
}

/// How lucky a roll was: what its best play is worth less the mean over all rolls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollLuck {
    /// In money equity per cube, in a match EMG.
    pub emg: f64,
    /// In chances to win the match, in a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mwc: Option<f64>,
}

/// A rollout of the best choices of a decision and of the one that was made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RolledOut {
    /// Games of each choice.
    pub trials: u64,
    /// Standard error of the difference between the choice that was made and the best one.
    pub loss_se: f64,
}

/// What an analysis says of a decision, certain if intervals of 95 % allow nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Which choice is best.
    Best,
    /// Whether an error was made.
    Error,
    /// Whether a blunder was made.
    Blunder,
}

/// A decision that was evaluated. Losses are of the player who decided, 0 or more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The game, from 1.
    pub game: usize,
    /// The turn within the game, from 1.
    pub number: usize,
    /// The row of the game in match text, from 1.
    #[serde(default)]
    pub row: usize,
    /// Who decided.
    #[serde(with = "seat")]
    pub player: Player,
    /// What was decided.
    pub kind: DecisionKind,
    /// The position before the decision as an XGID, seen from the player on roll.
    pub position: String,
    /// The phase of the game.
    pub phase: String,
    /// The value of the cube before the decision.
    pub cube: u32,
    /// What was done, in words.
    pub done: String,
    /// Which of the [cube actions](CubeFigures::choices) was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<usize>,
    /// What was best, in words.
    pub best: String,
    /// Money equity lost per cube, in a match EMG.
    pub loss: f64,
    /// Half of the 95 % interval of that, in the same unit; 0 where there was nothing to choose.
    pub interval: f64,
    /// What is not certain by these intervals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Doubt>,
    /// Chances to win the match that were lost, in a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_mwc: Option<f64>,
    /// In which way it was wrong, if anything was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<MistakeKind>,
    /// The names that players have for the error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub habits: Vec<Habit>,
    /// There was nothing to choose.
    pub forced: bool,
    /// A decision that counts for the error rate of GNU Backgammon: an unforced play, a close or an
    /// actual cube decision.
    pub close: bool,
    /// A decision that counts for the performance rating of eXtreme Gammon.
    pub counted_pr: bool,
    /// Plies of lookahead.
    pub depth: u8,
    /// What the position was worth to the player after the decision: equity per cube or EMG.
    pub equity: f64,
    /// The equity as the chance to win the match, in a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mwc: Option<f64>,
    /// The rollout that the figures are from, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolledOut>,
    /// What other engines say of it: those of the file, then those that were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Opinion>,
    /// What the file comments on it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// The luck of the roll, of a play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<RollLuck>,
    /// The best plays and the one that was made, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plays: Vec<RatedPlay>,
    /// What the cube actions are worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<CubeFigures>,
    /// Of an error: why the best play was better, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

impl Decision {
    /// What was done with a roll before a resignation.
    pub const NOT_PLAYED: &str = "not played";

    /// Whether it is the one of this question.
    pub fn is_about(&self, question: &DecisionPoint) -> bool {
        let kind = match question.choice {
            Choice::Play { .. } => DecisionKind::Checker,
            Choice::Double { .. } => DecisionKind::Double,
            Choice::Answer(_) => DecisionKind::Response,
            Choice::Resign(_) => DecisionKind::Resignation,
            Choice::AnswerResignation { .. } => DecisionKind::ResignationResponse,
        };
        (self.game, self.number, self.player, self.kind)
            == (question.game + 1, question.turn, question.player, kind)
    }

    /// What another engine says.
    pub fn opinion(&self, name: &str) -> Option<&Opinion> {
        self.beside.iter().find(|it| it.name == name)
    }

    /// Whether it is a roll that was played, or could not be: not one before a resignation.
    pub fn is_played(&self) -> bool {
        self.kind == DecisionKind::Checker && self.done != Self::NOT_PLAYED
    }

    /// How it was evaluated, in words.
    pub fn evaluated_by(&self) -> String {
        match self.rollout {
            None => format!("{}-ply", self.depth),
            Some(RolledOut { trials, loss_se }) => {
                format!("rollout of {trials} games, standard error {loss_se:.3}")
            }
        }
    }

    /// What other choices lose against the best one, with half of the interval of each.
    fn rivals(&self) -> Vec<(f64, f64)> {
        match &self.actions {
            Some(figures) => {
                figures.apart(self.kind).map(|loss| (loss, figures.interval)).into_iter().collect()
            }
            None => self.plays.iter().skip(1).map(|play| (play.loss, play.interval)).collect(),
        }
    }

    /// The verdicts that are not certain, each with the ratio of the interval to the margin.
    fn doubts(&self, thresholds: &Thresholds) -> Vec<(Doubt, f64)> {
        if self.forced || !self.is_counted() {
            return Vec::new();
        }
        let rivals = self.rivals();
        // Choices that are surely as good as each other are no question.
        let unlike = rivals.iter().filter(|(loss, interval)| loss + interval > AS_GOOD);
        let best = unlike.map(|(loss, interval)| ratio(*interval, *loss)).fold(0.0, f64::max);
        let lost = |limit: f64| match self.loss > 0.0 {
            true => ratio(self.interval, self.loss - limit),
            // As much is lost if another choice is better by so much.
            false => rivals
                .iter()
                .map(|(loss, interval)| ratio(*interval, loss + limit))
                .fold(0.0, f64::max),
        };
        let all = [
            (Doubt::Best, best),
            (Doubt::Error, lost(thresholds.error)),
            (Doubt::Blunder, lost(thresholds.blunder)),
        ];
        all.into_iter().filter(|(_, ratio)| *ratio >= 1.0).collect()
    }

    /// The verdicts that are not certain with these thresholds.
    pub fn uncertain(&self, thresholds: &Thresholds) -> Vec<Doubt> {
        self.doubts(thresholds).into_iter().map(|(verdict, _)| verdict).collect()
    }

    /// About how much work it is to make all verdicts certain, in no unit.
    pub fn effort(&self, thresholds: &Thresholds) -> f64 {
        let worst = self.doubts(thresholds).into_iter().map(|(_, ratio)| ratio).fold(0.0, f64::max);
        worst * worst * self.plays.len().max(2) as f64
    }

    /// What is open and what is certain, in words: `best play: 8/5 6/5 or 24/20 (0.021 ± 0.036); the
    /// play made is a blunder either way`. `None` where all is certain.
    pub fn open_in_words(&self, thresholds: &Thresholds) -> Option<String> {
        let open = self.uncertain(thresholds);
        if open.is_empty() {
            return None;
        }
        let mut said = Vec::new();
        let is_play = self.actions.is_none();
        if open.contains(&Doubt::Best) {
            let what = if is_play { "best play" } else { "best action" };
            said.extend(self.contenders().map(|([best, other], loss, interval)| {
                format!("{what}: {best} or {other} ({loss:.3} ± {interval:.3})")
            }));
        }
        let made = if is_play { "the play made" } else { "what was done" };
        let size = match self.loss {
            loss if loss >= thresholds.blunder => "a blunder",
            loss if loss >= thresholds.error => "an error",
            _ => "no error",
        };
        said.push(match (open.contains(&Doubt::Error), open.contains(&Doubt::Blunder)) {
            (false, false) => format!("{made} is {size} either way"),
            (false, true) => format!("{made} is an error, perhaps a blunder"),
            (true, false) => format!("{made} may be an error"),
            (true, true) => format!("{made} may be an error, even a blunder"),
        });
        Some(said.join("; "))
    }

    /// The best choice and its closest rival, the one that the interval says least against, with what
    /// that loses and half of the interval of it.
    fn contenders(&self) -> Option<([&str; 2], f64, f64)> {
        if let Some(figures) = &self.actions {
            let doubled = figures.double_take.min(figures.double_pass);
            let (names, first_is_best) = match self.kind {
                DecisionKind::Double => (["double", "no double"], doubled >= figures.no_double),
                // Seen by the player who answers.
                _ => (["take", "pass"], figures.double_take <= figures.double_pass),
            };
            let [one, other] = names;
            let names = if first_is_best { names } else { [other, one] };
            return Some((names, figures.apart(self.kind)?, figures.interval));
        }
        let best = self.plays.first()?;
        let others = self.plays.iter().skip(1);
        let unlike = others.filter(|play| play.loss + play.interval > AS_GOOD);
        let doubt = |play: &RatedPlay| ratio(play.interval, play.loss);
        let other = unlike.max_by(|a, b| doubt(a).total_cmp(&doubt(b)))?;
        Some(([best.play.as_str(), other.play.as_str()], other.loss, other.interval))
    }

    /// What was lost with its interval, as `-0.042 ± 0.011`; resignations have none.
    pub fn lost(&self) -> String {
        match self.kind {
            DecisionKind::Resignation | DecisionKind::ResignationResponse => {
                format!("-{:.3}", self.loss)
            }
            _ => format!("-{:.3} ± {:.3}", self.loss, self.interval),
        }
    }

    /// Whether it counts in the error totals: plays and cube decisions, not resignations.
    pub const fn is_counted(&self) -> bool {
        use DecisionKind::{Checker, Double, Response};
        matches!(self.kind, Checker | Double | Response)
    }
}

/// A player as 1 or 2.
mod seat {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use tavola_rules::Player;

    use crate::json;

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it so
    pub(super) fn serialize<S: Serializer>(player: &Player, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(json::seat(*player))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Player, D::Error> {
        json::player(u8::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A play that lost this much beside the best one.
    fn made(loss: f64, interval: f64) -> Decision {
        let play = |name: &str, loss: f64| {
            json!({"play": name, "equity": 0.1 - loss, "loss": loss, "interval": interval,
                "probs": [0.5, 0.1, 0.0, 0.1, 0.0], "ply": 2})
        };
        let decision = json!({
            "game": 1, "number": 1, "player": 1, "kind": "checker", "position": "", "phase": "middle",
            "cube": 1, "done": "8/5 6/5", "best": "24/20", "loss": loss, "interval": interval,
            "forced": false, "close": true, "counted_pr": true, "depth": 2, "equity": 0.1 - loss,
            "plays": [play("24/20", 0.0), play("8/5 6/5", loss)],
        });
        serde_json::from_value(decision).unwrap()
    }

    #[test]
    fn a_verdict_is_open_where_its_interval_holds_the_limit() {
        let of = |loss, interval| made(loss, interval).uncertain(&Thresholds::default());
        assert_eq!(of(0.05, 0.01), []);
        assert_eq!(of(0.025, 0.01), [Doubt::Error]);
        assert_eq!(of(0.075, 0.01), [Doubt::Blunder]);
        assert_eq!(of(0.01, 0.015), [Doubt::Best, Doubt::Error]);
        // As good as each other.
        assert_eq!(of(0.0002, 0.0003), []);
        let forced = Decision { forced: true, ..made(0.01, 0.015) };
        assert_eq!(forced.uncertain(&Thresholds::default()), []);
    }

    #[test]
    fn half_the_margin_takes_four_times_the_games() {
        let effort = |loss| made(loss, 0.01).effort(&Thresholds::default());
        assert!((effort(0.0225) / effort(0.025) - 4.0).abs() < 1e-9);
        assert_eq!(effort(0.05), 0.0);
    }

    #[test]
    fn what_is_open_and_what_is_certain_is_said_apart() {
        let words = |decision: Decision| decision.open_in_words(&Thresholds::default());
        assert_eq!(words(made(0.05, 0.01)), None);
        let said = |loss, interval| words(made(loss, interval)).unwrap();
        assert_eq!(said(0.075, 0.01), "the play made is an error, perhaps a blunder");
        assert_eq!(said(0.022, 0.01), "the play made may be an error");
        assert_eq!(
            said(0.01, 0.015),
            "best play: 24/20 or 8/5 6/5 (0.010 ± 0.015); the play made may be an error"
        );
        let wide = said(0.05, 0.06);
        assert!(wide.ends_with("; the play made may be an error, even a blunder"), "{wide}");
        // The rival of the best play is open, the blunder is not.
        let mut blunder = made(0.851, 0.048);
        let rival = RatedPlay { play: "13/9".to_owned(), loss: 0.021, ..blunder.plays[1].clone() };
        blunder.plays.insert(1, RatedPlay { interval: 0.036, ..rival });
        assert_eq!(
            words(blunder.clone()).unwrap(),
            "best play: 24/20 or 13/9 (0.021 ± 0.036); the play made is a blunder either way"
        );
        // One of the two may be the play that was made.
        let best = Decision { done: "24/20".to_owned(), loss: 0.0, interval: 0.015, ..blunder };
        let said = words(best.clone()).unwrap();
        assert!(said.ends_with("; the play made is no error either way"), "{said}");
        let mut wide = best;
        wide.plays[1].interval = 0.05;
        let said = words(wide).unwrap();
        assert!(said.ends_with("(0.021 ± 0.050); the play made may be an error"), "{said}");
        assert_eq!(made(0.042, 0.011).lost(), "-0.042 ± 0.011");
    }
}
