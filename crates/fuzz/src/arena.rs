//! Files of results: pairs of duels, ladders, grades.

use tavola_arena::PairLog;
use tavola_arena::grade::states::StateReference;
use tavola_arena::grade::{Decisions, Reference, unpacked};
use tavola_arena::ladder::LadderFile;
use tavola_rules::Backgammon;

use crate::{Target, repair, scratch};

pub(crate) const TARGETS: [Target; 4] = [
    Target::new("pairs", pairs).repaired(repair::journal).words("results"),
    Target::new("ladder", ladder).repaired(repair::journal).words("results"),
    Target::new("grade", grade).repaired(repair::sealed_lines).words("results").longest(16 << 10),
    Target::new("grade-sage", grade_sage).repaired(repair::gzip).words("json").longest(16 << 10),
];

fn pairs(input: &[u8]) {
    scratch::with_file("pairs", input, |path| {
        let Ok((header, pairs)) = PairLog::read(path) else { return };
        let copy = path.with_extension("copy");
        let _ = std::fs::remove_file(&copy);
        let mut log = PairLog::create(&copy, &header).expect("what was read can be written");
        for pair in &pairs {
            log.add(pair).expect("what was read can be written");
        }
        drop(log);
        let (header_again, again) = PairLog::read(&copy).expect("what was written can be read");
        assert_eq!(header_again, header);
        assert_eq!(format!("{again:?}"), format!("{pairs:?}"));
    });
}

/// A ladder that is read has ratings, or says why not.
fn ladder(input: &[u8]) {
    scratch::with_file("ladder", input, |path| {
        let Ok((_, ladder, _)) = LadderFile::read(path) else { return };
        if let Ok(standings) = ladder.standings(&[]) {
            let ratings = standings.ratings.iter();
            assert!(ratings.map(|rating| rating.elo.mean).all(f64::is_finite));
        }
    });
}

fn grade(input: &[u8]) {
    let game = Backgammon::Standard;
    let decisions = Decisions::read(&game, input);
    if let Ok(states) = StateReference::read(&game, input) {
        assert!(states.states.iter().all(|rated| rated.equity.is_finite()));
    }
    if let Ok(reference) = Reference::read(&game, input) {
        let questions = decisions.expect("its decisions are questions").questions;
        assert_eq!(questions.len(), reference.decisions.len());
        losses(&reference);
    }
}

/// Every play of a reference has a loss, the best one none.
fn losses(reference: &Reference<Backgammon>) {
    for evaluated in &reference.decisions {
        let best = evaluated.best().after;
        assert_eq!(evaluated.loss_of(&best), (0.0, true));
        for play in &evaluated.plays {
            let (loss, _) = evaluated.loss_of(&play.after);
            assert!(loss >= 0.0 && loss.is_finite(), "a loss of {loss}");
        }
    }
}

/// Files of Open Sage: a benchmark, its decisions a line each, states; packed or not.
fn grade_sage(input: &[u8]) {
    let game = Backgammon::Standard;
    let Ok(content) = unpacked(input) else { return };
    if let Ok(states) = StateReference::of_file(&game, &content) {
        assert!(states.states.iter().all(|rated| rated.equity.is_finite()));
    }
    if let Ok(reference) = Reference::of_file(&game, &content) {
        losses(&reference);
    }
}
