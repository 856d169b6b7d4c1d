//! `tavola convert`: a position in another notation.

use std::io::Write;

use serde::Serialize;

use crate::args::{ConvertArgs, Form};
use crate::failure::{Blame, Outcome};
use crate::query::{self, Converted};
use crate::question::Question;
use crate::report::board;
use crate::report::table::{Align, Table};

/// The forms that are listed when none is asked for: those that fit in a line.
const LISTED: [Form; 5] = [Form::PositionId, Form::MatchId, Form::GnubgId, Form::Xgid, Form::Ints];

/// One form as JSON.
#[derive(Serialize)]
struct Answer {
    position: Converted,
}

/// Writes the position in the form asked for, or in all of them.
pub fn run(args: &ConvertArgs, out: &mut dyn Write) -> Outcome {
    let situation = Question::with_roll(&args.position, &args.roll)?.situation;
    match args.to {
        Some(form) if args.output.json => {
            let answer = Answer { position: query::convert(&situation, form).or_input()? };
            serde_json::to_writer(&mut *out, &answer)?;
            writeln!(out)?;
        }
        Some(Form::Board) => board::write(&situation, &args.board, out)?,
        Some(form) => {
            let text = query::convert(&situation, form).or_input()?.to_string();
            writeln!(out, "{}", text.trim_end())?;
        }
        None if args.output.json => {
            let mut all = serde_json::Map::new();
            for form in LISTED {
                let converted = query::convert(&situation, form).or_input()?;
                all.insert(form.name().replace('-', "_"), serde_json::to_value(converted)?);
            }
            serde_json::to_writer(&mut *out, &all)?;
            writeln!(out)?;
        }
        None => {
            let mut table = Table::new([Align::Left, Align::Left]);
            for form in LISTED {
                let converted = query::convert(&situation, form).or_input()?;
                table.row([form.name(), converted.to_string()]);
            }
            table.write(out)?;
        }
    }
    Ok(())
}
