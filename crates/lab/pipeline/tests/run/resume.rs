//! A run that is stopped or killed and resumed gives the same network as one that was not.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use tavola_pipeline::{
    Begin, Config, HoldsARun, Manifest, Metrics, Plan, RunEvent, read_metrics, run,
};

use crate::{
    IsTime, ROUNDS, assert_same_run, final_weights, finish, options, plan, refused, stop_at,
};

#[test]
fn the_number_of_threads_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let (one, three) = (folder.path().join("one"), folder.path().join("three"));
    finish(&plan(1), &one, Begin::New, 1);
    finish(&plan(1), &three, Begin::New, 3);
    assert_same_run(&one, &three);
}

#[test]
fn another_seed_gives_another_network() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    finish(&plan(1), &one, Begin::New, 1);
    let config = Config { seed: 12, ..plan(1).config().clone() };
    let other = Plan::new(config, Path::new("test.toml")).unwrap();
    finish(&other, &two, Begin::New, 1);
    assert_ne!(final_weights(&one).layers, final_weights(&two).layers);
}

#[test]
fn stopped_anywhere_and_resumed_gives_the_same_network() {
    let folder = tempfile::tempdir().unwrap();
    for window in [1, 3] {
        let plan = plan(window);
        let whole = folder.path().join(format!("whole-{window}"));
        finish(&plan, &whole, Begin::New, 2);

        let stops: [(&str, &IsTime); 5] = [
            ("first-games", &|event| {
                matches!(event, RunEvent::GamesPlayed { round: 1, done: 5, .. })
            }),
            ("games", &|event| matches!(event, RunEvent::GamesPlayed { round: 4, done: 9, .. })),
            ("round", &|event| matches!(event, RunEvent::RoundFinished(round) if round.round == 3)),
            ("evaluation", &|event| {
                matches!(event, RunEvent::EvaluationGamesPlayed { round: 3, opponent, .. }
                    if opponent == "pip-count")
            }),
            (
                "end",
                &|event| matches!(event, RunEvent::RoundFinished(round) if round.round == ROUNDS),
            ),
        ];
        for (name, stop) in stops {
            let stopped = folder.path().join(format!("{name}-{window}"));
            let report = stop_at(&plan, &stopped, Begin::New, 2, stop);
            assert!(!stopped.join("final.safetensors").exists(), "{name}");
            let resumed = finish(&plan, &stopped, Begin::Resume, 3);
            assert!(report.rounds_done <= resumed.rounds_done);
            assert_same_run(&whole, &stopped);
        }
    }
}

#[test]
fn stopping_saves_every_round_that_was_learned() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = plan(1).config().clone();
    config.checkpoint.every_rounds = 100;
    let plan = Plan::new(config, Path::new("test.toml")).unwrap();
    let report = stop_at(
        &plan,
        folder.path(),
        Begin::New,
        2,
        &|event| matches!(event, RunEvent::RoundFinished(round) if round.round == 4),
    );
    assert_eq!((report.rounds_done, report.rounds), (4, ROUNDS));
    assert!(folder.path().join("checkpoints/round-000004").is_dir());
    let begun = Mutex::new(Vec::new());
    let observer = |event: &RunEvent| {
        if let RunEvent::Started { after_round, .. } = event {
            begun.lock().unwrap().push(*after_round);
        }
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(folder.path(), Begin::Resume, 2), None, &observer, &never).unwrap();
    assert_eq!(*begun.lock().unwrap(), [4]);
}

/// Takes a copy of a run directory, as a power cut would leave it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_run_killed_at_any_event_resumes_to_the_same_network() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(2);
    let whole = folder.path().join("whole");
    // Copies at every event stand for kills there: a process leaves its files as they are.
    let kills = Mutex::new(0);
    let observer = |event: &RunEvent| {
        if matches!(event, RunEvent::GamesPlayed { done, .. } if done % 7 != 0)
            || matches!(event, RunEvent::EvaluationGamesPlayed { .. })
        {
            return;
        }
        let mut kills = kills.lock().unwrap();
        copy(&whole, &folder.path().join(format!("killed-{kills}")));
        *kills += 1;
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(&whole, Begin::New, 1), None, &observer, &never).unwrap();
    let kills = kills.into_inner().unwrap();
    assert!(kills > 20, "{kills}");
    // Every third one, to save time.
    for kill in (0..kills).step_by(3) {
        let killed = folder.path().join(format!("killed-{kill}"));
        finish(&plan, &killed, Begin::Resume, 1);
        assert_same_run(&whole, &killed);
    }
}

