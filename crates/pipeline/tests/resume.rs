//! A run that is stopped or killed and resumed gives the same network as one that was not.

use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_net::Weights;
use tavola_pipeline::{
    Begin, Config, Ending, EvaluationMetrics, Event, Manifest, Metrics, NetworkSettings, Plan,
    RunDirError, RunError, RunOptions, RunReport, Tool, read_metrics, run,
};

const ROUNDS: u32 = 6;

/// A run of seconds: hypergammon, whose games are short.
fn plan(window: u32) -> Plan {
    plan_with(&format!("replay = {{ window = {window} }}"))
}

/// The same with other targets.
fn targets_plan(targets: &str) -> Plan {
    plan_with(&format!("targets = {{ {targets} }}"))
}

fn plan_with(more: &str) -> Plan {
    let text = format!(
        r#"
        game = "hypergammon"
        seed = 11
        rounds = {ROUNDS}
        games_per_round = 20
        network = {{ encoder = "tesauro", hidden = [12, 8] }}
        learner = {{ batch_size = 64 }}
        selfplay = {{ explore = {{ random_play = 0.05 }} }}
        {more}
        evaluation = {{ every_rounds = 3, games = 20, opponents = ["random", "pip-count"] }}
        "#
    );
    Plan::from_toml(&text, Path::new("test.toml")).unwrap()
}

fn options(directory: &Path, begin: Begin, threads: usize) -> RunOptions {
    RunOptions {
        directory: directory.to_owned(),
        begin,
        threads: NonZeroUsize::new(threads).unwrap(),
        tool: Tool { version: "1.2.3".to_owned(), commit: Some("abcdef".to_owned()) },
    }
}

fn finish(plan: &Plan, directory: &Path, begin: Begin, threads: usize) -> RunReport {
    let never = AtomicBool::new(false);
    let report = run(plan, &options(directory, begin, threads), &|_: &Event| {}, &never).unwrap();
    let weights = directory.join("final.safetensors");
    assert_eq!(report.ending, Ending::Finished { weights });
    report
}

