//! Matches of BGBlitz (`.bgf`): a line of JSON, then the match as JSON or Smile, packed or not. Its
//! analyses are left out.

use serde::Deserialize;
use serde_json::Value;
use tavola_files::limits::MATCH_BYTES;
use tavola_files::unpacked;

use super::document::{
    Annotation, GameDocument, MOST_PLIES, OgxmDocument, Ply, action, roll_of, rules, scope,
};
use super::smile;
use super::wire::Wrong;

/// The first line is no longer.
const LONGEST_HEAD: usize = 1024;

/// What the first line says.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    encoding: Option<String>,
}

/// The match behind the first line, if a file is one of BGBlitz.
pub(super) fn body(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().take(LONGEST_HEAD).position(|byte| *byte == b'\n')?;
    let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
    let is_smile = head.encoding.is_some_and(|it| it.eq_ignore_ascii_case("smile"));
    let is_bgf = head.format.is_some_and(|it| it == "BGF");
    (is_bgf || is_smile).then_some(&bytes[end + 1..])
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MatchFile {
    matchlen: u64,
    name_green: String,
    name_red: String,
    date: Option<String>,
    event: Option<String>,
    location: Option<String>,
    round: Option<Value>,
    final_green: u64,
    final_red: u64,
    use_crawford: bool,
    use_jacoby: bool,
    use_beaver: bool,
    games: Vec<GameFile>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct GameFile {
    score_green: u64,
    score_red: u64,
    won_points: u64,
    is_crawford: bool,
    initial: Initial,
    moves: Vec<MoveFile>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Initial {
    points: Vec<i8>,
    cube: Option<u64>,
    cube_owner: i64,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MoveFile {
    /// -1 is Green, 1 Red.
    player: i64,
    red: u8,
    green: u8,
    from: Vec<i64>,
    to: Vec<i64>,
    dancing_equity: Option<Value>,
    equity: Option<Equity>,
    comment: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Equity {
    cube_decision: Option<CubeDecision>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CubeDecision {
    has_doubled: Option<bool>,
    has_accepted: Option<bool>,
}

/// A match as a document, in which Green is White.
pub(super) fn read(body: &[u8]) -> Result<OgxmDocument, Wrong> {
    let text = unpacked(body, &MATCH_BYTES).map_err(|error| error.to_string())?;
    let value = match text.starts_with(smile::MAGIC) {
        true => smile::read(&text)?,
        false => serde_json::from_slice(&text).map_err(|error| error.to_string())?,
    };
    let file: MatchFile = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let last = [file.final_green, file.final_red];
    let scores = file.games.iter().skip(1).map(|game| [game.score_green, game.score_red]);
    let scores: Vec<_> = scores.chain([last]).collect();
    let first = file.games.first();
    let crawford_before = !file.use_crawford
        || file.games.iter().all(|game| !game.is_crawford) && {
            let one_away = |game: &GameFile| {
                [game.score_green, game.score_red].iter().any(|it| it + 1 == file.matchlen)
            };
            first.is_some_and(one_away)
        };
    let rule = |bit: u64, set: bool| if set { bit } else { 0 };
    let mut document = OgxmDocument {
        length: file.matchlen,
        names: [file.name_green, file.name_red],
        rules: rule(rules::CRAWFORD, file.use_crawford)
            | rule(rules::JACOBY, file.use_jacoby)
            | rule(rules::BEAVERS, file.use_beaver),
        score: first.map_or([0; 2], |game| [game.score_green, game.score_red]),
        crawford_before: file.use_crawford && crawford_before,
        date: file.date.unwrap_or_default(),
        event: file.event.unwrap_or_default(),
        city: file.location.unwrap_or_default(),
        stage: file.round.map_or_else(String::new, |round| match round {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        }),
        ..OgxmDocument::default()
    };
    for (game, after) in file.games.into_iter().zip(scores) {
        document.check_games()?;
        let before = [game.score_green, game.score_red];
        let mut written = GameDocument {
            winner: (0..2).find(|&seat| after[usize::from(seat)] > before[usize::from(seat)]),
            cube: game.initial.cube.filter(|it| *it > 1),
            ..GameDocument::default()
        };
        written.cube_owner = match game.initial.cube_owner {
            -1 if written.cube.is_some() => Some(0),
            1 if written.cube.is_some() => Some(1),
            _ => None,
        };
        if let Some(seat) = written.winner.map(usize::from) {
            let won = after[seat] - before[seat];
            written.points = if game.won_points > 0 { game.won_points } else { won };
        }
        written.board = game.initial.board();
        let mut moves = game.moves.into_iter();
        while let Some(done) = moves.next() {
            if document.plies() + written.plies.len() > MOST_PLIES {
                return Err(format!("more plies than {MOST_PLIES}, the most of a match"));
            }
            let seat = u8::from(done.player != -1);
            let at = |list: &[i64]| list.first().copied().filter(|it| *it != -1);
            let decision = done.equity.and_then(|it| it.cube_decision).unwrap_or_default();
            if at(&done.from).is_none() {
                // Behind a game stands a record of nothing.
                if decision.has_doubled.is_some() {
                    let answer = match decision.has_accepted {
                        Some(true) => action::TAKE,
                        _ => action::DROP,
                    };
                    moves.next();
                    for (action, seat) in [(action::DOUBLE, seat), (answer, 1 - seat)] {
                        written.plies.push(Ply { action, seat, ..Ply::default() });
                    }
                }
                continue;
            }
            let die = |list: &[i64]| u8::try_from(at(list)?).ok();
            let danced = done.dancing_equity.is_some();
            let dice = match (danced, die(&done.from), die(&done.to)) {
                (true, Some(one), Some(two)) => [one, two],
                _ => [done.red, done.green],
            };
            let [one, two] = dice;
            let roll = roll_of([one.min(two), one.max(two)]);
            let action = roll.ok_or_else(|| format!("{one} and {two} are no dice"))?;
            let pairs = done.from.iter().zip(&done.to).take_while(|(from, _)| **from != -1);
            let step = |(from, to): (&i64, &i64)| {
                let (from, to) = (u8::try_from(*from).ok()?, u8::try_from((*to).max(0)).ok()?);
                let pips = from.checked_sub(to).filter(|_| from <= 25)?;
                Some([if seat == 0 { 25 - from } else { from }, pips])
            };
            let steps: Option<Vec<_>> = match danced {
                true => Some(Vec::new()),
                false => pairs.map(step).collect(),
            };
            let steps = steps.ok_or("a move goes backwards")?;
            if let Some(value) = done.comment.filter(|it| !it.is_empty()) {
                let target = (document.plies() + written.plies.len()) as u64;
                let comment =
                    Annotation { scope: scope::PLY, target, value, ..Annotation::default() };
                document.annotations.push(comment);
            }
            written.plies.push(Ply { action, seat, steps, ..Ply::default() });
        }
        document.games.push(written);
    }
    match document.games.is_empty() {
        true => Err("it holds no game".to_owned()),
        false => Ok(document),
    }
}

impl Initial {
    /// The board, if it is not that of every game. The file counts points as Red does.
    fn board(&self) -> Option<[i8; 26]> {
        const USUAL: [(usize, i8); 8] =
            [(24, -2), (13, -5), (8, -3), (6, -5), (1, 2), (12, 5), (17, 3), (19, 5)];
        let points: [i8; 26] = self.points.as_slice().try_into().ok()?;
        let mut board = [0; 26];
        for (at, count) in points.iter().take(24).enumerate() {
            board[at + 1] = *count;
        }
        board[0] = points[24].saturating_abs();
        board[25] = -points[25].saturating_abs();
        let mut usual = [0; 26];
        USUAL.iter().for_each(|(at, count)| usual[*at] = *count);
        (board != usual).then_some(board)
    }
}
