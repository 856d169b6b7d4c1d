//! Games of a chouette by rote: people act in any seat, and the engine in the others.

use super::super::*;

const ROLL: SeatAction = SeatAction::Roll { dice: None };

fn begin(text: &str) -> Live {
    Live::begin(serde_json::from_str(text).unwrap(), 1).unwrap()
}

/// Five people, each with a cube.
fn people(rest: &str) -> Live {
    begin(&format!(
        r#"{{"chouette": 5, "name": "Ann", "seed": 2, "cubes": "each",
            "people": {{"2": "Ben", "3": "Cleo", "4": "Dan", "5": "Eve"}}{rest}}}"#
    ))
}

/// Rolls and plays what comes first until a cube may be turned.
fn to_a_cube(live: &mut Live) {
    loop {
        match live.awaited() {
            Awaited::Opening => live.follow(&ROLL).unwrap(),
            Awaited::Play(_) => {
                let play = live.plays().swap_remove(0);
                live.choose(&SeatAction::Play { play }).unwrap()
            }
            _ => return,
        };
    }
}

/// The same until the box may turn one.
fn to_the_box(live: &mut Live) -> usize {
    let owner = live.chouette().unwrap().settled().order()[0];
    to_a_cube(live);
    while live.to_act() != Some(owner) {
        let leaves = matches!(live.awaited(), Awaited::Cube(..));
        live.choose(if leaves { &SeatAction::Leave } else { &ROLL }).unwrap();
        to_a_cube(live);
    }
    owner
}

fn settled(live: &Live) -> serde_json::Value {
    serde_json::to_value(live.chouette().unwrap().settled().sheet()).unwrap()
}

