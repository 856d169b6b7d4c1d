//! Flash cards of errors: a package that Anki imports, or its text format, a card a line. Pictures are
//! SVG inside the fields, so that the file stands alone.
//!
//! A card is known by its question: position, score and what is asked. The same error in another
//! analysis, or at another depth, updates the card.

use std::collections::HashSet;

use tavola_files::report::escape;
use tavola_files::{Digest, Sha256};
use tavola_rules::Offer;
use tavola_rules::notation::{self, MatchId, Situation, Xgid, encode_position_id};

use super::{GENERATOR, board, commented};
use crate::analysis::{CubeFigures, Decision, DecisionKind, MatchAnalysis, Thresholds};

/// How every file of cards in text begins.
pub(crate) const HEAD: &str = "#separator:tab\n#html:true\n#notetype:Basic\n";

/// The fields of a note in a package. The first one sorts, and is not shown.
pub(super) const FIELDS: [&str; 13] = [
    "Name",
    "Board",
    "Question",
    "Choices",
    "Answer board",
    "Answer",
    "Done",
    "Figures",
    "Why",
    "Score",
    "XGID",
    "GNU ID",
    "Match",
];

/// The most choices of a card.
const CHOICES: usize = 4;

/// A question with its answer, in HTML.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// What is asked, and its short name, which with the position makes the key.
    question: (&'static str, &'static str),
    board: String,
    answer_board: String,
    /// What can be chosen, and which of them is right.
    choices: Vec<String>,
    right: usize,
    /// What was done and what it lost.
    done: String,
    figures: Vec<String>,
    why: Vec<String>,
    score: String,
    xgid: String,
    gnu_id: String,
    source: String,
    /// Words by which cards are found.
    pub(super) tags: String,
}

/// The questions of a decision, with their short names: of a cube decision both halves.
fn questions(kind: DecisionKind) -> &'static [(&'static str, &'static str)] {
    const DOUBLE: (&str, &str) = ("Double or roll?", "double");
    const TAKE: (&str, &str) = ("The player on roll doubles: take or pass?", "take");
    match kind {
        DecisionKind::Checker => &[("What is the best play?", "play")],
        DecisionKind::Double => &[DOUBLE, TAKE],
        DecisionKind::Response => &[TAKE, DOUBLE],
        DecisionKind::Resignation => &[("Resign, or play on?", "resign")],
        DecisionKind::ResignationResponse => &[("Accept the resignation?", "accept")],
    }
}

/// The cards of all errors and blunders, the worst first, each question once.
pub fn cards(analyses: &[MatchAnalysis], thresholds: &Thresholds) -> Vec<Card> {
    let mut errors: Vec<(&MatchAnalysis, &Decision)> = analyses
        .iter()
        .flat_map(|analysis| analysis.decisions.iter().map(move |decision| (analysis, decision)))
        .filter(|(_, decision)| decision.loss >= thresholds.error)
        .collect();
    errors.sort_by(|(_, a), (_, b)| b.loss.total_cmp(&a.loss));
    let mut keys = HashSet::new();
    let cards = errors.into_iter().flat_map(|(analysis, decision)| {
        let questions = questions(decision.kind).iter();
        questions.filter_map(move |question| Card::new(analysis, decision, *question))
    });
    cards.filter(|card| keys.insert(card.key())).collect()
}

/// The cards in the text format that Anki imports, where the key is the first column.
pub fn text(cards: &[Card]) -> String {
    let columns = "#guid column:1\n#tags column:4\n";
    let mut text = format!("{HEAD}#deck:Backgammon errors\n{columns}#generator:{GENERATOR}\n");
    for card in cards {
        let Card { question, board, answer_board, done, figures, why, .. } = card;
        let (choices, score, answer) = (card.list(), &card.score, card.answer());
        let front = format!("{board}<p>{score}</p><p><b>{}</b></p>{choices}", question.0);
        let ids = format!("<small>{}<br>{}<br>{}</small>", card.xgid, card.gnu_id, card.source);
        let (figures, why) = (figures.concat(), why.concat());
        let back = format!("{answer_board}<p><b>{answer}</b></p><p>{done}</p>{figures}{why}{ids}");
        let line = [card.key(), front, back, card.tags.clone()].map(|field| one_line(&field));
        text += &(line.join("\t") + "\n");
    }
    text
}

