//! Kills, restarts and resumptions at times that a seed fixes.

use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::fleet::{Learner, Process, Runs, Server, patience, worker};

#[test]
fn a_fleet_makes_the_network_of_one_process() {
    let runs = Runs::new();
    let Some(server) = Server::start(runs.folder.path()) else { return };
    let _workers = [worker(&server.url), worker(&server.url)];
    let mut learner =
        runs.train("fleet", &Learner { url: Some(&server.url), ..Learner::default() });
    let alone = runs.alone();
    assert!(learner.wait());
    assert!(runs.network("fleet") == alone, "the networks differ");
}

#[test]
fn kills_and_restarts_do_not_change_the_network() {
    let config = crate::fleet::TINY.replace("games_per_round = 120", "games_per_round = 2000");
    let runs = Runs::of(&config);
    let Some(server) = Server::start(runs.folder.path()) else { return };
    // How many fit in before the end depends on the machine.
    let events = disturb(&runs, server, 6, 7);
    assert!(events > 0, "the run ended before it was disturbed");
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
}

/// The long one: `TAVOLA_CHAOS=200 cargo test --workspace --test fleet hundreds -- --ignored
/// --nocapture`.
#[test]
#[ignore = "takes many minutes"]
fn hundreds_of_kills_and_restarts_do_not_change_the_network() {
    let wanted = std::env::var("TAVOLA_CHAOS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let config = crate::fleet::TINY
        .replace("rounds = 4", "rounds = 200")
        .replace("games_per_round = 120", "games_per_round = 4000");
    let runs = Runs::of(&config);
    let Some(server) = Server::start(runs.folder.path()) else { return };
    let events = disturb(&runs, server, wanted, 8);
    eprintln!(
        "{events} disturbances, the network is {}",
        tavola_files::sha256(&runs.network("fleet"))
    );
    assert!(events >= wanted, "only {events} disturbances before the end");
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
}

/// Trains with two workers and disturbs the fleet up to `most` times, then lets it finish. Returns
/// how often it was disturbed.
fn disturb(runs: &Runs, mut server: Server, most: u32, seed: u64) -> u32 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let url = server.url.clone();
    let mut workers = [worker(&url), worker(&url)];
    let begun = Learner { url: Some(&url), check: 0.1, resume: false };
    let resumed = Learner { resume: true, ..begun };
    let mut learner = runs.train("fleet", &begun);
    let mut counts = [0_u32; 4];
    let began = Instant::now();
    let is_begun = || runs.folder.path().join("fleet/checkpoints").exists();
    while counts.iter().sum::<u32>() < most && learner.is_running() {
        std::thread::sleep(Duration::from_millis(rng.random_range(100..900)));
        let kind = rng.random_range(0..8);
        match kind {
            0 => {
                server.restart();
                counts[0] += 1;
            }
            1 if is_begun() && learner.is_running() => {
                learner.kill();
                learner = runs.train("fleet", &resumed);
                counts[1] += 1;
            }
            2 | 3 => {
                cut_off(&workers[kind % 2], Duration::from_millis(1500));
                counts[2] += 1;
            }
            _ => {
                workers[kind % 2].kill();
                workers[kind % 2] = worker(&url);
                counts[3] += 1;
            }
        }
        assert!(began.elapsed() < patience(), "the run does not end");
    }
    if learner.is_running() {
        assert!(learner.wait());
    }
    let [servers, learners, cuts, kills] = counts;
    eprintln!(
        "{servers} restarts of the server, {learners} of the learner, {cuts} stopped workers, \
         {kills} killed workers in {:.0} s",
        began.elapsed().as_secs_f64()
    );
    counts.iter().sum()
}

/// Stops a worker for a time, as if it were cut off: it then sends what others have played.
fn cut_off(worker: &Process, time: Duration) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;
        let Ok(id) = i32::try_from(worker.0.id()) else { return };
        if kill(Pid::from_raw(id), Signal::SIGSTOP).is_ok() {
            std::thread::sleep(time);
            let _ = kill(Pid::from_raw(id), Signal::SIGCONT);
        }
    }
    #[cfg(not(unix))]
    let _ = (worker, time);
}
