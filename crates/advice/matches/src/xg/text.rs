//! Positions that eXtreme Gammon copies as text: an XGID, the board, and its analysis below.
//!
//! The words are those of the user's language, so shapes tell what a line is: a numbered play with an
//! equity, chances in percent, an indented name with the equity of a cube action.

use tavola_rules::notation::{MoneyOrMatch, Situation, Xgid, XgidSeat, parse_situation};
use tavola_rules::{Beavers, Options, Player};

use crate::analysis::{CUBE, PLAYS_OPEN, property};
use crate::playback::MatchRecorder;
use crate::reading::{Notes, ReadError, ReadWatch, check_numbers};
use crate::record::{Act, Match, Property};

/// Plays of a text that are kept.
const MOST_PLAYS: usize = 32;

/// Reads the positions of a text, a match with one open game each; `None` if it has none.
pub(crate) fn read(
    text: &str,
    watch: ReadWatch<'_>,
) -> Option<Result<(Vec<Match>, Notes), ReadError>> {
    let quoted = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '>');
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches('\u{feff}')).collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&at| lines[at].trim_start_matches(quoted).starts_with("XGID="))
        .collect();
    let first = *starts.first()?;
    // A line of players follows: an ID alone is no match.
    let named = |line: &&&str| !line.trim_matches(quoted).is_empty();
    let players = lines[first + 1..].iter().find(named)?.trim_matches(quoted);
    if !(players.starts_with("X:") && players.contains("O:")) {
        return None;
    }
    let (mut matches, mut notes) = (Vec::new(), Notes::default());
    for (number, &start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(lines.len());
        if let Err(error) = watch.check().and_then(|()| check_numbers(number + 1, 0, start + 1)) {
            return Some(Err(error));
        }
        let xgid = lines[start].trim_matches(quoted);
        match position(xgid, &lines[start + 1..end]) {
            Ok(found) => {
                notes.push(start + 1, format!("the decision is open in {xgid}"));
                matches.push(found);
            }
            Err(why) => notes.push(start + 1, format!("{why}; the position is left out")),
        }
    }
    let text = "no position of this text of eXtreme Gammon can be read".to_owned();
    let none = ReadError::Malformed { line: first + 1, text };
    Some(if matches.is_empty() { Err(none) } else { Ok((matches, notes)) })
}

/// A match whose only game stops in a position, with what is said of it.
fn position(xgid: &str, below: &[&str]) -> Result<Match, String> {
    let decoded = Xgid::decode(xgid).map_err(|error| error.to_string())?;
    let situation = parse_situation(xgid).map_err(|error| error.to_string())?;
    let player = if decoded.turn == XgidSeat::Bottom { Player::One } else { Player::Two };
    let (jacoby, beavers) = match situation.stakes {
        Some(MoneyOrMatch::Money { jacoby, beavers }) => (jacoby, beavers == Some(true)),
        _ => (false, false),
    };
    let options = Options {
        jacoby,
        beavers: if beavers { Beavers::Beavers } else { Beavers::Off },
        ..Options::default()
    };
    let score = [decoded.score_bottom, decoded.score_top].map(u32::from);
    let (length, crawford) = (decoded.match_length, decoded.match_length > 0 && decoded.rules == 1);
    let score = if length > 0 { score } else { [0; 2] };
    let begun = MatchRecorder::begin(length, score, crawford, &options);
    let mut game = begun.map_err(|error| error.to_string())?;
    let said = Said::of(below, &situation, beavers);
    let cube = situation.cube.unwrap_or_default();
    let mut acts = vec![Act::SetUp(situation.position, cube)];
    acts.extend(situation.dice.map(|dice| Act::Roll(dice, None)));
    acts.extend(situation.offer.map(|_| Act::Double));
    for act in acts {
        game.act(player, act).map_err(|error| error.to_string())?;
    }
    let mut game = game.into_game();
    if let Some(action) = game.actions.last_mut() {
        action.comment = said.comment;
        action.properties = said.properties;
    }
    Ok(Match { players: said.players, length, options, games: vec![game], ..Match::default() })
}

/// What stands below an XGID.
#[derive(Default)]
struct Said {
    players: [String; 2],
    properties: Vec<Property>,
    comment: String,
}