/// Runs until an event says stop, as Ctrl-C would.
fn stop_at(
    plan: &Plan,
    directory: &Path,
    begin: Begin,
    threads: usize,
    is_time: &IsTime,
) -> RunReport {
    let cancel = AtomicBool::new(false);
    let observer = |event: &Event| {
        if is_time(event) {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let report = run(plan, &options(directory, begin, threads), &observer, &cancel).unwrap();
    assert_eq!(report.ending, Ending::Stopped);
    report
}

fn final_weights(directory: &Path) -> Weights {
    Weights::load(&directory.join("final.safetensors")).unwrap()
}

/// The metrics without the times, which no two runs share.
fn timeless_metrics(directory: &Path) -> Vec<Metrics> {
    let mut metrics = read_metrics(&directory.join("metrics.jsonl")).unwrap();
    for line in &mut metrics {
        match line {
            Metrics::Round(round) => {
                round.games_per_second = 0.0;
                round.positions_per_second = 0.0;
                round.exact_positions_per_second = 0.0;
                round.selfplay_seconds = 0.0;
                round.learning_seconds = 0.0;
                round.seconds = 0.0;
            }
            Metrics::Evaluation(evaluation) => evaluation.seconds = 0.0,
        }
    }
    metrics
}

fn assert_same_run(a: &Path, b: &Path) {
    let file = |directory: &Path| fs::read(directory.join("final.safetensors")).unwrap();
    assert!(file(a) == file(b), "the weights files differ");
    assert_eq!(timeless_metrics(a), timeless_metrics(b));
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let (one, three) = (folder.path().join("one"), folder.path().join("three"));
    finish(&plan(1), &one, Begin::New, 1);
    finish(&plan(1), &three, Begin::New, 3);
    assert_same_run(&one, &three);
}

/// Positions that got exact targets, and all, over the run.
fn exact_positions(directory: &Path) -> (u64, u64) {
    let metrics = read_metrics(&directory.join("metrics.jsonl")).unwrap();
    metrics.iter().fold((0, 0), |(exact, all), line| match line {
        Metrics::Round(round) => (exact + round.exact_positions, round.positions),
        Metrics::Evaluation(_) => (exact, all),
    })
}

#[test]
fn exact_targets_are_learned_from_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let few = targets_plan("sample = 0.8, exact = { share = 0.25, only = true }");
    finish(&few, &path("whole"), Begin::New, 1);
    let time = |event: &Event| matches!(event, Event::GamesPlayed { round: 4, done: 9, .. });
    stop_at(&few, &path("stopped"), Begin::New, 2, &time);
    finish(&few, &path("stopped"), Begin::Resume, 3);
    assert_same_run(&path("whole"), &path("stopped"));
    let (exact, all) = exact_positions(&path("whole"));
    assert!(exact > all / 10 && exact < all * 3 / 10, "{exact} of {all}");

    finish(&targets_plan("exact = { share = 1.0 }"), &path("all"), Begin::New, 2);
    let (exact, all) = exact_positions(&path("all"));
    assert_eq!(exact, all);
    // Nothing is left for lambda to decide.
    let lambda = "lambda = { kind = \"constant\", value = 0.0 }";
    let other = targets_plan(&format!("exact = {{ share = 1.0 }}, {lambda}"));
    finish(&other, &path("lambda"), Begin::New, 2);
    assert_eq!(final_weights(&path("lambda")).layers, final_weights(&path("all")).layers);
    finish(&plan(1), &path("none"), Begin::New, 2);
    assert_eq!(exact_positions(&path("none")).0, 0);
    assert_ne!(final_weights(&path("none")).layers, final_weights(&path("all")).layers);
}

#[test]
fn a_sample_of_the_window_is_drawn_again_after_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan_with("replay = { window = 3 }\n targets = { sample = 0.5 }");
    let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
    finish(&plan, &whole, Begin::New, 2);
    let time = |event: &Event| matches!(event, Event::GamesPlayed { round: 5, done: 9, .. });
    stop_at(&plan, &stopped, Begin::New, 2, &time);
    finish(&plan, &stopped, Begin::Resume, 1);
    assert_same_run(&whole, &stopped);
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

/// When to stop.
type IsTime = dyn Fn(&Event) -> bool + Sync;

#[test]
fn stopped_anywhere_and_resumed_gives_the_same_network() {
    let folder = tempfile::tempdir().unwrap();
    for window in [1, 3] {
        let plan = plan(window);
        let whole = folder.path().join(format!("whole-{window}"));
        finish(&plan, &whole, Begin::New, 2);

        let stops: [(&str, &IsTime); 5] = [
            ("first-games", &|event| matches!(event, Event::GamesPlayed { round: 1, done: 5, .. })),
            ("games", &|event| matches!(event, Event::GamesPlayed { round: 4, done: 9, .. })),
            ("round", &|event| matches!(event, Event::RoundFinished(round) if round.round == 3)),
            ("evaluation", &|event| {
                matches!(event, Event::EvaluationGamesPlayed { round: 3, opponent, .. }
                    if opponent == "pip-count")
            }),
            ("end", &|event| matches!(event, Event::RoundFinished(round) if round.round == ROUNDS)),
        ];
        for (name, stop) in stops {
            let stopped = folder.path().join(format!("{name}-{window}"));
            let report = stop_at(&plan, &stopped, Begin::New, 2, stop);
            assert!(!stopped.join("final.safetensors").exists(), "{name}");
            let resumed = finish(&plan, &stopped, Begin::Resume, 3);
            assert!(report.rounds.0 <= resumed.rounds.0);
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
        &|event| matches!(event, Event::RoundFinished(round) if round.round == 4),
    );
    assert_eq!(report.rounds, (4, ROUNDS));
    assert!(folder.path().join("checkpoints/round-000004").is_dir());
    let begun = Mutex::new(Vec::new());
    let observer = |event: &Event| {
        if let Event::Started { after_round, .. } = event {
            begun.lock().unwrap().push(*after_round);
        }
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(folder.path(), Begin::Resume, 2), &observer, &never).unwrap();
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
    let observer = |event: &Event| {
        if matches!(event, Event::GamesPlayed { done, .. } if done % 7 != 0)
            || matches!(event, Event::EvaluationGamesPlayed { .. })
        {
            return;
        }
        let mut kills = kills.lock().unwrap();
        copy(&whole, &folder.path().join(format!("killed-{kills}")));
        *kills += 1;
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(&whole, Begin::New, 1), &observer, &never).unwrap();
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
        &|event| matches!(event, Event::RoundFinished(round) if round.round == 3),
    );
    let half = killed.join("checkpoints/round-000004.unfinished");
    fs::create_dir(&half).unwrap();
    fs::write(half.join("learner"), b"half a lear").unwrap();
    fs::write(killed.join("manifest.json.unfinished"), b"{").unwrap();
    fs::write(killed.join("records/round-000004.records.unfinished"), b"TAVO").unwrap();
    fs::write(killed.join("records/round-000005.records"), b"of a later time").unwrap();
    let metrics = killed.join("metrics.jsonl");
    let mut lines = fs::read(&metrics).unwrap();
    lines.extend_from_slice(br#"{"type":"round","round":4,"ga"#);
    fs::write(&metrics, lines).unwrap();

    finish(&plan, &killed, Begin::Resume, 1);
    assert_same_run(&whole, &killed);
    for left in [half, killed.join("manifest.json.unfinished")] {
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
        &|event| matches!(event, Event::RoundFinished(round) if round.round == 4),
    );
    assert_eq!(report.rounds.0, 4);
    let learner = damaged.join("checkpoints/round-000004/learner");
    let bytes = fs::read(&learner).unwrap();
    fs::write(&learner, &bytes[..bytes.len() / 2]).unwrap();

    let refused = Mutex::new(Vec::new());
    let observer = |event: &Event| {
        if let Event::CheckpointRefused { path, reason } = event {
            refused.lock().unwrap().push((path.clone(), reason.clone()));
        }
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(&damaged, Begin::Resume, 1), &observer, &never).unwrap();
    let refused = refused.into_inner().unwrap();
    assert_eq!(refused.len(), 1);
    assert!(refused[0].0.ends_with("round-000004"), "{refused:?}");
    assert_same_run(&whole, &damaged);
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
    assert!(matches!(error, RunError::NoCheckpoint { source: Some(_), .. }), "{error}");
    assert!(error.is_unusable_input());
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
    let error = run(&plan, &options, &|_: &Event| {}, &never).unwrap_err();
    assert!(matches!(error, RunError::NoGames { round: 1, turns: 2 }), "{error}");
}

fn refused(plan: &Plan, directory: &Path, begin: Begin) -> RunError {
    let never = AtomicBool::new(false);
    run(plan, &options(directory, begin, 1), &|_: &Event| {}, &never).unwrap_err()
}

#[test]
fn a_directory_that_holds_a_run_or_other_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    let held = folder.path().join("held");
    finish(&plan, &held, Begin::New, 1);
    let weights = fs::read(held.join("final.safetensors")).unwrap();
    let error = refused(&plan, &held, Begin::New);
    assert!(matches!(error, RunError::Directory(RunDirError::HoldsARun { .. })), "{error}");
    assert_eq!(fs::read(held.join("final.safetensors")).unwrap(), weights);

    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("thesis.tex"), b"important").unwrap();
    let error = refused(&plan, &other, Begin::New);
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);

    let nowhere = folder.path().join("nowhere");
    let error = refused(&plan, &nowhere, Begin::Resume);
    assert!(matches!(error, RunError::Directory(RunDirError::NoRun { .. })), "{error}");
    assert!(!nowhere.exists());
}

