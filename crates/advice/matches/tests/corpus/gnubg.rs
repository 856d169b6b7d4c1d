//! The corpus through GNU Backgammon: what it reads in our match text and SGF, and writes again.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tavola_matches::{Act, Game, Match, Playback, RecordedAction, mat, sgf};
use tavola_rules::{GameEnding, Offer, moves};

use super::{generate, one, told};

/// GNU Backgammon, or a message for who runs the tests.
fn gnubg() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/games".into()]);
    let found = folders.map(|folder| folder.join("gnubg")).find(|program| program.is_file());
    if found.is_none() {
        eprintln!(
            "SKIPPED: gnubg is not installed (scripts/test.sh installs it where apt is there)"
        );
    }
    found
}

/// What it answers to commands.
fn ask(program: &Path, home: &Path, commands: &str) -> String {
    let mut child = Command::new(program)
        .args(["-t", "-q", "-r"])
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned()
}

/// Settings without questions and moves of its own.
const QUIET: &str = "set automatic roll off\nset automatic game off\nset automatic move off\n\
                     set automatic bearoff off\nset player 0 human\nset player 1 human\n\
                     set confirm new off\nset confirm save off\nset display off\n";

/// What it shows of a match: the score, the cube, the IDs.
#[derive(Debug, Default)]
struct Shown {
    score: String,
    cube: String,
    position: String,
}

/// The answers of `show score`, `show cube` and `show board`, file by file.
fn shown(output: &str) -> Vec<Shown> {
    let mut all = Vec::new();
    for part in output.split("The score (after ").skip(1) {
        let mut shown = Shown::default();
        let score = part.split_once(" is: ").map_or("", |(_, score)| score);
        shown.score = score.lines().next().unwrap_or_default().to_owned();
        let cube = part.find("The cube is ").or(part.find("There is no game"));
        shown.cube = part[cube.unwrap_or(0)..].lines().next().unwrap_or_default().to_owned();
        shown.cube.truncate(shown.cube.find(" GNU Backgammon").unwrap_or(shown.cube.len()));
        let id = part.find("Position ID: ").map_or("", |at| &part[at + 13..]);
        shown.position = id.split_whitespace().next().unwrap_or_default().to_owned();
        all.push(shown);
    }
    all
}

/// Whether the game ends at a beaver: one that is dropped, or not answered.
///
/// From match text GNU Backgammon 1.07 loses the plays of the game that comes next, in that match or
/// in another one, also from what it has written itself.
fn ends_at_a_beaver(game: &Game) -> bool {
    let mut last = game.actions.iter().rev().filter(|action| action.act != Act::Drop);
    matches!(last.next(), Some(action) if matches!(action.act, Act::Beaver | Act::Raccoon))
}

/// What GNU Backgammon knows of a match: nothing of a resignation that is refused, no games behind a
/// dropped beaver, no reason why a record stops, and the Crawford rule always.
fn known(record: &Match, ending: &str) -> Match {
    let mut record = record.clone();
    let whole = record.clone();
    if ending == "mat" {
        let known =
            record.games.iter().position(ends_at_a_beaver).map_or(record.games.len(), |at| at + 1);
        record.games.truncate(known);
        if !record.options.crawford {
            // Match text says nothing else to it.
            let away = |game: &Game| game.score.map(|points| u32::from(record.length) - points);
            let first = record.games.iter().position(|it| (away(it)[0] == 1) != (away(it)[1] == 1));
            let double = |game: &Game| game.actions.iter().any(|it| it.act == Act::Double);
            if let Some(first) = first.filter(|&at| !double(&record.games[at])) {
                record.games[first].crawford = true;
            }
        }
    }
    if ending == "mat" {
        // Without colons and gaps.
        let plain =
            |name: &String| name.replace(" : ", " . ").replace(": ", ". ").replace("  ", " ");
        record.players = record.players.each_ref().map(plain);
    }
    for game in &mut record.games {
        let refused: Vec<usize> =
            (1..game.actions.len()).filter(|&at| game.actions[at].act == Act::Refuse).collect();
        for at in refused.into_iter().rev() {
            game.actions.drain(at - 1..=at);
        }
        unsaid(&whole, game, ending == "mat");
        if let (Some(_), Some(result)) = (game.broken.take(), game.result) {
            let loser = result.winner.flip();
            let GameEnding::Resigned(kind) = result.ending else { panic!("{result:?}") };
            game.actions.push(RecordedAction::new(loser, Act::Resign(kind)));
            game.actions.push(RecordedAction::new(result.winner, Act::Accept));
        }
    }
    record
}

