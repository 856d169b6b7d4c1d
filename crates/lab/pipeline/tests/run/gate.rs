//! A gate decides whether the network of a run replaces another one, and survives a kill.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_arena::SprtVerdict;
use tavola_net::{EncoderKind, Interface, Weights, initial_weights};
use tavola_pipeline::{
    Begin, GateResult, Manifest, Plan, RunEnding, RunEvent, RunOptions, RunReport, Tool, run,
};
use tavola_rules::Backgammon;

/// A folder with a network that has learned nothing, and a run that must beat it.
struct Place {
    folder: tempfile::TempDir,
    /// What stands in the configuration after the path of that network.
    gate: &'static str,
}

/// Bounds that a few rounds of learning reach against a network with random weights.
const EASY: &str = "sprt = { low = -200, high = 200, games = 600 }";
/// Bounds that no network reaches.
const HARD: &str = "sprt = { low = 2000, high = 2900, games = 600 }";

impl Place {
    fn new(gate: &'static str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), gate };
        initial_weights(&Interface::of(&Backgammon::Hypergammon), EncoderKind::Tesauro, &[8], 5)
            .unwrap()
            .save(&place.old())
            .unwrap();
        place
    }

    fn old(&self) -> PathBuf {
        self.folder.path().join("old.safetensors")
    }

