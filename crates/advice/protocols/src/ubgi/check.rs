//! Questions that tell whether an engine keeps to the protocol.
//!
//! Anyone can run them against any engine: `tavola ubgi --check ./engine`. What every dialect
//! demands is [`Requirement::Required`]; what a specification recommends or leaves open is
//! [`Requirement::Optional`], and an engine that refuses it politely merely lacks it.

mod positions;
mod report;

use std::io;
use std::time::{Duration, Instant};

use tavola_rules::notation::{Form, MoneyOrMatch, Situation, encode_position_id, parse_play};
use tavola_rules::{Cube, Dice, Offer, Position};

use self::positions::{points, positions};
pub use self::report::{CheckOutcome, CheckReport, Checked, Requirement};
use super::Dialect;
use crate::process::{EngineCommand, Process, ProcessEnd};

/// Lines that an engine may say before the one that is waited for.
const MOST_LINES: usize = tavola_files::limits::ENGINE_LINES.default as usize;

/// Runs all checks; `tell` hears of each as it is done.
///
/// # Errors
///
/// If the engine can't be started. Whatever it does afterwards is part of the report.
pub fn check(command: &EngineCommand, tell: &mut dyn FnMut(&Checked)) -> io::Result<CheckReport> {
    let process = Process::start(command)?;
    let report =
        CheckReport { engine: command.program.clone(), dialects: Vec::new(), checks: Vec::new() };
    let speech = Dialect::V0_1;
    let mut run = Run { process, timeout: command.timeout, report, speech, tell, is_dead: false };
    run.all();
    Ok(run.report)
}

/// Why an answer is not what was wanted.
enum Wrong {
    /// An `error` line, or `sorry`.
    Refused(String),
    /// Anything else.
    Broken(String),
}

type Answer<T> = Result<T, Wrong>;

fn broken<T>(reason: impl Into<String>) -> Answer<T> {
    Err(Wrong::Broken(reason.into()))
}

struct Run<'a> {
    process: Process,
    timeout: Duration,
    report: CheckReport,
    /// How the engine is spoken to.
    speech: Dialect,
    tell: &'a mut dyn FnMut(&Checked),
    /// Nothing more can be asked.
    is_dead: bool,
}

