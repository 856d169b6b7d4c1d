//! The profile as one HTML page that needs nothing else.

use std::fmt::{self, Write};

use tavola_arena::Estimate;
use tavola_play::Phase;

use super::chart;
use super::report::{Decided, DuelSummary, LETTERS, PhaseRow, Profiled, Report, Shown};
use crate::report::format;

const STYLE: &str = include_str!("page.css");

/// The page.
pub fn page(report: &Report) -> String {
    let mut html = String::with_capacity(1 << 20);
    write_page(report, &mut html).expect("writing to a string doesn't fail");
    html
}

fn write_page(report: &Report, html: &mut String) -> fmt::Result {
    let names: Vec<String> = report.networks.iter().map(|network| escape(&network.name)).collect();
    let title = names.join(" and ");
    writeln!(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}: a profile</title>\n<style>\n{STYLE}</style></head>\n<body>"
    )?;
    let headline: Vec<String> = names
        .iter()
        .zip(LETTERS)
        .map(|(name, letter)| match names.len() {
            1 => name.clone(),
            _ => format!("<span class=\"{}\">{letter}: {name}</span>", letter.to_lowercase()),
        })
        .collect();
    let question =
        if names.len() == 2 { "what they do, and where they differ" } else { "what it does" };
    writeln!(
        html,
        "<h1>{}</h1>\n<p class=\"soft\">{}: {question}. All of it at 0-ply, without a cube; \
         equities are expected points of the player who makes the play.</p>",
        headline.join("<br>"),
        escape(&report.game)
    )?;
    if let Some(duel) = &report.duel {
        write_duel(duel, html)?;
    }
    write_habits(&report.networks, html)?;
    write_openings(report, html)?;
    write_replies(report, html)?;
    if !report.phases.is_empty() {
        write_phases(&report.phases, html)?;
        write_disagreements(report, html)?;
    }
    write_making(report, html)?;
    html.push_str("</body></html>\n");
    Ok(())
}

/// Text as HTML shows it.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn strength(estimate: &Estimate) -> String {
    format::strength(estimate.mean, [estimate.low, estimate.high])
}

fn percent(share: f64) -> String {
    format!("{} %", format::percent(share as f32))
}

/// An equity that was summed up.
fn points(number: f64) -> String {
    format::equity(number as f32)
}

/// A loss in millipoints, which is what they are small enough for.
fn millipoints(loss: f64) -> String {
    format!("{:.1}", 1000.0 * loss)
}

fn write_duel(duel: &DuelSummary, html: &mut String) -> fmt::Result {
    let best = duel.luck_adjusted.as_ref().unwrap_or(&duel.ppg);
    let verdict = format::verdict(duel.verdict);
    writeln!(
        html,
        "<h2>Against each other</h2>\n<p class=\"big\">A scores {}: {verdict}</p>\n\
         <p class=\"soft\">95 % interval, luck-adjusted; raw {}. {} games in pairs on \
         the same dice with the seats swapped{}.</p>",
        strength(best),
        strength(&duel.ppg),
        format::count(duel.games),
        match duel.unfinished {
            0 => String::new(),
            games => format!(", {} of them truncated at the turn limit", format::count(games)),
        }
    )?;
    html.push_str(
        "<div class=\"wide\"><table><tr><th></th><th class=\"n\">games won</th>\
         <th class=\"n\">of these gammons</th><th class=\"n\">backgammons</th></tr>\n",
    );
    for (letter, wins) in LETTERS.iter().zip(&duel.wins) {
        writeln!(
            html,
            "<tr><td class=\"{}\">{letter}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td></tr>",
            letter.to_lowercase(),
            percent(wins.wins as f64 / duel.games.max(1) as f64),
            percent(wins.gammon_rate()),
            percent(wins.backgammon_rate())
        )?;
    }
    html.push_str("</table></div>\n");
    Ok(())
}

