//! The profile as one HTML page that needs nothing else.

use tavola_matches::page::escape;

use super::{
    Decided, DuelSummary, LETTERS, PhaseRow, ProfileReport, Profiled, SelfPlay, Shown, chart,
};
use crate::words as format;

const STYLE: &str = include_str!("page.css");

impl ProfileReport {
    /// The profile as one HTML page that needs nothing else.
    pub fn page(&self) -> String {
        let names: Vec<String> =
            self.networks.iter().map(|network| escape(&network.name)).collect();
        let both = names.len() == 2;
        let headline = names.iter().zip(LETTERS).map(|(name, letter)| match both {
            false => name.clone(),
            true => format!("<span class=\"{}\">{letter}: {name}</span>", letter.to_lowercase()),
        });
        let question = if both { "what they do, and where they differ" } else { "what it does" };
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"generator\" content=\"tavola profile\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{}: a profile</title>\n<style>\n{STYLE}</style></head>\n<body>\n<h1>{}</h1>\n\
             <p class=\"soft\">{}: {question}. All of it at 0-ply, without a cube; \
             equities are expected points of the player who makes the play.</p>\n",
            names.join(" and "),
            headline.collect::<Vec<_>>().join("<br>"),
            escape(&self.game)
        );
        html.extend(self.duel.as_ref().map(duel));
        html += &habits(&self.networks);
        html += &openings(self);
        html += &replies(self);
        if !self.phases.is_empty() {
            html += &phases(&self.phases);
            html += &disagreements(self);
        }
        html += &making(self);
        html + "</body></html>\n"
    }
}

/// Rows that are `<tr>...</tr>`, in a table that scrolls on a narrow screen.
fn wide(rows: impl IntoIterator<Item = String>) -> String {
    let rows: String = rows.into_iter().collect();
    format!("<div class=\"wide\"><table>{rows}</table></div>\n")
}

/// A row of headings, the classes of each before a colon: `n` is that of numbers.
fn head(headings: &[&str]) -> String {
    let heading = |heading: &&str| match heading.split_once(':') {
        Some((classes, text)) => format!("<th class=\"{classes}\">{text}</th>"),
        None => format!("<th>{heading}</th>"),
    };
    format!("<tr>{}</tr>\n", headings.iter().map(heading).collect::<String>())
}

/// A row: the text of its first cell, then numbers.
fn numbers<const N: usize>(name: &str, numbers: [String; N]) -> String {
    row("", name, numbers)
}

fn row(class: &str, name: &str, numbers: impl IntoIterator<Item = String>) -> String {
    let numbers = numbers.into_iter().map(|number| format!("<td class=\"n\">{number}</td>"));
    format!("<tr{class}><td>{name}</td>{}</tr>\n", numbers.collect::<String>())
}

fn percent(share: f64) -> String {
    format!("{} %", format::percent(share as f32))
}

/// An equity or a difference of equities.
fn points(number: f64) -> String {
    format::equity(number as f32)
}

/// Points as millipoints.
fn millipoints(loss: f64) -> String {
    format!("{:.1}", 1000.0 * loss)
}

/// A or B in its color.
fn letter(number: usize) -> String {
    format!("<b class=\"{}\">{}</b>", LETTERS[number].to_lowercase(), LETTERS[number])
}

fn duel(duel: &DuelSummary) -> String {
    let unfinished = match duel.unfinished {
        0 => String::new(),
        games => format!(", {} of them truncated at the turn limit", format::count(games)),
    };
    let headings = head(&["", "n:games won", "n:of these gammons", "n:backgammons"]);
    let rows = (0..).zip(&duel.wins).map(|(number, wins)| {
        let won = wins.wins as f64 / duel.games.max(1) as f64;
        let rates = [won, wins.gammon_rate(), wins.backgammon_rate()];
        numbers(&letter(number), rates.map(percent))
    });
    format!(
        "<h2>Against each other</h2>\n<p class=\"big\">A scores {}: {}</p>\n\
         <p class=\"soft\">95 % interval, luck-adjusted; raw {}. {} games in pairs on \
         the same dice with the seats swapped{unfinished}.</p>{}",
        format::strength(duel.luck_adjusted.unwrap_or(duel.ppg)),
        duel.verdict.in_words(),
        format::strength(duel.ppg),
        format::count(duel.games),
        wide([headings].into_iter().chain(rows))
    )
}

