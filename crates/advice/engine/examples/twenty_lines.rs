//! The engine as a library, at 3-5 in a match to 7 with the cube on 2 on the player's side:
//! `cargo run -p tavola-engine --example twenty_lines -- 4HPwATDgc/ABMA 31`.

use std::env::args;
use std::error::Error;
use std::process::ExitCode;

use tavola_engine::operations::{Best, Cube};
use tavola_engine::{Engine, Question, Terms, Watch};
use tavola_rules::{CubeOwner, MatchScore};

fn main() -> ExitCode {
    // Errors say what was wrong and what was expected; `EngineError` has their kind too.
    match answer(args().nth(1), args().nth(2)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(position: Option<String>, dice: Option<String>) -> Result<(), Box<dyn Error>> {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let cube = tavola_rules::Cube::from_value(2, CubeOwner::Player)?;
    let score = Some(MatchScore::new(7, 3, 5)?);
    let terms = Terms { score, cube: Some(cube), ..Terms::default() };
    let asked = Question { position, terms, ..Question::start("backgammon".parse()?) };
    let decision = engine.ask(&asked, &Cube::default(), &watch)?.answer;
    println!("{}: {:+.3} without a double", decision.verdict, decision.no_double);
    let rolled = Question { dice: dice.or(Some("31".to_owned())), ..asked };
    for play in engine.ask(&rolled, &Best::default(), &watch)?.answer.plays {
        let equity = play.cubeful.map_or(play.equity.into(), |figures| figures.cubeful_equity);
        println!("{equity:+.3}  {} ({}-ply)", play.play, play.ply);
    }
    Ok(())
}
