//! Games, matches and duels with the cube.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use tavola_arena::{
    CubeCounts, Duel, DuelHeader, DuelResult, DuelSettings, PairResult, SavedGames, win_probability,
};
use tavola_data::Choice;
use tavola_equity::MatchEquityTable;
use tavola_evaluator::{
    CubefulEvaluator, PipCountEvaluator, PlayableGame, Preset, RandomEvaluator,
};
use tavola_play::{
    Agent, AgentChoice, AgentError, BeforeRoll, ChoosingPlayer, Contender, CubeReply, CubeTerms,
    CubeView, CubefulAgent, DuelUnit, EvaluatorAgent, Format, LuckEvaluator, Played, Points,
    ResignReply, Workers,
};
use tavola_rules::{Backgammon, Beavers, CubeUse, Game, Offer, Options, Player, Position, WinKind};

const GAME: Backgammon = Backgammon::Hypergammon;

fn cube(result: &DuelResult) -> CubeCounts {
    result.cube.expect("a duel with a cube")
}

fn options() -> Options {
    Options { start: GAME, cube_limit: Some(64), ..Options::default() }
}

fn money() -> CubeTerms {
    CubeTerms::money(&options()).unwrap()
}

fn match_to(length: u16) -> CubeTerms {
    CubeTerms::match_to(length, &options(), MatchEquityTable::kazaross_xg2()).unwrap()
}

fn racer(ply: u8) -> CubefulAgent {
    let evaluator = CubefulEvaluator::new(GAME, Box::new(PipCountEvaluator::new(GAME)), None);
    CubefulAgent::new(evaluator.with_settings(Preset::Fast.at(ply)))
}

fn random() -> CubefulAgent {
    CubefulAgent::new(CubefulEvaluator::new(GAME, Box::new(RandomEvaluator::new(GAME, 1)), None))
}