#[test]
fn a_directory_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    let second = Mutex::new(None);
    let observer = |event: &Event| {
        if let Event::CheckpointSaved { round: 2, .. } = event {
            *second.lock().unwrap() = Some(refused(&plan, folder.path(), Begin::Resume));
        }
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(folder.path(), Begin::New, 1), &observer, &never).unwrap();
    let error = second.into_inner().unwrap().unwrap();
    assert!(matches!(error, RunError::Directory(RunDirError::Locked { .. })), "{error}");
}

#[test]
fn resuming_with_another_configuration_names_the_difference() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(1);
    finish(&plan, folder.path(), Begin::New, 1);
    let mut config = plan.config().clone();
    config.learner.batch_size = 128;
    config.start = None;
    config.rounds = 7;
    let other = Plan::new(config, Path::new("test.toml")).unwrap();
    let error = refused(&other, folder.path(), Begin::Resume);
    let message = error.to_string();
    assert!(message.contains("learner.batch_size: 64, 128; rounds: 6, 7;"), "{message}");
    assert!(error.is_unusable_input());
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
    assert!(matches!(error, RunError::Directory(RunDirError::Newer { found: 99, .. })), "{error}");
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
    let again = Plan::load(&directory.join("config.toml")).unwrap();
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
fn a_later_stage_begins_with_the_weights_of_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    finish(&plan(1), &first, Begin::New, 1);
    let mut config = plan(1).config().clone();
    config.start = Some(first.join("final.safetensors"));
    config.network = None;
    config.rounds = 1;
    let stage = Plan::new(config.clone(), Path::new("stage.toml")).unwrap();
    let never = AtomicBool::new(false);
    let start = Mutex::new(None);
    let observer = |event: &Event| {
        if let Event::CheckpointSaved { round: 0, .. } = event {
            let latest = Weights::load(&second.join("latest.safetensors")).unwrap();
            *start.lock().unwrap() = Some(latest);
        }
    };
    run(&stage, &options(&second, Begin::New, 1), &observer, &never).unwrap();
    let start = start.into_inner().unwrap().unwrap();
    assert_eq!(start.layers, final_weights(&first).layers);
    assert_eq!(final_weights(&second).training["start_sha256"], final_weights(&first).checksum());

    let with_hidden = |config: &Config, hidden: &[usize]| {
        let network = config.network.clone().unwrap_or_default();
        let network = Some(NetworkSettings { hidden: hidden.to_vec(), ..network });
        Plan::new(Config { network, ..config.clone() }, Path::new("stage.toml")).unwrap()
    };
    config.network = plan(1).config().network.clone();
    // It may grow, but not lose a layer.
    let third = folder.path().join("third");
    finish(&with_hidden(&config, &[13, 8]), &third, Begin::New, 1);
    assert_eq!(final_weights(&third).arch.hidden, [13, 8]);
    let fourth = folder.path().join("fourth");
    let error = refused(&with_hidden(&config, &[13]), &fourth, Begin::New);
    assert!(error.to_string().contains("[12, 8]"), "{error}");
    assert!(!fourth.exists());
}

