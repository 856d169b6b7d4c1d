//! Matches played by rote: the same seed and the same choices give the same match.

use tavola_rules::Options;

use super::*;
use crate::operations::Best;
use crate::{Engine, Watch};

fn live(setup: Setup) -> LiveMatch {
    LiveMatch::new(setup).unwrap()
}

fn seeded(seed: u64) -> LiveMatch {
    live(Setup { seed, ..Setup::default() })
}

fn typed(length: u16) -> LiveMatch {
    live(Setup { length, dice: DiceSource::Typed, ..Setup::default() })
}

fn play(live: &mut LiveMatch, text: &str) {
    let play = live.parse_play(text).unwrap();
    let player = live.to_act().unwrap();
    live.choose_as(player, Choice::Play(play)).unwrap();
}

/// Lets the engine act until the user has to.
fn engine_acts(live: &mut LiveMatch, engine: &Engine) {
    while let Some(choice) = live.decide(engine, &Watch::default()).unwrap() {
        live.choose_for_engine(choice).unwrap();
    }
}

/// The user plays like the engine until the match ends or `most` games are over.
fn play_on(live: &mut LiveMatch, engine: &Engine, most: usize) {
    loop {
        engine_acts(live, engine);
        match live.awaited() {
            Awaited::Roll(_) => live.choose(Choice::Roll(None)).unwrap(),
            Awaited::Play(..) => {
                let plays = tavola_rules::moves::plays(
                    live.position(),
                    match live.awaited() {
                        Awaited::Play(_, dice) => dice,
                        _ => unreachable!(),
                    },
                );
                let play = plays.first().map_or(Play::PASS, |(play, _)| *play);
                live.choose(Choice::Play(play)).unwrap();
            }
            Awaited::Answer(..) => live.choose(Choice::Take).unwrap(),
            Awaited::Resignation(..) => live.choose(Choice::Accept).unwrap(),
            Awaited::GameOver(_) if live.game_number() < most => live.next_game().unwrap(),
            Awaited::GameOver(_) | Awaited::MatchOver(_) => return,
            Awaited::Opening | Awaited::Dice(_) => unreachable!("the computer rolls"),
        }
    }
}

fn steps(live: &LiveMatch) -> Vec<String> {
    (0..live.steps()).filter_map(|i| live.step_in_words(i)).collect()
}

#[test]
fn a_match_is_played_to_its_end_and_repeats_itself() {
    let engine = Engine::without_tables();
    let play = || {
        let setup = Setup { length: 3, seed: 11, ..Setup::default() };
        let mut live = live(Setup { strength: Strength::Casual, ..setup });
        play_on(&mut live, &engine, 99);
        live
    };
    let (one, two) = (play(), play());
    assert!(matches!(one.awaited(), Awaited::MatchOver(_)), "{:?}", one.awaited());
    assert_eq!(one.record(), two.record());
    assert!(one.record().winner().is_some());
    let mut over = one;
    assert_eq!(over.next_game(), Err(LiveMatchError::MatchOver));
}

#[test]
fn a_double_is_answered_and_its_turns_are_checked() {
    let mut live = typed(5);
    assert_eq!(live.awaited(), Awaited::Opening);
    assert_eq!(live.choose(Choice::Roll(None)), Err(LiveMatchError::NotOpened));
    assert_eq!(live.choose(Choice::Opening(3, 3)), Err(LiveMatchError::EqualDice));
    live.choose(Choice::Opening(1, 3)).unwrap();
    assert_eq!(live.awaited(), Awaited::Play(ENGINE, "31".parse().unwrap()));
    let error = live.choose(Choice::Roll(None)).unwrap_err();
    assert_eq!(error.to_string(), "it is the turn of tavola");
    play(&mut live, "8/5 6/5");
    assert!(live.user_may_double());
    live.choose(Choice::Double).unwrap();
    assert_eq!(live.awaited(), Awaited::Answer(ENGINE, Offer::Double));
    assert!(live.choose(Choice::Drop).is_err());
    live.choose_for_engine(Choice::Take).unwrap();
    assert!(!live.user_may_double());
    assert_eq!(live.choose(Choice::Roll(None)), Err(LiveMatchError::NoDice));
    live.choose(Choice::Roll(Some("42".parse().unwrap()))).unwrap();
    play(&mut live, "8/4 6/4");
    live.choose_for_engine(Choice::Roll(None)).unwrap();
    assert_eq!(live.awaited(), Awaited::Dice(ENGINE));
    assert_eq!(live.to_act(), Some(USER));
    live.choose(Choice::Roll(Some("65".parse().unwrap()))).unwrap();
    assert_eq!(live.awaited(), Awaited::Play(ENGINE, "65".parse().unwrap()));
    assert_eq!(live.step_in_words(2).as_deref(), Some("You: doubles"));
}

