//! What a run learns from: the kinds of targets, target networks, games of earlier rounds.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use tavola_net::Weights;
use tavola_pipeline::{
    Begin, Config, EvaluationMetrics, Metrics, NetworkSettings, Plan, RunEvent, read_metrics, run,
};

use crate::{
    ROUNDS, assert_survives_a_stop, final_weights, finish, options, plan, plan_with, refused,
    stop_at, targets_plan,
};

/// Positions that got expected backups, and all, over the run.
fn backups(directory: &Path) -> (u64, u64) {
    let metrics = read_metrics(&directory.join("metrics.jsonl")).unwrap();
    metrics.iter().fold((0, 0), |(exact, all), line| match line {
        Metrics::Round(round) => (exact + round.given_targets, round.positions),
        Metrics::Evaluation(_) | Metrics::States(_) => (exact, all),
    })
}

#[test]
fn expected_backups_are_learned_from_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let few = targets_plan("kind = 'expected-backup', share = 0.2");
    finish(&few, &path("whole"), Begin::New, 1);
    assert_survives_a_stop(&few, &path("whole"), &path("stopped"), 4, [2, 3]);
    let (backups_made, all) = backups(&path("whole"));
    assert!(backups_made > all / 10 && backups_made < all * 3 / 10, "{backups_made} of {all}");

    finish(&targets_plan("kind = 'expected-backup'"), &path("all"), Begin::New, 2);
    let (backups_made, all) = backups(&path("all"));
    assert_eq!(backups_made, all);
    finish(&plan(1), &path("none"), Begin::New, 2);
    assert_eq!(backups(&path("none")).0, 0);
    assert_ne!(final_weights(&path("none")).layers, final_weights(&path("all")).layers);
}

#[test]
fn a_sample_of_the_window_is_the_same_after_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan_with("replay = { window = 3 }\n targets = { kind = 'td', sample = 0.5 }");
    let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
    finish(&plan, &whole, Begin::New, 2);
    assert_survives_a_stop(&plan, &whole, &stopped, 5, [2, 1]);
}

#[test]
fn a_later_stage_begins_with_the_weights_of_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    finish(&plan(1), &first, Begin::New, 1);
    let mut config = plan(1).config().clone();
    config.start = Some(first.join("final.safetensors").into());
    config.network = None;
    config.rounds = 1;
    let stage = Plan::new(config.clone(), Path::new("stage.toml")).unwrap();
    let never = AtomicBool::new(false);
    let start = Mutex::new(None);
    let observer = |event: &RunEvent| {
        if let RunEvent::CheckpointSaved { round: 0, .. } = event {
            let latest = Weights::load(&second.join("latest.safetensors")).unwrap();
            *start.lock().unwrap() = Some(latest);
        }
    };
    run(&stage, &options(&second, Begin::New, 1), None, &observer, &never).unwrap();
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
    let message = tavola_files::chain(&error);
    assert!(message.contains("[12, 8]") && message.contains("[13]"), "{message}");
    assert!(!fourth.exists());
}

