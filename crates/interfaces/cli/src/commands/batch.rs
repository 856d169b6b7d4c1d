//! `tavola batch`: JSON requests from other programs, one a line, answered in order.
//!
//! [`Lines`] reads, the engine answers. Nothing in the input ends the stream: what can't be answered
//! gets an error on its own line.

use std::io;

use clap::Args;
use tavola_engine::{LONGEST_LINE, Question, Watch};
use tavola_games::NamedGame;

use crate::args::{EngineArgs, any_game};
use crate::failure::{Blame, Outcome};
use crate::report::table::Out;
use tavola_protocols::{Line, Lines};

/// Arguments of `batch`.
#[derive(Debug, Args)]
#[command(
    about = "Answer JSON requests, one a line, for other programs",
    long_about = "Answer JSON requests for other programs: one object a line on stdin, one a line \
        on stdout, in the same order, each written as soon as it is known. docs/batch.md explains \
        requests and answers, docs/batch.schema.json has every key.\n\n\
        Operations:\n  \
        legal    position, dice: every distinct result once, with one way to play it\n  \
        best     position, dice: plays, best first, with equity and the five probabilities\n  \
        eval     position: the five probabilities and equity of the player on roll\n  \
        cube     position: what rolling and doubling are worth, the action, what the alternatives \
        give away\n  \
        rollout  position, optional dice: played out many times, as eval or best, each number \
        with its standard error\n  \
        convert  position, to: the same in the form position-id, match-id, gnubg-id, xgid, \
        ogid, fibs, ints, text, board or svg\n  \
        matrix   position: the cube action at every score\n  \
        show     position, optional dice and play: the board as text and what can be counted\n\n\
        Their other keys are those of the options of the commands of the same names. Every request \
        may have \"id\" (anything; it is repeated in the answer as it was written), \"v\": 1 and \"game\", without which it is about the game of --game. A position \
        is a text in any accepted notation or an array of 26 integers, dice are [3,1], a cube is \
        {\"value\": 2, \"owner\": \"center\"|\"player\"|\"opponent\"}, a match \
        {\"length\": 7, \"player\": 3, \"opponent\": 5, \"crawford\": false}. equity is a \
        cubeless money figure, cubeful_equity one per unit of the cube, in a match EMG. A request \
        that can't be answered gets {\"id\": ..., \"error\": {\"kind\": \"...\", \"message\": \"...\"}}, and \
        the stream goes on.",
    after_help = "Example:\n  \
        echo '{\"op\":\"best\",\"position\":\"start\",\"dice\":[3,1],\"top\":1}' | tavola batch\n  \
        echo '{\"op\":\"legal\",\"dice\":[6,5,3]}' | tavola batch --game tabula"
)]
pub struct BatchArgs {
    /// The game of requests that name none, with options as in puff:cap=none
    #[arg(long, default_value = "backgammon", value_parser = any_game())]
    pub game: NamedGame,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Answers requests until the input ends.
pub fn run(args: &BatchArgs, out: &mut dyn Out) -> Outcome {
    let engine = args.engine.engine();
    let default = Question { model: args.engine.model(), ..Question::start(args.game.clone()) };
    // An unusable network is known before the first request.
    engine.network(default.model.as_deref(), &args.game.id())?;
    let mut lines = Lines::new(io::stdin().lock(), LONGEST_LINE);
    while let Some(line) = lines.next_line().or_work_in("cannot read the requests")? {
        let answer = match line {
            Line::Text(text) => engine.answer_line(text, &default, &Watch::default()),
            Line::TooLong => engine.refuse_long_line(),
        };
        writeln!(out, "{answer}")?;
        // The caller may wait for this answer before the next request.
        out.flush()?;
    }
    Ok(())
}
