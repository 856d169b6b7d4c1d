//! Flash cards of errors, in the text format that Anki imports: a card a line, two fields of HTML
//! and tags. Pictures are SVG inside the fields, so the file stands alone.

use std::fmt::Write as _;

use tavola_rules::notation::{Form, parse_situation};

use super::{GENERATOR, board, commented, escape};
use crate::analysis::{Decision, DecisionKind, MatchAnalysis, Thresholds};

/// How every file of cards begins.
pub(crate) const HEAD: &str = "#separator:tab\n#html:true\n#notetype:Basic\n";

/// The cards of all errors and blunders, the worst first.
pub fn cards(analyses: &[MatchAnalysis], thresholds: &Thresholds) -> String {
    let mut text =
        format!("{HEAD}#deck:Backgammon errors\n#tags column:3\n#generator:{GENERATOR}\n");
    let mut errors: Vec<(&MatchAnalysis, &Decision)> = analyses
        .iter()
        .flat_map(|analysis| analysis.decisions.iter().map(move |decision| (analysis, decision)))
        .filter(|(_, decision)| decision.loss >= thresholds.error)
        .collect();
    errors.sort_by(|(_, a), (_, b)| b.loss.total_cmp(&a.loss));
    for (analysis, decision) in errors {
        let question = match decision.kind {
            DecisionKind::Checker => "What is the best play?",
            DecisionKind::Double => "Double or roll?",
            DecisionKind::Response => "The opponent doubles: take or pass?",
            DecisionKind::Resignation => "Resign, or play on?",
            DecisionKind::ResignationResponse => "Accept the resignation?",
        };
        let front = format!("{}<p>{question}</p>", one_line(&board(decision, false)));
        let name = &analysis.players[decision.player.index()].name;
        let mut back = format!(
            "{}<p><b>{}</b></p><p>{} played {}, which loses {:.3}.</p>",
            one_line(&board(decision, true)),
            escape(&decision.best),
            escape(name),
            escape(&decision.done),
            decision.loss
        );
        for play in &decision.plays {
            let _ = write!(back, "{} {:+.3}<br>", escape(&play.play), play.equity);
        }
        for sentence in &decision.why {
            let _ = write!(back, "<p>{}</p>", escape(sentence));
        }
        if let Some(figures) = &decision.actions {
            let _ = write!(
                back,
                "{}: no double {:+.3}, double and take {:+.3}, double and pass {:+.3}<br>",
                escape(&figures.verdict),
                figures.no_double,
                figures.double_take,
                figures.double_pass
            );
        }
        back.push_str(&one_line(&commented(&decision.comment)));
        let situation = parse_situation(&decision.position).ok();
        let gnubg_id = situation.and_then(|it| Form::PositionAndMatchId.write(&it).ok());
        let gnubg_id = gnubg_id.map_or_else(String::new, |id| format!("<br>GNUBGID={id}"));
        let _ = write!(back, "<small>{}{gnubg_id}</small>", escape(&decision.position));
        let fault = decision.fault.map_or("error", |fault| fault.name()).replace(' ', "-");
        let _ = writeln!(text, "{front}\t{back}\t{fault} {}", decision.phase);
    }
    text
}

/// A field must not hold the separator, nor the end of a line.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}
