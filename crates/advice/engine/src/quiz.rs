//! Questions to a user about positions: the own errors of analyzed matches, or close decisions.
//!
//! A [`Deck`] keeps the questions in a file and says which are due; [`Engine::rate_answer`] tells
//! what an answer loses.

mod deck;

use tavola_matches::analysis::Thresholds;
use tavola_rules::notation::{self, Situation, parse_situation};
use tavola_rules::{Dice, Offer, moves};

use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Result};
use crate::live::Hint;
use crate::operations::{Best, Cube};
use crate::question::Question;
use crate::watch::Watch;

pub use self::deck::{Deck, DueDay, Memory, QuizCard};

/// A question about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct QuizQuestion {
    /// The position as a text, the player on roll first.
    position: String,
    /// The position, seen by the player who has to decide.
    seen: Situation,
    /// What has to be decided.
    asked: QuizDecision,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum QuizDecision {
    Play(Dice),
    Double { again: bool },
    Response { beavers: bool },
}

/// An answer and what it loses.
#[derive(Clone, Debug)]
pub struct RatedAnswer {
    /// The answer in words.
    pub answer: String,
    /// The best answer in words.
    pub best: String,
    /// Equity lost against it: money equity per cube, in a match EMG; never negative.
    pub loss: f64,
    /// Half of the 95 % interval of that, where it is known.
    pub interval: Option<f64>,
    /// The plays of the roll, or the figures of the cube.
    pub figures: Hint,
}

impl RatedAnswer {
    /// How good the answer was.
    pub fn in_words(&self) -> String {
        let Thresholds { error, blunder } = Thresholds::default();
        let interval = self.interval.map_or_else(String::new, |within| format!(" ± {within:.3}"));
        let lost = format!("{:.3}{interval}", self.loss);
        match self.loss {
            0.0 => "the best choice".to_owned(),
            loss if loss < error => format!("nearly as good as {}: loses {lost}", self.best),
            loss if loss < blunder => format!("an error: loses {lost} against {}", self.best),
            _ => format!("a blunder: loses {lost} against {}", self.best),
        }
    }
}

impl QuizQuestion {
    /// The question that a position asks: a roll wants a play, an offered double a response, and
    /// anything else the decision to double.
    ///
    /// # Errors
    ///
    /// [`EngineError`]: the text is not a valid position of backgammon.
    pub fn new(position: &str) -> Result<Self> {
        let situation = parse_situation(position)
            .map_err(|error| EngineError::new(ErrorKind::Position, error))?;
        let (asked, seen) = match (situation.offer, situation.dice) {
            (Some(Offer::Double | Offer::Beaver | Offer::Raccoon), _) => {
                let stakes = situation.stakes;
                let beavers = matches!(
                    stakes,
                    Some(notation::MoneyOrMatch::Money { beavers: Some(true), .. })
                );
                let seen = Situation {
                    position: situation.position.flip(),
                    cube: situation.cube.map(tavola_rules::Cube::flip),
                    stakes: stakes.map(notation::MoneyOrMatch::flip),
                    ..situation
                };
                (QuizDecision::Response { beavers }, seen)
            }
            (_, Some(dice)) => (QuizDecision::Play(dice), situation),
            _ => {
                let again = situation.cube.is_some_and(|cube| cube.value() > 1);
                (QuizDecision::Double { again }, situation)
            }
        };
        Ok(Self { position: position.to_owned(), seen, asked })
    }

    /// The position, seen by the player who has to decide.
    pub fn seen(&self) -> &Situation {
        &self.seen
    }

    /// Whether the opponent is on roll, who has offered a double.
    pub fn is_response(&self) -> bool {
        matches!(self.asked, QuizDecision::Response { .. })
    }

    /// What has to be decided, in words.
    pub fn text(&self) -> String {
        match self.asked {
            QuizDecision::Play(dice) => format!("How do you play {}-{}?", dice.high(), dice.low()),
            QuizDecision::Double { again: false } => "Do you double, or roll?".to_owned(),
            QuizDecision::Double { again: true } => "Do you redouble, or roll?".to_owned(),
            QuizDecision::Response { .. } => "You are doubled. Do you take, or pass?".to_owned(),
        }
    }

    /// The plays of the roll in their order everywhere; none in a question about the cube.
    pub fn plays(&self) -> Vec<String> {
        let QuizDecision::Play(dice) = self.asked else { return Vec::new() };
        let plays = moves::plays(&self.seen.position, dice).into_iter();
        plays.map(|(play, _)| play.to_string()).collect()
    }

    /// How an answer looks.
    pub fn expected(&self) -> &'static str {
        match self.asked {
            QuizDecision::Play(_) => "a play such as '13/8 6/5', or its number in 'plays'",
            QuizDecision::Double { .. } => "'double' or 'roll'",
            QuizDecision::Response { beavers: false } => "'take' or 'pass'",
            QuizDecision::Response { beavers: true } => "'take', 'pass' or 'beaver'",
        }
    }
}

