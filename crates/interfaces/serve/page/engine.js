// The engine behind one interface: a server, or WebAssembly in a worker of this page.

import { memory } from './dom.js';

export class EngineError extends Error {
  constructor({ kind, message }) {
    super(message);
    this.kind = kind;
  }
}

// The token stands in the fragment of the address that the server prints.
function token() {
  const found = /[#&]token=([\x21-\x7e]+)$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem('tavola.token', found[1]);
    history.replaceState(null, '', location.pathname + location.hash.slice(0, found.index));
  }
  return sessionStorage.getItem('tavola.token');
}

// Tells of progress no more often than is seen.
function seldom(progress) {
  let told = -Infinity;
  return (done) => { if (performance.now() - told > 100) { told = performance.now(); progress?.(done); } };
}

class Server {
  constructor(info) { this.info = info; }

  static async open() {
    const answer = await fetch('api/v1/engine', { headers: Server.headers() });
    if (answer.status === 401) throw new EngineError((await answer.json()).error);
    const isOurs = answer.ok && (answer.headers.get('content-type') ?? '').startsWith('application/json');
    if (!isOurs) return null;
    const info = await answer.json();
    // What the page shows while the server is away.
    memory.set('engine', info);
    return new Server(info);
  }

  static headers() {
    const known = token();
    return known ? { authorization: `Bearer ${known}` } : {};
  }

  async send(method, path, body, type = 'application/json', signal = undefined) {
    const headers = Server.headers(), seat = memory.get(`seat.${/^games\/(\w+)/.exec(path)?.[1]}`);
    // Whose seat it is, in a game between people on several devices.
    if (seat) headers['tavola-seat'] = seat;
    if (body !== undefined) headers['content-type'] = type;
    const answer = await fetch(`api/v1/${path}`, { method, headers, body, signal }).catch((error) => { if (error.name !== 'AbortError') this.reach?.(false); throw error; });
    this.reach?.(true);
    if (!answer.ok) {
      const told = await answer.json().catch(() => null);
      throw new EngineError(told?.error ?? { kind: 'internal', message: answer.statusText });
    }
    return answer;
  }

  async post(path, body) { return (await this.send('POST', path, JSON.stringify(body))).json(); }
  async get(path) { return (await this.send('GET', path)).json(); }

  ask(operation, fields) { return this.post(operation, fields); }
  begin(setup) { return this.post('games', setup); }
  invite(setup) { return this.post('invitations', setup); }
  // The game once it is another one than that of this version, with what was done since.
  async next(id, { version, game, shown }, signal) { return (await this.send('GET', `games/${id}?after=${version}&game=${game}&shown=${shown}`, undefined, undefined, signal)).json(); }
  state(id) { return this.get(`games/${id}`); }
  act(id, action) { return this.post(`games/${id}/actions`, action); }
  hint(id) { return this.get(`games/${id}/hint`); }
  mistake(id, action) { return this.post(`games/${id}/mistake`, action); }
  newMatchAgainst(run, network, setup) { return this.post(`runs/${run}/networks/${network}/games`, setup); }
  async sample(run, network) { return (await this.send('POST', `runs/${run}/networks/${network}/sample`)).text(); }
  async record(id) { return (await this.send('GET', `games/${id}/record`)).text(); }
  runs() { return this.get('runs'); }
  run(number) { return this.get(`runs/${number}`); }
  fleet() { return this.get('fleet'); }

  async job(fields, watch) { return this.follow(await this.post('jobs', fields), watch); }

  async analyze(bytes, ply, watch) {
    const begun = await this.send('POST', `analyses?ply=${ply}`, bytes, 'application/octet-stream');
    return this.follow(await begun.json(), watch);
  }

  // Reads the events of a job until its end.
  async follow({ id }, { progress, signal } = {}) {
    // A page that is left waits for nothing any more.
    const cancel = () => { fetch(`api/v1/jobs/${id}`, { method: 'DELETE', headers: Server.headers(), keepalive: true }).catch(() => {}); };
    signal?.addEventListener('abort', cancel);
    addEventListener('pagehide', cancel);
    if (signal?.aborted) cancel();
    const answer = await this.send('GET', `jobs/${id}/events`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '', last = null;
    const tell = seldom(progress);
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop();
      for (const block of blocks) {
        const data = block.split('\n').filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
        if (!data.length) continue;
        last = JSON.parse(data.join('\n'));
        if (last.progress) tell(last.progress);
      }
    }
    signal?.removeEventListener('abort', cancel);
    removeEventListener('pagehide', cancel);
    if (last?.answer) return last.answer;
    throw new EngineError(last?.error ?? { kind: 'canceled', message: 'the job has ended without an answer' });
  }
}

