// The page: its parts, its addresses, what is set once for all of it.

import { resized } from './board.js';
import * as deck from './deck.js';
import { announce, button, choice, h, memory, pace, replace, select, toast, toggle } from './dom.js';
import { open } from './engine.js';
import * as kept from './history.js';
import { Rater, UNREADABLE } from './rater.js';
import { LANGUAGES, current, number, percent, speak, t } from './texts.js';
import { FILES } from './views.js';

// Older names of views, which links may have.
const MOVED = { several: 'tables', analyse: 'analyze' };
// What is not seen first is fetched when it is wanted.
const VIEWS = {
  play: async () => (await import('./play.js')).Play, analyze: async () => (await import('./analyze.js')).Analyze, match: async () => (await import('./match.js')).Matches, drill: async () => (await import('./drill.js')).Drill,
  tables: async () => (await import('./play.js')).Play, watch: async () => (await import('./watch.js')).Watch, rules: async () => (await import('./rules.js')).Rules, join: async () => (await import('./online.js')).Join,
};
const APART = ['rules', 'join'];
// No match has more, and the storage of a browser has no room for it.
const LARGEST = 4_000_000;

class App {
  constructor(engine) {
    this.engine = engine;
    this.stage = document.getElementById('stage');
    this.panel = document.getElementById('panel');
    this.view = null;
    engine.loading = (loading) => this.loading(loading);
    addEventListener('hashchange', () => this.turn());
    addEventListener('keydown', (event) => this.key(event));
    addEventListener('paste', (event) => this.paste(event));
    addEventListener('dragover', (event) => { if (!(event.target instanceof HTMLInputElement)) event.preventDefault(); });
    addEventListener('drop', (event) => this.paste(event, event.dataTransfer));
    this.rater = new Rater(this);
    this.tabs();
    engine.reach = (there) => this.reach(there);
    if (engine.away) this.reach(false);
    // What has no room is said as long as it has none, and not left without a question.
    memory.full = (full) => { this.full = full; this.mark(); onbeforeunload = full ? (event) => event.preventDefault() : null; };
    resized(() => this.view?.settled?.());
    addEventListener('resize', () => this.mark());
  }

  // Where the page is, as #/view/rest.
  // `silent` changes the address alone, `push` so that the way back leads to the one before.
  go(path, { silent = false, push = false } = {}) {
    if (push && location.hash !== `#/${path}`) history.pushState(null, '', `#/${path}`);
    else if (silent) history.replaceState(null, '', `#/${path}`);
    else if (location.hash === `#/${path}`) this.route();
    else location.hash = `#/${path}`;
  }

  get path() {
    const [, name = 'play', rest = ''] = /^#\/(\w+)\/?(.*)$/.exec(location.hash) ?? [null, 'play', ''];
    // Games for more than two had a view of their own.
    return [MOVED[name] ?? (VIEWS[name] ? name : 'play'), decoded(rest)];
  }

  // Another address: a view that shows it already in part goes there by itself.
  turn() {
    const [known, rest] = this.path;
    const turned = this.known === known && this.view?.turn?.(rest);
    if (turned) turned.catch((error) => this.fail(error)); else this.route();
  }

  route() {
    const [known, rest] = this.path, wanted = VIEWS[known]();
    this.view?.close?.();
    this.view = null;
    this.known = known;
    this.rater.pause();
    this.frame(known);
    document.title = `${t(known)} · tavola`;
    const mine = this.routed = {};
    return wanted.then((View) => {
      if (mine !== this.routed) return;
      this.view = new View(this, known);
      this.view.open(rest).catch((error) => this.fail(error)).finally(() => this.rater.run());
    }, (error) => this.fail(error));
  }

  // Two tabs show the same: what one has done the other shows, and all is looked at anew by the one that comes to the front.
  tabs() {
    const channel = globalThis.BroadcastChannel ? new BroadcastChannel('tavola') : null, look = (id) => this.view?.refetch?.(id)?.catch((error) => this.fail(error));
    const front = () => { if (document.visibilityState === 'visible') { look(); this.view?.kept?.(); } };
    if (channel) channel.onmessage = ({ data }) => look(data);
    this.tell = (id) => channel?.postMessage(id);
    document.addEventListener('visibilitychange', front);
    addEventListener('focus', front);
    let soon;
    addEventListener('storage', ({ key }) => {
      clearTimeout(soon);
      if (/^tavola\.(theme|board|speed|home|pips)$/.test(key)) { this.look(); this.view?.settled?.(); } else soon = setTimeout(() => this.view?.kept?.(), 100);
    });
  }