#[test]
fn the_luck_that_a_network_in_a_file_judges_is_taken_off() {
    let folder = tempfile::tempdir().unwrap();
    let [first, plain, second] = ["first", "plain", "second"].map(|name| folder.path().join(name));
    finish(&plan(1), &first, Begin::New, 1);
    finish(&plan(1), &plain, Begin::New, 1);
    let with_luck = |quick: &Path| {
        let quick = quick.display();
        targets_plan(&format!("luck = {{ quick = '{quick}', keep = 1 }}"))
    };
    let quick = first.join("final.safetensors");
    let with_its_luck = with_luck(&quick);
    finish(&with_its_luck, &second, Begin::New, 1);
    assert_ne!(final_weights(&second).layers, final_weights(&plain).layers);
    let manifest = fs::read_to_string(second.join("manifest.json")).unwrap();
    assert!(manifest.contains(&final_weights(&first).checksum()));
    // The same on any number of threads.
    let third = folder.path().join("third");
    finish(&with_its_luck, &third, Begin::New, 3);
    assert_eq!(final_weights(&third).layers, final_weights(&second).layers);

    // Rivals teach something else, and survive a stop.
    let keys =
        format!("quick = '{}', keep = 1, rivals_within = 0.3, rivals_ahead = 2", quick.display());
    let with_rivals = targets_plan(&format!("luck = {{ {keys} }}"));
    let [whole, stopped] = ["whole", "stopped"].map(|name| folder.path().join(name));
    finish(&with_rivals, &whole, Begin::New, 2);
    assert_ne!(final_weights(&whole).layers, final_weights(&second).layers);
    let time = |event: &Event| matches!(event, Event::GamesPlayed { round: 5, done: 9, .. });
    stop_at(&with_rivals, &stopped, Begin::New, 1, &time);
    finish(&with_rivals, &stopped, Begin::Resume, 3);
    assert_same_run(&whole, &stopped);

    let missing = with_luck(&folder.path().join("missing.safetensors"));
    let error = refused(&missing, &folder.path().join("fourth"), Begin::New);
    assert!(error.to_string().contains("targets.luck.quick"), "{error}");
}

