//! Games played by rote: the same seed and the same actions give the same game.

use tavola_rules::{Offer, WinKind};

use super::*;
use crate::error::ErrorKind;
use crate::operations::Best;

const USER: usize = 0;
const ENGINE: usize = 1;
const ROLL: SeatAction = SeatAction::Roll { dice: None };

fn live(asked: NewGame) -> Live {
    Live::begin(asked, 1).unwrap()
}

fn begin(text: &str) -> Live {
    live(serde_json::from_str(text).unwrap())
}

fn seeded(seed: u32) -> Live {
    live(NewGame { seed: Some(seed), ..NewGame::default() })
}

fn typed(length: u16) -> Live {
    live(NewGame { length: Some(length), dice: DiceSource::Typed, ..NewGame::default() })
}

fn rolled(dice: [u8; 2]) -> SeatAction {
    SeatAction::Roll { dice: Some(dice.to_vec()) }
}

fn action(play: &str) -> SeatAction {
    SeatAction::Play { play: play.to_owned() }
}

fn play(live: &mut Live, text: &str) {
    live.act_as(live.to_act().unwrap(), &action(text)).unwrap();
}

fn engine_does(live: &mut Live, action: &SeatAction) -> Result<Option<LoggedTurn>, LiveError> {
    live.act_as(ENGINE, action)
}

/// The user takes what comes first until the match ends or `most` games are over.
fn play_on(live: &mut Live, engine: &Engine, most: usize) {
    let watch = Watch::default();
    loop {
        live.go_on(engine, &watch).unwrap();
        let action = match live.awaited() {
            Awaited::Roll(_) => ROLL,
            Awaited::Play(_) => SeatAction::Play { play: live.plays().swap_remove(0) },
            Awaited::Answer(..) => SeatAction::Take,
            Awaited::Cube(..) => SeatAction::Leave,
            Awaited::Resignation(..) => SeatAction::Accept,
            Awaited::GameOver(_) if live.game_number() < most => SeatAction::NextGame,
            Awaited::GameOver(_) | Awaited::MatchOver(_) => return,
            Awaited::Opening | Awaited::Dice(_) => unreachable!("the computer rolls"),
        };
        live.choose(&action).unwrap();
    }
}

fn lines(live: &Live) -> Vec<String> {
    live.log().iter().map(|happened| live.in_words(happened)).collect()
}

