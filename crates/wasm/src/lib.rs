//! The engine in WebAssembly: texts of JSON in, texts of JSON out.
//!
//! The page of `crates/serve/page` asks it in a worker where no server answers. Requests and answers
//! are those of the server: an operation of `tavola batch`, a match against the engine, a file of
//! matches to analyse. A match is its saved text, which the page keeps; the engine holds none.
//! `scripts/build-site.sh` builds it, with the fast network built in.
//!
//! It is no thread of its own, and it is slower than the program: a browser gives it one thread and
//! vectors of 128 bits.
//!
//! ```
//! use tavola_wasm::Engine;
//!
//! let engine = Engine::new();
//! let answer = engine.answer("best", r#"{"position": "start", "dice": [3, 1], "ply": 0}"#);
//! assert!(answer.contains(r#""play":"8/5 6/5""#));
//! let begun = engine.new_match(r#"{"length": 3}"#, 7);
//! assert!(begun.contains(r#""saved":"#));
//! ```

use std::num::NonZeroUsize;

use serde_json::{Value, json};
use tavola_engine::live_game::{AnyLiveGame, GameAction};
use tavola_engine::live_match::{Action, Happened, LiveMatch, NewMatch, Strength};
use tavola_engine::{
    Analysis, EngineError, ErrorKind, Lookahead, NoFindings, Subject, Watch, operations,
};
use tavola_games::AnyGame;
use tavola_rules::Backgammon;
use wasm_bindgen::prelude::wasm_bindgen;

#[cfg(target_family = "wasm")]
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = tavolaProgress)]
    fn progress(done: u32, total: u32);
}

/// Tells the worker how many decisions are done; outside a browser there is none.
fn tell(done: usize, total: usize) {
    #[cfg(target_family = "wasm")]
    progress(done as u32, total as u32);
    #[cfg(not(target_family = "wasm"))]
    let _ = (done, total);
}

/// The deepest analysis of a file.
const DEEPEST: u8 = 3;

/// The engine with the built-in network.
#[wasm_bindgen]
pub struct Engine {
    engine: tavola_engine::Engine,
    default: Subject,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

#[wasm_bindgen]
impl Engine {
    /// An engine; the network is read at the first question.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        let game = AnyGame::Backgammon(Default::default());
        Self { engine: tavola_engine::Engine::without_tables(), default: Subject::start(game) }
    }

    /// What this engine is and can do, as the server's `GET /api/v1/engine`.
    pub fn info(&self) -> String {
        told(self.engine.network(None, "backgammon").map(|network| {
            json!({
                "name": "tavola",
                "local": true,
                "version": env!("CARGO_PKG_VERSION"),
                "network": network.weights().checksum(),
                "operations": operations::names(),
                "games": AnyGame::names(),
                "matches": Backgammon::ALL.map(Backgammon::name),
                "strengths": Strength::ALL.map(Strength::name),
                "runs": 0,
            })
        }))
    }

    /// The answer to an operation of `tavola batch`.
    pub fn answer(&self, operation: &str, request: &str) -> String {
        let watch = Watch::default();
        let request = request.as_bytes();
        self.engine.answer_request(Some(operation), request, &self.default, &watch).text
    }

    /// Begins a match: `happened`, `state` and `saved`, its text.
    pub fn new_match(&self, setup: &str, seed: u32) -> String {
        told(self.begin(setup, seed))
    }

    /// A saved match as it is.
    pub fn match_state(&self, saved: &str) -> String {
        told(read(saved).and_then(|mut live| {
            live.let_engine_act(&self.engine, &Watch::default()).map_err(|error| error.told())?;
            Ok(shown(&live, &[]))
        }))
    }

    /// Does something in a saved match; the engine answers.
    pub fn act(&self, saved: &str, action: &str) -> String {
        told(self.turn(saved, action))
    }

    /// Advice on the decision of the user.
    pub fn hint(&self, saved: &str) -> String {
        told(read(saved).and_then(|live| live.hint(&self.engine, &Watch::default())))
    }

    /// What an action loses, before it is done; null if nothing.
    pub fn mistake(&self, saved: &str, action: &str) -> String {
        told(read(saved).and_then(|live| {
            let choice = live.choice(&parse(action)?).map_err(|error| error.told())?;
            live.mistake(&choice, &self.engine, &Watch::default())
        }))
    }

    /// The match as the text of a file (`.mat`), under `text`.
    pub fn record(&self, saved: &str) -> String {
        told(read(saved).map(|live| json!({"text": tavola_matches::mat::write(&live.record())})))
    }

    /// Begins a game without a cube: `state` and `saved`, its text.
    pub fn new_tables(&self, setup: &str, seed: u32) -> String {
        told(parse(setup).and_then(|setup| {
            let mut live = AnyLiveGame::begin(setup, seed)?;
            live.check_network(&self.engine, &Watch::default())?;
            live.let_engine_act(&self.engine, &Watch::default())?;
            Ok(tables_shown(&live))
        }))
    }

    /// A saved game without a cube as it is.
    pub fn tables_state(&self, saved: &str) -> String {
        told(read_tables(saved).and_then(|mut live| {
            live.let_engine_act(&self.engine, &Watch::default())?;
            Ok(tables_shown(&live))
        }))
    }

    /// Does something in a saved game without a cube; the engine answers.
    pub fn act_tables(&self, saved: &str, action: &str) -> String {
        told(read_tables(saved).and_then(|mut live| {
            let action: GameAction = parse(action)?;
            live.act(&action, &self.engine, &Watch::default())?;
            Ok(tables_shown(&live))
        }))
    }

    /// The best plays of the user's roll.
    pub fn hint_tables(&self, saved: &str) -> String {
        told(read_tables(saved).and_then(|live| live.hint(&self.engine, &Watch::default())))
    }

