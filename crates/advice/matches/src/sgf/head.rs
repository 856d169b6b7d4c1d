//! What the roots of the games of a match say of it.

use tavola_rules::{Beavers, Cube, Player};

use super::points;
use super::tree::{Node, Tree};
use crate::mat;
use crate::reading::{Notes, beginning};
use crate::record::Match;
use crate::unsaid;

/// The most rules of a game that are read; there are seven.
const MOST_RULES: usize = 64;

/// What the root of a game says of its match and of itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub(super) players: [String; 2],
    /// Whether there is a length, a number or a score.
    pub(super) is_stated: bool,
    pub(super) length: u16,
    /// The number of the game, as the file counts.
    pub(super) number: Option<u32>,
    pub(super) score: [Option<u32>; 2],
    /// `None` if there are no rules.
    pub(super) rules: Option<Vec<String>>,
    pub(super) result: Option<StatedResult>,
    /// Whether the file says that the game has no result.
    pub(super) is_void: bool,
}

/// The result as a file tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatedResult {
    pub(super) winner: Player,
    pub(super) points: u32,
}

impl Head {
    /// Reads a root.
    pub(super) fn of(root: &Node, notes: &mut Notes) -> Self {
        let mut note = |text: String| notes.push(root.line, text);
        let name = |key| root.value(key).map(one_line).unwrap_or_default();
        let mut head = Self { players: [name("PW"), name("PB")], ..Self::default() };
        for value in root.values("MI") {
            let Some((key, value)) = value.split_once(':') else { continue };
            head.is_stated = true;
            let number: Option<u32> = value.trim().parse().ok();
            match (key.trim().to_ascii_lowercase().as_str(), number) {
                ("length", Some(points)) if points <= u32::from(u16::MAX) => {
                    head.length = points as u16;
                }
                ("game", number) => head.number = number,
                ("ws", points) => head.score[0] = points,
                ("bs", points) => head.score[1] = points,
                _ => note(format!("MI[{key}:{}] is unknown", beginning(value))),
            }
        }
        let rules: Vec<String> = root
            .values("RU")
            .flat_map(|value| value.split(':'))
            .map(|rule| rule.trim().to_owned())
            .filter(|rule| !rule.is_empty())
            .take(MOST_RULES)
            .collect();
        head.rules = root.value("RU").is_some().then_some(rules);
        if let Some(result) = root.value("RE") {
            head.result = stated_result(result);
            head.is_void = result.trim().eq_ignore_ascii_case("void");
            let unfinished = result.trim().is_empty()
                || ["void", "?", "0", "draw"].contains(&result.trim().to_lowercase().as_str());
            if head.result.is_none() && !unfinished {
                let text = format!("RE[{}] is no result such as W+2", beginning(result));
                note(text);
            }
        }
        head
    }

    /// Who has won how much before this game, which comes at once behind that one, if that has a
    /// result at all.
    pub(super) fn stated_of(&self, before: &Self) -> Option<StatedResult> {
        let scores = [before, self].map(|head| Some([head.score[0]?, head.score[1]?]));
        let at_once = self.number? == before.number? + 1 && !before.is_void;
        // Behind a match that is over there is no game: its score tells nothing.
        let runs = |points: &u32| self.length == 0 || *points < u32::from(self.length);
        let tells = at_once && scores[1]?.iter().all(runs);
        let (winner, points) = unsaid::added(scores[0]?, scores[1]?).filter(|_| tells)?;
        Some(StatedResult { winner, points })
    }

    /// Whether the game belongs to the match of the one before.
    pub(super) fn follows(&self, before: &Self) -> bool {
        let number = match (before.number, self.number) {
            (Some(before), Some(number)) => number > before,
            _ if !self.is_stated => !before.is_stated,
            _ => self.score.iter().flatten().any(|&points| points > 0),
        };
        self.players == before.players && self.length == before.length && number
    }
}

/// What was agreed, as the file says it.
pub(super) fn agree(record: &mut Match, games: &[(Tree, Head)], line: usize, notes: &mut Notes) {
    let options = &mut record.options;
    let rules = || games.iter().flat_map(|(_, head)| head.rules.iter().flatten());
    let has = |name: &str| rules().any(|rule| rule.eq_ignore_ascii_case(name));
    options.jacoby = has("Jacoby");
    if record.length > 1 {
        options.crawford = has("Crawford") || has("CrawfordGame");
    }
    if has("NoCube") {
        options.cube_limit = Some(1);
    }
    options.start = rules().find_map(|name| mat::variation(name)).unwrap_or(options.start);
    options.beavers = if has("Raccoons") {
        Beavers::Raccoons
    } else if has("Beavers") {
        Beavers::Beavers
    } else {
        Beavers::Off
    };
    if record.length == 0 {
        let highest = games.iter().map(|(tree, _)| highest_centered(tree)).max().unwrap_or(1);
        options.automatic_doubles = highest.max(1).ilog2().min(u32::from(Cube::MAX_EXPONENT)) as u8;
    }
    let known = ["Jacoby", "Crawford", "CrawfordGame", "NoCube", "Beavers", "Raccoons", "Standard"];
    let strange: Vec<String> = rules()
        .filter(|rule| {
            !known.iter().any(|known| rule.eq_ignore_ascii_case(known))
                && mat::variation(rule).is_none()
        })
        .cloned()
        .collect();
    for (index, rule) in strange.iter().enumerate() {
        if !strange[..index].contains(rule) {
            let text = format!("the rule {:?} is unknown and has no influence", beginning(rule));
            notes.push(line, text);
        }
        if index > 16 {
            break;
        }
    }
}

/// The highest value of a cube that lies in the middle.
fn highest_centered(tree: &Tree) -> u32 {
    let (mut value, mut centered, mut highest) = (1, true, 1);
    for property in tree.nodes.iter().flat_map(|node| &node.properties) {
        let text = property.values.first().map_or("", |text| text.trim());
        match property.name.as_str() {
            "CV" => value = text.parse().unwrap_or(1),
            "CP" | "CO" => centered = points::player(text).is_none(),
            "W" | "B" => centered &= text != "take",
            _ => continue,
        }
        if centered {
            highest = highest.max(value);
        }
    }
    highest
}

/// `W+2`, `B+4R`; resignations are told by the actions being short of the end.
fn stated_result(text: &str) -> Option<StatedResult> {
    let (winner, points) = text.trim().split_once('+')?;
    let winner = points::player(winner)?;
    let digits: String = points.trim().chars().take_while(char::is_ascii_digit).collect();
    Some(StatedResult { winner, points: digits.parse().ok()? })
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
