//! What a play does, in the words of players. Each clause is about figures of [`Features`] and
//! [`Shots`].

use super::{Features, Shots, Side, listed};

/// With as many pips on both sides no point is about to break.
const NEAR_THE_END: u32 = 50;

impl Features {
    /// The clauses, the most telling first. `hitting` are the opponent's rolls of 36 whose best play
    /// hits.
    pub fn words(&self, shots: Option<&Shots>, hitting: u8) -> Vec<String> {
        let Self { hit, contact, player, opponent, .. } = self;
        let mut words = Vec::new();
        match hit {
            0 => {}
            1 => words.push("hits".to_owned()),
            more => words.push(format!("hits {more} checkers")),
        }
        if !contact {
            words.push(format!("a race, {} pips to {}", player.pips, opponent.pips));
            words.extend(borne_off(player, opponent));
            if player.outside > 0 {
                words.push(format!("{} to bring home", checkers(player.outside)));
            }
            if !player.gaps.is_empty() {
                words.push(format!("no checker on {}", listed(&player.gaps)));
            }
            return words;
        }
        words.extend(self.points(shots));
        words.extend(shots.map(|shots| risk(shots, hitting)));
        words.extend(self.held());
        words.push(format!("{} pips to {}", player.pips, opponent.pips));
        words.extend(borne_off(player, opponent));
        let holds = |side: &Side| side.prime.is_some() || !side.anchors().is_empty();
        let is_shut = |side: &Side, other: &Side| side.bar > 0 && other.home() == 6;
        let moves = !is_shut(player, opponent) && !is_shut(opponent, player);
        let is_near = player.free.min(opponent.free) < NEAR_THE_END;
        if moves && is_near && (holds(player) || holds(opponent)) {
            words.push(format!("timing {} pips to {}", player.free, opponent.free));
        }
        words
    }

    /// Points that are made, of which a blot is left, and which are left altogether.
    fn points(&self, shots: Option<&Shots>) -> Vec<String> {
        let is_blot =
            |point: &u8| shots.is_some_and(|it| it.blots.iter().any(|b| b.point == *point));
        let (broken, cleared): (Vec<u8>, Vec<u8>) =
            self.given_up.iter().partition(|it| is_blot(it));
        let said = |what: &str, points: &[u8]| match points {
            [] => None,
            [only] => Some(format!("{what} the {only} point")),
            more => Some(format!("{what} the points {}", listed(more))),
        };
        let all = [("makes", &self.made), ("breaks", &broken), ("clears", &cleared)];
        all.into_iter().filter_map(|(what, points)| said(what, points)).collect()
    }

    /// What either side is held by.
    fn held(&self) -> Vec<String> {
        let Self { player, opponent, .. } = self;
        let mut words = Vec::new();
        match (player.home(), player.prime_before(opponent)) {
            (6, _) => words.push("a closed board".to_owned()),
            (_, Some(6)) => words.push("a full prime of 6 points".to_owned()),
            (_, Some(length)) => words.push(format!("a prime of {length} points")),
            _ => {}
        }
        let open = 6 - player.home();
        match (opponent.bar, (1..5).contains(&open)) {
            (0, _) => {}
            (1, true) => words.push(format!("they enter on {open} of 6 points")),
            (bar, true) => {
                words.push(format!("{bar} of theirs on the bar enter on {open} of 6 points"));
            }
            // That nearly every roll enters tells nothing.
            (1, false) if open > 0 => {}
            (bar, false) => words.push(format!("{bar} of theirs on the bar")),
        }
        if let Some(length) = opponent.prime_before(player) {
            words.push(format!("their prime has {length} points"));
        }
        match player.anchors()[..] {
            [] => {}
            [only] => words.push(format!("an anchor on {only}")),
            ref several => words.push(format!("anchors on {}", listed(several))),
        }
        words
    }
}

/// The blots and the rolls that hit them.
fn risk(shots: &Shots, hitting: u8) -> String {
    let blots = match shots.blots.len() {
        0 => return "no blots".to_owned(),
        1 => "a blot".to_owned(),
        more => format!("{more} blots"),
    };
    match shots.hits {
        0 => format!("{blots} out of reach"),
        hits if hits == hitting => format!("{blots}, hit by {hits} of 36"),
        hits if hitting == 0 => format!("{blots}: {hits} of 36 rolls can hit, none should"),
        hits => format!("{blots}: {hits} of 36 rolls can hit, {hitting} should"),
    }
}

fn borne_off(player: &Side, opponent: &Side) -> Option<String> {
    (player.off + opponent.off > 0)
        .then(|| format!("{} off to {}", checkers(player.off), opponent.off))
}

