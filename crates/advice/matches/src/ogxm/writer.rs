//! A match as a document of OGXM.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use tavola_rules::Position;
use tavola_rules::{Beavers, Cube, Dice, GameEnding, GameResult, Offer, Play, Player};

use super::analysis::{self, PlyNumbers};
use super::document::{
    Annotation, GameDocument, LONGEST_TEXT, OgxmDocument, Ply, VARIANTS, action, roll_of, rules,
    scope,
};
use super::reader::{self, seen};
use super::{BLOCKS, DECISIONS, KEPT, OWN};
use crate::analysis::{CUBE, MatchAnalysis, PLAYS};
use crate::playback::Playback;
use crate::reading::{Notes, ReadWatch};
use crate::record::{Act, Game, Match, Property};
use crate::{date, json};

/// The most annotations of a file, and the most bytes of all of them.
const MOST_ANNOTATIONS: usize = 4096;
const MOST_BYTES: usize = 256 << 10;

/// Values of ours that are longer are packed.
const PACKED_FROM: usize = 512;

/// The match as a document, with what tavola found.
pub(super) fn write(record: &Match, ours: Option<&MatchAnalysis>) -> OgxmDocument {
    let options = &record.options;
    let money = record.is_money();
    let first = record.games.first();
    let score = first.map_or([0; 2], |game| game.score);
    let mut rule = 0;
    for (bit, set) in [
        (rules::CRAWFORD, !money && options.crawford),
        (rules::JACOBY, money && options.jacoby),
        (rules::BEAVERS, money && options.beavers != Beavers::Off),
        (rules::RACCOONS, money && options.beavers == Beavers::Raccoons),
        (rules::AUTOMATIC_DOUBLES, money && options.automatic_doubles > 0),
    ] {
        rule |= if set { bit } else { 0 };
    }
    let one_away = score.map(|it| u64::from(it) + 1).contains(&u64::from(record.length));
    let variant = VARIANTS.iter().position(|it| *it == options.start).unwrap_or_default();
    let details = &record.details;
    let mut document = OgxmDocument {
        length: u64::from(record.length),
        variant: variant as u64,
        names: record.players.each_ref().map(|name| cut(name, LONGEST_TEXT)),
        rules: rule,
        cube_limit: options.cube_limit.map(u64::from),
        score: score.map(u64::from),
        crawford_before: one_away && !money && first.is_some_and(|game| !game.crawford),
        started: date::unix_time(&details.date).map(|time| time.as_millis() as u64),
        event: cut(&details.event, 120),
        stage: cut(&details.round, 60),
        city: cut(&details.place, 80),
        ..OgxmDocument::default()
    };
    let mut numbers = PlyNumbers::new();
    for game in &record.games {
        let before = document.plies();
        let (written, plies) = self::game(record, before, game);
        document.games.push(written);
        numbers.push(plies);
    }
    // What is not found in these has no field in OGXM, and is said in our words.
    let mut notes = Annotations::default();
    let found = reader::read(&document, &mut Notes::default(), ReadWatch::default());
    let found = found.unwrap_or_default();
    notes.details(record, &found);
    for (index, (game, plies)) in record.games.iter().zip(&numbers).enumerate() {
        notes.game(index, game, plies, found.games.get(index));
    }
    document.blocks = analysis::blocks(record, &numbers, ours);
    document.annotations = notes.0;
    document.annotations.sort_by(|one, two| {
        let place = |it: &Annotation| (it.scope, it.target, it.key.is_empty());
        place(one).cmp(&place(two)).then_with(|| one.key.cmp(&two.key))
    });
    fit(&mut document.annotations);
    document
}

/// Makes annotations one of each key, and as many as a file may hold: without our copies of the
/// properties of actions, which are analyses of other programs as a rule, where all are too much.
fn fit(annotations: &mut Vec<Annotation>) {
    annotations.dedup_by(|next, one| {
        let same = !one.key.is_empty()
            && (one.scope, one.target, &one.key) == (next.scope, next.target, &next.key);
        if same {
            one.value += &format!("\n{}", next.value);
        }
        same
    });
    let bytes: usize = annotations.iter().map(|it| it.value.len() + it.key.len() + 16).sum();
    if bytes > MOST_BYTES || annotations.len() > MOST_ANNOTATIONS {
        let copies = format!("{OWN}properties");
        annotations.retain(|it| it.scope != scope::PLY || !it.key.starts_with(&copies));
    }
}

/// A text in fewer bytes: packed, as text.
fn packed(text: &str) -> String {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    let bytes = packer.write_all(text.as_bytes()).and_then(|()| packer.finish());
    bytes.map_or_else(|_| text.to_owned(), |bytes| BASE64.encode(bytes))
}

/// The beginning of a text that has at most this number of bytes.
fn cut(text: &str, most: usize) -> String {
    text[..text.floor_char_boundary(most)].to_owned()
}

