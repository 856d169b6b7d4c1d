//! The profile as a document, for the terminal and as one HTML page that needs nothing else.

use tavola_files::report::{Document, Table, escape, page, plural};

use super::{Decided, DuelSummary, LETTERS, PhaseRow, ProfileReport, SelfPlay, Shown, chart};
use crate::words as format;

/// A share of games or decisions.
fn percent(share: f64) -> String {
    format!("{} %", format::percent(share as f32))
}

/// An equity or a difference of equities.
fn points(number: f64) -> String {
    format::equity(number as f32)
}

impl ProfileReport {
    /// The profile as one HTML page that needs nothing else.
    pub fn page(&self) -> String {
        let names: Vec<&str> = self.networks.iter().map(|it| it.name.as_str()).collect();
        let title = format!("{}: a profile", names.join(" and "));
        page(&title, "tavola profile", &self.document().body())
    }

    /// The profile. Charts, replies and boards are on the page alone.
    pub fn document(&self) -> Document {
        let mut document = self.part();
        let both = self.is_of_two();
        for (network, letter) in self.networks.iter().zip(LETTERS) {
            let name = &network.name;
            document.heading(1, if both { format!("{letter}: {name}") } else { name.clone() });
        }
        let question = if both { "what they do, and where they differ" } else { "what it does" };
        document.say(format!(
            "{}: {question}. All of it at 0-ply, without a cube; equities are expected points of \
             the player who makes the play.",
            self.game
        ));
        if let Some(duel) = &self.duel {
            add_duel(duel, &mut document);
        }
        self.add_habits(&mut document);
        document.heading(2, "Opening plays");
        if both {
            document.say(format!(
                "{}, with what each thinks of its own play. Where they differ: what the other's \
                 play loses.",
                differing(&self.openings, "openings")
            ));
        }
        document.table(self.decided(&self.openings));
        self.add_replies(&mut document);
        if !self.phases.is_empty() {
            self.add_phases(&mut document);
        }
        self.add_making(&mut document);
        document
    }

    fn is_of_two(&self) -> bool {
        self.networks.len() == 2
    }

    /// A document, or a part of it, in the colors of the networks.
    fn part(&self) -> Document {
        Document::of(LETTERS.iter().filter(|_| self.is_of_two()).copied())
    }

