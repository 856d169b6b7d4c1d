//! What engines say of decisions: kept as it stands, read where it is eXtreme Gammon's, and ours.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use tavola_equity::{Emg, EmgScale, MatchEquityTable, Mwc};
use tavola_rules::notation::{MoneyOrMatch, parse_play};
use tavola_rules::{AfterGame, Cube, Dice, Play, Player, Position};

use super::document::{Block, DecisionRecord};
use super::reader::{Places, add_values};
use super::wire::{Cursor, Fields, Mask, Put, Wrong};
use super::{BLOCKS, DECISIONS};
use crate::analysis::{
    CUBE, Choice, CubeFigures, Decision, MatchAnalysis, PLAYS, ResponseTerms, equities, property,
    questions,
};
use crate::playback::Playback;
use crate::record::{Act, Game, Match, RecordedAction};

/// Kinds of decisions.
const CHECKER: u64 = 0;
const CUBE_ACTION: u64 = 1;
const LUCK: u64 = 3;

/// The unit of the equities of a match: the chance to win it.
const MATCH_CHANCES: u64 = 2;
/// That of money play, which is ours in a match as well where no table has the score.
const EQUITY: u64 = 1;

/// The name that GammonView knows eXtreme Gammon by.
const XG: &str = "xg";

/// What ties the equity of the player on roll to the chance to win the match, before each action of
/// a game.
fn scales(record: &Match, game: &Game) -> Vec<Option<EmgScale>> {
    let mut scales = vec![None; game.actions.len()];
    let Ok(mut playback) = Playback::of_game(record, game) else { return scales };
    for (scale, action) in scales.iter_mut().zip(&game.actions) {
        let situation = playback.situation();
        let stakes = match (playback.on_roll(), action.player) {
            (None, Player::Two) => situation.stakes.map(MoneyOrMatch::flip),
            _ => situation.stakes,
        };
        let exponent = situation.cube.unwrap_or(Cube::START).exponent();
        if let Some(MoneyOrMatch::Match(score)) = stakes
            && let Ok(points) = i32::try_from(1_u64 << exponent)
        {
            let after = |points| match score.after(points) {
                AfterGame::Won => Some(Mwc::WON),
                AfterGame::Lost => Some(Mwc::LOST),
                AfterGame::Next(next) => MatchEquityTable::kazaross_xg2().mwc(next).ok(),
            };
            let ends = after(-points).zip(after(points));
            *scale = ends.and_then(|(lose, win)| EmgScale::new(lose, win));
        }
        if playback.act(action.player, &action.act).is_err() {
            break;
        }
    }
    scales
}

/// What an engine says of itself, as far as it matters.
struct Head {
    model: String,
    /// What it is called.
    name: String,
    in_chances: bool,
}

impl Head {
    fn read(bytes: &[u8]) -> Result<Self, Wrong> {
        let (mask, mut body) = Cursor(bytes).record()?;
        let body = &mut body;
        body.take(16)?;
        mask.read(0, body, |body| body.take(32))?;
        mask.read(1, body, Cursor::varint)?;
        mask.read(2, body, |body| body.record().map(drop))?;
        mask.read(4, body, Cursor::plies)?;
        let model = mask.read(5, body, Cursor::string)?.unwrap_or_default();
        let name = mask.read(6, body, Cursor::string)?.unwrap_or_else(|| model.clone());
        mask.read(7, body, |body| body.take(32))?;
        mask.read(8, body, Cursor::string)?;
        let currency = mask.read(9, body, Cursor::varint)?;
        Ok(Self { model, name, in_chances: currency == Some(MATCH_CHANCES) })
    }

    /// The equities of a decision in our unit.
    fn equities(
        &self,
        decision: &DecisionRecord,
        act: Act,
        scale: Option<EmgScale>,
    ) -> Option<[f64; 2]> {
        let emg = |value: f64| match scale.filter(|_| self.in_chances) {
            Some(scale) => scale.emg(Mwc(value)).0,
            None => value,
        };
        Some(decision.equities(act).ok()??.map(emg))
    }
}

/// What an engine says of itself, without the digest of the match and the numbers of the plies that it
/// has seen: a file that is written from the record has others.
pub(super) fn by_itself(head: &[u8]) -> Result<Vec<u8>, Wrong> {
    let (mask, mut body) = Cursor(head).record()?;
    let body = &mut body;
    let mut kept = body.take(16)?.to_vec();
    mask.read(0, body, |body| body.take(32))?;
    let rest = body.0;
    mask.read(1, body, Cursor::varint)?;
    mask.read(2, body, |body| body.record().map(drop))?;
    kept.extend(&rest[..rest.len() - body.0.len()]);
    mask.read(4, body, Cursor::plies)?;
    kept.extend(body.0);
    let mut head = Vec::new();
    head.record(mask.0 & !0b1_0001, &kept);
    Ok(head)
}

