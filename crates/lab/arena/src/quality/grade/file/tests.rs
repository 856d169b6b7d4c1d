//! Files of graded decisions, whole, cut and damaged.

use tavola_files::Failure;
use tavola_files::seal;
use tavola_rules::notation::encode_position_id;
use tavola_rules::{Backgammon, Dice, Position};

use super::super::{PhaseShare, Purpose, SampleLabels};
use super::*;

const GAME: Backgammon = Backgammon::Standard;

const HEADER: &str = r#"{"format":"tavola-grade","version":3,"game":"backgammon","purpose":"tuning","command":"","network":"","seed":1,"games":9,"seeded_games":0,"phases":[{"phase":"opening","share":1.0,"drawn":2,"seeded":0}],"grader":{"name":"J","settings":"","rated":"some","margin":0.25}}"#;
const FIRST: &str = r#"{"position":"4HPwATDgc/ABMA","dice":[3,1],"phase":"opening","plays":[["sGfwATDgc/ABMA",0.16],["4HPwATDQZ/ABMA",0.0,0.01]]}"#;

/// The start with a 2-1 and all of its afterstates.
fn second() -> String {
    let roll = Dice::new(2, 1).unwrap();
    let mut afterstates = Vec::new();
    Backgammon::Standard.afterstates(&Position::STANDARD, roll, &mut afterstates);
    let plays: Vec<(String, f64)> = afterstates
        .iter()
        .enumerate()
        .map(|(i, p)| (encode_position_id(p), -0.1 * i as f64))
        .collect();
    format!(
        r#"{{"position":"4HPwATDgc/ABMA","dice":[2,1],"phase":"opening","plays":{}}}"#,
        serde_json::to_string(&plays).unwrap()
    )
}

fn sealed(lines: &[&str]) -> String {
    lines.iter().map(|line| seal(line) + "\n").collect()
}

fn read(lines: &[&str]) -> Result<Reference<Backgammon>, Failure> {
    Reference::read(&GAME, sealed(lines).as_bytes())
}

fn legal_after(roll: Dice) -> Vec<Position> {
    let mut afterstates = Vec::new();
    Backgammon::Standard.afterstates(&Position::STANDARD, roll, &mut afterstates);
    afterstates
}

fn first() -> String {
    let afterstates = legal_after(Dice::new(3, 1).unwrap());
    FIRST.replace(
        "4HPwATDQZ/ABMA",
        &encode_position_id(
            afterstates.iter().find(|p| encode_position_id(p) != "sGfwATDgc/ABMA").unwrap(),
        ),
    )
}

#[test]
fn losses_are_against_the_best_play_and_unrated_ones_lose_the_margin_at_least() {
    let reference = read(&[HEADER, &first(), &second()]).unwrap();
    assert_eq!(reference.header.share(Some(Phase::Opening)), 1.0);
    assert_eq!(reference.header.share(Some(Phase::Race)), 0.0);
    let [first, second] = &reference.decisions[..] else { panic!("{reference:?}") };
    assert_eq!(first.best().equity, 0.16);
    assert_eq!(first.loss_of(&first.best().after), (0.0, true));
    assert_eq!(first.loss_of(&first.plays[1].after), (0.16, true));
    assert_eq!(first.plays[1].standard_error, Some(0.01));
    let unrated = legal_after(first.question.1)
        .into_iter()
        .find(|after| first.plays.iter().all(|play| play.after != *after))
        .unwrap();
    assert_eq!(first.loss_of(&unrated), (0.25, false));
    let worst = second.plays.last().unwrap();
    assert!(second.loss_of(&worst.after).0 > 1.0);
}