#[test]
fn engines_play_a_chouette_whose_accounts_sum_to_zero() {
    let engine = Engine::without_tables();
    for rest in
        [r#""cubes": "one""#, r#""cubes": "each", "beavers": "beavers", "extras": "mandatory""#]
    {
        let mut live = begin(&format!(r#"{{"chouette": 4, "seed": 5, {rest}}}"#));
        for game in 1..=4 {
            live.play_out(&engine, &Watch::default()).unwrap();
            let score = live.score();
            assert_eq!(score.iter().sum::<f64>(), 0.0, "{score:?}");
            assert_eq!(settled(&live)["games"].as_array().unwrap().len(), game);
            // A file has the order of the seed, and every act.
            let read = Live::read(live.to_json().as_bytes(), "file").unwrap();
            assert_eq!(read.view().log.len(), live.view().log.len());
            assert_eq!(read.score(), score);
            live.next_game().unwrap();
        }
        let order: std::collections::HashSet<u64> = settled(&live)["games"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| game["box_seat"].as_u64().unwrap())
            .collect();
        assert!(order.len() > 1, "the box passes on");
    }
}

#[test]
fn each_member_decides_on_the_own_cube_and_the_box_on_all() {
    let mut live = people("");
    let owner = to_the_box(&mut live);
    let order = live.chouette().unwrap().settled().order().to_vec();
    // The captain's cube comes last; the others first.
    let member = |live: &Live| match live.awaited() {
        Awaited::Cube(seat, CubeChoice::Turn { member }) if seat == owner => member,
        awaited => panic!("{awaited:?}"),
    };
    assert_eq!(member(&live), order[2]);
    let expected = live.expected();
    assert!(expected.contains(live.name(order[2])), "{expected}");
    live.choose(&SeatAction::Double).unwrap();
    assert_eq!(live.user(), order[2], "the member answers");
    live.choose(&SeatAction::Take).unwrap();
    assert_eq!(member(&live), order[3]);
    live.choose(&SeatAction::Leave).unwrap();
    assert_eq!(member(&live), order[4]);
    // Who rolls leaves the other cubes.
    live.choose(&ROLL).unwrap();
    let view = live.view().chouette.unwrap();
    let cubes: Vec<u32> = view.members.iter().map(|member| member.cube.value()).collect();
    assert_eq!(cubes, [1, 2, 1, 1]);
    // In the turn of the team the box answers a member.
    to_a_cube(&mut live);
    assert_eq!(live.awaited(), Awaited::Cube(order[2], CubeChoice::Turn { member: order[2] }));
    let error = live.choose(&ROLL).unwrap_err().to_string();
    assert!(error.contains("leave the cube"), "{error}");
    live.choose(&SeatAction::Double).unwrap();
    assert_eq!(live.user(), owner);
    live.choose(&SeatAction::Drop).unwrap();
    let [box_name, captain] = [owner, order[2]].map(|seat| live.name(seat).to_owned());
    let paid = |log: Vec<LoggedTurn>| log.last().unwrap().reasons.join("; ");
    assert!(paid(live.log()).contains(&format!("{box_name} -")), "{}", paid(live.log()));
    assert!(paid(live.log()).contains(&format!("{captain} +")), "{}", paid(live.log()));
    assert_eq!(live.view().chouette.unwrap().members.iter().filter(|it| it.playing).count(), 3);
    // What was done is taken back in its order, and done again from a file.
    let log = live.log();
    live.take_back().unwrap();
    assert_eq!(live.awaited(), Awaited::Answer(owner, tavola_rules::Offer::Double));
    live.choose(&SeatAction::Drop).unwrap();
    let read = Live::read(live.to_json().as_bytes(), "file").unwrap();
    assert_eq!(read.log().len(), log.len());
    assert_eq!(read.awaited(), live.awaited());
}

#[test]
fn a_member_who_drops_may_give_an_extra() {
    for rule in ["optional", "mandatory"] {
        let mut live = people(&format!(r#", "extras": "{rule}""#));
        let owner = to_the_box(&mut live);
        let order = live.chouette().unwrap().settled().order().to_vec();
        for answer in [SeatAction::Drop, SeatAction::Take, SeatAction::Drop, SeatAction::Drop] {
            live.choose(&SeatAction::Double).unwrap();
            live.choose(&answer).unwrap();
        }
        let captain = live.name(order[3]).to_owned() + " is captain now";
        let log = live.log();
        assert!(log.iter().any(|it| it.reasons.contains(&captain)), "{log:?}");
        let taker = order[3];
        let asked = |live: &Live| match live.awaited() {
            Awaited::Cube(giver, CubeChoice::GiveExtra { taker: to }) if to == taker => giver,
            awaited => panic!("{awaited:?}"),
        };
        let giver = asked(&live);
        // So early the take was right: an extra loses for its giver what it wins for the taker.
        let engine = Engine::without_tables();
        let worth = |live: &Live| match live.hint(&engine, &Watch::default()).unwrap() {
            Hint::Extra { worth } => worth,
            hint => panic!("{hint:?}"),
        };
        let lost = -worth(&live);
        assert!((0.1..1.5).contains(&lost), "{lost}");
        let mistake = |live: &Live, action| {
            live.mistake(&action, &engine, &Watch::default()).unwrap().unwrap()
        };
        let expected = |chosen: &str, better: &str, loss| Mistake {
            chosen: chosen.to_owned(),
            better: better.to_owned(),
            loss,
        };
        assert_eq!(mistake(&live, SeatAction::Extra), expected("extra", "leave", lost));
        assert_eq!(live.mistake(&SeatAction::Leave, &engine, &Watch::default()).unwrap(), None);
        live.choose(&SeatAction::Extra).unwrap();
        if rule == "optional" {
            assert_eq!(live.awaited(), Awaited::Cube(taker, CubeChoice::TakeExtra { giver }));
            assert_eq!(worth(&live), -lost);
            assert_eq!(mistake(&live, SeatAction::Leave), expected("leave", "take", lost));
            live.choose(&SeatAction::Take).unwrap();
        }
        for _ in 0..2 {
            assert_ne!(asked(&live), giver);
            live.choose(&SeatAction::Leave).unwrap();
        }
        assert_eq!(live.awaited(), Awaited::Roll(owner));
        assert!(!live.may_double());
        let view = live.view().chouette.unwrap();
        assert_eq!((view.extras.len(), view.captain), (1, taker + 1));
        live.play_out(&Engine::without_tables(), &Watch::default()).unwrap();
        let score = live.score();
        assert_eq!(score.iter().sum::<f64>(), 0.0, "{score:?}");
        // One was dropped, one paid, and the giver stands by the box.
        assert_eq!(score[giver], -2.0 - (score[taker] - 1.0) / 2.0, "{score:?}");
    }
}

#[test]
fn the_engine_advises_on_the_own_cube() {
    let engine = Engine::without_tables();
    let mut live = people("");
    to_the_box(&mut live);
    assert!(matches!(live.hint(&engine, &Watch::default()).unwrap(), Hint::Cube(_)));
    let mistake = live.mistake(&SeatAction::Double, &engine, &Watch::default()).unwrap().unwrap();
    assert_eq!(mistake.better, "no double");
    assert_eq!(live.mistake(&SeatAction::Leave, &engine, &Watch::default()).unwrap(), None);
}

#[test]
fn a_chouette_is_exported_and_what_it_can_not_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut live = people("");
    to_the_box(&mut live);
    for answer in [(); 4].map(|()| SeatAction::Drop) {
        live.choose(&SeatAction::Double).unwrap();
        live.choose(&answer).unwrap();
    }
    let order = live.chouette().unwrap().settled().order().to_vec();
    let last = live.log().pop().unwrap().reasons;
    assert!(last[1].ends_with(" stays the box"), "{last:?}");
    let write = |ending: &str| {
        let path = folder.path().join(format!("sheet.{ending}"));
        live.export(&path).map(|()| std::fs::read_to_string(&path).unwrap())
    };
    let (text, csv, json) = (write("txt").unwrap(), write("csv").unwrap(), write("json").unwrap());
    assert!(text.contains("drops") && text.contains("game  box"), "{text}");
    assert!(csv.starts_with("game,box,captain,Ann,Ben,Cleo,Dan,Eve\n1,"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["accounts"][order[0]], 4);
    assert!(write("mat").unwrap_err().to_string().contains("a chouette"));
    let mut saved: serde_json::Value = serde_json::from_str(&live.to_json()).unwrap();
    saved["setup"]["names"] = (0..21).map(|seat| seat.to_string()).collect();
    let error = Live::read(saved.to_string().as_bytes(), "file").err().unwrap().to_string();
    assert!(error.contains("21 names") && error.contains("expected 20"), "{error}");
    for (asked, expected) in [
        (r#"{"chouette": 2}"#, "\"chouette\" is 2"),
        (r#"{"chouette": 4, "game": "tabula"}"#, "\"chouette\" is set"),
        (r#"{"chouette": 4, "length": 3}"#, "\"length\" is 3"),
        (r#"{"chouette": 4, "beavers": "beavers"}"#, "\"beavers\""),
        (r#"{"cubes": "each"}"#, "\"chouette\" too"),
        (r#"{"chouette": 4, "people": {"5": "Ben"}}"#, "from 1 to 4"),
        (r#"{"people": {"2": "You"}}"#, "other names"),
        (r#"{"condone": true}"#, "between two people"),
    ] {
        let asked = serde_json::from_str(asked).unwrap();
        let error = Live::begin(asked, 1).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