#[test]
fn a_match_is_played_to_its_end_and_repeats_itself() {
    let engine = Engine::without_tables();
    let play = || {
        let mut live = begin(r#"{"length": 3, "seed": 11, "strength": "casual"}"#);
        play_on(&mut live, &engine, 99);
        live
    };
    let (one, two) = (play(), play());
    assert!(matches!(one.awaited(), Awaited::MatchOver(_)), "{:?}", one.awaited());
    let record = one.record_of_match().unwrap();
    assert_eq!(Some(&record), two.record_of_match().as_ref());
    assert_eq!([0, 1].map(|seat| one.score()[seat] as u32), record.score());
    assert!(record.winner().is_some());
    let mut over = one;
    assert_eq!(over.next_game(), Err(LiveError::MatchOver));
    let resign = SeatAction::Resign { size: WinKind::Single };
    assert!(!over.may_resign());
    assert_eq!(over.choose(&resign).unwrap_err(), LiveError::MatchOver);
}

#[test]
fn a_double_is_answered_and_its_turns_are_checked() {
    let mut live = typed(5);
    assert_eq!(live.awaited(), Awaited::Opening);
    assert_eq!(live.choose(&ROLL).unwrap_err(), LiveError::NotOpened);
    assert_eq!(live.choose(&rolled([3, 3])).unwrap_err(), LiveError::EqualDice);
    assert!(matches!(live.choose(&rolled([0, 9])), Err(LiveError::Dice(_))));
    live.choose(&rolled([1, 3])).unwrap();
    assert_eq!(live.awaited(), Awaited::Play(ENGINE));
    let error = live.choose(&ROLL).unwrap_err();
    assert_eq!(error.to_string(), "it is the turn of tavola");
    play(&mut live, "8/5 6/5");
    assert!(live.may_double());
    let error = live.choose(&SeatAction::Take).unwrap_err().to_string();
    assert_eq!(error, "\"take\" does not fit now, expected your roll, such as 31, or double");
    live.choose(&SeatAction::Double).unwrap();
    assert_eq!(live.awaited(), Awaited::Answer(ENGINE, Offer::Double));
    assert!(live.choose(&SeatAction::Drop).is_err());
    engine_does(&mut live, &SeatAction::Take).unwrap();
    assert!(!live.may_double());
    assert_eq!(live.choose(&ROLL).unwrap_err(), LiveError::NoDice);
    live.choose(&rolled([4, 2])).unwrap();
    play(&mut live, "8/4 6/4");
    assert_eq!(engine_does(&mut live, &ROLL).unwrap().map(|it| it.words), None);
    assert_eq!(live.awaited(), Awaited::Dice(ENGINE));
    assert_eq!(live.to_act(), Some(USER));
    live.choose(&rolled([6, 5])).unwrap();
    assert_eq!(live.awaited(), Awaited::Play(ENGINE));
    assert_eq!(lines(&live)[2], "You: doubles");
}

#[test]
fn drops_score_and_the_crawford_game_has_no_cube() {
    let mut live = typed(2);
    live.choose(&rolled([1, 3])).unwrap();
    play(&mut live, "8/5 6/5");
    live.choose(&SeatAction::Double).unwrap();
    engine_does(&mut live, &SeatAction::Drop).unwrap();
    let Awaited::GameOver(end) = live.awaited() else { panic!("{:?}", live.awaited()) };
    assert_eq!((end.points(), end.how.as_str()), (1.0, "by a drop"));
    // What a game gave is in the score before the next one begins.
    assert_eq!(live.score(), [1.0, 0.0]);
    live.next_game().unwrap();
    assert_eq!((live.score(), live.game_number()), (vec![1.0, 0.0], 2));
    assert!(live.cubed().unwrap().is_crawford());
    live.choose(&rolled([1, 3])).unwrap();
    play(&mut live, "8/5 6/5");
    assert!(!live.may_double());
    let error = live.choose(&SeatAction::Double).unwrap_err().to_string();
    assert!(error.contains("Crawford"), "{error}");
    live.choose(&SeatAction::Resign { size: WinKind::Gammon }).unwrap();
    assert_eq!(live.awaited(), Awaited::Resignation(ENGINE, WinKind::Gammon));
    engine_does(&mut live, &SeatAction::Accept).unwrap();
    assert!(matches!(live.awaited(), Awaited::MatchOver(_)));
}

#[test]
fn beavers_and_raccoons_turn_the_cube() {
    let mut live = begin(r#"{"length": 0, "beavers": "raccoons", "dice": "typed"}"#);
    live.choose(&rolled([3, 1])).unwrap();
    play(&mut live, "8/5 6/5");
    engine_does(&mut live, &SeatAction::Double).unwrap();
    assert!(live.may_turn_back(Offer::Double));
    assert_eq!(live.expected(), "take, drop or beaver");
    live.choose(&SeatAction::Beaver).unwrap();
    let engine = Engine::without_tables();
    // The engine is behind, so a raccoon would be foolish.
    let action = live.decide(&engine, &Watch::default()).unwrap();
    assert_eq!(action, Some(SeatAction::Take));
    engine_does(&mut live, &SeatAction::Take).unwrap();
    assert_eq!(live.cubed().unwrap().seen_by(USER).cube.map(|cube| cube.value()), Some(4));
}

/// The user decides so often, then takes back: the same rolls follow.
#[test]
fn taking_back_gives_the_same_dice_again_in_every_game() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    for game in ["backgammon", "puff", "trictrac", "astronomy"] {
        let mut live = live(NewGame { game: game.to_owned(), seed: Some(9), ..NewGame::default() });
        live.go_on(&engine, &watch).unwrap();
        assert_eq!(live.clone().take_back(), Err(LiveError::NothingToTakeBack));
        assert!(!live.may_take_back());
        let awaited = |live: &Live| format!("{:?} {:?}", live.awaited(), live.view().position);
        let mut seen = vec![awaited(&live)];
        for _ in 0..3 {
            let action = match live.awaited() {
                Awaited::Roll(_) => ROLL,
                _ => SeatAction::Play { play: live.plays().swap_remove(0) },
            };
            let happened = live.turn(&action, &engine, &watch).unwrap();
            assert_eq!(happened.last().unwrap().board, Some(live.view().board));
            seen.push(awaited(&live));
        }
        let before = lines(&live);
        for expected in [&seen[2], &seen[1]] {
            live.turn(&SeatAction::TakeBack, &engine, &watch).unwrap();
            assert_eq!(&awaited(&live), expected, "{game}");
        }
        assert!(before.starts_with(&lines(&live)), "{game}");
        let again = match live.awaited() {
            Awaited::Roll(_) => ROLL,
            _ => SeatAction::Play { play: live.plays().swap_remove(0) },
        };
        live.turn(&again, &engine, &watch).unwrap();
        assert_eq!(awaited(&live), seen[2], "{game}");
    }
}

#[test]
fn every_saved_game_is_resumed_where_it_was() {
    let engine = Engine::without_tables();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.json");
    for game in ["backgammon", "hypergammon", "buffa", "ludus", "four-seasons", "astronomy"] {
        let mut live = live(NewGame { game: game.to_owned(), seed: Some(5), ..NewGame::default() });
        live.set_tutor();
        live.save(&path).unwrap();
        live.go_on(&engine, &Watch::default()).unwrap();
        for _ in 0..4 {
            let action = match live.awaited() {
                Awaited::Roll(_) => ROLL,
                Awaited::Play(_) => SeatAction::Play { play: live.plays().pop().unwrap() },
                Awaited::Answer(..) => SeatAction::Take,
                other => panic!("{other:?}"),
            };
            live.turn(&action, &engine, &Watch::default()).unwrap();
        }
        live.save(&path).unwrap();
        let again = Live::resume(&path).unwrap();
        assert_eq!(again.to_json(), live.to_json());
        assert!(again.setup().tutor);
        let seen = |live: &Live| serde_json::to_string(&live.view()).unwrap();
        assert_eq!(seen(&again), seen(&live), "{game}");

        let text = std::fs::read_to_string(&path).unwrap();
        for (from, to, part) in [
            ("\"1 ", "\"9 ", "expected such as"),
            ("\"version\": 2", "\"version\": 9", "version 9"),
            ("play ", "play 99-99 ", "game 1, action"),
            ("\"seat\": 0", "\"seat\": 7", "seat 7"),
        ] {
            std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
            let error = Live::resume(&path).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(part), "{game}: {error}");
        }
    }
    for text in ["", "{}", "[1]"] {
        let error = Live::read(text.as_bytes(), "it").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("it is not a saved game"), "{error}");
    }
}

