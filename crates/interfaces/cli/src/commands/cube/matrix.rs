//! The cube action at every score as a table and as a drawing.

use tavola_engine::operations::{ByScore, Cell, MatrixAnswer};
use tavola_equity::{CubeAction, CubeVerdict};

use crate::failure::Outcome;
use crate::report::picture::{BOLD, Grid};
use crate::report::table::{Out, Table};

/// The label of the row and the column that are about the Crawford game.
pub const CRAWFORD: &str = "1C";

/// What rows and columns are called.
pub fn labels(away: u16) -> Vec<String> {
    let away = (1..=away).map(|away| away.to_string());
    std::iter::once(CRAWFORD.to_owned()).chain(away).collect()
}

/// The cells by row and column as they are labeled; `None` where there is no such score: in the
/// Crawford game exactly one player needs one point.
pub fn cells<T>(ByScore { scores, crawford }: &ByScore<T>) -> Vec<Vec<Option<&T>>> {
    fn led<T>(cells: &[T]) -> Vec<Option<&T>> {
        [None, None].into_iter().chain(cells.iter().map(Some)).collect()
    }
    let column = led(&crawford.opponent_leads);
    let rows = scores
        .iter()
        .zip(&column[1..])
        .map(|(row, &led)| std::iter::once(led).chain(row.iter().map(Some)).collect());
    std::iter::once(led(&crawford.player_leads)).chain(rows).collect()
}

/// What a line of a cell says of it.
pub type Line<'a, T> = &'a dyn Fn(&T) -> String;

/// A table of scores with these texts of a cell, a line each.
pub fn table<T>(away: u16, by_score: &ByScore<T>, lines: &[Line<'_, T>]) -> Table {
    let labels = labels(away);
    let columns = labels.iter().map(|label| format!(">{label}"));
    let mut table = Table::new(std::iter::once(">".to_owned()).chain(columns));
    for (label, row) in labels.iter().zip(cells(by_score)) {
        for (number, text) in lines.iter().enumerate() {
            let label = if number == 0 { label.clone() } else { String::new() };
            let cells = row.iter().map(|cell| cell.map_or_else(String::new, text));
            table.row(std::iter::once(label).chain(cells));
        }
    }
    table
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
    let action = |cell: &Cell| cell.verdict.short().to_owned();
    let lines: [Line<'_, Cell>; 2] = [&action, &error];
    table(matrix.away, &matrix.by_score, &lines[..1 + usize::from(errors)]).write(out)?;
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
    let top = if errors { 96 } else { 80 };
    let labels = labels(matrix.away);
    // As wide as the legend needs, also for few scores.
    let mut grid = Grid::new([labels.len() + 1; 2], [52, 34], top, 800);
    let (cube, ply) = (matrix.cube.value(), matrix.ply);
    grid.line(18, BOLD, format_args!("{position}, cube {cube}, {ply}-ply"));
    let axes = "row: player on roll needs, column: opponent needs";
    grid.line(36, "", format_args!("{axes}; {CRAWFORD} is the Crawford game, 1 after it"));
    grid.line(54, "", money(matrix, errors));
    for (y, text) in [(70, LEGEND), (86, ERRORS)].into_iter().take(1 + usize::from(errors)) {
        grid.line(y, " font-size=\"11\"", text);
    }
    for (n, label) in (1..).zip(&labels) {
        grid.cell([n, 0], label, "", None);
        grid.cell([0, n], label, "", None);
    }
    for (row, cells) in (1..).zip(cells(&matrix.by_score)) {
        for (column, cell) in (1..).zip(cells) {
            if let Some(cell) = cell {
                let below = if errors { error(cell) } else { String::new() };
                let color = Some(fill(&cell.verdict));
                grid.cell([column, row], cell.verdict.short(), &below, color);
            }
        }
    }
    grid.finish()
}

/// What the short words mean.
const LEGEND: &str = "ND no double, OD optional double, D/T double, take, D/P double, pass,\n\
                      TG/T too good, take, TG/P too good, pass, - no cube";

/// What the numbers below them are.
const ERRORS: &str =
    "numbers: what the wrong choice between doubling and rolling loses, EMG / 1000";

/// The color of an action; they differ in lightness too.
const fn fill(verdict: &CubeVerdict) -> &'static str {
    match verdict.action {
        CubeAction::NoCube => "#ffffff",
        _ if verdict.optional => "#d3e6b4",
        CubeAction::NoDoubleTake => "#e8edf2",
        CubeAction::DoubleTake => "#9fd3a5",
        CubeAction::DoublePass => "#f0a35e",
        CubeAction::TooGoodTake | CubeAction::TooGoodPass => "#c58fd0",
    }
}
