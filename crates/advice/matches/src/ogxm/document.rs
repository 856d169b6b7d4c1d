//! What a file of OGXM holds, as its sections say it: plain data between bytes and a record.

use crc32fast::hash;
use tavola_files::limits::GAMES;
use tavola_rules::Backgammon;

use super::wire::{Cursor, Fields, Put, Wrong};

/// What a file begins with.
pub(super) const MAGIC: &[u8] = b"OGXM";
/// What it ends with.
const END: &[u8] = b"END!";
/// Bytes of the header: magic, version, version of a reader that is needed, size.
const HEADER: usize = 16;
/// The version that is written and, for a reader, needed at most.
const MAJOR: u16 = 2;
const MINOR: u16 = 2;
/// More plies than this are in no match.
pub(super) const MOST_PLIES: usize = 100_000;
/// The longest text of a field, in bytes.
pub(super) const LONGEST_TEXT: usize = 4096;

/// The variations by their number.
pub(super) const VARIANTS: [Backgammon; 4] = Backgammon::ALL;

/// What plies do, by number. The first 21 are rolls.
pub(super) mod action {
    pub(in super::super) const LAST_ROLL: u64 = 20;
    pub(in super::super) const DOUBLE: u64 = 21;
    pub(in super::super) const TAKE: u64 = 22;
    pub(in super::super) const DROP: u64 = 23;
    /// From 24 to 30 a game ends, which its result tells better: 28 is the match resigned, 29 left.
    pub(in super::super) const RESIGN_GAME: u64 = 27;
    pub(in super::super) const SET_POSITION: u64 = 31;
    pub(in super::super) const BEAVER: u64 = 32;
    pub(in super::super) const RACCOON: u64 = 33;
    pub(in super::super) const SETTLE: u64 = 34;
    pub(in super::super) const SET_CUBE: u64 = 36;
    pub(in super::super) const PASS: u64 = 37;
    /// The real number stands in a field.
    pub(in super::super) const ESCAPE: u64 = 63;
}

/// What an annotation is about.
pub(super) mod scope {
    pub(in super::super) const MATCH: u64 = 0;
    pub(in super::super) const GAME: u64 = 1;
    pub(in super::super) const PLY: u64 = 2;
}

/// Bits of the rules of a match.
pub(super) mod rules {
    pub(in super::super) const CRAWFORD: u64 = 1;
    pub(in super::super) const JACOBY: u64 = 2;
    pub(in super::super) const BEAVERS: u64 = 4;
    pub(in super::super) const RACCOONS: u64 = 8;
    pub(in super::super) const AUTOMATIC_DOUBLES: u64 = 16;
}

/// A match. White is seat 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OgxmDocument {
    /// Whether the section of the match is there.
    pub(super) is_match: bool,
    pub(super) length: u64,
    pub(super) variant: u64,
    pub(super) names: [String; 2],
    pub(super) rules: u64,
    pub(super) cube_limit: Option<u64>,
    pub(super) score: [u64; 2],
    pub(super) crawford_before: bool,
    /// Milliseconds since 1970.
    pub(super) started: Option<u64>,
    /// The same as a text, where that is all there is.
    pub(super) date: String,
    pub(super) event: String,
    pub(super) stage: String,
    pub(super) city: String,
    pub(super) games: Vec<GameDocument>,
    pub(super) blocks: Vec<Block>,
    pub(super) annotations: Vec<Annotation>,
}

/// A game.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GameDocument {
    pub(super) winner: Option<u8>,
    pub(super) points: u64,
    pub(super) board: Option<[i8; 26]>,
    pub(super) cube: Option<u64>,
    pub(super) cube_owner: Option<u8>,
    pub(super) doubles: u64,
    pub(super) plies: Vec<Ply>,
}

