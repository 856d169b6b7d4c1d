// Figures of matches that have none yet, made while nobody plays and nobody reads a review: one match at a time.

import * as history from './history.js';

// How an engine refuses a file that it can't read.
export const UNREADABLE = ['request', 'unsupported', 'position', 'game', 'too_large'];

export class Rater {
  constructor(app) { this.app = app; }

  // The analysis of a match, before those of others; its figures are kept, whoever looks at them.
  async look(id) {
    this.pause();
    const stop = this.stop = new AbortController();
    try {
      if (!history.file(id)) history.keep({ id }, await this.app.engine.record(id));
      const text = history.file(id);
      const { matches: [analysis] } = await this.app.engine.analyze(history.bytesOf(text), 0, { signal: stop.signal, apart: true });
      if (analysis) history.rate(id, analysis, text);
      return analysis;
    } finally { if (this.stop === stop) this.stop = null; }
  }

  // Looks at all that wait, until something else is done.
  async run() {
    while (!this.stop && this.app.view?.idle !== false) {
      const next = history.list().find(history.waits);
      if (!next) return;
      try {
        if (!await this.look(next.id)) history.keep({ id: next.id, unread: true });
      } catch (error) {
        // An engine that does not answer is asked another time.
        if (![...UNREADABLE, 'not_found'].includes(error.kind)) return;
        history.keep({ id: next.id, unread: true });
      }
      this.app.view?.kept?.();
    }
  }

  pause() {
    this.stop?.abort();
    this.stop = null;
  }
}