impl Engine {
    /// What an answer of the user loses.
    ///
    /// # Errors
    ///
    /// [`EngineError`]: the answer doesn't fit this question, or the engine can't answer.
    pub fn rate_answer(
        &self,
        asked: &QuizQuestion,
        answer: &str,
        effort: &Effort,
        watch: &Watch<'_>,
    ) -> Result<RatedAnswer> {
        let position = Some(asked.position.clone());
        let question = Question { position, effort: *effort, ..Question::default() };
        if matches!(asked.asked, QuizDecision::Play(_)) {
            let played = Some(answer.to_owned());
            let best = Best { top: Some(5), played, ..Best::default() };
            let found = self.ask(&question, &best, watch)?.answer;
            let (Some(played), Some(first)) = (found.played.clone(), found.plays.first()) else {
                return Err(EngineError::new(ErrorKind::Play, "there is nothing to play"));
            };
            return Ok(RatedAnswer {
                answer: played.play,
                best: first.play.clone(),
                loss: f64::from(played.loss),
                interval: played.interval,
                figures: Hint::Plays(Box::new(found)),
            });
        }
        let chosen = asked.choice(answer)?;
        let found = self.ask(&question, &Cube::default(), watch)?.answer;
        let Some(losses) = found.losses else {
            return Err(EngineError::new(ErrorKind::Cube, "the cube can't be turned here"));
        };
        let mut choices = match asked.asked {
            QuizDecision::Response { .. } => vec![("take", losses.take), ("pass", losses.pass)],
            _ => vec![("double", losses.double), ("roll", losses.no_double)],
        };
        choices.extend(losses.beaver.map(|loss| ("beaver", loss)));
        let loss = choices.iter().find(|(choice, _)| *choice == chosen).map(|(_, loss)| *loss);
        let best = choices.iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
        match (loss, best) {
            (Some(loss), Some((best, _))) => Ok(RatedAnswer {
                answer: chosen.to_owned(),
                best: (*best).to_owned(),
                loss: loss.max(0.0),
                interval: found.interval,
                figures: Hint::Cube(Box::new(found)),
            }),
            _ => Err(asked.not_understood(answer)),
        }
    }
}

impl QuizQuestion {
    /// The word of an answer about the cube.
    fn choice(&self, answer: &str) -> Result<&'static str> {
        let word = answer.trim().to_lowercase();
        let response = self.is_response();
        match (word.as_str(), response) {
            ("double" | "d" | "redouble", false) => Ok("double"),
            ("roll" | "r" | "no double" | "no redouble" | "no", false) => Ok("roll"),
            ("take" | "t", true) => Ok("take"),
            ("pass" | "p" | "drop", true) => Ok("pass"),
            ("beaver" | "b", true) if self.asked == (QuizDecision::Response { beavers: true }) => {
                Ok("beaver")
            }
            _ => Err(self.not_understood(answer)),
        }
    }

    fn not_understood(&self, answer: &str) -> EngineError {
        EngineError::new(
            ErrorKind::Request,
            format_args!("{answer:?} is no answer to this, expected {}", self.expected()),
        )
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    fn rate(position: &str, answer: &str) -> Result<RatedAnswer> {
        let asked = QuizQuestion::new(position).unwrap();
        let effort = Effort::at(0);
        let engine = Engine::without_tables();
        engine.rate_answer(&asked, answer, &effort, &Watch::default())
    }

    #[test]
    fn a_play_loses_what_the_best_one_is_worth_more() {
        let position = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10";
        let best = rate(position, "8/5 6/5").unwrap();
        assert_eq!((best.loss, best.best.as_str()), (0.0, "8/5 6/5"));
        let worse = rate(position, "24/20").unwrap();
        assert!(worse.loss > 0.05 && worse.best == "8/5 6/5", "{worse:?}");
        let error = rate(position, "24/19").unwrap_err();
        assert!(error.to_string().contains("24/19"), "{error}");
        let error = rate(position, "take").unwrap_err();
        assert!(error.to_string().contains("take"), "{error}");
    }

    #[test]
    fn a_cube_action_loses_what_the_best_one_is_worth_more() {
        // Far ahead in a race: a clear double, and a clear pass.
        let double = "XGID=-CCBCCA------------bcddb--:0:0:1:00:0:0:0:0:10";
        let right = rate(double, "double").unwrap();
        assert_eq!((right.loss, right.best.as_str()), (0.0, "double"));
        assert!(rate(double, "no").unwrap().loss > 0.0);
        let offered = double.replace(":00:", ":D:");
        assert_eq!(QuizQuestion::new(&offered).unwrap().expected(), "'take' or 'pass'");
        let wrong = rate(&offered, "take").unwrap();
        let right = rate(&offered, "drop").unwrap();
        assert_eq!((wrong.best.as_str(), right.loss), (right.answer.as_str(), 0.0));
        assert!(wrong.loss > 0.0);
        let error = rate(&offered, "double").unwrap_err();
        assert!(error.to_string().contains("expected 'take' or 'pass'"), "{error}");
    }
}
