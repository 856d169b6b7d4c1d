//! Recipes: phases that go on from each other, stops, and mistakes.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_pipeline::{Begin, Recipe, RunEvent, TargetSettings};

use crate::{final_weights, options};

const TEXT: &str = r#"
    game = "hypergammon"
    seed = 5
    rounds = 2
    games_per_round = 12
    network = { encoder = "tesauro", hidden = [8] }
    learner = { batch_size = 64, sparse_adam = true }
    targets = { kind = "td", sample = 0.5 }
    evaluation = { games = 4, opponents = ["random"] }

    [[phase]]
    name = "prune"
    minutes = 1

    [[phase]]
    name = "games"
    minutes = 2
    seed = 6
    learner = { batch_size = 32 }

    [[phase]]
    name = "siblings"
    minutes = 3
    start = "phase:games"
    target_network = "phase:games"
    target_network_update_rounds = 2
    [phase.targets]
    kind = "td"
    lambda = { kind = "constant", value = 0.9 }
    [phase.targets.variance_reduction]
    pruning = { network = "phase:prune", keep = 2 }
    siblings = { within = 0.3 }
    [phase.evaluation]
    opponents = ["raw:phase:games"]
"#;

fn load(folder: &Path, name: &str, text: &str) -> Result<Option<Recipe>, String> {
    let path = folder.join("recipe.toml");
    fs::write(&path, text).unwrap();
    Recipe::load(&path, &folder.join(name), &[]).map_err(|error| error.to_string())
}

#[test]
fn phases_go_on_from_each_other_and_after_a_stop_in_any_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| folder.path().join(name));
    let recipe = load(folder.path(), "whole", TEXT).unwrap().unwrap();
    let [_, games, siblings] = recipe.phases() else { panic!("three phases") };
    // Tables are added key by key, those with a kind are replaced.
    assert!(games.plan.config().learner.sparse_adam && games.plan.config().seed == 6);
    assert_eq!(games.plan.config().learner.batch_size, 32);
    assert!(matches!(&siblings.plan.config().targets, TargetSettings::Td(td)
        if td.sample == tavola_play::Probability::ALWAYS));

    let never = AtomicBool::new(false);
    let began = Mutex::new(Vec::new());
    let watch = |event: &RunEvent| {
        if let RunEvent::PhaseBegan { name, number, of, seconds_left, .. } = event {
            began.lock().unwrap().push((name.clone(), *number, *of, *seconds_left > 0.0));
        }
    };
    let report = recipe.run(&options(&whole, Begin::New, 2), None, &watch, &never).unwrap();
    let weights = whole.join("siblings/final.safetensors");
    assert_eq!(report.weights, Some(weights));
    let expected = ["prune", "games", "siblings"];
    let expected = (1..).zip(expected).map(|(number, name)| (name.to_owned(), number, 3, true));
    assert_eq!(*began.lock().unwrap(), expected.collect::<Vec<_>>());
    // No states were evaluated, so there is nothing to draw.
    assert!(!whole.join("strength.svg").exists());

    let recipe = load(folder.path(), "stopped", TEXT).unwrap().unwrap();
    for stop_in in 1..=3 {
        let (cancel, phase) = (AtomicBool::new(false), Mutex::new(0));
        let stop = |event: &RunEvent| match event {
            RunEvent::PhaseBegan { number, .. } => *phase.lock().unwrap() = *number,
            RunEvent::GamesPlayed { round: 2, done: 3, .. }
                if *phase.lock().unwrap() == stop_in =>
            {
                cancel.store(true, Ordering::Relaxed);
            }
            _ => {}
        };
        let begin = if stop_in == 1 { Begin::New } else { Begin::Resume };
        let report = recipe.run(&options(&stopped, begin, 1), None, &stop, &cancel).unwrap();
        assert!(!report.finished, "phase {stop_in}");
    }
    let report = recipe.run(&options(&stopped, Begin::Resume, 1), None, &|_: &_| {}, &never);
    assert!(report.unwrap().finished);
    for phase in ["prune", "games", "siblings"] {
        let [one, other] = [&whole, &stopped].map(|run| final_weights(&run.join(phase)));
        assert_eq!(one.layers, other.layers, "{phase}");
    }
    // A new run does not begin where there is one.
    assert!(recipe.run(&options(&stopped, Begin::New, 1), None, &|_: &_| {}, &never).is_err());
}

/// A recipe of the phases in [`TEXT`] that has run to its end, in the folder `run`.
fn finished(folder: &Path) -> Recipe {
    let recipe = load(folder, "run", TEXT).unwrap().unwrap();
    run(&recipe, folder, Begin::New).unwrap();
    recipe
}

fn run(recipe: &Recipe, folder: &Path, begin: Begin) -> Result<(), String> {
    let (never, options) = (AtomicBool::new(false), options(&folder.join("run"), begin, 1));
    let report = recipe.run(&options, None, &|_: &_| {}, &never);
    report.map(drop).map_err(|error| error.to_string())
}

