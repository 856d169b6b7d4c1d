//! Matches that are made up from a seed: every way in which a game goes on, stops and ends.

use std::sync::LazyLock;

use tavola_matches::{Act, Details, Game, Match, MatchRecorder, RecordedAction};
use tavola_rules::{
    Backgammon, Beavers, Cube, CubeOwner, Dice, GameEnding, GameResult, Options, Player, Position,
    WinKind, moves,
};

/// Numbers from a seed, the same on every machine (SplitMix64).
pub struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    fn dice(&mut self) -> Dice {
        Dice::new(1 + self.below(6) as u8, 1 + self.below(6) as u8).unwrap()
    }

    fn kind(&mut self) -> WinKind {
        [WinKind::Single, WinKind::Gammon, WinKind::Backgammon][self.below(3)]
    }
}

/// How a game stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// A player bears off, or a double is dropped.
    Played,
    /// The player on roll resigns before the roll, or behind it without playing.
    Resigned(bool),
    /// The other player does.
    ResignedBesides,
    /// The record ends without a result: before a roll, behind it, at a double, behind its take, at a
    /// beaver.
    Open(Part),
    /// The same, and why and how it ended is known.
    Broken(Part),
}

/// Where the record of a game ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    Played,
    Rolled,
    Doubled,
    Taken,
    Beavered,
}

const PARTS: [Part; 5] = [Part::Played, Part::Rolled, Part::Doubled, Part::Taken, Part::Beavered];

const NAMES: [[&str; 2]; 9] = [
    ["Ann: the 2nd", "Bob : 3  C"],
    ["Ann", "Bob"],
    ["Ann Lee", "Bob B. Jr"],
    ["Zoë Müller", "José-María"],
    ["player_1", "X"],
    ["A player with a very long name", "Another one with a longer name"],
    ["O'Neil \"the rock\"", "B (2)"],
    ["Анна", "ボブ"],
    ["1. Ann [GM]", "Bob; 31"],
];

/// A match or session of the corpus.
pub fn one(seed: u64) -> Match {
    let mut numbers = Numbers(seed.wrapping_mul(0x51_7c_c1_b7));
    let length = [0, 5, 0, 3, 7, 0, 1, 2, 11, 0][seed as usize % 10];
    let mut options = Options::default();
    if length == 0 {
        options.jacoby = numbers.percent(50);
        options.beavers = [Beavers::Off, Beavers::Beavers, Beavers::Raccoons, Beavers::Raccoons]
            [numbers.below(4)];
    }
    options.start = match seed % 13 {
        3 => Backgammon::Nackgammon,
        7 => Backgammon::Hypergammon,
        _ => Backgammon::Standard,
    };
    options.crawford = length < 2 || !seed.is_multiple_of(7);
    let names = NAMES[numbers.below(NAMES.len())].map(str::to_owned);
    let mut record = Match::new(names, length, options);
    if numbers.percent(30) {
        record.details = Details {
            event: "Club \"evening\", 2; final".to_owned(),
            place: "Zürich".to_owned(),
            date: "2026-11-28".to_owned(),
            ..Details::default()
        };
    }
    let games = if length == 0 { 2 + numbers.below(3) } else { usize::MAX };
    let mut crawford_is_over = false;
    for number in 0..games {
        let last = length == 0 && number + 1 == games;
        let score = record.score();
        let away = score.map(|points| u32::from(length).saturating_sub(points));
        let crawford = length > 1
            && record.options.crawford
            && !crawford_is_over
            && (away[0] == 1) != (away[1] == 1);
        crawford_is_over |= crawford;
        let stop = stop(&mut numbers, last || numbers_end(seed, number));
        let game = game(&record, crawford, stop, &mut numbers);
        let ends = game.result.is_none();
        record.games.push(game);
        if ends || record.winner().is_some() {
            break;
        }
    }
    record
}

/// Whether a match stops here before it is won.
fn numbers_end(seed: u64, number: usize) -> bool {
    seed.is_multiple_of(3) && number == 2
}

fn stop(numbers: &mut Numbers, may_be_open: bool) -> Stop {
    match numbers.below(if may_be_open { 10 } else { 5 }) {
        0 | 1 => Stop::Played,
        2 => Stop::Resigned(numbers.percent(60)),
        3 => Stop::ResignedBesides,
        4 => Stop::Broken([Part::Played, Part::Rolled][numbers.below(2)]),
        5 => Stop::Broken(Part::Doubled),
        _ => Stop::Open(PARTS[numbers.below(5)]),
    }
}