#[test]
fn drops_score_and_the_crawford_game_has_no_cube() {
    let mut live = typed(2);
    live.choose(Choice::Opening(1, 3)).unwrap();
    play(&mut live, "8/5 6/5");
    live.choose(Choice::Double).unwrap();
    live.choose_for_engine(Choice::Drop).unwrap();
    assert!(matches!(live.awaited(), Awaited::GameOver(result) if result.points == 1));
    live.next_game().unwrap();
    assert_eq!((live.score(), live.game_number()), ([1, 0], 2));
    assert!(live.is_crawford());
    live.choose(Choice::Opening(1, 3)).unwrap();
    play(&mut live, "8/5 6/5");
    assert!(!live.user_may_double());
    let error = live.choose(Choice::Double).unwrap_err().to_string();
    assert!(error.contains("Crawford"), "{error}");
    live.choose(Choice::Resign(WinKind::Gammon)).unwrap();
    assert_eq!(live.awaited(), Awaited::Resignation(ENGINE, WinKind::Gammon));
    live.choose_for_engine(Choice::Accept).unwrap();
    assert!(matches!(live.awaited(), Awaited::MatchOver(_)));
}

#[test]
fn beavers_and_raccoons_turn_the_cube() {
    let options = Options { beavers: Beavers::Raccoons, ..Options::default() };
    let setup = Setup { length: 0, dice: DiceSource::Typed, options, ..Setup::default() };
    let mut live = live(setup);
    live.choose(Choice::Opening(3, 1)).unwrap();
    play(&mut live, "8/5 6/5");
    live.choose_for_engine(Choice::Double).unwrap();
    assert!(live.user_may_beaver());
    live.choose(Choice::Beaver).unwrap();
    let engine = Engine::without_tables();
    // The engine is behind, so a raccoon would be foolish.
    let choice = live.decide(&engine, &Watch::default()).unwrap();
    assert_eq!(choice, Some(Choice::Take));
    live.choose_for_engine(Choice::Take).unwrap();
    assert_eq!(live.seen_by(USER).cube.map(|cube| cube.value()), Some(4));
}

#[test]
fn taking_back_gives_the_same_dice_again() {
    let engine = Engine::without_tables();
    let mut live = seeded(3);
    engine_acts(&mut live, &engine);
    assert_eq!(live.clone().take_back(), Err(LiveMatchError::NothingToTakeBack));
    let awaited = |live: &LiveMatch| format!("{:?} {:?}", live.awaited(), live.position());
    let mut seen = vec![awaited(&live)];
    for _ in 0..3 {
        let choice = match live.awaited() {
            Awaited::Roll(_) => Choice::Roll(None),
            Awaited::Play(_, dice) => {
                Choice::Play(tavola_rules::moves::plays(live.position(), dice)[0].0)
            }
            other => panic!("{other:?}"),
        };
        live.choose(choice).unwrap();
        engine_acts(&mut live, &engine);
        seen.push(awaited(&live));
    }
    let before = steps(&live);
    live.take_back().unwrap();
    assert_eq!(awaited(&live), seen[2]);
    live.take_back().unwrap();
    assert_eq!(awaited(&live), seen[1]);
    assert!(before.starts_with(&steps(&live)));
}