impl Run<'_> {
    fn all(&mut self) {
        use Requirement::{Optional, Required};
        self.check(Required, "`ubgi` is answered by a name and ubgiok or readyok", Self::greets);
        self.check(Required, "`isready` is answered by readyok", Self::is_ready);
        self.check(Required, "an unknown command gets an error and does no harm", Self::survives);
        self.check(
            Optional,
            "options and keys are well formed and take their defaults",
            Self::options,
        );
        self.check(Required, "`newgame` is accepted", |run| run.accepts("newgame"));
        for (name, position, dice) in positions() {
            let dice: Dice = dice.parse().expect("the rolls of the checks are rolls");
            self.check(Required, &format!("{dice}: {name}"), |run| run.plays(&position, dice));
        }
        self.check(
            Required,
            "a turn without a play is `bestmove pass`, or a blank line in 0.01",
            Self::passes,
        );
        self.check(Required, "impossible dice and positions get an error", Self::refuses_nonsense);
        self.check(Optional, "the same question has the same answer", Self::is_deterministic);
        self.check(Optional, "a position may be an XGID", Self::reads_xgid);
        self.check(Optional, "a cube decision is answered by double or nodouble", Self::doubles);
        self.check(Optional, "an offered cube is answered by take, drop or beaver", Self::responds);
        self.check(Optional, "a whole turn is answered by bestturn", Self::turns);
        self.check(Optional, "`stop` ends a search that was given a minute", Self::stops);
        self.check(Required, "`quit` ends the engine", Self::quits);
    }

    fn check(&mut self, level: Requirement, name: &str, ask: impl FnOnce(&mut Self) -> Answer<()>) {
        let verdict = match self.is_dead {
            true => CheckOutcome::Failed("the engine no longer answers".to_owned()),
            false => match ask(self) {
                Ok(()) => CheckOutcome::Passed,
                Err(Wrong::Refused(reason)) => CheckOutcome::Missing(reason),
                Err(Wrong::Broken(reason)) => CheckOutcome::Failed(reason),
            },
        };
        let checked = Checked { name: name.to_owned(), level, verdict };
        (self.tell)(&checked);
        self.report.checks.push(checked);
    }

    /// Sends lines and collects answers up to one that `ends` accepts; a refusal ends them too.
    fn ask(&mut self, requests: &[&str], ends: impl Fn(&str) -> bool) -> Answer<Vec<String>> {
        for request in requests {
            self.send(request)?;
        }
        let deadline = Instant::now() + self.timeout;
        let mut lines: Vec<String> = Vec::new();
        while lines.len() < MOST_LINES {
            let line = match self.process.receive(deadline) {
                Ok(line) => line.trim().to_owned(),
                Err(ending) => return self.die(&requests.join("; "), &ending),
            };
            if line.starts_with("error") || line == "sorry" {
                // What was on its way must not be taken for the next answer.
                if self.speech != Dialect::V0_01 {
                    self.settle()?;
                }
                return Err(Wrong::Refused(line));
            }
            let is_last = ends(&line);
            lines.push(line);
            if is_last {
                return Ok(lines);
            }
        }
        broken(format!("{} had {MOST_LINES} lines and no end", requests.join("; ")))
    }

    /// Sends a request.
    fn send(&mut self, request: &str) -> Answer<()> {
        self.process.send(request).or_else(|ending| self.die(request, &ending))
    }

    fn die<T>(&mut self, request: &str, ending: &ProcessEnd) -> Answer<T> {
        self.is_dead = true;
        broken(match ending {
            ProcessEnd::Hung => {
                format!("no answer to {request:?} within {} s", self.timeout.as_secs_f64())
            }
            ProcessEnd::Ended { last_words, .. } => {
                format!("ended instead of answering {request:?}; its last words: {last_words:?}")
            }
        })
    }

    /// Reads up to the answer to `isready`.
    fn settle(&mut self) -> Answer<Vec<String>> {
        let mut lines = Vec::new();
        self.send("isready")?;
        let deadline = Instant::now() + self.timeout;
        loop {
            match self.process.receive(deadline) {
                Ok(line) if line.trim() == "readyok" => return Ok(lines),
                Ok(line) => lines.push(line.trim().to_owned()),
                Err(ending) => return self.die("isready", &ending),
            }
        }
    }

    /// Sends what has no answer of its own.
    fn accepts(&mut self, request: &str) -> Answer<()> {
        if self.speech == Dialect::V0_01 {
            return Ok(());
        }
        self.send(request)?;
        match self.settle()?.iter().find(|line| line.starts_with("error")) {
            Some(error) => Err(Wrong::Refused(error.clone())),
            None => Ok(()),
        }
    }

    fn greets(&mut self) -> Answer<()> {
        let lines = self.ask(&["ubgi"], |line| line == "ubgiok" || line == "readyok")?;
        let field = |key: &str| lines.iter().find_map(|line| line.strip_prefix(key));
        let has_0_2 = lines.iter().any(|line| line == "proto 0.2");
        let is_draft = lines.last().is_some_and(|line| line == "readyok");
        let has_0_1 = lines.iter().any(|line| line.starts_with("option "));
        self.speech = match (is_draft, has_0_2) {
            (true, _) => Dialect::V0_01,
            (_, true) => Dialect::V0_2,
            _ => Dialect::V0_1,
        };
        self.report.dialects = match self.speech {
            Dialect::V0_2 if has_0_1 => vec![Dialect::V0_1.name(), Dialect::V0_2.name()],
            dialect => vec![dialect.name()],
        };
        match field("id name ") {
            Some(name) if !name.trim().is_empty() => {
                let version = field("id version ").unwrap_or_default();
                self.report.engine =
                    format!("{} {}", name.trim(), version.trim()).trim().to_owned();
                Ok(())
            }
            _ => broken("no line `id name <name>`"),
        }
    }

    fn is_ready(&mut self) -> Answer<()> {
        // The draft has the word in its greeting alone.
        if self.speech == Dialect::V0_01 { Ok(()) } else { self.settle().map(drop) }
    }

    fn survives(&mut self) -> Answer<()> {
        const NONSENSE: &str = "xyzzy plugh";
        if self.speech == Dialect::V0_01 {
            return match self.ask(&[NONSENSE], |_| true) {
                Err(Wrong::Refused(_)) => Ok(()),
                Ok(lines) => broken(format!("answered {lines:?}, expected sorry")),
                Err(wrong) => Err(wrong),
            };
        }
        self.send(NONSENSE)?;
        let lines = self.settle()?;
        match &lines[..] {
            [line] if line.starts_with("error ") => Ok(()),
            _ => broken(format!("answered {lines:?}, expected one line `error <code> ...`")),
        }
    }

    fn options(&mut self) -> Answer<()> {
        if self.speech == Dialect::V0_01 {
            return Err(Wrong::Refused("the draft has none".to_owned()));
        }
        let lines = self.ask(&["ubgi"], |line| line == "ubgiok")?;
        let mut found = 0;
        for line in lines.iter().filter(|line| line.starts_with("option ")) {
            let (name, default) = option(line).ok_or_else(|| {
                let form =
                    "option name <Name> type <spin|check|combo|string|button> default <value>";
                Wrong::Broken(format!("{line:?}, expected {form}"))
            })?;
            self.accepts(&format!("setoption name {name} value {default}"))
                .map_err(|wrong| refused(wrong, &format!("the default of {name}")))?;
            found += 1;
        }
        if self.speech == Dialect::V0_2 {
            self.send("keys")?;
            for line in self.settle()?.iter().filter(|line| line.starts_with("key ")) {
                let (name, default) = key(line).ok_or_else(|| {
                    let form = "key <name> int|bool|enum|string ... <default>";
                    Wrong::Broken(format!("{line:?}, expected {form}"))
                })?;
                let get = format!("get {name}");
                let value = self.ask(&[&get], |line| line.starts_with("value "))?;
                let expected = format!("value {name} {default}");
                if value.last() != Some(&expected) {
                    return broken(format!("{get:?} gave {value:?}, expected {expected:?}"));
                }
                self.accepts(&format!("set {name} {default}"))
                    .map_err(|wrong| refused(wrong, &format!("the default of {name}")))?;
                found += 1;
            }
        }
        if found == 0 { Err(Wrong::Refused("no options".to_owned())) } else { Ok(()) }
    }

    /// The lines up to the answer to a `go`.
    fn go(&mut self, position: &str, dice: Option<Dice>, role: &str) -> Answer<String> {
        let dice = dice.map(|dice| format!("dice {} {}", dice.high(), dice.low()));
        let go = match self.speech {
            Dialect::V0_2 => format!("go {role}"),
            _ => format!("go role {role}"),
        };
        let requests: Vec<&str> =
            [Some(position), dice.as_deref(), Some(&go)].into_iter().flatten().collect();
        let last = match role {
            "chequer" => "bestmove",
            "cube" => "bestcube",
            _ => "bestturn",
        };
        let lines = self.ask(&requests, |line| line.split_whitespace().next() == Some(last))?;
        let id = lines.iter().find_map(|line| line.strip_prefix("bestmoveid "));
        let words =
            lines.last().map(|line| line[last.len()..].trim().to_owned()).unwrap_or_default();
        Ok(match id {
            Some(id) => format!("{words}\t{id}"),
            None => words,
        })
    }

    /// The play of a roll, in the words of the engine, and the position after it if it is told.
    fn play(&mut self, position: &Position, dice: Dice) -> Answer<(String, Option<String>)> {
        if self.speech == Dialect::V0_01 {
            let mut lines = self.ask(&[&xgid(position, Some(dice), None)], |_| true)?;
            return Ok((lines.pop().unwrap_or_default(), None));
        }
        let id = encode_position_id(position);
        let answer = self.go(&format!("position gnubgid {id}"), Some(dice), "chequer")?;
        Ok(match answer.split_once('\t') {
            Some((words, id)) => (words.to_owned(), Some(id.trim().to_owned())),
            None => (answer, None),
        })
    }

    fn plays(&mut self, position: &Position, dice: Dice) -> Answer<()> {
        let (words, id) = self.play(position, dice)?;
        // Pairs may be separated by a hyphen too.
        let text = words.replace('-', "/");
        let (play, after) = parse_play(&text, position, dice)
            .map_err(|error| Wrong::Broken(format!("{words:?}: {error}")))?;
        let hops = text.split_whitespace().count();
        if hops != play.steps().len() || words.contains(['*', '(']) {
            return broken(format!(
                "{words:?}, expected every hop written, without hits and counts: {:?}",
                super::write_hops(&play)
            ));
        }
        if words.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return broken(format!("{words:?}, expected lower case"));
        }
        let expected = encode_position_id(&after);
        match id {
            Some(id) if id != expected => {
                broken(format!("bestmoveid {id}, but {words:?} leads to {expected}"))
            }
            _ => Ok(()),
        }
    }

    fn passes(&mut self) -> Answer<()> {
        let position =
            points(&[(25, 1), (6, 14)], &[(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 5)]);
        let dice = Dice::new(6, 5).expect("it is a roll");
        let (words, _) = self.play(&position, dice)?;
        let is_pass = match self.speech {
            Dialect::V0_01 => words.is_empty(),
            _ => words.is_empty() || words == "pass",
        };
        if is_pass { Ok(()) } else { broken(format!("{words:?}, expected pass")) }
    }

    fn refuses_nonsense(&mut self) -> Answer<()> {
        let requests: &[&str] = match self.speech {
            Dialect::V0_01 => &["XGID=nonsense"],
            _ => &["dice 7 0", "position gnubgid nonsense"],
        };
        for request in requests {
            let answer = match self.speech {
                Dialect::V0_01 => self.ask(&[request], |_| true).map(drop),
                _ => self.accepts(request),
            };
            match answer {
                Err(Wrong::Refused(_)) => {}
                Ok(()) => return broken(format!("{request:?} is accepted")),
                Err(wrong) => return Err(wrong),
            }
        }
        Ok(())
    }

    fn is_deterministic(&mut self) -> Answer<()> {
        let dice = Dice::new(5, 4).expect("it is a roll");
        let first = self.play(&Position::STANDARD, dice)?;
        self.play(&Position::STANDARD, Dice::new(3, 1).expect("it is a roll"))?;
        let second = self.play(&Position::STANDARD, dice)?;
        if first == second { Ok(()) } else { broken(format!("{first:?}, then {second:?}")) }
    }

    fn reads_xgid(&mut self) -> Answer<()> {
        let dice = Dice::new(6, 1).expect("it is a roll");
        if self.speech == Dialect::V0_01 {
            return Ok(());
        }
        let text = xgid(&Position::STANDARD, Some(dice), None);
        let request = format!("position xgid {}", text.trim_start_matches("XGID="));
        let answer = self.go(&request, Some(dice), "chequer")?;
        let words = answer.split('\t').next().unwrap_or_default();
        parse_play(words, &Position::STANDARD, dice)
            .map(drop)
            .map_err(|error| Wrong::Broken(format!("{words:?}: {error}")))
    }

    /// A cube decision in this situation.
    fn cube(&mut self, position: &Position, offer: Option<Offer>) -> Answer<String> {
        let text = xgid(position, None, offer);
        if self.speech == Dialect::V0_01 {
            return Ok(self.ask(&[&text], |_| true)?.pop().unwrap_or_default());
        }
        let request = format!("position xgid {}", text.trim_start_matches("XGID="));
        self.go(&request, None, "cube")
    }

    fn one_of(word: &str, expected: &[&str]) -> Answer<()> {
        match expected.contains(&word) {
            true => Ok(()),
            false => broken(format!("{word:?}, expected one of {}", expected.join(", "))),
        }
    }

    fn doubles(&mut self) -> Answer<()> {
        let draft = self.speech == Dialect::V0_01;
        let expected: &[&str] = if draft { &["double", "roll"] } else { &["double", "nodouble"] };
        let word = self.cube(&Position::STANDARD, None)?;
        Self::one_of(&word, expected)
    }

    fn responds(&mut self) -> Answer<()> {
        let word = self.cube(&Position::STANDARD, Some(Offer::Double))?;
        Self::one_of(&word, &["take", "drop", "pass", "beaver"])
    }

    fn turns(&mut self) -> Answer<()> {
        if self.speech == Dialect::V0_01 {
            return Err(Wrong::Refused("the draft has none".to_owned()));
        }
        let id = encode_position_id(&Position::STANDARD);
        let dice = Dice::new(3, 1).expect("it is a roll");
        let words = self.go(&format!("position gnubgid {id}"), Some(dice), "turn")?;
        match words.starts_with("cube=double") || words.starts_with("cube=nodouble") {
            true => Ok(()),
            false => broken(format!("{words:?}, expected cube=double or cube=nodouble")),
        }
    }

    fn stops(&mut self) -> Answer<()> {
        if self.speech == Dialect::V0_01 {
            return Err(Wrong::Refused("it has nothing to stop".to_owned()));
        }
        let id = encode_position_id(&Position::STANDARD);
        let position = format!("position gnubgid {id}");
        let go = match self.speech {
            Dialect::V0_2 => "go chequer movetime 60000",
            _ => "go role chequer movetime 60000",
        };
        let requests = [&position, "dice 4 3", go, "stop"];
        self.ask(&requests, |line| line.starts_with("bestmove ")).map(drop)
    }

    fn quits(&mut self) -> Answer<()> {
        self.send("quit")?;
        let deadline = Instant::now() + self.timeout;
        loop {
            match self.process.receive(deadline) {
                Ok(_) => {}
                Err(ProcessEnd::Ended { .. }) => return Ok(()),
                Err(ProcessEnd::Hung) => {
                    return broken(format!("still there after {} s", self.timeout.as_secs_f64()));
                }
            }
        }
    }
}