fn habits(networks: &[Profiled]) -> String {
    let mut rows = Vec::new();
    let mut habit = |name: &str, of: &dyn Fn(&SelfPlay) -> String| {
        rows.push(row("", name, networks.iter().map(|network| of(&network.self_play))));
    };
    habit("games", &|games| format::count(games.games));
    habit("turns of a game, 95 % interval", &|games| {
        games.length.map_or_else(String::new, |length| {
            format!("{:.1} ± {:.1}", length.mean, length.high - length.mean)
        })
    });
    habit("won singly", &|games| percent(games.single_rate));
    habit("won by a gammon", &|games| percent(games.gammon_rate));
    habit("won by a backgammon", &|games| percent(games.backgammon_rate));
    if networks.iter().any(|network| network.self_play.draw_rate > 0.0) {
        habit("drawn", &|games| percent(games.draw_rate));
    }
    habit("won by the player who began", &|games| percent(games.first_win_rate));
    habit("points of the player who began, 95 % interval", &|games| {
        games.first_mover.map_or_else(String::new, |estimate| {
            let half = estimate.high - estimate.mean;
            format!("{}<small>± {half:.3} ppg</small>", points(estimate.mean))
        })
    });
    let own = networks.iter().map(|network| points(network.first_move_equity));
    rows.push(row("", "the same by its own evaluation, before the roll", own));
    if networks.iter().any(|network| network.self_play.unfinished > 0) {
        let unfinished = networks.iter().map(|it| format::count(it.self_play.unfinished));
        rows.push(row("", "truncated at the turn limit, not counted", unfinished));
    }
    let (heading, key) = match networks.len() {
        2 => (
            vec![numbers("", [0, 1].map(letter))],
            format!("<p class=\"soft\">Share of the games, {} and {}.</p>\n", letter(0), letter(1)),
        ),
        _ => (Vec::new(), String::new()),
    };
    let rows = wide(heading.into_iter().chain(rows));
    let chart = chart::lengths(networks);
    format!("<h2>Against itself</h2>\n{rows}<h3>Length of games</h3>\n{key}{chart}")
}

fn openings(report: &ProfileReport) -> String {
    let key = match report.networks.len() {
        2 => format!(
            "<p class=\"soft\">{}, with what each thinks of its own play. Where they differ: what \
             the other's play loses.</p>\n",
            differing(&report.openings, "openings")
        ),
        _ => String::new(),
    };
    format!("<h2>Opening plays</h2>\n{key}{}", decided(&report.openings))
}

/// How many of a list differ.
fn differing(list: &[Decided], things: &str) -> String {
    match list.iter().filter(|one| one.differ).count() {
        0 => format!("All {} {things} alike", list.len()),
        differ => format!("{differ} of {} {things} differ", list.len()),
    }
}

/// Rolls and plays; of two networks side by side.
fn decided(list: &[Decided]) -> String {
    let both = list.first().is_some_and(|one| one.plays.len() == 2);
    let any_differ = list.iter().any(|one| one.differ);
    let headings: &[&str] = match (both, any_differ) {
        (true, true) => &["roll", "a:A plays", "b:B plays", "n:the other's loses"],
        (true, false) => &["roll", "a:A plays", "b:B plays"],
        (false, _) => &["roll", "play", "n:equity"],
    };
    let rows = list.iter().map(|one| {
        let (roll, play) = (escape(&one.roll), escape(&one.plays[0]));
        let equity = |number: usize| format::equity(one.equities[number][number]);
        let start = format!("<td>{roll}</td><td>{play}");
        match (both, one.differ) {
            (false, _) => format!("<tr>{start}</td><td class=\"n\">{}</td></tr>\n", equity(0)),
            (true, true) => format!(
                "<tr class=\"differ\">{start}<small>{}</small></td><td>{}<small>{}</small></td>\
                 <td class=\"n\"><span class=\"a\">A sees {:.3}</span>\
                 <br><span class=\"b\">B sees {:.3}</span></td></tr>\n",
                equity(0),
                escape(&one.plays[1]),
                equity(1),
                one.losses[0],
                one.losses[1]
            ),
            (true, false) => format!(
                "<tr>{start}<small>{}</small></td><td class=\"soft\">the same<small>{}</small></td>\
                 {}</tr>\n",
                equity(0),
                equity(1),
                if any_differ { "<td></td>" } else { "" }
            ),
        }
    });
    wide([head(headings)].into_iter().chain(rows))
}

fn replies(report: &ProfileReport) -> String {
    if report.replies.is_empty() {
        return String::new();
    }
    let both = report.networks.len() == 2;
    let whose = if both { "A's opening plays" } else { "its opening plays" };
    let replies = report.replies.iter().map(|replies| {
        let differ = match both {
            false => String::new(),
            true => {
                format!(" <span class=\"soft\">{}</span>", differing(&replies.replies, "replies"))
            }
        };
        format!(
            "<details><summary>{}: {}{differ}</summary>\n<p><code>{}</code></p>\n{}</details>\n",
            escape(&replies.roll),
            escape(&replies.play),
            escape(&replies.position),
            decided(&replies.replies)
        )
    });
    format!(
        "<h2>Replies</h2>\n<p class=\"soft\">All rolls in answer to each of {whose}.</p>\n{}",
        replies.collect::<String>()
    )
}