/// Keeps the analyses of all engines: heads among the facts of the match, decisions at the actions.
pub(super) fn keep(record: &mut Match, blocks: &[Block], places: &Places) {
    let scales: Vec<_> = record.games.iter().map(|game| scales(record, game)).collect();
    for (number, block) in (1..).zip(blocks) {
        let head = by_itself(&block.head).unwrap_or_else(|_| block.head.clone());
        record.details.other.push((format!("{BLOCKS}{number}"), BASE64.encode(head)));
        let head = Head::read(&block.head).ok().filter(|head| head.model == XG);
        for decision in &block.decisions {
            let Some((game, at)) = places.get(decision.ply).copied().flatten() else { continue };
            let scale = scales[game][at];
            let action = &mut record.games[game].actions[at];
            let mut bytes = Vec::new();
            bytes.varint(decision.mask);
            bytes.extend(&decision.body);
            let value = format!("{number} {} {}", decision.kind, BASE64.encode(bytes));
            add_values(&mut action.properties, DECISIONS[0], [value]);
            let Some(head) = &head else { continue };
            let name = if decision.kind == CHECKER { PLAYS } else { CUBE };
            let Some(equities) = head.equities(decision, action.act, scale) else { continue };
            if !action.properties.iter().any(|it| it.name == name) {
                action.properties.push(property(name, equities));
            }
        }
    }
}

/// The engines whose analyses were kept, with their numbers and models, other than eXtreme Gammon.
pub(crate) fn others(record: &Match) -> Vec<(u64, String, String)> {
    let others = heads(record).into_iter().filter_map(|(number, head)| {
        let Head { model, name, .. } = Head::read(&head).ok().filter(|head| head.model != XG)?;
        Some((number, if model.is_empty() { name.clone() } else { model }, name))
    });
    others.collect()
}

/// The equities that an engine gives to an action, as those of eXtreme Gammon of this name.
pub(crate) fn said(
    record: &Match,
    engine: u64,
    (game, at): (usize, usize),
    name: &str,
) -> Option<[f64; 2]> {
    let (_, head) = heads(record).into_iter().find(|(number, _)| *number == engine)?;
    let (head, game) = (Head::read(&head).ok()?, record.games.get(game)?);
    let action = game.actions.get(at)?;
    let scale = scales(record, game).get(at).copied().flatten();
    let found = decisions(action, 0).find(|(number, decision)| {
        *number == engine && (decision.kind == CHECKER) == (name == PLAYS) && decision.kind != LUCK
    });
    head.equities(&found?.1, action.act, scale)
}

impl DecisionRecord {
    /// The equities that are shown beside ours: of the play made and the best one; of no double and
    /// of a double that is taken.
    fn equities(&self, act: Act) -> Result<Option<[f64; 2]>, Wrong> {
        let (mask, mut body) = (Mask(self.mask), Cursor(&self.body));
        let body = &mut body;
        Ok(match (self.kind, act) {
            (CHECKER, Act::Roll(..)) => {
                let alternatives = |body: &mut Cursor<'_>| {
                    let count: u64 = body.varint()?;
                    (0..count).map(|_| alternative(body)).collect::<Result<Vec<_>, _>>()
                };
                let all = mask.read(0, body, alternatives)?.unwrap_or_default();
                mask.read(1, body, Cursor::varint)?;
                let best = mask.read(2, body, Cursor::equity)?;
                let loss = mask.read(3, body, Cursor::loss)?;
                let best = best.or(all.first().map(|(equity, _)| *equity));
                let played = all.iter().find(|(_, played)| *played).map(|(equity, _)| *equity);
                let played = played.or(best.zip(loss).map(|(best, loss)| best - loss));
                played.zip(best).map(|(played, best)| [played, best])
            }
            (CUBE_ACTION, Act::Roll(..) | Act::Double) => {
                body.varint()?;
                let no_double = mask.read(0, body, Cursor::equity)?;
                let taken = mask.read(1, body, Cursor::equity)?;
                no_double.zip(taken).map(|(no_double, taken)| [no_double, taken])
            }
            _ => None,
        })
    }
}

