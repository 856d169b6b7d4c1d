//! Files built byte by byte from the published layout: there is no real one to test with.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tavola_files::limits::{ARCHIVE_BYTES, ARCHIVE_RATIO};
use tavola_rules::{Dice, Player, Position, WinKind, notation};

use super::layout::{Board, RECORD, cube, game_end, game_header, match_header, play};
use super::*;
use crate::reading::ReadWatch;
use crate::record::{Act, Match};

/// A file as it grows.
struct File {
    records: Vec<u8>,
    comments: Vec<String>,
    /// Further entries of the archive.
    more: Vec<(&'static str, Vec<u8>)>,
}

struct Entry<'a>(&'a mut [u8]);

impl Entry<'_> {
    fn int(self, at: usize, value: i32) -> Self {
        self.0[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self
    }

    fn float(self, at: usize, value: f64) -> Self {
        self.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
        self
    }

    fn byte(self, at: usize, value: u8) -> Self {
        self.0[at] = value;
        self
    }

    fn short(self, at: usize, text: &str) -> Self {
        self.0[at] = text.len() as u8;
        self.0[at + 1..=at + text.len()].copy_from_slice(text.as_bytes());
        self
    }

    fn wide(self, at: usize, text: &str) -> Self {
        for (index, unit) in text.encode_utf16().enumerate() {
            self.0[at + 2 * index..at + 2 * index + 2].copy_from_slice(&unit.to_le_bytes());
        }
        self
    }

    /// A position that is seen from this player, as the first player sees it.
    fn board(self, at: usize, position: &Position, player: Player) -> Self {
        let counts: Board = match player {
            Player::One => position.counts(),
            Player::Two => position.flip().counts(),
        };
        for (cell, count) in self.0[at..at + 26].iter_mut().zip(counts) {
            *cell = count.cast_unsigned();
        }
        self
    }
}

fn sign(player: Player) -> i32 {
    if player == Player::One { 1 } else { -1 }
}

impl File {
    fn new(length: i32) -> Self {
        let mut file = Self { records: Vec::new(), comments: Vec::new(), more: Vec::new() };
        file.entry(0)
            .short(match_header::NAMES[0], "Ann")
            .short(match_header::NAMES[1], "Bob")
            .wide(match_header::WIDE_NAMES[0], "Änn")
            .wide(match_header::WIDE_NAMES[1], "Bob")
            .wide(match_header::WIDE_EVENT, "Club")
            .int(match_header::LENGTH, length)
            .byte(match_header::CRAWFORD, 1)
            .byte(match_header::JACOBY, 1)
            .byte(match_header::BEAVER, 1)
            .float(match_header::DATE, 46_350.75)
            .float(match_header::ELO[0], 1666.0)
            .int(match_header::VERSION, 30)
            .int(556, 0x494C_4D44)
            .int(match_header::COMMENT, -1);
        file
    }

