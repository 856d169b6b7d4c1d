//! Workers whose games are not those of their seed, that fail, or that do nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tavola_evaluator::remote::ShardRunner;
use tavola_fleet::wire::{WorkerBeat, to_json, version, worker_beat_subject};
use tavola_fleet::{
    Address, Fleet, FleetError, FleetSettings, WorkerSettings, default_name, do_shard,
    run_worker_with,
};

use crate::fleet::{Learner, Runs, Server, train_here, work_here, worker};

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
    // It may be canceled before it hears of its exclusion.
    assert!(matches!(ended, Ok(_) | Err(FleetError::Excluded)), "{ended:?}");
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
}

/// Two rounds of few games, and a fleet that looks after its shards each half second.
fn few_games(server: &Server, runs: &Runs, check: f64) -> (Address, Fleet) {
    let address = Address { url: server.url.clone(), ..Address::default() };
    let settings =
        FleetSettings { address: address.clone(), check, ack_wait: Duration::from_millis(500) };
    let fleet = Fleet::connect(settings, Some(&runs.folder.path().join("fleet"))).unwrap();
    (address, fleet)
}

fn runs_of_few_games() -> Runs {
    let config = crate::fleet::TINY.replace("rounds = 4", "rounds = 2");
    Runs::of(&config.replace("games_per_round = 120", "games_per_round = 20"))
}

#[test]
fn shards_that_no_worker_can_do_are_done_by_the_learner() {
    let runs = runs_of_few_games();
    let Some(server) = Server::start(runs.folder.path()) else { return };
    let (address, fleet) = few_games(&server, &runs, 0.0);
    let over = AtomicBool::new(false);
    let warnings = std::thread::scope(|scope| {
        scope.spawn(|| {
            let settings = WorkerSettings {
                address,
                threads: std::num::NonZeroUsize::new(4).unwrap(),
                name: default_name(),
            };
            // It can't do a game of the first round, and breaks down at one of the second.
            let fails =
                |runner: &dyn ShardRunner, games: std::ops::Range<u64>, cancel: &AtomicBool| {
                    if games.contains(&5) {
                        return Err("no".into());
                    }
                    assert!(!games.contains(&65), "a worker breaks down");
                    runner.run(games, cancel)
                };
            run_worker_with(&settings, &fails, &|_| {}, &over).unwrap();
        });
        let warnings = train_here(&runs, "fleet", &fleet);
        over.store(true, Ordering::Relaxed);
        warnings
    });
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
    let report = fleet.report();
    assert!(report.dead > 0 && report.excluded.is_empty(), "{report:?}");
    assert!(warnings.iter().any(|text| text.contains("the learner does them")), "{warnings:?}");
}

#[test]
fn a_worker_built_from_another_commit_ends() {
    let runs = runs_of_few_games();
    let Some(server) = Server::start(runs.folder.path()) else { return };
    let (address, fleet) = few_games(&server, &runs, 0.0);
    let over = AtomicBool::new(false);
    let ended = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let settings = WorkerSettings {
                address: Address { commit: Some("0123abc"), ..address.clone() },
                threads: std::num::NonZeroUsize::MIN,
                name: default_name(),
            };
            let ended = run_worker_with(&settings, &do_shard, &|_| {}, &over);
            work_here(address, &over);
            ended
        });
        train_here(&runs, "fleet", &fleet);
        over.store(true, Ordering::Relaxed);
        worker.join().unwrap()
    });
    let Err(FleetError::OtherVersion { found, expected }) = ended else { panic!("{ended:?}") };
    assert!(found.contains("commit unknown") && expected.contains("commit 0123abc"), "{expected}");
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
}

#[test]
fn checks_that_nobody_else_takes_are_not_dead() {
    let runs = runs_of_few_games();
    let Some(server) = Server::start(runs.folder.path()) else { return };
    let (address, fleet) = few_games(&server, &runs, 1.0);
    let over = AtomicBool::new(false);
    let warnings = std::thread::scope(|scope| {
        scope.spawn(|| work_here(address, &over));
        // A worker that says it is there, and takes nothing.
        scope.spawn(|| idle(&server.url, &over));
        let warnings = train_here(&runs, "fleet", &fleet);
        over.store(true, Ordering::Relaxed);
        warnings
    });
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
    let report = fleet.report();
    assert!(report.checked > 0 && report.dead == 0, "{report:?}");
    assert_eq!(warnings, [""; 0]);
}

fn idle(url: &str, over: &AtomicBool) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(url).await.unwrap();
        let beat = WorkerBeat {
            worker: "idle".to_owned(),
            version: version(None),
            threads: 1,
            items: 0,
            seconds: 1.0,
            busy_seconds: 0.0,
            sent_bytes: 0,
        };
        while !over.load(Ordering::Relaxed) {
            let _ = client.publish(worker_beat_subject("idle"), to_json(&beat).into()).await;
            let _ = client.flush().await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
}