/// The equity of a play, and whether it was made.
fn alternative(body: &mut Cursor<'_>) -> Result<(f64, bool), Wrong> {
    let (mask, mut body) = body.record()?;
    let steps = body.number()?;
    body.take(steps)?;
    Ok((body.equity()?, mask.has(2)))
}

/// The numbers of the plies that stand for the actions of each game.
pub(super) type PlyNumbers = Vec<Vec<Option<usize>>>;

/// The analyses of a match: those that were kept, eXtreme Gammon's if it is not among them, and ours.
pub(super) fn blocks(
    record: &Match,
    numbers: &PlyNumbers,
    ours: Option<&MatchAnalysis>,
) -> Vec<Block> {
    let mut blocks = kept(record, numbers);
    let has_xg = |block: &Block| Head::read(&block.head).is_ok_and(|head| head.model == XG);
    let scales: Vec<_> = record.games.iter().map(|game| scales(record, game)).collect();
    let in_chances = !record.is_money()
        && scales.iter().flatten().zip(record.games.iter().flat_map(|game| &game.actions)).all(
            |(scale, action)| scale.is_some() || matches!(action.act, Act::Accept | Act::Refuse),
        );
    let put = Writer { record, numbers, scales: &scales, in_chances };
    if !blocks.iter().any(has_xg) {
        blocks.extend(put.xg());
    }
    for block in ours.map(|ours| put.ours(ours)).unwrap_or_default() {
        if !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    blocks
}

/// The heads of the analyses that were kept, with their numbers.
fn heads(record: &Match) -> Vec<(u64, Vec<u8>)> {
    let heads = record.details.other.iter().filter_map(|(name, value)| {
        let number = name.strip_prefix(BLOCKS)?.parse().ok()?;
        Some((number, BASE64.decode(value).ok()?))
    });
    heads.collect()
}

/// What was kept of an action, which stands for this ply, with the numbers of the engines.
fn decisions(action: &RecordedAction, ply: usize) -> impl Iterator<Item = (u64, DecisionRecord)> {
    let values = action.properties.iter().filter(|it| it.name == DECISIONS[0]);
    values.flat_map(|it| &it.values).filter_map(move |value| {
        let mut parts = value.splitn(3, ' ');
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (block, kind) = (number()?, number()?);
        let bytes = BASE64.decode(parts.next()?).ok()?;
        let mut cursor = Cursor(&bytes);
        let mask = cursor.varint().ok()?;
        Some((block, DecisionRecord { ply, kind, mask, body: cursor.0.to_vec() }))
    })
}

/// The analyses that were kept when a file was read.
fn kept(record: &Match, numbers: &PlyNumbers) -> Vec<Block> {
    let heads = heads(record);
    let mut blocks: Vec<Block> =
        heads.iter().map(|(_, head)| Block { head: head.clone(), decisions: Vec::new() }).collect();
    for (game, numbers) in record.games.iter().zip(numbers) {
        for (action, ply) in game.actions.iter().zip(numbers) {
            let Some(ply) = *ply else { continue };
            for (block, decision) in decisions(action, ply) {
                if let Some(at) = heads.iter().position(|(head, _)| *head == block) {
                    blocks[at].decisions.push(decision);
                }
            }
        }
    }
    blocks
}

struct Writer<'a> {
    record: &'a Match,
    numbers: &'a PlyNumbers,
    scales: &'a [Vec<Option<EmgScale>>],
    in_chances: bool,
}

/// Equities in the unit of a block.
#[derive(Clone, Copy)]
struct Unit(Option<EmgScale>);

impl Unit {
    fn equity(self, emg: f64) -> f64 {
        self.0.map_or(emg, |scale| scale.mwc(Emg(emg)).0)
    }

    fn difference(self, emg: f64) -> f64 {
        self.0.map_or(emg, |scale| emg * scale.unit())
    }
}

