//! The engine in WebAssembly: texts of JSON in, texts of JSON out.
//!
//! The page of `crates/interfaces/serve/page` asks it in a worker where no server answers. Requests
//! and answers are those of the server: an operation of `tavola batch`, a game against the engine,
//! a file of matches to analyze. A game is its saved text, which the page keeps; the engine holds
//! none. The networks of other games are no part of it: the page provides one when its game is
//! played.
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
//! let begun = engine.begin(r#"{"length": 3}"#, 7);
//! assert!(begun.contains(r#""saved":"#));
//! ```

use std::num::NonZeroUsize;

use serde_json::{Value, json};
use tavola_engine::live::{Live, LoggedTurn, NewGame, Strength, many_games};
use tavola_engine::{
    Analyses, Analysis, AnalysisProgress, AnalysisReport, EngineError, ErrorKind, LoadedNetwork,
    NamedMatch, Question, Verification, Watch, operations,
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

/// The engine with the built-in network.
#[wasm_bindgen]
pub struct Engine {
    engine: tavola_engine::Engine,
    default: Question,
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
        let engine = tavola_engine::Engine::without_tables();
        Self { engine, default: Question::default() }
    }

    /// What this engine is and can do, as the server's `GET /api/v1/engine`.
    pub fn info(&self) -> String {
        text(self.engine.network(None, "backgammon").map(|network| {
            json!({
                "name": "tavola",
                "local": true,
                "version": env!("CARGO_PKG_VERSION"),
                "network": network.weights().checksum(),
                "operations": operations::names(),
                "games": AnyGame::names(),
                "many": many_games(),
                "trained": LoadedNetwork::games().collect::<Vec<_>>(),
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

    /// Takes the bytes of a weights file as the network of its game, whose name it answers.
    pub fn provide(&self, weights: &[u8]) -> String {
        text(self.engine.provide_network(weights))
    }

    /// Takes the bytes of the program's network of backgammon and generates its endgame databases,
    /// so that answers are the program's from then on. Answers as [`info`](Self::info).
    pub fn strengthen(&mut self, weights: &[u8]) -> String {
        if let Err(error) = self.engine.provide_network(weights) {
            return text::<()>(Err(error));
        }
        let engine = std::mem::replace(&mut self.engine, tavola_engine::Engine::without_tables());
        self.engine = engine.with_tables();
        self.engine.tables(&Watch::default());
        self.info()
    }

    /// Begins a game: `happened`, `state` and `saved`, its text.
    pub fn begin(&self, setup: &str, seed: u32) -> String {
        text(self.begun(setup, seed))
    }

    /// A saved game as it is.
    pub fn state(&self, saved: &str) -> String {
        text(self.with(saved, |live, engine, watch| {
            live.go_on(engine, watch)?;
            Ok(shown(live, Vec::new()))
        }))
    }

    /// Does something in a saved game; the engine answers.
    pub fn act(&self, saved: &str, action: &str) -> String {
        text(self.with(saved, |live, engine, watch| {
            let happened = live.turn(&parse(action)?, engine, watch)?;
            Ok(shown(live, happened))
        }))
    }

    /// Advice on the decision of the user.
    pub fn hint(&self, saved: &str) -> String {
        text(self.with(saved, |live, engine, watch| live.hint(engine, watch)))
    }

    /// What an action loses, before it is done; null if nothing.
    pub fn mistake(&self, saved: &str, action: &str) -> String {
        text(self.with(saved, |live, engine, watch| live.mistake(&parse(action)?, engine, watch)))
    }

    /// A match as match text, another game as a transcript, under `text`.
    pub fn record(&self, saved: &str) -> String {
        text(self.with(saved, |live, _, _| Ok(json!({"text": live.record_text()}))))
    }

    /// Every decision of a file of matches, evaluated. How many of how many are done is told to the
    /// function `tavolaProgress` of the worker.
    pub fn analyze(&self, file: &[u8], ply: u8) -> String {
        text(Analysis::at_ply(ply).and_then(|analysis| self.repeated(file, None, &analysis)))
    }

    /// Repeats the analysis of a report that `tavola analyze --json` has written about this file, and
    /// answers as `tavola verify --json`. The progress is told as that of [`analyze`](Self::analyze).
    pub fn verify(&self, report: &str, file: &[u8]) -> String {
        text(self.verified(report, file))
    }
}

impl Engine {
    fn begun(&self, setup: &str, seed: u32) -> Result<Value, EngineError> {
        let asked: NewGame = parse(setup)?;
        let mut live = Live::begin(asked, seed)?;
        live.check_network(&self.engine, &Watch::default())?;
        let happened = live.go_on(&self.engine, &Watch::default())?;
        Ok(shown(&live, happened))
    }

    /// Something with a saved game.
    fn with<T>(
        &self,
        saved: &str,
        work: impl FnOnce(&mut Live, &tavola_engine::Engine, &Watch<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut live = Live::read(saved.as_bytes(), "the saved game")
            .map_err(|error| EngineError::new(ErrorKind::Request, error))?;
        work(&mut live, &self.engine, &Watch::default())
    }

    fn verified(&self, report: &str, file: &[u8]) -> Result<Verification, EngineError> {
        let report = AnalysisReport::read(report, "the report".to_owned())?;
        let analysis = report.analysis(&self.engine, None, NonZeroUsize::MIN)?;
        report.compare(&self.repeated(file, report.game(), &analysis)?, false)
    }

    fn repeated(
        &self,
        file: &[u8],
        game: Option<Backgammon>,
        analysis: &Analysis,
    ) -> Result<Analyses, EngineError> {
        let matches = NamedMatch::read("file", file, game, tavola_matches::ReadWatch::default())?;
        let report = |progress: AnalysisProgress| tell(progress.done, progress.total);
        self.engine.analyze_file(&matches, analysis, &Watch::default(), &report)
    }
}

fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, EngineError> {
    serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_data() { ErrorKind::Request } else { ErrorKind::Json };
        EngineError::new(kind, format_args!("the request can't be used: {error}"))
    })
}

fn shown(live: &Live, happened: Vec<LoggedTurn>) -> Value {
    json!({"happened": happened, "state": live.view(), "saved": live.to_json()})
}

/// An answer or an error as a text of JSON.
fn text<T: serde::Serialize>(answer: Result<T, EngineError>) -> String {
    match answer {
        // Not by way of a value, which would write numbers of 32 bits with the digits of 64.
        Ok(answer) => serde_json::to_string(&answer).expect("plain data"),
        Err(error) => json!({"error": error}).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use tavola_engine::ReportSettings;

    use super::*;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_match_goes_on_from_its_text() {
        let engine = Engine::new();
        let begun = value(&engine.begin(r#"{"length": 1, "strength": "expert"}"#, 3));
        let saved = begun["saved"].as_str().unwrap();
        assert_eq!(value(&engine.state(saved))["state"], begun["state"]);
        let dance = value(&engine.act(saved, r#"{"act": "next_game"}"#));
        assert!(dance["error"]["message"].as_str().unwrap().contains("not over"), "{dance}");
        let resigned = value(&engine.act(saved, r#"{"act": "resign", "size": "single"}"#));
        assert_eq!(resigned["state"]["waiting"]["for"], "match_over");
        let file = value(&engine.record(resigned["saved"].as_str().unwrap()));
        let analysis = value(&engine.analyze(file["text"].as_str().unwrap().as_bytes(), 0));
        assert_eq!(analysis["matches"][0]["length"], 1);
    }

    #[test]
    fn a_historical_game_goes_on_from_its_text() {
        let engine = Engine::new();
        let begun = value(&engine.begin(r#"{"game": "tabula"}"#, 5));
        let saved = begun["saved"].as_str().unwrap();
        assert_eq!(value(&engine.state(saved))["state"], begun["state"]);
        let play = &begun["state"]["waiting"]["plays"][0];
        let action = json!({"act": "play", "play": play}).to_string();
        let played = value(&engine.act(saved, &action));
        let turns = |answer: &Value| answer["state"]["log"].as_array().unwrap().len();
        assert!(turns(&played) > turns(&begun), "{played}");
        let saved = played["saved"].as_str().unwrap();
        assert!(value(&engine.hint(saved))["plays"][0]["play"].is_string());
        let record = value(&engine.record(saved))["text"].to_string();
        assert!(record.contains("tabula: You, tavola"), "{record}");
    }

    #[test]
    fn a_game_for_many_goes_on_from_its_text() {
        let engine = Engine::new();
        let setup = r#"{"game": "astronomy", "opponents": "rule-based"}"#;
        let begun = value(&engine.begin(setup, 5));
        let saved = begun["saved"].as_str().unwrap();
        assert_eq!(value(&engine.state(saved))["state"], begun["state"]);
        let action = json!({"act": "play", "play": &begun["state"]["waiting"]["plays"][0]});
        let played = value(&engine.act(saved, &action.to_string()));
        assert_eq!(played["happened"].as_array().unwrap().len(), 7, "{played}");
        assert_eq!(value(&engine.mistake(saved, &action.to_string())), Value::Null);
    }

    #[test]
    fn a_network_is_provided_by_the_page() {
        let engine = Engine::new();
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/games/tabula.safetensors");
        assert_eq!(engine.provide(&std::fs::read(file).unwrap()), "\"tabula\"");
        assert_eq!(value(&engine.provide(b"nothing"))["error"]["kind"], "model");
        let begun = value(&engine.begin(r#"{"game": "tabula"}"#, 5));
        assert!(begun["saved"].is_string(), "{begun}");
    }

    #[test]
    fn the_network_and_the_databases_of_the_program_come_later() {
        let mut engine = Engine::new();
        let ask = |engine: &Engine| {
            let race =
                r#"{"position": "XGID=-BBBBBB------------bbbbbb-:0:0:1:00:0:0:0:0:10", "ply": 0}"#;
            value(&engine.answer("eval", race))["probs"].clone()
        };
        let before = ask(&engine);
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/default.safetensors");
        let info = value(&engine.strengthen(&std::fs::read(file).unwrap()));
        assert!(info["network"].as_str().unwrap().starts_with("30f61872b5e9"), "{info}");
        // Outside a browser the network of the program is built in.
        let program = tavola_engine::Engine::without_tables().with_tables();
        let program = Engine { engine: program, ..Engine::new() };
        assert_ne!(ask(&engine), before);
        assert_eq!(ask(&engine), ask(&program));
        assert_eq!(value(&engine.strengthen(b"nothing"))["error"]["kind"], "model");
    }

    #[test]
    fn a_report_of_the_program_is_repeated_and_a_changed_figure_is_found() {
        let file = b" 1 point match\n\n Game 1\n Ann : 0   Bob : 0\n  \
            1) 31: 8/5 6/5            21: 13/11 6/5\n  2) 64: 24/14             55: 8/3(2) 6/1(2)\n";
        let program = tavola_engine::Engine::without_tables();
        let analysis = Analysis { met: Some("own".into()), ..Analysis::at_ply(0).unwrap() };
        let matches =
            NamedMatch::read("match.mat", file, None, tavola_matches::ReadWatch::default())
                .unwrap();
        let found = program.analyze_file(&matches, &analysis, &Watch::default(), &|_| {}).unwrap();
        let settings = ReportSettings::new(&program, &analysis, None, &found.matches).unwrap();
        let mut report = value(&serde_json::to_string(&found.matches[0]).unwrap());
        report["provenance"] = json!({"settings": settings});
        let engine = Engine::new();
        let verified = value(&engine.verify(&report.to_string(), file));
        assert_eq!((&verified["same"], &verified["matches"]), (&true.into(), &1.into()));
        assert_eq!(verified["decisions"], found.matches[0].decisions.len());
        let verified = |report: &Value, file| {
            value(&engine.verify(&report.to_string(), file))["error"]["message"].to_string()
        };
        assert!(
            verified(&report, b" 1 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5\n")
                .contains("about others")
        );
        report["decisions"][0]["equity"] = 0.5.into();
        let changed = value(&engine.verify(&report.to_string(), file));
        assert_eq!(changed["differences"][0]["key"], "decisions[0].equity", "{changed}");
        assert!(verified(&json!({}), file).contains("expected a report"));
    }

    #[test]
    fn what_is_no_match_is_told() {
        let engine = Engine::new();
        for text in ["", "{", "{}", "[1]"] {
            let kind = value(&engine.hint(text))["error"]["kind"].clone();
            assert_eq!(kind, "request", "{text:?}");
        }
        let error = value(&engine.begin(r#"{"length": 900}"#, 1));
        assert!(error["error"]["message"].as_str().unwrap().contains("900"));
    }
}