impl Said {
    fn of(lines: &[&str], situation: &Situation, beavers: bool) -> Self {
        let quoted = |c: char| matches!(c, '>' | ' ');
        let mut said = Self::default();
        let (mut plays, mut cube): (Vec<Play>, Vec<f64>) = (Vec::new(), Vec::new());
        // Where the analysis ends.
        let mut behind = 0;
        for (at, line) in lines.iter().enumerate() {
            let text = line.trim_start_matches('>');
            let bare = line.trim_matches(quoted);
            if let Some((one, two)) = bare.strip_prefix("X:").and_then(|it| it.split_once("O:")) {
                if said.players == [const { String::new() }; 2] {
                    said.players = [one, two].map(|name| name.trim().to_owned());
                }
            } else if let Some(play) = Play::of(bare, situation) {
                plays.push(play);
                behind = at + 1;
            } else if let Some(chances) = chances(bare) {
                if let Some(play) = plays.last_mut() {
                    play.chances.push(chances);
                    behind = at + 1;
                }
            } else if let Some(equity) = action(text).filter(|_| plays.is_empty()) {
                cube.push(equity);
                behind = at + 1;
            }
        }
        let plays = plays.iter().take(MOST_PLAYS).filter_map(Play::value).collect::<Vec<_>>();
        if !plays.is_empty() {
            said.properties.push(Property { name: PLAYS_OPEN.to_owned(), values: plays });
        }
        if let &[no_double, taken, ref rest @ ..] = &cube[..] {
            // Where a beaver is right it stands in the place of the take, or below it.
            let taken = if beavers && taken < 0.0 && rest.len() < 2 { taken / 2.0 } else { taken };
            said.properties.push(property(CUBE, [no_double, taken]));
        }
        said.comment = comment(&lines[behind..], !cube.is_empty());
        said
    }
}

/// What a player has written below the analysis: neither the verdict, nor notes on rollouts, nor the
/// version of the program.
fn comment(lines: &[&str], has_verdict: bool) -> String {
    let is_version = |line: &&&str| line.contains("eXtreme Gammon");
    let is_footnote = |line: &str| line.starts_with(['¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']);
    let lines: Vec<&str> = lines.iter().take_while(|line| !is_version(line)).copied().collect();
    if lines.len() == lines.iter().take_while(|line| line.trim().is_empty()).count() {
        return String::new();
    }
    let mut parts: Vec<&[&str]> =
        lines.split(|line| line.trim().is_empty()).filter(|part| !part.is_empty()).collect();
    if has_verdict {
        parts.remove(0);
    }
    parts.retain(|part| !is_footnote(part[0].trim()));
    let text = |part: &&[&str]| part.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n");
    parts.iter().map(text).collect::<Vec<_>>().join("\n\n")
}

/// A number with a point or a comma.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().replace(',', ".");
    let is_number = text.contains('.') && text.bytes().any(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|it: &f64| is_number && it.abs() < 100.0)
}

/// A play with its equity and the chances of both sides.
struct Play {
    play: String,
    equity: f64,
    chances: Vec<[f64; 3]>,
}

impl Play {
    /// `1. XG Roller++  8/5 6/5   eq:+0.589 (-0.061)`, in any language.
    fn of(line: &str, situation: &Situation) -> Option<Self> {
        let (rank, rest) = line.split_once('.')?;
        rank.parse::<u8>().ok()?;
        let (words, figures) = rest.rsplit_once(':')?;
        let equity = number(figures.split('(').next()?)?;
        // The word before the colon is for the equity, the first ones name the level.
        let (words, _) = words.trim_end().rsplit_once(char::is_whitespace)?;
        let words: Vec<&str> = words.split_whitespace().collect();
        let is_move = |word: &&&str| word.contains('/');
        let moves = words.iter().rev().take_while(is_move).count();
        let play = words[words.len() - moves..].join(" ");
        let dice = situation.dice?;
        let read = tavola_rules::notation::parse_play(&play, &situation.position, dice).ok();
        let play = read.filter(|_| moves > 0)?.0.to_string();
        Some(Self { play, equity, chances: Vec::new() })
    }

    /// As a value of the property.
    fn value(&self) -> Option<String> {
        let [mine, theirs] = self.chances.get(..2)?.try_into().ok()?;
        let [win, win_gammon, win_backgammon]: [f64; 3] = mine;
        let [_, lose_gammon, lose_backgammon]: [f64; 3] = theirs;
        let chances = [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon];
        let chances = chances.map(|it| format!("{:.4}", it / 100.0)).join(" ");
        Some(format!("{:.4} {chances} {}", self.equity, self.play))
    }
}

/// `Player:   53.81% (G:17.42% B:0.87%)`: win, gammon, backgammon in percent.
fn chances(line: &str) -> Option<[f64; 3]> {
    let (win, rest) = line.split_once("% (")?;
    let win = number(win.rsplit([':', '：']).next()?)?;
    let mut rest = rest.split('%').map(|part| number(part.rsplit([':', '：']).next()?));
    let found = [win, rest.next()??, rest.next()??];
    found.iter().all(|it| (0.0..=100.0).contains(it)).then_some(found)
}

/// `       Double/Take:   +0.215 (-0.122)`, an indented name with an equity.
fn action(line: &str) -> Option<f64> {
    let (name, figures) = line.rsplit_once([':', '：'])?;
    let is_indented = line.starts_with("    ") && !name.contains(['=', '%', ':']);
    let figures = figures.split('(').next()?.trim();
    let is_signed = figures.starts_with(['+', '-']);
    number(figures).filter(|_| is_indented && is_signed)
}

#[cfg(test)]
mod tests {
    use crate::analysis::open_decisions;
    use crate::{MatchFormat, read};