#[test]
fn luck_in_games_of_the_window_is_judged_again_after_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    finish(&plan(1), &path("quick"), Begin::New, 1);
    let quick = path("quick").join("final.safetensors");
    let luck = format!("luck = {{ quick = '{}' }}", quick.display());
    let plan = plan_with(&format!("replay = {{ window = 3 }}\n targets = {{ {luck} }}"));
    finish(&plan, &path("whole"), Begin::New, 2);
    let time = |event: &Event| matches!(event, Event::GamesPlayed { round: 5, done: 9, .. });
    stop_at(&plan, &path("stopped"), Begin::New, 2, &time);
    finish(&plan, &path("stopped"), Begin::Resume, 1);
    assert_same_run(&path("whole"), &path("stopped"));
}

#[test]
fn evaluations_can_leave_luck_out_and_keep_what_was_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    finish(&plan(1), &path("raw"), Begin::New, 1);
    let judge = path("raw").join("final.safetensors");
    let mut config = plan(1).config().clone();
    config.seed = 12;
    config.evaluation.games = 200;
    config.evaluation.opponents = Some(vec![judge.to_string_lossy().into_owned().into()]);
    let evaluations = |config: &Config, name: &str| -> Vec<EvaluationMetrics> {
        let plan = Plan::new(config.clone(), Path::new("test.toml")).unwrap();
        finish(&plan, &path(name), Begin::New, 2);
        let metrics = read_metrics(&path(name).join("metrics.jsonl")).unwrap();
        metrics
            .into_iter()
            .filter_map(|line| match line {
                Metrics::Evaluation(evaluation) => Some(evaluation),
                Metrics::Round(_) => None,
            })
            .collect()
    };
    let raw = evaluations(&config, "plain");
    config.evaluation.luck_judge = Some(judge.clone());
    config.evaluation.keep_weights = true;
    let adjusted = evaluations(&config, "adjusted");
    let (raw, adjusted) = (raw.last().unwrap(), adjusted.last().unwrap());
    // A judge of 120 games knows little of luck, but whoever judges, the mean stays.
    assert_ne!(adjusted.ppg, raw.ppg);
    assert!((adjusted.ppg - raw.ppg).abs() < 4.0 * raw.standard_error, "{adjusted:?}, {raw:?}");
    assert_eq!(adjusted.luck_judge.as_deref(), judge.to_str());
    assert_eq!(raw.luck_judge, None);

    assert!(!path("plain").join("evaluated").exists());
    for round in [0, 3, 6] {
        let kept = path("adjusted").join(format!("evaluated/round-{round:06}.safetensors"));
        let kept = Weights::load(&kept).unwrap();
        assert_eq!(kept.checksum() == final_weights(&path("adjusted")).checksum(), round == 6);
    }
}

