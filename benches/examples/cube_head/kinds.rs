//! Kinds of positions in which cubes may be more or less live.

use tavola_play::{CubeSample, Phase};
use tavola_rules::Position;

/// A kind: its name, and whether a sample is of it.
pub type Kind = (&'static str, fn(&CubeSample) -> bool);

/// By what is going on at the board, then by the chance to win. Kinds of the first sort overlap where
/// a name says so.
pub const KINDS: [Kind; 19] = [
    ("opening", |s| phase(s) == Phase::Opening),
    ("middle", |s| phase(s) == Phase::Middle),
    ("blitz (any phase)", |s| is_blitz(&s.position)),
    ("holding", |s| phase(s) == Phase::Holding),
    ("ace-point game (any phase)", |s| is_ace_point(&s.position)),
    ("priming", |s| phase(s) == Phase::Priming),
    ("back game", |s| phase(s) == Phase::BackGame),
    ("crunched", |s| phase(s) == Phase::Crunched),
    ("bear-off against contact", |s| phase(s) == Phase::BearOffContact),
    ("race to 40 pips", |s| is_race(s, 0, 40)),
    ("race, 41 to 70 pips", |s| is_race(s, 41, 70)),
    ("race, 71 to 100 pips", |s| is_race(s, 71, 100)),
    ("race from 101 pips", |s| is_race(s, 101, u32::MAX)),
    ("contact, wins to 20 %", |s| is_contact(s, 0.0, 0.2)),
    ("contact, wins 20 to 35 %", |s| is_contact(s, 0.2, 0.35)),
    ("contact, wins 35 to 50 %", |s| is_contact(s, 0.35, 0.5)),
    ("contact, wins 50 to 65 %", |s| is_contact(s, 0.5, 0.65)),
    ("contact, wins 65 to 80 %", |s| is_contact(s, 0.65, 0.8)),
    ("contact, wins from 80 %", |s| is_contact(s, 0.8, 1.1)),
];

fn phase(sample: &CubeSample) -> Phase {
    Phase::of(&sample.position)
}

fn is_race(sample: &CubeSample, from: u32, to: u32) -> bool {
    let pips = sample.position.pip_count();
    !sample.position.has_contact() && (from..=to).contains(&pips)
}

fn is_contact(sample: &CubeSample, from: f32, below: f32) -> bool {
    let win = sample.probs.cumulative().win;
    sample.position.has_contact() && (from..below).contains(&win)
}

/// A side has a checker on the bar against three or more points of a home board, and the other has
/// not borne off: there is something to be closed out.
fn is_blitz(position: &Position) -> bool {
    [*position, position.flip()].iter().any(|side| {
        let made = (1..=6).filter(|&point| side.point(point) >= 2).count();
        side.opponent_bar() > 0 && made >= 3 && side.off() == 0
    })
}

/// All that a side has in the opponent's home is a made ace point, with everybody else past it but
/// for those who come home.
fn is_ace_point(position: &Position) -> bool {
    let sides = [*position, position.flip()];
    let waits = |side: &Position| {
        side.point(24) >= 2 && side.bar() == 0 && (18..24).all(|point| side.point(point) <= 0)
    };
    let is_past =
        |side: &Position| side.bar() == 0 && (18..=24).all(|point| side.point(point) <= 0);
    (waits(&sides[0]) && is_past(&sides[1])) || (waits(&sides[1]) && is_past(&sides[0]))
}
