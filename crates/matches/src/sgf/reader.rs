//! SGF as records of games.

use tavola_rules::{Backgammon, Beavers, Cube, CubeOwner, Dice, Offer, Player, WinKind};

use super::points::{self, Checkers};
use super::tree::{Node, Tree, parse};
use crate::format::{Note, ReadError, beginning};
use crate::playback::Recorder;
use crate::record::{self, Act, Match, Property};
use crate::unsaid;

/// Reads all matches of a text.
pub(crate) fn read(text: &str) -> Result<(Vec<Match>, Vec<Note>), ReadError> {
    let (trees, notes) = parse(text)?;
    let mut reader = Reader { notes, ..Reader::default() };
    let mut other = None;
    let mut group: Vec<(Tree, Head)> = Vec::new();
    for tree in trees {
        let root = &tree.nodes[0];
        if let Some(kind) = root.value("GM").map(str::trim).filter(|kind| *kind != "6") {
            let text = format!("GM[{}] is another game, expected GM[6]", beginning(kind));
            other.get_or_insert((tree.line, text.clone()));
            reader.note(tree.line, format!("{text}; it is left out"));
            continue;
        }
        let head = reader.head(root);
        if group.last().is_some_and(|(_, before)| !head.follows(before)) {
            reader.read_match(std::mem::take(&mut group));
        }
        group.push((tree, head));
    }
    if !group.is_empty() {
        reader.read_match(group);
    }
    if reader.matches.is_empty() {
        return Err(match other {
            Some((line, text)) => ReadError::Malformed { line, text },
            None => ReadError::Unknown { begins: beginning(text) },
        });
    }
    Ok((reader.matches, reader.notes))
}

/// What the root of a game says of its match and of itself.
#[derive(Clone, Debug, Default)]
struct Head {
    players: [String; 2],
    length: u16,
    /// The number of the game, as the file counts.
    number: Option<u32>,
    score: [Option<u32>; 2],
    /// `None` if there are no rules.
    rules: Option<Vec<String>>,
    result: Option<Told>,
}

/// The result as a file tells it.
#[derive(Clone, Copy, Debug)]
struct Told {
    winner: Player,
    points: u32,
}

impl Head {
    /// Whether the game belongs to the match of the one before.
    fn follows(&self, before: &Self) -> bool {
        let number = match (before.number, self.number) {
            (Some(before), Some(number)) => number > before,
            _ => self.score.iter().flatten().any(|&points| points > 0),
        };
        self.players == before.players && self.length == before.length && number
    }
}

/// Something that sets up a position, collected until an action follows.
#[derive(Default)]
struct SetUp {
    checkers: Option<Checkers>,
    cube: Option<u32>,
    /// `Some(None)` is the middle.
    owner: Option<Option<Player>>,
    player: Option<Player>,
}

#[derive(Default)]
struct Reader {
    matches: Vec<Match>,
    notes: Vec<Note>,
}

/// A game that is being read.
struct Game<'a> {
    recorder: Recorder,
    notes: &'a mut Vec<Note>,
    start: Backgammon,
    set_up: SetUp,
    /// Comments and properties that wait for the set-up to become an action.
    waiting: (String, Vec<Property>),
    /// Whether it was told that something follows the end.
    overrun: bool,
}

impl Reader {
    fn note(&mut self, line: usize, text: impl Into<String>) {
        self.notes.push(Note { line, text: text.into() });
    }