fn write_habits(networks: &[Profiled], html: &mut String) -> fmt::Result {
    html.push_str("<h2>Against itself</h2>\n<div class=\"wide\"><table>");
    let mut row = |name: &str, cell: &dyn Fn(&Profiled) -> String| {
        write!(html, "<tr><td>{name}</td>")?;
        for network in networks {
            write!(html, "<td class=\"n\">{}</td>", cell(network))?;
        }
        html.write_str("</tr>\n")
    };
    if networks.len() == 2 {
        let letter = |network: &Profiled| {
            let number = usize::from(!std::ptr::eq(network, &networks[0]));
            format!("<b class=\"{}\">{}</b>", LETTERS[number].to_lowercase(), LETTERS[number])
        };
        row("", &letter)?;
    }
    row("games", &|network| format::count(network.self_play.games))?;
    row("turns of a game, 95 % interval", &|network| {
        network.self_play.length.map_or_else(String::new, |length| {
            format!("{:.1} ± {:.1}", length.mean, length.high - length.mean)
        })
    })?;
    row("won singly", &|network| percent(network.self_play.single_rate))?;
    row("won by a gammon", &|network| percent(network.self_play.gammon_rate))?;
    row("won by a backgammon", &|network| percent(network.self_play.backgammon_rate))?;
    if networks.iter().any(|network| network.self_play.draw_rate > 0.0) {
        row("drawn", &|network| percent(network.self_play.draw_rate))?;
    }
    row("won by the player who began", &|network| percent(network.self_play.first_win_rate))?;
    row("points of the player who began, 95 % interval", &|network| {
        network.self_play.first_mover.map_or_else(String::new, |estimate| {
            let half = estimate.high - estimate.mean;
            format!("{}<small>± {half:.3} ppg</small>", points(estimate.mean))
        })
    })?;
    row("the same by its own evaluation, before the roll", &|network| {
        points(network.first_move_equity)
    })?;
    if networks.iter().any(|network| network.self_play.unfinished > 0) {
        row("truncated at the turn limit, not counted", &|network| {
            format::count(network.self_play.unfinished)
        })?;
    }
    html.push_str("</table></div>\n<h3>Length of games</h3>\n");
    if networks.len() == 2 {
        html.push_str(
            "<p class=\"soft\">Share of the games, <b class=\"a\">A</b> and <b class=\"b\">B</b>.</p>\n",
        );
    }
    html.push_str(&chart::lengths(networks));
    Ok(())
}

fn write_openings(report: &Report, html: &mut String) -> fmt::Result {
    html.push_str("<h2>Opening plays</h2>\n");
    if report.networks.len() == 2 {
        writeln!(
            html,
            "<p class=\"soft\">{}, with what each thinks of its own play. Where they differ: what \
             the other's play loses.</p>",
            differing(&report.openings, "openings")
        )?;
    }
    write_decided(&report.openings, html)
}

/// How many of them differ.
fn differing(list: &[Decided], things: &str) -> String {
    match list.iter().filter(|one| one.differ).count() {
        0 => format!("All {} {things} alike", list.len()),
        differ => format!("{differ} of {} {things} differ", list.len()),
    }
}

/// A table of rolls and plays.
fn write_decided(list: &[Decided], html: &mut String) -> fmt::Result {
    html.push_str("<div class=\"wide\"><table>");
    let both = list.first().is_some_and(|one| one.plays.len() == 2);
    let any_differ = list.iter().any(|one| one.differ);
    html.push_str(match (both, any_differ) {
        (true, true) => {
            "<tr><th>roll</th><th class=\"a\">A plays</th><th class=\"b\">B plays</th>\
             <th class=\"n\">the other's loses</th></tr>\n"
        }
        (true, false) => {
            "<tr><th>roll</th><th class=\"a\">A plays</th><th class=\"b\">B plays</th></tr>\n"
        }
        (false, _) => "<tr><th>roll</th><th>play</th><th class=\"n\">equity</th></tr>\n",
    });
    for one in list {
        let (roll, play) = (escape(&one.roll), escape(&one.plays[0]));
        if !both {
            let equity = format::equity(one.equities[0][0]);
            writeln!(html, "<tr><td>{roll}</td><td>{play}</td><td class=\"n\">{equity}</td></tr>")?;
            continue;
        }
        let [a, b] = [0, 1].map(|number| format::equity(one.equities[number][number]));
        if one.differ {
            writeln!(
                html,
                "<tr class=\"differ\"><td>{roll}</td><td>{play}<small>{a}</small></td>\
                 <td>{}<small>{b}</small></td><td class=\"n\"><span class=\"a\">A sees {:.3}</span>\
                 <br><span class=\"b\">B sees {:.3}</span></td></tr>",
                escape(&one.plays[1]),
                one.losses[0],
                one.losses[1]
            )?;
        } else {
            let rest = if any_differ { "<td></td>" } else { "" };
            writeln!(
                html,
                "<tr><td>{roll}</td><td>{play}<small>{a}</small></td>\
                 <td class=\"soft\">the same<small>{b}</small></td>{rest}</tr>"
            )?;
        }
    }
    html.push_str("</table></div>\n");
    Ok(())
}

