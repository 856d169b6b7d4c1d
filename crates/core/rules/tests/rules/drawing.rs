//! Where pictures and text boards have their checkers, measured from the edges of the board.

use std::f64::consts::TAU;

use tavola_rules::board::*;
use tavola_rules::notation::parse_situation;
use tavola_rules::{Cube, CubeOwner};

/// These attributes of the elements that contain `of`.
fn numbers<const N: usize>(svg: &str, of: &str, names: [&str; N]) -> Vec<[f64; N]> {
    let number = |element: &str, name: &str| {
        let (_, value) = element.split_once(&format!(" {name}=\"")).expect(element);
        value.split('"').next().unwrap().parse().expect(element)
    };
    let elements = svg.split('<').filter(|element| element.contains(of));
    elements.map(|element| names.map(|name| number(element, name))).collect()
}

/// The numbers in the ways of lines, of which `of` is said.
fn paths(svg: &str, of: &str) -> Vec<Vec<f64>> {
    let paths = svg.split('<').filter_map(|element| element.strip_prefix("path d=\""));
    let ways = paths.filter_map(|path| path.split_once('"')).filter(|(_, rest)| rest.contains(of));
    let is_between = |c: char| !c.is_ascii_digit() && !".-".contains(c);
    ways.map(|(way, _)| way.split(is_between).filter_map(|it| it.parse().ok()).collect()).collect()
}

/// Where they begin.
fn starts(svg: &str, of: &str) -> Vec<[f64; 2]> {
    paths(svg, of).into_iter().map(|path| [path[0], path[1]]).collect()
}

fn near(found: &[[f64; 2]], expected: &[[f64; 2]]) {
    let is_near = |(a, b): (&[f64; 2], &[f64; 2])| (a[0] - b[0]).hypot(a[1] - b[1]) < 0.12;
    let all = found.len() == expected.len() && found.iter().zip(expected).all(is_near);
    assert!(all, "{found:?} are not {expected:?}");
}

/// Points in the order in which the lower half has them from the left, with the bar as 0.
const LOWER: [usize; 13] = [12, 11, 10, 9, 8, 7, 0, 6, 5, 4, 3, 2, 1];

/// Columns are 40 wide from 60 on, checkers 35, and all is between 50 and 450.
fn center(point: usize, is_upper: bool, nth: u8) -> [f64; 2] {
    let lower = if point > 12 { 25 - point } else { point };
    let column = LOWER.iter().position(|&it| it == lower).unwrap();
    let depth = 18.5 + 36.0 * f64::from(nth.min(4));
    [80.0 + 40.0 * column as f64, if is_upper { 50.0 + depth } else { 450.0 - depth }]
}

#[test]
fn checkers_arrows_and_trays_of_a_picture_are_where_the_board_is_seen_from() {
    let mut view = BoardView::from(&parse_situation("start").unwrap());
    for (point, stack) in (1..).zip(&mut view.points) {
        *stack = Stack::plain(if point % 2 == 0 { point / 2 } else { -1 });
    }
    view.bar = [Stack::plain(2), Stack::plain(-1)];
    view.trays = Trays::Off([3, 2]);
    view.entry = Some([(19, 24), (1, 6)]);
    view.cube = Cube::new(1, CubeOwner::Player).ok();
    let arrow = |from, to| Arrow { from, to, color: "#123456" };
    view.arrows =
        vec![arrow(Spot::Point(14, 6), Spot::Point(6, 1)), arrow(Spot::Bar(1), Spot::Off(2))];
    for (clockwise, flipped, bar_half) in [
        (false, false, Half::Upper),
        (true, false, Half::Upper),
        (false, true, Half::Lower),
        (true, true, Half::Lower),
    ] {
        view.orientation = Orientation { clockwise, flipped };
        view.bar_half = bar_half;
        let svg = view.svg(&Theme::WOOD);
        let seen = |[x, y]: [f64; 2]| {
            [if clockwise { 660.0 - x } else { x }, if flipped { 500.0 - y } else { y }]
        };
        let bar = |is_player| center(0, (bar_half == Half::Upper) == is_player, 0);
        let mut expected = Vec::new();
        for (point, stack) in (1..).zip(&view.points) {
            expected.extend((0..stack.height().min(5)).map(|nth| center(point, point > 12, nth)));
        }
        let second = [bar(true)[0], if bar(true)[1] < 250.0 { 104.5 } else { 395.5 }];
        expected.extend([bar(true), second, bar(false)]);
        near(
            &numbers(&svg, "r=\"17.5\"", ["cx", "cy"]),
            &expected.into_iter().map(seen).collect::<Vec<_>>(),
        );
        // A number upon the fifth checker, with its middle a little lower.
        let number = numbers(&svg, "font-size=\"16\"", ["x", "y"]);
        let fifth = (12..=24).step_by(2).map(|point| seen(center(point, point > 12, 4)));
        near(&number, &fifth.map(|[x, y]| [x, y + 5.5]).collect::<Vec<_>>());
        // Borne-off checkers lie one upon another, from the same edge as the home board.
        let off = numbers(&svg, "height=\"11.0\"", ["x", "y"]);
        let middles: Vec<_> = off.iter().map(|[x, y]| [x + 20.0, y + 5.5]).collect();
        let lying = [443.5, 431.5, 419.5, 56.5, 68.5].map(|y| seen([615.0, y]));
        near(&middles, &lying);
        let to = seen([615.0, 419.5]);
        near(&starts(&svg, "stroke-opacity"), &[seen(center(14, true, 6)), seen(second)]);
        near(&starts(&svg, "fill=\"#123456\"")[..1], &[seen(center(6, false, 1))]);
        let end = starts(&svg, "fill=\"#123456\"")[1];
        assert!(end[0] == to[0] && (end[1] - to[1]).abs() < 5.5, "{end:?} is beyond {to:?}");
        // In the middle between the frame and the board, at the side of the owner's home.
        let cube = numbers(&svg, "width=\"36.0\"", ["x", "y"]);
        near(&[[cube[0][0] + 18.0, cube[0][1] + 18.0]], &[seen([35.0, 425.0])]);
    }
}