/// Something that was done. Steps and boards are White's view: point 0 is White's bar, 25 Black's, and
/// White moves up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ply {
    pub(super) action: u64,
    pub(super) seat: u8,
    /// Where each checker comes from, and how many pips it moves.
    pub(super) steps: Vec<[u8; 2]>,
    pub(super) dice: Option<[u8; 2]>,
    /// How much is resigned: 1 to 3.
    pub(super) resigned: Option<u64>,
    pub(super) cube: Option<u64>,
    pub(super) cube_owner: Option<u8>,
    pub(super) illegal: bool,
    pub(super) board: Option<[i8; 26]>,
}

/// The analysis of an engine: what it says of itself, and its decisions, each as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Block {
    pub(super) head: Vec<u8>,
    pub(super) decisions: Vec<DecisionRecord>,
}

/// What an engine says of a ply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DecisionRecord {
    /// The ply, counted through the match.
    pub(super) ply: usize,
    pub(super) kind: u64,
    pub(super) mask: u64,
    /// What stands behind ply and kind.
    pub(super) body: Vec<u8>,
}

/// A comment, or a value with a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Annotation {
    pub(super) scope: u64,
    pub(super) target: u64,
    pub(super) value: String,
    pub(super) key: String,
}

/// The dice of a roll by its number, the lower first.
pub(super) fn dice_of(action: u64) -> Option<[u8; 2]> {
    let pairs = (1..=6).flat_map(|low| (low..=6).map(move |high| [low, high]));
    pairs.enumerate().find(|(at, _)| *at as u64 == action).map(|(_, dice)| dice)
}

/// The number of a roll.
pub(super) fn roll_of([low, high]: [u8; 2]) -> Option<u64> {
    (0..=action::LAST_ROLL).find(|&roll| dice_of(roll) == Some([low, high]))
}