    fn head(&mut self, root: &Node) -> Head {
        let name = |key| root.value(key).map(one_line).unwrap_or_default();
        let mut head = Head { players: [name("PW"), name("PB")], ..Head::default() };
        for value in root.values("MI") {
            let Some((key, value)) = value.split_once(':') else { continue };
            let number: Option<u32> = value.trim().parse().ok();
            match (key.trim().to_ascii_lowercase().as_str(), number) {
                ("length", Some(points)) if points <= u32::from(u16::MAX) => {
                    head.length = points as u16;
                }
                ("game", number) => head.number = number,
                ("ws", points) => head.score[0] = points,
                ("bs", points) => head.score[1] = points,
                _ => self.note(root.line, format!("MI[{key}:{}] is unknown", beginning(value))),
            }
        }
        let rules: Vec<String> = root
            .values("RU")
            .flat_map(|value| value.split(':'))
            .map(|rule| rule.trim().to_owned())
            .filter(|rule| !rule.is_empty())
            .collect();
        head.rules = root.value("RU").is_some().then_some(rules);
        if let Some(result) = root.value("RE") {
            head.result = told(result);
            let unfinished = result.trim().is_empty()
                || ["void", "?", "0", "draw"].contains(&result.trim().to_lowercase().as_str());
            if head.result.is_none() && !unfinished {
                let text = format!("RE[{}] is no result such as W+2", beginning(result));
                self.note(root.line, text);
            }
        }
        head
    }

    /// Reads the games of one match.
    fn read_match(&mut self, games: Vec<(Tree, Head)>) {
        let (tree, head) = &games[0];
        let mut record =
            Match { players: head.players.clone(), length: head.length, ..Match::default() };
        let line = tree.line;
        self.rules(line, &mut record, &games);
        for (tree, _) in &games {
            let root = &tree.nodes[0];
            let details = &mut record.details;
            for (key, field) in [
                ("EV", &mut details.event),
                ("RO", &mut details.round),
                ("PC", &mut details.place),
                ("DT", &mut details.date),
                ("AN", &mut details.annotator),
                ("GC", &mut details.comment),
            ] {
                if let (true, Some(value)) = (field.is_empty(), root.value(key)) {
                    value.clone_into(field);
                }
            }
            let tags: Vec<&str> = root.values("XT").collect();
            for pair in tags.chunks_exact(2) {
                details.other.push((pair[0].to_owned(), pair[1].to_owned()));
            }
        }
        for (tree, head) in games {
            self.read_game(&mut record, &tree, &head);
        }
        self.matches.push(record);
    }

    /// What was agreed. Beavers are allowed where one is made, as files don't always say so.
    fn rules(&mut self, line: usize, record: &mut Match, games: &[(Tree, Head)]) {
        let options = &mut record.options;
        let heads = || games.iter().map(|(_, head)| head);
        let has = |name: &str| {
            heads()
                .flat_map(|head| head.rules.iter().flatten())
                .any(|rule| rule.eq_ignore_ascii_case(name))
        };
        options.jacoby = has("Jacoby");
        if record.length > 1 {
            options.crawford = has("Crawford") || has("CrawfordGame");
        }
        if has("NoCube") {
            options.cube_limit = Some(1);
        }
        let start = |name: &str| match name.to_ascii_lowercase().as_str() {
            "nackgammon" => Some(Backgammon::Nackgammon),
            "hypergammon3" | "hypergammon" => Some(Backgammon::Hypergammon),
            "longgammon" => Some(Backgammon::Longgammon),
            _ => None,
        };
        let mut names = heads().flat_map(|head| head.rules.iter().flatten());
        options.start = names.find_map(|name| start(name)).unwrap_or_default();
        let redoubled = games.iter().any(|(tree, _)| has_beaver(tree));
        options.beavers = if has("Beavers") {
            Beavers::Beavers
        } else if has("Raccoons") || (redoubled && record.length == 0) {
            Beavers::Raccoons
        } else {
            Beavers::Off
        };
        if record.length == 0 {
            let cube = |(tree, _): &(Tree, Head)| tree.nodes[0].value("CV")?.trim().parse().ok();
            let highest: u32 = games.iter().filter_map(cube).max().unwrap_or(1);
            options.automatic_doubles =
                highest.max(1).ilog2().min(u32::from(Cube::MAX_EXPONENT)) as u8;
        }
        let known =
            ["Jacoby", "Crawford", "CrawfordGame", "NoCube", "Beavers", "Raccoons", "Standard"];
        let strange: Vec<String> = heads()
            .flat_map(|head| head.rules.iter().flatten())
            .filter(|rule| {
                !known.iter().any(|known| rule.eq_ignore_ascii_case(known)) && start(rule).is_none()
            })
            .cloned()
            .collect();
        for (index, rule) in strange.iter().enumerate() {
            if !strange[..index].contains(rule) {
                let text =
                    format!("the rule {:?} is unknown and has no influence", beginning(rule));
                self.note(line, text);
            }
            if index > 16 {
                break;
            }
        }
    }

