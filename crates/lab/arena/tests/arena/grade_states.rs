//! States drawn from games, rolled out with breaks, and used to grade evaluations.

use std::collections::HashSet;
use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tavola_arena::grade::states::{
    Band, DrawnStates, StateDifference, StateGrades, StateKind, StateRater, StateReference,
    StateSampleSettings, grade_states,
};
use tavola_arena::grade::{GraderInfo, Header, Purpose, SampleLabels, unfinished_path};
use tavola_evaluator::rollout::{Luck, RolloutSettings};
use tavola_evaluator::{BackGame, Evaluator, PipCountEvaluator, RandomEvaluator};
use tavola_play::{
    Agent, AgentChoice, AgentError, ChoosingPlayer, Contender, EvaluatorAgent, Workers,
};
use tavola_rules::Backgammon;
use tempfile::TempDir;

const GAME: Backgammon = Backgammon::Standard;
static GO_ON: AtomicBool = AtomicBool::new(false);

fn workers(threads: usize) -> Workers<'static> {
    Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &GO_ON }
}

fn draw(
    seed: u64,
    excluded: &HashSet<tavola_rules::Position>,
    threads: usize,
) -> DrawnStates<Backgammon> {
    drawn(
        StateSampleSettings { kind: StateKind::Bands, games: 40, seed, per_group: 2 },
        excluded,
        threads,
    )
}

fn drawn(
    settings: StateSampleSettings,
    excluded: &HashSet<tavola_rules::Position>,
    threads: usize,
) -> DrawnStates<Backgammon> {
    let player = PipCountEvaluator::new(GAME);
    DrawnStates::draw(&GAME, &player, &settings, excluded, workers(threads), &|| ()).unwrap()
}