#[test]
fn what_a_killed_writer_left_is_swept_away() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    let plan = plan(2);
    finish(&plan, &whole, Begin::New, 1);
    stop_at(
        &plan,
        &killed,
        Begin::New,
        1,
        &|event| matches!(event, RunEvent::RoundFinished(round) if round.round == 3),
    );
    let half = killed.join("checkpoints/round-000004.unfinished");
    fs::create_dir(&half).unwrap();
    fs::write(half.join("learner"), b"half a lear").unwrap();
    fs::write(killed.join("manifest.json.7-0.unfinished"), b"{").unwrap();
    fs::write(killed.join("records/round-000004.records.7-1.unfinished"), b"TAVO").unwrap();
    fs::write(killed.join("records/round-000005.records"), b"of a later time").unwrap();
    let metrics = killed.join("metrics.jsonl");
    let mut lines = fs::read(&metrics).unwrap();
    lines.extend_from_slice(br#"{"type":"round","round":4,"ga"#);
    fs::write(&metrics, lines).unwrap();

    finish(&plan, &killed, Begin::Resume, 1);
    assert_same_run(&whole, &killed);
    for left in [half, killed.join("manifest.json.7-0.unfinished")] {
        assert!(!left.exists(), "{}", left.display());
    }
}

#[test]
fn a_damaged_checkpoint_falls_back_to_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, damaged) = (folder.path().join("whole"), folder.path().join("damaged"));
    let plan = plan(2);
    finish(&plan, &whole, Begin::New, 1);
    let report = stop_at(
        &plan,
        &damaged,
        Begin::New,
        1,
        &|event| matches!(event, RunEvent::RoundFinished(round) if round.round == 4),
    );
    assert_eq!(report.rounds_done, 4);
    let learner = damaged.join("checkpoints/round-000004/learner");
    let bytes = fs::read(&learner).unwrap();
    fs::write(&learner, &bytes[..bytes.len() / 2]).unwrap();

    let refused = Mutex::new(Vec::new());
    let observer = |event: &RunEvent| {
        if let RunEvent::CheckpointRefused { path, reason } = event {
            refused.lock().unwrap().push((path.clone(), reason.clone()));
        }
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(&damaged, Begin::Resume, 1), None, &observer, &never).unwrap();
    let refused = refused.into_inner().unwrap();
    assert_eq!(refused.len(), 1);
    assert!(refused[0].0.ends_with("round-000004"), "{refused:?}");
    assert_same_run(&whole, &damaged);
}

/// A run of 4 rounds of more that was stopped, and one that was not.
fn stopped_after_four(plan: &Plan, folder: &Path) -> (PathBuf, PathBuf) {
    let (whole, stopped) = (folder.join("whole"), folder.join("stopped"));
    finish(plan, &whole, Begin::New, 1);
    stop_at(
        plan,
        &stopped,
        Begin::New,
        1,
        &|event| matches!(event, RunEvent::RoundFinished(round) if round.round == 4),
    );
    assert!(stopped.join("checkpoints/round-000004").is_dir());
    (whole, stopped)
}

/// Resumes a run to its end. Returns what it said about refused checkpoints and files that are not
/// complete.
fn complaints(plan: &Plan, directory: &Path) -> Vec<String> {
    let complaints = Mutex::new(Vec::new());
    let observer = |event: &RunEvent| {
        if let RunEvent::CheckpointRefused { path, reason }
        | RunEvent::Incomplete { path, reason } = event
        {
            complaints.lock().unwrap().push(format!("{}: {reason}", path.display()));
        }
    };
    let never = AtomicBool::new(false);
    run(plan, &options(directory, Begin::Resume, 1), None, &observer, &never).unwrap();
    complaints.into_inner().unwrap()
}