impl Writer<'_> {
    fn unit(&self, game: usize, action: usize) -> Unit {
        Unit(self.scales[game][action].filter(|_| self.in_chances))
    }

    /// An engine's block, if it says anything. Its number follows from what it says.
    fn block(&self, model: &str, name: &str, mut decisions: Vec<DecisionRecord>) -> Option<Block> {
        decisions.sort_by_key(|decision| (decision.ply, decision.kind));
        decisions.dedup_by_key(|decision| (decision.ply, decision.kind));
        let mut said = Vec::from(model.as_bytes());
        for decision in &decisions {
            said.extend(decision.ply.to_le_bytes());
            said.extend(&decision.body);
        }
        let digest = tavola_files::sha256(&said);
        let mut id: Vec<u8> = (0..16)
            .filter_map(|at| u8::from_str_radix(digest.get(2 * at..2 * at + 2)?, 16).ok())
            .collect();
        // A number of one's own making, by the rules of such numbers.
        id[6] = id[6] & 0x0f | 0x80;
        id[8] = id[8] & 0x3f | 0x80;
        let mut fields = Fields::behind(id);
        fields.flag(3, true);
        fields.put(5, Some(model), |body, model| body.string(model));
        fields.put(6, Some(name), |body, name| body.string(name));
        let currency = if self.in_chances { MATCH_CHANCES } else { EQUITY };
        fields.put(9, Some(currency), |body, currency| body.varint(currency));
        fields.put(11, self.in_chances.then_some("kazaross-xg2"), |body, met| body.string(met));
        let mut head = Vec::new();
        fields.write(&mut head);
        (!decisions.is_empty()).then_some(Block { head, decisions })
    }

    /// What eXtreme Gammon said, of which the equities are known.
    fn xg(&self) -> Option<Block> {
        let mut decisions = Vec::new();
        for (index, game) in self.record.games.iter().enumerate() {
            for (at, action) in game.actions.iter().enumerate() {
                let Some(ply) = self.numbers[index][at] else { continue };
                let unit = self.unit(index, at);
                // Of a roll that can't be played the format takes none.
                if let (Some([played, best]), Act::Roll(_, Some(play))) =
                    (equities(action, PLAYS), action.act)
                    && play != Play::PASS
                {
                    let mut fields = Fields::default();
                    fields.put(2, Some(unit.equity(best)), |body, it| body.equity(it));
                    let loss = unit.difference((best - played).max(0.0));
                    fields.put(3, Some(loss), |body, it| body.loss(it));
                    decisions.push(fields.decision(ply, CHECKER));
                }
                let Some([no_double, taken]) = equities(action, CUBE) else { continue };
                let figures = CubeFigures::new([no_double, taken, 1.0], ResponseTerms::default());
                let answer = game.actions.get(at + 1).zip(self.numbers[index].get(at + 1));
                decisions.extend(cube_action(&figures, ply, action.act, unit));
                if action.act == Act::Double
                    && let Some((answer, &Some(ply))) = answer
                {
                    decisions.extend(cube_action(&figures, ply, answer.act, unit));
                }
            }
        }
        self.block(XG, "eXtreme Gammon", decisions)
    }

    /// What tavola found, and what the engines said that were asked beside it.
    fn ours(&self, analysis: &MatchAnalysis) -> Vec<Block> {
        let name = concat!("tavola ", env!("CARGO_PKG_VERSION"));
        let found = self.found(analysis, |decision| Some(Cow::Borrowed(decision)));
        let ours = self.block(concat!("tavola/", env!("CARGO_PKG_VERSION")), name, found);
        let beside = analysis.engines_asked().into_iter().filter_map(|name| {
            let mut engine = name;
            let found = self.found(analysis, |decision| {
                let opinion = decision.opinion(name)?;
                engine = &opinion.engine;
                Some(Cow::Owned(opinion.instead(decision)))
            });
            self.block(name, engine, found)
        });
        ours.into_iter().chain(beside).collect()
    }

    /// The decisions of an analysis, as `seen` by an engine.
    fn found<'a>(
        &self,
        analysis: &'a MatchAnalysis,
        mut seen: impl FnMut(&'a Decision) -> Option<Cow<'a, Decision>>,
    ) -> Vec<DecisionRecord> {
        let mut decisions = Vec::new();
        let mut found = analysis.decisions.iter().peekable();
        for question in questions(self.record) {
            let Some(decision) = found.next_if(|decision| decision.is_about(&question)) else {
                continue;
            };
            let Some(decision) = seen(decision) else { continue };
            let decision = &*decision;
            let Some(ply) = self.numbers[question.game][question.action] else { continue };
            let unit = self.unit(question.game, question.action);
            let act = self.record.games[question.game].actions[question.action].act;
            if let Some(luck) = decision.luck {
                let mut fields = Fields::default();
                fields.body.equity(unit.difference(luck.emg));
                decisions.push(fields.decision(ply, LUCK));
            }
            if let Choice::Play { dice, play: Some(made), .. } = question.choice
                && made != Play::PASS
            {
                let side = question.player;
                let position = &question.situation.position;
                let read = |play: &str| parse_play(play, position, dice).ok();
                decisions.extend(plays(decision, ply, (side, dice, made), read, unit));
            }
            if let Some(figures) = &decision.actions {
                decisions.extend(cube_action(figures, ply, act, unit));
            }
        }
        decisions
    }
}

