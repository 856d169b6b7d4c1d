//! Long, as it follows the numbered rules one by one, in their order.
//!
//! The doubling cube, matches and money sessions.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_rules::{
    Action, ActionError, AfterGame, Beavers, CenteredFace, Cube, CubeError, CubeOwner, CubeUse,
    Dice, GameEnding, GameResult, GameStage, GameState, MatchPhase, MatchScore, MatchScoreError,
    Offer, Opening, OpeningThrow, Options, OptionsError, Player, Session, SessionError, WinKind,
};
use tavola_rules::{Outcome, Position};

fn throw(starter: Player) -> OpeningThrow {
    OpeningThrow { starter, dice: Dice::new(3, 1).unwrap(), ties: 0 }
}

fn money(options: &Options) -> Session {
    Session::money(options).unwrap()
}

/// A money game before player One's roll, with the cube as given from him.
fn resumed(options: &Options, exponent: u8, owner: CubeOwner) -> GameState {
    money(options).resume_game(Player::One, Cube::new(exponent, owner).unwrap()).unwrap()
}

/// A match taken up at a score from player One's side.
fn match_at(score: MatchScore) -> Session {
    Session::resume_match(score, &Options::default()).unwrap()
}

/// Plays the next game of a session to a win by bearing off, with the cube at 2^`turns` before.
fn play(session: &mut Session, winner: Player, win: WinKind, turns: u8) -> GameResult {
    let mut game = session.begin_game(&throw(winner)).unwrap();
    game.end_turn().unwrap();
    for turn in 0..turns {
        // The owner of the cube changes with each double; a player who may not double just rolls.
        if !game.may_double() {
            game.roll().unwrap();
            game.end_turn().unwrap();
        }
        game.double().unwrap_or_else(|error| panic!("double {turn}: {error}"));
        game.take().unwrap();
        game.roll().unwrap();
        game.end_turn().unwrap();
    }
    if game.on_roll() != winner {
        game.roll().unwrap();
        game.end_turn().unwrap();
    }
    game.roll().unwrap();
    let result = game.win(win).unwrap();
    assert_eq!(result.winner, winner);
    session.record(&result).unwrap();
    result
}