#[test]
fn surfaces_trays_and_dice_leave_room_for_each_other() {
    let mut view = BoardView::from(&parse_situation("start").unwrap());
    view.dice = vec![6, 3];
    for (trays, left, tray, frame, margins, die) in [
        (Trays::Off([0, 0]), 60.0, 590.0, [10.0, 640.0], [20.0, 490.0], 420.0),
        (Trays::Hand([2, 1]), 90.0, 30.0, [20.0, 620.0], [18.0, 492.0], 480.0),
    ] {
        for clockwise in [false, true] {
            view.trays = trays;
            view.orientation.clockwise = clockwise;
            let svg = view.svg(&Theme::WOOD);
            let seen = |x: f64| if clockwise { 660.0 - x } else { x };
            // Two halves of six points with a bar between them, and a tray, all in a frame of 8.
            let found = numbers(&svg, "height=\"400.0\"", ["x", "y", "width"]);
            let expected = [(left, 240.0), (left + 280.0, 240.0), (tray, 50.0)];
            let seen_left = |(x, width): (f64, f64)| seen(x + width / 2.0) - width / 2.0;
            assert_eq!(found, expected.map(|it| [seen_left(it), 50.0, it.1]));
            let found = numbers(&svg, "height=\"416.0\"", ["x", "y", "width"]);
            assert_eq!(found, [[frame[0], 42.0, frame[1]]]);
            // The dice lie beside each other in the half of the home boards.
            let dice = numbers(&svg, "width=\"32.0\"", ["x", "y"]);
            let middles: Vec<_> = dice.iter().map(|[x, y]| [x + 16.0, y + 16.0]).collect();
            near(&middles, &[die, die + 40.0].map(|x| [seen(x), 250.0]));
            let words = numbers(&svg, "font-size=\"14\" text-anchor=\"start\"", ["x", "y"]);
            assert_eq!(words, margins.map(|y| [left, y]));
            let checkers = numbers(&svg, "r=\"17.5\"", ["cx", "cy"]);
            match trays {
                Trays::Hand(_) => near(
                    &checkers[30..],
                    &[[seen(55.0), 431.5], [seen(55.0), 395.5], [seen(55.0), 68.5]],
                ),
                Trays::Off(_) => assert_eq!(checkers.len(), 30),
            }
            let opponents = format!("r=\"17.5\" fill=\"{}\"", Theme::WOOD.opponent);
            let last = numbers(&svg, &opponents, ["cy"]).pop();
            assert!(matches!(trays, Trays::Off(_)) || last == Some([68.5]));
        }
    }
}