#[test]
fn a_run_without_its_manifest_goes_on_and_is_never_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(2);
    let (whole, lost) = stopped_after_four(&plan, folder.path());
    fs::remove_file(lost.join("manifest.json")).unwrap();
    let error = refused(&plan, &lost, Begin::New);
    assert!(error.reason.is::<HoldsARun>(), "{error}");
    let config = Config { seed: 12, ..plan.config().clone() };
    let other = Plan::new(config, Path::new("test.toml")).unwrap();
    let error = refused(&other, &lost, Begin::Resume);
    assert!(error.to_string().contains("no checkpoint in"), "{error}");
    assert!(lost.join("checkpoints/round-000004/learner").is_file());

    let complaints = complaints(&plan, &lost);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(complaints[0].contains("manifest.json: it is missing"), "{complaints:?}");
    assert_same_run(&whole, &lost);
    assert!(lost.join("manifest.json").is_file());
}

#[test]
fn a_state_of_another_round_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    let (whole, changed) = stopped_after_four(&plan, folder.path());
    let path = changed.join("checkpoints/round-000004/state.json");
    let text = fs::read_to_string(&path).unwrap();
    let (object, _) = text.split_once(",\"crc32\"").unwrap();
    let other = object.replace("\"round\": 4", "\"round\": 5");
    assert_ne!(object, other);
    // With its checksum, and as versions without one wrote it.
    for text in [text.replace("\"round\": 4", "\"round\": 5"), format!("{other}}}")] {
        let copied = folder.path().join("copied");
        copy(&changed, &copied);
        fs::write(copied.join("checkpoints/round-000004/state.json"), text).unwrap();
        let complaints = complaints(&plan, &copied);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("state.json is damaged"), "{complaints:?}");
        assert_same_run(&whole, &copied);
        fs::remove_dir_all(copied).unwrap();
    }
    fs::write(path, format!("{object}}}")).unwrap();
    assert_eq!(complaints(&plan, &changed), [""; 0], "a state without a checksum");
    assert_same_run(&whole, &changed);
}

#[test]
fn damaged_games_of_the_replay_window_fall_back_to_the_checkpoint_before() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(3);
    let (whole, damaged) = stopped_after_four(&plan, folder.path());
    let records = damaged.join("records/round-000004.records");
    let bytes = fs::read(&records).unwrap();
    fs::write(&records, &bytes[..bytes.len() / 2]).unwrap();
    let hopeless = folder.path().join("hopeless");
    copy(&damaged, &hopeless);

    let complaints = complaints(&plan, &damaged);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(complaints[0].contains("round-000004.records after"), "{complaints:?}");
    assert_same_run(&whole, &damaged);

    fs::write(hopeless.join("records/round-000003.records"), b"TAVO").unwrap();
    let error = refused(&plan, &hopeless, Begin::Resume);
    assert!(error.to_string().contains("no checkpoint in"), "{error}");
    assert!(error.to_string().contains("begin again in another directory"), "{error}");
    assert!(error.is_input());
}

#[test]
fn a_finished_run_without_checkpoints_names_its_network() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    let (whole, _) = stopped_after_four(&plan, folder.path());
    let network = fs::read(whole.join("final.safetensors")).unwrap();
    fs::remove_dir_all(whole.join("checkpoints")).unwrap();
    let error = refused(&plan, &whole, Begin::Resume);
    assert!(error.is_input());
    let text = error.to_string();
    assert!(text.contains("is finished, with final.safetensors as its network"), "{text}");
    assert_eq!(fs::read(whole.join("final.safetensors")).unwrap(), network);
}

#[test]
fn damaged_metrics_are_told_and_do_not_end_a_resume() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    let (whole, damaged) = stopped_after_four(&plan, folder.path());
    fs::write(damaged.join("metrics.jsonl"), b"").unwrap();
    let complaints = complaints(&plan, &damaged);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(complaints[0].ends_with("the figures of 4 of 4 rounds are missing"), "{complaints:?}");
    assert_eq!(final_weights(&whole).layers, final_weights(&damaged).layers);
}