// Section G: kinds of win.
#[test]
fn kinds_of_win_follow_the_loser_s_checkers() {
    use WinKind::{Backgammon, Gammon, Single};
    // Points in the loser's own numbering, checkers off and on the bar.
    type Row = (&'static [(usize, i8)], i8, i8, WinKind);
    let table: [Row; 9] = [
        (&[(6, 5), (3, 9)], 1, 0, Single),
        (&[(6, 10), (5, 5)], 0, 0, Gammon),
        (&[(13, 1), (6, 14)], 0, 0, Gammon),
        (&[(24, 1), (6, 14)], 0, 0, Backgammon),
        (&[(19, 1), (6, 14)], 0, 0, Backgammon),
        (&[(18, 1), (6, 14)], 0, 0, Gammon),
        (&[(6, 14)], 0, 1, Backgammon),
        (&[(6, 13)], 1, 1, Single),
        (&[(24, 1), (6, 13)], 1, 0, Single),
    ];
    for (points, off, bar, expected) in table {
        let mut counts = [0; 26];
        for &(point, count) in points {
            counts[point] = count;
        }
        counts[25] = bar;
        // The winner has just finished, so the loser is on roll.
        let position = Position::from_counts(&counts, 15).unwrap();
        assert_eq!(position.off(), off as u8, "{position:?}");
        let outcome = Outcome::of(&position).unwrap();
        assert!(!outcome.is_win(), "{position:?}");
        assert_eq!(WinKind::from(outcome), expected, "{position:?}");
        assert_eq!(Outcome::of(&position.flip()), Some(outcome.flip()));
        assert_eq!(outcome.points(), -(expected.multiplier() as i32));
    }
    assert_eq!(Outcome::of(&Position::STANDARD), None);
}

// Section H: the cube.

/// No Jacoby by default.
#[test]
fn a_result_is_the_cube_times_the_kind_of_win() {
    for (exponent, win, points) in [
        (1, WinKind::Gammon, 4),
        (2, WinKind::Backgammon, 12),
        (4, WinKind::Backgammon, 48),
        (3, WinKind::Single, 8),
    ] {
        let mut game = resumed(&Options::default(), exponent, CubeOwner::Opponent);
        game.roll().unwrap();
        let result = game.win(win).unwrap();
        assert_eq!(result.points, points);
        assert_eq!(result.cube, 1 << exponent);
        assert_eq!((result.winner, result.ending), (Player::One, GameEnding::Played(win)));
        assert_eq!(game.result(), Some(result));
        assert_eq!(game.to_act(), None);
    }
    // A gammon with the cube still in the middle counts double: no Jacoby by default.
    let mut game = resumed(&Options::default(), 0, CubeOwner::Center);
    game.roll().unwrap();
    assert_eq!(game.win(WinKind::Gammon).unwrap().points, 2);
}
#[test]
fn a_dropped_redouble_wins_the_value_before_it() {
    let (tizio, caio) = (Player::One, Player::Two);
    let mut game = resumed(&Options::default(), 0, CubeOwner::Center);
    game.double().unwrap();
    assert_eq!(game.phase(), GameStage::Offered(Offer::Double));
    assert_eq!(game.to_act(), Some(caio));
    assert_eq!(game.cube(), Cube::START, "nothing has changed before the answer");
    game.take().unwrap();
    assert_eq!(game.cube(), Cube::new(1, CubeOwner::Opponent).unwrap());
    // The doubler rolls in the same turn.
    assert_eq!((game.on_roll(), game.to_act()), (tizio, Some(tizio)));
    game.roll().unwrap();
    game.end_turn().unwrap();
    assert_eq!(game.on_roll(), caio);
    assert_eq!(game.cube(), Cube::new(1, CubeOwner::Player).unwrap());
    game.roll().unwrap();
    game.end_turn().unwrap();
    assert_eq!(game.double(), Err(ActionError::OpponentOwnsCube), "only the taker may redouble");
    game.roll().unwrap();
    game.end_turn().unwrap();
    game.double().unwrap();
    assert_eq!(game.to_act(), Some(tizio));
    game.drop_offer().unwrap();
    let expected = GameResult { winner: caio, points: 2, cube: 2, ending: GameEnding::Dropped };
    assert_eq!(game.result(), Some(expected));
}
#[test]
fn the_cube_goes_beyond_64() {
    let mut game = resumed(&Options::default(), 6, CubeOwner::Player);
    game.double().unwrap();
    game.take().unwrap();
    assert_eq!(game.cube().value(), 128);
}

/// What cannot be stored is refused, not wrapped.
#[test]
fn the_cube_ends_at_the_largest_value_that_can_be_stored() {
    let mut game = resumed(&Options::default(), Cube::MAX_EXPONENT, CubeOwner::Player);
    assert!(!game.may_double());
    assert!(matches!(game.double(), Err(ActionError::CubeLimit { limit: 16_777_216, .. })));
    assert_eq!(game.cube().doubled(), None);
}
#[test]
fn a_double_needs_the_cube_and_comes_before_the_roll() {
    let session = money(&Options::default());
    let mut game = session.begin_game(&throw(Player::Two)).unwrap();
    let double = Action::Double;
    assert_eq!(game.on_roll(), Player::Two);
    let opening = game;
    assert_eq!(
        game.double(),
        Err(ActionError::AlreadyRolled { action: double }),
        "the opening roll is on the table"
    );
    assert_eq!(game, opening, "a refused action changes nothing");
    game.end_turn().unwrap();
    game.roll().unwrap();
    assert_eq!(game.double(), Err(ActionError::AlreadyRolled { action: double }));

    let mut game = resumed(&Options::default(), 1, CubeOwner::Opponent);
    assert!(!game.may_double());
    assert_eq!(game.double(), Err(ActionError::OpponentOwnsCube));
}
#[test]
fn only_what_was_offered_can_be_answered() {
    let mut game = resumed(&Options::default(), 0, CubeOwner::Center);
    let before = game;
    assert_eq!(game.drop_offer(), Err(ActionError::NothingOffered { action: Action::Drop }));
    assert_eq!(game.take(), Err(ActionError::NothingOffered { action: Action::Take }));
    assert_eq!(game.beaver(), Err(ActionError::NothingOffered { action: Action::Beaver }));
    assert_eq!(game.end_turn(), Err(ActionError::NotRolled { action: Action::EndTurn }));
    assert_eq!(game.win(WinKind::Single), Err(ActionError::NotRolled { action: Action::Win }));
    assert_eq!(game, before);

    game.double().unwrap();
    let pending = |action| ActionError::OfferPending { action, offer: Offer::Double };
    assert_eq!(game.roll(), Err(pending(Action::Roll)));
    assert_eq!(game.double(), Err(pending(Action::Double)));
    assert_eq!(game.end_turn(), Err(pending(Action::EndTurn)));
    assert_eq!(game.resign(Player::Two, WinKind::Single), Err(pending(Action::Resign)));
    game.drop_offer().unwrap();
    assert_eq!(game.result().map(|result| (result.winner, result.points)), Some((Player::One, 1)));

    let over = |action| ActionError::GameOver { action };
    assert_eq!(game.roll(), Err(over(Action::Roll)));
    assert_eq!(game.double(), Err(over(Action::Double)));
    assert_eq!(game.take(), Err(over(Action::Take)));
    assert_eq!(game.drop_offer(), Err(over(Action::Drop)));
    assert_eq!(game.win(WinKind::Single), Err(over(Action::Win)));
    assert_eq!(game.refuse_resignation(), Err(over(Action::AnswerResignation)));
}
#[test]
fn cubes_that_cannot_be_are_refused() {
    use CubeOwner::{Center, Player};
    assert_eq!(Cube::from_value(4, Player), Cube::new(2, Player));
    assert_eq!(Cube::from_value(0, Center), Err(CubeError::NotAPowerOfTwo { found: 0 }));
    assert_eq!(Cube::from_value(6, Player), Err(CubeError::NotAPowerOfTwo { found: 6 }));
    assert_eq!(Cube::from_value(1 << 25, Player), Err(CubeError::TooLarge { found: 25 }));
    assert_eq!(Cube::new(0, Player), Err(CubeError::OwnedAtOne));
    assert_eq!(Cube::new(2, Player).unwrap().flip().owner(), CubeOwner::Opponent);
    assert_eq!(Cube::START.flip(), Cube::START);
    let error = Cube::from_value(6, Player).unwrap_err().to_string();
    assert_eq!(error, "cube value 6 is not a power of two, expected 1, 2, 4, 8, ...");
}
#[test]
fn a_centered_cube_shows_1_or_64() {
    assert_eq!(Cube::START.shown(CenteredFace::One), 1);
    assert_eq!(Cube::START.shown(CenteredFace::SixtyFour), 64);
    let owned = Cube::new(1, CubeOwner::Player).unwrap();
    assert_eq!(owned.shown(CenteredFace::SixtyFour), 2);
}

// Section I: matches.

/// The table of a match to 7, seen by the player with the first score.
#[test]
fn results_move_a_match_as_the_rules_say() {
    let at = |player, opponent| MatchScore::new(7, player, opponent).unwrap();
    let crawford = |player, opponent| MatchScore::crawford(7, player, opponent).unwrap();
    let next = AfterGame::Next;
    for (score, points, expected) in [
        (at(5, 3), 2, AfterGame::Won),
        (at(5, 3), 1, next(crawford(6, 3))),
        (crawford(6, 3), -1, next(at(6, 4))),
        (crawford(6, 3), -2, next(at(6, 5))),
        (at(6, 5), -1, next(at(6, 6))),
        (at(3, 4), -4, AfterGame::Lost),
        (at(2, 4), -2, next(crawford(2, 6))),
        (at(5, 5), 2, AfterGame::Won),
        (at(0, 0), 3, next(at(3, 0))),
    ] {
        assert_eq!(score.after(points), expected, "{score}, {points} points");
        let flipped = match expected {
            AfterGame::Next(next) => AfterGame::Next(next.flip()),
            AfterGame::Won => AfterGame::Lost,
            AfterGame::Lost => AfterGame::Won,
        };
        assert_eq!(score.flip().after(-points), flipped, "{score} flipped");
    }
}
#[test]
fn a_leader_s_gammon_ends_the_match_with_surplus_points_counted_in_the_score() {
    let mut session = match_at(MatchScore::new(7, 5, 3).unwrap());
    play(&mut session, Player::One, WinKind::Gammon, 0);
    assert_eq!((session.points(Player::One), session.points(Player::Two)), (7, 3));
    assert_eq!(session.winner(), Some(Player::One));
    assert_eq!(session.match_score(Player::One), None);
    let over = SessionError::MatchOver { length: 7, one: 7, two: 3 };
    assert_eq!(session.begin_game(&throw(Player::One)), Err(over.clone()));
    let result =
        GameResult { winner: Player::Two, points: 1, cube: 1, ending: GameEnding::Dropped };
    assert_eq!(session.record(&result), Err(over));
    assert_eq!(session.points(Player::Two), 3);

    let mut session = match_at(MatchScore::new(7, 3, 4).unwrap());
    assert_eq!(play(&mut session, Player::Two, WinKind::Single, 2).points, 4);
    assert_eq!((session.points(Player::One), session.points(Player::Two)), (3, 8));
    assert_eq!(session.winner(), Some(Player::Two));
}
#[test]
fn the_crawford_game_is_played_once_and_without_the_cube() {
    let mut session = match_at(MatchScore::new(7, 5, 3).unwrap());
    assert_eq!(session.cube_use(), Ok(CubeUse::InPlay));
    play(&mut session, Player::One, WinKind::Single, 0);
    let score = session.match_score(Player::One).unwrap();
    assert_eq!((score.player(), score.opponent(), score.phase()), (6, 3, MatchPhase::Crawford));
    assert_eq!(session.match_score(Player::Two), Some(score.flip()));

    let mut game = session.begin_game(&throw(Player::One)).unwrap();
    for _ in 0..2 {
        game.end_turn().unwrap();
        let refused = ActionError::CubeOutOfPlay { why: CubeUse::Crawford };
        assert_eq!(game.double(), Err(refused), "neither player may double");
        game.roll().unwrap();
    }

    for (win, opponent) in [(WinKind::Single, 4), (WinKind::Gammon, 5)] {
        let mut session = session.clone();
        play(&mut session, Player::Two, win, 0);
        let score = session.match_score(Player::One).unwrap();
        assert_eq!(score, MatchScore::new(7, 6, opponent).unwrap());
        assert_eq!(score.phase(), MatchPhase::PostCrawford);
        assert_eq!(session.cube_use(), Ok(CubeUse::InPlay), "the cube is back");
        let mut game = session.begin_game(&throw(Player::One)).unwrap();
        game.end_turn().unwrap();
        game.double().unwrap();
    }
}
#[test]
fn no_second_crawford_game_when_the_other_player_comes_to_one_point() {
    let mut session = match_at(MatchScore::new(7, 6, 5).unwrap());
    play(&mut session, Player::Two, WinKind::Single, 0);
    let score = session.match_score(Player::One).unwrap();
    assert_eq!((score.player(), score.opponent()), (6, 6));
    assert!(!score.is_crawford());
    // Both need one point: the cube would change nothing.
    assert_eq!(session.cube_use(), Ok(CubeUse::Dead));
    let mut game = session.begin_game(&throw(Player::One)).unwrap();
    game.end_turn().unwrap();
    assert_eq!(game.double(), Err(ActionError::CubeOutOfPlay { why: CubeUse::Dead }));
}
#[test]
fn a_turned_cube_and_a_dropped_redouble_move_the_score() {
    let mut session = match_at(MatchScore::new(7, 2, 4).unwrap());
    assert_eq!(play(&mut session, Player::Two, WinKind::Single, 1).points, 2);
    let score = session.match_score(Player::One).unwrap();
    assert_eq!(score, MatchScore::crawford(7, 2, 6).unwrap());

    let mut session = match_at(MatchScore::new(7, 5, 5).unwrap());
    let cube = Cube::new(1, CubeOwner::Player).unwrap();
    let mut game = session.resume_game(Player::One, cube).unwrap();
    game.double().unwrap();
    game.drop_offer().unwrap();
    session.record(&game.result().unwrap()).unwrap();
    assert_eq!(session.points(Player::One), 7);
    assert_eq!(session.winner(), Some(Player::One));
}
#[test]
fn a_match_to_one_point_has_a_dead_cube_and_ends_after_a_game() {
    let mut session = Session::match_to(1, &Options::default()).unwrap();
    assert_eq!(session.cube_use(), Ok(CubeUse::Dead));
    play(&mut session, Player::Two, WinKind::Single, 0);
    assert_eq!(session.winner(), Some(Player::Two));
    assert_eq!(session.games(), 1);
}
#[test]
fn a_match_without_the_crawford_rule_keeps_its_cube() {
    let options = Options { crawford: false, ..Options::default() };
    let score = MatchScore::new(7, 5, 3).unwrap();
    let mut session = Session::resume_match(score, &options).unwrap();
    play(&mut session, Player::One, WinKind::Single, 0);
    assert_eq!(session.cube_use(), Ok(CubeUse::InPlay));
    let score = MatchScore::crawford(7, 6, 3).unwrap();
    let error = Session::resume_match(score, &options).unwrap_err();
    assert_eq!(error, SessionError::CrawfordOff { score });
}
#[test]
fn scores_of_no_running_match_are_refused() {
    assert_eq!(MatchScore::new(0, 0, 0), Err(MatchScoreError::NoLength));
    assert!(matches!(MatchScore::new(7, 7, 0), Err(MatchScoreError::Finished { .. })));
    assert!(matches!(MatchScore::new(7, 0, 9), Err(MatchScoreError::Finished { .. })));
    for (length, player, opponent) in [(7, 5, 3), (7, 6, 6), (1, 0, 0)] {
        assert_eq!(
            MatchScore::crawford(length, player, opponent),
            Err(MatchScoreError::NoCrawfordGame { length, player, opponent })
        );
    }
    let score = MatchScore::new(7, 3, 5).unwrap();
    assert_eq!((score.player_away(), score.opponent_away()), (4, 2));
    assert_eq!(score.flip().flip(), score);
}
#[test]
fn huge_results_do_not_overflow_a_score() {
    let score = MatchScore::new(u16::MAX, 40_000, 65_534).unwrap();
    assert_eq!(score.after(i32::MAX), AfterGame::Won);
    assert_eq!(score.after(i32::MIN), AfterGame::Lost);
}

// Money and the options.
#[test]
fn money_games_add_up_and_never_end() {
    let mut session = money(&Options::default());
    play(&mut session, Player::One, WinKind::Gammon, 1);
    play(&mut session, Player::Two, WinKind::Single, 3);
    play(&mut session, Player::One, WinKind::Backgammon, 0);
    assert_eq!((session.points(Player::One), session.points(Player::Two)), (7, 8));
    assert_eq!((session.winner(), session.match_score(Player::One)), (None, None));
    assert_eq!(session.games(), 3);
}
#[test]
fn with_jacoby_a_gammon_counts_single_unless_the_cube_was_turned() {
    let options = Options { jacoby: true, automatic_doubles: 1, ..Options::default() };
    for (exponent, owner, win, points) in [
        (0, CubeOwner::Center, WinKind::Gammon, 1),
        (0, CubeOwner::Center, WinKind::Backgammon, 1),
        (1, CubeOwner::Opponent, WinKind::Gammon, 4),
        // An automatic double is no turn of the cube.
        (1, CubeOwner::Center, WinKind::Gammon, 2),
    ] {
        let mut game = resumed(&options, exponent, owner);
        game.roll().unwrap();
        assert_eq!(game.win(win).unwrap().points, points, "{exponent} {owner:?} {win:?}");
    }
}
#[test]
fn ties_in_the_opening_roll_double_the_cube_up_to_the_limit() {
    for (limit, ties, value) in [(0, 3, 1), (1, 0, 1), (1, 1, 2), (1, 3, 2), (3, 2, 4), (3, 300, 8)]
    {
        let options = Options { automatic_doubles: limit, ..Options::default() };
        let session = money(&options);
        let throw = OpeningThrow { ties, ..throw(Player::One) };
        let mut game = session.begin_game(&throw).unwrap();
        assert_eq!((game.cube().value(), game.cube().owner()), (value, CubeOwner::Center));
        game.end_turn().unwrap();
        game.double().unwrap();
        game.take().unwrap();
        assert_eq!(game.cube().value(), 2 * value);
    }
}
#[test]
fn a_beaver_keeps_the_cube_and_a_raccoon_leaves_it_there() {
    let options = Options { beavers: Beavers::Raccoons, ..Options::default() };
    let start = resumed(&options, 0, CubeOwner::Center);

    let mut game = start;
    game.double().unwrap();
    assert_eq!(game.raccoon(), Err(ActionError::NothingOffered { action: Action::Raccoon }));
    game.beaver().unwrap();
    assert_eq!(game.to_act(), Some(Player::One), "the doubler answers a beaver");
    assert_eq!(game.beaver(), Err(ActionError::NothingOffered { action: Action::Beaver }));
    let beavered = game;
    game.take().unwrap();
    assert_eq!(game.cube(), Cube::new(2, CubeOwner::Opponent).unwrap());
    game.roll().unwrap();

    let mut game = beavered;
    game.drop_offer().unwrap();
    assert_eq!(game.result().map(|result| (result.winner, result.points)), Some((Player::Two, 2)));

    let mut game = beavered;
    game.raccoon().unwrap();
    assert_eq!(game.to_act(), Some(Player::Two));
    let raccooned = game;
    game.take().unwrap();
    assert_eq!(game.cube(), Cube::new(3, CubeOwner::Opponent).unwrap());

    let mut game = raccooned;
    game.drop_offer().unwrap();
    assert_eq!(game.result().map(|result| (result.winner, result.points)), Some((Player::One, 4)));
}
#[test]
fn beavers_and_raccoons_are_options() {
    let mut game = resumed(&Options::default(), 0, CubeOwner::Center);
    game.double().unwrap();
    assert_eq!(game.beaver(), Err(ActionError::OptionOff { action: Action::Beaver }));
    let options = Options { beavers: Beavers::Beavers, ..Options::default() };
    let mut game = resumed(&options, 0, CubeOwner::Center);
    game.double().unwrap();
    game.beaver().unwrap();
    assert_eq!(game.raccoon(), Err(ActionError::OptionOff { action: Action::Raccoon }));
}
#[test]
fn a_cube_limit_stops_doubles_and_beavers() {
    let options = Options { cube_limit: Some(4), beavers: Beavers::Raccoons, ..Options::default() };
    let mut game = resumed(&options, 2, CubeOwner::Player);
    let error = ActionError::CubeLimit { action: Action::Double, value: 8, limit: 4 };
    assert_eq!(game.double(), Err(error));
    let mut game = resumed(&options, 1, CubeOwner::Player);
    game.double().unwrap();
    let error = ActionError::CubeLimit { action: Action::Beaver, value: 8, limit: 4 };
    assert_eq!(game.beaver(), Err(error));
    game.take().unwrap();

    let cubeless = Options { cube_limit: Some(1), ..Options::default() };
    assert!(!resumed(&cubeless, 0, CubeOwner::Center).may_double());
}
#[test]
fn a_resignation_is_offered_and_accepted_or_refused() {
    let mut game = resumed(&Options::default(), 1, CubeOwner::Player);
    let before = game;
    game.resign(Player::One, WinKind::Single).unwrap();
    let offered = game.resignation().unwrap();
    assert_eq!((offered.by, offered.win), (Player::One, WinKind::Single));
    assert_eq!(game.to_act(), Some(Player::Two));
    let pending = ActionError::ResignationPending { action: Action::Roll };
    assert_eq!(pending.to_string(), "cannot roll while a resignation waits for its answer");
    assert_eq!(game.roll(), Err(pending));
    game.refuse_resignation().unwrap();
    assert_eq!(game, before);
    let none = ActionError::NothingOffered { action: Action::AnswerResignation };
    assert_eq!(game.accept_resignation(), Err(none));
    // The side not on roll may resign too.
    game.resign(Player::Two, WinKind::Gammon).unwrap();
    let result = game.accept_resignation().unwrap();
    let ending = GameEnding::Resigned(WinKind::Gammon);
    assert_eq!(result, GameResult { winner: Player::One, points: 4, cube: 2, ending });

    let options = Options { resignation: false, ..Options::default() };
    let mut game = resumed(&options, 0, CubeOwner::Center);
    let off = ActionError::OptionOff { action: Action::Resign };
    assert_eq!(game.resign(Player::One, WinKind::Single), Err(off));
}
#[test]
fn options_of_money_play_are_refused_in_a_match() {
    for (option, options) in [
        ("jacoby", Options { jacoby: true, ..Options::default() }),
        ("automatic_doubles", Options { automatic_doubles: 1, ..Options::default() }),
        ("beavers", Options { beavers: Beavers::Beavers, ..Options::default() }),
    ] {
        money(&options);
        let error = Session::match_to(5, &options).unwrap_err();
        let expected = OptionsError::MoneyOnly { option, length: 5 };
        assert_eq!(error, SessionError::Options(expected));
        let message =
            format!("{option} is on in a match to 5, expected off: it belongs to money play");
        assert_eq!(error.to_string(), message);
    }
    let error = Session::match_to(0, &Options::default()).unwrap_err();
    assert_eq!(error, SessionError::Options(OptionsError::NoLength));
}
#[test]
fn cube_limits_that_no_cube_shows_are_refused() {
    for found in [0, 3, 1 << 25] {
        let options = Options { cube_limit: Some(found), ..Options::default() };
        let expected = Err(OptionsError::CubeLimit { found });
        assert_eq!(options.check_money(), expected);
        assert_eq!(options.check_match(3), expected);
    }
    let options = Options { cube_limit: Some(4), automatic_doubles: 3, ..Options::default() };
    let expected = OptionsError::TooManyAutomaticDoubles { doubles: 3, most: 2, limit: 4 };
    assert_eq!(options.check_money(), Err(expected));
}
#[test]
fn games_are_not_resumed_with_a_cube_that_play_cannot_reach() {
    let cube = Cube::new(1, CubeOwner::Player).unwrap();
    let session = match_at(MatchScore::crawford(7, 6, 3).unwrap());
    let expected = SessionError::CubeOutOfPlay { value: 2, why: CubeUse::Crawford };
    assert!(expected.to_string().contains("this is the Crawford game"), "{expected}");
    assert_eq!(session.resume_game(Player::One, cube), Err(expected));
    for limit in [1, 4] {
        let options = Options { cube_limit: Some(limit), ..Options::default() };
        assert_eq!(money(&options).options(), &options);
        let cube = Cube::from_value(2 * limit, CubeOwner::Player).unwrap();
        let expected = SessionError::CubeAboveLimit { value: 2 * limit, limit };
        assert_eq!(money(&options).resume_game(Player::One, cube), Err(expected));
    }
    for (automatic_doubles, most) in [(0, 1), (2, 4)] {
        let options = Options { automatic_doubles, ..Options::default() };
        let centered = Cube::from_value(2 * most, CubeOwner::Center).unwrap();
        let expected = SessionError::CenteredAboveAutomaticDoubles { value: 2 * most, most };
        assert_eq!(money(&options).resume_game(Player::One, centered), Err(expected));
    }
}

/// Each face in turn, and the owner changes with each.
#[test]
fn redoubles_go_through_every_face_and_on() {
    let mut game = resumed(&Options::default(), 0, CubeOwner::Center);
    for value in [2, 4, 8, 16, 32, 64, 128, 256] {
        let doubler = game.on_roll();
        game.double().unwrap();
        game.take().unwrap();
        assert_eq!((game.cube().value(), game.cube().owner()), (value, CubeOwner::Opponent));
        // The doubler rolls in this turn, and has no cube to turn once more.
        assert_eq!((game.on_roll(), game.to_act()), (doubler, Some(doubler)));
        assert_eq!(game.double(), Err(ActionError::OpponentOwnsCube));
        game.roll().unwrap();
        game.end_turn().unwrap();
    }
}

/// The cube in the middle waits for both players.
#[test]
fn either_player_may_turn_a_centered_cube() {
    for doubler in [Player::One, Player::Two] {
        let mut game = resumed(&Options::default(), 0, CubeOwner::Center);
        if doubler == Player::Two {
            game.roll().unwrap();
            game.end_turn().unwrap();
        }
        game.double().unwrap();
        assert_eq!(game.to_act(), Some(doubler.flip()));
        game.drop_offer().unwrap();
        // One point, whatever gammon the doubler was playing for.
        let expected =
            GameResult { winner: doubler, points: 1, cube: 1, ending: GameEnding::Dropped };
        assert_eq!(game.result(), Some(expected));
    }
}

/// Any length will do, even ones too.
#[test]
fn a_match_of_any_length_is_won_by_whoever_reaches_it_first() {
    for length in (1..=25).chain([u16::MAX]) {
        let mut session = Session::match_to(length, &Options::default()).unwrap();
        let single =
            GameResult { winner: Player::Two, points: 1, cube: 1, ending: GameEnding::Dropped };
        for games in 0..length {
            assert_eq!((session.winner(), session.points(Player::Two)), (None, games.into()));
            session.record(&single).unwrap();
        }
        assert_eq!(session.winner(), Some(Player::Two), "match to {length}");
        assert!(session.record(&single).is_err());
    }
}

/// The Crawford rule at every score that a match can come to, by every way that leads there.
#[test]
fn the_crawford_game_comes_once_when_a_player_first_needs_one_point() {
    /// The score, and whether the Crawford game has been played on the way to it.
    fn walk(score: MatchScore, had_crawford: bool, seen: &mut std::collections::HashSet<String>) {
        if !seen.insert(format!("{score} {had_crawford}")) {
            return;
        }
        let near = [score.player_away(), score.opponent_away()].map(|away| away == 1);
        let crawford = near != [false, false] && score.length() > 1 && !had_crawford;
        assert_eq!(score.is_crawford(), crawford, "{score}");
        let expected = match (crawford, near) {
            (true, _) => CubeUse::Crawford,
            (false, [true, true]) => CubeUse::Dead,
            (false, _) => CubeUse::InPlay,
        };
        assert_eq!(score.cube_use(), expected, "{score}");
        for points in [1, 2, 3, 4, 6, 8, -1, -2, -3, -4, -6, -8] {
            if let AfterGame::Next(next) = score.after(points) {
                walk(next, had_crawford || crawford, seen);
            }
        }
    }
    for length in 1..=9 {
        let mut seen = std::collections::HashSet::new();
        walk(MatchScore::new(length, 0, 0).unwrap(), false, &mut seen);
        assert!(seen.len() >= usize::from(length), "match to {length}: {seen:?}");
    }
}

/// Players without agreements play the usual game.
#[test]
fn nothing_but_resigning_and_the_crawford_game_is_agreed_by_default() {
    let options = Options::default();
    assert!(!options.jacoby && options.resignation && options.crawford);
    assert_eq!((options.automatic_doubles, options.beavers), (0, Beavers::Off));
    assert_eq!((options.cube_limit, options.opening), (None, Opening::OneDieEach));
    assert_eq!(options.start.start_position(), Position::STANDARD);
    // No tie in the opening roll turns the cube, however many there are.
    let throw = OpeningThrow { ties: 7, ..throw(Player::One) };
    assert_eq!(money(&options).begin_game(&throw).unwrap().cube(), Cube::START);
}

// The opening roll: one die each, and two dice each.
#[test]
fn with_one_die_each_the_15_non_doubles_and_both_starters_are_alike_likely() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut seen = std::collections::HashMap::new();
    let (mut ties, mut starts) = (0, 0);
    for _ in 0..30_000 {
        let throw = Opening::OneDieEach.throw(&mut rng);
        assert!(!throw.dice.is_double());
        *seen.entry((throw.starter, throw.dice)).or_insert(0) += 1;
        ties += throw.ties;
        starts += u32::from(throw.starter == Player::One);
    }
    assert_eq!(seen.len(), 30);
    // Five standard deviations each, of means 1,000, 15,000 and 6,000.
    assert!(seen.values().all(|&n| (842..=1158).contains(&n)), "{seen:?}");
    assert!((14_567..=15_433).contains(&starts), "{starts}");
    assert!((5_576..=6_424).contains(&ties), "{ties}");
}

