//! Boards as text and SVG.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::board::{Board, BoardView, Charset, Color, Spot, Theme};
use tavola_rules::notation::{Situation, parse_situation};
use tavola_rules::{Backgammon, Game, Position, moves};

#[test]
fn a_rich_position_is_drawn_in_ascii() {
    let situation =
        parse_situation("XGID=aB-bB-GA----a---b-bc-a-b-A:1:-1:1:63:3:1:0:11:10").unwrap();
    let expected = "\
+13-14-15-16-17-18-+---+19-20-21-22-23-24-+
|          O     O | X | O     O     O    |  O pips 140, score 1 of 11, off 1
|          O     O |   | O           O    |  cube 2
|                  |   | O                |
|                  |   |                  |
|                  |   |                  |
|                  |BAR|                  |
|                  |   | 7                |  roll 6-3
|                  |   | X                |
|                  |   | X                |
|                  |   | X     X  O     X |
| O              X | O | X     X  O     X |  X pips 84, score 3 of 11, off 2
+12-11-10--9--8--7-+---+-6--5--4--3--2--1-+  on roll";
    assert_eq!(BoardView::from(&situation).text(Charset::Ascii, Color::Never), expected);
}

#[test]
fn what_the_situation_does_not_say_is_not_drawn() {
    let start = Situation::from(Position::STANDARD);
    let text = BoardView::from(&start).text(Charset::Ascii, Color::Never);
    assert!(!text.contains("cube") && !text.contains("roll ") && !text.contains("score"), "{text}");
    let known = parse_situation("-b----E-C---eE---c-e----B-:0:0:1:D:0:0:3:0:10").unwrap();
    let text = BoardView::from(&known).text(Charset::Ascii, Color::Never);
    assert!(
        text.contains("cube 1\n") && text.contains("doubled, money, Jacoby, beavers"),
        "{text}"
    );
    let crawford = parse_situation("-b----E-C---eE---c-e----B-:0:0:1:00:6:2:1:7:10").unwrap();
    let text = BoardView::from(&crawford).text(Charset::Ascii, Color::Never);
    assert!(text.contains("Crawford game") && text.contains("score 6 of 7, on roll"), "{text}");
    assert!(!text.contains("cube"), "a Crawford game has none: {text}");
}

#[test]
fn a_board_of_any_game_is_drawn_as_its_view() {
    let view = BoardView::from(&Situation::from(Position::STANDARD));
    let board = Board::from(view.clone());
    let text = view.text(Charset::Ascii, Color::Never);
    assert!(text.lines().count() > 10);
    assert_eq!(board.text(Charset::Ascii, Color::Never), text);
    assert_eq!(board.svg(&Theme::default()), view.svg(&Theme::default()));
}

#[test]
fn arrows_begin_at_the_outermost_checker_and_end_at_the_next_free_spot() {
    let start = Position::STANDARD;
    let (play, _) = moves::plays(&start, "31".parse().unwrap())
        .into_iter()
        .find(|(play, _)| play.to_string() == "8/5 6/5")
        .unwrap();
    let view = BoardView::from(&Situation::from(start)).with_play(&start, &play, "red");
    let ends: Vec<_> = view.arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
    let expected = [(Spot::Point(8, 2), Spot::Point(5, 0)), (Spot::Point(6, 4), Spot::Point(5, 1))];
    assert_eq!(ends, expected);
    assert_eq!(view.plays, ["8/5 6/5"]);
}

/// The text without its ANSI escapes.
fn without_color(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.split_once('m').unwrap().1);
    }
    plain
}

#[test]
fn every_position_of_random_play_is_drawn_with_straight_edges() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for game in Backgammon::ALL {
        let mut position = game.start();
        let mut roll = game.opening_roll(&mut rng);
        loop {
            let situation = Situation { dice: Some(roll), ..Situation::from(position) };
            let ascii = BoardView::from(&situation).text(Charset::Ascii, Color::Never);
            let unicode = BoardView::from(&situation).text(Charset::Unicode, Color::Never);
            let colored = BoardView::from(&situation).text(Charset::Unicode, Color::Always);
            assert_eq!(without_color(&colored), unicode);
            for text in [&ascii, &unicode] {
                let ends: Vec<Option<char>> = text.lines().map(|l| l.chars().nth(42)).collect();
                assert_eq!(ends.len(), 13, "{text}");
                assert!(ends.iter().all(|c| c.is_some_and(|c| "|+│┐┘".contains(c))), "{text}");
            }
            assert!(ascii.is_ascii());
            assert!(ascii.contains(&format!("X pips {}", position.pip_count())), "{ascii}");

            let plays = moves::plays(&position, roll);
            let play = plays.get(rng.random_range(0..plays.len().max(1))).map(|(play, _)| play);
            let svg = play
                .iter()
                .fold(BoardView::from(&situation), |board, play| {
                    board.with_play(&position, play, Theme::WOOD.arrow)
                })
                .svg(&Theme::WOOD);
            assert_drawing(&svg);
            let steps = play.map_or(0, |play| play.steps().len());
            assert_eq!(svg.matches("stroke-opacity").count(), steps, "{svg}");
            if game.outcome(&position).is_some() {
                break;
            }
            let mut afterstates = Vec::new();
            game.afterstates(&position, roll, &mut afterstates);
            position = afterstates[rng.random_range(0..afterstates.len())];
            roll = game.roll(&mut rng);
        }
    }
}

/// Every element is closed and every number finite.
fn assert_drawing(svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    let opened = svg.matches('<').count() - svg.matches("</").count();
    assert_eq!(opened, svg.matches("</").count() + svg.matches("/>").count(), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains('&'), "{svg}");
}

#[test]
fn the_svg_shows_every_checker_die_and_arrow() {
    let start = Situation::from(Position::STANDARD);
    let svg = BoardView::from(&start).svg(&Theme::WOOD);
    assert_eq!(svg.matches("<circle").count(), 30);
    assert_eq!(svg.matches("stroke-opacity").count(), 0);
    let rolled = Situation { dice: "64".parse().ok(), ..start };
    let plays = moves::plays(&rolled.position, rolled.dice.unwrap());
    let svg = BoardView::from(&rolled)
        .with_play(&rolled.position, &plays[0].0, Theme::WOOD.arrow)
        .svg(&Theme::WOOD);
    assert_eq!(svg.matches("<circle").count(), 30 + 10);
    assert!(svg.contains(&plays[0].0.to_string()));
    // Seven on a point: five drawn, with their number.
    let stacked = parse_situation("-b----G-A---eE---c-e----B-:3:1:1:00:0:0:0:0:10").unwrap();
    let svg = BoardView::from(&stacked).svg(&Theme::PRINT);
    assert_eq!(svg.matches("<circle").count(), 28);
    assert!(svg.contains(">7</text>") && svg.contains(">8</text>"));
    assert!(svg.contains(Theme::PRINT.dark_point) && !svg.contains(Theme::WOOD.dark_point));
}
