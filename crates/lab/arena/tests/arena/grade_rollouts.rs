//! References graded by rollouts: made with breaks, read again, and used.

use std::collections::HashSet;
use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tavola_arena::grade::{
    Decisions, Grades, Purpose, Reference, RolloutGrader, RolloutGraderSettings, Sample,
    SampleLabels, SampleSettings, grade, grade_decisions, unfinished_path,
};
use tavola_engine::Effort;
use tavola_evaluator::PipCountEvaluator;
use tavola_evaluator::rollout::StopRules;
use tavola_evaluator::search::MoveFilter;
use tavola_play::{EvaluatorAgent, Workers};
use tavola_rules::Backgammon;
use tempfile::TempDir;

const GAME: Backgammon = Backgammon::Standard;
static GO_ON: AtomicBool = AtomicBool::new(false);

/// Two decisions of each phase, for all tests: racers make no primes, so that takes many games.
static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let settings = SampleSettings { games: 400, seed: 3, per_phase: 2 };
    let labels = SampleLabels {
        purpose: Purpose::Reporting,
        command: "test".to_owned(),
        network: "pips".to_owned(),
    };
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &GO_ON };
    let player = PipCountEvaluator::new(GAME);
    let none = HashSet::new();
    let sample = Sample::draw(&GAME, &player, &settings, &none, labels, workers, &|| ());
    let mut text = Vec::new();
    sample.unwrap().write(&mut text).unwrap();
    text
});

fn decisions() -> Decisions<Backgammon> {
    Decisions::read(&GAME, &SAMPLE[..]).unwrap()
}

fn quick() -> RolloutGraderSettings {
    let bare = Effort::at(0);
    RolloutGraderSettings {
        first_look: bare,
        candidates: MoveFilter { keep: 2, extra: 1, within: 0.05 },
        play: bare,
        truncate: NonZeroU32::new(2),
        leaf: bare,
        trials: 36,
        seed: 5,
        stop: StopRules::default(),
        drop: 4.0,
    }
}

fn evaluate(settings: RolloutGraderSettings, threads: usize) -> RolloutGrader<Backgammon> {
    let name = ("rollouts of pips".to_owned(), "no network".to_owned());
    let threads = NonZeroUsize::new(threads).unwrap();
    RolloutGrader::new(&GAME, &PipCountEvaluator::new(GAME), None, name, settings, threads)
}

fn unbroken(folder: &Path, decisions: &Decisions<Backgammon>, threads: usize) -> Vec<u8> {
    let path = folder.join(format!("unbroken-{threads}"));
    grade_decisions(&GAME, decisions, &mut evaluate(quick(), threads), &path, &GO_ON, &|_| ())
        .unwrap();
    assert!(!unfinished_path(&path).exists());
    fs::read(path).unwrap()
}

