//! The engine as a library: `cargo run -p tavola-engine --example twenty_lines -- XGID=... 31`.

use std::env::args;
use std::error::Error;

use tavola_engine::operations::{Best, Cube};
use tavola_engine::{Engine, Question, Watch};

fn main() -> Result<(), Box<dyn Error>> {
    let (engine, watch) = (Engine::without_tables(), Watch::default());
    let start = Question::start("backgammon".parse()?);
    let position = Question { position: args().nth(1), ..start };
    let cube = engine.ask(&position, &Cube::default(), &watch)?;
    println!("{}", serde_json::to_string_pretty(&cube.answer)?);
    let dice = args().nth(2).unwrap_or_else(|| "31".to_owned());
    let rolled = Question { dice: Some(dice), ..position };
    for play in engine.ask(&rolled, &Best::default(), &watch)?.answer.plays {
        println!("{:+.3}  {} ({}-ply)", play.equity, play.play, play.ply);
    }
    Ok(())
}