/// Does what it was told, and plays the first of the results.
#[derive(Clone, Copy)]
struct Told {
    before_roll: fn(&CubeView<'_>) -> BeforeRoll,
    answer: fn(&CubeView<'_>, Offer) -> CubeReply,
    resignation: ResignReply,
}

/// Never turns the cube, takes everything, refuses every resignation.
const QUIET: Told = Told {
    before_roll: |_| BeforeRoll::Roll,
    answer: |_, _| CubeReply::Take,
    resignation: ResignReply::Refuse,
};

/// Doubles whenever it is legal.
fn eager(view: &CubeView<'_>) -> BeforeRoll {
    match view.stakes.may_double(view.cube) {
        Ok(()) => BeforeRoll::Double,
        Err(_) => BeforeRoll::Roll,
    }
}

impl Agent<Backgammon> for Told {
    fn before_roll(&mut self, view: &CubeView<'_>, _: &Position) -> Result<BeforeRoll, AgentError> {
        Ok((self.before_roll)(view))
    }

    fn answer(
        &mut self,
        view: &CubeView<'_>,
        _: &Position,
        offer: Offer,
    ) -> Result<CubeReply, AgentError> {
        Ok((self.answer)(view, offer))
    }

    fn answer_resignation(
        &mut self,
        _: &CubeView<'_>,
        _: &Position,
        _: WinKind,
    ) -> Result<ResignReply, AgentError> {
        Ok(self.resignation)
    }

    fn choose(&mut self, _: &ChoosingPlayer<'_, Backgammon>) -> Result<AgentChoice, AgentError> {
        Ok(AgentChoice { index: 0, probs: None, choice: Choice::Best })
    }
}

impl Contender<Backgammon> for Told {
    fn fork(&self) -> Box<dyn Contender<Backgammon>> {
        Box::new(*self)
    }
}

fn fight(
    terms: &CubeTerms,
    a: &dyn Contender<Backgammon>,
    b: &dyn Contender<Backgammon>,
    evaluator: Option<&PipCountEvaluator>,
    pairs: u64,
    threads: usize,
) -> Result<(DuelResult, Vec<PairResult>), tavola_files::Failure> {
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &cancel };
    let luck = evaluator.map(|evaluator| LuckEvaluator { evaluator, pruning: None });
    let game = terms.options().start;
    let duel = Duel { format: terms, luck, ..Duel::new(&game, a, b) };
    let settings = DuelSettings { pairs, seed: 5, ..DuelSettings::default() };
    let seen = Mutex::new(Vec::new());
    let result = duel.play(&settings, workers, &|&pair| seen.lock().unwrap().push(pair))?;
    let seen = seen.into_inner().unwrap();
    assert!(seen.is_sorted_by_key(|pair: &PairResult| pair.pair), "{seen:?}");
    Ok((result, seen))
}

#[test]
fn a_player_against_itself_is_exactly_zero_in_every_pair() {
    let evaluator = PipCountEvaluator::new(GAME);
    let beavers = Options { beavers: Beavers::Raccoons, jacoby: true, ..options() };
    for terms in [money(), CubeTerms::money(&beavers).unwrap(), match_to(3)] {
        for agent in [racer(0), racer(1), random()] {
            let (result, pairs) = fight(&terms, &agent, &agent, Some(&evaluator), 6, 2).unwrap();
            assert_eq!((result.points.mean, result.points.standard_error), (0.0, 0.0));
            assert_eq!(result.a.wins, result.b.wins);
            for pair in pairs {
                assert_eq!((pair.per_game(), pair.luck), (0.0, Some(0.0)), "{terms}: {pair:?}");
            }
        }
    }
}

#[test]
fn saved_games_are_match_text_that_is_read_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let raccoons = Options { beavers: Beavers::Raccoons, jacoby: true, ..options() };
    let automatic = Options { automatic_doubles: 1, ..options() };
    let start = Backgammon::Hypergammon.write_state(&GAME.start_position());
    for (number, (terms, starts)) in [
        (Some(match_to(3)), vec![]),
        (Some(CubeTerms::money(&raccoons).unwrap()), vec![]),
        (Some(CubeTerms::money(&automatic).unwrap()), vec![]),
        (None, vec![start]),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("{number}.mat"));
        let format: &dyn Format<Backgammon> = terms.as_ref().map_or(&Points, |terms| terms);
        let settings = DuelSettings { pairs: 6, seed: 5, ..DuelSettings::default() };
        let header = DuelHeader {
            game: GAME.id(),
            a: "a".to_owned(),
            b: "b".to_owned(),
            luck_evaluator: None,
            seed: 5,
            max_turns: settings.max_turns,
            starts,
            terms: format.terms(),
            unit: format.unit(),
        };
        let games = SavedGames::create(&path, &header, terms.as_ref()).unwrap();
        let save = |pair: u64, played: [&Played<Backgammon>; 2]| games.add(&GAME, pair, played);
        let agents = (racer(0), random());
        let cubeless = (
            EvaluatorAgent::new(Box::new(PipCountEvaluator::new(GAME))),
            EvaluatorAgent::new(Box::new(RandomEvaluator::new(GAME, 1))),
        );
        let (a, b): (&dyn Contender<Backgammon>, &dyn Contender<Backgammon>) = match terms {
            Some(_) => (&agents.0, &agents.1),
            None => (&cubeless.0, &cubeless.1),
        };
        let states = [GAME.start_position()];
        let starts = if header.starts.is_empty() { &[][..] } else { &states };
        let duel = Duel { format, games: Some(&save), starts, ..Duel::new(&GAME, a, b) };
        let cancel = AtomicBool::new(false);
        let workers = Workers { threads: NonZeroUsize::new(2).unwrap(), cancel: &cancel };
        let points = Mutex::new([0_i64; 2]);
        duel.play(&settings, workers, &|pair| {
            games.write(pair.pair).unwrap();
            for score in [pair.a_first, pair.b_first].into_iter().flatten() {
                let winner = usize::from(score.points < 0);
                points.lock().unwrap()[winner] += i64::from(score.points.abs());
            }
        })
        .unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let reading = tavola_matches::read(text.as_bytes()).unwrap();
        assert_eq!(reading.notes, [], "{text}");
        let [one, two] = points.into_inner().unwrap();
        match &terms {
            Some(terms) if terms.match_length().is_some() => {
                let winners: Vec<_> = reading.matches.iter().map(|it| it.winner()).collect();
                let won = |player| winners.iter().filter(|it| **it == Some(player)).count() as i64;
                assert_eq!([won(Player::One), won(Player::Two)], [one, two], "{text}");
            }
            _ => {
                let session = &reading.matches[0];
                assert_eq!((reading.matches.len(), session.games.len()), (1, 12));
                assert_eq!(session.score().map(i64::from), [one, two], "{text}");
                assert_eq!(session.options.cube_limit, Some(if terms.is_some() { 64 } else { 1 }));
            }
        }
        assert!(reading.matches.iter().all(|record| record.options.start == GAME));
        // Opened again it goes on with the same score.
        assert!(SavedGames::open(&path, &header, terms.as_ref()).unwrap().has(5));
    }
}

