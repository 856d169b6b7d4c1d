//! The rules of the five games once more, read from their text and not from the engine: slow, and
//! written game by game so that nothing is shared that could be wrong in the same way.
//!
//! A board keeps both sides in the numbering of the mover. Every order of the dice is tried, every
//! step, and the ends are compared afterwards.

use std::collections::BTreeSet;

/// Which game, with its default options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Tabula,
    Puff,
    Fallas,
    Emperador,
    Buffa,
    TodasTablas,
}

/// Both sides; `mine[24]` are the mover's checkers on 24, index 0 is not used.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Board {
    pub mine: [u8; 25],
    pub theirs: [u8; 25],
    pub my_marked: [u8; 25],
    pub their_marked: [u8; 25],
    pub my_hand: u8,
    pub their_hand: u8,
    pub my_bar: u8,
    pub their_bar: u8,
    pub my_off: u8,
    pub their_off: u8,
    pub my_marked_off: u8,
    pub their_marked_off: u8,
}

/// A board in the middle of a turn, with the points on which checkers have come to rest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Middle {
    board: Board,
    rested: [u8; 25],
}

/// Everything that a roll leads to, and the dice that are left over.
pub fn ends(
    name: Name,
    board: &Board,
    dice: &[u8],
    first_turn: bool,
) -> (BTreeSet<Board>, Vec<u8>) {
    let start = Middle { board: board.clone(), rested: [0; 25] };
    if name == Name::Puff {
        return puff(&start, dice);
    }
    // All ways to pick dice one after the other, stopping anywhere.
    let mut tried: BTreeSet<(Vec<u8>, Middle)> = BTreeSet::new();
    let mut open = vec![(dice.to_vec(), start)];
    while let Some((left, now)) = open.pop() {
        let mut sorted = left.clone();
        sorted.sort_unstable();
        if !tried.insert((sorted, now.clone())) {
            continue;
        }
        for i in 0..left.len() {
            if won(name, &now.board) {
                break;
            }
            let mut rest = left.clone();
            let die = rest.remove(i);
            for next in after_one(name, &now, die, first_turn) {
                open.push((rest.clone(), next));
            }
        }
    }
    // Most dice, then most pips: that is fewest left, then least left.
    let key = |left: &[u8]| (left.len(), left.iter().map(|&d| u32::from(d)).sum::<u32>());
    let best = tried.iter().map(|(left, _)| key(left)).min().unwrap();
    let mut unused = Vec::new();
    let mut found = BTreeSet::new();
    for (left, middle) in tried {
        if key(&left) == best {
            unused = left;
            found.insert(middle.board);
        } else if won(name, &middle.board) {
            // A win counts however few dice it takes.
            found.insert(middle.board);
        }
    }
    (found, unused)
}

/// Whether the mover has won by bearing off.
fn won(name: Name, board: &Board) -> bool {
    if name == Name::Fallas { board.my_marked_off == 2 } else { board.my_off == 15 }
}

/// Everything that any of the dice, in any order, or none lead to (inherited dice of Buffa).
pub fn any_use(board: &Board, dice: &[u8]) -> BTreeSet<Board> {
    let mut found = BTreeSet::from([board.clone()]);
    for i in 0..dice.len() {
        let mut rest = dice.to_vec();
        let die = rest.remove(i);
        let now = Middle { board: board.clone(), rested: [0; 25] };
        for next in after_one(Name::Buffa, &now, die, false) {
            found.extend(any_use(&next.board, &rest));
        }
    }
    found
}

fn puff(start: &Middle, dice: &[u8]) -> (BTreeSet<Board>, Vec<u8>) {
    let (low, high) = (dice[0].min(dice[1]), dice[0].max(dice[1]));
    let sequence = if low == high { vec![low, low, 7 - low, 7 - low] } else { vec![low, high] };
    let mut level = BTreeSet::from([start.clone()]);
    for (i, &die) in sequence.iter().enumerate() {
        let next: BTreeSet<Middle> =
            level.iter().flat_map(|middle| after_one(Name::Puff, middle, die, false)).collect();
        if next.is_empty() {
            return (level.into_iter().map(|m| m.board).collect(), sequence[i..].to_vec());
        }
        level = next;
    }
    (level.into_iter().map(|m| m.board).collect(), Vec::new())
}