/// A refusal of what must be accepted.
fn refused(wrong: Wrong, what: &str) -> Wrong {
    match wrong {
        Wrong::Refused(line) => Wrong::Broken(format!("{what} is refused: {line}")),
        wrong => wrong,
    }
}

/// Name and default of an option.
fn option(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
    let kind = rest.split_whitespace().next()?;
    if !["spin", "check", "combo", "string", "button"].contains(&kind) {
        return None;
    }
    let default = rest.split_once(" default ")?.1;
    let end = [" min ", " max ", " var "].iter().filter_map(|word| default.find(word)).min();
    Some((name.trim(), default[..end.unwrap_or(default.len())].trim()))
}

/// Name and default of a key.
fn key(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace().skip(1);
    let name = words.next()?;
    match words.next()? {
        "bool" => {}
        "int" | "enum" | "string" => {
            words.next()?;
        }
        _ => return None,
    }
    Some((name, words.next()?))
}

/// An XGID with its prefix, for money.
fn xgid(position: &Position, dice: Option<Dice>, offer: Option<Offer>) -> String {
    let stakes = MoneyOrMatch::Money { jacoby: false, beavers: None };
    let situation = Situation {
        dice,
        offer,
        cube: Some(Cube::START),
        stakes: Some(stakes),
        ..Situation::of(*position)
    };
    Form::Xgid.write(&situation).expect("a cube at 1 has room in an XGID")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_keys_are_read() {
        assert_eq!(option("option name Ply type spin default 2 min 0 max 3"), Some(("Ply", "2")));
        assert_eq!(
            option("option name Eval Mode type combo default a b var a b var c"),
            Some(("Eval Mode", "a b"))
        );
        assert_eq!(option("option name Ply default 2"), None);
        assert_eq!(key("key engine.ply int 1..4 3 depth"), Some(("engine.ply", "3")));
        assert_eq!(key("key engine.threads int * 8 ! threads"), Some(("engine.threads", "8")));
        assert_eq!(key("key game.jacoby bool false"), Some(("game.jacoby", "false")));
        assert_eq!(key("key engine.ply 3"), None);
    }
}
