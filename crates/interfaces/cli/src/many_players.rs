//! Answers about games for more than two players, for the commands that know them.

use tavola_engine::many::{ManyPlay, ManyShown, ManySubject};
use tavola_evaluator::Preset;
use tavola_games::many::AnyManyGame;
use tavola_rules::board::Theme;

use crate::about::AboutArgs;
use crate::args::{BoardArgs, EngineArgs, FormArgs, OutputArgs, PositionArgs, RollArgs};
use crate::ask;
use crate::failure::{Outcome, refuse_given};
use crate::networks;
use crate::outputs::OutputFile;
use crate::report::format;
use crate::report::picture;
use crate::report::table::{Out, Table};
use tavola_engine::{Lookahead, Watch};

/// A position of the arguments, for the engine.
pub fn subject(
    game: AnyManyGame,
    position: &PositionArgs,
    roll: Option<&RollArgs>,
    engine: Option<&EngineArgs>,
    lookahead: Option<&Lookahead>,
) -> ManySubject {
    ManySubject {
        game,
        position: position.position.clone(),
        dice: roll.and_then(|roll| roll.roll.clone()),
        model: engine.and_then(EngineArgs::model),
        ply: lookahead.and_then(|lookahead| lookahead.ply).unwrap_or_default(),
    }
}

/// `tavola legal`.
pub fn legal(subject: &ManySubject, output: &FormArgs, out: &mut dyn Out) -> Outcome {
    let answer = tavola_engine::Engine::without_tables().many_legal(subject)?;
    if output.json {
        return ask::write_line(&answer, out);
    }
    writeln!(out, "{}\n", format::plural(answer.plays.len(), "play"))?;
    let rows = answer.plays.iter().map(|ManyPlay { play, position, .. }| [play, position]);
    Table::of(["play", "leads to"], rows).write(out)
}

/// `tavola best`.
pub fn best(subject: &ManySubject, about: &AboutArgs, top: u32, out: &mut dyn Out) -> Outcome {
    let engine = about.engine.engine();
    let mut answer = engine.many_best(subject, &Watch::default())?;
    let legal = answer.plays.len();
    answer.plays.truncate(top as usize);
    if about.output.json {
        return ask::write_line(&answer, out);
    }
    let shown = engine.many_show(subject)?;
    write_board(&shown, &about.board, out)?;
    writeln!(out, "{}, the best {}:\n", format::plural(legal, "play"), answer.plays.len())?;
    answer.warnings.iter().for_each(networks::warn_of);
    let players = in_turn_order(&shown);
    let columns = players.iter().map(|player| format!(">{player}"));
    let mut table = Table::new(["play".to_owned()].into_iter().chain(columns));
    for ManyPlay { play, payoffs, .. } in &answer.plays {
        let payoffs = payoffs.iter().map(|payoff| format::equity(*payoff));
        let payoffs = payoffs.chain(players.iter().map(|_| "-".to_owned())).take(players.len());
        table.row([play.clone()].into_iter().chain(payoffs));
    }
    table.write(out)?;
    writeln!(out, "\nexpected points of each player, {}-ply", subject.ply)?;
    Ok(())
}

/// `tavola eval`.
pub fn eval(subject: &ManySubject, about: &AboutArgs, out: &mut dyn Out) -> Outcome {
    let engine = about.engine.engine();
    let answer = engine.many_eval(subject)?;
    if about.output.json {
        return ask::write_line(&answer, out);
    }
    answer.warnings.iter().for_each(networks::warn_of);
    let shown = engine.many_show(subject)?;
    write_board(&shown, &about.board, out)?;
    let how = if answer.over { "points won" } else { "expected points, before the roll" };
    let mut table = Table::plain(["", ">"]);
    for (player, payoff) in in_turn_order(&shown).into_iter().zip(&answer.payoffs) {
        table.row([player.to_owned(), format::equity(*payoff)]);
    }
    writeln!(out, "{how}")?;
    table.write(out)
}

/// `tavola show`.
pub fn show(
    subject: &ManySubject,
    file: Option<&OutputFile>,
    theme: &Theme,
    (board, output): (&BoardArgs, &OutputArgs),
    out: &mut dyn Out,
) -> Outcome {
    let shown = tavola_engine::Engine::without_tables().many_show(subject)?;
    picture::refuse_two_on_stdout(file.map(|file| &**file), output.json)?;
    if let Some(file) = file {
        picture::write(&shown.drawing.svg(theme), file, out)?;
    }
    if output.json {
        return ask::write_line(&shown, out);
    }
    if file.is_some() {
        return Ok(());
    }
    write_board(&shown, board, out)?;
    writeln!(out, "{}", shown.position)?;
    if !shown.over && subject.position.is_none() {
        out.prose(shown.rules)?;
        write_options(&shown.game, out)?;
    }
    Ok(())
}

/// Says with which options a game is played, as its rules are told without them.
pub fn write_options(game: &str, out: &mut dyn Out) -> Outcome {
    if let Some((name, options)) = game.split_once(':') {
        writeln!(out, "With {options}, which changes these rules of {name}: see docs/games.")?;
    }
    Ok(())
}

/// Refuses what games for two alone have: options by name and whether they are given, many
/// positions, lookahead and terms.
pub fn refuse(options: &[(&str, bool)], about: &AboutArgs, lookahead: &Lookahead) -> Outcome {
    let terms = &about.terms;
    let common = [
        ("--input", about.input.is_some()),
        ("--level", lookahead.level.is_some()),
        ("--time", lookahead.time.is_some()),
        ("--sure", lookahead.sure.is_some()),
        ("--preset", lookahead.preset != Preset::default()),
        ("--cube", terms.cube.is_some()),
        ("--match-length", terms.match_length.is_some()),
        ("--score", terms.score.is_some()),
        ("--crawford", terms.crawford),
        ("--jacoby", terms.jacoby),
        ("--beavers", terms.beavers || terms.raccoons),
    ];
    refuse_given([options, &common].concat(), |name| {
        format!(
            "{name} is given, expected it in games for two alone; of many positions in games for \
             more than two players `tavola batch` answers one a line"
        )
    })
}

fn write_board(shown: &ManyShown, board: &BoardArgs, out: &mut dyn Out) -> Outcome {
    if !board.no_board {
        ask::draw(&shown.drawing, board, out)?;
        writeln!(out)?;
    }
    if shown.over {
        writeln!(out, "the game is over")?;
    }
    Ok(())
}

/// The players from the one who decides next.
fn in_turn_order(shown: &ManyShown) -> Vec<&'static str> {
    let mut players = shown.players.clone();
    players.rotate_left(shown.on_roll);
    players
}