    fn entry(&mut self, kind: u8) -> Entry<'_> {
        let at = self.records.len();
        self.records.resize(at + RECORD, 0);
        let entry = &mut self.records[at..];
        entry[8] = kind;
        Entry(entry)
    }

    fn game(&mut self, score: [i32; 2]) {
        self.entry(1)
            .int(game_header::SCORES[0], score[0])
            .int(game_header::SCORES[1], score[1])
            .board(21, &Position::STANDARD, Player::One)
            .int(game_header::COMMENT, -1);
    }

    fn double(&mut self, player: Player, position: &Position, taken: [i32; 3]) {
        self.entry(2)
            .int(cube::PLAYER, sign(player))
            .int(cube::DOUBLED, 1)
            .int(cube::TAKEN, taken[0])
            .int(cube::BEAVER_TAKEN, taken[1])
            .int(cube::RACCOON_TAKEN, taken[2])
            .board(cube::BOARD, position, player)
            .int(cube::COMMENT, -1);
    }

    /// Plays, and returns the position that the other player sees.
    fn play(
        &mut self,
        player: Player,
        position: &Position,
        dice: [i32; 2],
        text: &str,
    ) -> Position {
        let roll = Dice::new(dice[0] as u8, dice[1] as u8).unwrap();
        let (_, after) = notation::parse_play(text, position, roll).unwrap();
        let comment = self.comments.len() as i32;
        self.comments.push(format!("{{\\rtf1 on {}}}", text.replace('\\', "")));
        self.entry(3)
            .board(play::BEFORE, position, player)
            .board(play::AFTER, &after.flip(), player)
            .int(play::PLAYER, sign(player))
            .int(play::DICE[0], dice[0])
            .int(play::DICE[1], dice[1])
            .int(play::COMMENT, comment);
        after
    }

    fn end(&mut self, winner: Player, points: i32, how: i32) {
        self.entry(4)
            .int(game_end::WINNER, sign(winner))
            .int(game_end::POINTS, points)
            .int(game_end::HOW, how);
    }

    fn bytes(&self) -> Vec<u8> {
        let pack = |bytes: &[u8]| {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let mut file = vec![0; 8232];
        file[..4].copy_from_slice(b"RGMH");
        file[8..12].copy_from_slice(&8232_i32.to_le_bytes());
        let (mut data, mut index) = (Vec::new(), Vec::new());
        let first_and_last =
            [&self.records[..RECORD], &self.records[self.records.len() - RECORD..]];
        let mut files = vec![
            ("temp.xgi", first_and_last.concat()),
            ("temp.xg", self.records.clone()),
            ("temp.xgc", self.comments.join("\r\n").into_bytes()),
        ];
        files.extend(self.more.iter().cloned());
        let count = files.len() as i32;
        for (name, content) in files {
            let packed = pack(&content);
            let mut entry = vec![0; 532];
            Entry(&mut entry)
                .short(0, name)
                .int(512, content.len() as i32)
                .int(516, packed.len() as i32)
                .int(520, data.len() as i32)
                .int(524, crc32fast::hash(&content).cast_signed());
            index.extend(entry);
            data.extend(packed);
        }
        let packed = pack(&index);
        let sizes = (packed.len() as i32, data.len() as i32);
        data.extend(packed);
        let mut trailer = vec![0; 36];
        Entry(&mut trailer)
            .int(0, crc32fast::hash(&data).cast_signed())
            .int(4, count)
            .int(8, 1)
            .int(12, sizes.0)
            .int(16, sizes.1)
            .int(20, 1);
        file.extend(data);
        file.extend(trailer);
        file
    }
}

fn one(bytes: &[u8]) -> (Match, Vec<String>) {
    let (mut matches, notes) = read(bytes, ReadWatch::default()).unwrap();
    assert_eq!(matches.len(), 1);
    (matches.remove(0), notes.iter().map(ToString::to_string).collect())
}

/// Two games of a match: one dropped, one resigned.
fn sample() -> File {
    let (one, two) = (Player::One, Player::Two);
    let mut file = File::new(5);
    file.game([0, 0]);
    let at = file.play(two, &Position::STANDARD, [3, 1], "8/5 6/5");
    let at = file.play(one, &at, [6, 5], "24/13");
    file.double(two, &at, [0, 0, 0]);
    file.end(two, 1, 0);
    file.game([0, 1]);
    let at = file.play(one, &Position::STANDARD, [2, 1], "13/11 6/5");
    file.double(two, &at, [1, 0, 0]);
    let at = file.play(two, &at, [4, 1], "24/20* 24/23");
    // On the bar, no point open is blocked: a normal entry.
    let _ = file.play(one, &at, [6, 3], "bar/22 24/18");
    file.end(two, 4, 102);
    file.entry(5);
    file
}

#[test]
fn a_match_is_read() {
    let (record, notes) = one(&sample().bytes());
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(record.players, ["Änn", "Bob"]);
    assert_eq!((record.length, record.options.jacoby), (5, false));
    assert_eq!(
        (record.details.event.as_str(), record.details.date.as_str()),
        ("Club", "2026-11-24")
    );
    assert_eq!(record.details.other, [("Elo 1".to_owned(), "1666.00".to_owned())]);
    let [first, second] = &record.games[..] else { panic!("two games") };
    assert_eq!(first.actions[0].player, Player::Two);
    assert_eq!(first.actions[0].comment, "on 8/5 6/5");
    assert_eq!(first.actions[3].act, Act::Drop);
    assert_eq!(first.result.unwrap().points, 1);
    assert_eq!((second.score, second.actions[2].act), ([0, 1], Act::Take));
    assert_eq!(second.actions[5].act, Act::Resign(WinKind::Gammon));
    assert_eq!((record.score(), second.broken.clone()), ([0, 5], None));
    let format = crate::read(&sample().bytes()).unwrap().format;
    assert_eq!(format, crate::MatchFormat::Xg);
}