fn phases(phases: &[PhaseRow]) -> String {
    let of_phase = |class: &str, name: &str, of: &PhaseRow| {
        let numbers = [
            format::count(of.decisions),
            percent(of.differing),
            millipoints(of.losses[0]),
            millipoints(of.losses[1]),
            points(of.gap),
            format!("{:.3}", of.absolute_gap),
        ];
        row(class, name, numbers)
    };
    let headings =
        ["phase", "n:decisions", "n:differ", "n a:A sees", "n b:B sees", "n:A − B", "n:apart"];
    let rows = phases
        .iter()
        .map(|one| of_phase("", one.phase.map_or("all positions", |it| it.in_words()), one));
    let total =
        (phases.len() > 1).then(|| of_phase(" class=\"total\"", "all", &PhaseRow::total(phases)));
    format!(
        "<h2>How far apart</h2>\n<p class=\"soft\">Over all decisions with a choice in the games of \
         both with themselves. Losses are what the other's choice gives away, evaluated by A and \
         by B, in millipoints a decision. The last two columns are the mean of A's evaluation less \
         B's, and the mean absolute difference.</p>\n{}",
        wide([head(&headings)].into_iter().chain(rows).chain(total))
    )
}

fn disagreements(report: &ProfileReport) -> String {
    format!(
        "<h2>Largest disagreements about the play</h2>\n<p class=\"soft\">Where each thinks most \
         that the other errs: by the mean of the two losses. Arrows are \
         <b class=\"a\">A's</b> and <b class=\"b\">B's</b> play.</p>\n{}\
         <h2>Largest disagreements about equity</h2>\n<p class=\"soft\">Where they think most \
         differently of what the same play is worth.</p>\n{}",
        cards(&report.plays),
        cards(&report.equities)
    )
}

/// Positions by phase, each with its board.
fn cards(list: &[Shown]) -> String {
    if list.is_empty() {
        return "<p>There are none: they see every position alike.</p>\n".to_owned();
    }
    let phases = list.chunk_by(|one, next| one.phase == next.phase).map(|of_phase| {
        let phase = of_phase[0]
            .phase
            .map_or_else(String::new, |it| format!("<h3>{}</h3>\n", it.in_words()));
        let cards: String = of_phase.iter().map(card).collect();
        format!("{phase}<div class=\"cards\">\n{cards}</div>\n")
    });
    phases.collect()
}

fn card(shown: &Shown) -> String {
    let Decided { roll, plays, equities, differ, losses, .. } = &shown.decided;
    let seen = |who: &str, number: usize| {
        let equities = [0, 1].map(|by| format::equity(equities[number][by]));
        numbers(&format!("{who} {}", escape(&plays[number])), equities)
    };
    let rows = match differ {
        true => {
            let lost = [0, 1].map(|number| format!("{:.3}", losses[number]));
            let lost = numbers("<span class=\"soft\">the other's loses</span>", lost);
            [seen(&letter(0), 0), seen(&letter(1), 1), lost].concat()
        }
        false => format!(
            "{}<tr><td class=\"soft\">A − B</td><td class=\"n\" colspan=\"2\">{}</td></tr>\n",
            seen("<b>both</b>", 0),
            format::equity(shown.equity_gap)
        ),
    };
    let label = escape(&format!("board, {roll} to play"));
    let board = format!("<svg class=\"board\" role=\"img\" aria-label=\"{label}\" ");
    format!(
        "<div class=\"card\">{}<div><table>{}{rows}</table><p><code>{}</code><br>\
         <small>roll {}; game {} of {} with itself, turn {}</small></p></div></div>\n",
        shown.picture.trim_end().replacen("<svg xmlns=\"http://www.w3.org/2000/svg\" ", &board, 1),
        head(&["play", "n a:A sees", "n b:B sees"]),
        escape(&shown.id),
        escape(roll),
        shown.game + 1,
        shown.player,
        shown.turn + 1
    )
}

fn making(report: &ProfileReport) -> String {
    let networks = LETTERS.iter().zip(&report.networks).map(|(letter, network)| {
        let hidden: Vec<String> = network.hidden.iter().map(usize::to_string).collect();
        format!(
            "<tr><td>{letter}</td><td>{}: {} features, hidden layers {}, {} parameters, trained for \
             {}<br>sha256 <code>{}</code></td></tr>\n",
            escape(&network.name),
            escape(network.encoder),
            hidden.join("-"),
            format::count(network.parameters as u64),
            escape(&network.trained_for),
            escape(&network.sha256)
        )
    });
    let settings = &report.settings;
    let games = format!(
        "<tr><td>games</td><td>{} of each network with itself and of both with each other, seed {}; \
         {} positions of each phase, {}-ply</td></tr>\n\
         <tr><td>command</td><td><code>{}</code></td></tr>",
        format::count(settings.games),
        settings.seed,
        settings.positions,
        settings.ply,
        escape(&report.command)
    );
    format!(
        "<h2>How this was made</h2>\n{}<p class=\"soft\">The figures follow from networks, games \
         and seed alone. Each position is shown once, and each game gives one position to a phase \
         at most. What the networks disagree about is not who is right: a rollout or \
         <code>tavola grade</code> says that.</p>\n",
        wide(networks.chain([games]))
    )
}
