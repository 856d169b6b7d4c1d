//! The engine: what answers need, loaded once.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use tavola_bearoff::{Store, Tables};
use tavola_equity::MatchEquityTable;
use tavola_evaluator::remote::OnFleet;
use tavola_files::{locked, unlocked};
use tavola_games::{NamedGame, with_game, with_many_game};

use crate::error::{EngineError, Result};
use crate::many::ManyQuestion;
use crate::met;
use crate::network::LoadedNetwork;
use crate::once::Made;
use crate::operations::Operation;
use crate::question::{AnyAnswer, FullAnswer, PositionQuestion, Question, TwoOrMany};
use crate::session::Sessions;
use crate::watch::{EngineEvent, Warning, Watch};

/// A weights file, and for built-in networks the game if it has one of its own.
type NetworkKey = (Option<PathBuf>, Option<&'static str>);

/// Answers questions about positions of any game.
///
/// An engine may be shared by threads: questions at the same time have evaluators of their own. It
/// loads networks and tables when they are first needed and keeps them. Equal questions have equal
/// answers, on any number of threads and in any order; a time limit is the exception.
pub struct Engine {
    threads: NonZeroUsize,
    store: Option<Store>,
    tables: OnceLock<Tables>,
    mets: met::MatchTables,
    networks: Made<NetworkKey, LoadedNetwork>,
    /// Networks that stand for the built-in ones, by their games.
    provided: Mutex<HashMap<String, LoadedNetwork>>,
    pub(crate) sessions: Sessions,
}

impl Engine {
    /// An engine that uses this many threads for a question, and the endgame databases of a store.
    /// The default databases are generated when they are first needed and not there.
    pub fn new(threads: NonZeroUsize, store: Option<Store>) -> Self {
        Self {
            threads,
            store,
            tables: OnceLock::new(),
            mets: met::MatchTables::default(),
            networks: Made::default(),
            provided: Mutex::default(),
            sessions: Sessions::default(),
        }
    }

    /// An engine on one thread that leaves endgames to the network.
    pub fn without_tables() -> Self {
        Self::new(NonZeroUsize::MIN, None)
    }

    /// The same engine with the default endgame databases, which it generates in memory when they
    /// are first needed. Networks that were provided stay.
    #[must_use]
    pub fn with_tables(self) -> Self {
        let (tables, sessions) = (OnceLock::new(), Sessions::default());
        Self { store: Some(Store::in_memory()), tables, sessions, ..self }
    }

    /// Threads that a question uses.
    pub const fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    /// Whether it asks endgame databases.
    pub(crate) const fn has_tables(&self) -> bool {
        self.store.is_some()
    }

    /// The endgame databases, read or generated when they are first needed.
    pub fn tables(&self, watch: &Watch<'_>) -> Tables {
        let load = || {
            let Some(store) = &self.store else { return Tables::default() };
            let (tables, warnings) = store.load_all(&|progress| {
                (watch.events)(EngineEvent::Table(progress));
            });
            for warning in warnings {
                let error = EngineError::caused(crate::ErrorKind::Internal, "", &warning);
                (watch.events)(EngineEvent::Warning(Warning::Tables(error.to_string())));
            }
            tables
        };
        self.tables.get_or_init(load).clone()
    }

    /// The match equity table of this name (`kazaross-xg2`, `rockwell-kazaross`, `own`) or in this
    /// XML file, long enough for a match to `length`.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `met`.
    pub fn match_equities(&self, name: &str, length: u16) -> Result<Arc<MatchEquityTable>> {
        self.mets.get(name, length)
    }

    /// The network of a weights file, or the built-in one for the game of this id.
    ///
    /// # Errors
    ///
    /// As [`LoadedNetwork::load`].
    pub fn network(&self, file: Option<&Path>, game: &str) -> Result<LoadedNetwork> {
        let own = LoadedNetwork::other_game(file, game);
        if LoadedNetwork::is_default(file) {
            let provided = locked(&self.provided);
            // A variant without a network of its own has that of backgammon.
            let usual = || provided.get("backgammon").filter(|_| own.is_none());
            let found = provided.get(LoadedNetwork::without_options(game)).or_else(usual);
            if let Some(network) = found {
                return Ok(network.clone());
            }
        }
        let key = (file.map(Path::to_owned), own);
        self.networks.get(&key, |_| true, || LoadedNetwork::load_for(file, game))
    }

    /// Takes the bytes of a weights file as the built-in network of the game that it was trained
    /// for, and tells which game that is. Programs that can't carry all networks, such as pages,
    /// provide one before its game is played.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model` if they are unusable.
    pub fn provide_network(&self, bytes: &[u8]) -> Result<String> {
        let network = LoadedNetwork::provided(bytes)?;
        let game = network.weights().game.clone();
        locked(&self.provided).insert(game.clone(), network);
        self.sessions.forget();
        Ok(game)
    }

    /// The answer to what is asked about a position of any game.
    ///
    /// # Errors
    ///
    /// [`EngineError`] says why there is none.
    pub fn ask_any<O: Operation>(
        &self,
        question: &Question,
        operation: &O,
        watch: &Watch<'_>,
    ) -> Result<AnyAnswer<O>> {
        Ok(match &question.game {
            NamedGame::Two(_) => TwoOrMany::Two(self.ask(question, operation, watch)?),
            NamedGame::Many(game) => TwoOrMany::Many(warned(watch, |watch| {
                with_many_game!(game, |game| {
                    let asked = ManyQuestion::new(self, game, question, watch)?;
                    let answer = operation.answer_many(&asked)?;
                    Ok(asked.answered(answer))
                })
            })?),
        })
    }

    /// The answer to what is asked about a position of a game for two players.
    ///
    /// # Errors
    ///
    /// [`EngineError`] says why there is none.
    pub fn ask<O: Operation>(
        &self,
        question: &Question,
        operation: &O,
        watch: &Watch<'_>,
    ) -> Result<FullAnswer<O::Answer>> {
        self.ask_on(None, question, operation, watch)
    }

    /// Answers a question with the help of other processes, where the operation knows of them:
    /// `rollout`. The answer is that of one process.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn ask_on<O: Operation>(
        &self,
        on_fleet: Option<OnFleet<'_>>,
        question: &Question,
        operation: &O,
        watch: &Watch<'_>,
    ) -> Result<FullAnswer<O::Answer>> {
        let game = question.game.two().map_err(EngineError::unsupported)?;
        warned(watch, |watch| {
            with_game!(game, |game| {
                let asked = PositionQuestion {
                    on_fleet,
                    ..PositionQuestion::new::<O>(self, game, question, watch)?
                };
                let answer = operation.answer(&asked)?;
                Ok(asked.answered(answer))
            })
        })
    }
}

