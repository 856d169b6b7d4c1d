//! The cube action at every score as a table and as a drawing.

use std::fmt::Write as _;

use tavola_engine::operations::{Cell, MatrixAnswer};
use tavola_equity::{CubeAction, Verdict};

use crate::failure::Outcome;
use crate::report::table::{Out, Table};

/// The label of the row and the column that are about the Crawford game.
const CRAWFORD: &str = "1C";

/// What rows and columns are called.
fn labels(matrix: &MatrixAnswer) -> Vec<String> {
    let away = (1..=matrix.away).map(|away| away.to_string());
    std::iter::once(CRAWFORD.to_owned()).chain(away).collect()
}

/// The cells by row and column as they are labelled; `None` where there is no such score: in the
/// Crawford game exactly one player needs one point.
fn cells(matrix: &MatrixAnswer) -> Vec<Vec<Option<&Cell>>> {
    fn led(cells: &[Cell]) -> Vec<Option<&Cell>> {
        [None, None].into_iter().chain(cells.iter().map(Some)).collect()
    }
    let column = led(&matrix.crawford.opponent_leads);
    let rows =
        matrix.scores.iter().zip(&column[1..]).map(|(row, &crawford)| {
            std::iter::once(crawford).chain(row.iter().map(Some)).collect()
        });
    std::iter::once(led(&matrix.crawford.player_leads)).chain(rows).collect()
}

/// What the wrong choice between doubling and rolling loses, in thousandths.
fn error(cell: &Cell) -> String {
    let loss = cell.losses.map(|losses| losses.no_double.max(losses.double));
    loss.map_or(String::new(), |loss| format!("{:.0}", 1000.0 * loss))
}

/// As a table of text.
pub fn write(matrix: &MatrixAnswer, errors: bool, out: &mut dyn Out) -> Outcome {
    writeln!(
        out,
        "cube action from {} by score ({}-ply); row: points that the player on roll needs,\n\
         column: points that the opponent needs; {CRAWFORD} is the Crawford game, 1 after it\n",
        matrix.cube.value(),
        matrix.ply
    )?;
    let labels = labels(matrix);
    let columns = labels.iter().map(|label| format!(">{label}"));
    let mut table = Table::new(std::iter::once(">".to_owned()).chain(columns));
    for (label, row) in labels.iter().zip(cells(matrix)) {
        let actions =
            row.iter().map(|cell| cell.map_or("", |cell| cell.verdict.short()).to_owned());
        table.row(std::iter::once(label.clone()).chain(actions));
        if errors {
            let errors = row.iter().map(|cell| cell.map_or(String::new(), error));
            table.row(std::iter::once(String::new()).chain(errors));
        }
    }
    table.write(out)?;
    writeln!(out, "\n{}\n{LEGEND}", money(matrix, errors))?;
    if errors {
        writeln!(out, "{ERRORS}")?;
    }
    Ok(())
}

/// Money play in a line.
fn money(matrix: &MatrixAnswer, errors: bool) -> String {
    let (cell, terms) = (&matrix.money, &matrix.money_terms);
    match errors.then(|| error(cell)).filter(|error| !error.is_empty()) {
        Some(error) => format!("{terms}: {} ({error})", cell.verdict.short()),
        None => format!("{terms}: {}", cell.verdict.short()),
    }
}

/// As a drawing: a colored cell for each score.
pub fn svg(position: &str, matrix: &MatrixAnswer, errors: bool) -> String {
    const CELL: [usize; 2] = [52, 34];
    let top = if errors { 96 } else { 80 };
    let labels = labels(matrix);
    let size = labels.len();
    // As wide as the legend needs, also for few scores.
    let (width, height) = (((size + 1) * CELL[0]).max(800), top + (size + 1) * CELL[1]);
    let middle = width / 2;
    let mut svg = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| {
        writeln!(svg, "{text}").expect("writing to a string can't fail");
    };
    line(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">"
    ));
    line(format_args!("<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"));
    line(format_args!(
        "<text x=\"{middle}\" y=\"18\" font-weight=\"bold\">{}, cube {}, {}-ply</text>",
        position,
        matrix.cube.value(),
        matrix.ply
    ));
    line(format_args!(
        "<text x=\"{middle}\" y=\"36\">row: player on roll needs, column: opponent needs; \
         {CRAWFORD} is the Crawford game, 1 after it</text>"
    ));
    line(format_args!("<text x=\"{middle}\" y=\"54\">{}</text>", money(matrix, errors)));
    for (y, text) in [(70, LEGEND), (86, ERRORS)].into_iter().take(1 + usize::from(errors)) {
        line(format_args!("<text x=\"{middle}\" y=\"{y}\" font-size=\"11\">{text}</text>"));
    }
    let mut square = |column: usize, row: usize, text: &str, below: &str, fill: Option<&str>| {
        let (x, y) = (column * CELL[0], top + row * CELL[1]);
        if let Some(fill) = fill {
            line(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{fill}\" \
                 stroke=\"#ffffff\"/>",
                CELL[0], CELL[1]
            ));
        }
        let (x, y) = (x + CELL[0] / 2, y + CELL[1] / 2);
        let lift = if below.is_empty() { 5 } else { 0 };
        line(format_args!("<text x=\"{x}\" y=\"{}\">{text}</text>", y + lift));
        if !below.is_empty() {
            let y = y + 13;
            line(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"10\">{below}</text>"));
        }
    };
    for (n, label) in (1..).zip(&labels) {
        square(n, 0, label, "", None);
        square(0, n, label, "", None);
    }
    for (row, cells) in (1..).zip(cells(matrix)) {
        for (column, cell) in (1..).zip(cells) {
            if let Some(cell) = cell {
                let below = if errors { error(cell) } else { String::new() };
                square(column, row, cell.verdict.short(), &below, Some(fill(&cell.verdict)));
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// What the short words mean.
const LEGEND: &str = "ND no double, OD optional double, D/T double, take, D/P double, pass,\n\
                      TG/T too good, take, TG/P too good, pass, - no cube";

/// What the numbers below them are.
const ERRORS: &str =
    "numbers: what the wrong choice between doubling and rolling loses, EMG / 1000";

/// The color of an action; they differ in lightness too.
const fn fill(verdict: &Verdict) -> &'static str {
    match verdict.action {
        CubeAction::NoCube => "#ffffff",
        _ if verdict.optional => "#d3e6b4",
        CubeAction::NoDoubleTake => "#e8edf2",
        CubeAction::DoubleTake => "#9fd3a5",
        CubeAction::DoublePass => "#f0a35e",
        CubeAction::TooGoodTake | CubeAction::TooGoodPass => "#c58fd0",
    }
}