    fn add_habits(&self, document: &mut Document) {
        let mut table = Table::plain([""].into_iter().chain(self.networks.iter().map(|_| ">")));
        if self.is_of_two() {
            table = Table::new(["", ">A", ">B"]);
        }
        let mut habit = |name: &str, of: &dyn Fn(&SelfPlay) -> String| {
            let networks = self.networks.iter().map(|network| of(&network.self_play));
            table.row([name.to_owned()].into_iter().chain(networks));
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
        if self.networks.iter().any(|network| network.self_play.draw_rate > 0.0) {
            habit("drawn", &|games| percent(games.draw_rate));
        }
        habit("won by the player who began", &|games| percent(games.first_win_rate));
        habit("points of the player who began, 95 % interval", &|games| {
            games.first_mover.map_or_else(String::new, format::points)
        });
        if self.networks.iter().any(|network| network.self_play.unfinished > 0) {
            habit("truncated at the turn limit, not counted", &|it| format::count(it.unfinished));
        }
        let own = self.networks.iter().map(|network| points(network.first_move_equity));
        let name = "the same by its own evaluation, before the roll".to_owned();
        table.row([name].into_iter().chain(own));
        document.heading(2, "Against itself");
        document.table(table);
        let names = if self.is_of_two() { " of A (left) and B" } else { "" };
        document.html(format!(
            "<h3>Length of games</h3>\n<p>Share of the games{names}.</p>\n{}",
            chart::lengths(&self.networks)
        ));
    }

    /// Rolls and plays; of two networks side by side.
    fn decided(&self, list: &[Decided]) -> Table {
        let equity = |one: &Decided, by: usize| format::equity(one.equities[by][by]);
        if !self.is_of_two() {
            let rows = list.iter().map(|it| [it.roll.clone(), it.plays[0].clone(), equity(it, 0)]);
            return Table::of(["roll", "play", ">equity"], rows);
        }
        let headings = ["roll", "A plays", ">equity", "B plays", ">equity", ">A sees", ">B sees"];
        let mut table = Table::new(headings);
        for one in list {
            let [a, b] = [0, 1].map(|by| equity(one, by));
            let (roll, play) = (one.roll.clone(), one.plays[0].clone());
            match one.differ {
                true => {
                    let [of_a, of_b] = [0, 1].map(|by| format!("{:.3}", one.losses[by]));
                    let other = one.plays[1].clone();
                    table.marked_row("differ", [roll, play, a, other, b, of_a, of_b]);
                }
                false => {
                    let none = String::new;
                    table.row([roll, play, a, "the same".to_owned(), b, none(), none()]);
                }
            }
        }
        table
    }

    fn add_replies(&self, document: &mut Document) {
        if self.replies.is_empty() {
            return;
        }
        let both = self.is_of_two();
        let replies = self.replies.iter().map(|replies| {
            let mut part = self.part();
            part.say(format!("`{}`", replies.position));
            part.table(self.decided(&replies.replies));
            let differ = match both {
                false => String::new(),
                true => format!(" <small>{}</small>", differing(&replies.replies, "replies")),
            };
            format!(
                "<details><summary>{}: {}{differ}</summary>\n{}</details>\n",
                escape(&replies.roll),
                escape(&replies.play),
                part.body()
            )
        });
        document.html(format!(
            "<h2>Replies</h2>\n<p>All rolls in answer to each of {} opening plays.</p>\n{}",
            if both { "A's" } else { "its" },
            replies.collect::<String>()
        ));
    }

    fn add_phases(&self, document: &mut Document) {
        let cells = |name: &str, of: &PhaseRow| {
            [
                name.to_owned(),
                format::count(of.decisions),
                percent(of.differing),
                format!("{:.1}", 1000.0 * of.losses[0]),
                format!("{:.1}", 1000.0 * of.losses[1]),
                points(of.gap),
                format!("{:.3}", of.absolute_gap),
            ]
        };
        let headings =
            ["phase", ">decisions", ">differ", ">A sees", ">B sees", ">A \u{2212} B", ">apart"];
        let rows = self.phases.iter();
        let rows = rows.map(|it| cells(it.phase.map_or("all positions", |it| it.in_words()), it));
        let mut table = Table::of(headings, rows);
        if self.phases.len() > 1 {
            table.marked_row("total", cells("all", &PhaseRow::total(&self.phases)));
        }
        document.heading(2, "How far apart");
        document.say(
            "Over all decisions with a choice in the games of both with themselves. Losses are \
             what the other's choice gives away, evaluated by A and by B, in millipoints a \
             decision. The last two columns are the mean of A's evaluation less B's, and the mean \
             absolute difference.",
        );
        document.table(table);
        document.html(format!(
            "<h2>Largest disagreements about the play</h2>\n<p>Where each thinks most that the \
             other errs: by the mean of the two losses. Arrows are <b class=\"s1\">A's</b> and \
             <b class=\"s2\">B's</b> play.</p>\n{}<h2>Largest disagreements about equity</h2>\n\
             <p>Where they think most differently of what the same play is worth.</p>\n{}",
            self.cards(&self.plays),
            self.cards(&self.equities)
        ));
    }

    /// Positions by phase, each with its board.
    fn cards(&self, list: &[Shown]) -> String {
        if list.is_empty() {
            return "<p>There are none: they see every position alike.</p>\n".to_owned();
        }
        let phases = list.chunk_by(|one, next| one.phase == next.phase).map(|of_phase| {
            let phase = of_phase[0]
                .phase
                .map_or_else(String::new, |it| format!("<h3>{}</h3>\n", it.in_words()));
            let cards: String = of_phase.iter().map(|shown| self.card(shown)).collect();
            format!("{phase}<div class=\"cards\">\n{cards}</div>\n")
        });
        phases.collect()
    }

    fn card(&self, shown: &Shown) -> String {
        let Decided { roll, plays, equities, differ, losses, .. } = &shown.decided;
        let seen = |who: &str, number: usize| {
            let [a, b] = [0, 1].map(|by| format::equity(equities[number][by]));
            [format!("{who} {}", plays[number]), a, b]
        };
        let mut table = Table::new(["play", ">A sees", ">B sees"]);
        match differ {
            true => {
                table.row(seen("A", 0));
                table.row(seen("B", 1));
                let [a, b] = [0, 1].map(|by| format!("{:.3}", losses[by]));
                table.row(["the other's loses".to_owned(), a, b]);
            }
            false => {
                table.row(seen("both", 0));
                let gap = format::equity(shown.equity_gap);
                table.row(["A \u{2212} B".to_owned(), gap, String::new()]);
            }
        }
        let mut part = self.part();
        part.table(table);
        part.say(format!("`{}`", shown.id));
        part.html(format!(
            "<small>roll {}; game {} of {} with itself, turn {}</small>",
            escape(roll),
            shown.game + 1,
            shown.player,
            shown.turn + 1
        ));
        let label = escape(&format!("board, {roll} to play"));
        let board = format!("<svg class=\"board\" role=\"img\" aria-label=\"{label}\" ");
        let picture = shown.picture.trim_end();
        format!(
            "<div class=\"card\">{}<div>{}</div></div>\n",
            picture.replacen("<svg xmlns=\"http://www.w3.org/2000/svg\" ", &board, 1),
            part.body()
        )
    }

    fn add_making(&self, document: &mut Document) {
        document.heading(2, "How this was made");
        for (letter, network) in LETTERS.iter().zip(&self.networks) {
            let hidden: Vec<String> = network.hidden.iter().map(usize::to_string).collect();
            document.say(format!(
                "{letter} is {}: {} features, hidden layers {}, {} parameters, trained for {}, \
                 sha256 `{}`.",
                network.name,
                network.encoder,
                hidden.join("-"),
                format::count(network.parameters as u64),
                network.trained_for,
                network.sha256
            ));
        }
        let settings = &self.settings;
        document.say(format!(
            "{} games of each network with itself and of both with each other, seed {}; {} of each \
             phase, {}-ply: `{}`",
            format::count(settings.games),
            settings.seed,
            plural(settings.positions, "position"),
            settings.ply,
            self.command
        ));
        document.say(
            "The figures follow from networks, games and seed alone. Each position is shown once, \
             and each game gives one position to a phase at most. What the networks disagree \
             about is not who is right: a rollout or `tavola grade` says that.",
        );
    }
}

fn add_duel(duel: &DuelSummary, document: &mut Document) {
    document.heading(2, "Against each other");
    let best = format::strength(duel.luck_adjusted.unwrap_or(duel.ppg));
    document.heading(3, format!("A scores {best}: {}", duel.verdict.in_words()));
    let unfinished = match duel.unfinished {
        0 => String::new(),
        games => format!(", {} of them truncated at the turn limit", format::count(games)),
    };
    document.say(format!(
        "95 % interval, luck-adjusted; raw {}. {} games in pairs on the same dice with the seats \
         swapped{unfinished}.",
        format::strength(duel.ppg),
        format::count(duel.games)
    ));
    let rows = LETTERS.iter().zip(&duel.wins).map(|(letter, wins)| {
        let won = wins.wins as f64 / duel.games.max(1) as f64;
        let [won, gammons, backgammons] =
            [won, wins.gammon_rate(), wins.backgammon_rate()].map(percent);
        [(*letter).to_owned(), won, gammons, backgammons]
    });
    let headings = ["", ">games won", ">of these gammons", ">backgammons"];
    document.table(Table::of(headings, rows));
}

/// How many of a list differ.
fn differing(list: &[Decided], things: &str) -> String {
    match list.iter().filter(|one| one.differ).count() {
        0 => format!("All {} {things} alike", list.len()),
        differ => format!("{differ} of {} {things} differ", list.len()),
    }
}