/// Rolls the states out; `Ok` with how many were done before it was called off.
fn rate(
    drawn: &DrawnStates<Backgammon>,
    path: &Path,
    threads: usize,
    stop_after: usize,
) -> Result<usize, tavola_files::Failure> {
    let settings = RolloutSettings {
        trials: 4,
        seed: 3,
        truncate: NonZeroU32::new(2),
        luck: Luck::Left,
        ..RolloutSettings::default()
    };
    let evaluator = PipCountEvaluator::new(GAME);
    let threads = NonZeroUsize::new(threads).unwrap();
    let rater = StateRater { evaluator: &evaluator, pruning: None, settings, threads };
    let [command, network, name, settings, rated] = [(); 5].map(|()| "test".to_owned());
    let labels = SampleLabels { purpose: Purpose::Tuning, command, network };
    let grader = GraderInfo { name, settings, rated, margin: 0.0, identity: None };
    let mut header = Header::new("backgammon".to_owned(), labels, (3, 40)).graded_by(Some(grader));
    header.groups.clone_from(&drawn.groups);
    let (cancel, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let observer = |more: usize| {
        if done.fetch_add(more, Ordering::Relaxed) + more >= stop_after {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    rater.rate_all(&GAME, &header, drawn, path, &cancel, &observer)?;
    Ok(done.into_inner())
}

#[test]
fn states_of_all_bands_are_drawn_once_and_alike_on_any_number_of_threads() {
    let none = HashSet::new();
    let drawn = draw(1, &none, 1);
    assert_eq!(draw(1, &none, 2), drawn);
    assert_ne!(draw(2, &none, 1).states, drawn.states);
    let states: HashSet<_> = drawn.states.iter().copied().collect();
    assert_eq!(states.len(), drawn.states.len());
    assert_eq!(drawn.groups.len(), Band::COUNT);
    let found: u64 = drawn.groups.iter().map(|band| band.drawn).sum();
    assert_eq!(found as usize, drawn.states.len());
    assert!(drawn.groups.iter().all(|band| band.drawn <= 2));
    assert!((drawn.groups.iter().map(|band| band.share).sum::<f64>() - 1.0).abs() < 1e-4);
    assert!(draw(1, &states, 1).states.iter().all(|state| !states.contains(state)));
}

#[test]
fn bands_are_half_a_point_wide_and_the_outer_ones_take_the_rest() {
    let of = |equity| Band::of(equity).to_string();
    assert_eq!(of(0.0), "+0.0 to +0.5");
    assert_eq!(of(-0.01), "-0.5 to +0.0");
    assert_eq!([of(-3.0), of(2.9)], [of(-2.4), of(2.1)]);
    assert_eq!(Band::all().count(), Band::COUNT);
}

#[test]
fn a_stopped_rollout_of_states_goes_on_to_the_file_of_an_unbroken_one() {
    let folder = TempDir::new().unwrap();
    let drawn = draw(1, &HashSet::new(), 1);
    let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
    assert_eq!(rate(&drawn, &whole, 1, usize::MAX).unwrap(), drawn.states.len());
    // Killed before its first line.
    fs::write(unfinished_path(&broken), "").unwrap();
    let stopped = rate(&drawn, &broken, 1, 3).unwrap_err();
    assert!(
        stopped.is_stop() && stopped.to_string().starts_with("stopped after 3 of"),
        "{stopped}"
    );
    // The last line was being written when the power failed.
    let part = unfinished_path(&broken);
    let text = fs::read(&part).unwrap();
    fs::write(&part, &text[..text.len() - 9]).unwrap();
    rate(&drawn, &broken, 2, usize::MAX).unwrap();
    assert_eq!(fs::read(&broken).unwrap(), fs::read(&whole).unwrap());
    assert!(!part.exists());

    // What was begun with other states is not mixed with these.
    rate(&drawn, &broken, 1, 3).unwrap_err();
    let other = rate(&draw(2, &HashSet::new(), 1), &broken, 1, usize::MAX).unwrap_err();
    assert!(other.to_string().contains("remove it to begin anew"), "{other}");
}

/// A player who says nothing of equities.
struct Mute;

impl Agent<Backgammon> for Mute {
    fn choose(&mut self, _: &ChoosingPlayer<'_, Backgammon>) -> Result<AgentChoice, AgentError> {
        Ok(AgentChoice { index: 0, probs: None, choice: tavola_data::Choice::Best })
    }
}

impl Contender<Backgammon> for Mute {
    fn fork(&self) -> Box<dyn Contender<Backgammon>> {
        Box::new(Self)
    }
}

#[test]
fn players_are_graded_by_how_far_their_equities_are_off() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("states");
    rate(&draw(1, &HashSet::new(), 1), &path, 1, usize::MAX).unwrap();
    let reference = StateReference::read(&GAME, &fs::read(&path).unwrap()).unwrap();
    let grades = |evaluator: Box<dyn Evaluator<Backgammon>>| {
        let player = EvaluatorAgent::new(evaluator);
        let errors = grade_states(&GAME, &reference, &player, workers(2), &|| ()).unwrap();
        (StateGrades::of(&errors), errors)
    };
    // The states were rolled out by one who counts pips and knows no gammons.
    let (pips, of_pips) = grades(Box::new(PipCountEvaluator::new(GAME)));
    assert_eq!(pips.all.states as usize, reference.states.len());
    assert_eq!(pips.chances[1].mean, 0.0, "{pips:?}");
    let (grades, errors) = grades(Box::new(RandomEvaluator::new(GAME, 1)));
    assert!(grades.all.rmse > 2.0 * pips.all.rmse, "{grades:?} beside {pips:?}");
    let [worse, better] = [&grades, &pips].map(|grades| grades.cube.unwrap().mean);
    assert!(better < worse, "{grades:?} beside {pips:?}");
    let difference = StateDifference::of(&errors, &of_pips);
    assert!((difference.rmse.mean - (grades.all.rmse - pips.all.rmse)).abs() < 1e-9);
    assert!((difference.cube.unwrap().mean - (worse - better)).abs() < 1e-9, "{difference:?}");
    let none = StateDifference::of(&errors, &errors);
    assert_eq!((none.rmse.mean, none.rmse.high, none.cube.unwrap().high), (0.0, 0.0, 0.0));
    let of_bands: u64 = grades.bands.iter().map(|band| band.sums.states).sum();
    assert!(of_bands <= grades.all.states);

    let error = grade_states(&GAME, &reference, &Mute, workers(1), &|| ()).unwrap_err();
    assert!(error.to_string().starts_with("the player says nothing of equities"), "{error}");
}

#[test]
fn files_that_are_no_states_or_not_complete_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("states");
    rate(&draw(1, &HashSet::new(), 1), &path, 1, usize::MAX).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let refused = |text: &str, part: &str| {
        let error = StateReference::read(&GAME, text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let lines: Vec<&str> = text.lines().collect();
    refused(&(lines[..3].join("\n") + "\n"), "line 4: the file ends after 2 of its lines");
    refused(&text.replace("tavola-grade", "tavola-grave"), "line 1");
    refused(&text.replace("\"seed\":3", "\"seed\":4"), "line 1: its checksum is");
    let (_, rest) = lines.split_last().unwrap();
    refused(&(rest.join("\n") + "\n" + lines[1] + "\n"), "the question of an earlier line");
    refused("{}\n", "line 1");
}

#[test]
fn back_games_and_what_a_search_sees_are_drawn_and_reported_by_side() {
    let none = HashSet::new();
    // Sensible play holds two anchors far behind; who counts pips runs home.
    let settings =
        StateSampleSettings { kind: StateKind::Search, games: 60, seed: 1, per_group: 9 };
    let found = drawn(settings, &none, 1);
    assert_eq!(drawn(settings, &none, 2), found);
    assert_eq!((found.states.len(), found.groups.len()), (9, 1));
    assert!((found.groups[0].share - 1.0).abs() < 1e-9, "{:?}", found.groups);

    let network = tavola_engine::LoadedNetwork::load(None).unwrap();
    let (network, _) = network.evaluator(&GAME).unwrap();
    let settings =
        StateSampleSettings { kind: StateKind::BackGames, games: 400, seed: 1, per_group: 2 };
    let found = DrawnStates::draw(&GAME, &*network, &settings, &none, workers(2), &|| ()).unwrap();
    assert_eq!(found.groups.len(), 20);
    assert!(found.states.len() > 4, "{:?}", found.groups);
    let of = |state| BackGame::of(state).expect("it was drawn as one");
    let sides: HashSet<bool> = found.states.iter().map(|state| of(state).is_on_roll).collect();
    assert_eq!(sides.len(), 2);

    let folder = TempDir::new().unwrap();
    let path = folder.path().join("back");
    rate(&found, &path, 1, usize::MAX).unwrap();
    let reference = StateReference::read(&GAME, &fs::read(&path).unwrap()).unwrap();
    let player = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(GAME)));
    let errors = grade_states(&GAME, &reference, &player, workers(1), &|| ()).unwrap();
    let grades = StateGrades::of(&errors);
    let of_groups: u64 = grades.groups.iter().map(|group| group.sums.states).sum();
    assert_eq!(of_groups as usize, reference.states.len());
    assert_eq!(grades.groups[0].group, "against a back game");
}