impl OgxmDocument {
    /// The document that begins here, and what follows it.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, &[u8]), Wrong> {
        let (major, minor, size) = header(bytes)?;
        if (major, minor) > (MAJOR, MINOR) || major < 2 {
            return Err(format!(
                "it is of version {major}.{minor}, expected OGXM 2, up to {MAJOR}.{MINOR}"
            ));
        }
        let (file, behind) = bytes
            .split_at_checked(size)
            .ok_or_else(|| format!("it says that it has {size} bytes, and has {}", bytes.len()))?;
        let body = file.strip_suffix(END).filter(|body| body.len() >= HEADER);
        let body = body.ok_or("its end is missing")?;
        let mut document = None;
        let mut at = HEADER;
        while at < body.len() {
            let mut cursor = Cursor(&body[at..]);
            let name = |error: Wrong| format!("the section at byte {at}: {error}");
            let kind = cursor.take(4).map_err(name)?;
            let length = cursor.u32().map_err(name)? as usize;
            let critical = cursor.byte().map_err(name)? & 1 == 1;
            let content = cursor.take(length).map_err(name)?;
            let called = String::from_utf8_lossy(kind).into_owned();
            let found = document.get_or_insert_with(Self::default);
            let read = match kind {
                b"MTCH" => found.read_match(Cursor(content)),
                b"GAME" => found.read_game(Cursor(content)),
                b"ANAL" => {
                    found.blocks.push(Block { head: content.to_vec(), ..Block::default() });
                    Ok(())
                }
                b"DECS" => found.read_decisions(Cursor(content)),
                b"ANNO" => found.read_annotations(Cursor(content)),
                b"CSUM" => check_sum(Cursor(content), &body[..at]),
                b"SIGN" | b"CLCK" | b"VIDO" | b"MSIG" => Ok(()),
                _ if critical => Err("it has to be understood, and is unknown".to_owned()),
                _ => Ok(()),
            };
            read.map_err(|error| format!("the section {called} at byte {at}: {error}"))?;
            at = body.len() - cursor.0.len();
        }
        // An analysis may stand alone.
        let document = document.filter(|it| it.is_match);
        Ok((document.ok_or("it holds no match")?, behind))
    }

    fn read_match(&mut self, mut content: Cursor<'_>) -> Result<(), Wrong> {
        let (mask, mut body) = content.record()?;
        let body = &mut body;
        self.is_match = true;
        (self.length, self.variant) = (body.varint()?, body.varint()?);
        for (bit, name) in (0..).zip(&mut self.names) {
            *name = mask.read(bit, body, Cursor::string)?.unwrap_or_default();
        }
        self.rules = mask.read(2, body, Cursor::varint)?.unwrap_or(0);
        self.cube_limit = mask.read(3, body, Cursor::varint)?;
        let score = |body: &mut Cursor<'_>| Ok([body.varint()?, body.varint()?]);
        self.score = mask.read(4, body, score)?.unwrap_or_default();
        mask.read(5, body, score)?;
        for bit in [6, 7] {
            mask.read(bit, body, Cursor::varint)?;
        }
        self.started = mask.read(8, body, Cursor::varint)?;
        for bit in [9, 10] {
            mask.read(bit, body, Cursor::varint)?;
        }
        self.crawford_before = mask.has(11);
        self.event = mask.read(12, body, Cursor::string)?.unwrap_or_default();
        for bit in [13, 14] {
            mask.read(bit, body, Cursor::varint)?;
        }
        self.stage = mask.read(15, body, Cursor::string)?.unwrap_or_default();
        mask.read(16, body, Cursor::varint)?;
        mask.read(17, body, Cursor::string)?;
        self.city = mask.read(18, body, Cursor::string)?.unwrap_or_default();
        Ok(())
    }

    fn read_game(&mut self, mut content: Cursor<'_>) -> Result<(), Wrong> {
        self.check_games()?;
        let (mask, mut body) = content.record()?;
        let body = &mut body;
        let mut game = GameDocument {
            winner: mask.read(0, body, Cursor::number)?.filter(|winner| *winner < 2),
            points: mask.read(1, body, Cursor::varint)?.unwrap_or(0),
            board: mask.read(3, body, Cursor::board)?,
            cube: mask.read(4, body, Cursor::varint)?,
            cube_owner: mask.read(5, body, Cursor::number)?,
            doubles: mask.read(6, body, Cursor::varint)?.unwrap_or(0),
            plies: Vec::new(),
        };
        let before = self.plies();
        while !content.is_empty() {
            if before + game.plies.len() == MOST_PLIES {
                return Err(format!("more plies than {MOST_PLIES}, the most of a match"));
            }
            let number = game.plies.len() + 1;
            let ply = read_ply(&mut content).map_err(|error| format!("ply {number}: {error}"))?;
            game.plies.push(ply);
        }
        self.games.push(game);
        Ok(())
    }

    /// Refuses one game more than a file may have.
    pub(super) fn check_games(&self) -> Result<(), Wrong> {
        match self.games.len() as u64 >= GAMES.default {
            true => Err(format!("more games than {}, the most in a file", GAMES.default)),
            false => Ok(()),
        }
    }

    fn read_decisions(&mut self, mut content: Cursor<'_>) -> Result<(), Wrong> {
        let plies = self.plies();
        let block = self.blocks.last_mut().ok_or("no analysis stands before it")?;
        while !content.is_empty() {
            let (mask, mut body) = content.record()?;
            let record = DecisionRecord {
                ply: body.number()?,
                kind: body.varint()?,
                mask: mask.0,
                body: body.0.to_vec(),
            };
            if record.ply >= plies {
                return Err(format!("ply {} is none of the {plies} of the match", record.ply));
            }
            // Each ply has a few kinds of decisions.
            if block.decisions.len() >= 8 * MOST_PLIES {
                return Err("more decisions than a match has".to_owned());
            }
            block.decisions.push(record);
        }
        Ok(())
    }

    /// The plies of all games.
    pub(super) fn plies(&self) -> usize {
        self.games.iter().map(|game| game.plies.len()).sum()
    }

    fn read_annotations(&mut self, mut content: Cursor<'_>) -> Result<(), Wrong> {
        while !content.is_empty() {
            if self.annotations.len() == MOST_PLIES {
                return Err(format!("more comments than {MOST_PLIES}"));
            }
            let (mask, mut body) = content.record()?;
            self.annotations.push(Annotation {
                scope: body.varint()?,
                target: body.varint()?,
                value: body.string()?,
                key: mask.read(0, &mut body, Cursor::string)?.unwrap_or_default(),
            });
        }
        Ok(())
    }

    /// The bytes of a file.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut file = Vec::from(MAGIC);
        // Readers of version 2.0 read what is written.
        for part in [MAJOR, MINOR, MAJOR, 0] {
            file.extend(part.to_le_bytes());
        }
        file.extend([0; 4]);
        put_section(&mut file, b"MTCH", &self.write_match(), true);
        for game in &self.games {
            put_section(&mut file, b"GAME", &game.write(), true);
        }
        for block in &self.blocks {
            put_section(&mut file, b"ANAL", &block.head, false);
            let mut content = Vec::new();
            for record in &block.decisions {
                let mut body = Vec::new();
                body.varint(record.ply as u64);
                body.varint(record.kind);
                body.extend(&record.body);
                content.record(record.mask, &body);
            }
            put_section(&mut file, b"DECS", &content, false);
        }
        if !self.annotations.is_empty() {
            let mut content = Vec::new();
            for annotation in &self.annotations {
                let mut fields = Fields::default();
                fields.body.varint(annotation.scope);
                fields.body.varint(annotation.target);
                fields.body.string(&annotation.value);
                let key = Some(&annotation.key).filter(|key| !key.is_empty());
                fields.put(0, key, |body, key| body.string(key));
                fields.write(&mut content);
            }
            put_section(&mut file, b"ANNO", &content, false);
        }
        let start = file.len();
        // The checksum covers the size too: what follows has a fixed length.
        let sum = |sum: u32| {
            let mut content = Vec::new();
            let mut body = vec![0, 4];
            body.extend(sum.to_le_bytes());
            content.record(0, &body);
            content
        };
        let size = start + 9 + sum(0).len() + END.len();
        file[12..16].copy_from_slice(&(size as u32).to_le_bytes());
        let content = sum(hash(&file));
        put_section(&mut file, b"CSUM", &content, true);
        file.extend(END);
        file
    }

    fn write_match(&self) -> Vec<u8> {
        let mut fields = Fields::default();
        fields.body.varint(self.length);
        fields.body.varint(self.variant);
        let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let put_text = |body: &mut Vec<u8>, text: String| body.string(&text);
        let put = |body: &mut Vec<u8>, value: u64| body.varint(value);
        fields.put(0, text(&self.names[0]), put_text);
        fields.put(1, text(&self.names[1]), put_text);
        fields.put(2, Some(self.rules).filter(|rules| *rules != 0), put);
        fields.put(3, self.cube_limit, put);
        let score = Some(self.score).filter(|score| *score != [0; 2]);
        fields.put(4, score, |body, score| score.iter().for_each(|it| body.varint(*it)));
        fields.put(8, self.started, put);
        fields.flag(11, self.crawford_before);
        fields.put(12, text(&self.event), put_text);
        // It is known to the day.
        fields.put(14, self.started.map(|_| 0), put);
        fields.put(15, text(&self.stage), put_text);
        fields.put(18, text(&self.city), put_text);
        let mut content = Vec::new();
        fields.write(&mut content);
        content
    }
}