#[test]
fn variance_reduction_with_a_pruning_network_changes_the_targets() {
    let folder = tempfile::tempdir().unwrap();
    let [first, plain, second] = ["first", "plain", "second"].map(|name| folder.path().join(name));
    finish(&plan(1), &first, Begin::New, 1);
    finish(&plan(1), &plain, Begin::New, 1);
    let reduced = |network: &str, more: &str| {
        let pruning = format!("pruning = {{ network = '{network}', keep = 1 }}");
        targets_plan(&format!("kind = 'td', variance_reduction = {{ {pruning} {more} }}"))
    };
    let network = first.join("final.safetensors").display().to_string();
    let checksum = final_weights(&first).checksum();
    let with_its_luck = reduced(&format!("{network}#{}", &checksum[..12]), "");
    finish(&with_its_luck, &second, Begin::New, 1);
    assert_ne!(final_weights(&second).layers, final_weights(&plain).layers);
    let manifest = fs::read_to_string(second.join("manifest.json")).unwrap();
    assert!(manifest.contains(&final_weights(&first).checksum()));
    // The same on any number of threads.
    let third = folder.path().join("third");
    finish(&with_its_luck, &third, Begin::New, 3);
    assert_eq!(final_weights(&third).layers, final_weights(&second).layers);

    // Siblings teach something else, and survive a stop.
    let siblings = reduced(&network, ", siblings = { within = 0.3 }");
    let [whole, stopped] = ["whole", "stopped"].map(|name| folder.path().join(name));
    finish(&siblings, &whole, Begin::New, 2);
    assert_ne!(final_weights(&whole).layers, final_weights(&second).layers);
    assert_survives_a_stop(&siblings, &whole, &stopped, 5, [1, 3]);

    let fourth = folder.path().join("fourth");
    let error = refused(&reduced("missing.safetensors", ""), &fourth, Begin::New);
    assert!(error.to_string().contains("the pruning network of targets"), "{error}");
    // Another network than the one that is named.
    let error = refused(&reduced(&format!("{network}#0123456789ab"), ""), &fourth, Begin::New);
    assert!(error.to_string().contains("which holds the network"), "{error}");
    for part in [&checksum[..], "0123456789ab", "final.safetensors"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert!(!fourth.exists());
}

#[test]
fn labels_of_games_in_the_window_are_kept_over_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    finish(&plan(1), &path("quick"), Begin::New, 1);
    let quick = path("quick").join("final.safetensors");
    let pruning = format!("pruning = {{ network = '{}', keep = 1 }}", quick.display());
    let reduced = |more: &str| format!("kind = 'td', variance_reduction = {{ {pruning} {more} }}");
    // The networks that evaluated are gone when the run is resumed.
    let all = [
        ("luck", reduced("")),
        ("backup", "kind = 'expected-backup', share = 0.5".to_owned()),
        ("siblings", reduced(", siblings = { within = 0.3 }")),
        ("distill", "kind = 'distill'".to_owned()),
    ];
    for (name, targets) in all {
        let teacher = match name {
            "distill" => format!("target_network = '{}'\n", quick.display()),
            _ => String::new(),
        };
        let plan =
            plan_with(&format!("{teacher} replay = {{ window = 3 }}\n targets = {{ {targets} }}"));
        let [whole, stopped] = ["whole", "stopped"].map(|run| path(&format!("{name}-{run}")));
        finish(&plan, &whole, Begin::New, 2);
        assert_survives_a_stop(&plan, &whole, &stopped, 5, [2, 1]);
    }
}

#[test]
fn a_solved_game_is_refused_where_it_solves_another_or_a_fleet_plays() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("one.bin");
    tavola_bearoff::WholeGame::solve(1, 1e-3, &|_| {}).unwrap().save(&table).unwrap();
    let refused = |table: &Path| {
        let kind = "{ kind = 'distill', table = ";
        let plan = plan_with(&format!("targets = {kind}'{}' }}", table.display()));
        let options = options(&folder.path().join("run"), Begin::New, 1);
        let error =
            run(&plan, &options, None, &|_: &RunEvent| {}, &AtomicBool::new(false)).unwrap_err();
        assert!(error.is_input());
        tavola_files::chain(&error)
    };
    let error = refused(&table);
    assert!(error.contains("1 checkers a side, expected a solution of hypergammon"), "{error}");
    let error = refused(&folder.path().join("nowhere.bin"));
    assert!(error.contains("nowhere.bin that targets.table names"), "{error}");
    assert!(!folder.path().join("run").exists());
}

#[test]
fn earlier_rounds_are_sampled_from_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let sampled = plan_with("replay = { window = 5, sample = 2 }");
    finish(&sampled, &path("sampled"), Begin::New, 1);
    finish(&plan(3), &path("latest"), Begin::New, 1);
    finish(&plan(5), &path("all"), Begin::New, 1);
    for other in ["latest", "all"] {
        let layers = final_weights(&path(other)).layers;
        assert_ne!(layers, final_weights(&path("sampled")).layers, "{other}");
    }
    // The sample is the same after a stop.
    assert_survives_a_stop(&sampled, &path("sampled"), &path("stopped"), 5, [2, 1]);
}

