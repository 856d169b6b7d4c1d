//! What is to be said of a match in a sentence for each player.

use tavola_files::report::plural;

use super::summary::{MatchAnalysis, PlayerSummary};

impl MatchAnalysis {
    /// How each player played and what the errors cost, and whom the dice favored.
    pub fn in_words(&self) -> Vec<String> {
        let players = self.players.iter();
        let mut said: Vec<String> = players.map(|player| self.player_in_words(player)).collect();
        let [one, two] = &self.players;
        let luck = luck_of(one) - luck_of(two);
        let name = if luck > 0.0 { &one.name } else { &two.name };
        let luck = self.cost(luck.abs());
        if one.plays + two.plays > 0 && !luck.starts_with("0.0 ") && !luck.starts_with("0.00 ") {
            said.push(format!("The dice gave {name} {luck} more than the opponent."));
        }
        said
    }

    fn player_in_words(&self, summary: &PlayerSummary) -> String {
        let [errors, blunders] = summary.lost_by_errors();
        let costs = [(summary.blunders, "blunder", blunders), (summary.errors, "error", errors)];
        let costs = costs.into_iter().filter(|(number, ..)| *number > 0).enumerate();
        let costs: Vec<String> = costs
            .map(|(place, (number, noun, lost))| {
                let cost = if place == 0 { "cost " } else { "" };
                format!("{} {cost}{}", plural(number, noun), self.cost(lost))
            })
            .collect();
        let costs = if costs.is_empty() { "no errors".to_owned() } else { costs.join(", ") };
        format!("{} {}: {costs}.", summary.name, played_like(summary.rating))
    }

    /// A part of the match, or points for money.
    fn cost(&self, lost: f64) -> String {
        match self.is_money() {
            true => format!("{lost:.2} points"),
            false => format!("{:.1} % of the match", 100.0 * lost),
        }
    }
}

fn luck_of(player: &PlayerSummary) -> f64 {
    player.luck_mwc.unwrap_or_else(|| player.luck_in_points())
}

/// The name of a rating in a sentence.
fn played_like(rating: Option<&str>) -> String {
    match rating {
        None => "made too few decisions for a rating".to_owned(),
        Some("world class") => "played at world class".to_owned(),
        Some("distracted") => {
            "played below a beginner (eXtreme Gammon says: distracted)".to_owned()
        }
        Some(name @ ("advanced" | "intermediate")) => format!("played like an {name} player"),
        Some("casual") => "played like a casual player".to_owned(),
        Some("expert") => "played like an expert".to_owned(),
        Some(name) => format!("played like a {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Thresholds, rating_of_pr};

    #[test]
    fn every_rating_makes_a_sentence() {
        let said = |pr| played_like(Some(rating_of_pr(pr)));
        assert_eq!(said(1.0), "played like a world champion");
        assert_eq!(said(6.0), "played like an expert");
        assert_eq!(said(10.0), "played like an advanced player");
        assert_eq!(said(30.0), "played like a beginner");
        assert!(said(58.0).contains("eXtreme Gammon says: distracted"));
    }

    #[test]
    fn blunders_and_errors_of_a_match_have_their_cost() {
        let file = b" 5 point match\n\n Game 1\n Ann : 0   Bob : 0\n  \
            1) 31: 8/5 6/5            21: 13/11 6/5\n";
        let record = crate::read(file).unwrap().matches.remove(0);
        let decision = |player: usize, loss: f64| {
            serde_json::from_value(serde_json::json!({
                "game": 1, "number": 1, "player": player, "kind": "checker", "position": "",
                "phase": "middle", "cube": 1, "done": "8/5 6/5", "best": "24/20", "loss": loss,
                "interval": 0.01, "loss_mwc": loss / 4.0, "forced": false, "close": true,
                "counted_pr": true, "depth": 2, "equity": 0.0,
            }))
            .unwrap()
        };
        let decisions =
            vec![decision(1, 0.2), decision(1, 0.1), decision(1, 0.04), decision(2, 0.0)];
        let thresholds = Thresholds::default();
        let analysis = MatchAnalysis::new("x".to_owned(), &record, decisions, &thresholds);
        assert_eq!(
            analysis.in_words(),
            [
                "Ann made too few decisions for a rating: 2 blunders cost 7.5 % of the match, 1 error \
                 1.0 % of the match.",
                "Bob made too few decisions for a rating: no errors.",
            ]
        );
    }
}
