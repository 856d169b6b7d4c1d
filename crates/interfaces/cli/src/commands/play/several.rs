//! A game for more than two players as lines: the user in one seat, the engine in the others.

use std::io::{self, BufRead, Write};

use tavola_engine::many::{ManyLive, ManyTurn, Mind, Opponents};
use tavola_games::many::{ManyGame, ThreeDice};
use tavola_rules::board::{Board, Charset, Color};

use super::{PlayArgs, new_seed};
use crate::failure::{Failure, Outcome};
use crate::report::format;

/// The most plays that are listed at once.
const LISTED: usize = 40;

/// Plays from the start to the end of the game, or until the input ends.
pub fn run<G: ManyGame>(game: &G, args: &PlayArgs, out: &mut dyn Write) -> Outcome {
    refuse_others(args)?;
    let seat = usize::from(args.seat) - 1;
    if seat >= G::PLAYERS {
        return Err(Failure::input(format_args!(
            "--seat is {}, expected 1 to {} in {}",
            args.seat,
            G::PLAYERS,
            game.id()
        )));
    }
    let (engine, seed) = (args.engine.engine(), args.seed.unwrap_or_else(new_seed));
    let model = args.engine.model();
    let mut mind = Mind::new(&engine, game, Opponents::Network, model.as_deref())?;
    let mut live = ManyLive::new(game.clone(), seat, seed);
    let players: Vec<&str> =
        game.board(live.state(), None).players.iter().map(|player| player.name).collect();
    writeln!(out, "{}: you are {}, seed {seed}", game.id(), players[seat])?;
    let mut lines = io::stdin().lock().lines();
    loop {
        while let Some(ManyTurn { seat, roll, play }) = live.step(&mut mind)? {
            writeln!(out, "{}: {}{play}", players[seat], in_words(roll))?;
        }
        writeln!(out, "\n{}", board(game, &live, args))?;
        if let Some(payoffs) = live.payoffs() {
            for (player, payoff) in players.iter().zip(payoffs) {
                writeln!(out, "{player} {}", format::equity(payoff))?;
            }
            return Ok(());
        }
        let plays: Vec<String> = live.plays().into_iter().map(|(play, _)| play).collect();
        list(&plays, "", out)?;
        let best = |mind: &mut Mind<G>| live.best(mind).unwrap_or_default();
        let Some(chosen) = ask(&plays, || best(&mut mind), &mut lines, out)? else {
            return Ok(());
        };
        live.play(&plays[chosen])?;
    }
}

/// The number of the play that the user chooses, counted from 0; `None` if the user quits. `best`
/// gives that of the best one.
fn ask(
    plays: &[String],
    mut best: impl FnMut() -> usize,
    lines: &mut impl Iterator<Item = io::Result<String>>,
    out: &mut dyn Write,
) -> Outcome<Option<usize>> {
    loop {
        write!(out, "play, number, plays WORD, hint or quit> ")?;
        out.flush()?;
        let Some(line) = lines.next() else { return Ok(None) };
        let line = line?;
        let line = line.trim();
        if let Some(play) = plays.iter().position(|play| play == line) {
            return Ok(Some(play));
        }
        match (line, line.parse::<usize>()) {
            ("quit", _) => return Ok(None),
            ("hint", _) => {
                let best = best();
                writeln!(out, "{}: {}", best + 1, plays[best])?;
            }
            (_, Ok(number)) if (1..=plays.len()).contains(&number) => return Ok(Some(number - 1)),
            _ if line.starts_with("plays") => list(plays, line["plays".len()..].trim(), out)?,
            _ => writeln!(
                out,
                "{line:?} is no play of this roll, expected one of the plays, its number from 1 to \
                 {}, plays, hint or quit",
                plays.len()
            )?,
        }
    }
}

/// Lists the plays in which this word stands, with their numbers.
fn list(plays: &[String], word: &str, out: &mut dyn Write) -> Outcome {
    let found = plays.iter().enumerate().filter(|(_, play)| play.contains(word));
    for (number, play) in found.clone().take(LISTED) {
        writeln!(out, "{:>3}  {play}", number + 1)?;
    }
    let more = found.count().saturating_sub(LISTED);
    if more > 0 {
        writeln!(out, "and {more} more: plays WORD lists those with a word")?;
    }
    Ok(())
}

fn in_words(roll: Option<ThreeDice>) -> String {
    roll.map_or_else(|| "the offered dice: ".to_owned(), |roll| format!("{roll}: "))
}

fn board<G: ManyGame>(game: &G, live: &ManyLive<G>, args: &PlayArgs) -> String {
    let charset = if args.ascii { Charset::Ascii } else { Charset::Unicode };
    Board::from(game.board(live.state(), live.roll())).text(charset, Color::Never)
}

/// Refuses what games for more than two players do not have.
fn refuse_others(args: &PlayArgs) -> Outcome {
    let given = [
        ("--match-length", args.match_length.is_some()),
        ("--jacoby", args.jacoby),
        ("--beavers", args.beavers),
        ("--raccoons", args.raccoons),
        ("--strength", args.strength.is_some()),
        ("--tutor", args.tutor),
        ("--save", args.save.is_some()),
        ("--export", args.export.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::input(format_args!(
            "{option} is given, but games for more than two players are played without it"
        ))),
        None => Ok(()),
    }
}
