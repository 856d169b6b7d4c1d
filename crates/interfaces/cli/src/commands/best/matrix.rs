//! The best play at every score as a table: a letter for each play.

use tavola_engine::operations::{PlayCell, PlayMatrixAnswer};

use crate::commands::cube::matrix::{CRAWFORD, cells, labels};
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
    let letter = |cell: &PlayCell| {
        let place = plays.iter().position(|play| *play == cell.play).unwrap_or(0);
        letters(place)
    };
    let error = |cell: &PlayCell| {
        let loss = cell.money_play_loss.filter(|loss| *loss > 0.0);
        loss.map_or_else(String::new, |loss| format!("{:.0}", 1000.0 * loss))
    };
    let labels = labels(matrix.away);
    let columns = labels.iter().map(|label| format!(">{label}"));
    let mut table = Table::new(std::iter::once(">".to_owned()).chain(columns));
    for (label, row) in labels.iter().zip(&rows) {
        let mut line = |label: &str, text: &dyn Fn(&PlayCell) -> String| {
            let cells = row.iter().map(|cell| match cell {
                None => String::new(),
                Some(None) => "-".to_owned(),
                Some(Some(cell)) => text(cell),
            });
            table.row(std::iter::once(label.to_owned()).chain(cells));
        };
        line(label, &letter);
        if errors {
            line("", &error);
        }
    }
    table.write(out)?;
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