#[test]
fn files_of_another_version_are_refused() {
    let text = r#"{"format": "tavola game in progress", "version": 1, "games": []}"#;
    let error = Live::read(text.as_bytes(), "it").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("version 1, expected \"tavola game in progress\" version 2"), "{error}");
}

#[test]
fn a_record_is_match_text_or_a_transcript() {
    let engine = Engine::without_tables();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut live = seeded(5);
    play_on(&mut live, &engine, 2);
    live.export(&path("match.mat")).unwrap();
    let read = tavola_matches::read(&std::fs::read(path("match.mat")).unwrap()).unwrap();
    assert_eq!(read.matches[0].games.len(), 2);
    assert!(live.export(&path("match.xg")).is_err());
    // A saved match is read as any file of matches.
    let read = read_matches(live.to_json().as_bytes(), None, tavola_matches::ReadWatch::default())
        .unwrap();
    assert_eq!((read.matches, read.notes.len()), (vec![live.record_of_match().unwrap()], 0));
    let mut live = begin(r#"{"game": "fallas", "seed": 3, "length": 2, "name": "Ann"}"#);
    play_on(&mut live, &engine, 9);
    let error = read_matches(live.to_json().as_bytes(), None, tavola_matches::ReadWatch::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("a game of fallas"), "{error}");
    assert!(live.check_export(&path("fallas.mat")).is_err());
    live.export(&path("fallas.txt")).unwrap();
    let text = std::fs::read_to_string(path("fallas.txt")).unwrap();
    assert!(text.starts_with("fallas: Ann, tavola\n\nGame 1\n   1  "), "{text}");
    let plays = live.finished.iter().chain([&live.done]).flatten();
    let plays = plays.filter(|done| matches!(done.action, SeatAction::Play { .. })).count();
    assert_eq!(text.lines().filter(|line| line.starts_with("  ")).count(), plays);
}

#[test]
fn games_without_a_cube_are_played_to_the_agreed_points() {
    let engine = Engine::without_tables();
    let mut live = begin(r#"{"game": "fallas", "seed": 3, "length": 2}"#);
    play_on(&mut live, &engine, 99);
    let Awaited::MatchOver(end) = live.awaited() else { panic!("{:?}", live.awaited()) };
    assert!(live.score()[end.winner.unwrap()] >= 2.0 && !end.how.is_empty());
    assert_eq!(live.next_game(), Err(LiveError::MatchOver));
    let error = live.choose(&SeatAction::Double).unwrap_err();
    assert_eq!(error, LiveError::MatchOver);
    let line = lines(&live).swap_remove(0);
    assert!(line.starts_with("You: ") || line.starts_with("tavola: "), "{line}");
}

#[test]
fn games_for_four_and_for_seven_come_to_their_end_and_go_on() {
    let engine = Engine::without_tables();
    for setup in [
        r#"{"game": "four-seasons", "seat": 2, "opponents": "rule-based"}"#,
        r#"{"game": "astronomy", "seat": 7, "strength": "beginner"}"#,
    ] {
        let mut live = begin(setup);
        assert_eq!(live.clone().next_game(), Err(LiveError::GameRuns));
        play_on(&mut live, &engine, 1);
        let Awaited::GameOver(end) = live.awaited() else { panic!("{:?}", live.awaited()) };
        assert!(end.gains.iter().sum::<f64>().abs() < 1e-4, "{end:?}");
        assert_eq!(live.score(), end.gains);
        assert!(live.choose(&action("pass")).is_err());
        live.next_game().unwrap();
        // The dice find again who begins.
        assert_eq!((live.game_number(), live.awaited()), (2, Awaited::Opening));
        assert_eq!(live.score(), end.gains);
    }
}

#[test]
fn the_tutor_knows_what_an_action_loses() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let mut live = typed(5);
    live.choose(&rolled([3, 1])).unwrap();
    let mistake = |live: &Live, action: &SeatAction| live.mistake(action, &engine, &watch).unwrap();
    assert_eq!(mistake(&live, &action("8/5 6/5")), None);
    let found = mistake(&live, &action("13/9")).unwrap();
    assert_eq!((found.better.as_str(), found.loss > 0.1), ("8/5 6/5", true));
    let Hint::Plays(hint) = live.hint(&engine, &watch).unwrap() else { panic!() };
    assert_eq!(hint.plays[0].play, "8/5 6/5");
    // An even game is not to be given up.
    for size in [WinKind::Single, WinKind::Gammon, WinKind::Backgammon] {
        let found = mistake(&live, &SeatAction::Resign { size }).unwrap();
        assert!(found.is_doubtful() && found.better == "playing on", "{found:?}");
    }
    play(&mut live, "8/5 6/5");
    engine_does(&mut live, &ROLL).unwrap();
    // The user types the dice of the engine, which are no decision.
    assert_eq!(mistake(&live, &rolled([6, 5])), None);
    live.choose(&rolled([6, 5])).unwrap();
    play(&mut live, "24/13");
    assert_eq!(mistake(&live, &ROLL), None);
    let found = mistake(&live, &SeatAction::Double).unwrap();
    assert_eq!((found.chosen.as_str(), found.better.as_str()), ("double", "no double"));
    let PositionValue::Two(eval) = live.evaluate(&engine, &watch).unwrap() else { panic!() };
    assert!((0.4..0.7).contains(&eval.evaluation.probs.win), "{eval:?}");
    assert!(live.mistake(&SeatAction::Take, &engine, &watch).is_err());
}

#[test]
fn hints_are_ranked_and_mistakes_cost_points_in_every_game() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    for game in ["emperador", "four-seasons", "astronomy"] {
        let mut live = live(NewGame { game: game.to_owned(), seed: Some(4), ..NewGame::default() });
        live.go_on(&engine, &watch).unwrap();
        let best = match live.hint(&engine, &watch).unwrap() {
            Hint::Plays(answer) => answer.plays[0].play.clone(),
            Hint::Many(answer) => answer.plays[0].play.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(live.mistake(&action(&best), &engine, &watch).unwrap(), None, "{game}");
        let losses = live.plays().into_iter().filter_map(|play| {
            live.mistake(&action(&play), &engine, &watch).unwrap().map(|found| (play, found))
        });
        for (play, found) in losses.take(3) {
            assert!(found.chosen == play && found.loss > 0.0, "{game}: {found:?}");
        }
        let before = live.to_json();
        for text in ["0-99", ""] {
            let error = live.turn(&action(text), &engine, &watch).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Play, "{error}");
            assert!(live.mistake(&action(text), &engine, &watch).is_err());
        }
        assert_eq!(live.to_json(), before);
    }
}