    fn read_game(&mut self, record: &mut Match, tree: &Tree, head: &Head) {
        let root = &tree.nodes[0];
        if tree.variations > 0 {
            let text = format!("{} variations beside the main line are left out", tree.variations);
            self.note(tree.line, text);
        }
        let expected = record.score();
        let score = [0, 1].map(|seat| head.score[seat].unwrap_or(expected[seat]));
        if !record.games.is_empty() && score != expected {
            let text = format!(
                "the score is {}-{}, where the games before make {}-{}",
                score[0], score[1], expected[0], expected[1]
            );
            self.note(root.line, text);
        }
        let crawford =
            head.rules.iter().flatten().any(|rule| rule.eq_ignore_ascii_case("CrawfordGame"));
        let (length, options) = (record.length, &record.options);
        let begin = |crawford| Recorder::begin(length, score, crawford, options);
        let recorder = begin(crawford).or_else(|error| {
            self.note(root.line, format!("{error}; the game is not the Crawford game"));
            begin(false)
        });
        let recorder = match recorder {
            Ok(recorder) => recorder,
            Err(error) => {
                self.note(root.line, format!("{error}; the game is left out"));
                let broken = self.notes.last().map(ToString::to_string);
                record.games.push(record::Game { score, broken, ..record::Game::default() });
                return;
            }
        };
        let mut game = Game {
            recorder,
            notes: &mut self.notes,
            start: options.start,
            set_up: SetUp::default(),
            waiting: (String::new(), Vec::new()),
            overrun: false,
        };
        for (index, node) in tree.nodes.iter().enumerate() {
            game.node(node, index == 0);
        }
        let end = tree.nodes.last().map_or(tree.line, |node| node.line);
        game.flush(end, None);
        if let Some(why) = root.value("XB") {
            game.recorder.break_off(why.to_owned());
        }
        if let Some(told) = head.result {
            let note = unsaid::conclude(&mut game.recorder, length, told.winner, told.points);
            if let Some(text) = note {
                game.note(root.line, text);
            }
        }
        record.games.push(game.recorder.into_game());
    }
}

/// Root properties that have a place of their own in a record, or that every writer adds.
pub(super) const TOLD: [&str; 17] = [
    "FF", "GM", "CA", "AP", "MI", "PW", "PB", "EV", "RO", "PC", "DT", "AN", "GC", "RU", "RE", "XT",
    "XB",
];

/// Properties of a node that are actions, positions or comments.
pub(super) const ACTS: [&str; 12] =
    ["W", "B", "C", "RS", "AE", "AW", "AB", "CV", "CP", "CO", "PL", "DI"];