  // A server that is away is said as long as it is, and asked again by itself.
  reach(there) {
    if (there === !this.lost) return;
    this.lost = !there;
    this.mark();
    clearInterval(this.asking);
    if (!there) { this.asking = setInterval(() => { this.engine.get('engine').catch(() => {}); }, 4000); return; }
    announce(t('server_back'));
    this.view?.returned?.();
    this.rater.run();
  }

  frame(active) {
    document.querySelector('.skip').textContent = t('to_panel');
    const names = Object.keys(VIEWS).filter((name) => !APART.includes(name) && (name !== 'watch' || this.engine.info.runs > 0));
    replace(document.getElementById('nav'), names.map((name) =>
      h('a', { href: `#/${name}`, 'aria-current': name === active ? 'page' : null }, t(name))));
    requestAnimationFrame(() => this.mark());
    replace(document.getElementById('tools'),
      this.badge = h('span', { class: 'engine-badge' }),
      button('', () => this.settings(), { class: 'icon', 'aria-label': t('settings'), title: t('settings') }));
    this.name();
  }

  // What is said as long as it is so; and on a narrow page not all views fit: the one that is shown is among those that do.
  mark() {
    const said = [this.lost && t('server_away'), this.full && t('full')].filter(Boolean).join(' '), away = document.getElementById('away');
    if (away.textContent !== said) away.textContent = said;
    const nav = document.getElementById('nav'), now = nav.querySelector('[aria-current]');
    if (now) nav.scrollLeft = now.offsetLeft - nav.offsetLeft + (now.offsetWidth - nav.clientWidth) / 2;
  }

  // Which network answers, and how much of the strong one is there.
  name(part) {
    const { info, strong } = this.engine;
    this.badge.title = info.network;
    this.badge.dataset.network = !info.local ? 'server' : strong ? 'strong' : 'small';
    this.badge.textContent = t(!info.local ? 'server_engine' : strong ? 'strong_engine' : part === undefined ? 'local_engine' : 'engine_coming', percent(part ?? 0));
  }

  // The strong network comes while one plays already; where it can't, the small one stays.
  async strengthen() {
    const { engine } = this;
    let told = 0;
    await engine.strengthen(({ done, total }) => {
      if (performance.now() - told < 250) return;
      told = performance.now();
      this.name(total ? done / total : undefined);
    }).catch(() => {});
    this.name();
    this.view?.renewed?.();
  }

  settings() {
    const again = () => { this.look(); dialog.remove(); this.route(); };
    const set = (key) => (value) => { memory.set(key, value); this.look(); this.view?.settled?.(); };
    const dialog = h('dialog', { class: 'sheet', onclose: () => dialog.remove() }, h('form', { method: 'dialog' },
      h('h2', {}, t('settings')),
      select(t('language'), LANGUAGES, current(), (code) => { speak(code); again(); }),
      choice(t('theme'), 'theme', [['auto', t('theme_auto')], ['light', t('theme_light')], ['dark', t('theme_dark')]], memory.get('theme', 'auto'), set('theme')),
      choice(t('home_side'), 'home', [['right', t('right')], ['left', t('left')]], memory.get('home', 'right'), set('home')),
      choice(t('board_look'), 'board', ['wood', 'green', 'slate'].map((name) => [name, t(`look_${name}`)]), memory.get('board', 'wood'), set('board')),
      choice(t('animation'), 'speed', [[1.8, t('slow')], [1, t('usual')], [0.5, t('fast')], [0, t('anim_off')]], pace(), set('speed')),
      toggle(t('sound'), memory.get('sound', false), set('sound')),
      toggle(t('show_pips'), memory.get('pips', true), set('pips')),
      toggle(t('auto_roll'), memory.get('autoRoll', true), set('autoRoll')),
      toggle(t('auto_forced'), memory.get('autoForced', false), set('autoForced')),
      toggle(t('tutor'), memory.get('tutor', false), set('tutor')),
      h('p', { class: 'quiet' }, h('strong', {}, `${t('answers')}: `), `${this.badge.textContent} (${this.engine.info.network.slice(0, 12)})`),
      h('p', { class: 'quiet' }, h('strong', {}, `${t('keys')}: `), t('keys_text')),
      h('button', { class: 'primary', value: 'ok' }, t('close'))));
    document.body.append(dialog);
    dialog.showModal();
  }