fn checkers(count: u8) -> String {
    if count == 1 { "1 checker".to_owned() } else { format!("{count} checkers") }
}

#[cfg(test)]
mod tests {
    use tavola_rules::Position;

    use super::super::shots;
    use super::*;

    type Checkers<'a> = &'a [(usize, u8)];

    /// What is said of a play from one set of own checkers to another; the opponent numbers their
    /// own points.
    fn said(before: Checkers<'_>, after: Checkers<'_>, theirs: Checkers<'_>) -> String {
        said_of(before, after, theirs, theirs)
    }

    fn said_of(
        before: Checkers<'_>,
        after: Checkers<'_>,
        theirs: Checkers<'_>,
        now: Checkers<'_>,
    ) -> String {
        let before = Position::from_points(before, theirs, 15).unwrap();
        let after = Position::from_points(after, now, 15).unwrap().flip();
        let (features, shots) = (Features::of(&before, &after), shots(&after));
        let said = features.words(Some(&shots), shots.hits);
        follows(&said, &features, &format!("{features:?} {shots:?}"));
        said.join("; ")
    }

    /// Every number of a clause is one of the figures, or a count of them.
    fn follows(said: &[String], features: &Features, figures: &str) {
        let numbers = |text: &str| -> Vec<u32> {
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
        };
        let length = |side: &Side| side.prime.map_or(0, |[low, high]| u32::from(high - low) + 1);
        let (player, opponent) = (&features.player, &features.opponent);
        let mut known = numbers(figures);
        known.extend([length(player), length(opponent), 6, 6 - player.home() as u32, 36]);
        known.push(figures.matches("Blot {").count() as u32);
        for clause in said {
            assert!(numbers(clause).iter().all(|it| known.contains(it)), "{clause}: {figures}");
        }
    }

    const ANCHOR: Checkers<'_> = &[(24, 2), (6, 5), (8, 3), (13, 5)];

    #[test]
    fn the_sentences_of_known_kinds_of_positions_are_true() {
        // The customary play: 8/5 6/5.
        let made = said(ANCHOR, &[(24, 2), (13, 5), (8, 2), (6, 4), (5, 2)], ANCHOR);
        assert_eq!(made, "makes the 5 point; no blots; an anchor on 24; 163 pips to 167");
        // A blot seven away from their only checker: six of 36.
        let shot = said(&[(13, 2), (6, 2)], &[(13, 1), (10, 1), (6, 2)], &[(22, 1), (1, 2)]);
        assert!(shot.starts_with("breaks the 13 point; 2 blots, hit by "), "{shot}");
        // 3 away, from 3 to 6 by their count: the table of shots says 14 with nothing else about.
        let shot = said(&[(7, 1), (1, 2)], &[(6, 1), (1, 2)], &[(22, 1), (1, 2)]);
        assert!(shot.contains("a blot, hit by 14 of 36"), "{shot}");
        // A prime of five, and theirs of four.
        let mut prime: Vec<(usize, u8)> = (4..9).map(|point| (point, 2)).collect();
        prime.push((24, 2));
        let theirs = [(24, 2), (7, 2), (6, 2), (5, 2), (4, 2)];
        let primes = said(&[(24, 2), (9, 2), (4, 8)], &prime, &theirs);
        assert!(primes.contains("a prime of 5 points; their prime has 4 points"), "{primes}");
        // No checker is behind theirs.
        let primes = said(&[(9, 2), (4, 8)], &prime[..5], &theirs);
        assert!(primes.contains("a prime of 5 points; 6"), "{primes}");
        // A race.
        let race = said(&[(6, 3), (8, 2)], &[(6, 3), (5, 1), (4, 1)], &[(6, 4)]);
        assert_eq!(race, "a race, 27 pips to 24; 10 checkers off to 11; no checker on 3, 2, 1");
        // Bearing off without contact: points that come off do not break.
        let off = said(&[(3, 2), (1, 2)], &[(3, 2)], &[(1, 2)]);
        assert_eq!(off, "a race, 6 pips to 2; 13 checkers off to 13; no checker on 2, 1");
    }

