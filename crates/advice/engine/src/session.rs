//! The evaluators of a game, kept between questions.

use std::any::Any;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Mutex;

use tavola_evaluator::{
    CubeEvaluator, Evaluator, PlayableGame, PossibleEvaluator, Preset, Search, SearchSettings,
};
use tavola_files::locked;

use crate::engine::Engine;
use crate::error::Result;
use crate::network::LoadedNetwork;
use crate::watch::{EngineEvent, Warning, Watch};

/// The evaluators that answer one question at a time about a game.
pub(crate) struct Evaluators<G: PlayableGame> {
    /// The network behind the endgame databases.
    pub(crate) main: Box<dyn Evaluator<G>>,
    /// The pruning network behind the same ones, where there is one.
    pub(crate) pruning: Option<Box<dyn Evaluator<G>>>,
    search: Search<G>,
    cube: Option<Box<dyn CubeEvaluator<G>>>,
    /// What a user should know of the network.
    warning: Option<Warning>,
}

impl<G: PlayableGame> Evaluators<G> {
    fn new(engine: &Engine, network: &LoadedNetwork, game: &G, watch: &Watch<'_>) -> Result<Self> {
        let (main, warning) = network.evaluator(game)?;
        let main = Box::new(PossibleEvaluator::new(game.clone(), main));
        let pruning = LoadedNetwork::pruning_evaluator(game)?;
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

    /// The evaluator with the cube of a game that has one, from now on so deep and wide.
    pub(crate) fn cube(&mut self, settings: SearchSettings) -> &dyn CubeEvaluator<G> {
        let cube = self.cube.as_mut().expect("terms exist in games with a cube alone");
        cube.set_settings(settings);
        &**cube
    }
}

/// Sessions that wait for the next question, if no more have ever worked at the same time. Each has
/// tables of the first layer and values of its searches, of some megabytes to some tens.
const MOST_WAITING: usize = 8;

/// Sessions that wait for the next question, by game and weights file.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// The one that was used longest ago first.
    sessions: VecDeque<(Key, Box<dyn Any + Send>)>,
    /// How many work, and how many have at most.
    working: usize,
    most: usize,
}

type Key = (String, Option<PathBuf>);

impl Waiting {
    fn take(&mut self, key: &Key) -> Option<Box<dyn Any + Send>> {
        self.working += 1;
        self.most = self.most.max(self.working);
        let last = self.sessions.iter().rposition(|(other, _)| other == key)?;
        self.sessions.remove(last).map(|(_, session)| session)
    }

    /// Puts a session back; the answer is one that is too many.
    fn put(
        &mut self,
        key: Key,
        session: Box<dyn Any + Send>,
    ) -> Option<(Key, Box<dyn Any + Send>)> {
        self.sessions.push_back((key, session));
        let most = self.most.max(MOST_WAITING);
        if self.sessions.len() > most { self.sessions.pop_front() } else { None }
    }
}

/// Counts a session that works, also where a panic ends the work.
struct Working<'a>(&'a Sessions);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.lock().working -= 1;
    }
}

impl Sessions {
    /// Does something with a session, which no other request uses meanwhile.
    pub(crate) fn with<G: PlayableGame, T>(
        &self,
        engine: &Engine,
        model: Option<&PathBuf>,
        game: &G,
        watch: &Watch<'_>,
        work: impl FnOnce(&mut Evaluators<G>) -> T,
    ) -> Result<T> {
        let key = (game.id(), model.cloned());
        let waiting = self.lock().take(&key);
        let working = Working(self);
        let waiting = waiting.and_then(|session| session.downcast::<Evaluators<G>>().ok());
        let mut session = match waiting {
            Some(session) => session,
            None => {
                let network = engine.network(model.map(PathBuf::as_path), &key.0)?;
                Box::new(Evaluators::new(engine, &network, game, watch)?)
            }
        };
        if let Some(warning) = &session.warning {
            (watch.events)(EngineEvent::Warning(warning.clone()));
        }
        let answer = work(&mut session);
        drop(working);
        let too_many = self.lock().put(key, session);
        drop(too_many);
        Ok(answer)
    }

    /// Forgets what waits for questions to built-in networks.
    pub(crate) fn forget(&self) {
        let of_file = |key: &Key| !LoadedNetwork::is_default(key.1.as_deref());
        self.lock().sessions.retain(|(key, _)| of_file(key));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        locked(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> Key {
        (number.to_string(), None)
    }

    #[test]
    fn few_sessions_wait_and_the_oldest_go_first() {
        let mut waiting = Waiting::default();
        for number in 0..100 {
            assert!(waiting.take(&key(number)).is_none());
            waiting.working -= 1;
            let gone = waiting.put(key(number), Box::new(number));
            let expected = number.checked_sub(MOST_WAITING).map(key);
            assert_eq!(gone.map(|(key, _)| key), expected);
        }
        let last = waiting.take(&key(99)).and_then(|session| session.downcast::<usize>().ok());
        assert_eq!(last.as_deref(), Some(&99));
        assert!(waiting.take(&key(0)).is_none());
    }

    #[test]
    fn as_many_wait_as_have_worked_together() {
        let mut waiting = Waiting::default();
        (0..20).for_each(|_| assert!(waiting.take(&key(1)).is_none()));
        for _ in 0..20 {
            waiting.working -= 1;
            assert!(waiting.put(key(1), Box::new(())).is_none());
        }
        assert!(waiting.put(key(2), Box::new(())).is_some());
    }
}