impl Fields {
    /// A decision of this kind that says these fields.
    fn decision(self, ply: usize, kind: u64) -> DecisionRecord {
        DecisionRecord { ply, kind, mask: self.mask, body: self.body }
    }
}

/// The candidates of a play. Those that were searched deepest stand first.
fn plays(
    decision: &Decision,
    ply: usize,
    (player, dice, made): (Player, Dice, Play),
    read: impl Fn(&str) -> Option<(Play, Position)>,
    unit: Unit,
) -> Option<DecisionRecord> {
    let mut rated: Vec<_> = decision.plays.iter().collect();
    rated.sort_by_key(|play| std::cmp::Reverse(play.ply));
    let deepest = rated.first()?.ply;
    let made = read(&made.to_string())?.1;
    let (mut count, mut alternatives, mut loss) = (0, Vec::new(), None);
    let best = rated.iter().filter(|it| it.ply == deepest).map(|it| it.equity);
    let best = best.fold(f64::MIN, f64::max);
    rated.sort_by(|one, two| two.ply.cmp(&one.ply).then(two.equity.total_cmp(&one.equity)));
    for play in rated {
        let Some((steps, after)) = read(&play.play) else { continue };
        let mut fields = Fields::default();
        let steps = super::writer::steps(&steps, player, dice);
        fields.body.varint(steps.len() as u64);
        fields.body.extend(steps.iter().map(|[from, pips]| pips << 5 | from));
        fields.body.equity(unit.equity(play.equity));
        fields.put(0, Some(play.probs), |body, probs| {
            probs.iter().for_each(|it| body.probability(f64::from(*it)));
        });
        fields.put(1, Some(play.ply).filter(|it| *it != deepest), level);
        if after == made {
            fields.flag(2, play.ply == deepest);
            loss = (play.ply != deepest).then_some(best - play.equity);
        }
        fields.write(&mut alternatives);
        count += 1;
    }
    let is_made = decision.plays.iter().any(|it| read(&it.play).is_some_and(|it| it.1 == made));
    let loss = if is_made { loss } else { Some(decision.loss) };
    let mut fields = Fields::default();
    fields.put(0, Some(alternatives), |body, alternatives| {
        body.varint(count);
        body.extend(alternatives);
    });
    fields.put(3, loss, |body, loss| body.loss(unit.difference(loss.max(0.0))));
    fields.put(4, Some(deepest), level);
    (count > 0).then(|| fields.decision(ply, CHECKER))
}

/// A level that is a depth: as GNU Backgammon counts, which is ours.
fn level(body: &mut Vec<u8>, ply: u8) {
    body.record(1 << 1, &[ply]);
}

/// What figures say of an action of the cube: what was right, and what it lost.
fn cube_action(figures: &CubeFigures, ply: usize, act: Act, unit: Unit) -> Option<DecisionRecord> {
    let CubeFigures { no_double, double_take, double_pass, .. } = *figures;
    let double = double_take.min(double_pass);
    let (verdict, lost) = match act {
        Act::Roll(..) | Act::Double => {
            let verdict = match double > no_double {
                true => 1,
                false if double_take > double_pass => 4,
                false => 0,
            };
            (verdict, if act == Act::Double { no_double - double } else { double - no_double })
        }
        Act::Take | Act::Drop => {
            let verdict = if double_take > double_pass { 3 } else { 2 };
            let lost = double_take - double_pass;
            (verdict, if act == Act::Take { lost } else { -lost })
        }
        _ => return None,
    };
    let mut fields = Fields::default();
    fields.body.varint(verdict);
    for (bit, equity) in (0..).zip([no_double, double_take, double_pass]) {
        fields.put(bit, Some(unit.equity(equity)), |body, it| body.equity(it));
    }
    fields.put(3, figures.probs, |body, probs| {
        probs.iter().for_each(|it| body.probability(f64::from(*it)));
    });
    // Whoever was right lost nothing.
    let lost = Some(lost).filter(|lost| *lost > 0.0);
    fields.put(4, lost, |body, lost| body.loss(unit.difference(lost)));
    Some(fields.decision(ply, CUBE_ACTION))
}
