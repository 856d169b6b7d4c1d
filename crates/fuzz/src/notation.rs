//! Texts of backgammon: positions in every form, and plays.

use tavola_rules::notation::{
    Form, MatchId, NotationError, Xgid, decode_position_id, encode_position_id, parse_counts,
    parse_play, read_situation, write_counts,
};
use tavola_rules::{Backgammon, Dice, Position, movegen};

use crate::Target;

pub(crate) const TARGETS: [Target; 9] = [
    Target::new("situation", situation).words("positions"),
    Target::new("position-id", position_id).words("positions"),
    Target::new("match-id", match_id).words("positions"),
    Target::new("xgid", xgid).words("positions"),
    Target::new("ogid", situation).words("positions"),
    Target::new("fibs", situation).words("positions"),
    Target::new("counts", counts).words("positions"),
    Target::new("play", play).words("plays"),
    Target::new("dice", dice),
];

/// A position that a reader accepts is one that the rules accept.
fn sound(position: &Position) {
    let again = Position::from_counts(&position.counts(), position.checkers());
    assert_eq!(again.as_ref(), Ok(position), "a reader accepts what the rules refuse");
    assert_eq!(position.flip().flip(), *position);
}

/// Whatever is read is written in every form that has room, and read from it as the same.
fn situation(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for game in Backgammon::ALL {
        let Ok(reading) = read_situation(&text, game) else { continue };
        let situation = reading.situation;
        sound(&situation.position);
        reading.ignored.iter().for_each(|ignored| assert!(!ignored.to_string().is_empty()));
        for form in Form::ALL {
            let Ok(written) = form.write(&situation) else { continue };
            let again = read_situation(&written, game)
                .unwrap_or_else(|error| panic!("{text:?} as {form}: {error}"))
                .situation;
            assert_eq!(again.position, situation.position, "{text:?} as {written:?}");
            assert_eq!(form.write(&again).as_deref(), Ok(&*written), "{text:?}");
            if !matches!(form, Form::PositionId | Form::Counts) {
                // Some forms have no room for a roll beside an offered cube.
                if situation.offer.is_none() {
                    assert_eq!(again.dice, situation.dice, "{text:?} as {written:?}");
                }
                // Some forms know no beavers: theirs is a double.
                assert_eq!(again.offer.is_some(), situation.offer.is_some(), "{text:?}");
                if let Some(cube) = situation.cube {
                    assert_eq!(again.cube, Some(cube), "{text:?} as {written:?}");
                }
            }
        }
    }
}

fn position_id(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(position) = decode_position_id(&text) else { return };
    sound(&position);
    let id = encode_position_id(&position);
    assert_eq!(decode_position_id(&id), Ok(position), "{text:?}");
    // What the encoder writes is read wherever a position is expected.
    let anywhere = read_situation(&id, Backgammon::Standard);
    assert_eq!(anywhere.map(|reading| reading.situation.position), Ok(position), "{text:?}");
}

fn match_id(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(id) = MatchId::decode(&text) else { return };
    let written = id.encode().expect("what a Match ID says has room in one");
    assert_eq!(MatchId::decode(&written).as_ref(), Ok(&id), "{text:?}");
    if let Ok(situation) = id.situation(Position::STANDARD) {
        round_trip(situation, Form::PositionAndMatchId, &text);
    }
}

fn xgid(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(xgid) = Xgid::decode(&text) else { return };
    let written = xgid.encode().expect("what an XGID says has room in one");
    assert_eq!(Xgid::decode(&written).as_ref(), Ok(&xgid), "{text:?}");
    if let Ok(situation) = xgid.situation() {
        sound(&situation.position);
        round_trip(situation, Form::Xgid, &text);
    }
}

fn round_trip(situation: tavola_rules::notation::Situation, form: Form, text: &str) {
    let written = match form.write(&situation) {
        Ok(written) => written,
        Err(NotationError::NoRoom { .. }) => return,
        Err(error) => panic!("{text:?} can't be written as {form}: {error}"),
    };
    let again = read_situation(&written, Backgammon::Standard);
    let again = again.unwrap_or_else(|error| panic!("{text:?} as {form}: {error}")).situation;
    assert_eq!(again, situation, "{text:?} as {written:?}");
}

fn counts(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(position) = parse_counts(&text) else { return };
    sound(&position);
    assert_eq!(parse_counts(&write_counts(&position)), Ok(position), "{text:?}");
}

/// A line with a Position ID and dice, then a line with a play.
fn play(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Some((question, text)) = text.split_once('\n') else { return };
    let Some((id, dice)) = question.split_once(' ') else { return };
    let (Ok(position), Ok(dice)) = (decode_position_id(id), dice.parse::<Dice>()) else { return };
    let Ok((play, after)) = parse_play(text, &position, dice) else { return };
    assert_eq!(play.apply(&position), Ok(after), "{text:?} in {id} with {dice}");
    let mut afterstates = Vec::new();
    movegen::afterstates(&position, dice, &mut afterstates);
    let is_legal =
        if play.is_pass() { afterstates.is_empty() } else { afterstates.contains(&after) };
    assert!(is_legal, "{text:?} in {id} with {dice} is not legal");
    let again = parse_play(&play.to_string(), &position, dice).map(|(_, after)| after);
    assert_eq!(again, Ok(after), "{text:?} in {id} with {dice} is written as {play}");
}

fn dice(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(dice) = text.parse::<Dice>() {
        assert_eq!(dice.to_string().parse(), Ok(dice), "{text:?}");
    }
}