    /// Every decision of a file of matches, evaluated. How many of how many are done is told to the
    /// function `tavolaProgress` of the worker.
    pub fn analyse(&self, file: &[u8], ply: u8) -> String {
        told(self.analysed(file, ply))
    }
}

impl Engine {
    fn begin(&self, setup: &str, seed: u32) -> Result<Value, EngineError> {
        let setup = parse::<NewMatch>(setup)?.setup(seed)?;
        let mut live =
            LiveMatch::new(setup).map_err(|error| EngineError::new(ErrorKind::Request, error))?;
        live.check_network(&self.engine, &Watch::default())?;
        live.let_engine_act(&self.engine, &Watch::default()).map_err(|error| error.told())?;
        Ok(shown(&live, &live.history()))
    }

    fn turn(&self, saved: &str, action: &str) -> Result<Value, EngineError> {
        let mut live = read(saved)?;
        let action: Action = parse(action)?;
        let happened =
            live.turn(&action, &self.engine, &Watch::default()).map_err(|error| error.told())?;
        Ok(shown(&live, &happened))
    }

    fn analysed(&self, file: &[u8], ply: u8) -> Result<Value, EngineError> {
        if ply > DEEPEST {
            let message = format!("\"ply\" is {ply}, expected a whole number from 0 to {DEEPEST}");
            return Err(EngineError::new(ErrorKind::Request, message));
        }
        let reading = tavola_matches::read(file)
            .map_err(|error| EngineError::new(ErrorKind::Request, error))?;
        let analysis = Analysis {
            lookahead: Lookahead::new(Some(ply), Default::default(), None, ply),
            thresholds: Default::default(),
            model: None,
            met: None,
            rollouts: None,
            workers: NonZeroUsize::MIN,
        };
        let mut matches = Vec::new();
        for record in &reading.matches {
            let watch = Watch::default();
            let found =
                self.engine.analyse("file", record, &analysis, &NoFindings, &watch, &tell)?;
            matches.push(found);
        }
        let notes: Vec<String> = reading.notes.iter().map(ToString::to_string).collect();
        Ok(json!({"format": reading.format, "matches": matches, "notes": notes}))
    }
}

fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, EngineError> {
    serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_data() { ErrorKind::Request } else { ErrorKind::Json };
        EngineError::new(kind, format_args!("the request can't be used: {error}"))
    })
}

fn read(saved: &str) -> Result<LiveMatch, EngineError> {
    LiveMatch::from_json(saved.as_bytes(), "the match")
        .map_err(|error| EngineError::new(ErrorKind::Request, error))
}

fn read_tables(saved: &str) -> Result<AnyLiveGame, EngineError> {
    AnyLiveGame::from_json(saved.as_bytes(), "the game")
}

fn tables_shown(live: &AnyLiveGame) -> Value {
    json!({"happened": [], "state": live.view(), "saved": live.to_json()})
}

fn shown(live: &LiveMatch, happened: &[Happened]) -> Value {
    json!({"happened": happened, "state": live.view(), "saved": live.to_json()})
}

/// An answer or an error as a text of JSON.
fn told<T: serde::Serialize>(answer: Result<T, EngineError>) -> String {
    match answer {
        Ok(answer) => json!(answer).to_string(),
        Err(error) => json!({"error": error}).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_match_goes_on_from_its_text() {
        let engine = Engine::new();
        let begun = value(&engine.new_match(r#"{"length": 1, "strength": "expert"}"#, 3));
        let saved = begun["saved"].as_str().unwrap();
        assert_eq!(value(&engine.match_state(saved))["state"], begun["state"]);
        let dance = value(&engine.act(saved, r#"{"act": "next_game"}"#));
        assert!(dance["error"]["message"].as_str().unwrap().contains("not over"), "{dance}");
        let resigned = value(&engine.act(saved, r#"{"act": "resign", "size": "single"}"#));
        assert_eq!(resigned["state"]["waiting"]["for"], "match_over");
        let file = value(&engine.record(resigned["saved"].as_str().unwrap()));
        let analysis = value(&engine.analyse(file["text"].as_str().unwrap().as_bytes(), 0));
        assert_eq!(analysis["matches"][0]["length"], 1);
    }

    #[test]
    fn a_historical_game_goes_on_from_its_text() {
        let engine = Engine::new();
        let begun = value(&engine.new_tables(r#"{"game": "tabula"}"#, 5));
        let saved = begun["saved"].as_str().unwrap();
        assert_eq!(value(&engine.tables_state(saved))["state"], begun["state"]);
        let play = &begun["state"]["waiting"]["plays"][0];
        let action = json!({"act": "play", "play": play}).to_string();
        let played = value(&engine.act_tables(saved, &action));
        let turns = |answer: &Value| answer["state"]["log"].as_array().unwrap().len();
        assert!(turns(&played) > turns(&begun), "{played}");
        let saved = played["saved"].as_str().unwrap();
        assert!(value(&engine.hint_tables(saved))["plays"][0]["play"].is_string());
        let error = value(&engine.new_tables(r#"{"game": "backgammon"}"#, 5))["error"].clone();
        assert_eq!(error["kind"], "unsupported");
    }

    #[test]
    fn what_is_no_match_is_told() {
        let engine = Engine::new();
        for text in ["", "{", "{}", "[1]"] {
            let kind = value(&engine.hint(text))["error"]["kind"].clone();
            assert_eq!(kind, "request", "{text:?}");
        }
        let error = value(&engine.new_match(r#"{"length": 900}"#, 1));
        assert!(error["error"]["message"].as_str().unwrap().contains("900"));
    }
}
