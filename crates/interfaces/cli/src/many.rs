//! Answers about games for more than two players, for the commands that know them.

use tavola_engine::many::{ManyEvaluation, ManyPlay, ManyPlays, ManyShown};
use tavola_engine::{Effort, FullAnswer};
use tavola_rules::board::Board;

use crate::about::AboutArgs;
use crate::ask;
use crate::commands::show::ShowArgs;
use crate::failure::Outcome;
use crate::report::format;
use crate::report::picture;
use crate::report::table::{Out, Table};

/// Writes what `best` answers.
pub fn write_plays(
    answered: &FullAnswer<ManyPlays>,
    effort: Effort,
    about: &AboutArgs,
    out: &mut dyn Out,
) -> Outcome {
    let answer = &answered.answer;
    if about.output.json && ask::write_answer(answered, out)? {
        return Ok(());
    }
    if !ask::write_board(answered, &about.board, out)? {
        return Ok(());
    }
    let legal = format::plural(answer.legal, "play");
    writeln!(out, "{legal}, the best {}:\n", answer.plays.len())?;
    let players = in_turn_order(&answered.board);
    let columns = players.iter().map(|player| format!(">{player}"));
    let mut table = Table::new(["play".to_owned()].into_iter().chain(columns));
    for ManyPlay { play, payoffs, .. } in &answer.plays {
        let payoffs = payoffs.iter().map(|payoff| format::equity(*payoff));
        let payoffs = payoffs.chain(players.iter().map(|_| "-".to_owned())).take(players.len());
        table.row([play.clone()].into_iter().chain(payoffs));
    }
    table.write(out)?;
    if answer.plays.iter().any(|play| !play.payoffs.is_empty()) {
        writeln!(out, "\nexpected points of each player, {}-ply", effort.settings().ply)?;
    }
    Ok(())
}

/// Writes what `eval` answers.
pub fn write_evaluation(
    answered: &FullAnswer<ManyEvaluation>,
    about: &AboutArgs,
    out: &mut dyn Out,
) -> Outcome {
    let answer = &answered.answer;
    if about.output.json && ask::write_answer(answered, out)? {
        return Ok(());
    }
    ask::write_board(answered, &about.board, out)?;
    let how = if answer.over { "points won" } else { "expected points, before the roll" };
    let mut table = Table::plain(["", ">"]);
    for (player, payoff) in in_turn_order(&answered.board).into_iter().zip(&answer.payoffs) {
        table.row([player.to_owned(), format::equity(*payoff)]);
    }
    writeln!(out, "{how}")?;
    Ok(table.write(out)?)
}

/// Writes what `show` answers.
pub fn write_shown(
    answered: &FullAnswer<ManyShown>,
    args: &ShowArgs,
    out: &mut dyn Out,
) -> Outcome {
    let shown = &answered.answer;
    let file = args.output_file.as_ref();
    if let Some(file) = file {
        picture::write(&answered.board.svg(&args.theme.theme()), file, out)?;
    }
    if args.output.json && ask::write_answer(answered, out)? {
        return Ok(());
    }
    if file.is_some() {
        return Ok(());
    }
    ask::write_board(answered, &args.board, out)?;
    writeln!(out, "{}", shown.position)?;
    if !shown.over && args.position.position.is_none() {
        out.prose(shown.rules)?;
        write_options(&shown.game, out)?;
    }
    Ok(())
}

/// Writes the options with which a game is played: the text of its rules has none.
pub fn write_options(game: &str, out: &mut dyn Out) -> Outcome {
    if let Some((name, options)) = game.split_once(':') {
        writeln!(out, "With {options}, which changes these rules of {name}: see docs/games.")?;
    }
    Ok(())
}

/// The players from the one who decides next.
fn in_turn_order(board: &Board) -> Vec<&'static str> {
    let Board::Round(view) = board else { return Vec::new() };
    let mut players: Vec<_> = view.players.iter().map(|player| player.name).collect();
    players.rotate_left(view.on_roll);
    players
}
