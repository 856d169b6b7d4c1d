//! The best play at every score as a table: a letter for each play.

use tavola_engine::operations::{PlayCell, PlayMatrixAnswer};

use crate::commands::cube::matrix::{CRAWFORD, Line, cells, table};
use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Out, Table};

/// Writes the table, and what the letters mean.
pub fn write(matrix: &PlayMatrixAnswer, dice: &str, errors: bool, out: &mut dyn Out) -> Outcome {
    writeln!(
        out,
        "{dice}: best play by score ({}-ply); row: points that the player on roll needs,\n\
         column: points that the opponent needs; {CRAWFORD} is the Crawford game, 1 after it\n",
        matrix.ply
    )?;
    let rows = cells(&matrix.by_score);
    let at_scores = || rows.iter().flatten().filter_map(|cell| cell.and_then(Option::as_ref));
    // The best play for money first, then in the order of the table.
    let mut plays: Vec<&str> = matrix.money.iter().map(|cell| cell.play.as_str()).collect();
    for cell in at_scores() {
        if !plays.contains(&cell.play.as_str()) {
            plays.push(&cell.play);
        }
    }
    let of = |cell: &Option<PlayCell>, text: &dyn Fn(&PlayCell) -> String| {
        cell.as_ref().map_or_else(|| "-".to_owned(), text)
    };
    let letter =
        |cell: &PlayCell| letters(plays.iter().position(|play| *play == cell.play).unwrap_or(0));
    let error = |cell: &PlayCell| {
        let loss = cell.money_play_loss.filter(|loss| *loss > 0.0);
        loss.map_or_else(String::new, |loss| format!("{:.0}", 1000.0 * loss))
    };
    let lines: [Line<'_, Option<PlayCell>>; 2] =
        [&|cell| of(cell, &letter), &|cell| of(cell, &error)];
    table(matrix.away, &matrix.by_score, &lines[..1 + usize::from(errors)]).write(out)?;
    let scores = at_scores().count();
    let mut legend = Table::plain(["", "", ">", ""]);
    for (place, play) in plays.iter().enumerate() {
        let at = at_scores().filter(|cell| cell.play == *play).count();
        let money = match &matrix.money {
            Some(cell) if place == 0 => format!("money {}", format::equity(cell.equity as f32)),
            _ => String::new(),
        };
        legend.row([letters(place), (*play).to_owned(), format!("{at} of {scores}"), money]);
    }
    legend.write_apart(out)?;
    if errors {
        writeln!(out, "\nnumbers: what the best play for money loses there, EMG / 1000")?;
    }
    Ok(())
}

/// A, B, ..., Z, then AA and so on.
fn letters(place: usize) -> String {
    let last = char::from(b'A' + (place % 26) as u8);
    match place / 26 {
        0 => last.to_string(),
        more => letters(more - 1) + &last.to_string(),
    }
}