#[test]
fn finished_phases_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = finished(folder.path());
    let file = |name: &str| folder.path().join("run/games").join(name);
    let before = ["manifest.json", "final.safetensors"].map(|name| fs::read(file(name)).unwrap());
    // Neither checkpoints nor metrics of a finished phase are needed.
    fs::remove_dir_all(file("checkpoints")).unwrap();
    fs::write(file("metrics.jsonl"), "nothing\n").unwrap();
    run(&recipe, folder.path(), Begin::Resume).unwrap();
    let after = ["manifest.json", "final.safetensors"].map(|name| fs::read(file(name)).unwrap());
    assert!(before == after);
    // Another spelling of the directory is the same recipe.
    let path = folder.path().join("recipe.toml");
    let of = |directory: &Path| Recipe::load(&path, directory, &[]).unwrap();
    let here = std::env::current_dir().unwrap();
    for spelling in [Path::new("./some/run"), Path::new("some//run/"), &here.join("some/run")] {
        assert_eq!(of(spelling), of(Path::new("some/run")), "{spelling:?}");
    }
}

#[test]
fn phases_that_do_not_follow_from_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    let resumed = |text: &str| {
        let recipe = load(folder.path(), "run", text).unwrap().unwrap();
        run(&recipe, folder.path(), Begin::Resume)
    };
    let error = resumed(&TEXT.replace("rounds = 2\n", "rounds = 3\n")).unwrap_err();
    assert!(
        error.contains("prune was begun with another") && error.contains("rounds: 2, 3"),
        "{error}"
    );
    let error = resumed(&TEXT.replace("seed = 6", "seed = 7")).unwrap_err();
    assert!(
        error.contains("games was begun with another") && error.contains("seed: 6, 7"),
        "{error}"
    );
    assert_eq!(resumed(TEXT), Ok(()));
    // A phase that is trained again is another network than the one that later phases began with.
    fs::remove_dir_all(folder.path().join("run/games")).unwrap();
    let error = resumed(TEXT).unwrap_err();
    assert!(error.contains("games is not finished, but phase siblings"), "{error}");

    let recipe = load(folder.path(), "run", TEXT).unwrap().unwrap();
    let other = load(folder.path(), "other", TEXT).unwrap().unwrap();
    let error = run(&other, folder.path(), Begin::Resume).unwrap_err();
    assert!(error.contains("holds no run to resume"), "{error}");
    fs::create_dir_all(folder.path().join("other/checkpoints")).unwrap();
    let error = run(&other, folder.path(), Begin::New).unwrap_err();
    assert!(error.contains("holds \"checkpoints\""), "{error}");
    // One process a recipe.
    fs::remove_dir_all(folder.path().join("run/siblings")).unwrap();
    let lock = tavola_files::lock(&folder.path().join("run/lock")).unwrap();
    let error = run(&recipe, folder.path(), Begin::Resume).unwrap_err();
    assert!(error.contains("another process is running"), "{error}");
    drop(lock);
    assert_eq!(run(&recipe, folder.path(), Begin::Resume), Ok(()));
}

#[test]
fn what_a_later_phase_lacks_is_missed_before_the_first_one() {
    let folder = tempfile::tempdir().unwrap();
    for (key, of) in [("start", "games"), ("target_network", "games"), ("network", "prune")] {
        let named = |file: &str| format!(" {key} = \"{file}\"");
        let text = TEXT.replace(&named(&format!("phase:{of}")), &named("nowhere"));
        let recipe = load(folder.path(), "run", &text).unwrap().unwrap();
        let error = run(&recipe, folder.path(), Begin::New).unwrap_err();
        assert!(error.contains("the file nowhere that") && error.contains(key), "{error}");
        assert!(!folder.path().join("run/prune").exists());
        fs::remove_dir_all(folder.path().join("run")).unwrap();
    }
}

#[test]
fn mistakes_in_phases_are_named() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(load(folder.path(), "none", "rounds = 3"), Ok(None));
    let cases = [
        ("[phase]\nname = \"a\"", "each headed by [[phase]]"),
        ("phase = []", "phase is [], expected one table or more"),
        ("[[phase]]\nrounds = 2", "phase.name is \"\""),
        ("[[phase]]\nname = \"a b\"", "phase.name is \"a b\""),
        ("[[phase]]\nname = \"a\"\n[[phase]]\nname = \"a\"", "that no other phase has"),
        ("[[phase]]\nname = \"a\"\nminutes = -1", "a.minutes is -1"),
        (
            "[[phase]]\nname = \"a\"\nstart = \"phase:a\"",
            "start in phase a is \"phase:a\", expected the name of an",
        ),
        ("[[phase]]\nname = \"a\"\nrounds = 0", "rounds in phase a is 0"),
        ("[[phase]]\nname = \"a\"\nfancy = 0", "in phase a: unknown key `fancy`"),
        ("[[phase]]\nname = \"a\"\nnetwork = 3", "expected a table"),
        (
            "[[phase]]\nname = \"a\"\n[[phase]]\nname = \"b\"\ngame = \"puff\"",
            "game in phase b is \"puff\", expected \"backgammon\"",
        ),
    ];
    for (text, expected) in cases {
        let error = load(folder.path(), "wrong", text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