#[test]
fn a_teacher_plays_until_what_it_taught_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    finish(&plan(1), &path("teacher"), Begin::New, 1);
    let teacher = path("teacher").join("final.safetensors");
    let plan = plan_with(&format!(
        "teacher = '{}'\n teacher_rounds = 2\n checkpoint = {{ every_rounds = 1 }}",
        teacher.display()
    ));
    let played = Mutex::new(Vec::new());
    let observer = |event: &Event| {
        if let Event::CheckpointSaved { round, .. } = event {
            let saved = path("whole").join(format!("checkpoints/round-{round:06}"));
            let acting = Weights::load(&saved.join("acting.safetensors")).unwrap();
            played.lock().unwrap().push(acting.checksum());
        }
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(&path("whole"), Begin::New, 2), &observer, &never).unwrap();
    let mut played = played.into_inner().unwrap();
    assert_eq!(played.len(), ROUNDS as usize + 1);
    assert_eq!(played[0], Weights::load(&teacher).unwrap().checksum());
    // It plays the three rounds in which nothing is known of what two rounds taught.
    assert!(played[..3].iter().all(|one| *one == played[0]), "{played:?}");
    played.dedup();
    assert_eq!(played.len(), 3, "{played:?}");

    let time = |event: &Event| matches!(event, Event::GamesPlayed { round: 5, done: 9, .. });
    stop_at(&plan, &path("stopped"), Begin::New, 1, &time);
    finish(&plan, &path("stopped"), Begin::Resume, 2);
    assert_same_run(&path("whole"), &path("stopped"));

    fs::remove_file(&teacher).unwrap();
    let error = refused(&plan, &path("missing"), Begin::New);
    assert!(error.to_string().contains("that teacher names"), "{error}");
}

#[test]
fn who_imitates_goes_on_after_a_stop_as_if_there_had_been_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    finish(&plan(1), &path("teacher"), Begin::New, 1);
    let plan = plan_with(&format!(
        "teacher = '{}'\n teacher_rounds = {ROUNDS}\n checkpoint = {{ every_rounds = 1 }}\n \
         targets = {{ imitate = {{ share = 0.5 }} }}",
        path("teacher").join("final.safetensors").display()
    ));
    finish(&plan, &path("whole"), Begin::New, 2);
    let time = |event: &Event| matches!(event, Event::GamesPlayed { round: 4, done: 9, .. });
    stop_at(&plan, &path("stopped"), Begin::New, 1, &time);
    finish(&plan, &path("stopped"), Begin::Resume, 2);
    assert_same_run(&path("whole"), &path("stopped"));
}

#[test]
fn a_weights_file_that_changed_since_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    finish(&plan(1), &first, Begin::New, 1);
    let opponent = folder.path().join("opponent.safetensors");
    fs::copy(first.join("final.safetensors"), &opponent).unwrap();
    let mut config = plan(1).config().clone();
    config.evaluation.opponents = Some(vec![opponent.to_string_lossy().into_owned().into()]);
    let plan = Plan::new(config, Path::new("test.toml")).unwrap();
    stop_at(
        &plan,
        &second,
        Begin::New,
        1,
        &|event| matches!(event, Event::RoundFinished(round) if round.round == 2),
    );
    let mut weights = Weights::load(&opponent).unwrap();
    weights.layers[0].biases[0] += 1.0;
    weights.save(&opponent).unwrap();
    let error = refused(&plan, &second, Begin::Resume);
    assert!(matches!(error, RunError::OtherInput { .. }), "{error}");
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    // A file in the way stands for every reason: permissions don't bind every user.
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, b"a file").unwrap();
    let error = refused(&plan(1), &blocked.join("run"), Begin::New);
    assert!(error.to_string().starts_with("can't create the run directory"), "{error}");
    assert!(error.is_unusable_input(), "the directory is an argument");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_with_its_name_and_leaves_it_resumable() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, full) = (folder.path().join("whole"), folder.path().join("full"));
    finish(&plan(1), &whole, Begin::New, 1);
    let observer = |event: &Event| {
        if let Event::CheckpointSaved { round: 2, .. } = event {
            // What is written to this device meets a full disk.
            let next = full.join("learning-curve.svg.unfinished");
            std::os::unix::fs::symlink("/dev/full", next).unwrap();
        }
    };
    let never = AtomicBool::new(false);
    let error = run(&plan(1), &options(&full, Begin::New, 1), &observer, &never).unwrap_err();
    assert!(error.to_string().starts_with("can't write"), "{error}");
    assert!(error.to_string().ends_with("learning-curve.svg"), "{error}");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("No space left"), "{cause}");

    finish(&plan(1), &full, Begin::Resume, 1);
    assert_same_run(&whole, &full);
}