/// Whether the mover may put a checker on a point.
fn open(name: Name, board: &Board, point: usize) -> bool {
    let enemies = board.theirs[point] + board.their_marked[point];
    if enemies >= 2 {
        return false;
    }
    match name {
        Name::Tabula | Name::Buffa | Name::TodasTablas => true,
        Name::Puff => !((7..=18).contains(&point) && board.mine[point] >= 2),
        Name::Fallas => board.theirs[point] == 0,
        Name::Emperador => !(point <= 12 && board.mine[point] >= 1),
    }
}

/// Takes an enemy checker off a point that the mover lands on.
fn hit(name: Name, board: &mut Board, point: usize) {
    if board.theirs[point] == 1 {
        board.theirs[point] = 0;
        if name == Name::Puff { board.their_hand += 1 } else { board.their_bar += 1 }
    }
    if board.their_marked[point] == 1 {
        board.their_marked[point] = 0;
        board.their_bar += 1;
    }
}

/// Everything that one die leads to.
fn after_one(name: Name, now: &Middle, die: u8, first_turn: bool) -> Vec<Middle> {
    let board = &now.board;
    let d = usize::from(die);
    let mut found = Vec::new();

    // On the bar: nothing but to enter it.
    if board.my_bar > 0 {
        if open(name, board, d) {
            let mut next = now.clone();
            next.board.my_bar -= 1;
            hit(name, &mut next.board, d);
            if name == Name::Fallas {
                next.board.my_marked[d] += 1;
            } else {
                next.board.mine[d] += 1;
            }
            found.push(next);
        }
        return found;
    }

    // From the hand.
    if board.my_hand > 0 && open(name, board, d) {
        let mut next = now.clone();
        next.board.my_hand -= 1;
        hit(name, &mut next.board, d);
        next.board.mine[d] += 1;
        next.rested[d] += 1;
        found.push(next);
    }
    if first_turn && matches!(name, Name::Tabula | Name::Buffa) {
        return found;
    }
    if name == Name::Puff && board.my_hand > 0 {
        return found;
    }

    for from in 1..=24 {
        // Unmarked, then marked.
        for marked in [false, true] {
            let count = if marked { board.my_marked[from] } else { board.mine[from] };
            let resting = if name == Name::Puff { now.rested[from] } else { 0 };
            if count <= resting {
                continue;
            }
            let mut lifted = now.clone();
            if marked {
                lifted.board.my_marked[from] -= 1;
            } else {
                lifted.board.mine[from] -= 1;
            }
            let to = from + d;
            if to <= 24 {
                if (board.my_hand > 0 && to > 6) || !open(name, board, to) {
                    continue;
                }
                hit(name, &mut lifted.board, to);
                if marked {
                    lifted.board.my_marked[to] += 1;
                } else {
                    lifted.board.mine[to] += 1;
                }
                lifted.rested[to] += 1;
                found.push(lifted);
            } else if may_bear_off(name, board, from, d, marked) {
                if marked {
                    lifted.board.my_marked_off += 1;
                } else {
                    lifted.board.my_off += 1;
                }
                found.push(lifted);
            }
        }
    }
    found
}

fn may_bear_off(name: Name, board: &Board, from: usize, die: usize, marked: bool) -> bool {
    if board.my_hand > 0 {
        return false;
    }
    let mut rearmost = 24;
    for point in (1..=24).rev() {
        if board.mine[point] + board.my_marked[point] > 0 {
            rearmost = point;
        }
    }
    match name {
        Name::Buffa => rearmost == 24,
        Name::Tabula | Name::Puff | Name::Emperador | Name::TodasTablas => {
            rearmost >= 19 && (from + die == 25 || from == rearmost)
        }
        Name::Fallas => {
            let stragglers: u8 = board.my_marked[..19].iter().sum();
            !(marked && stragglers > 0) && (from + die == 25 || from == rearmost)
        }
    }
}

/// Whether the mover is locked out in El Emperador.
pub fn locked_out(board: &Board) -> bool {
    board.my_bar > 0
        && [1, 2, 3, 4, 5, 6].iter().all(|&k| board.theirs[k] >= 2 || board.mine[k] >= 1)
}

/// Whether any single die could be played.
pub fn can_move(name: Name, board: &Board) -> bool {
    let now = Middle { board: board.clone(), rested: [0; 25] };
    (1..=6).any(|die| !after_one(name, &now, die, false).is_empty())
}