#[test]
fn a_result_does_not_depend_on_the_number_of_threads() {
    let evaluator = PipCountEvaluator::new(GAME);
    for terms in [money(), match_to(5)] {
        let one = fight(&terms, &racer(0), &random(), Some(&evaluator), 20, 1).unwrap();
        assert_eq!(one, fight(&terms, &racer(0), &random(), Some(&evaluator), 20, 3).unwrap());
    }
}

#[test]
fn luck_moves_nothing_on_average_whoever_plays_and_evaluates() {
    let evaluator = PipCountEvaluator::new(GAME);
    // One who always doubles, one who never does: cubes of either side, and none.
    let shy = Told { before_roll: |_| BeforeRoll::Roll, ..QUIET };
    let eager = Told { before_roll: eager, ..QUIET };
    for terms in [money(), match_to(3)] {
        for (a, b) in [(&racer(0) as &dyn Contender<Backgammon>, shy), (&racer(0), eager)] {
            let (_, pairs) = fight(&terms, a, &b, Some(&evaluator), 100, 2).unwrap();
            let lucks: Vec<f64> = pairs.iter().map(|pair| pair.luck.unwrap()).collect();
            let n = lucks.len() as f64;
            let mean = lucks.iter().sum::<f64>() / n;
            let error = (lucks.iter().map(|luck| (luck - mean).powi(2)).sum::<f64>()).sqrt() / n;
            assert!(error > 0.0 && mean.abs() < 3.5 * error, "{terms}: {mean} ± {error}");
        }
    }
}

#[test]
fn a_dropped_double_is_worth_the_cube_before_it() {
    let eager = Told { before_roll: eager, ..QUIET };
    let coward = Told { answer: |_, _| CubeReply::Drop, ..QUIET };
    let (result, _) = fight(&money(), &eager, &coward, None, 10, 1).unwrap();
    assert_eq!((result.points.mean, result.a.wins, cube(&result).dropped), (1.0, 20, 20));
    assert_eq!((cube(&result).turned, cube(&result).highest_cube, cube(&result).capped), (0, 1, 0));
    // In a match to 3 he wins two games so; the Crawford game has to be played.
    let (result, pairs) = fight(&match_to(3), &eager, &coward, None, 10, 1).unwrap();
    for score in pairs.iter().flat_map(|pair| [pair.a_first, pair.b_first]) {
        let score = score.unwrap();
        assert!(score.games >= 3 && score.dropped >= 2, "{score:?}");
    }
    assert!(result.unit == DuelUnit::Matches && result.a.wins > result.b.wins);
}

#[test]
fn a_cube_that_is_turned_and_turned_stops_at_its_limit_and_is_counted() {
    let eager = Told { before_roll: eager, ..QUIET };
    let capped = Options { cube_limit: Some(8), ..options() };
    let terms = CubeTerms::money(&capped).unwrap();
    assert!(terms.to_string().contains("cube to 8"));
    let (result, pairs) = fight(&terms, &eager, &eager, None, 20, 1).unwrap();
    assert_eq!((cube(&result).highest_cube, cube(&result).dropped), (8, 0));
    assert!(
        cube(&result).capped > 20 && cube(&result).turned >= cube(&result).capped,
        "{result:?}"
    );
    for score in pairs.iter().filter_map(|pair| pair.a_first) {
        assert!(score.capped == 0 || score.points.abs() >= 8, "{score:?}");
    }
}

#[test]
fn nobody_is_asked_for_a_double_in_the_crawford_game() {
    // Who doubles where he may not fails, so whoever asks the stakes must be right.
    let eager = Told {
        before_roll: |view| {
            let crawford = view.score.is_some_and(|score| score.cube_use() != CubeUse::InPlay);
            assert!(!crawford || view.stakes.may_double(view.cube).is_err());
            eager(view)
        },
        ..QUIET
    };
    let (result, _) = fight(&match_to(5), &eager, &eager, None, 20, 1).unwrap();
    assert!(result.failures.is_empty() && cube(&result).turned > 0, "{result:?}");
}