    #[test]
    fn closed_boards_anchors_and_timing_are_told() {
        let closed: Vec<(usize, u8)> = (1..7).map(|point| (point, 2)).collect();
        let shut = said_of(
            &[(7, 1), (6, 1), (5, 2), (4, 2), (3, 2), (2, 2), (1, 2)],
            &closed,
            &[(25, 1), (3, 2)],
            &[(25, 1), (3, 2)],
        );
        assert!(
            shut.starts_with(
                "makes the 6 point; no blots; a closed board; 1 of theirs on the bar; 42 pips"
            ),
            "{shut}"
        );
        // One point is open, and it is hit from there.
        let hit = said_of(
            &[(8, 1), (6, 2), (5, 2), (4, 2), (3, 2), (2, 2)],
            &[(6, 2), (5, 2), (4, 2), (3, 2), (2, 2), (1, 1)],
            &[(24, 1), (3, 2)],
            &[(25, 1), (3, 2)],
        );
        assert!(hit.starts_with("hits; a blot, hit by 11 of 36; a prime of 5 points"), "{hit}");
        assert!(hit.contains("they enter on 1 of 6 points"), "{hit}");
        // Ace-point game, back game: anchors by their number.
        let ace = said(&[(24, 2), (9, 1), (6, 2)], &[(24, 2), (8, 1), (6, 2)], &[(6, 2), (4, 2)]);
        assert!(ace.contains("an anchor on 24"), "{ace}");
        let back = said(
            &[(24, 2), (22, 2), (8, 2), (7, 1), (6, 4)],
            &[(24, 2), (22, 2), (8, 2), (6, 5)],
            &[(8, 3), (6, 4), (5, 2)],
        );
        assert!(back.contains("anchors on 24, 22"), "{back}");
        // Timing: two on 8 and three more on 6 may be played, all of theirs but two on 6 and two on
        // 5.
        assert!(
            back.ends_with(&format!("timing {} pips to {}", 2 * 7 + 3 * 5, 3 * 7 + 2 * 5)),
            "{back}"
        );
        // A blitz hits twice; containment: the bar is against a broken board.
        let blitz = said_of(
            &[(8, 2), (6, 4), (13, 1)],
            &[(5, 1), (3, 1), (6, 4), (13, 1)],
            &[(20, 1), (22, 1), (6, 2)],
            &[(25, 2), (6, 2)],
        );
        assert!(blitz.starts_with("hits 2 checkers; clears the 8 point; 3 blots"), "{blitz}");
        assert!(blitz.contains("2 of theirs on the bar; "), "{blitz}");
        assert!(!blitz.contains("enter on"), "one closed point tells nothing: {blitz}");
        // What nine points more are worth is not said by pips alone: one is left, and it is hit.
        let contained = said_of(&[(25, 1)], &[(22, 1)], &[(3, 1), (6, 2)], &[(25, 1), (6, 2)]);
        assert!(contained.starts_with("hits; a blot, hit by "), "{contained}");
        assert!(contained.contains("; 14 checkers off to 12"), "{contained}");
        // Bearing off against contact.
        let off = said(&[(6, 2), (5, 2), (4, 2)], &[(6, 2), (5, 1), (4, 2)], &[(24, 2), (2, 2)]);
        assert!(off.starts_with("breaks the 5 point; a blot, hit by "), "{off}");
        let off = said(&[(6, 2), (5, 2), (4, 2)], &[(6, 2), (4, 2)], &[(24, 2), (2, 2)]);
        assert!(off.starts_with("clears the 5 point; no blots; "), "{off}");
    }

    #[test]
    fn hits_that_are_not_played_are_told_apart() {
        let after = Position::from_points(&[(24, 2), (8, 1), (6, 2)], &[(18, 2), (6, 2)], 15);
        let after = after.unwrap().flip();
        let (features, shots) = (Features::of(&after.flip(), &after), shots(&after));
        let said = |hitting| features.words(Some(&shots), hitting).join("; ");
        let all = shots.hits;
        assert!(said(all).contains(&format!("a blot, hit by {all} of 36; ")), "{}", said(all));
        let few = format!("a blot: {all} of 36 rolls can hit, 3 should; ");
        assert!(said(3).contains(&few), "{}", said(3));
        assert!(said(0).contains(" of 36 rolls can hit, none should; "), "{}", said(0));
    }

    #[test]
    fn races_tell_what_is_not_home_and_what_is_open() {
        let race = said(&[(9, 1), (8, 1), (6, 3)], &[(8, 1), (7, 1), (6, 3)], &[(2, 1)]);
        assert_eq!(
            race,
            "a race, 33 pips to 2; 10 checkers off to 14; 2 checkers to bring home; \
             no checker on 5, 4, 3, 2, 1"
        );
        let last = said(&[(3, 2)], &[(2, 1)], &[(2, 1)]);
        assert_eq!(last, "a race, 2 pips to 2; 14 checkers off to 14; no checker on 1");
        let first = said(&[(6, 14), (1, 1)], &[(6, 14)], &[(2, 15)]);
        assert!(first.contains("; 1 checker off to 0"), "{first}");
    }
}