  look() {
    document.documentElement.dataset.theme = memory.get('theme', 'auto');
    document.documentElement.dataset.board = memory.get('board', 'wood');
    document.documentElement.dataset.calm = pace() === 0 ? 'yes' : 'no';
    document.documentElement.style.setProperty('--pace', pace());
  }

  key(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(target.type)) return;
    // Arrows choose among radio buttons.
    if (target instanceof HTMLInputElement && event.key.startsWith('Arrow')) return;
    if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return;
    if (event.key === ' ' && (target instanceof HTMLButtonElement || target instanceof HTMLInputElement || target instanceof HTMLAnchorElement)) return;
    if (this.view?.key?.(event.key.toLowerCase())) event.preventDefault();
  }

  // A position or a match that is pasted, or dropped, anywhere but into a field. What can't be read leaves all as it is.
  paste(event, data = event.clipboardData) {
    const files = [...data.files];
    if (!files.length && event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    if (document.querySelector('dialog[open]')) return;
    const text = data.getData('text').trim(), folders = [...data.items ?? []].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry?.isDirectory);
    const done = folders.length ? filesOf(folders).then((found) => this.take([...files.filter(({ name }) => !folders.some((folder) => folder.name === name)), ...found])) : files.length ? this.take(files) : /\n|^\{/.test(text) ? this.open(new TextEncoder().encode(text), t('pasted')) : text ? this.position(text) : null;
    done?.catch((error) => this.fail(error));
  }

  async position(position) {
    const mine = this.opening = {};
    await this.engine.ask('convert', { position, to: 'xgid' });
    if (mine === this.opening) this.go(`analyze/${position}`);
  }

  // Opens a file of matches; of several files the matches are added to the list, where their figures come.
  async take(files) {
    const large = async (file) => file.size > LARGEST && !kept.isBackup(await file.slice(0, 999).text()), size = (file) => `${number(file.size / 1e6, 1)} MB > ${number(LARGEST / 1e6)} MB`, over = [];
    if (files.length < 2) {
      const [file] = files;
      if (file && await large(file)) throw Object.assign(new Error(`${file.name}: ${size(file)}`), { kind: 'too_large' });
      if (file) await this.open(new Uint8Array(await file.arrayBuffer()), file.name);
      return;
    }
    let added = 0, known = 0;
    this.wrong = [];
    for (const file of files.filter(({ name }) => !/^\./.test(name))) {
      if (await large(file)) { over.push(file); continue; }
      const bytes = new Uint8Array(await file.arrayBuffer()), text = new TextDecoder().decode(bytes), before = kept.find(kept.idOf(bytes));
      if (kept.isBackup(text)) kept.restore(text);
      else if (deck.isDeck(text)) deck.read(text);
      else if (before) known++;
      else { kept.keepFile(bytes, file.name, { fresh: true }); added++; }
    }
    this.told = t('files_added', number(added), number(known));
    this.said = { text: this.told };
    for (const file of over) this.unread(file.name, size(file));
    this.go('match');
  }

  // One of several files that can't be read, for the reason that the engine gives.
  unread(name, why) {
    this.wrong = [...this.wrong ?? [], why ? `${name} (${why.split('\n')[0]})` : name];
    this.said = { text: `${this.told ?? ''} ${t('files_unread', this.wrong.join('; '))}`.trim(), wrong: true };
  }

  // The same by its bytes: a backup is added to what is kept, a match is shown once it is known to be one.
  async open(bytes, name) {
    const text = new TextDecoder().decode(bytes), mine = this.opening = {}, stop = new AbortController();
    if (kept.isBackup(text)) { this.restore(text); return; }
    if (deck.isDeck(text)) { this.learn(text); return; }
    const begun = { stop };
    begun.answer = this.engine.analyze(bytes, 0, { signal: stop.signal, progress: (done) => { begun.progress?.(done); begun.read?.(); } });
    await Promise.race([begun.answer, new Promise((read) => { begun.read = read; })]).catch((error) => { if (UNREADABLE.includes(error.kind)) throw error; });
    if (mine !== this.opening) { stop.abort(); begun.answer.catch(() => {}); return; }
    begun.id = kept.keepFile(bytes, name);
    this.begun = begun;
    this.go(`match/${begun.id}`);
  }

  // Questions of `tavola quiz`.
  learn(text) {
    const told = deck.read(text);
    this.said = told ? { text: [t('deck_read', number(told.added), number(told.all - told.bad)), told.bad ? t('restored_bad', number(told.bad)) : null].filter(Boolean).join(' '), wrong: told.bad > 0 } : { text: t('deck_version'), wrong: true };
    toast(this.said.text);
    this.go('drill');
  }

  restore(backup) {
    const { version, added, newer, same, bad, cut, room } = kept.restore(backup), count = (value) => number(value);
    const text = version ? t('backup_version', version) : [cut ? t('backup_cut', cut) : null, t('restored', ...[added, newer, same].map(count)), bad ? t('restored_bad', count(bad)) : null, room ? null : t('full')].filter(Boolean).join(' ');
    this.said = { text, wrong: version || cut || bad || !room };
    toast(text);
    this.go('match');
  }

  // The network of a game that is on its way.
  loading({ game, done, total, ended }) {
    const bar = document.getElementById('loading');
    bar.classList.toggle('shown', !ended);
    if (ended) return;
    if (bar.dataset.game !== game) announce(t('loading_network', t(`name_${game}`)));
    bar.dataset.game = game;
    replace(bar, h('span', {}, t('loading_network', t(`name_${game}`))),
      h('progress', { 'aria-label': t('loading'), ...total > 0 ? { max: total, value: Math.min(done, total) } : {} }), h('small', {}, t('kilobytes', number(done / 1000))));
  }

  fail(error) {
    document.getElementById('loading').classList.remove('shown');
    if (error.kind === 'canceled' || error.name === 'AbortError') return;
    // A fetch that fails has no kind.
    const kind = `kind_${error.kind ?? (error instanceof TypeError ? 'network' : '')}`, known = t(kind);
    const said = t('failed', known === kind ? error.message : `${known} (${error.message.split('\n')[0]})`);
    toast(said);
    announce(said);
  }
}

