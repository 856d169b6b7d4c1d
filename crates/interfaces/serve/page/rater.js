// Figures of matches that have none yet, then, in the list and in the drill, errors of those that lack them, made while
// nobody plays and nobody reads a review: one match at a time.

import * as history from './history.js';

// How an engine refuses a file that it can't read.
export const UNREADABLE = ['request', 'unsupported', 'position', 'game', 'too_large'];

export class Rater {
  constructor(app) { this.app = app; }

  // The analysis of a match, before those of others; its figures are kept, those that are known `anew` or as they are.
  async look(id, anew = true) {
    this.pause();
    const stop = this.stop = new AbortController();
    try {
      if (!history.hasFile(id)) history.keep({ id }, await this.app.engine.record(id));
      const text = history.file(id);
      const { matches } = await this.app.engine.analyze(history.bytesOf(text), 0, { signal: stop.signal, apart: true });
      history.rateAll(id, matches, text, anew);
      return matches[history.partOf(id)];
    } finally { if (this.stop === stop) this.stop = null; }
  }

  // Looks at all that wait, until something else is done.
  async run() {
    while (!this.stop && this.app.view?.idle !== false) {
      const all = history.list(), next = all.find(history.waits) ?? (['match', 'drill'].includes(this.app.known) ? all.find(history.lacks) : null);
      if (!next) return;
      // A file that was just added and can't be read is not kept.
      const wrong = (error) => { if (next.fresh) { history.forget(next.id); this.app.unread(next.source, error?.message ?? ''); } else history.keep({ id: next.id, unread: true }); };
      try {
        if (!await this.look(next.id, history.waits(next))) wrong();
      } catch (error) {
        // An engine that does not answer is asked another time.
        if (![...UNREADABLE, 'not_found'].includes(error.kind)) return;
        wrong(error);
      }
      this.app.view?.kept?.();
    }
  }

  pause() {
    this.stop?.abort();
    this.stop = null;
  }
}