/// Six points before the mover, who may still double.
#[test]
fn a_player_who_cannot_move_is_asked_for_the_cube_all_the_same() {
    // Three checkers on the bar before a closed board.
    let board: [_; 6] = std::array::from_fn(|i| (i + 1, 2));
    let closed = Position::from_points(&[(25, 3)], &board, 15).unwrap();
    let (eager, coward) =
        (Told { before_roll: eager, ..QUIET }, Told { answer: |_, _| CubeReply::Drop, ..QUIET });
    let terms = CubeTerms::money(&Options { start: Backgammon::Standard, ..options() }).unwrap();
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
    let starts = &[closed];
    let duel = Duel { format: &terms, starts, ..Duel::new(&Backgammon::Standard, &eager, &coward) };
    let settings = DuelSettings { pairs: 2, ..DuelSettings::default() };
    let result = duel.play(&settings, workers, &|_| {}).unwrap();
    // Whoever sits there: a wins by his double at once, or by that in his first turn.
    assert_eq!((result.a.wins, cube(&result).dropped), (4, 4), "{result:?}");
}

#[test]
fn beavers_and_raccoons_are_played_where_they_are_agreed() {
    let eager = Told { before_roll: eager, answer: |_, _| CubeReply::Take, ..QUIET };
    let beaver = Told {
        answer: |_, offer| match offer {
            Offer::Double => CubeReply::Turn,
            _ => CubeReply::Drop,
        },
        ..QUIET
    };
    let with = Options { beavers: Beavers::Raccoons, ..options() };
    let with = CubeTerms::money(&with).unwrap();
    let (result, _) = fight(&with, &eager, &beaver, None, 10, 1).unwrap();
    assert_eq!((cube(&result).highest_cube, cube(&result).dropped), (4, 0), "{result:?}");
    // The doubler turns it once more, and the other drops four points.
    let raccoon = Told { answer: |_, _| CubeReply::Turn, ..eager };
    let (result, _) = fight(&with, &raccoon, &beaver, None, 10, 1).unwrap();
    assert_eq!((result.points.mean, cube(&result).dropped), (4.0, 20), "{result:?}");
    // Where they are not agreed a beaver is no answer.
    let Err(error) = fight(&money(), &eager, &beaver, None, 10, 1) else {
        panic!("a beaver is played without having been agreed")
    };
    assert!(error.to_string().contains("option is off"), "{error}");
}

#[test]
fn resignations_end_the_game_only_if_they_are_accepted() {
    let tired = Told { before_roll: |_| BeforeRoll::Resign(WinKind::Gammon), ..QUIET };
    let glad = Told { resignation: ResignReply::Accept, ..QUIET };
    let (result, _) = fight(&money(), &glad, &tired, None, 10, 1).unwrap();
    assert_eq!((result.points.mean, cube(&result).resigned, cube(&result).gammons), (2.0, 20, 20));
    let (result, _) = fight(&money(), &QUIET, &tired, None, 10, 1).unwrap();
    assert_eq!((cube(&result).resigned, result.failures.len()), (0, 0));
    let never = Options { resignation: false, ..options() };
    let never = CubeTerms::money(&never).unwrap();
    assert!(fight(&never, &glad, &tired, None, 10, 1).is_err());
}

#[test]
fn hopeless_games_are_given_up_and_the_better_player_still_wins() {
    let (result, _) = fight(&money(), &racer(0), &random(), None, 100, 2).unwrap();
    assert!(result.points.low > 0.0, "{result:?}");
    let (result, _) = fight(&match_to(5), &racer(0), &random(), None, 60, 2).unwrap();
    let probability = win_probability(result.points);
    assert!(probability.low > 0.5 && probability.high <= 1.2, "{probability:?}");
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let jacoby = Options { jacoby: true, ..options() };
    let table = MatchEquityTable::kazaross_xg2();
    assert!(CubeTerms::match_to(5, &jacoby, table).is_err());
    assert!(CubeTerms::match_to(0, &options(), table).is_err());
    assert!(CubeTerms::match_to(600, &options(), table).is_err());
    let odd = Options { cube_limit: Some(3), ..options() };
    assert!(CubeTerms::money(&odd).is_err());
    let text = CubeTerms::money(&jacoby).unwrap().to_string();
    assert_eq!(text, "money, Jacoby, cube to 64");
    assert_eq!(match_to(7).to_string(), "match to 7, Kazaross XG2 25 point MET, cube to 64");
}