#[test]
fn with_an_own_pair_doubles_may_start_and_higher_totals_do_so_more_often() {
    let (mut doubles, mut low, mut high) = (0, 0, 0);
    for seed in 0..10_000 {
        let [mut rng, mut pairs] = [seed; 2].map(ChaCha8Rng::seed_from_u64);
        let throw = Opening::OwnPair.throw(&mut rng);
        for _ in 0..throw.ties {
            let tie = [Dice::roll(&mut pairs), Dice::roll(&mut pairs)];
            assert_eq!(tie[0].high() + tie[0].low(), tie[1].high() + tie[1].low());
        }
        let [one, two] = [Dice::roll(&mut pairs), Dice::roll(&mut pairs)];
        let is_one = one.high() + one.low() > two.high() + two.low();
        let expected = if is_one { (Player::One, one) } else { (Player::Two, two) };
        assert_eq!((throw.starter, throw.dice), expected);
        doubles += u32::from(throw.dice.is_double());
        low += u32::from(throw.dice == Dice::new(1, 1).unwrap());
        high += u32::from(throw.dice == Dice::new(6, 6).unwrap());
    }
    // A total of 2 never beats another; 12 does so in 35 of 36 cases, which is 35 in 575.
    assert_eq!(low, 0);
    assert!((489..=729).contains(&high), "{high}");
    assert!(doubles > high, "{doubles}");
}