#[test]
fn a_run_that_is_stopped_or_killed_goes_on_to_the_reference_of_an_unbroken_one() {
    let (folder, decisions) = (TempDir::new().unwrap(), decisions());
    let whole = unbroken(folder.path(), &decisions, 1);
    assert_eq!(unbroken(folder.path(), &decisions, 2), whole, "threads have no influence");

    // Killed before its first line.
    let path = folder.path().join("broken");
    let part = unfinished_path(&path);
    fs::write(&part, "").unwrap();
    let stop = AtomicBool::new(false);
    let graded = AtomicUsize::new(0);
    let observer = |more| {
        if graded.fetch_add(more, Ordering::Relaxed) + more == 5 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let mut first = evaluate(quick(), 1);
    let error =
        grade_decisions(&GAME, &decisions, &mut first, &path, &stop, &observer).unwrap_err();
    let asked = decisions.questions.len();
    assert!(
        error.is_stop() && error.to_string().starts_with(&format!("stopped after 5 of {asked}")),
        "{error}"
    );
    assert!(!path.exists());

    // Others must not go on with it.
    let mut other = evaluate(RolloutGraderSettings { seed: 6, ..quick() }, 1);
    let error = grade_decisions(&GAME, &decisions, &mut other, &path, &GO_ON, &|_| ()).unwrap_err();
    assert!(error.to_string().contains("by another grader"), "{error}");
    let mut turned = decisions.clone();
    turned.questions.reverse();
    let mut same = evaluate(quick(), 1);
    let error = grade_decisions(&GAME, &turned, &mut same, &path, &GO_ON, &|_| ()).unwrap_err();
    assert!(error.to_string().contains("of other decisions"), "{error}");

    // Killed while it wrote the last decision, before the line that says how many there are.
    let bytes = fs::read(&part).unwrap();
    let is_end = |&at: &usize| bytes[at] == b'\n';
    let end = (0..bytes.len() - 1).rev().find(is_end).unwrap();
    fs::write(&part, &bytes[..end - 9]).unwrap();
    let before = AtomicUsize::new(usize::MAX);
    let observer = |more| {
        let _ = before.compare_exchange(usize::MAX, more, Ordering::Relaxed, Ordering::Relaxed);
    };
    grade_decisions(&GAME, &decisions, &mut evaluate(quick(), 1), &path, &GO_ON, &observer)
        .unwrap();
    assert_eq!(before.into_inner(), 4, "what was whole is not judged again");
    assert_eq!(fs::read(&path).unwrap(), whole);
    assert!(!part.exists());
}

#[test]
fn a_reference_has_errors_grades_with_them_and_can_be_evaluated_anew() {
    let (folder, decisions) = (TempDir::new().unwrap(), decisions());
    let text = unbroken(folder.path(), &decisions, 1);
    let reference = Reference::read(&GAME, &text[..]).unwrap();
    assert_eq!(reference.grader, evaluate(quick(), 1).info);
    assert_eq!(reference.grader.margin, 0.05);
    for decision in &reference.decisions {
        assert!((2..=3).contains(&decision.plays.len()));
        assert_eq!(decision.loss_error_of(&decision.best().after), Some(0.0));
        for play in &decision.plays {
            assert!(play.equity <= decision.best().equity);
            assert!(play.standard_error.is_some() && play.loss_error.is_some());
        }
    }
    assert!(
        reference.decisions.iter().any(|decision| decision.plays[0].standard_error > Some(0.0))
    );

    let player = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(GAME)));
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &GO_ON };
    let graded = grade(&GAME, &reference, &player, workers, &|| ()).unwrap();
    let grades = Grades::of(&reference.header, &graded);
    // Of 18 decisions with equal numbers a phase, the variance of the mean is that of the sum
    // of all over 18 squared.
    let variance: f64 = graded.iter().map(|d| d.loss_error.unwrap_or(0.0).powi(2)).sum();
    let alike = grades.grader_error.unwrap().phases_alike;
    assert!((alike - variance.sqrt() / 18.0).abs() < 1e-9, "{alike} {variance}");
    assert!(alike > 0.0 && grades.grader_error.unwrap().in_play > 0.0);

    // What can be graded anew is what was graded, without the grader.
    assert_eq!(Decisions::read(&GAME, &text[..]).unwrap(), decisions);
}

#[test]
fn plays_are_rolled_out_on_dice_of_their_decision() {
    let decisions = decisions();
    let mut grader = evaluate(quick(), 1);
    let mut graded = |index: usize| {
        let (question, _) = &decisions.questions[index];
        grader.evaluate(question, &GO_ON).unwrap().unwrap()
    };
    let first = graded(0);
    graded(1);
    assert_eq!(graded(0), first, "whatever was judged in between");
    let mut impossible = self::evaluate(RolloutGraderSettings { trials: 1, ..quick() }, 1);
    let error = impossible.evaluate(&decisions.questions[0].0, &GO_ON).unwrap_err();
    assert!(error.to_string().contains("1 trials"), "{error}");
}