/// Plays a game until it stops.
fn game(record: &Match, crawford: bool, stop: Stop, numbers: &mut Numbers) -> Game {
    let mut recorder =
        MatchRecorder::begin(record.length, record.score(), crawford, &record.options).unwrap();
    let starter = [Player::One, Player::Two][numbers.below(2)];
    let end = match stop {
        Stop::Played => usize::MAX,
        _ => 1 + numbers.below(30),
    };
    let eager = 2 + numbers.below(8);
    let set_up_at = if numbers.percent(10) { 2 + numbers.below(30) } else { usize::MAX };
    let mut dice = loop {
        let dice = numbers.dice();
        if !dice.is_double() {
            break Some(dice);
        }
    };
    for turn in 0.. {
        let player = recorder.playback().to_act().unwrap_or(starter);
        if turn >= end && stops(&mut recorder, player, stop, record.options.jacoby, numbers) {
            break;
        }
        let may_double = recorder.playback().state().is_some_and(|state| state.may_double());
        let low = recorder.playback().state().is_some_and(|state| state.cube().exponent() < 5);
        // Behind two entries of the opponent, too.
        let entered = recorder.game().actions.last().is_some_and(|last| entries(last) == 2);
        let eager = if entered { 10 * eager } else { eager };
        if may_double && low && numbers.percent(eager) {
            if numbers.percent(3) {
                refused(&mut recorder, player, numbers);
            }
            double(&mut recorder, player, record, numbers);
            if recorder.playback().result().is_some() {
                break;
            }
        }
        if turn == set_up_at && set_up(&mut recorder, player, numbers) {
            continue;
        }
        let dice = dice.take().unwrap_or_else(|| numbers.dice());
        recorder.act(player, Act::Roll(dice, None)).unwrap();
        play(&mut recorder, dice, numbers);
        if recorder.playback().result().is_some() {
            break;
        }
    }
    let comments = numbers.percent(10);
    let mut game = recorder.into_game();
    if comments {
        game.comment = "A game; 31: 8/5 was not played".to_owned();
        for action in game.actions.iter_mut().filter(|_| numbers.percent(5)) {
            action.comment = "Doubles => 2? (too early)\n42: 8/4".to_owned();
        }
    }
    game
}

/// How many checkers enter from the bar.
fn entries(action: &RecordedAction) -> usize {
    match action.act {
        Act::Roll(_, Some(play)) => play.steps().iter().filter(|step| step.from == 25).count(),
        _ => 0,
    }
}

/// Ends the record of a game, if it can end so here.
fn stops(
    recorder: &mut MatchRecorder,
    player: Player,
    stop: Stop,
    jacoby: bool,
    numbers: &mut Numbers,
) -> bool {
    let may_double = recorder.playback().state().is_some_and(|state| state.may_double());
    let part = match stop {
        Stop::Open(part) | Stop::Broken(part) => part,
        Stop::Resigned(true) => Part::Rolled,
        _ => Part::Played,
    };
    match part {
        Part::Played => {}
        Part::Rolled => {
            let dice = numbers.dice();
            // What can't be played is played by everyone.
            if !moves::can_move(recorder.playback().position(), dice) {
                return false;
            }
            recorder.act(player, Act::Roll(dice, None)).unwrap();
        }
        _ if !may_double => return false,
        Part::Doubled => recorder.act(player, Act::Double).unwrap(),
        Part::Taken => {
            recorder.act(player, Act::Double).unwrap();
            recorder.act(player.flip(), Act::Take).unwrap();
        }
        Part::Beavered => {
            recorder.act(player, Act::Double).unwrap();
            if recorder.act(player.flip(), Act::Beaver).is_err() {
                recorder.act(player.flip(), Act::Take).unwrap();
            }
        }
    }
    match stop {
        Stop::Resigned(_) | Stop::ResignedBesides => {
            let loser = if stop == Stop::ResignedBesides { player.flip() } else { player };
            // A gammon that counts single is resigned as a single game.
            let turned = recorder.playback().state().unwrap().cube().is_turned();
            let kind = if jacoby && !turned { WinKind::Single } else { numbers.kind() };
            recorder.act(loser, Act::Resign(kind)).unwrap();
            recorder.act(loser.flip(), Act::Accept).unwrap();
        }
        Stop::Broken(part) => {
            recorder.break_off("line 42: 8/4 6/4 is no play  31: 8/5".to_owned());
            if part == Part::Doubled {
                return true;
            }
            let cube = recorder.playback().state().unwrap().cube().value();
            let winner = [Player::One, Player::Two][numbers.below(2)];
            let ending = GameEnding::Resigned(WinKind::Single);
            recorder.game_mut().result = Some(GameResult { winner, points: cube, cube, ending });
        }
        Stop::Open(_) | Stop::Played => {}
    }
    true
}

/// A resignation that the opponent does not want.
fn refused(recorder: &mut MatchRecorder, player: Player, numbers: &mut Numbers) {
    recorder.act(player, Act::Resign(numbers.kind())).unwrap();
    recorder.act(player.flip(), Act::Refuse).unwrap();
}