/// Adds what GNU Backgammon adds: a beaver without an answer is taken, and, in match text, the only
/// play of a roll that was not played is made.
fn unsaid(record: &Match, game: &mut Game, plays: bool) {
    let mut playback = Playback::of_game(record, game).unwrap();
    for action in &mut game.actions {
        if let Act::Roll(dice, play @ None) = &mut action.act
            && plays
        {
            let mut before = playback.clone();
            before.act(action.player, &Act::Roll(*dice, None)).unwrap();
            *play = moves::forced(before.position(), *dice);
        }
        playback.act(action.player, &action.act).unwrap();
    }
    if let (Some(Offer::Beaver | Offer::Raccoon), Some(player)) =
        (playback.offer(), playback.to_act())
    {
        game.actions.push(RecordedAction::new(player, Act::Take));
    }
}

#[test]
fn gnu_backgammon_reads_what_was_played() {
    let Some(program) = gnubg() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let all = &*generate::ALL;
    let mut failures = Vec::new();
    for (ending, how, write) in [
        ("mat", "import mat", mat::write as fn(&Match) -> String),
        ("sgf", "load match", sgf::write),
    ] {
        let path = |seed: usize, of: &str| folder.join(format!("{seed}{of}"));
        // One process for all, but for those that spoil it.
        let mut runs: Vec<Vec<usize>> = vec![Vec::new()];
        for (seed, record) in all.iter().enumerate() {
            fs::write(path(seed, &format!(".{ending}")), write(record)).unwrap();
            match ending == "mat" && record.games.iter().any(ends_at_a_beaver) {
                true => runs.push(vec![seed]),
                false => runs[0].push(seed),
            }
        }
        for run in runs {
            let mut commands = QUIET.to_owned();
            for &seed in &run {
                let jacoby = if all[seed].options.jacoby { "on" } else { "off" };
                let _ = writeln!(
                    commands,
                    "set jacoby {jacoby}\n{how} {}\nshow score\nshow cube\nshow board\nsave match {}",
                    path(seed, &format!(".{ending}")).display(),
                    path(seed, &format!("-{ending}.sgf")).display(),
                );
            }
            let output = ask(&program, &folder, &commands);
            let complaints = output.lines().filter(|line| {
                let known = line.contains("Unrecognised move \"; Note: ")
                    || line.contains("Unrecognised move \"Refuses\"")
                    || line.contains("Take record found");
                let words = ["Unrecognised", "llegal", "nvalid", "arning", "WARNING", "annot"];
                !known && words.iter().any(|word| line.contains(word))
            });
            let complaints = complaints.filter(|_| run.len() > 1);
            failures.extend(complaints.map(|line| format!(".{ending}: {line}")));
            let shown = shown(&output);
            assert_eq!(shown.len(), run.len(), "{output}");
            for (&seed, shown) in run.iter().zip(&shown) {
                let record = known(&all[seed], ending);
                let text =
                    fs::read_to_string(path(seed, &format!("-{ending}.sgf"))).unwrap_or_default();
                let whole = record.games.len() == all[seed].games.len();
                let read = match whole {
                    true => one(&text),
                    false => tavola_matches::read(text.as_bytes())
                        .map(|mut it| it.matches.remove(0))
                        .map_err(|error| error.to_string()),
                };
                let why = match read {
                    Ok(mut read) => {
                        read.games.truncate(record.games.len());
                        super::difference(&record, &read)
                    }
                    Err(why) => Some(why),
                };
                let why =
                    why.or_else(|| differs(&all[seed], &record.players, shown).filter(|_| whole));
                if let Some(why) = why {
                    failures.push(format!("match {seed} as .{ending}: {why} {shown:?}"));
                }
            }
        }
    }
    told(&failures);
}

/// Where what it shows differs from the end of a match.
fn differs(record: &Match, names: &[String; 2], shown: &Shown) -> Option<String> {
    let [one, two] = record.score();
    let score = format!("{} {one}, {} {two} (", names[0], names[1]);
    if !shown.score.starts_with(&score) {
        return Some(format!("the score {score}"));
    }
    let game = record.games.last()?;
    if game.result.is_some() {
        return None;
    }
    let mut playback = Playback::of_game(record, game).ok()?;
    for action in &game.actions {
        playback.act(action.player, &action.act).ok()?;
    }
    let position = *playback.position();
    let ids = [position, position.flip()].map(|it| tavola_rules::notation::encode_position_id(&it));
    if !ids.contains(&shown.position) {
        return Some(format!("the position {ids:?}"));
    }
    if ends_at_a_beaver(game) || shown.cube.contains("disabled during the Crawford game") {
        // The cube of the double is shown, or none.
        return None;
    }
    let cube = playback.situation().cube?.value();
    (!shown.cube.contains(&format!(" at {cube},"))).then(|| format!("the cube at {cube}"))
}