#[test]
fn evaluations_can_reduce_variance_and_keep_what_was_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    finish(&plan(1), &path("raw"), Begin::New, 1);
    let evaluator = path("raw").join("final.safetensors");
    let mut config = plan(1).config().clone();
    config.seed = 12;
    config.evaluation.games = 200;
    config.evaluation.opponents = Some(vec![format!("raw:{}", evaluator.display())]);
    let evaluations = |config: &Config, name: &str| -> Vec<EvaluationMetrics> {
        let plan = Plan::new(config.clone(), Path::new("test.toml")).unwrap();
        finish(&plan, &path(name), Begin::New, 2);
        let metrics = read_metrics(&path(name).join("metrics.jsonl")).unwrap();
        metrics
            .into_iter()
            .filter_map(|line| match line {
                Metrics::Evaluation(evaluation) => Some(evaluation),
                Metrics::Round(_) | Metrics::States(_) => None,
            })
            .collect()
    };
    let raw = evaluations(&config, "plain");
    config.evaluation.variance_reduction = Some(evaluator.clone().into());
    config.evaluation.keep_weights = true;
    let adjusted = evaluations(&config, "adjusted");
    let (raw, adjusted) = (raw.last().unwrap(), adjusted.last().unwrap());
    // A network of 120 games knows little of luck, but the expectation stays.
    assert_ne!(adjusted.ppg, raw.ppg);
    assert!((adjusted.ppg - raw.ppg).abs() < 4.0 * raw.standard_error, "{adjusted:?}, {raw:?}");
    assert_eq!(adjusted.variance_reduction.as_deref(), evaluator.to_str());
    assert_eq!(raw.variance_reduction, None);

    assert!(!path("plain").join("evaluated").exists());
    for round in [0, 3, 6] {
        let kept = path("adjusted").join(format!("evaluated/round-{round:06}.safetensors"));
        let kept = Weights::load(&kept).unwrap();
        assert_eq!(kept.checksum() == final_weights(&path("adjusted")).checksum(), round == 6);
    }
}

#[test]
fn a_target_network_plays_until_its_update_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    finish(&plan(1), &path("teacher"), Begin::New, 1);
    let teacher = path("teacher").join("final.safetensors");
    let plan = plan_with(&format!(
        "target_network = '{}'\n target_network_update_rounds = 2\n checkpoint = {{ every_rounds = 1 }}",
        teacher.display()
    ));
    let played = Mutex::new(Vec::new());
    let observer = |event: &RunEvent| {
        if let RunEvent::CheckpointSaved { round, .. } = event {
            let saved = path("whole").join(format!("checkpoints/round-{round:06}"));
            let selfplay = Weights::load(&saved.join("selfplay.safetensors")).unwrap();
            played.lock().unwrap().push(selfplay.checksum());
        }
    };
    let never = AtomicBool::new(false);
    run(&plan, &options(&path("whole"), Begin::New, 2), None, &observer, &never).unwrap();
    let mut played = played.into_inner().unwrap();
    assert_eq!(played.len(), ROUNDS as usize + 1);
    assert_eq!(played[0], Weights::load(&teacher).unwrap().checksum());
    // It plays three rounds: play runs one round ahead of learning.
    assert!(played[..3].iter().all(|one| *one == played[0]), "{played:?}");
    played.dedup();
    assert_eq!(played.len(), 3, "{played:?}");

    assert_survives_a_stop(&plan, &path("whole"), &path("stopped"), 5, [1, 2]);

    fs::remove_file(&teacher).unwrap();
    let error = refused(&plan, &path("missing"), Begin::New);
    assert!(error.to_string().contains("that target_network names"), "{error}");
}

#[test]
fn distillation_is_the_same_after_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    finish(&plan(1), &path("teacher"), Begin::New, 1);
    let plan = plan_with(&format!(
        "target_network = '{}'\n target_network_update_rounds = {ROUNDS}\n checkpoint = {{ every_rounds = 1 }}\n \
         targets = {{ kind = 'distill', share = 0.5 }}",
        path("teacher").join("final.safetensors").display()
    ));
    finish(&plan, &path("whole"), Begin::New, 2);
    assert_survives_a_stop(&plan, &path("whole"), &path("stopped"), 4, [1, 2]);
}

#[test]
fn a_weights_file_that_changed_since_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    finish(&plan(1), &first, Begin::New, 1);
    let opponent = folder.path().join("opponent.safetensors");
    fs::copy(first.join("final.safetensors"), &opponent).unwrap();
    let mut config = plan(1).config().clone();
    config.evaluation.opponents = Some(vec![opponent.display().to_string()]);
    let plan = Plan::new(config, Path::new("test.toml")).unwrap();
    stop_at(
        &plan,
        &second,
        Begin::New,
        1,
        &|event| matches!(event, RunEvent::RoundFinished(round) if round.round == 2),
    );
    let mut weights = Weights::load(&opponent).unwrap();
    weights.layers[0].biases[0] += 1.0;
    weights.save(&opponent).unwrap();
    let error = refused(&plan, &second, Begin::Resume);
    assert!(error.to_string().contains("has changed since the run began"), "{error}");
}