/// The steps of a play: where White sees each checker come from, and its pips.
pub(super) fn steps(play: &Play, player: Player, dice: Dice) -> Vec<[u8; 2]> {
    let mut left = dice.steps();
    left.sort_unstable();
    let mut steps = Vec::new();
    for step in play.steps() {
        let distance = step.from - step.to;
        let at = left.iter().position(|&die| die == distance || (step.to == 0 && die > distance));
        let pips = at.map_or(distance, |at| left.remove(at));
        let from = if player == Player::One { 25 - step.from } else { step.from };
        steps.push([from, pips]);
    }
    steps
}

/// A game, and the numbers of the plies of its actions; `plies` stand in the games before.
pub(super) fn game(
    record: &Match,
    plies: usize,
    game: &Game,
) -> (GameDocument, Vec<Option<usize>>) {
    let mut written = GameDocument {
        winner: game.result.map(|result| result.winner.index() as u8),
        points: game.result.map_or(0, |result| u64::from(result.points)),
        ..GameDocument::default()
    };
    let mut numbers = vec![None; game.actions.len()];
    let Ok(mut playback) = Playback::of_game(record, game) else {
        return (written, numbers);
    };
    for (index, done) in game.actions.iter().enumerate() {
        let next = game.actions.get(index + 1);
        let now = playback.cube_seen_by(Player::One);
        let before = written.plies.len();
        let seat = done.player.index() as u8;
        let ply = |action: u64| Ply { action, seat, ..Ply::default() };
        let mut added = vec![];
        match done.act {
            Act::Roll(dice, play) => {
                let set_up = next.is_some_and(|it| matches!(it.act, Act::SetUp(..)));
                let gives_up =
                    next.map_or(game.result.is_some(), |it| matches!(it.act, Act::Resign(_)));
                if let Some(roll) = roll_of([dice.low(), dice.high()])
                    && !(play.is_none() && set_up)
                    && (play.is_some() || gives_up)
                {
                    let steps = play.map(|play| steps(&play, done.player, dice));
                    let steps = steps.unwrap_or_default();
                    added.push(Ply { action: roll, seat, steps, ..Ply::default() });
                }
            }
            Act::Double => added.push(ply(action::DOUBLE)),
            // A beaver is taken without a word.
            Act::Take if playback.offer() == Some(Offer::Double) => {
                added.push(ply(action::TAKE));
            }
            Act::Take | Act::Accept | Act::Refuse => {}
            Act::Drop => added.push(ply(action::DROP)),
            Act::Beaver => added.push(ply(action::BEAVER)),
            Act::Raccoon => added.push(ply(action::RACCOON)),
            Act::Resign(kind) if next.is_some_and(|it| it.act == Act::Accept) => {
                let resigned = Some(u64::from(kind.multiplier()));
                added.push(Ply { resigned, ..ply(action::RESIGN_GAME) });
            }
            Act::Resign(_) => {}
            Act::SetUp(position, cube) => {
                let cube = if done.player == Player::One { cube } else { cube.flip() };
                let first = index == 0 && next.is_some_and(|it| it.player == done.player);
                let rolled = index.checked_sub(1).and_then(|at| match game.actions[at] {
                    ref before if before.player == done.player => None,
                    ref before => match before.act {
                        Act::Roll(dice, None) => Some([dice.low(), dice.high()]),
                        _ => None,
                    },
                });
                let board = Some(seen(&position.counts(), done.player));
                let set = Ply {
                    board,
                    dice: rolled,
                    illegal: rolled.is_some(),
                    ..ply(action::SET_POSITION)
                };
                if first {
                    written.set_up(&position, record, board, cube);
                } else {
                    if rolled.is_some() {
                        numbers[index - 1] = Some(plies + before);
                    }
                    added.push(set);
                    if cube != now {
                        let (value, owner) = white(cube);
                        let cube = Some(value);
                        added.push(Ply { cube, cube_owner: owner, ..ply(action::SET_CUBE) });
                    }
                }
            }
        }
        if !added.is_empty() && numbers[index].is_none() {
            numbers[index] = Some(plies + before);
        }
        written.plies.extend(added);
        if playback.act(done.player, &done.act).is_err() {
            break;
        }
    }
    // A loss without an action is a resignation.
    let last = written.plies.last().map(|ply| ply.action);
    let endings = [action::DROP, action::RESIGN_GAME].map(Some);
    if let Some(GameResult { winner, ending: GameEnding::Resigned(kind), .. }) = game.result
        && !written.plies.is_empty()
        && !endings.contains(&last)
    {
        let seat = winner.flip().index() as u8;
        let resigned = Some(u64::from(kind.multiplier()));
        let action = action::RESIGN_GAME;
        written.plies.push(Ply { action, seat, resigned, ..Ply::default() });
    }
    if written.plies.is_empty() {
        // The reference codec takes no comment on a game without plies.
        let start = record.options.start.start_position();
        let board = written.board.take().unwrap_or_else(|| seen(&start.counts(), Player::One));
        let seat = game.actions.first().map_or(0, |first| first.player.index() as u8);
        let action = action::SET_POSITION;
        written.plies.push(Ply { action, seat, board: Some(board), ..Ply::default() });
    }
    (written, numbers)
}