#[test]
fn money_with_raccoons_and_automatic_doubles_is_read() {
    let mut file = File::new(99_999);
    file.game([0, 0]);
    let header = file.records.len() - RECORD;
    Entry(&mut file.records[header..]).int(game_header::AUTOMATIC_DOUBLES, 1);
    let at = file.play(Player::One, &Position::STANDARD, [3, 1], "8/5 6/5");
    file.double(Player::Two, &at, [2, 2, 1]);
    file.play(Player::Two, &at, [6, 5], "24/13");
    file.end(Player::Two, 16, 101);
    let (record, notes) = one(&file.bytes());
    assert_eq!(notes, Vec::<String>::new());
    assert!(record.is_money() && record.options.jacoby);
    assert_eq!(record.options.automatic_doubles, 1);
    let acts: Vec<Act> = record.games[0].actions.iter().map(|action| action.act).collect();
    assert!(matches!(acts[0], Act::SetUp(_, cube) if cube.value() == 2), "{acts:?}");
    assert_eq!(acts[2..6], [Act::Double, Act::Beaver, Act::Raccoon, Act::Take]);
    assert_eq!(record.games[0].result.unwrap().points, 16);
}

#[test]
fn the_stored_analysis_is_read_and_kept_by_the_other_formats() {
    use crate::analysis::{Choice, Opinion, questions, stored};
    let mut file = File::new(99_999);
    file.game([0, 0]);
    let start = Position::STANDARD;
    let at = file.play(Player::One, &start, [3, 1], "8/5 6/5");
    let entry = file.records.len() - RECORD;
    let single = |record: &mut [u8], at: usize, value: f32| {
        record[at..at + 4].copy_from_slice(&value.to_le_bytes());
    };
    let analyze = |record: &mut [u8], texts: [&str; 2], position: &Position, roll: &str| {
        Entry(record).int(play::CANDIDATES, 2);
        for (index, (text, equity)) in texts.into_iter().zip([0.15, -0.041]).enumerate() {
            let (_, after) = notation::parse_play(text, position, roll.parse().unwrap()).unwrap();
            let board = play::CANDIDATE_BOARDS + 26 * index;
            Entry(record).board(board, &after.flip(), Player::One);
            single(record, play::EQUITIES + play::EVALUATION * index, equity);
        }
    };
    analyze(&mut file.records[entry..], ["8/5 6/5", "24/20"], &start, "31");
    // A double that is not made, with its analysis, then a play of the second player.
    file.double(Player::Two, &at, [0, 0, 0]);
    let entry = file.records.len() - RECORD;
    Entry(&mut file.records[entry..]).int(cube::DOUBLED, 0).int(cube::FLAG, 0);
    single(&mut file.records[entry..], cube::NO_DOUBLE, -0.2);
    single(&mut file.records[entry..], cube::TAKEN_DOUBLE, -0.6);
    let at = file.play(Player::Two, &at, [6, 5], "24/13");
    let entry = file.records.len() - RECORD;
    analyze(&mut file.records[entry..], ["24/18 13/8", "24/13"], &at_of_two(), "65");
    // A double that is passed, though it should be taken.
    file.double(Player::One, &at, [0, 0, 0]);
    let entry = file.records.len() - RECORD;
    single(&mut file.records[entry..], cube::NO_DOUBLE, 0.5);
    single(&mut file.records[entry..], cube::TAKEN_DOUBLE, 0.4);
    file.end(Player::One, 1, 0);
    let (record, notes) = one(&file.bytes());
    assert_eq!(notes, Vec::<String>::new());
    let said = |record: &Match| -> Vec<(&str, Option<[f64; 2]>)> {
        let name = |asked| match asked {
            Choice::Play { .. } => "play",
            Choice::Double { .. } => "double",
            _ => "answer",
        };
        let figures = |it: &Opinion| [it.equity, it.loss].map(|x| (x * 1e3).round() / 1e3);
        questions(record)
            .iter()
            .map(|it| (name(it.choice), stored(record, it).first().map(figures)))
            .collect()
    };
    let expected = [
        ("play", Some([0.15, 0.0])),
        ("double", Some([-0.2, 0.0])),
        ("play", Some([-0.041, 0.191])),
        ("double", Some([0.4, 0.1])),
        ("answer", Some([-1.0, 0.6])),
    ];
    assert_eq!(said(&record), expected);
    for name in ["m.sgf", "m.json"] {
        let text = crate::write(std::slice::from_ref(&record), name.as_ref()).unwrap();
        let again = crate::read(&text).unwrap();
        assert_eq!(said(&again.matches[0]), expected, "{text:?}");
    }
    // Without an analysis nothing is said.
    assert!(said(&one(&sample().bytes()).0).iter().all(|(_, said)| said.is_none()));
}

