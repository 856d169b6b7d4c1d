// A play that is put together move by move. What a game allows is known to the engine alone: the page
// gets every play in words, such as `hand-6 7-12*`, and offers the moves that lead on to one of them.

// A move in words: where it begins and ends, and whether it hits. Others are told as they are.
export function move(word) {
  const found = /^m?(\w+)-(\w+)(?:\((\d+)\))?(\*?)$/.exec(word);
  return found ? { from: found[1], to: found[2], hits: found[4] !== '', count: Number(found[3] ?? 1) } : null;
}

const sorted = (words) => [...words].sort();

// What is left of the moves of a play after these; null if it does not have them.
function rest(moves, done) {
  const left = [...moves];
  for (const word of done) {
    const at = left.indexOf(word);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

export class Assembly {
  // `here(place, done)` is how many checkers of the user are there after these moves.
  constructor(plays, here) {
    this.plays = plays;
    this.moves = plays.map((play) => play.split(' '));
    this.here = here;
    this.done = [];
  }

  // Moves that lead on to a play, by their words.
  nexts(done = this.done) {
    const found = new Set();
    for (const moves of this.moves) for (const word of rest(moves, done) ?? []) found.add(word);
    // A checker that another move brings first is not there yet.
    return [...found].filter((word) => { const step = move(word); return !step || this.here(step.from, done) >= step.count; });
  }

  steps(done = this.done) {
    return this.nexts(done).map((word) => ({ word, step: move(word) })).filter(({ step }) => step);
  }

  // The play that the moves so far are, if they are a whole one.
  get whole() {
    const made = sorted(this.done).join(' ');
    const at = this.done.length ? this.moves.findIndex((moves) => sorted(moves).join(' ') === made) : -1;
    return at < 0 ? null : this.plays[at];
  }

  // Where a checker can go, over one or several moves, each with the words: the fewest, one checker
  // before a stack, and of two ways the one that hits nobody on its way.
  targets(from) {
    const found = new Map();
    const hits = (words) => words.slice(0, -1).filter((word) => word.endsWith('*')).length;
    let rank = [{ at: from, words: [] }];
    while (rank.length) {
      const next = [];
      for (const { at, words } of rank) {
        const steps = this.steps([...this.done, ...words]).filter(({ step }) => step.from === at);
        for (const { word, step } of steps.sort((a, b) => a.step.count - b.step.count)) {
          const way = [...words, word];
          const known = found.get(step.to);
          if (!known || (known.length === way.length && hits(way) < hits(known))) found.set(step.to, way);
          if (step.count === 1) next.push({ at: step.to, words: way });
        }
      }
      rank = next.slice(0, 24);
    }
    return found;
  }

  do(words) { this.done.push(...words); }
  undo() { return this.done.pop() !== undefined; }
  set(play) { this.done = play.split(' '); }
}
