//! Match text as other programs and people spell it, written from a record without the writer.

use std::fmt::Write as _;

use tavola_matches::{Act, Game, Match, Playback};
use tavola_rules::{Backgammon, Cube, GameEnding, Offer, Play, Player, moves};

/// How a program spells match text.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    pub name: &'static str,
    pub bar: &'static str,
    pub off: &'static str,
    /// Whether a hop is written a die, or journeys are joined and counted: `13/10(2)`.
    pub hops: bool,
    /// What stands behind a roll that can't be played.
    pub dance: &'static str,
    /// The words of the cube; a number replaces `#`.
    pub double: &'static str,
    pub take: &'static str,
    pub drop: &'static str,
    pub beaver: &'static str,
    pub raccoon: &'static str,
    /// Whether a take is written behind a beaver, too.
    pub beavers_are_taken: bool,
    /// What stands in the cell of who resigns.
    pub resigns: &'static str,
    /// `Wins # points`, or as it is for one.
    pub wins: [&'static str; 2],
    /// What stands behind a name.
    pub behind_name: &'static str,
    /// The width of the left column, and of the number of a row.
    pub width: usize,
    pub upper: bool,
}

const GNUBG: Spelling = Spelling {
    name: "GNU Backgammon",
    bar: "25",
    off: "0",
    hops: true,
    dance: "",
    double: " Doubles => #",
    take: " Takes",
    drop: " Drops",
    beaver: " Beavers => #",
    raccoon: " Beavers => #",
    beavers_are_taken: false,
    resigns: "",
    wins: [" Wins # point", " Wins # points"],
    behind_name: "",
    width: 27,
    upper: false,
};

/// The spellings that `docs/matches.md` names, and mixtures of them.
pub const SPELLINGS: [Spelling; 9] = [
    GNUBG,
    Spelling {
        name: "Backgammon Galaxy",
        bar: "Bar",
        off: "Off",
        dance: "Cannot Move",
        double: "Doubles => #",
        take: "Takes",
        drop: "Drops",
        beaver: "Beavers => #",
        raccoon: "Raccoons => #",
        beavers_are_taken: true,
        resigns: "????",
        wins: ["Wins # point", "Wins # point"],
        ..GNUBG
    },
    Spelling {
        name: "eXtreme Gammon",
        bar: "bar",
        off: "off",
        hops: false,
        dance: "Cannot Move",
        raccoon: " Raccoons => #",
        beavers_are_taken: true,
        width: 33,
        ..GNUBG
    },
    Spelling {
        name: "GridGammon",
        bar: "bar",
        off: "off",
        dance: "????",
        behind_name: ",1666",
        double: " Doubles => #",
        width: 31,
        ..GNUBG
    },
    Spelling {
        name: "Backgammon Studio",
        bar: "Bar",
        off: "Off",
        hops: true,
        dance: "",
        double: " Doubles to #",
        drop: " Passes",
        beaver: " Beavers to #",
        raccoon: " Raccoons to #",
        resigns: " Resigns",
        ..GNUBG
    },
    Spelling {
        name: "JavaFIBS",
        bar: "BAR",
        off: "OFF",
        hops: false,
        take: " Accepts",
        drop: " Rejects",
        beavers_are_taken: true,
        ..GNUBG
    },
    Spelling { name: "in capitals", bar: "Bar", upper: true, dance: "Cannot Move", ..GNUBG },
    Spelling {
        name: "in small letters",
        bar: "bar",
        off: "off",
        dance: "(no play)",
        double: " doubles => #",
        take: " takes",
        drop: " drops",
        beaver: " beavers => #",
        raccoon: " raccoons => #",
        wins: ["wins # point", "wins # points"],
        ..GNUBG
    },
    Spelling {
        name: "without values of the cube",
        bar: "Bar",
        off: "Off",
        hops: false,
        double: " Doubles",
        beaver: " Beavers",
        raccoon: " Raccoons",
        beavers_are_taken: true,
        ..GNUBG
    },
];

/// The match in this spelling.
pub fn write(record: &Match, spelling: &Spelling) -> String {
    let mut text = match record.options.start {
        Backgammon::Nackgammon => "; [Variation \"NackGammon\"]\n".to_owned(),
        Backgammon::Hypergammon => "; [Variation \"HyperGammon (3)\"]\n".to_owned(),
        _ => String::new(),
    };
    if !record.options.crawford {
        text.push_str("; [Crawford \"Off\"]\n");
    }
    let _ = writeln!(text, "\n {} point match", record.length);
    for (index, game) in record.games.iter().enumerate() {
        let [one, two] = [0, 1].map(|seat| {
            let name = &record.players[seat];
            format!("{name}{} : {}", spelling.behind_name, game.score[seat])
        });
        let width = spelling.width + 2;
        let _ = writeln!(text, "\n Game {}\n {one:<width$}  {two}", index + 1);
        rows(record, game, spelling, &mut text);
    }
    text
}