/// An answer with the warnings that were given meanwhile, but for those of endgame databases.
fn warned<A>(
    watch: &Watch<'_>,
    ask: impl FnOnce(&Watch<'_>) -> Result<FullAnswer<A>>,
) -> Result<FullAnswer<A>> {
    let warnings = Mutex::new(Vec::new());
    let events = |event: EngineEvent<'_>| {
        if let EngineEvent::Warning(warning) = &event
            && !matches!(warning, Warning::Tables(_))
        {
            locked(&warnings).push(warning.to_string());
        }
        (watch.events)(event);
    };
    let answered = ask(&Watch { events: &events, ..*watch })?;
    Ok(FullAnswer { warnings: unlocked(warnings), ..answered })
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("threads", &self.threads).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_that_is_provided_answers_for_its_game() {
        let engine = Engine::without_tables();
        let network = |game: &str| engine.network(None, game).unwrap().weights().checksum();
        let before = ["nackgammon", "longgammon"].map(network);
        assert_eq!(before[0], before[1]);
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../models/games");
        let bytes = std::fs::read(models.join("nackgammon.safetensors")).unwrap();
        assert_eq!(engine.provide_network(&bytes), Ok("nackgammon".to_owned()));
        assert_ne!(network("nackgammon"), before[0]);
        assert_eq!(network("longgammon"), before[1]);
        let error = engine.provide_network(b"no weights").unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Model);
    }

    #[test]
    fn an_engine_may_be_shared_by_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Engine>();
    }
}