/// The position of the second player after 8/5 6/5 of the first.
fn at_of_two() -> Position {
    let roll = Dice::new(3, 1).unwrap();
    notation::parse_play("8/5 6/5", &Position::STANDARD, roll).unwrap().1
}

#[test]
fn a_double_shows_that_the_crawford_game_is_over() {
    let mut file = File::new(7);
    file.game([6, 5]);
    let header = file.records.len() - RECORD;
    Entry(&mut file.records[header..]).byte(game_header::CRAWFORD, 1);
    let at = file.play(Player::One, &Position::STANDARD, [3, 1], "8/5 6/5");
    file.double(Player::Two, &at, [0, 0, 0]);
    file.end(Player::Two, 1, 0);
    let (record, notes) = one(&file.bytes());
    assert_eq!((notes, record.games[0].crawford), (Vec::<String>::new(), false));
    assert_eq!(record.score(), [6, 6]);
}

#[test]
fn a_board_that_does_not_follow_is_set_up() {
    let mut file = File::new(7);
    file.game([0, 0]);
    file.play(Player::One, &Position::STANDARD, [3, 1], "8/5 6/5");
    // The same player again, elsewhere.
    let at = notation::decode_position_id("sGfwATDgc/ABMA").unwrap();
    file.play(Player::One, &at, [6, 5], "24/13");
    let (record, notes) = one(&file.bytes());
    assert!(notes.len() == 1 && notes[0].contains("set up"), "{notes:?}");
    let acts = &record.games[0].actions;
    assert!(matches!(acts[1].act, Act::SetUp(position, _) if position == at), "{acts:?}");
    assert_eq!((acts.len(), acts[1].player), (3, Player::One));
}

#[test]
fn damaged_files_are_read_as_far_as_they_go() {
    let whole = sample().bytes();
    let games = |bytes: &[u8]| one(bytes).0.games.len();
    // Without the index at the end the games are searched for.
    let (record, notes) = one(&whole[..whole.len() - 10]);
    assert!(notes[0].contains("searched for"), "{notes:?}");
    assert_eq!(record.games.len(), 2);
    // Sizes that lie.
    for at in [4, 12, 16] {
        for lie in [-1, 0, i32::MAX] {
            let mut bytes = whole.clone();
            let trailer = bytes.len() - 36;
            Entry(&mut bytes[trailer..]).int(at, lie);
            assert!(games(&bytes) >= 1, "{at} {lie}");
        }
    }
    for cut in (0..whole.len()).step_by(17) {
        let _ = read(&whole[..cut], ReadWatch::default());
    }
    assert!(
        read(b"RGMH", ReadWatch::default())
            .unwrap_err()
            .to_string()
            .contains("no games were found")
    );
}

#[test]
fn an_archive_is_unpacked_within_a_budget() {
    let mut file = sample();
    let other = File::new(9).records;
    file.more = vec![("temp.xg", other.clone()), ("TEMP.XG", other)];
    let (record, notes) = one(&file.bytes());
    assert_eq!((record.length, record.games.len()), (5, 2));
    assert!(notes.len() == 2 && notes[0].contains("twice"), "{notes:?}");

    // Comments, records, and what is found without an index: all count.
    let mut comments = sample();
    comments.comments.push("x".repeat(4 << 20));
    let mut records = sample();
    for _ in 0..2000 {
        records.entry(1);
    }
    let without_index = records.bytes();
    let without_index = without_index[..without_index.len() - 10].to_vec();
    for bytes in [comments.bytes(), records.bytes(), without_index] {
        assert!(bytes.len() < 20_000, "{}", bytes.len());
        let error = read(&bytes, ReadWatch::default()).unwrap_err().to_string();
        assert!(error.contains("unpacks to more than"), "{error}");
    }
    // A file that is large itself unpacks to no more than the largest archive.
    let mut large = sample();
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    large.more = vec![("other", noise.take(300 << 10).collect())];
    large.comments.push("x".repeat(65 << 20));
    let bytes = large.bytes();
    assert!(bytes.len() as u64 * ARCHIVE_RATIO.default > ARCHIVE_BYTES.default, "{}", bytes.len());
    let error = read(&bytes, ReadWatch::default()).unwrap_err().to_string();
    assert!(error.contains("or 67108864 bytes"), "{error}");
}