// The serialized forms.

#[test]
fn cube_score_and_options_are_plain_json_and_checked_when_read() {
    let cube: Cube = serde_json::from_str(r#"{"value": 4, "owner": "opponent"}"#).unwrap();
    assert_eq!(cube, Cube::new(2, CubeOwner::Opponent).unwrap());
    assert_eq!(serde_json::to_string(&Cube::START).unwrap(), r#"{"value":1,"owner":"center"}"#);
    for bad in [r#"{"value":3,"owner":"center"}"#, r#"{"value":1,"owner":"player"}"#] {
        serde_json::from_str::<Cube>(bad).unwrap_err();
    }

    let text = r#"{"length":7,"player":3,"opponent":6,"crawford":true}"#;
    let score: MatchScore = serde_json::from_str(text).unwrap();
    assert_eq!(score, MatchScore::crawford(7, 3, 6).unwrap());
    assert_eq!(serde_json::to_string(&score).unwrap(), text);
    let short: MatchScore =
        serde_json::from_str(r#"{"length":7,"player":3,"opponent":5}"#).unwrap();
    assert_eq!(short, MatchScore::new(7, 3, 5).unwrap());
    let error = serde_json::from_str::<MatchScore>(r#"{"length":7,"player":9,"opponent":5}"#);
    assert!(error.unwrap_err().to_string().contains("expected both below 7"));

    let options: Options = serde_json::from_str(r#"{"jacoby":true,"beavers":"raccoons"}"#).unwrap();
    let expected = Options { jacoby: true, beavers: Beavers::Raccoons, ..Options::default() };
    assert_eq!(options, expected);
    serde_json::from_str::<Options>(r#"{"jacobi":true}"#).unwrap_err();
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options);
}