#[test]
fn a_run_killed_while_it_wrote_its_first_file_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    finish(&plan, &whole, Begin::New, 1);
    fs::create_dir_all(killed.join("checkpoints/round-000000")).unwrap();
    fs::write(killed.join("latest.safetensors.31887-0.unfinished"), b"half a net").unwrap();
    finish(&plan, &killed, Begin::Resume, 1);
    assert_same_run(&whole, &killed);
    assert!(!killed.join("latest.safetensors.31887-0.unfinished").exists());
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_a_link_is_refused_and_what_it_names_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (precious, directory) = (folder.path().join("precious"), folder.path().join("run"));
    fs::write(&precious, b"precious").unwrap();
    fs::create_dir(&directory).unwrap();
    std::os::unix::fs::symlink(&precious, directory.join("lock")).unwrap();
    let error = refused(&plan(1), &directory, Begin::New);
    assert!(error.to_string().contains("lock is damaged: it is a link"), "{error}");
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_takes_more_memory_than_there_is_does_not_begin() {
    let mut config = plan(1).config().clone();
    (config.games_per_round, config.replay.window) = (1_000_000, 1_000);
    let plan = Plan::new(config, Path::new("test.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = refused(&plan, &folder.path().join("run"), Begin::New);
    assert!(error.to_string().contains("GB of memory"), "{error}");
    assert!(error.to_string().contains("lower games_per_round"), "{error}");
    assert!(error.is_input());
}

#[test]
fn a_run_without_any_usable_checkpoint_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    finish(&plan, folder.path(), Begin::New, 1);
    for entry in fs::read_dir(folder.path().join("checkpoints")).unwrap() {
        fs::write(entry.unwrap().path().join("state.json"), b"{}").unwrap();
    }
    let error = refused(&plan, folder.path(), Begin::Resume);
    assert!(error.to_string().contains("no checkpoint in"), "{error}");
    assert!(error.is_input());
}

#[test]
fn games_that_are_all_given_up_are_told_as_such() {
    let mut config = plan(1).config().clone();
    config.selfplay.max_turns = NonZeroU32::new(2).unwrap();
    let plan = Plan::new(config, Path::new("test.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("run");
    let never = AtomicBool::new(false);
    let options = options(&directory, Begin::New, 1);
    let error = run(&plan, &options, None, &|_: &RunEvent| {}, &never).unwrap_err();
    assert!(
        error.to_string().contains("all games of round 1 reached the turn limit of 2"),
        "{error}"
    );
}

#[test]
fn a_directory_that_holds_a_run_or_other_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    let held = folder.path().join("held");
    finish(&plan, &held, Begin::New, 1);
    let weights = fs::read(held.join("final.safetensors")).unwrap();
    let error = refused(&plan, &held, Begin::New);
    assert!(error.reason.is::<HoldsARun>(), "{error}");
    assert_eq!(fs::read(held.join("final.safetensors")).unwrap(), weights);
    // What `keep_weights` makes belongs to a run, too.
    fs::create_dir(held.join("evaluated")).unwrap();
    let error = refused(&plan, &held, Begin::New);
    assert!(error.reason.is::<HoldsARun>(), "{error}");

    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("thesis.tex"), b"important").unwrap();
    let error = refused(&plan, &other, Begin::New);
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);

    let nowhere = folder.path().join("nowhere");
    let error = refused(&plan, &nowhere, Begin::Resume);
    assert!(error.to_string().contains("holds no run to resume"), "{error}");
    assert!(!nowhere.exists());
}

#[test]
fn a_directory_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    let second = Mutex::new(None);
    let observer = |event: &RunEvent| {
        if let RunEvent::CheckpointSaved { round: 2, .. } = event {
            *second.lock().unwrap() = Some(refused(&plan, folder.path(), Begin::Resume));
        }
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(folder.path(), Begin::New, 1), None, &observer, &never).unwrap();
    let error = second.into_inner().unwrap().unwrap();
    assert!(error.to_string().contains("another process is running in"), "{error}");
}

#[test]
fn resuming_with_another_configuration_names_the_difference() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    finish(&plan, folder.path(), Begin::New, 1);
    let mut config = plan.config().clone();
    config.learner.batch_size = 128;
    config.start = None;
    config.rounds = 5;
    let other = Plan::new(config, Path::new("test.toml")).unwrap();
    let error = refused(&other, folder.path(), Begin::Resume);
    let message = error.to_string();
    assert!(message.contains("learner.batch_size: 64, 128; rounds: 6, 5;"), "{message}");
    assert!(error.is_input());
}