#[test]
fn a_position_by_itself_keeps_its_decision() {
    let position = Position::from_counts(
        &[0, 0, 0, 2, 3, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -3, -3, -4, -3, -2, 0, 3, 0, 0],
        15,
    )
    .unwrap();
    let set_up = Act::SetUp(position, tavola_rules::Cube::START);
    for (length, score) in [(99_999, [0, 0]), (7, [3, 5]), (5, [4, 3])] {
        for (doubled, player) in
            [(-1, Player::One), (0, Player::One), (-1, Player::Two), (-2, Player::Two)]
        {
            let mut file = File::new(length);
            file.game(score);
            file.double(player, &position, [-1; 3]);
            let entry = file.records.len() - RECORD;
            Entry(&mut file.records[entry..]).int(cube::DOUBLED, doubled);
            let (record, notes) = one(&file.bytes());
            let game = &record.games[0];
            assert_eq!(game.actions[0].act, set_up);
            assert_eq!((game.actions[0].player, game.actions.len()), (player, 1), "{notes:?}");
            let xgid = notes[0].split_once("XGID=").expect("it is told").1;
            let told = notation::parse_situation(&format!("XGID={xgid}")).unwrap();
            assert_eq!((told.position, told.dice), (position, None), "{notes:?}");
            let mut playback = crate::Playback::of_game(&record, game).unwrap();
            playback.act(player, &set_up).unwrap();
            let stakes = |it: &notation::Situation| match it.stakes {
                Some(notation::MoneyOrMatch::Match(score)) => Some(score),
                _ => None,
            };
            assert_eq!(stakes(&told), stakes(&playback.situation()), "{notes:?}");
            let text = crate::write(&[record], "p.mat".as_ref()).unwrap();
            let again = crate::read(&text).unwrap().matches;
            assert_eq!(again[0].games[0].actions[0].act, set_up, "{text:?}");
        }
    }
    // A roll that is not played.
    let mut file = File::new(7);
    file.game([3, 5]);
    file.play(Player::One, &position, [3, 1], "6/2");
    let entry = file.records.len() - RECORD;
    Entry(&mut file.records[entry..]).board(play::AFTER, &position, Player::One);
    let (record, notes) = one(&file.bytes());
    assert!(matches!(record.games[0].actions[1].act, Act::Roll(_, None)), "{notes:?}");
    assert!(notes[0].contains("the play of 3-1 is open in XGID="), "{notes:?}");
    // A play with its analysis, made or not, also of the start.
    for (position, made) in [(position, true), (position, false), (Position::STANDARD, true)] {
        let mut file = File::new(7);
        file.game([3, 5]);
        let roll = Dice::new(3, 1).unwrap();
        let plays = tavola_rules::moves::plays(&position, roll);
        file.play(Player::One, &position, [3, 1], &plays[0].0.to_string());
        let entry = &mut file.records[..];
        let from = entry.len() - RECORD;
        let entry = &mut entry[from..];
        Entry(entry).int(play::CANDIDATES, 2);
        for (index, (_, after)) in plays.iter().take(2).enumerate() {
            let at = play::CANDIDATE_BOARDS + 26 * index;
            Entry(entry).board(at, &after.flip(), Player::One);
            for (place, value) in [0.01, 0.1, 0.4, 0.6, 0.2, 0.02, -0.1].into_iter().enumerate() {
                let at = play::EQUITIES + play::EVALUATION * index + 4 * place - 24;
                let value = if place == 6 { value * (index + 1) as f32 } else { value };
                entry[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
        if !made {
            Entry(entry).board(play::AFTER, &position, Player::One);
        }
        let (record, notes) = one(&file.bytes());
        let open = crate::analysis::open_decisions(&record).remove(0);
        let told = notation::parse_situation(&open.xgid).unwrap();
        assert_eq!((told.position, told.dice), (position, Some(roll)), "{notes:?}");
        let said = open.opinion.unwrap();
        assert_eq!((said.best, said.plays.len()), (plays[0].0.to_string(), 2));
        assert_eq!(said.plays[1].probs, [0.6, 0.2, 0.02, 0.1, 0.01]);
        assert!((said.plays[1].loss - 0.1).abs() < 1e-4, "{:?}", said.plays);
    }
    // A match that stops before a cube decision.
    let mut file = File::new(7);
    file.game([0, 0]);
    let at = file.play(Player::One, &Position::STANDARD, [3, 1], "8/5 6/5");
    file.double(Player::Two, &at, [-1; 3]);
    let entry = file.records.len() - RECORD;
    Entry(&mut file.records[entry..]).int(cube::DOUBLED, 0);
    let (record, notes) = one(&file.bytes());
    assert_eq!((record.games[0].actions.len(), notes.len()), (1, 1), "{notes:?}");
    assert!(notes[0].contains("a decision to double is open in XGID="), "{notes:?}");
}