/// The value of a cube, and the seat that owns it, as White sees it.
fn white(cube: Cube) -> (u64, Option<u8>) {
    (u64::from(cube.value()), cube.owner().seat([0, 1]))
}

impl GameDocument {
    /// Begins with a board and a cube; the usual ones are not written.
    fn set_up(&mut self, position: &Position, record: &Match, board: Option<[i8; 26]>, cube: Cube) {
        let usual = *position == record.options.start.start_position();
        self.board = board.filter(|_| !usual);
        let (value, owner) = white(cube);
        (self.cube, self.cube_owner) = (Some(value).filter(|it| *it != 1), owner);
    }
}

#[derive(Default)]
struct Annotations(Vec<Annotation>);

impl Annotations {
    fn put(&mut self, scope: u64, target: u64, key: String, value: &str) {
        self.0.push(Annotation { scope, target, value: value.to_owned(), key });
    }

    /// A comment, in several where it is too long for one.
    fn comment(&mut self, scope: u64, target: u64, mut text: &str) {
        while !text.is_empty() {
            let most = text.floor_char_boundary(LONGEST_TEXT);
            let line = || text[..most].rfind('\n').filter(|at| *at > 0);
            let (part, rest) = match (most == text.len(), line()) {
                (false, Some(at)) => (&text[..at], &text[at + 1..]),
                _ => text.split_at(most),
            };
            self.put(scope, target, String::new(), part);
            text = rest;
        }
    }

    /// A value of ours, in several parts where it is too long for one.
    fn own(&mut self, scope: u64, target: u64, key: &str, text: &str) {
        let short = if text.len() > PACKED_FROM { packed(text) } else { text.to_owned() };
        let (mut part, mut text) = (0, short.as_str());
        while !text.is_empty() {
            let (value, rest) = text.split_at(text.floor_char_boundary(LONGEST_TEXT));
            let number = if part == 0 { String::new() } else { format!("~{part}") };
            self.put(scope, target, format!("{OWN}{key}{number}"), value);
            (text, part) = (rest, part + 1);
        }
    }

    /// What a match says of itself; what is not found so, as our own format writes it.
    fn details(&mut self, record: &Match, found: &Match) {
        self.comment(scope::MATCH, 0, &record.details.comment);
        for (name, value) in &record.details.other {
            if let Some(key) = name.strip_prefix(KEPT).filter(|key| !key.starts_with(OWN)) {
                self.put(scope::MATCH, 0, key.to_owned(), value);
            }
        }
        let mut own = Match { games: Vec::new(), ..record.clone() };
        own.details.comment.clear();
        own.details.other.retain(|(name, _)| !name.starts_with(KEPT) && !name.starts_with(BLOCKS));
        if (&own.players, &own.details, &own.options)
            != (&found.players, &found.details, &found.options)
        {
            self.own(scope::MATCH, 0, "match", &json::head_text(&own));
        }
    }

    fn game(&mut self, index: usize, game: &Game, plies: &[Option<usize>], found: Option<&Game>) {
        let target = index as u64;
        self.comment(scope::GAME, target, &game.comment);
        self.properties(scope::GAME, target, &game.properties);
        let mut own = game.clone();
        own.comment.clear();
        own.properties.clear();
        for (action, ply) in own.actions.iter_mut().zip(plies) {
            if let Some(ply) = ply {
                let comment = std::mem::take(&mut action.comment);
                let properties = std::mem::take(&mut action.properties);
                self.comment(scope::PLY, *ply as u64, &comment);
                self.properties(scope::PLY, *ply as u64, &properties);
            }
        }
        let mut found = found.cloned().unwrap_or_default();
        found.actions.iter_mut().for_each(|action| action.comment.clear());
        if own != found {
            self.own(scope::GAME, target, "game", &json::game_text(&own));
        }
    }

    /// Values that were kept, as they were, and the others as our own format writes them.
    fn properties(&mut self, scope: u64, target: u64, properties: &[Property]) {
        let mut others = Vec::new();
        for property in properties {
            match property.name.as_str() {
                name if name == DECISIONS[1] => {
                    for pair in property.values.chunks_exact(2).filter(|it| !it[0].starts_with(OWN))
                    {
                        self.put(scope, target, pair[0].clone(), &pair[1]);
                    }
                }
                name if name == DECISIONS[0] || name == PLAYS || name == CUBE => {}
                _ => others.push(property),
            }
        }
        if !others.is_empty() {
            let text = serde_json::to_string(&others).expect("plain data");
            self.own(scope, target, "properties", &text);
        }
    }
}
