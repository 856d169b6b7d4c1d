//! The evaluators of a game, kept between questions.

use std::any::Any;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use tavola_evaluator::{
    CubeEvaluator, Evaluator, PlayableGame, PossibleEvaluator, Preset, Search, SearchSettings,
};
use tavola_files::locked;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::network::Network;
use crate::watch::{EngineEvent, Warning, Watch};

/// The evaluators that answer one question at a time about a game.
pub(crate) struct Session<G: PlayableGame> {
    /// The network behind the endgame databases.
    pub(crate) main: Box<dyn Evaluator<G>>,
    /// The pruning network behind the same ones, where there is one.
    pub(crate) pruning: Option<Box<dyn Evaluator<G>>>,
    search: Search<G>,
    cube: Option<Box<dyn CubeEvaluator<G>>>,
    /// What a user should know of the network.
    warning: Option<Warning>,
}

impl<G: PlayableGame> Session<G> {
    fn new(
        engine: &Engine,
        network: &Network,
        game: &G,
        watch: &Watch<'_>,
    ) -> Result<Self, EngineError> {
        let (main, warning) = network.evaluator(game)?;
        let main = Box::new(PossibleEvaluator::new(game.clone(), main));
        let pruning = Network::pruning_evaluator(game)?;
        let tables = || engine.tables(watch);
        let main = game.behind_tables(main, &tables);
        let pruning = pruning.map(|pruning| game.behind_tables(pruning, &tables));
        let cube = game.cube_evaluator(&*main, pruning.as_deref(), &tables).map(|mut cube| {
            cube.set_threads(engine.threads());
            cube
        });
        let settings = Preset::default().at(0);
        let for_search = pruning.as_ref().map(|pruning| pruning.fork());
        let search = Search::new(game.clone(), main.fork(), for_search, settings)
            .on_threads(engine.threads());
        Ok(Self { main, pruning, search, cube, warning })
    }

    /// The search, from now on so deep and wide.
    pub(crate) fn search(&mut self, settings: SearchSettings) -> &mut Search<G> {
        self.search.set_settings(settings);
        &mut self.search
    }

    /// The evaluator with the cube, from now on so deep and wide; `None` in games without one.
    pub(crate) fn cube(&mut self, settings: SearchSettings) -> Option<&dyn CubeEvaluator<G>> {
        self.cube.as_mut().map(|cube| {
            cube.set_settings(settings);
            &**cube
        })
    }
}

/// Sessions that wait for the next question, by game and weights file.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Key, Vec<Box<dyn Any + Send>>>>);

type Key = (String, Option<PathBuf>);

impl Sessions {
    /// Does something with a session, which no other request uses meanwhile.
    pub(crate) fn with<G: PlayableGame, T>(
        &self,
        engine: &Engine,
        model: Option<&PathBuf>,
        game: &G,
        watch: &Watch<'_>,
        work: impl FnOnce(&mut Session<G>) -> T,
    ) -> Result<T, EngineError> {
        let key = (game.id(), model.cloned());
        let waiting = self.lock().get_mut(&key).and_then(Vec::pop);
        let waiting = waiting.and_then(|session| session.downcast::<Session<G>>().ok());
        let mut session = match waiting {
            Some(session) => session,
            None => {
                let network = engine.network(model.map(PathBuf::as_path), &key.0)?;
                Box::new(Session::new(engine, &network, game, watch)?)
            }
        };
        if let Some(warning) = &session.warning {
            (watch.events)(EngineEvent::Warning(warning.clone()));
        }
        let answer = work(&mut session);
        self.lock().entry(key).or_default().push(session);
        Ok(answer)
    }

    /// Forgets what waits for questions to built-in networks.
    pub(crate) fn forget(&self) {
        self.lock().retain(|(_, model), _| !Network::is_default(model.as_deref()));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Vec<Box<dyn Any + Send>>>> {
        locked(&self.0)
    }
}