impl Game<'_> {
    fn note(&mut self, line: usize, text: impl Into<String>) {
        self.notes.push(Note { line, text: text.into() });
    }

    fn break_off(&mut self, line: usize, why: &str) {
        self.note(line, format!("{why}; the game is kept up to here"));
        let note = self.notes.last().expect("one was just added").to_string();
        self.recorder.break_off(note);
    }

    fn is_broken(&self) -> bool {
        self.recorder.game().broken.is_some()
    }

    fn node(&mut self, node: &Node, is_root: bool) {
        let before = self.recorder.game().actions.len();
        let mut rest = Vec::new();
        let mut comment = String::new();
        let mut acted = false;
        let mut sets = false;
        for property in &node.properties {
            let value = property.values.first().map_or("", String::as_str);
            match property.name.as_str() {
                name if is_root && TOLD.contains(&name) => {}
                "W" => {
                    acted = true;
                    self.act(node.line, Player::One, value);
                }
                "B" => {
                    acted = true;
                    self.act(node.line, Player::Two, value);
                }
                "RS" => {
                    acted = true;
                    self.resignation(node.line, value);
                }
                "C" => property.values.iter().for_each(|text| add_line(&mut comment, text)),
                // At the root CP is the copyright, and CV the cube at the beginning.
                "CP" if is_root => rest.push(property.clone()),
                "AE" | "AW" | "AB" | "CV" | "CP" | "CO" | "PL" => {
                    sets = true;
                    self.collect(node.line, property);
                }
                "DI" => {
                    acted = true;
                    self.dice(node.line, value);
                }
                _ => rest.push(property.clone()),
            }
        }
        let added = self.recorder.game().actions.len() > before;
        if !is_root && !added && (self.overrun && acted || self.is_broken() && !sets) {
            return;
        }
        let game = self.recorder.game_mut();
        match game.actions.last_mut() {
            _ if is_root => {
                add_line(&mut game.comment, &comment);
                game.properties.extend(rest);
            }
            _ if sets && !acted => {
                add_line(&mut self.waiting.0, &comment);
                self.waiting.1.extend(rest);
            }
            Some(action) => {
                add_line(&mut action.comment, &comment);
                action.properties.extend(rest);
            }
            None => {
                add_line(&mut game.comment, &comment);
                game.properties.extend(rest);
            }
        }
    }

    /// What stands in `W[..]` or `B[..]`.
    fn act(&mut self, line: usize, player: Player, value: &str) {
        self.flush(line, Some(player));
        if self.is_broken() {
            return;
        }
        let value = value.trim();
        if self.recorder.playback().result().is_some() {
            if !self.overrun {
                self.note(line, "what follows the end of the game is left out");
                self.overrun = true;
            }
            return;
        }
        let done = if value.starts_with(|c: char| c.is_ascii_digit()) {
            self.roll(line, player, value)
        } else {
            self.word(line, player, &value.to_ascii_lowercase())
        };
        if let Err(why) = done {
            self.break_off(line, &why);
        }
    }

    fn word(&mut self, line: usize, player: Player, word: &str) -> Result<(), String> {
        if let Some(text) = unsaid::play_forced(&mut self.recorder)? {
            self.note(line, text);
        }
        let offer = self.recorder.playback().offer();
        let act = match word {
            // Who doubles after a double beavers.
            "double" | "redouble" | "beaver" | "raccoon" => match offer {
                None => Act::Double,
                Some(Offer::Double) => Act::Beaver,
                Some(_) => Act::Raccoon,
            },
            "take" => Act::Take,
            "drop" | "pass" => Act::Drop,
            _ => {
                let word = beginning(word);
                return Err(format!(
                    "{word:?} is no action, expected such as 31hefe, double, take or drop"
                ));
            }
        };
        self.recorder.act(player, act).map_err(|error| error.to_string())
    }

    /// `31hefe`: a roll, and two letters for each step.
    fn roll(&mut self, line: usize, player: Player, value: &str) -> Result<(), String> {
        let unreadable =
            || format!("{:?} is no play, expected two dice and letters: 31hefe", beginning(value));
        let split = value.char_indices().nth(2).map_or(value.len(), |(at, _)| at);
        let (dice, letters) = value.split_at(split);
        let dice: Dice = dice.parse().map_err(|_| unreadable())?;
        let text = points::text(player, letters).ok_or_else(unreadable)?;
        self.begin_roll(line, player, dice)?;
        let empty = text.is_empty();
        let none = tavola_rules::moves::plays(self.recorder.playback().position(), dice);
        if empty && !none.iter().all(|(play, _)| play.is_pass()) {
            // The roll was not played.
            return Ok(());
        }
        let (play, _) =
            self.recorder.playback().parse_play(&text).map_err(|error| error.to_string())?;
        self.recorder.play(play).map_err(|error| error.to_string())
    }

    /// Puts dice on the table that are not there yet.
    fn begin_roll(&mut self, line: usize, player: Player, dice: Dice) -> Result<(), String> {
        let playback = self.recorder.playback();
        match playback.dice() {
            Some(there) if there == dice && playback.on_roll() == Some(player) => return Ok(()),
            Some(there) if playback.on_roll() == Some(player) => {
                // The dice were changed by hand.
                let situation = playback.situation();
                self.note(line, format!("{there} is replaced by {dice}"));
                let cube = situation.cube.unwrap_or(Cube::START);
                let act = Act::SetUp(situation.position, cube);
                self.recorder.act(player, act).map_err(|error| error.to_string())?;
            }
            Some(_) => {
                if let Some(text) = unsaid::play_forced(&mut self.recorder)? {
                    self.note(line, text);
                }
            }
            None => {}
        }
        if let Some(text) = unsaid::take_before_roll(&mut self.recorder) {
            self.note(line, text);
        }
        self.recorder.act(player, Act::Roll(dice, None)).map_err(|error| error.to_string())
    }

    /// `DI[31]`: dice that are on the table.
    fn dice(&mut self, line: usize, value: &str) {
        // A player on roll who is named beside the dice is no position of its own.
        let player = self.set_up.player.or(self.recorder.playback().on_roll());
        self.flush(line, player);
        if self.is_broken() {
            return;
        }
        let player = player.unwrap_or(Player::One);
        let done = match value.trim().parse() {
            Ok(dice) => self.begin_roll(line, player, dice),
            // `DI[00]`: not rolled.
            Err(_) if value.trim().chars().all(|c| c == '0') => Ok(()),
            Err(_) => Err(format!("DI[{}] is no roll, expected such as 31", beginning(value))),
        };
        if let Err(why) = done {
            self.break_off(line, &why);
        }
    }

    /// `RS[W:gammon]`, our own: resignations that are refused, or that say more than the result.
    fn resignation(&mut self, line: usize, value: &str) {
        self.flush(line, None);
        if self.is_broken() {
            return;
        }
        let read = value.split_once(':').and_then(|(player, what)| {
            let act = match what {
                "single" => Act::Resign(WinKind::Single),
                "gammon" => Act::Resign(WinKind::Gammon),
                "backgammon" => Act::Resign(WinKind::Backgammon),
                "accept" => Act::Accept,
                "refuse" => Act::Refuse,
                _ => return None,
            };
            Some((points::player(player)?, act))
        });
        let done = match read {
            Some((player, act)) => {
                self.recorder.act(player, act).map_err(|error| error.to_string())
            }
            None => Err(format!("RS[{}] is no resignation such as W:gammon", beginning(value))),
        };
        if let Err(why) = done {
            self.break_off(line, &why);
        }
    }

    /// Takes note of checkers, cube and player on roll.
    fn collect(&mut self, line: usize, property: &Property) {
        let on_board = self.set_up.checkers.unwrap_or_else(|| {
            let playback = self.recorder.playback();
            points::checkers(playback.position(), playback.on_roll().unwrap_or(Player::One))
        });
        let value = property.values.first().map_or("", |value| value.trim());
        match property.name.as_str() {
            "PL" => self.set_up.player = points::player(value),
            "CV" => match value.parse() {
                Ok(value) => self.set_up.cube = Some(value),
                Err(_) => self.note(line, format!("CV[{}] is no cube", beginning(value))),
            },
            "CP" | "CO" => self.set_up.owner = Some(points::player(value)),
            "AE" => {
                let mut checkers = on_board;
                for letter in span(&property.values) {
                    for player in [Player::One, Player::Two] {
                        if let Some(at) = points::point(player, letter) {
                            checkers[player.index()][usize::from(at)] = 0;
                        }
                    }
                }
                self.set_up.checkers = Some(checkers);
            }
            name => {
                let player = if name == "AW" { Player::One } else { Player::Two };
                let mut checkers = on_board;
                for letter in span(&property.values) {
                    if let Some(at) = points::point(player, letter) {
                        let count = &mut checkers[player.index()][usize::from(at)];
                        *count = count.saturating_add(1);
                    }
                }
                self.set_up.checkers = Some(checkers);
            }
        }
    }

    /// Makes an action of what was set up. `player` acts next, if that is known.
    fn flush(&mut self, line: usize, player: Option<Player>) {
        let set_up = std::mem::take(&mut self.set_up);
        let playback = self.recorder.playback();
        let situation = playback.situation();
        let seen_by = playback.on_roll().unwrap_or(Player::One);
        // An answer to a double comes from the other player, who is not on roll.
        let acts = player.filter(|_| playback.offer().is_none());
        let player = set_up.player.or(acts).unwrap_or(seen_by);
        let begun = playback.state().is_some();
        let other_turn = set_up.player.is_some() && begun && player != seen_by;
        if set_up.checkers.is_none()
            && set_up.cube.is_none()
            && set_up.owner.is_none()
            && !other_turn
        {
            self.take_waiting();
            return;
        }
        let before = situation.cube.unwrap_or(Cube::START);
        let owner = match set_up.owner {
            Some(None) => CubeOwner::Center,
            Some(Some(owner)) if owner == player => CubeOwner::Player,
            Some(Some(_)) => CubeOwner::Opponent,
            None if player == seen_by => before.owner(),
            None => before.owner().flip(),
        };
        let value = set_up.cube.unwrap_or(before.value());
        let owner = if value <= 1 { CubeOwner::Center } else { owner };
        let on_board = points::checkers(&situation.position, seen_by);
        let checkers = set_up.checkers.unwrap_or(on_board);
        let position = points::position(&checkers, player, self.start.checkers());
        let position = position.map_err(|error| error.to_string());
        let cube = Cube::from_value(value, owner).map_err(|error| error.to_string());
        let done =
            position.and_then(|position| Ok((position, cube?))).and_then(|(position, cube)| {
                let act = Act::SetUp(position, cube);
                self.recorder.act(player, act).map_err(|error| error.to_string())
            });
        match done {
            Ok(()) => {
                self.recorder.game_mut().broken = None;
                self.take_waiting();
            }
            Err(why) => self.break_off(line, &why),
        }
    }

    fn take_waiting(&mut self) {
        let (comment, properties) = std::mem::take(&mut self.waiting);
        let game = self.recorder.game_mut();
        let (into, list) = match game.actions.last_mut() {
            Some(action) => (&mut action.comment, &mut action.properties),
            None => (&mut game.comment, &mut game.properties),
        };
        add_line(into, &comment);
        list.extend(properties);
    }
}

