//! OGXM as JSON: what the reference codec prints, and the documents of GammonView (`.gva`).

use serde::Deserialize;
use serde_json::{Value, json};

use super::document::{
    Annotation, GameDocument, MOST_PLIES, OgxmDocument, Ply, VARIANTS, action, dice_of, rules,
    scope,
};
use super::wire::Wrong;

/// What a number of no winner is.
const NO_WINNER: u64 = 255;

/// The names of scopes, by their number.
const SCOPES: [&str; 5] = ["match", "game", "ply", "decision", "alternative"];

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    match_length: u64,
    variant: Value,
    player_white: String,
    player_black: String,
    crawford: bool,
    jacoby: bool,
    #[serde(alias = "beavers")]
    beaver: bool,
    #[serde(alias = "raccoons")]
    raccoon: bool,
    auto_doubles: bool,
    cube_limit: Option<u64>,
    score_start: Option<[u64; 2]>,
    white_score_start: u64,
    black_score_start: u64,
    crawford_before_start: bool,
    crawford_played_before_start: bool,
    /// Seconds since 1970.
    timestamp: u64,
    event: Option<String>,
    stage: Option<String>,
    city: Option<String>,
    site: Option<String>,
    games: Vec<GameFile>,
    annotations: Vec<Said>,
    analysis_info: Value,
    analyses_info: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GameFile {
    winner: Option<u64>,
    points_won: u64,
    initial_board: Option<Vec<i8>>,
    initial_cube_value: Option<u64>,
    initial_cube_owner: Option<u8>,
    auto_doubles: u64,
    plies: Vec<PlyFile>,
    annotations: Vec<Said>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlyFile {
    action_id: u64,
    /// 1 is White.
    color: u8,
    d1: Option<u8>,
    d2: Option<u8>,
    moves: Vec<Step>,
    set_position: Option<Vec<i8>>,
    illegal: bool,
    cube_value: Option<u64>,
    cube_owner: Option<u8>,
    resign_value: Value,
    annotations: Vec<Said>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Step {
    from: u8,
    pips: u8,
}

/// An annotation, at what it is about or with its place.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    value: String,
    key: Option<String>,
    scope: Option<String>,
    #[serde(rename = "ref")]
    target: u64,
}

/// Reads a document, and says whether it has analyses, which are not read.
pub(super) fn read(text: &str) -> Result<(OgxmDocument, bool), Wrong> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let variant = match &file.variant {
        Value::Null => Some(0),
        Value::String(name) => VARIANTS.iter().position(|it| it.name() == name).map(|it| it as u64),
        other => other.as_u64(),
    };
    let rules = [
        (rules::CRAWFORD, file.crawford),
        (rules::JACOBY, file.jacoby),
        (rules::BEAVERS, file.beaver),
        (rules::RACCOONS, file.raccoon),
        (rules::AUTOMATIC_DOUBLES, file.auto_doubles),
    ];
    let mut document = OgxmDocument {
        length: file.match_length,
        variant: variant.ok_or_else(|| format!("the variation {} is unknown", file.variant))?,
        names: [file.player_white, file.player_black],
        rules: rules.into_iter().filter(|(_, set)| *set).map(|(bit, _)| bit).sum(),
        cube_limit: file.cube_limit.filter(|limit| limit.is_power_of_two()),
        score: file.score_start.unwrap_or([file.white_score_start, file.black_score_start]),
        crawford_before: file.crawford_before_start || file.crawford_played_before_start,
        started: Some(file.timestamp).filter(|it| *it > 0).map(|it| it.saturating_mul(1000)),
        event: file.event.unwrap_or_default(),
        stage: file.stage.unwrap_or_default(),
        city: file.city.or(file.site).unwrap_or_default(),
        ..OgxmDocument::default()
    };
    let analyzed = !file.analysis_info.is_null() || !file.analyses_info.is_null();
    document.say(scope::MATCH, 0, file.annotations);
    for (number, game) in (0..).zip(file.games) {
        document.check_games()?;
        document.say(scope::GAME, number, game.annotations);
        let mut written = GameDocument {
            winner: game.winner.filter(|it| *it < 2).map(|it| it as u8),
            points: game.points_won,
            board: game.initial_board.map(board).transpose()?,
            cube: game.initial_cube_value,
            cube_owner: game.initial_cube_owner.filter(|it| *it < 2),
            doubles: game.auto_doubles,
            plies: Vec::new(),
        };
        let before = document.plies();
        for ply in game.plies {
            let at = before + written.plies.len();
            if at >= MOST_PLIES {
                return Err(format!("more plies than {MOST_PLIES}, the most of a match"));
            }
            document.say(scope::PLY, at as u64, ply.annotations);
            let mut said = Ply {
                action: ply.action_id,
                seat: u8::from(ply.color == 0),
                steps: ply.moves.iter().map(|it| [it.from, it.pips]).collect(),
                cube: ply.cube_value,
                cube_owner: ply.cube_owner.filter(|it| *it < 2),
                board: ply.set_position.map(board).transpose()?,
                resigned: match ply.resign_value {
                    Value::String(name) => match name.as_str() {
                        "gammon" => Some(2),
                        "backgammon" => Some(3),
                        _ => Some(1),
                    },
                    other => other.as_u64(),
                },
                ..Ply::default()
            };
            if ply.action_id == action::SET_POSITION {
                said.dice = ply.d1.zip(ply.d2).map(|(one, two)| [one, two]);
                said.illegal = said.dice.is_some();
                if said.illegal && !ply.illegal {
                    // GammonView names who made the play.
                    said.seat = 1 - said.seat;
                }
            }
            written.plies.push(said);
        }
        // GammonView says a board that begins a game twice.
        if written.board.is_some()
            && let Some(first) = written.plies.first()
            && first.board == written.board
        {
            written.board = None;
        }
        document.games.push(written);
    }
    match document.games.is_empty() {
        true => Err("it holds no game, expected some".to_owned()),
        false => Ok((document, analyzed)),
    }
}