class Local {
  constructor(worker, info) {
    this.worker = worker;
    this.info = info;
    this.calls = new Map();
    this.number = 1;
    this.kept = Promise.resolve();
    worker.onmessage = ({ data }) => {
      const call = this.calls.get(data.id);
      if (data.loading) { this.loading?.(data.loading); return; }
      if (!call) return;
      if (data.progress) { call.progress(data.progress); return; }
      this.calls.delete(data.id);
      if (data.error) call.fail(new EngineError(data.error));
      else call.done(data.answer);
    };
  }

  // Fetches the network of the program, which is too large to wait for; it answers from then on.
  async strengthen(progress) {
    this.info = await this.call('strengthen', [], { progress });
    this.strong = true;
  }

  static open() {
    const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    return new Promise((done, fail) => {
      worker.onerror = () => fail(new EngineError({ kind: 'internal', message: 'there is neither a server nor an engine in WebAssembly' }));
      worker.onmessage = ({ data }) => {
        if (data.error) fail(new EngineError(data.error));
        else done(new Local(worker, data.ready));
      };
    });
  }

  // `game` is the one that the call is about: the worker fetches its network if it has one.
  call(method, args, { progress, signal, game } = {}) {
    const id = this.number++;
    signal?.addEventListener('abort', () => this.worker.postMessage({ cancel: id }));
    return new Promise((done, fail) => {
      this.calls.set(id, { done, fail, progress: seldom(progress) });
      this.worker.postMessage({ id, method, args, game });
    });
  }

  ask(operation, fields) { return this.call('ask', [operation, fields], { game: fields.game }); }

  // A match is kept as text by the page, so that it survives the worker.
  async keep(answer) {
    memory.set(`match.${answer.id}`, answer.saved);
    return answer;
  }

  saved(id) {
    const text = memory.get(`match.${id}`);
    if (!text) throw new EngineError({ kind: 'not_found', message: `there is no match ${id}` });
    return text;
  }

  // Changes a match, unless another tab has changed it meanwhile.
  async change(method, id, ...args) {
    const saved = this.saved(id), answer = await this.call(method, [id, saved, ...args], this.of(id));
    if (this.saved(id) === saved) return this.keep(answer);
    if (method === 'state') return this.change('state', id);
    throw new EngineError({ kind: 'request', message: 'the match has gone on' });
  }

  async begin(setup) { return this.keep(await this.call('begin', [setup], { game: setup.game })); }
  state(id) { return this.next(() => this.change('state', id)); }
  act(id, action) { return this.next(() => this.change('act', id, action)); }
  // After what was asked before: each begins with what the one before keeps.
  next(work) {
    const answer = this.kept.then(work);
    this.kept = answer.catch(() => {});
    return answer;
  }
  async hint(id) { return this.call('hint', [this.saved(id)], this.of(id)); }
  async mistake(id, action) { return this.call('mistake', [this.saved(id), action], this.of(id)); }
  async record(id) { return this.call('record', [this.saved(id)]); }

  // The game of a saved one, whose network the worker needs.
  of(id) {
    const { game, setup } = JSON.parse(this.saved(id));
    return { game: game ?? setup?.game ?? setup?.options?.start };
  }

  job(fields, watch) { return this.call('job', [fields], { ...watch, game: fields.game }); }

  // `apart` from the games that are played meanwhile.
  async analyze(bytes, ply, { progress, signal, apart = ply > 0 } = {}) {
    const args = [new Uint8Array(bytes), ply];
    return !apart ? this.call('analyze', args, { progress }) : this.apart('analyze', args, this.strong, { progress, signal });
  }

  // Repeats a report of the program about a file, by the network of the program.
  verify(report, bytes, watch) { return this.apart('verify', [report, new Uint8Array(bytes)], true, watch); }

  // What takes long has a worker of its own, so that the game does not wait, and ends when it is canceled.
  async apart(method, args, strong, { progress, signal } = {}) {
    const apart = await Local.open();
    if (strong) await apart.strengthen();
    const canceled = new Promise((_, fail) => {
      const stop = () => fail(new EngineError({ kind: 'canceled', message: 'canceled' }));
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop);
    });
    return Promise.race([apart.call(method, args, { progress }), canceled]).finally(() => apart.worker.terminate());
  }

  async runs() { return { runs: [] }; }
  async fleet() { return null; }
}

export async function open() {
  // The page of the static site says that there is no server.
  if (document.documentElement.dataset.engine === 'local') return Local.open();
  const server = await Server.open().catch((error) => {
    if (error instanceof EngineError) throw error;
    return null;
  });
  return server ?? Local.open().catch((error) => {
    const info = memory.get('engine');
    // A server that was there before may come back; what lies on the device can be used meanwhile.
    if (!info || info.local) throw error;
    return Object.assign(new Server(info), { away: true });
  });
}