fn write_replies(report: &Report, html: &mut String) -> fmt::Result {
    if report.replies.is_empty() {
        return Ok(());
    }
    html.push_str("<h2>Replies</h2>\n");
    let both = report.networks.len() == 2;
    let whose = if both { "A's opening plays" } else { "its opening plays" };
    writeln!(html, "<p class=\"soft\">All rolls in answer to each of {whose}.</p>")?;
    for replies in &report.replies {
        let differ = match both {
            true => {
                format!(" <span class=\"soft\">{}</span>", differing(&replies.replies, "replies"))
            }
            false => String::new(),
        };
        writeln!(
            html,
            "<details><summary>{}: {}{differ}</summary>\n<p><code>{}</code></p>",
            escape(&replies.roll),
            escape(&replies.play),
            escape(&replies.position)
        )?;
        write_decided(&replies.replies, html)?;
        html.push_str("</details>\n");
    }
    Ok(())
}

fn phase_name(phase: Option<Phase>) -> &'static str {
    phase.map_or("all positions", Phase::name)
}

fn write_phases(phases: &[PhaseRow], html: &mut String) -> fmt::Result {
    html.push_str(
        "<h2>How far apart</h2>\n<p class=\"soft\">Over all decisions with a choice in the games of \
         both with themselves. Losses are what the other's choice gives away, evaluated by A and \
         by B, in millipoints a decision. The last two columns are the mean of A's evaluation less \
         B's, and the mean absolute difference.</p>\n\
         <div class=\"wide\"><table><tr><th>phase</th><th class=\"n\">decisions</th>\
         <th class=\"n\">differ</th><th class=\"n a\">A sees</th><th class=\"n b\">B sees</th>\
         <th class=\"n\">A − B</th><th class=\"n\">apart</th></tr>\n",
    );
    let mut row = |class: &str, name: &str, row: &PhaseRow| {
        writeln!(
            html,
            "<tr{class}><td>{name}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{:.3}</td></tr>",
            format::count(row.decisions),
            percent(row.differing),
            millipoints(row.losses[0]),
            millipoints(row.losses[1]),
            points(row.gap),
            row.absolute_gap
        )
    };
    for one in phases {
        row("", phase_name(one.phase), one)?;
    }
    if phases.len() > 1 {
        row(" class=\"total\"", "all", &PhaseRow::total(phases))?;
    }
    html.push_str("</table></div>\n");
    Ok(())
}

fn write_disagreements(report: &Report, html: &mut String) -> fmt::Result {
    html.push_str(
        "<h2>Largest disagreements about the play</h2>\n<p class=\"soft\">Where each thinks most \
         that the other errs: by the mean of the two losses. Arrows are \
         <b class=\"a\">A's</b> and <b class=\"b\">B's</b> play.</p>\n",
    );
    write_cards(&report.plays, html)?;
    html.push_str(
        "<h2>Largest disagreements about equity</h2>\n<p class=\"soft\">Where they think most \
         differently of what the same play is worth.</p>\n",
    );
    write_cards(&report.equities, html)
}

