//! SGF as records of games.

use tavola_rules::{Backgammon, GameResult};

use super::game::Game;
use super::head::{Head, StatedResult, agree};
use super::tree::{Tree, parse};
use crate::playback::MatchRecorder;
use crate::reading::{Notes, ReadError, ReadWatch, beginning, check_numbers};
use crate::record::{self, Match};
use crate::unsaid;

/// Reads all matches of a text, of this game where the text does not say it.
pub(crate) fn read(
    text: &str,
    game: Option<Backgammon>,
    watch: ReadWatch<'_>,
) -> Result<(Vec<Match>, Notes), ReadError> {
    let (trees, notes) = parse(text, watch)?;
    let game = game.unwrap_or_default();
    let mut reader = Reader { notes, game, watch, ..Reader::default() };
    let mut other = None;
    let mut group: Vec<(Tree, Head)> = Vec::new();
    for (games, tree) in (1..).zip(trees) {
        check_numbers(0, games, tree.line)?;
        let root = &tree.nodes[0];
        if let Some(kind) = root.value("GM").map(str::trim).filter(|kind| *kind != "6") {
            let text = format!("GM[{}] is another game, expected GM[6]", beginning(kind));
            other.get_or_insert((tree.line, text.clone()));
            reader.note(tree.line, format!("{text}; it is left out"));
            continue;
        }
        let head = Head::of(root, &mut reader.notes);
        if group.last().is_some_and(|(_, before)| !head.follows(before)) {
            check_numbers(reader.matches.len() + 2, 0, tree.line)?;
            reader.read_match(std::mem::take(&mut group))?;
        }
        group.push((tree, head));
    }
    if !group.is_empty() {
        reader.read_match(group)?;
    }
    if reader.matches.is_empty() {
        return Err(match other {
            Some((line, text)) => ReadError::Malformed { line, text },
            None => ReadError::Unknown { begins: beginning(text) },
        });
    }
    Ok((reader.matches, reader.notes))
}

#[derive(Default)]
struct Reader<'a> {
    watch: ReadWatch<'a>,
    /// The game of a text that does not say it.
    game: Backgammon,
    matches: Vec<Match>,
    notes: Notes,
}

impl Reader<'_> {
    fn note(&mut self, line: usize, text: impl Into<String>) {
        self.notes.push(line, text);
    }

    /// Reads the games of one match.
    fn read_match(&mut self, games: Vec<(Tree, Head)>) -> Result<(), ReadError> {
        let (tree, head) = &games[0];
        let mut record =
            Match { players: head.players.clone(), length: head.length, ..Match::default() };
        record.options.start = self.game;
        let line = tree.line;
        agree(&mut record, &games, line, &mut self.notes);
        if !head.is_stated {
            self.note(line, "no MI has a length: it is read as a money session");
        }
        for (tree, _) in &games {
            let root = &tree.nodes[0];
            let details = &mut record.details;
            for (key, field) in [
                ("EV", &mut details.event),
                ("RO", &mut details.round),
                ("PC", &mut details.place),
                ("DT", &mut details.date),
                ("AN", &mut details.annotator),
                ("GC", &mut details.comment),
            ] {
                if let (true, Some(value)) = (field.is_empty(), root.value(key)) {
                    value.clone_into(field);
                }
            }
            let tags: Vec<&str> = root.values("XT").collect();
            for pair in tags.chunks_exact(2) {
                details.other.push((pair[0].to_owned(), pair[1].to_owned()));
            }
        }
        let next: Vec<_> = games.windows(2).map(|pair| pair[1].1.stated_of(&pair[0].1)).collect();
        for ((tree, head), next) in games.into_iter().zip(next.into_iter().chain([None])) {
            self.read_game(&mut record, tree, &head, next)?;
        }
        unsaid::settle_beavers(&mut record);
        self.matches.push(record);
        Ok(())
    }

    /// Reads a game; `next` is what the score of the next one says of its end.
    fn read_game(
        &mut self,
        record: &mut Match,
        tree: Tree,
        head: &Head,
        next: Option<StatedResult>,
    ) -> Result<(), ReadError> {
        let root = &tree.nodes[0];
        let (line, cut) = (root.line, root.value("XB").map(str::to_owned));
        if tree.variations > 0 {
            let text = format!("{} variations beside the main line are left out", tree.variations);
            self.note(tree.line, text);
        }
        let expected = record.score();
        let score = [0, 1].map(|seat| head.score[seat].unwrap_or(expected[seat]));
        if let Some(text) = record.other_score(score).filter(|_| !record.games.is_empty()) {
            self.note(line, text);
        }
        let crawford = record.length > 0
            && head.rules.iter().flatten().any(|rule| rule.eq_ignore_ascii_case("CrawfordGame"));
        let (length, options) = (record.length, unsaid::any_beavers(&record.options));
        let begin = |crawford| MatchRecorder::begin(length, score, crawford, &options);
        let recorder = begin(crawford).or_else(|error| {
            self.note(line, format!("{error}; the game is not the Crawford game"));
            begin(false)
        });
        let recorder = match recorder {
            Ok(recorder) => recorder,
            Err(error) => {
                self.note(line, format!("{error}; the game is left out"));
                let note = self.notes.last().map(ToString::to_string);
                let broken = cut.or(note);
                record.games.push(record::Game { score, broken, ..record::Game::default() });
                return Ok(());
            }
        };
        let mut game = Game::new(recorder, options.start, &mut self.notes);
        game.stated_points = head.result.or(next).map(|stated| stated.points);
        let end = tree.nodes.last().map_or(tree.line, |node| node.line);
        for (index, node) in tree.nodes.into_iter().enumerate() {
            self.watch.check()?;
            game.node(node, index == 0);
        }
        game.flush(end, None);
        if let Some(why) = cut {
            game.recorder.break_off(why);
        }
        // The score has the last word on who wins a match.
        let by_score =
            next.filter(|it| length > 0 && head.result.is_none_or(|own| own.winner != it.winner));
        if let (Some(score), Some(_)) = (by_score, head.result) {
            let winner = score.winner.index() + 1;
            game.note(line, format!("RE names the loser: by the next score player {winner} wins"));
        }
        if let Some(stated) = by_score.or(head.result).or(next)
            && let Some(text) = game.recorder.conclude(stated.winner, stated.points)
        {
            game.note(line, text.clone());
            let StatedResult { winner, points } = stated;
            let other = |it: GameResult| by_score.is_some() && it.winner != winner;
            if let Some(result) = game.recorder.game().result.filter(|it| other(*it)) {
                game.recorder.break_off(text);
                game.recorder.game_mut().result = Some(GameResult { winner, points, ..result });
            }
        }
        record.games.push(game.recorder.into_game());
        Ok(())
    }
}