// All files of folders, at any depth.
async function filesOf(entries) {
  const found = [];
  for (const entry of entries) {
    if (entry.isFile) { found.push(await new Promise((done, fail) => { entry.file(done, fail); })); continue; }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, fail) => { reader.readEntries(done, fail); });
      if (!some.length) break;
      found.push(...await filesOf(some));
    }
  }
  return found;
}

// What stands in an address; one that is cut short is taken as it is.
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

// Kept on the device, the page opens without a network. Files of matches may be opened with it, and other
// programs may share them with it: those lie where the worker of the page has put them.
async function install(app) {
  const inbox = await globalThis.caches?.open('tavola-shared').catch(() => null);
  for (const request of await inbox?.keys() ?? []) {
    const shared = await inbox.match(request);
    await inbox.delete(request);
    await app.open(new Uint8Array(await shared.arrayBuffer()), decodeURIComponent(shared.headers.get('x-name') ?? t('pasted')));
  }
  globalThis.launchQueue?.setConsumer(async ({ files }) => {
    app.take(await Promise.all(files.map((handle) => handle.getFile()))).catch((error) => app.fail(error));
  });
  const worker = (await navigator.serviceWorker?.register('sw.js'), await navigator.serviceWorker?.ready);
  const files = performance.getEntriesByType('resource').map(({ name }) => name);
  worker?.active.postMessage({ keep: ['./', ...files, ...Object.values(FILES).flat(), ...app.engine.info.local ? ['worker.js', 'tavola.js', 'tavola_bg.wasm'] : []] });
  return Boolean(worker);
}

async function begin() {
  document.documentElement.dataset.theme = memory.get('theme', 'auto');
  document.querySelector('.loading').textContent = t('loading');
  try {
    const app = new App(await open());
    app.look();
    await app.route();
    // The first view may still have to be drawn.
    await new Promise((drawn) => { setTimeout(drawn, 0); });
    document.documentElement.dataset.ready = 'yes';
    // What can be used without a server is here before it may be away: kept by the worker of the page, else by the page.
    Promise.race([install(app), new Promise((late) => { setTimeout(late, 2500); })]).catch(() => {}).then((kept) => { if (!kept) for (const name of ['match', 'drill', 'rules']) VIEWS[name]().catch(() => {}); });
    // What is seen first comes first.
    if (app.engine.info.local) setTimeout(() => app.strengthen(), 1500);
  } catch (error) {
    replace(document.getElementById('panel'), h('p', {}, t('failed', error.message)));
  }
}

begin();