fn board(counts: Vec<i8>) -> Result<[i8; 26], Wrong> {
    counts.try_into().map_err(|it: Vec<i8>| format!("a board has {} counts, expected 26", it.len()))
}

impl OgxmDocument {
    fn say(&mut self, scope: u64, target: u64, said: Vec<Said>) {
        for said in said {
            let named = said.scope.as_ref().map(|name| {
                let scope = SCOPES.iter().position(|it| it == name).unwrap_or(SCOPES.len());
                (scope as u64, said.target)
            });
            let (scope, target) = named.unwrap_or((scope, target));
            let key = said.key.unwrap_or_default();
            self.annotations.push(Annotation { scope, target, value: said.value, key });
        }
    }

    fn said(&self, scope: u64, target: u64) -> Vec<Value> {
        let here = self.annotations.iter().filter(|it| (it.scope, it.target) == (scope, target));
        here.map(|it| match it.key.as_str() {
            "" => json!({ "value": it.value }),
            key => json!({ "value": it.value, "key": key }),
        })
        .collect()
    }
}

/// A document as GammonView writes it, without analyses.
pub(super) fn write(document: &OgxmDocument) -> String {
    let has = |rule: u64| document.rules & rule != 0;
    let mut before = 0;
    let games: Vec<Value> = (0..)
        .zip(&document.games)
        .map(|(number, game)| {
            let plies: Vec<Value> = game
                .plies
                .iter()
                .enumerate()
                .map(|(at, ply)| {
                    let mut value = ply.to_json();
                    let said = document.said(scope::PLY, (before + at) as u64);
                    if !said.is_empty() {
                        value["annotations"] = said.into();
                    }
                    value
                })
                .collect();
            before += plies.len();
            let mut value = json!({
                "game_index": number,
                "winner": game.winner.map_or(NO_WINNER, u64::from),
                "points_won": if game.winner.is_some() { game.points } else { 0 },
                "plies": plies,
            });
            let options = [
                ("initial_cube_value", game.cube.map(Value::from)),
                ("initial_cube_owner", game.cube_owner.map(Value::from)),
                ("initial_board", game.board.map(|board| board.to_vec().into())),
                ("annotations", some(document.said(scope::GAME, number))),
            ];
            put(&mut value, options);
            value
        })
        .collect();
    let mut value = json!({
        "match_length": document.length,
        "player_white": document.names[0],
        "player_black": document.names[1],
        "crawford": has(rules::CRAWFORD),
        "jacoby": has(rules::JACOBY),
        "beaver": has(rules::BEAVERS),
        "raccoon": has(rules::RACCOONS),
        "auto_doubles": has(rules::AUTOMATIC_DOUBLES),
        "cube_limit": document.cube_limit.unwrap_or(0),
        "score_start": document.score,
        "crawford_before_start": document.crawford_before,
        "timestamp": document.started.unwrap_or(0) / 1000,
        "games": games,
    });
    let text = |text: &String| Some(text.clone()).filter(|it| !it.is_empty()).map(Value::from);
    let options = [
        ("event", text(&document.event)),
        ("stage", text(&document.stage)),
        ("city", text(&document.city)),
        ("variant", Some(document.variant).filter(|it| *it > 0).map(Value::from)),
        ("annotations", some(document.said(scope::MATCH, 0))),
    ];
    put(&mut value, options);
    value.to_string() + "\n"
}

fn some(said: Vec<Value>) -> Option<Value> {
    (!said.is_empty()).then(|| said.into())
}

fn put<const N: usize>(value: &mut Value, options: [(&str, Option<Value>); N]) {
    for (name, option) in options {
        if let Some(option) = option {
            value[name] = option;
        }
    }
}

impl Ply {
    fn to_json(&self) -> Value {
        // Behind an illegal play a ply has the player on roll; here it has the one who played.
        let seat = if self.illegal { 1 - self.seat } else { self.seat };
        let mut value = json!({ "action_id": self.action, "color": 1 - seat });
        if let Some([low, high]) = dice_of(self.action).or(self.dice) {
            (value["d1"], value["d2"]) = (low.into(), high.into());
        }
        if dice_of(self.action).is_some() {
            let step = |[from, pips]: &[u8; 2]| json!({ "from": from, "pips": pips });
            value["moves"] = self.steps.iter().map(step).collect();
        }
        let options = [
            ("set_position", self.board.map(|board| board.to_vec().into())),
            ("cube_value", self.cube.map(Value::from)),
            ("cube_owner", self.cube_owner.map(Value::from)),
            ("resign_value", self.resigned.map(Value::from)),
        ];
        put(&mut value, options);
        value
    }
}