    const PLAY: &str = "XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10

X:Ann   O:Bob
Score is X:3 O:6 7 pt.(s) match.
 +13-14-15-16-17-18------19-20-21-22-23-24-+
 |    X           X |   | X  O  O  O  O  O | +---+
 +12-11-10--9--8--7-------6--5--4--3--2--1-+
Pip count  X: 111  O: 52 X-O: 3-6/7
Cube: 2, O own cube
X to play 21

    1. XG Roller++ 19/18 14/12                  eq:-0.491
      Player:   25.45% (G:0.00% B:0.00%)
      Opponent: 74.55% (G:31.09% B:0.09%)

    2. 3-ply       14/11                        eq:-0.568 (-0.076)
      Player:   21.62% (G:0.00% B:0.00%)
      Opponent: 78.38% (G:38.07% B:0.19%)

Too late for more.

eXtreme Gammon Version: 2.10, MET: Kazaross XG2
";

    #[test]
    fn a_copied_play_has_the_analysis_and_the_comment() {
        let reading = read(PLAY.as_bytes()).unwrap();
        let record = &reading.matches[0];
        assert_eq!((record.players.clone(), record.length), (["Ann", "Bob"].map(str::to_owned), 7));
        assert_eq!((record.score(), reading.format), ([3, 6], MatchFormat::Mat));
        let open = open_decisions(record).remove(0);
        assert_eq!(open.xgid, PLAY.lines().next().unwrap());
        assert_eq!(open.comment, "Too late for more.");
        let said = open.opinion.unwrap();
        assert_eq!(
            (said.name.as_str(), said.best.as_str(), said.plays.len()),
            ("XG", "19/18 14/12", 2)
        );
        assert_eq!((said.plays[1].equity, said.plays[1].probs[3]), (-0.568, 0.3807));
        // In a mail, with commas, in another language, the same is said.
        let mail: String = PLAY.lines().map(|line| format!("> {line}\n")).collect();
        let french = PLAY
            .replace("Player:", "Joueur:")
            .replace("Opponent:", "Adversaire:")
            .replace("eq:-0.", "éq:-0,")
            .replace("X to play 21", "X à jouer 21");
        for text in [mail, french] {
            let again = read(text.as_bytes()).unwrap().matches.remove(0);
            assert_eq!(open_decisions(&again).remove(0).opinion.unwrap(), said, "{text}");
        }
    }

    #[test]
    fn a_copied_cube_is_read_in_any_language() {
        let head = "XGID=---BBaB-BbA-bC-b--BdAca---:0:0:1:00:0:5:0:9:10\n\nX:A   O:B\n\n";
        let english = "Analyzed in XG Roller++
Player Winning Chances:   54.40% (G:18.22% B:0.53%)
Opponent Winning Chances: 45.60% (G:12.71% B:0.51%)

Cubeless Equities: No Double=+0.103, Double=+0.259

Cubeful Equities:
       No double:     +0.337
       Double/Take:   +0.215 (-0.122)
       Double/Pass:   +1.000 (+0.663)

Best Cube action: No double / Take
Percentage of wrong pass needed to make the double decision right: 13.4%

A note: with a colon.

eXtreme Gammon Version: 2.10, MET: Kazaross XG2
";
        let japanese = english
            .replace("No double:", "ノーダブル:")
            .replace("Double/Take:", "ダブル/テイク:")
            .replace("Best Cube action:", "ベストキューブアクション：");
        for text in [english, &japanese] {
            let record = read(format!("{head}{text}").as_bytes()).unwrap().matches.remove(0);
            let open = open_decisions(&record).remove(0);
            assert_eq!(open.comment, "A note: with a colon.");
            let said = open.opinion.unwrap();
            let actions = said.actions.unwrap();
            assert_eq!((actions.no_double, actions.double_take), (0.337, 0.215));
            assert_eq!((said.best.as_str(), said.plays.len()), ("no double", 0));
        }
        // A beaver stands in the place of the take, where it is right: half of it is the take.
        let head = "XGID=bA----D-C---dE---d-e----B-:0:0:1:00:0:0:3:0:10\nX:A   O:B\n";
        let text =
            english.replace("Double/Take:   +0.215 (-0.122)", "Double/Beaver: -0.022 (-0.245)");
        let record = read(format!("{head}{text}").as_bytes()).unwrap().matches.remove(0);
        let actions = open_decisions(&record).remove(0).opinion.unwrap().actions.unwrap();
        assert_eq!(actions.double_take, -0.011);
    }

    #[test]
    fn several_texts_are_several_matches_and_a_wrong_one_is_told() {
        let two = format!("{PLAY}\n{}", PLAY.replace("XGID=-B-C", "XGID=-B-P"));
        let reading = read(two.as_bytes()).unwrap();
        assert_eq!(reading.matches.len(), 1);
        assert!(reading.notes[1].to_string().contains("left out"), "{:?}", reading.notes);
        let wrong = PLAY.replace("XGID=-B-C", "XGID=-B-P");
        assert!(read(wrong.as_bytes()).is_err());
    }
}