#[test]
fn a_hopeless_resignation_is_accepted_and_an_even_game_may_be_resigned() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let mut live = typed(7);
    live.choose(&rolled([3, 1])).unwrap();
    live.choose(&SeatAction::Resign { size: WinKind::Single }).unwrap();
    assert_eq!(live.decide(&engine, &watch).unwrap(), Some(SeatAction::Accept));
    engine_does(&mut live, &SeatAction::Refuse).unwrap();
    assert_eq!(live.to_act(), Some(USER));
    // A user who is offered an even game should take it.
    play(&mut live, "8/5 6/5");
    engine_does(&mut live, &SeatAction::Resign { size: WinKind::Single }).unwrap();
    let hint = live.hint(&engine, &watch).unwrap();
    assert!(matches!(hint, Hint::Resignation { accept: true }), "{hint:?}");
    let refuse = live.mistake(&SeatAction::Refuse, &engine, &watch).unwrap().unwrap();
    assert_eq!((refuse.better.as_str(), refuse.is_doubtful()), ("accept", true));
}

#[test]
fn what_a_game_can_not_be_is_refused() {
    for (setup, part) in [
        (r#"{"game": "chess"}"#, "chess"),
        (r#"{"game": "four-seasons:dice=4"}"#, "dice=4"),
        (r#"{"game": "four-seasons", "seat": 5}"#, "1 to 4"),
        (r#"{"game": "four-seasons", "strength": "3-ply"}"#, "at most 2-ply"),
        (r#"{"game": "four-seasons", "strength": "roller"}"#, "at most 2-ply"),
        (r#"{"game": "astronomy", "length": 3}"#, "\"length\" is 3"),
        (r#"{"seat": 2}"#, "\"seat\" is 2"),
        (r#"{"game": "tabula", "jacoby": true}"#, "tabula"),
        (r#"{"chouette": 4, "dice": "typed"}"#, "typed"),
        (r#"{"length": 5, "jacoby": true}"#, "match to 5"),
        (r#"{"opponents": "network"}"#, "opponents"),
    ] {
        let asked = serde_json::from_str(setup).unwrap();
        let error = Live::begin(asked, 1).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part), "{setup}: {error}");
    }
}

#[test]
fn the_board_is_seen_by_the_user() {
    let mut live = typed(5);
    live.choose(&rolled([1, 3])).unwrap();
    play(&mut live, "8/5 6/5");
    let table = live.cubed().unwrap();
    assert_eq!(table.seen_by(USER).position, *table.position());
    assert_eq!(table.seen_by(ENGINE).position.point(5), 2);
    assert_eq!(table.seen_by(USER).position.point(20), -2);
}

/// The table of docs/play.md, from fewer games than there; `--nocapture` prints it.
#[test]
fn weaker_levels_lose_more_equity() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let levels = &Strength::ALL[..6];
    let mut lost = [0.0; 6];
    let mut decisions = 0;
    for seed in 0..8 {
        let mut live = live(NewGame { length: Some(1), seed: Some(seed), ..NewGame::default() });
        loop {
            let seat = match live.awaited() {
                Awaited::Opening | Awaited::Roll(_) => {
                    live.act_as(live.to_act().unwrap_or(USER), &ROLL).unwrap();
                    continue;
                }
                Awaited::Play(seat) => seat,
                _ => break,
            };
            let plays = {
                let table = live.cubed().unwrap();
                let asking = live.asking(&engine, &watch);
                let effort = Strength::WorldClass.effort();
                table.ask(&table.situation(), effort, &Best::default(), &asking).unwrap().plays
            };
            if seat == ENGINE && plays.len() > 1 {
                decisions += 1;
                for (lost, &level) in lost.iter_mut().zip(levels) {
                    live.set_strength(level).unwrap();
                    let chosen = live.decide(&engine, &watch).unwrap().unwrap().to_string();
                    *lost += plays.iter().find(|play| play.play == chosen).unwrap().loss;
                }
            }
            let best = plays.first().map_or("pass", |play| &play.play).to_owned();
            live.act_as(seat, &action(&best)).unwrap();
        }
    }
    for (level, lost) in levels.iter().zip(lost) {
        println!("{level}: {:.4} per play, {decisions} plays", lost / decisions as f32);
    }
    assert!(lost.windows(2).all(|pair| pair[0] > pair[1]), "{lost:?}");
    assert_eq!(lost[5], 0.0);
}

#[test]
fn the_log_says_what_special_rules_had_to_say() {
    let engine = Engine::without_tables();
    let mut live = begin(r#"{"game": "trictrac", "seed": 4, "strength": "beginner"}"#);
    for _ in 0..12 {
        live.go_on(&engine, &Watch::default()).unwrap();
        play_first(&mut live);
    }
    let log = live.log();
    let reasons: Vec<&String> = log.iter().flat_map(|happened| &happened.reasons).collect();
    assert!(reasons.iter().any(|reason| reason.contains("hit by ")), "{reasons:?}");
    let with = log.iter().find(|happened| !happened.reasons.is_empty()).unwrap();
    assert!(live.in_words(with).ends_with(&format!("; {}", with.reasons.join("; "))));
    // They are the same in a game that is read from its text, and after a play is taken back.
    let read = Live::read(live.to_json().as_bytes(), "test").unwrap();
    assert_eq!(read.record_text(), live.record_text());
}

fn play_first(live: &mut Live) {
    let first = live.plays().swap_remove(0);
    live.choose(&action(&first)).unwrap();
}

/// The situation that a game begins with in place of the opening roll.
#[test]
fn a_match_begins_with_a_position() {
    let engine = Engine::without_tables();
    let xgid = "XGID=-b----E-C---eE---c-e----B-:1:1:1:52:2:4:0:7:10";
    let asked = |more: &str| format!(r#"{{"position": "{xgid}", "seed": 3{more}}}"#);
    let mut live = begin(&asked(""));
    assert_eq!((live.awaited(), live.score()), (Awaited::Play(USER), vec![2.0, 4.0]));
    assert_eq!(live.view().position.as_deref(), Some(xgid));
    let text = live.record_text();
    assert!(text.contains("; Set Pos=-b----E-C---eE---c-e----B-/-1"), "{text}");
    play_on(&mut live, &engine, 9);
    assert!(matches!(live.awaited(), Awaited::MatchOver(_)));
    assert!(live.score().iter().any(|points| *points >= 7.0));
    let read = Live::read(live.to_json().as_bytes(), "test").unwrap();
    assert_eq!(read.view().log.len(), live.view().log.len());
    let record =
        read_matches(live.record_text().as_bytes(), None, tavola_matches::ReadWatch::default())
            .unwrap();
    assert_eq!((record.notes.len(), record.matches[0].games[0].score), (0, [2, 4]));
    // The engine may be on roll, and nothing before the position is taken back.
    let mut live = begin(&asked(r#", "engine_on_roll": true"#));
    assert_eq!((live.awaited(), live.score()), (Awaited::Play(ENGINE), vec![4.0, 2.0]));
    live.go_on(&engine, &Watch::default()).unwrap();
    assert!(!live.may_take_back());
    // What fits no position is refused.
    let refused = |text: &str| {
        let asked: NewGame = serde_json::from_str(text).unwrap();
        Live::begin(asked, 1).err().map(|error| error.kind())
    };
    assert_eq!(refused(&asked(r#", "length": 5"#)), Some(ErrorKind::Request));
    assert_eq!(refused(&asked(r#", "game": "tabula""#)), Some(ErrorKind::Request));
    assert_eq!(refused(r#"{"engine_on_roll": true}"#), Some(ErrorKind::Request));
    assert_eq!(refused(r#"{"position": "nonsense"}"#), Some(ErrorKind::Position));
    let over = r#"{"position": "XGID=-BB-----------------------:0:0:1:00:0:0:0:0:10"}"#;
    assert_eq!(refused(over), Some(ErrorKind::Position));
}

#[test]
fn two_people_at_one_board_claim_or_condone_plays_against_the_rules() {
    let ask = r#"{"people": {"2": "Ben"}, "name": "Ann", "condone": true, "length": 3, "seed": 3}"#;
    let mut live = begin(ask);
    live.follow(&ROLL).unwrap();
    let (first, before) = (live.user(), live.cubed().unwrap().situation());
    assert_eq!(live.to_act(), Some(first));
    // Thirteen pips are no roll, a point of the opponent no landing.
    assert!(live.choose(&action("24/19")).is_err());
    live.choose(&action("13/8 13/5")).unwrap();
    assert_eq!(live.user(), 1 - first, "the other person is on roll");
    assert!(live.may_claim() && live.expected().contains("claim"));
    live.choose(&SeatAction::Claim).unwrap();
    assert_eq!(live.cubed().unwrap().situation(), before);
    assert!(live.choose(&SeatAction::Claim).unwrap_err().to_string().contains("claim"));
    live.choose(&action("13/8 13/5")).unwrap();
    live.choose(&ROLL).unwrap();
    assert!(!live.may_claim(), "the roll has condoned it");
    let read = Live::read(live.to_json().as_bytes(), "file").unwrap();
    assert_eq!(read.cubed().unwrap().situation(), live.cubed().unwrap().situation());
    let record = live.record_of_match().unwrap();
    assert!(record.games[0].actions[0].comment.contains("illegal play"), "{record:?}");
    // Without the option nothing of the kind is played.
    let mut strict = begin(&ask.replace("true", "false"));
    strict.follow(&ROLL).unwrap();
    assert!(matches!(strict.choose(&action("13/8 13/5")), Err(LiveError::Playback(_))));
}

#[test]
fn dice_find_who_begins_with_four_and_with_seven_players() {
    for (game, seats) in [("four-seasons", 4), ("astronomy", 7)] {
        let mut first = vec![0; seats];
        for seed in 0..40 {
            let mut live = begin(&format!(r#"{{"game": "{game}", "seed": {seed}}}"#));
            let told = live.follow(&ROLL).unwrap().unwrap();
            let starter = live.on_roll().unwrap();
            let dice = told.dice.unwrap();
            assert_eq!((told.seat, dice.len()), (starter + 1, seats));
            assert_eq!(Some(&dice[starter]), dice.iter().max(), "the highest begins");
            first[starter] += 1;
            live.follow(&ROLL).unwrap();
            let read = Live::read(live.to_json().as_bytes(), "file").unwrap();
            assert_eq!((read.on_roll(), read.roll()), (Some(starter), live.roll()));
        }
        assert!(first.iter().all(|&count| count > 0), "{first:?}");
    }
}

#[test]
fn people_share_any_board_and_a_first_roll_may_be_an_own_pair() {
    let mut live = begin(r#"{"game": "four-seasons", "people": {"3": "Cleo"}, "seed": 1}"#);
    let engine = Engine::without_tables();
    let mut seats = std::collections::HashSet::new();
    for _ in 0..6 {
        live.go_on(&engine, &Watch::default()).unwrap();
        seats.insert(live.user());
        let play = live.plays().swap_remove(0);
        live.choose(&SeatAction::Play { play }).unwrap();
    }
    assert_eq!(seats.len(), 2, "{seats:?}");
    let doubles = (0..60).any(|seed| {
        let mut live = begin(&format!(r#"{{"opening": "own_pair", "seed": {seed}}}"#));
        live.follow(&ROLL).unwrap();
        live.cubed().unwrap().dice().unwrap().is_double()
    });
    assert!(doubles);
}
