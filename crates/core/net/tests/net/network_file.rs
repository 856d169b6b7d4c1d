//! The ranges of inputs in `docs/network-file.md` are those of the encoders.

use tavola_net::{Encoder, EncoderKind};
use tavola_rules::{Backgammon, Game};

const PAGE: &str = include_str!("../../../../../docs/network-file.md");

/// The cells of the rows behind the comment `mark`, header and rule left out.
fn rows(mark: &str) -> Vec<Vec<&'static str>> {
    let comment = format!("<!-- {mark} -->");
    let (_, rest) = PAGE.split_once(&comment).unwrap_or_else(|| panic!("{comment} is missing"));
    rest.lines()
        .skip(3)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is not a number"))
}

/// First input and number of inputs of each side of each cell, as the page says.
fn documented_cells(encoder: &str) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    for row in rows(encoder) {
        match row[0].split_once(" + ") {
            None => ranges.push((number(row[0]), number(row[1]))),
            Some((first, step)) => {
                let step = number(step.strip_suffix(" (p - 1)").expect("a step for each point"));
                ranges.extend((0..24).map(|p| (number(first) + p * step, number(row[1]))));
            }
        }
    }
    ranges.sort_unstable();
    ranges
}

/// First input and number of inputs of each side of these cells, as the encoder says.
fn encoded_cells(encoder: &Encoder, cells: std::ops::Range<usize>) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    for cell in cells {
        let range = encoder.cells()[cell];
        for counts in [1..=range.max, range.min..=-1] {
            let mut inputs = Vec::new();
            for count in counts {
                encoder.cell_features(cell, count, |input, _| inputs.push(input));
            }
            if let (Some(&first), Some(&last)) = (inputs.iter().min(), inputs.iter().max()) {
                ranges.push((first, last - first + 1));
            }
        }
    }
    ranges.sort_unstable();
    ranges
}

fn encoder(kind: EncoderKind) -> Encoder {
    Encoder::new(kind, Backgammon::Standard.layout())
}

#[test]
fn cells_have_the_inputs_that_the_page_says() {
    for (kind, mark) in
        [(EncoderKind::Tesauro, "inputs tesauro 196"), (EncoderKind::OneHot, "inputs one-hot 374")]
    {
        let encoder = encoder(kind);
        assert_eq!(encoded_cells(&encoder, 0..28), documented_cells(mark), "{mark}");
        assert!(mark.ends_with(&format!(" {}", encoder.inputs())), "{mark}");
    }
}

#[test]
fn board_features_have_the_inputs_that_the_page_says() {
    let encoder = encoder(EncoderKind::Patterns);
    let mut documented = Vec::new();
    for row in rows("inputs patterns 1811") {
        documented.extend([0, 1].map(|side| (number(row[side]), number(row[2]))));
    }
    documented.extend(rows("inputs both").iter().map(|row| (number(row[0]), number(row[1]))));
    documented.sort_unstable();
    assert_eq!(encoded_cells(&encoder, 28..encoder.cells().len()), documented);
    assert_eq!(encoder.inputs(), 1811);
}

#[test]
fn hand_crafted_inputs_are_where_the_page_says_and_as_large() {
    let (expert, patterns) = (encoder(EncoderKind::Expert), encoder(EncoderKind::Patterns));
    let documented = rows("inputs expert 1867");
    assert_eq!(expert.inputs(), 1867);
    assert_eq!(expert.cells().len(), patterns.cells().len() + 2 * documented.len());
    for side in 0..2 {
        for (i, row) in documented.iter().enumerate() {
            let cell = patterns.cells().len() + side * documented.len() + i;
            let largest = expert.cells()[cell].max;
            assert_eq!(largest, row[3].parse::<i8>().expect("a number"), "{row:?}");
            let mut features = Vec::new();
            expert.cell_features(cell, largest, |input, value| features.push((input, value)));
            assert_eq!(features, [(number(row[side]), 4.0)], "{row:?}");
        }
    }
}