/// Positions under a heading for each phase.
fn write_cards(list: &[Shown], html: &mut String) -> fmt::Result {
    if list.is_empty() {
        html.push_str("<p>There are none: they see every position alike.</p>\n");
    }
    for of_phase in list.chunk_by(|one, next| one.phase == next.phase) {
        if let Some(phase) = of_phase[0].phase {
            writeln!(html, "<h3>{phase}</h3>")?;
        }
        html.push_str("<div class=\"cards\">\n");
        for shown in of_phase {
            write_card(shown, html)?;
        }
        html.push_str("</div>\n");
    }
    Ok(())
}

fn write_card(shown: &Shown, html: &mut String) -> fmt::Result {
    let Decided { roll, plays, equities, differ, .. } = &shown.decided;
    html.push_str("<div class=\"card\">");
    html.push_str(&inline(&shown.picture, &format!("board, {roll} to play")));
    html.push_str(
        "<div><table><tr><th>play</th><th class=\"n a\">A sees</th>\
         <th class=\"n b\">B sees</th></tr>\n",
    );
    let mut row = |who: &str, class: &str, play: &str, seen: &[f32]| {
        writeln!(
            html,
            "<tr><td><b{class}>{who}</b> {}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escape(play),
            format::equity(seen[0]),
            format::equity(seen[1])
        )
    };
    if *differ {
        row("A", " class=\"a\"", &plays[0], &equities[0])?;
        row("B", " class=\"b\"", &plays[1], &equities[1])?;
        let losses = &shown.decided.losses;
        writeln!(
            html,
            "<tr><td class=\"soft\">the other's loses</td><td class=\"n\">{:.3}</td>\
             <td class=\"n\">{:.3}</td></tr>",
            losses[0], losses[1]
        )?;
    } else {
        row("both", "", &plays[0], &equities[0])?;
        writeln!(
            html,
            "<tr><td class=\"soft\">A − B</td><td class=\"n\" colspan=\"2\">{}</td></tr>",
            format::equity(shown.equity_gap)
        )?;
    }
    writeln!(
        html,
        "</table><p><code>{}</code><br><small>roll {}; game {} of {} with itself, turn {}</small></p>\
         </div></div>",
        escape(&shown.id),
        escape(roll),
        shown.game + 1,
        shown.player,
        shown.turn + 1
    )
}

/// An SVG document as a part of a page, where it needs no namespace, in the width of the page.
fn inline(svg: &str, label: &str) -> String {
    let tag = format!("<svg class=\"board\" role=\"img\" aria-label=\"{}\" ", escape(label));
    svg.trim_end().replacen("<svg xmlns=\"http://www.w3.org/2000/svg\" ", &tag, 1)
}

fn write_making(report: &Report, html: &mut String) -> fmt::Result {
    html.push_str("<h2>How this was made</h2>\n<div class=\"wide\"><table>");
    for (letter, network) in LETTERS.iter().zip(&report.networks) {
        let hidden: Vec<String> = network.hidden.iter().map(usize::to_string).collect();
        writeln!(
            html,
            "<tr><td>{letter}</td><td>{}: {} features, hidden layers {}, {} parameters, trained for \
             {}<br>sha256 <code>{}</code></td></tr>",
            escape(&network.name),
            escape(network.encoder),
            hidden.join("-"),
            format::count(network.parameters as u64),
            escape(&network.trained_for),
            escape(&network.sha256)
        )?;
    }
    let settings = &report.settings;
    writeln!(
        html,
        "<tr><td>games</td><td>{} of each network with itself and of both with each other, seed {}; \
         {} positions of each phase, {}-ply</td></tr>\n\
         <tr><td>command</td><td><code>{}</code></td></tr></table></div>",
        format::count(settings.games),
        settings.seed,
        settings.positions,
        settings.ply,
        escape(&report.command)
    )?;
    html.push_str(
        "<p class=\"soft\">The figures follow from networks, games and seed alone. Each position is \
         shown once, and each game gives one position to a phase at most. What the networks \
         disagree about is not who is right: a rollout or <code>tavola grade</code> says that.</p>\n",
    );
    Ok(())
}
