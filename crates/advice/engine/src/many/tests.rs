use super::*;
use crate::live_game::{GameAction, PlayInQuestion};
use crate::{Running, Watch};

fn begin(text: &str) -> AnyManyLive {
    AnyManyLive::begin(serde_json::from_str(text).unwrap(), 1).unwrap()
}

fn action(play: &str) -> GameAction {
    GameAction::Play { play: play.to_owned() }
}

/// The user takes the first play until the game is over.
fn finish(live: &mut AnyManyLive, engine: &Engine) -> Vec<f32> {
    let watch = Watch::default();
    live.let_engine_act(engine, &watch).unwrap();
    for _ in 0..3000 {
        match live.view().waiting {
            ManyWaiting::Play { plays, .. } => {
                live.turn(&action(&plays[0]), engine, &watch).unwrap();
            }
            ManyWaiting::GameOver { payoffs } => return payoffs,
            ManyWaiting::Engine => unreachable!("the engine has acted"),
        }
    }
    panic!("no end: {}", live.view().position);
}

#[test]
fn games_for_four_and_for_seven_come_to_their_end_and_go_on() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    for (setup, players) in [
        (r#"{"game": "four-seasons", "seat": 2, "opponents": "rule-based"}"#, 4),
        (r#"{"game": "astronomy", "seat": 7, "opponents": "rule-based"}"#, 7),
    ] {
        let mut live = begin(setup);
        assert!(live.turn(&GameAction::NextGame, &engine, &watch).is_err());
        let payoffs = finish(&mut live, &engine);
        assert_eq!(payoffs.len(), players);
        assert!(payoffs.iter().sum::<f32>().abs() < 1e-4, "{payoffs:?}");
        assert!(live.turn(&action("pass"), &engine, &watch).is_err());
        live.turn(&GameAction::NextGame, &engine, &watch).unwrap();
        let view = live.view();
        assert_eq!(view.game_number, 2);
        let score: Vec<f32> = view.players.iter().map(|player| player.score).collect();
        assert_eq!(score, payoffs);
        // The second seat begins the second game.
        assert_eq!(view.log.first().map_or(view.on_roll, |turn| turn.seat), 2);
        let again = AnyManyLive::read(live.write().as_bytes(), "the game").unwrap();
        assert_eq!(again.write(), live.write());
        assert_eq!(again.view().position, view.position);
    }
}

#[test]
fn a_play_that_is_taken_back_meets_the_same_rolls() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let mut live = begin(r#"{"game": "astronomy", "opponents": "rule-based", "seed": 4}"#);
    live.let_engine_act(&engine, &watch).unwrap();
    let ManyWaiting::Play { plays, .. } = live.view().waiting else { panic!("the user begins") };
    assert!(!live.view().may_take_back);
    // The moves of a play may be made in any order.
    let mut moves: Vec<&str> = plays[0].split(' ').collect();
    moves.reverse();
    let happened = live.turn(&action(&moves.join(" ")), &engine, &watch).unwrap();
    assert_eq!(happened.iter().map(|turn| turn.seat).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(happened[6].cells, live.view().cells);
    let after = live.view().position;
    live.turn(&GameAction::TakeBack, &engine, &watch).unwrap();
    assert_ne!(live.view().position, after);
    live.turn(&action(&plays[0]), &engine, &watch).unwrap();
    assert_eq!(live.view().position, after);
}

/// A fresh network ranks the plays of a game.
fn ranks<G: ManyGame>(game: &G) {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let kind = tavola_net::EncoderKind::OneHot;
    let weights = tavola_net::initial_weights_of(&game.interface(), kind, &[8], 1).unwrap();
    engine.provide_network(&weights.to_bytes().unwrap()).unwrap();
    let mut live = ManyLive::new(game.clone(), 0, 3);
    let mut mind = Mind::new(&engine, game, Opponents::Network, None).unwrap();
    while live.plays().len() < 2 {
        live.step(&mut mind).unwrap();
    }
    assert!(live.best(&mut mind).unwrap() < live.plays().len());
    let setup = format!(r#"{{"game": "{}", "opponents": "network", "seed": 3}}"#, game.id());
    let mut seated = begin(&setup);
    seated.let_engine_act(&engine, &watch).unwrap();
    let ManyPlays { plays, .. } = seated.advice(&engine, &watch).unwrap();
    assert!(plays.windows(2).all(|pair| pair[0].payoffs[0] >= pair[1].payoffs[0]), "{plays:?}");
    let worst = plays.last().unwrap().play.clone();
    let question = PlayInQuestion { play: worst.clone() };
    let loss = seated.loss(&question, &engine, &watch).unwrap();
    assert!(loss.is_none_or(|mistake| mistake.chosen == worst && mistake.loss > 0.0));
}

#[test]
fn a_network_ranks_plays_and_tells_what_they_lose() {
    for game in &AnyManyGame::ALL {
        with_many_game!(game, |game| ranks(game));
    }
}

#[test]
fn what_is_no_game_and_no_play_is_told() {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let refused = |text: &str| {
        let setup = serde_json::from_str(text).unwrap();
        AnyManyLive::begin(setup, 1).map(|_| ()).unwrap_err().to_string()
    };
    assert!(refused(r#"{"game": "tabula"}"#).contains("tabula"));
    assert!(refused(r#"{"game": "four-seasons", "seat": 5}"#).contains("1 to 4"));
    assert!(refused(r#"{"seat": 0}"#).contains("\"seat\" is 0"));
    let mut live = begin(r#"{"game": "astronomy", "opponents": "rule-based"}"#);
    live.let_engine_act(&engine, &watch).unwrap();
    let before = live.write();
    let error = live.turn(&action("0-99"), &engine, &watch).unwrap_err().to_string();
    assert!(error.contains("0-99") && live.write() == before, "{error}");
    let question = PlayInQuestion { play: "0-99".to_owned() };
    assert!(live.loss(&question, &engine, &watch).is_err());
    let text = before.replace("\"games\": [", "\"games\": [[\"7-7-7 0-99\"], ");
    for text in [text.as_str(), "", "{}", "[1]"] {
        assert!(AnyManyLive::read(text.as_bytes(), "the game").is_err(), "{text}");
    }
}