/// Doubles, and answers.
fn double(recorder: &mut MatchRecorder, player: Player, record: &Match, numbers: &mut Numbers) {
    recorder.act(player, Act::Double).unwrap();
    let other = player.flip();
    let beavers = record.options.beavers != Beavers::Off && recorder.game().actions.len() < 500;
    let small = recorder.playback().state().unwrap().cube().exponent() < 4;
    if beavers && small && numbers.percent(50) {
        recorder.act(other, Act::Beaver).unwrap();
        let raccoons = record.options.beavers == Beavers::Raccoons && numbers.percent(50);
        if raccoons {
            recorder.act(player, Act::Raccoon).unwrap();
        }
    }
    let answers = recorder.playback().to_act().unwrap();
    let act = if numbers.percent(25) { Act::Drop } else { Act::Take };
    recorder.act(answers, act).unwrap();
}

/// Another position and cube for the player on roll: a checker is a point further, the other way
/// round.
fn set_up(recorder: &mut MatchRecorder, player: Player, numbers: &mut Numbers) -> bool {
    let playback = recorder.playback();
    let mut counts = playback.position().counts();
    if recorder.game().crawford {
        return false;
    }
    let Some(from) = (7..=24).find(|&at| counts[at] > 1 && counts[at - 1] >= 0) else {
        return false;
    };
    counts[from] -= 1;
    counts[from - 1] += 1;
    let checkers = playback.position().checkers();
    let Ok(position) = Position::from_counts(&counts, checkers) else { return false };
    let cube = playback.state().map_or(Cube::START, |state| state.cube());
    let owner = [CubeOwner::Player, CubeOwner::Opponent][numbers.below(2)];
    let cube = match numbers.percent(50) && cube.value() < 8 {
        true => Cube::from_value(2 * cube.value(), owner).unwrap(),
        false => cube,
    };
    recorder.act(player, Act::SetUp(position, cube)).is_ok()
}

/// Plays a roll: hits, runs and covers, with some noise.
fn play(recorder: &mut MatchRecorder, dice: Dice, numbers: &mut Numbers) {
    let position = *recorder.playback().position();
    let plays = moves::plays(&position, dice);
    let worth = |after: &Position, numbers: &mut Numbers| {
        // The mover's checkers are negative in what the opponent sees.
        let blots = (1..=24).filter(|&at| after.point(at) == -1).count() as i64;
        i64::from(after.pip_count()) - i64::from(after.opponent_pip_count()) - 4 * blots
            + numbers.below(6) as i64
    };
    let best = plays.iter().max_by_key(|(_, after)| worth(after, numbers));
    recorder.play(best.map_or(moves::Play::PASS, |(play, _)| *play)).unwrap();
}

/// Every match of the corpus.
pub static ALL: LazyLock<Vec<Match>> = LazyLock::new(|| (1..=MATCHES).map(one).collect());

const MATCHES: u64 = 120;

/// How often each kind of thing is in the matches, by its name and column.
pub fn kinds(matches: &[Match]) -> std::collections::BTreeMap<String, usize> {
    let mut kinds = std::collections::BTreeMap::new();
    let mut count = |name: String| *kinds.entry(name).or_insert(0) += 1;
    for game in matches.iter().flat_map(|record| &record.games) {
        let mut before: Option<&RecordedAction> = None;
        for action in &game.actions {
            let seat = action.player.index();
            let name = match action.act {
                Act::Roll(dice, None) => {
                    let _ = dice;
                    "roll that was not played".to_owned()
                }
                Act::Roll(_, Some(play)) if play.is_pass() => "dance".to_owned(),
                Act::Roll(dice, Some(play)) => {
                    let entries = entries(action);
                    let whole = play.steps().len() == dice.steps().len();
                    let partial = if whole { "" } else { ", partly" };
                    let kind = if dice.is_double() { "double" } else { "roll" };
                    format!("{kind}, {entries} from the bar{partial}")
                }
                act => format!("{act:?}").split(['(', ' ']).next().unwrap().to_owned(),
            };
            if action.act == Act::Double && before.is_some_and(|before| entries(before) == 2) {
                count(format!("{seat}: double behind two entries"));
            }
            count(format!("{seat}: {name}"));
            before = Some(action);
        }
        let end = match (&game.result, before) {
            (Some(result), _) => {
                let ending = format!("{:?}", result.ending);
                let broken = if game.broken.is_some() { "broken, " } else { "" };
                format!("{}: wins, {broken}{ending}, cube {}", result.winner.index(), result.cube)
            }
            (None, Some(last)) => {
                let act = format!("{:?}", last.act);
                let act = act.split(['(', ' ']).next().unwrap().to_owned();
                format!("{}: open behind {act}", last.player.index())
            }
            (None, None) => "open, empty".to_owned(),
        };
        count(end);
        if game.crawford {
            count("Crawford game".to_owned());
        }
    }
    kinds
}