/// The letters of values such as `f` and `a:y`, the latter a range.
fn span(values: &[String]) -> Vec<char> {
    let mut letters = Vec::new();
    for value in values.iter().take(1000) {
        let mut ends = value.split(':').filter_map(|end| end.trim().chars().next());
        match (ends.next(), ends.next()) {
            (Some(from), Some(to)) => letters.extend((from..=to).take(26)),
            (Some(letter), None) => letters.push(letter),
            _ => {}
        }
    }
    letters
}

/// Whether somebody doubles where the cube waits for an answer.
fn has_beaver(tree: &Tree) -> bool {
    let mut doubled = false;
    for node in &tree.nodes {
        let word = node.value("W").or_else(|| node.value("B"));
        match word.map(|word| word.trim().to_ascii_lowercase()).as_deref() {
            Some("double") if doubled => return true,
            Some("beaver" | "raccoon") => return true,
            Some("double") => doubled = true,
            Some(_) => doubled = false,
            None => {}
        }
    }
    false
}

/// `W+2`, `B+4R`; resignations are told by the actions being short of the end.
fn told(text: &str) -> Option<Told> {
    let (winner, points) = text.trim().split_once('+')?;
    let winner = points::player(winner)?;
    let digits: String = points.trim().chars().take_while(char::is_ascii_digit).collect();
    Some(Told { winner, points: digits.parse().ok()? })
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Adds a line to a text.
fn add_line(text: &mut String, line: &str) {
    if !line.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
}
