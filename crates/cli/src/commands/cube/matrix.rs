//! The cube action at every score as a table and as a drawing.

use std::fmt::Write as _;
use std::io::{self, Write};

use tavola_engine::operations::{Cell, MatrixAnswer};
use tavola_equity::CubeAction;

use super::short;
use crate::report::table::{Align, Table};

/// The label of the row and the column that are about the Crawford game.
const CRAWFORD: &str = "1C";

/// What rows and columns are called.
fn labels(matrix: &MatrixAnswer) -> Vec<String> {
    let away = (1..=matrix.away).map(|away| away.to_string());
    std::iter::once(CRAWFORD.to_owned()).chain(away).collect()
}

/// The actions by row and column as they are labelled; `None` where there is no such score: in the
/// Crawford game exactly one player needs one point.
fn actions(matrix: &MatrixAnswer) -> Vec<Vec<Option<CubeAction>>> {
    let led = |cells: &[Cell]| -> Vec<Option<CubeAction>> {
        let none = [None, None].into_iter();
        none.chain(cells.iter().map(|cell| Some(cell.action))).collect()
    };
    let column = led(&matrix.crawford.opponent_leads);
    let rows = matrix.scores.iter().zip(&column[1..]).map(|(row, &crawford)| {
        std::iter::once(crawford).chain(row.iter().map(|cell| Some(cell.action))).collect()
    });
    std::iter::once(led(&matrix.crawford.player_leads)).chain(rows).collect()
}

/// As a table of text.
pub fn write(matrix: &MatrixAnswer, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "cube action from {} by score ({}-ply); row: points that the player on roll needs,\n\
         column: points that the opponent needs; {CRAWFORD} is the Crawford game, 1 after it\n",
        matrix.cube.value(),
        matrix.ply
    )?;
    let labels = labels(matrix);
    let mut table = Table::new(vec![Align::Right; labels.len() + 1]);
    table.row(std::iter::once(String::new()).chain(labels.iter().cloned()));
    for (label, row) in labels.iter().zip(actions(matrix)) {
        let actions = row.into_iter().map(|action| action.map_or("", short).to_owned());
        table.row(std::iter::once(label.clone()).chain(actions));
    }
    table.write(out)?;
    writeln!(out, "\nfor money {}; {LEGEND}", short(matrix.money.action))
}

/// As a drawing: a coloured cell for each score.
pub fn svg(position: &str, matrix: &MatrixAnswer) -> String {
    const CELL: [usize; 2] = [52, 28];
    const TOP: usize = 66;
    let labels = labels(matrix);
    let size = labels.len();
    let (width, height) = ((size + 1) * CELL[0], TOP + (size + 2) * CELL[1]);
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
        "<text x=\"{middle}\" y=\"18\" font-weight=\"bold\">{}, cube {}, {}-ply, for money {}</text>",
        position,
        matrix.cube.value(),
        matrix.ply,
        short(matrix.money.action)
    ));
    line(format_args!(
        "<text x=\"{middle}\" y=\"36\">row: player on roll needs, column: opponent needs; \
         {CRAWFORD} is the Crawford game, 1 after it</text>"
    ));
    line(format_args!("<text x=\"{middle}\" y=\"54\" font-size=\"11\">{LEGEND}</text>"));
    let mut cell = |column: usize, row: usize, text: &str, fill: Option<&str>| {
        let (x, y) = (column * CELL[0], TOP + row * CELL[1]);
        if let Some(fill) = fill {
            line(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{fill}\" \
                 stroke=\"#ffffff\"/>",
                CELL[0], CELL[1]
            ));
        }
        let (x, y) = (x + CELL[0] / 2, y + CELL[1] / 2 + 5);
        line(format_args!("<text x=\"{x}\" y=\"{y}\">{text}</text>"));
    };
    for (n, label) in (1..).zip(&labels) {
        cell(n, 0, label, None);
        cell(0, n, label, None);
    }
    for (row, actions) in (1..).zip(actions(matrix)) {
        for (column, action) in (1..).zip(actions) {
            if let Some(action) = action {
                cell(column, row, short(action), Some(fill(action)));
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// What the short words mean.
const LEGEND: &str =
    "ND no double, D/T double and take, D/P double and pass, TG too good, - no cube";

/// The colour of an action; they differ in lightness too.
const fn fill(action: CubeAction) -> &'static str {
    match action {
        CubeAction::NoDoubleTake => "#e8edf2",
        CubeAction::DoubleTake => "#9fd3a5",
        CubeAction::DoublePass => "#f0a35e",
        CubeAction::TooGoodTake | CubeAction::TooGoodPass => "#c58fd0",
        CubeAction::NoCube => "#ffffff",
    }
}