impl Card {
    /// The card of a question, `None` where the analysis has no answer to it.
    fn new(
        analysis: &MatchAnalysis,
        decision: &Decision,
        question: (&'static str, &'static str),
    ) -> Option<Self> {
        let figures = decision.actions.as_ref();
        let (choices, right) = match (question.1, figures) {
            ("play", _) => plays(decision),
            ("double", Some(figures)) => double(figures),
            ("take", Some(figures)) => (
                vec!["Take".to_owned(), "Pass".to_owned()],
                usize::from(figures.double_take > figures.double_pass),
            ),
            ("double" | "take", None) => return None,
            _ => (vec![decision.best.clone(), decision.done.clone()], 0),
        };
        let of_play = decision.plays.iter().map(|play| {
            let loss =
                if play.loss > 0.0 { format!(" (-{:.3})", play.loss) } else { String::new() };
            format!("{} {:+.3}{loss}<br>", escape(&play.play), play.equity)
        });
        let of_cube = figures.map(|figures| {
            let CubeFigures { no_double, double_take, double_pass, .. } = figures;
            format!(
                "<p>{}<br>no double {no_double:+.3}<br>double, take {double_take:+.3}<br>\
                 double, pass {double_pass:+.3}</p>",
                escape(&figures.verdict)
            )
        });
        let situation = notation::parse_situation(&decision.position).ok().map(|situation| {
            // Both halves of a cube decision are of one position: without an offer, and with it.
            match question.1 {
                "double" => Situation { offer: None, dice: None, ..situation },
                "take" => Situation { offer: Some(Offer::Double), dice: None, ..situation },
                _ => situation,
            }
        });
        let xgid = situation.as_ref().and_then(|it| Xgid::from_situation(it).encode().ok());
        let decision = &Decision {
            position: xgid.unwrap_or_else(|| decision.position.clone()),
            ..decision.clone()
        };
        let ids = situation.as_ref().and_then(|situation| {
            let match_id = MatchId::from_situation(situation).encode().ok()?;
            Some(format!("{}:{match_id}", encode_position_id(&situation.position)))
        });
        let name = &analysis.players[decision.player.index()].name;
        let fault = decision.fault.map_or("error", |fault| fault.name()).replace(' ', "-");
        let event = [&analysis.event, &analysis.date, &analysis.source].map(|text| escape(text));
        let event: Vec<String> = event.into_iter().filter(|text| !text.is_empty()).collect();
        Some(Self {
            question,
            board: board(decision, false),
            answer_board: board(decision, true),
            choices,
            right,
            done: format!(
                "{}: {}, which loses {:.3}",
                escape(name),
                escape(&decision.done),
                decision.loss
            ),
            figures: of_play.chain(of_cube).collect(),
            why: (decision.why.iter().map(|it| format!("<p>{}</p>", escape(it))))
                .chain([commented(&decision.comment)])
                .collect(),
            score: situation.map_or_else(String::new, |situation| score(analysis, &situation)),
            xgid: escape(&decision.position),
            gnu_id: ids.unwrap_or_default(),
            source: format!(
                "{}, game {}, turn {}",
                event.join(", "),
                decision.game,
                decision.number
            ),
            tags: format!("{fault} {}", decision.phase),
        })
    }

    /// What sorts the card, and tells it from all others.
    pub(super) fn id(&self) -> String {
        format!("{} {}", self.question.1, self.xgid)
    }

    fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.id().as_bytes()).into()
    }

    /// What Anki knows the card by: the same in every export.
    pub(super) fn key(&self) -> String {
        format!("tavola-{}", tavola_files::hex(&self.digest()[..8]))
    }

    /// The number that the card asks Anki for, which may give it another.
    pub(super) fn number(&self) -> i64 {
        let [a, b, c, d, ..] = self.digest();
        1_795_600_000_000 + i64::from(u32::from_be_bytes([a, b, c, d]))
    }

    /// The choices in the order of their letters.
    fn list(&self) -> String {
        let items = self.choices.iter().map(|it| format!("<li>{}</li>", escape(it)));
        format!("<ol type=\"A\">{}</ol>", items.collect::<String>())
    }

    /// The letter and the words of the right choice.
    fn answer(&self) -> String {
        let letter = char::from(b'A' + self.right as u8);
        format!("{letter}) {}", escape(&self.choices[self.right]))
    }

    /// The fields in the order of [`FIELDS`].
    pub(super) fn fields(&self) -> [String; 13] {
        [
            self.id(),
            self.board.clone(),
            self.question.0.to_owned(),
            self.list(),
            self.answer_board.clone(),
            self.answer(),
            self.done.clone(),
            self.figures.concat(),
            self.why.concat(),
            self.score.clone(),
            self.xgid.clone(),
            self.gnu_id.clone(),
            self.source.clone(),
        ]
    }
}

/// The best plays and the one that was made, in an order that says nothing of their worth.
fn plays(decision: &Decision) -> (Vec<String>, usize) {
    let made = decision.plays.iter().position(|play| play.play == decision.done);
    let mut plays: Vec<&str> = decision.plays.iter().map(|play| play.play.as_str()).collect();
    if let Some(made) = made.filter(|&made| made >= CHOICES) {
        plays.swap(made, CHOICES - 1);
    }
    plays.truncate(CHOICES);
    if plays.is_empty() {
        plays = vec![&decision.best, &decision.done];
    }
    let best = plays[0];
    plays.sort_unstable();
    plays.dedup();
    let right = plays.iter().position(|play| *play == best).unwrap_or(0);
    (plays.into_iter().map(str::to_owned).collect(), right)
}

/// To double or not; a third choice, where it is right, is to play on for a gammon.
fn double(figures: &CubeFigures) -> (Vec<String>, usize) {
    let too_good =
        figures.no_double > figures.double_pass && figures.double_take > figures.double_pass;
    let doubles = figures.no_double < figures.double_take.min(figures.double_pass);
    let choices = ["Roll: not good enough", "Double", "Roll: too good to double"];
    (choices.map(str::to_owned).to_vec(), if too_good { 2 } else { usize::from(doubles) })
}

/// The score and the cube in words.
fn score(analysis: &MatchAnalysis, situation: &Situation) -> String {
    use notation::MoneyOrMatch::{Match, Money};
    let cube = situation.cube.map_or_else(String::new, |cube| format!(", cube {}", cube.value()));
    match situation.stakes {
        Some(Match(score)) => {
            let crawford = if score.is_crawford() { ", Crawford" } else { "" };
            let (own, other) = (score.player_away(), score.opponent_away());
            format!("{own}-away, {other}-away to {}{crawford}{cube}", score.length())
        }
        Some(Money { .. }) => format!("money{cube}"),
        None => match analysis.is_money() {
            true => format!("money{cube}"),
            false => String::new(),
        },
    }
}

/// A field must not hold the separator, nor the end of a line.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}