impl GameDocument {
    fn write(&self) -> Vec<u8> {
        let mut fields = Fields::default();
        let put = |body: &mut Vec<u8>, value: u64| body.varint(value);
        fields.put(0, self.winner.map(u64::from), put);
        fields.put(1, self.winner.map(|_| self.points), put);
        fields.put(3, self.board, |body, board| body.extend(board.map(i8::cast_unsigned)));
        fields.put(4, self.cube, put);
        fields.put(5, self.cube_owner.map(u64::from), put);
        let mut content = Vec::new();
        fields.write(&mut content);
        for ply in &self.plies {
            ply.write(&mut content);
        }
        content
    }
}

fn put_section(file: &mut Vec<u8>, name: &[u8; 4], content: &[u8], critical: bool) {
    file.extend(name);
    file.extend((content.len() as u32).to_le_bytes());
    file.push(u8::from(critical));
    file.extend(content);
}

/// How many bytes the steps of a roll take at most.
fn steps_of(action: u64) -> usize {
    match dice_of(action) {
        Some([low, high]) if low == high => 4,
        Some(_) => 2,
        None => 0,
    }
}

fn read_ply(content: &mut Cursor<'_>) -> Result<Ply, Wrong> {
    let first = content.byte()?;
    let mut ply = Ply { action: u64::from(first & 0x3f), seat: first >> 6 & 1, ..Ply::default() };
    for _ in 0..steps_of(ply.action) {
        match content.byte()? {
            0 => break,
            step => ply.steps.push([step & 0x1f, step >> 5]),
        }
    }
    if first & 0x80 == 0 {
        return Ok(ply);
    }
    let (mask, mut body) = content.record()?;
    // What other actions hold is theirs.
    if ply.action > action::PASS && ply.action != action::ESCAPE {
        return Ok(ply);
    }
    let body = &mut body;
    ply.dice = mask.read(0, body, |body| Ok([body.byte()?, body.byte()?]))?;
    ply.resigned = mask.read(1, body, Cursor::varint)?;
    ply.cube = mask.read(2, body, Cursor::varint)?;
    ply.illegal = mask.has(3);
    mask.read(4, body, Cursor::equity)?;
    let steps = |body: &mut Cursor<'_>| {
        let count = body.number()?;
        body.take(count).map(|steps| steps.iter().map(|it| [it & 0x1f, it >> 5]).collect())
    };
    if let Some(steps) = mask.read(5, body, steps)? {
        ply.steps = steps;
    }
    ply.board = mask.read(6, body, Cursor::board)?;
    if let Some(action) = mask.read(7, body, Cursor::varint)? {
        ply.action = action;
    }
    ply.cube_owner = mask.read(8, body, Cursor::number)?;
    Ok(ply)
}