/// The cells of a game in their columns, then its result.
fn rows(record: &Match, game: &Game, spelling: &Spelling, text: &mut String) {
    let mut playback = Playback::of_game(record, game).unwrap();
    let (mut number, mut open) = (0, false);
    let width = spelling.width;
    let mut put = |player: Player, cell: String, text: &mut String| {
        let cell = if spelling.upper { cell.to_uppercase() } else { cell };
        if player == Player::One || !open {
            number += 1;
            let _ = write!(text, "{}{number:3}) ", if open { "\n" } else { "" });
        }
        match player {
            Player::One => {
                let _ = write!(text, "{cell:<width$}");
            }
            Player::Two if open => {
                let _ = writeln!(text, " {cell}");
            }
            Player::Two => {
                let _ = writeln!(text, "{:width$} {cell}", "");
            }
        }
        open = player == Player::One;
    };
    for (at, action) in game.actions.iter().enumerate() {
        // Behind the last roll of a game question marks are no dance.
        let goes_on =
            matches!(game.actions.get(at + 1), Some(next) if !matches!(next.act, Act::Resign(_)));
        let cube = playback.situation().cube.unwrap_or(Cube::START).value();
        let offer = playback.offer();
        let of = |words: &str, value: u32| words.replace('#', &value.to_string());
        let cell = match action.act {
            Act::Roll(dice, Some(play)) if !play.is_pass() => {
                format!("{}{}: {}", dice.high(), dice.low(), moved(&play, spelling))
            }
            Act::Roll(dice, play) => {
                let dances = play.is_some() || !moves::can_move(playback.position(), dice);
                let dance = Some(spelling.dance).filter(|it| goes_on || !it.starts_with('?'));
                let behind = dance.filter(|_| dances).unwrap_or_default();
                format!("{}{}: {behind}", dice.high(), dice.low())
            }
            Act::Double => of(spelling.double, 2 * cube),
            Act::Beaver => of(spelling.beaver, 4 * cube),
            Act::Raccoon => of(spelling.raccoon, 8 * cube),
            Act::Take if offer != Some(Offer::Double) && !spelling.beavers_are_taken => {
                String::new()
            }
            Act::Take => spelling.take.to_owned(),
            Act::Drop => spelling.drop.to_owned(),
            Act::Resign(_) => spelling.resigns.to_owned(),
            Act::Accept => String::new(),
            Act::Refuse | Act::SetUp(..) => unreachable!("{:?}", action.act),
        };
        playback.act(action.player, &action.act).unwrap();
        if !cell.is_empty() {
            put(action.player, cell, text);
        }
    }
    let Some(result) = &game.result else { return text.push('\n') };
    let wins = of_points(spelling, result.points);
    let end = if record.length > 0
        && game.score[result.winner.index()] + result.points >= u32::from(record.length)
    {
        " and the match"
    } else {
        ""
    };
    let wins = format!("{wins}{end}");
    if result.winner == Player::Two && result.ending == GameEnding::Dropped {
        put(Player::Two, wins, text);
    } else {
        let before = if result.winner == Player::One { 5 } else { width + 6 };
        let _ = write!(text, "\n{:before$}{wins}\n", "");
    }
}

fn of_points(spelling: &Spelling, points: u32) -> String {
    let words = spelling.wins[usize::from(points != 1)].replace('#', &points.to_string());
    if spelling.upper { words.to_uppercase() } else { words }
}

fn moved(play: &Play, spelling: &Spelling) -> String {
    let hops = || {
        let step = |step: &moves::Step| {
            let from = match step.from {
                25 => spelling.bar.to_owned(),
                from => from.to_string(),
            };
            let to = match step.to {
                0 => spelling.off.to_owned(),
                to => to.to_string(),
            };
            format!("{from}/{to}{}", if step.hit { "*" } else { "" })
        };
        play.steps().iter().map(step).collect::<Vec<_>>().join(" ")
    };
    match spelling.hops {
        true => hops(),
        false => play.to_string().replace("bar", spelling.bar).replace("off", spelling.off),
    }
}