#[test]
fn a_file_of_a_newer_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    finish(&plan, folder.path(), Begin::New, 1);
    let path = folder.path().join("manifest.json");
    let manifest = fs::read_to_string(&path).unwrap().replace("\"format\": 1", "\"format\": 99");
    fs::write(&path, manifest).unwrap();
    let error = refused(&plan, folder.path(), Begin::Resume);
    assert!(error.to_string().contains("has format 99"), "{error}");
}

#[test]
fn a_run_with_a_damaged_manifest_goes_on_and_gets_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    finish(&plan, folder.path(), Begin::New, 1);
    let path = folder.path().join("manifest.json");
    let whole = fs::read_to_string(&path).unwrap();
    let expected = final_weights(folder.path()).checksum();
    let zeros = "\0".repeat(whole.len());
    for damaged in ["", &zeros, &whole.replace("abcdef", "abcdee"), &whole[..whole.len() / 2]] {
        fs::write(&path, damaged).unwrap();
        finish(&plan, folder.path(), Begin::Resume, 1);
        let again: Manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(again.config, *plan.config());
        assert!(again.finished.is_some());
        assert_eq!(final_weights(folder.path()).checksum(), expected);
    }
}

#[test]
fn a_run_says_how_its_network_came_about() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("first-try");
    let plan = plan(1);
    let report = finish(&plan, &directory, Begin::New, 2);
    assert_eq!(report.games, u64::from(ROUNDS) * 20);
    assert_eq!(report.evaluations.len(), 2);

    let weights = final_weights(&directory);
    let fact = |key: &str| weights.training[key].as_str();
    assert_eq!(fact("rounds"), "6 of 6");
    assert_eq!(fact("games"), "120");
    assert_eq!(fact("seed"), "11");
    assert_eq!(fact("tool_version"), "1.2.3");
    assert_eq!(fact("tool_commit"), "abcdef");
    assert_eq!(fact("config_sha256"), plan.config().sha256());

    let manifest = fs::read(directory.join("manifest.json")).unwrap();
    let manifest: Manifest = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest.name, "first-try");
    assert_eq!(&manifest.config, plan.config());
    assert!(manifest.finished.is_some());

    // Another person can run it again from the directory alone.
    let again = Plan::load(&directory.join("config.toml"), &[]).unwrap();
    assert_eq!(again, plan);

    let metrics = read_metrics(&directory.join("metrics.jsonl")).unwrap();
    let rounds = metrics.iter().filter(|line| matches!(line, Metrics::Round(_))).count();
    let evaluations: Vec<u32> = metrics
        .iter()
        .filter(|line| matches!(line, Metrics::Evaluation(_)))
        .map(Metrics::round)
        .collect();
    assert_eq!(rounds, 6);
    assert_eq!(evaluations, [0, 0, 3, 3, 6, 6]);
    let curve = fs::read_to_string(directory.join("learning-curve.svg")).unwrap();
    assert!(curve.contains("first-try: strength while learning"));
    assert!(curve.contains("against pip-count"));
    let checkpoints = fs::read_dir(directory.join("checkpoints")).unwrap().count();
    assert_eq!(checkpoints, 2);
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    // A file in the way stands for every reason: permissions don't bind every user.
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, b"a file").unwrap();
    let error = refused(&plan(1), &blocked.join("run"), Begin::New);
    assert!(error.to_string().starts_with("cannot create the run directory"), "{error}");
    assert!(error.is_input(), "the directory is an argument");
}

#[test]
fn a_file_that_cannot_be_written_ends_the_run_with_its_name_and_leaves_it_resumable() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, full) = (folder.path().join("whole"), folder.path().join("full"));
    finish(&plan(1), &whole, Begin::New, 1);
    let observer = |event: &RunEvent| {
        if let RunEvent::CheckpointSaved { round: 2, .. } = event {
            fs::remove_file(full.join("learning-curve.svg")).unwrap();
            fs::create_dir(full.join("learning-curve.svg")).unwrap();
        }
    };
    let never = AtomicBool::new(false);
    let error = run(&plan(1), &options(&full, Begin::New, 1), None, &observer, &never).unwrap_err();
    assert!(error.to_string().starts_with("cannot write"), "{error}");
    assert!(error.to_string().ends_with("learning-curve.svg"), "{error}");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(cause, "it is a directory");

    fs::remove_dir(full.join("learning-curve.svg")).unwrap();
    finish(&plan(1), &full, Begin::Resume, 1);
    assert_same_run(&whole, &full);
}
