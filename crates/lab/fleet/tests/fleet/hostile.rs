//! Messages that no member of a fleet sends. The learner counts them or excludes their sender, and
//! the network stays that of one process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tavola_fleet::wire::{
    BlobRef, MAX_RESULT, PROTOCOL, PacketOutcome, ResultHeader, ResultPart, Shard, pack, to_json,
};
use tavola_fleet::{Address, Fleet, FleetError, FleetSettings};

use crate::fleet::{Runs, Server, train_here, work_here};

#[test]
fn hostile_messages_do_not_change_the_network() {
    let config = crate::fleet::TINY.replace("games_per_round = 120", "games_per_round = 400");
    let runs = Runs::of(&config);
    let Some(server) = Server::start(runs.folder.path()) else { return };
    let address = Address { url: server.url.clone(), ..Address::default() };
    let settings =
        FleetSettings { address: address.clone(), check: 0.1, ack_wait: Duration::from_secs(1) };
    let fleet = Fleet::connect(settings, Some(&runs.folder.path().join("fleet"))).unwrap();
    let (over, run) = (AtomicBool::new(false), fleet.report().run);
    let sent = std::thread::scope(|scope| {
        let _worker = scope.spawn(|| work_here(address, &over));
        let hostile = scope.spawn(|| attack(&server.url, &run, &over));
        train_here(&runs, "fleet", &fleet);
        over.store(true, Ordering::Relaxed);
        hostile.join().expect("the attack ends")
    });
    assert!(sent > 0);
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
    let report = fleet.report();
    assert!(report.damaged > 0, "{report:?}");
    assert!(report.excluded.iter().all(|name| name.starts_with("hostile")), "{report:?}");
}

/// Sends messages until it is over; says how many.
fn attack(url: &str, run: &str, over: &AtomicBool) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(url).await.unwrap();
        let mut sent = 0;
        while !over.load(Ordering::Relaxed) {
            for (subject, message) in messages(run, sent) {
                client.publish(subject, message.into()).await.unwrap();
                sent += 1;
            }
            client.flush().await.unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        sent
    })
}

/// One of each kind, in all rounds of the run.
fn messages(run: &str, sent: u64) -> Vec<(String, Vec<u8>)> {
    let mut messages = Vec::new();
    let zeros = vec![0; 1 << 20];
    let bomb = if sent == 0 { pack(&vec![0; MAX_RESULT as usize + 1]) } else { pack(&zeros) };
    for round in 1..=4 {
        let header = ResultHeader {
            run: run.to_owned(),
            round,
            first: 60,
            count: 7,
            // The job is a secret to who can't read the stream; a worker knows it.
            job: "0".repeat(64),
            worker: "hostile-1".to_owned(),
            ended: PacketOutcome::Done,
            number: sent,
            part: 0,
            parts: 1,
            sha256: tavola_files::sha256(&zeros),
            seconds: 1e300,
        };
        let part = |header: ResultHeader, bytes: &[u8]| {
            ResultPart { header, bytes: bytes.to_vec() }.encode()
        };
        let results = [
            b"\xff\xff\xff\xff nothing".to_vec(),
            part(header.clone(), b"no games"),
            part(header.clone(), &bomb[..bomb.len().min(200_000)]),
            part(ResultHeader { parts: 200, ..header.clone() }, &[0; 1000]),
            part(ResultHeader { worker: "a.b > *".to_owned(), ..header.clone() }, b""),
            part(ResultHeader { first: u64::MAX, count: 10_000, ..header.clone() }, b""),
            part(ResultHeader { ended: PacketOutcome::Dead, ..header.clone() }, b""),
        ];
        let subject = format!("tavola.result.{run}.{round}");
        messages.extend(results.map(|message| (subject.clone(), message)));
        // Shards that no worker should take, or can do.
        let shard = Shard {
            run: run.to_owned(),
            round,
            first: 0,
            count: 3,
            job: BlobRef::of(b"there is no such job"),
            not_by: Vec::new(),
            tries: 5,
        };
        if sent == 0 {
            messages.push((shard.subject(), to_json(&shard)));
            messages.push((shard.subject(), b"{}".to_vec()));
        }
    }
    for beat in ["worker.x", "learner.x"] {
        messages.push((format!("tavola.presence.{beat}"), vec![b'['; 1000]));
    }
    messages
}

#[test]
fn a_worker_that_breaks_the_rules_is_excluded() {
    // One that knows the job, and sends what is no game under a right checksum.
    let runs = Runs::new();
    let Some(server) = Server::start(runs.folder.path()) else { return };
    let address = Address { url: server.url.clone(), ..Address::default() };
    let settings =
        FleetSettings { address: address.clone(), check: 0.0, ack_wait: Duration::from_secs(1) };
    let fleet = Fleet::connect(settings, Some(&runs.folder.path().join("fleet"))).unwrap();
    let over = AtomicBool::new(false);
    let ended = std::thread::scope(|scope| {
        let liar = scope.spawn(|| {
            let settings = tavola_fleet::WorkerSettings {
                address: address.clone(),
                threads: std::num::NonZeroUsize::MIN,
                name: "hostile-2".to_owned(),
            };
            let wrong =
                |_: &dyn tavola_evaluator::remote::ShardRunner,
                 _: std::ops::Range<u64>,
                 _: &AtomicBool| Ok(Some(vec![PROTOCOL as u8; 5000]));
            tavola_fleet::run_worker_with(&settings, &wrong, &|_| {}, &over)
        });
        let _worker = scope.spawn(|| work_here(address.clone(), &over));
        let warnings = train_here(&runs, "fleet", &fleet);
        over.store(true, Ordering::Relaxed);
        let ended = liar.join().expect("the worker ends");
        if fleet.report().excluded == ["hostile-2"] {
            assert!(warnings.iter().any(|text| text.contains("excluded")), "{warnings:?}");
        }
        ended
    });
    assert!(matches!(ended, Ok(_) | Err(FleetError::Excluded)), "{ended:?}");
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
}
