//! A worker whose games are not those of their seed.

use std::sync::atomic::{AtomicBool, Ordering};

use tavola_evaluator::remote::ShardRunner;
use tavola_fleet::{Address, FleetError, WorkerSettings, default_name, run_worker_with};

use crate::fleet::{Learner, Runs, Server, worker};

#[test]
fn a_worker_that_sends_wrong_games_is_found_and_its_shards_are_played_again() {
    let runs = Runs::new();
    let Some(server) = Server::start(runs.folder.path()) else { return };
    let cancel = AtomicBool::new(false);
    let settings = WorkerSettings {
        address: Address { url: server.url.clone(), ..Address::default() },
        threads: std::num::NonZeroUsize::MIN,
        name: default_name(),
    };
    // Games by the rules, but the last one of each shard is left out.
    let wrong = |player: &dyn ShardRunner, games: std::ops::Range<u64>, cancel: &AtomicBool| {
        let end = games.end.max(games.start + 2) - 1;
        player.run(games.start..end, cancel)
    };
    let ended = std::thread::scope(|scope| {
        let liar = scope.spawn(|| run_worker_with(&settings, &wrong, &|_| {}, &cancel));
        let _honest = worker(&server.url);
        let how = Learner { url: Some(&server.url), check: 1.0, resume: false };
        let mut learner = runs.train("fleet", &how);
        let finished = learner.wait();
        cancel.store(true, Ordering::Relaxed);
        assert!(finished);
        liar.join().expect("the worker ends")
    });
    // It may be cancelled before it hears of its exclusion.
    assert!(matches!(ended, Ok(_) | Err(FleetError::Excluded)), "{ended:?}");
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
}