    fn run_dir(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A run of a second: hypergammon, whose games are short.
    fn plan(&self) -> Plan {
        let text = format!(
            r#"
            game = "hypergammon"
            seed = 11
            rounds = 5
            games_per_round = 60
            first_round_games = 60
            network = {{ encoder = "tesauro", hidden = [8] }}
            learner = {{ batch_size = 32 }}
            learning_rate = {{ kind = "constant", value = 3e-3 }}
            evaluation = {{ every_rounds = 5, games = 4, opponents = [{old:?}] }}
            gate = {{ replaces = {old:?}, {} }}
            "#,
            self.gate,
            old = self.old()
        );
        Plan::from_toml(&text, Path::new("test.toml")).unwrap()
    }

    fn run(
        &self,
        name: &str,
        begin: Begin,
        threads: usize,
        observer: &(dyn Fn(&RunEvent, &AtomicBool) + Sync),
    ) -> Result<RunReport, tavola_files::Failure> {
        let options = RunOptions {
            directory: self.run_dir(name),
            begin,
            threads: NonZeroUsize::new(threads).unwrap(),
            tool: Tool { version: "1.2.3".to_owned(), commit: None },
        };
        let cancel = AtomicBool::new(false);
        run(&self.plan(), &options, &|event: &RunEvent| observer(event, &cancel), &cancel)
    }

    fn finish(&self, name: &str, begin: Begin, threads: usize) -> GateResult {
        let report = self.run(name, begin, threads, &|_, _| {}).unwrap();
        assert!(matches!(report.ending, RunEnding::Finished { .. }));
        assert_eq!(self.manifest(name).gate, report.gate);
        report.gate.unwrap()
    }

    fn manifest(&self, name: &str) -> Manifest {
        let text = fs::read(self.run_dir(name).join("manifest.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    fn final_weights(&self, name: &str) -> PathBuf {
        self.run_dir(name).join("final.safetensors")
    }
}

fn checksum(path: &Path) -> String {
    Weights::load(path).unwrap().checksum()
}

#[test]
fn a_stronger_network_replaces_the_old_one() {
    let place = Place::new(EASY);
    let old = checksum(&place.old());
    let gate = place.finish("run", Begin::New, 2);
    assert!(gate.passed && gate.replaced, "{gate:?}");
    let duel = gate.duel.as_ref().unwrap();
    assert_eq!(duel.sprt.verdict, SprtVerdict::High);
    assert!(duel.games >= 128 && duel.games <= 600 && gate.grade.is_none());
    assert_eq!(fs::read(place.old()).unwrap(), fs::read(place.final_weights("run")).unwrap());
    assert_eq!((gate.old_sha256.as_str(), gate.new_sha256), (&*old, checksum(&place.old())));
    assert_eq!(checksum(&place.run_dir("run").join("incumbent.safetensors")), old);
    // The opponent of the evaluations is now another network, and nothing is left to evaluate.
    let again = place.finish("run", Begin::Resume, 1);
    assert_eq!(place.manifest("run").gate.unwrap(), again);
}

#[test]
fn a_network_that_is_not_strong_enough_replaces_nothing() {
    let place = Place::new(HARD);
    let before = fs::read(place.old()).unwrap();
    let gate = place.finish("run", Begin::New, 2);
    assert!(!gate.passed && !gate.replaced, "{gate:?}");
    assert_eq!(gate.duel.unwrap().sprt.verdict, SprtVerdict::Low);
    assert_eq!(fs::read(place.old()).unwrap(), before);
    assert!(place.final_weights("run").is_file());
}

#[test]
fn a_stopped_gate_is_played_again_and_says_the_same() {
    let place = Place::new(HARD);
    let whole = place.finish("whole", Begin::New, 1);
    let before = fs::read(place.old()).unwrap();
    let stop = |event: &RunEvent, cancel: &AtomicBool| {
        if matches!(event, RunEvent::GateGamesPlayed { done: 10, .. }) {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let report = place.run("stopped", Begin::New, 2, &stop).unwrap();
    assert_eq!((report.ending, report.gate), (RunEnding::Stopped, None));
    assert!(place.final_weights("stopped").is_file());
    assert_eq!(fs::read(place.old()).unwrap(), before);
    // Another program replaces the old network; the gate resumes against the one that it began
    // with.
    initial_weights(&Interface::of(&Backgammon::Hypergammon), EncoderKind::Tesauro, &[8], 6)
        .unwrap()
        .save(&place.old())
        .unwrap();
    // It is an opponent as well, and of that one no other was promised.
    let refused = place.run("stopped", Begin::Resume, 1, &|_, _| {}).unwrap_err();
    assert!(refused.to_string().contains("has changed since the run began"), "{refused}");
    fs::write(place.old(), before).unwrap();
    assert_eq!(place.finish("stopped", Begin::Resume, 3), whole);
}

#[test]
fn a_kill_between_decision_and_replacement_is_made_up_for_without_a_game() {
    let place = Place::new(EASY);
    let before = fs::read(place.old()).unwrap();
    let whole = place.finish("run", Begin::New, 2);
    // As if the decision had been the last thing that was written.
    let mut manifest = place.manifest("run");
    manifest.gate.as_mut().unwrap().replaced = false;
    manifest.finished = None;
    let path = place.run_dir("run").join("manifest.json");
    fs::write(path, serde_json::to_vec(&manifest).unwrap()).unwrap();
    fs::write(place.old(), before).unwrap();
    let no_games = |event: &RunEvent, _: &AtomicBool| {
        assert!(!matches!(event, RunEvent::GateGamesPlayed { .. }), "{event:?}");
    };
    let report = place.run("run", Begin::Resume, 1, &no_games).unwrap();
    assert_eq!(report.gate, Some(whole));
    assert_eq!(checksum(&place.old()), checksum(&place.final_weights("run")));
    assert!(place.manifest("run").finished.is_some());
}

#[test]
fn a_network_that_somebody_else_put_there_meanwhile_is_left_alone() {
    let place = Place::new(EASY);
    let other =
        initial_weights(&Interface::of(&Backgammon::Hypergammon), EncoderKind::Tesauro, &[8], 6)
            .unwrap();
    let meddle = |event: &RunEvent, _: &AtomicBool| {
        if matches!(event, RunEvent::GateFinished(_)) {
            other.save(&place.old()).unwrap();
        }
    };
    let error = place.run("run", Begin::New, 1, &meddle).unwrap_err();
    assert!(error.to_string().contains("has changed since the gate began"), "{error}");
    assert!(error.to_string().contains(&other.checksum()), "{error}");
    assert_eq!(checksum(&place.old()), other.checksum());
    assert!(place.manifest("run").gate.unwrap().passed);
}

/// A run of backgammon that learns next to nothing from the weights at `start`, with a gate that
/// these keys add to.
fn gated(
    start: &Path,
    old: &Path,
    gate: &str,
    evaluation: &str,
    directory: &Path,
) -> Result<GateResult, tavola_files::Failure> {
    let text = format!(
        r#"
        rounds = 1
        games_per_round = 1
        start = {start:?}
        learning_rate = {{ kind = "constant", value = 1e-12 }}
        targets = {{ kind = "td", sample = 0.5 }}
        evaluation = {{ games = 4, opponents = [] {evaluation} }}
        gate = {{ replaces = {old:?}, sprt = {{ games = 128 }} {gate} }}
        "#
    );
    let plan = Plan::from_toml(&text, Path::new("test.toml")).unwrap();
    let options = RunOptions {
        directory: directory.to_owned(),
        begin: Begin::New,
        threads: NonZeroUsize::new(2).unwrap(),
        tool: Tool { version: "1.2.3".to_owned(), commit: None },
    };
    let report = run(&plan, &options, &|_: &RunEvent| {}, &AtomicBool::new(false))?;
    let asked = !evaluation.is_empty();
    assert_eq!(report.states.is_some_and(|states| states.plies[0].ply == 0), asked);
    Ok(report.gate.unwrap())
}

/// The same with a gate that grades decisions.
fn graded(start: &Path, old: &Path, reference: &Path, directory: &Path) -> GateResult {
    gated(start, old, &format!(", reference = {reference:?}"), "", directory).unwrap()
}

#[test]
fn a_network_that_evaluates_states_worse_does_not_pass_whatever_it_plays() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let good = root.join("models/prune.safetensors");
    let all = fs::read_to_string(root.join("benches/grade/tuning.states")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let bad = path("bad.safetensors");
    initial_weights(&Interface::of(&Backgammon::Standard), EncoderKind::Tesauro, &[8], 1)
        .unwrap()
        .save(&bad)
        .unwrap();
    let evaluation = format!(
        ", states = {{ file = {:?}, plies = [0] }}",
        root.join("benches/grade/tuning.states")
    );
    let gate = |start, name: &str| {
        gated(start, &good, ", states_rmse_ratio = 1.001", &evaluation, &path(name)).unwrap()
    };

    let worse = gate(&bad, "worse");
    let states = worse.states.unwrap();
    assert!(!worse.passed && !states.passed && worse.duel.is_none(), "{states:?}");
    assert!(states.plies[0].new > 2.0 * states.plies[0].old, "{states:?}");

    let same = gate(&good, "same");
    let states = same.states.unwrap();
    assert!(states.passed && same.duel.is_some(), "{states:?}");
    assert!((states.plies[0].new - states.plies[0].old).abs() < 1e-4, "{states:?}");
    let metrics = fs::read_to_string(path("same").join("metrics.jsonl")).unwrap();
    // Before the first round and after the last one.
    assert_eq!(metrics.matches(r#"{"type":"states","#).count(), 2);
    let table = fs::read_to_string(path("same").join("metrics.csv")).unwrap();
    assert!(table.starts_with("round,") && table.contains("rmse 0-ply,bias 0-ply\n"), "{table}");

    // A file with a line less is refused before the first round.
    let short = path("short.states");
    fs::write(&short, all.lines().take(600).map(|line| format!("{line}\n")).collect::<String>())
        .unwrap();
    let evaluation = format!(", states = {{ file = {short:?} }}");
    let error = gated(&good, &good, "", &evaluation, &path("short")).unwrap_err();
    assert!(error.is_input(), "{error}");
    assert!(error.to_string().contains("evaluation.states names"), "{error}");
}

#[test]
fn the_grade_comes_first_and_a_bad_one_ends_the_gate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let (good, reference) =
        (root.join("models/prune.safetensors"), root.join("benches/grade/tuning.jsonl"));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let bad = path("bad.safetensors");
    initial_weights(&Interface::of(&Backgammon::Standard), EncoderKind::Tesauro, &[8], 1)
        .unwrap()
        .save(&bad)
        .unwrap();
    let before = fs::read(&good).unwrap();

    let gate = graded(&bad, &good, &reference, &path("worse"));
    let grade = gate.grade.as_ref().unwrap();
    assert!(!gate.passed && !grade.passed && gate.duel.is_none(), "{gate:?}");
    assert!(grade.worse.low > grade.worse_by && grade.new.mean > grade.old.mean, "{grade:?}");
    assert_eq!(grade.worse_by, 0.0002);

    // Hardly another network than the old one: it loses as much, and is no stronger.
    let gate = graded(&good, &good, &reference, &path("same"));
    let grade = gate.grade.as_ref().unwrap();
    assert!(grade.passed && grade.worse.mean.abs() < 1e-4, "{grade:?}");
    assert!(!gate.passed && gate.duel.is_some_and(|duel| !duel.passed && duel.games == 128));
    assert_eq!(fs::read(&good).unwrap(), before);
}

#[test]
fn what_a_gate_needs_is_looked_for_before_the_run() {
    let place = Place::new(EASY);
    fs::write(place.old(), b"no weights").unwrap();
    let error = place.run("run", Begin::New, 1, &|_, _| {}).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("old.safetensors"), "{error}");
    assert!(!place.run_dir("run").exists());
}