impl Ply {
    fn write(&self, content: &mut Vec<u8>) {
        let mut fields = Fields::default();
        fields.put(0, self.dice, |body, dice| body.extend(dice));
        fields.put(1, self.resigned, |body, value| body.varint(value));
        fields.put(2, self.cube, |body, value| body.varint(value));
        fields.flag(3, self.illegal);
        fields.put(6, self.board, |body, board| body.extend(board.map(i8::cast_unsigned)));
        fields.put(8, self.cube_owner, |body, owner| body.varint(u64::from(owner)));
        let more = if fields.mask == 0 { 0 } else { 0x80 };
        content.push(self.action as u8 | self.seat << 6 | more);
        let most = steps_of(self.action);
        content.extend(self.steps.iter().take(most).map(|[from, pips]| pips << 5 | from));
        if self.steps.len() < most {
            content.push(0);
        }
        if more != 0 {
            fields.write(content);
        }
    }
}

/// The version of the reader that is needed, and the size that the header says.
fn header(bytes: &[u8]) -> Result<(u16, u16, usize), Wrong> {
    let head = bytes.first_chunk::<HEADER>().filter(|head| head.starts_with(MAGIC));
    let head = head.ok_or("it is shorter than the header of OGXM")?;
    let part = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let size = u32::from_le_bytes([head[12], head[13], head[14], head[15]]);
    // Version 1 has no such fields.
    let major = if part(4) == 1 { 1 } else { part(8) };
    Ok((major, part(10), size as usize))
}

/// Checks the checksum of what stands before it.
fn check_sum(mut content: Cursor<'_>, before: &[u8]) -> Result<(), Wrong> {
    let (_, mut body) = content.record()?;
    let (algorithm, length) = (body.varint()?, body.number()?);
    let digest = body.take(length)?;
    match algorithm == 0 && digest != hash(before).to_le_bytes() {
        true => Err("the checksum is wrong: the file is damaged".to_owned()),
        false => Ok(()),
    }
}