#[test]
fn a_saved_match_is_resumed_where_it_was() {
    let engine = Engine::without_tables();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.json");
    let mut live = seeded(5);
    live.save(&path).unwrap();
    assert_eq!(LiveMatch::resume(&path).unwrap().awaited(), live.awaited());
    play_on(&mut live, &engine, 2);
    live.save(&path).unwrap();
    let resumed = LiveMatch::resume(&path).unwrap();
    assert_eq!(resumed.record(), live.record());
    let read = read_matches(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!((read.matches, read.notes.len()), (vec![live.record()], 0));
    assert_eq!(resumed.awaited(), live.awaited());
    assert_eq!((resumed.score(), resumed.rolls()), (live.score(), live.rolls()));

    let text = std::fs::read_to_string(&path).unwrap();
    for (from, to, part) in [
        ("one roll", "six roll", "expected such as"),
        ("\"version\": 1", "\"version\": 9", "version 9"),
        ("play ", "play 25/1 ", "game 1, step"),
    ] {
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = LiveMatch::resume(&path).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    live.export(&folder.path().join("match.mat")).unwrap();
    let exported = std::fs::read(folder.path().join("match.mat")).unwrap();
    let read = tavola_matches::read(&exported).unwrap();
    assert_eq!(read.matches[0].games.len(), 2);
    assert!(live.export(&folder.path().join("match.xg")).is_err());
}

#[test]
fn the_tutor_knows_what_a_choice_loses() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let mut live = typed(5);
    live.choose(Choice::Opening(3, 1)).unwrap();
    let choice = |text: &str| Choice::Play(live.parse_play(text).unwrap());
    assert_eq!(live.mistake(&choice("8/5 6/5"), &engine, &watch).unwrap(), None);
    let mistake = live.mistake(&choice("13/9"), &engine, &watch).unwrap().unwrap();
    assert_eq!((mistake.better.as_str(), mistake.loss > 0.1), ("8/5 6/5", true));
    let Hint::Plays(hint) = live.hint(&engine, &watch).unwrap() else { panic!() };
    assert_eq!(hint.plays[0].play, "8/5 6/5");
    play(&mut live, "8/5 6/5");
    live.choose_for_engine(Choice::Roll(None)).unwrap();
    live.choose(Choice::Roll(Some("65".parse().unwrap()))).unwrap();
    play(&mut live, "24/13");
    assert_eq!(live.mistake(&Choice::Roll(None), &engine, &watch).unwrap(), None);
    let mistake = live.mistake(&Choice::Double, &engine, &watch).unwrap().unwrap();
    assert_eq!((mistake.chosen.as_str(), mistake.better.as_str()), ("double", "no double"));
    let eval = live.evaluate(&engine, &watch).unwrap();
    assert!((0.4..0.7).contains(&eval.evaluation.probs.win), "{eval:?}");
}

#[test]
fn an_even_game_may_be_resigned_and_a_refusal_goes_on() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let mut live = typed(7);
    live.choose(Choice::Opening(3, 1)).unwrap();
    live.choose(Choice::Resign(WinKind::Single)).unwrap();
    assert_eq!(live.decide(&engine, &watch).unwrap(), Some(Choice::Accept));
    live.choose_for_engine(Choice::Refuse).unwrap();
    assert_eq!(live.to_act(), Some(USER));
}

#[test]
fn the_board_is_seen_by_the_user() {
    let mut live = typed(5);
    live.choose(Choice::Opening(1, 3)).unwrap();
    play(&mut live, "8/5 6/5");
    let (user, engine) = (live.seen_by(USER), live.seen_by(ENGINE));
    assert_eq!(user.position, *live.position());
    assert_eq!(engine.position.point(5), 2);
    assert_eq!(user.position.point(20), -2);
}

/// The table of docs/play.md, from fewer games than there; `--nocapture` prints it.
#[test]
fn weaker_levels_lose_more_equity() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let levels = &Strength::ALL[..6];
    let mut lost = [0.0; 6];
    let mut decisions = 0;
    for seed in 0..8 {
        let mut live = live(Setup { length: 1, seed, ..Setup::default() });
        loop {
            let (player, dice) = match live.awaited() {
                Awaited::Roll(player) => {
                    live.choose_as(player, Choice::Roll(None)).unwrap();
                    continue;
                }
                Awaited::Play(player, dice) => (player, dice),
                _ => break,
            };
            let situation = live.recorder.playback().situation();
            let best = Best { lookahead: Strength::WorldClass.lookahead(), ..Best::default() };
            let plays = engine.ask(&live.subject(&situation), &best, &watch).unwrap().answer.plays;
            if player == ENGINE && plays.len() > 1 {
                decisions += 1;
                for (lost, &level) in lost.iter_mut().zip(levels) {
                    live.set_strength(level);
                    let choice = live.decide(&engine, &watch).unwrap().unwrap().to_string();
                    *lost += plays.iter().find(|play| play.play == choice).unwrap().loss;
                }
            }
            let legal = tavola_rules::moves::plays(live.position(), dice);
            let best = plays
                .first()
                .and_then(|best| legal.iter().find(|(play, _)| play.to_string() == best.play));
            let best = best.map_or(Play::PASS, |(play, _)| *play);
            live.choose_as(player, Choice::Play(best)).unwrap();
        }
    }
    for (level, lost) in levels.iter().zip(lost) {
        println!("{level}: {:.4} per play, {decisions} plays", lost / decisions as f32);
    }
    assert!(lost.windows(2).all(|pair| pair[0] > pair[1]), "{lost:?}");
    assert_eq!(lost[5], 0.0);
}