#[test]
fn bad_files_are_answered_with_line_and_reason() {
    let first = first();
    let second = second();
    let other_play = first.replace("sGfwATDgc/ABMA", "4HPwATDgc/ABMA");
    let other_phase = first.replace("opening", "race");
    let twice = first.replace("0.16]", "0.16],[\"sGfwATDgc/ABMA\",0.1]");
    let cases: [(&[&str], &[&str]); 19] = [
        (&[], &["line 1", "empty"]),
        (&["{}"], &["line 1", "tavola-grade"]),
        (&["hello"], &["line 1", "tavola-grade"]),
        (&[&HEADER.replace(":3,", ":2,")], &["version 2", "expected version 3"]),
        (&[&HEADER.replace("\"J\"", "\"J\",\"judge\":1")], &["line 1", "judge"]),
        (&[&HEADER.replace("tuning", "training")], &["line 1", "training"]),
        (&[&HEADER.replace("0.25", "-1")], &["line 1", "margin"]),
        (&[HEADER], &["line 2: the file ends after 0 of its lines, expected 2"]),
        (&[HEADER, &first], &["line 3: the file ends after 1 of its lines, expected 2"]),
        (&[HEADER, &second, &other_phase], &["1 decision of the phase", "two of each phase"]),
        (&[HEADER, &second, &first, &second], &["line 4", "earlier"]),
        (
            &[&HEADER.replace("\"backgammon", "\"puff")],
            &["line 1", "of puff", "expected a file of backgammon"],
        ),
        (
            &[HEADER, &first.replace("\"phase\":\"opening\",", "")],
            &["line 2", "no phase", "expected one"],
        ),
        (&[HEADER, &first.replace("[3,1]", "[3,7]")], &["line 2: ", "7", "2 numbers from 1 to 6"]),
        (&[HEADER, &first.replace("opening", "ending")], &["line 2", "ending"]),
        (&[HEADER, &second, &other_play], &["line 3", "no legal play of 3-1"]),
        (&[HEADER, &twice], &["line 2", "twice"]),
        (&[HEADER, &first.replace("0.16", "16")], &["line 2", "16", "-3 to 3"]),
        (&[HEADER, &first.replace("4HPwATDgc/ABMA\",\"d", "4HPw\",\"d")], &["line 2", "4HPw"]),
    ];
    for (lines, parts) in cases {
        let error = read(lines).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{part:?} is not in {error:?}");
        }
    }
}

#[test]
fn a_changed_digit_and_a_lost_checksum_are_noticed() {
    let lines = [HEADER.to_owned(), first(), second()].map(|line| seal(&line));
    let with = |at: usize, line: String| {
        let mut lines = lines.clone();
        lines[at] = line;
        Reference::read(&GAME, lines.join("\n").as_bytes())
    };
    let whole = with(0, lines[0].clone()).unwrap();
    assert_eq!(whole.decisions, read(&[HEADER, &first(), &second()]).unwrap().decisions);
    for (at, line, reason) in [
        (1, lines[1].replace("0.16", "0.17"), "line 2: its checksum is"),
        (2, second(), "line 3: no checksum"),
        (0, lines[0].replace("\"seed\":1", "\"seed\":3"), "line 1: its checksum is"),
    ] {
        let error = with(at, line).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_sample_is_no_reference_but_its_decisions_can_be_read() {
    let (command, network) = ("draw".to_owned(), "net".to_owned());
    let labels = SampleLabels { purpose: Purpose::Reporting, command, network };
    let mut header = Header::new(GAME.id(), labels, (1, 1));
    let phase = Some(Phase::Opening);
    header.phases.push(PhaseShare { phase, share: 1.0, drawn: 1, seeded: 0 });
    let question = (Position::STANDARD, Dice::new(3, 1).unwrap());
    let line = GradedLine::drawn(&GAME, &question, phase, &legal_after(question.1));
    let text = text(&header, &[line]).unwrap();
    let decisions = Decisions::read(&GAME, text.as_bytes()).unwrap();
    assert_eq!((decisions.header, decisions.questions), (header, vec![(question, phase)]));
    let error = Reference::read(&GAME, text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("no grader"), "{error}");
}