#[test]
fn points_numbers_pips_and_heads_of_arrows_have_their_shape() {
    let mut view = BoardView::from(&parse_situation("start").unwrap());
    view.arrows =
        vec![Arrow { from: Spot::Point(24, 0), to: Spot::Point(10, 0), color: "#123456" }];
    for (value, size) in [(512, 18.0), (1024, 12.0)] {
        view.cube = Cube::from_value(value, CubeOwner::Opponent).ok();
        let text =
            numbers(&view.svg(&Theme::WOOD), &format!("\">{value}"), ["x", "y", "font-size"]);
        assert_eq!(text, [[35.0, ((75.0 + size * 0.36) * 10.0_f64).round() / 10.0, size]]);
    }
    let svg = view.svg(&Theme::WOOD);
    // Points are as wide as a column and 165 high, their numbers outside, and neighbours differ.
    let foot =
        |point: usize| [center(point, point > 12, 0)[0], if point > 12 { 50.0 } else { 450.0 }];
    let place = |point: usize| [foot(point)[0], if point > 12 { 37.0 } else { 473.0 }];
    let marks = numbers(&svg, "font-size=\"12\" text-anchor=\"middle\">", ["x", "y"]);
    near(&marks[..24], &(1..=24).map(place).collect::<Vec<_>>());
    for (odd, fill) in [(0, Theme::WOOD.light_point), (1, Theme::WOOD.dark_point)] {
        let found = paths(&svg, &format!("fill=\"{fill}\""));
        let found: Vec<_> =
            found.iter().flat_map(|it| [0, 2, 4].map(|at| [it[at], it[at + 1]])).collect();
        let triangle = |point: usize| {
            let [x, y] = foot(point);
            [[x - 20.0, y], [x, if point > 12 { 215.0 } else { 285.0 }], [x + 20.0, y]]
        };
        let of = (1..=24).filter(|point| point % 2 == odd);
        near(&found, &of.flat_map(triangle).collect::<Vec<_>>());
    }
    // The head of an arrow lies behind its end.
    let (from, to) = (center(24, true, 0), center(10, false, 0));
    let back = (from[1] - to[1]).atan2(from[0] - to[0]);
    let behind =
        |turn: f64, by: f64| [to[0] + by * (back + turn).cos(), to[1] + by * (back + turn).sin()];
    let shaft = &paths(&svg, "stroke-opacity")[0];
    near(&[[shaft[2], shaft[3]]], &[behind(0.0, 9.0)]);
    let head = &paths(&svg, "fill=\"#123456\"")[0];
    let found: Vec<_> = head.chunks(2).map(|at| [at[0], at[1]]).collect();
    near(&found, &[to, behind(-0.08 * TAU, 14.0), behind(0.08 * TAU, 14.0)]);
    // Pips as on any die: pairs in the corners, two at the sides of a six, one in the middle.
    let corners = [[-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [1.0, 1.0]];
    for die in 1..=6 {
        view.dice = vec![die];
        let mut pips = corners[..usize::from(die / 2 * 2).min(4)].to_vec();
        pips.extend([[-1.0, 0.0], [1.0, 0.0]].iter().filter(|_| die == 6));
        pips.extend((die % 2 == 1).then_some([0.0, 0.0]));
        let found = numbers(&view.svg(&Theme::WOOD), "r=\"3\"", ["cx", "cy"]);
        let at: Vec<_> = pips.iter().map(|[x, y]| [420.0 + 9.0 * x, 250.0 + 9.0 * y]).collect();
        near(&found, &at);
    }
}

#[test]
fn where_sides_enter_is_marked_in_the_frame_without_overlap() {
    let mut view = BoardView::from(&parse_situation("start").unwrap());
    for (entry, expected) in [
        ([(19, 24), (1, 6)], [[340.0, 454.0, 240.0], [340.0, 46.0, 240.0]]),
        ([(1, 6), (13, 18)], [[60.0, 43.0, 240.0], [340.0, 451.0, 240.0]]),
    ] {
        view.entry = Some(entry);
        let svg = view.svg(&Theme::WOOD);
        assert_eq!(numbers(&svg, "height=\"2.5\"", ["x", "y", "width"]), expected);
    }
}

/// The player is below, the home boards are at the right, and five checkers carry no number.
#[test]
fn a_text_board_is_seen_from_the_other_sides() {
    let situation = parse_situation("-b----F-B---eE---c-e----B-:1:1:1:63:0:0:0:0:10").unwrap();
    let mut view = BoardView::from(&situation);
    view.orientation = Orientation { clockwise: true, flipped: true };
    let expected = "\
+-1--2--3--4--5--6-+---+-7--8--9-10-11-12-+
| O              X |   |    X           O |  X pips 165, on roll
| O              X |   |    X           O |  cube 2
|                X |   |                O |
|                X |   |                O |
|                6 |   |                O |
|                  |BAR|                  |
|                O |   |                X |  roll 6-3, money
|                O |   |                X |
|                O |   |    O           X |
| X              O |   |    O           X |
| X              O |   |    O           X |  O pips 167
+24-23-22-21-20-19-+---+18-17-16-15-14-13-+";
    assert_eq!(view.text(Charset::Ascii, Color::Never), expected);
}

fn scripta() -> ScriptaView {
    let mut view = ScriptaView {
        entry: [[1, 2, 0, 0, 0, 3], [0, 4, 0, 0, 0, 12]],
        bar: [1, 2],
        notes: ["mine".into(), "theirs".into()],
        title: "ludus".into(),
        ..ScriptaView::default()
    };
    for (cell, count) in [(7, 1), (9, -9), (18, 10), (19, -1), (24, 2), (25, -15), (30, 5)] {
        view.track[cell - 7] = Stack::plain(count);
    }
    view
}

#[test]
fn a_text_board_of_three_rows_counts_the_cells_up_and_back() {
    let mut view = scripta();
    let expected = "\
┌──7───8───9──10──11──12─┬───┬─13──14──15──16──17──18─┐
│  ●   ·  ○9   ·   ·   · │   │  ·   ·   ·   ·   · ●10│  ○ theirs
├──1───2───3───4───5───6─┼───┼──6───5───4───3───2───1─┤
│  ●  ●2   ·   ·   ·  ●3 │BAR│ ○12  ·   ·   ·  ○4   · │  ludus
├─30──29──28──27──26──25─┼───┼─24──23──22──21──20──19─┤
│ ●5   ·   ·   ·   · ○15│   │ ●2   ·   ·   ·   ·   ○ │  ● mine, on roll
└────────────────────────┴───┴────────────────────────┘";
    let text = |view: &ScriptaView, charset| Board::from(view.clone()).text(charset, Color::Never);
    let straight = text(&view, Charset::Unicode);
    assert_eq!(straight.replace(' ', ""), expected.replace(' ', ""));
    let ascii = text(&view, Charset::Ascii);
    assert!(ascii.starts_with("+--7---8---9--10"), "{ascii}");
    let chars = |line: &str| line.chars().collect::<Vec<_>>();
    let wide = ascii.lines().zip(straight.lines()).all(|(a, b)| chars(a).len() == chars(b).len());
    assert!(ascii.is_ascii() && wide && ascii.contains("|  X   .  O9 "), "{ascii}");
    // Four characters a cell, and the bar between two groups of six.
    let cells = |text: &str| -> Vec<Vec<String>> {
        let row = |line: &str| {
            let line = chars(line);
            [&line[1..25], &line[30..54]].concat().chunks(4).map(String::from_iter).collect()
        };
        text.lines().take(6).map(row).collect()
    };
    let usual = cells(&straight);
    view.orientation = Orientation { clockwise: true, flipped: false };
    let mirrored: Vec<Vec<String>> =
        usual.iter().map(|row| row.iter().rev().cloned().collect()).collect();
    assert_eq!(cells(&text(&view, Charset::Unicode)), mirrored);
    view.orientation = Orientation { clockwise: false, flipped: true };
    let flipped = text(&view, Charset::Unicode);
    assert_eq!(cells(&flipped), [&usual[4..], &usual[2..4], &usual[..2]].concat());
    assert!(flipped.lines().nth(1).unwrap().ends_with("● mine, on roll"), "{flipped}");
    // The player is cyan, the opponent red.
    let colored = Board::from(view).text(Charset::Unicode, Color::Always);
    assert!(colored.contains("\x1b[1;36m●\x1b[0m") && colored.contains("\x1b[1;31m○\x1b[0m"));
}

#[test]
fn a_picture_of_three_rows_has_stacks_on_their_cells() {
    let mut view = scripta();
    let svg = Board::from(view.clone()).svg(&Theme::WOOD);
    // Cells are 53 apart, the groups 58 more, the rows 80; the bar is in the middle.
    let cell = |row: i8, column: i8| {
        let gap = if column < 6 { 0.0 } else { 58.0 };
        [58.0 + 53.0 * f64::from(column) + gap, 84.0 + 80.0 * f64::from(row)]
    };
    let place = |row, column| if column < 0 { [380.0, cell(row, 0)[1]] } else { cell(row, column) };
    let every: Vec<_> = (0..36).map(|at| cell(at / 12, at % 12)).collect();
    let below = |shift: [f64; 2]| {
        every.iter().map(|[x, y]| [x + shift[0], y + shift[1]]).collect::<Vec<_>>()
    };
    near(&numbers(&svg, "font-size=\"11\"", ["x", "y"]), &below([0.0, 38.0]));
    near(&numbers(&svg, "font-size=\"26\"", ["x", "y"]), &below([0.0, 9.0]));
    near(&numbers(&svg, "fill-opacity=\"0.45\"", ["x", "y"]), &below([-24.0, -24.0]));
    let middle = format!("fill=\"{}\" fill-opacity=\"0.45\"", Theme::WOOD.dark_point);
    assert_eq!(numbers(&svg, &middle, ["y"]), [[140.0]; 12]);
    // Margins are alike on both sides.
    for [x, y, width, height] in numbers(&svg, "><rect", ["x", "y", "width", "height"]) {
        assert_eq!((2.0 * x + width, 2.0 * y + height), (760.0, 340.0));
    }
    assert_eq!(numbers(&svg, "text-anchor=\"end\"", ["x"]), [[744.0]]);
    // Row, column or bar, and how many, below zero for the opponent's.
    let stacks = [
        [0, 0, 1],
        [0, 2, -9],
        [0, 11, 10],
        [1, 0, 1],
        [1, 1, 2],
        [1, 5, 3],
        [1, 6, -12],
        [1, 10, -4],
        [2, 0, 5],
        [2, 5, -15],
        [2, 6, 2],
        [2, 11, -1],
        [2, -1, 1],
        [0, -1, -2],
    ];
    for (sign, fill, other) in [
        (1, Theme::WOOD.player, Theme::WOOD.opponent),
        (-1, Theme::WOOD.opponent, Theme::WOOD.player),
    ] {
        let of = || stacks.iter().filter(|[.., count]| count * sign > 0);
        // Up to four checkers rise by three and a half.
        let rise = |nth: i8| 3.5 * f64::from(nth);
        let checkers = of().flat_map(|&[row, column, count]| {
            let [x, y] = place(row, column);
            (0..count.abs().min(4)).map(move |nth| [x, y + 3.0 - rise(nth)])
        });
        let found = numbers(&svg, &format!("r=\"18\" fill=\"{fill}\""), ["cx", "cy"]);
        near(&found, &checkers.collect::<Vec<_>>());
        // The number of two and more stands on the uppermost, in the other color.
        let counts = of().filter(|[.., count]| count.abs() > 1).map(|&[row, column, count]| {
            let [x, y] = place(row, column);
            [x, y + 9.0 - rise(count.abs().min(4) - 1)]
        });
        let of = format!("text-anchor=\"middle\" fill=\"{other}\"");
        near(&numbers(&svg, &of, ["x", "y"]), &counts.collect::<Vec<_>>());
    }
    // Six petals in a circle between the groups, each as wide to both sides.
    let middles: Vec<_> = (0..3).map(|row| place(row, -1)).collect();
    near(&numbers(&svg, "r=\"20\"", ["cx", "cy"]), &middles);
    let petals = paths(&svg, "/>");
    for (nth, petal) in petals.iter().enumerate() {
        let [x, y] = middles[nth / 6];
        let (sin, cos) = (TAU * (nth % 6) as f64 / 6.0).sin_cos();
        let turned = |[a, b]: [f64; 2]| [x + a * cos - b * sin, y + a * sin + b * cos];
        let found: Vec<_> = petal.chunks(2).map(|at| [at[0], at[1]]).collect();
        let way = [[0.0, 0.0], [10.0, 6.0], [20.0, 0.0], [10.0, -6.0], [0.0, 0.0]];
        near(&found, &way.map(turned));
    }
    assert_eq!(petals.len(), 18);
    // A checker before what is said of each side, which is at that side as the bar is.
    assert_eq!(numbers(&svg, "r=\"7\"", ["cx", "cy"]), [[30.0, 321.0], [30.0, 19.0]]);
    view.orientation.flipped = true;
    let svg = Board::from(view).svg(&Theme::WOOD);
    assert_eq!(numbers(&svg, "r=\"7\"", ["cx", "cy"]), [[30.0, 19.0], [30.0, 321.0]]);
    let [one, .., two, three] = &numbers(&svg, "r=\"18\"", ["cx", "cy"])[..] else { panic!() };
    assert!(one[0] < 60.0, "the first cell is first");
    near(&[*two, *three], &[[380.0, 247.0], [380.0, 243.5]]);
}

#[test]
fn checkers_of_a_round_picture_stand_in_their_cells_from_the_edge_inwards() {
    for (cells, radius) in [(12, 16.0), (72, TAU * 190.0 / 144.0 - 1.0)] {
        let player = |color| RoundPlayer { name: "n", color, note: "two".into(), beside: vec![] };
        let view = RoundView {
            players: vec![player("#111111"), player("#222222")],
            on_roll: 0,
            cells: (0..cells).map(|at| (usize::from(at % 2), at % 7)).collect(),
            title: String::new(),
            status: String::new(),
        };
        let svg = Board::from(view).svg(&Theme::WOOD);
        // Counter-clockwise from the right, in the middle of the cell.
        let place = |at: u8, distance: f64| {
            let angle = TAU * (f64::from(at) + 0.5) / f64::from(cells);
            [280.0 + distance * angle.cos(), 280.0 - distance * angle.sin()]
        };
        for (seat, color) in ["#111111", "#222222"].into_iter().enumerate() {
            let of = (0..cells).filter(|at| usize::from(at % 2) == seat);
            let expected = of.flat_map(|at| {
                (0..(at % 7).min(4))
                    .map(move |nth| (at, 244.0 - radius - 1.6 * radius * f64::from(nth)))
            });
            let expected: Vec<_> = expected.map(|(at, distance)| place(at, distance)).collect();
            let of = format!("r=\"{radius:.1}\" fill=\"{color}\"");
            near(&numbers(&svg, &of, ["cx", "cy"]), &expected);
        }
        let many = (0..cells).filter(|at| at % 7 > 4).map(|at| place(at, 244.0 - 7.6 * radius));
        let mut small: Vec<_> = many.map(|[x, y]| [x, y + 4.0]).collect();
        // The name of who is on roll is bold; names are in the middle of their half, and the words
        // in the middle of the board.
        small.extend([[280.0, 376.0], [280.0, 298.0]]);
        near(&numbers(&svg, "font-size=\"13\" text-anchor=\"middle\">", ["x", "y"]), &small);
        assert_eq!(numbers(&svg, "font-size=\"15\"", ["x", "y"]), [[280.0, 278.0]]);
        let bold = numbers(&svg, "font-weight=\"bold\"", ["x", "y"]);
        assert_eq!(bold, [[280.0, 192.0], [586.0, 45.0]]);
        assert_eq!(numbers(&svg, "r=\"9\"", ["cx", "cy"]), [[570.0, 40.0], [570.0, 80.0]]);
        assert_eq!(numbers(&svg, "font-size=\"14\">", ["x", "y"]), [[586.0, 85.0]]);
        assert_eq!(numbers(&svg, "font-size=\"12\"", ["x", "y"]), [[586.0, 60.0], [586.0, 100.0]]);
        // The frame is ten wide. A line divides the two halves, and neighbours differ in color.
        assert!(svg.contains("cy=\"280\" r=\"260.0\""));
        let edge = |at: u8, distance| {
            let angle = TAU * f64::from(at) / f64::from(cells);
            [280.0 + distance * f64::cos(angle), 280.0 - distance * f64::sin(angle)]
        };
        let halves = paths(&svg, "stroke-width=\"4\"");
        let ends: Vec<_> = halves.iter().flat_map(|it| [[it[0], it[1]], [it[2], it[3]]]).collect();
        near(&ends, &[0, cells / 2].map(|at| [edge(at, 80.0), edge(at, 250.0)]).concat());
        for (odd, fill) in [(0, Theme::WOOD.light_point), (1, Theme::WOOD.dark_point)] {
            let found = paths(&svg, &format!("fill=\"{fill}\" fill-opacity"));
            let corners = [(0, 250.0), (1, 250.0), (1, 120.0), (0, 120.0)];
            let of = (0..cells).filter(|at| at % 2 == odd);
            let wedge = |at| corners.map(|(next, distance)| edge(at + next, distance));
            let found: Vec<_> =
                found.iter().flat_map(|it| [0, 7, 9, 16].map(|at| [it[at], it[at + 1]])).collect();
            near(&found, &of.flat_map(wedge).collect::<Vec<_>>());
        }
    }
}
