// Elements made in one call, and what the page remembers.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.setAttribute('class', value);
    else if (name in element && !(element instanceof SVGElement) && typeof value !== 'string') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const nodes = (children) => children.flat(3).filter((child) => child !== null && child !== undefined && child !== false).map((child) => child instanceof Node ? child : document.createTextNode(child));

// What stands in an element; what stood there before stays untouched.
export function replace(element, ...children) {
  const wanted = nodes(children), stays = new Set(wanted);
  for (const each of [...element.childNodes]) if (!stays.has(each)) each.remove();
  let at = element.firstChild;
  for (const each of wanted) if (each === at) at = at.nextSibling; else element.insertBefore(each, at);
}

// The same where most of it is as before: what looks the same stays, and does what it did.
export function renew(element, ...children) {
  const before = [...element.childNodes], as = (old, each) => {
    if (!old || old === each || old.isEqualNode(each)) return old ?? each;
    if (old.nodeType !== Node.ELEMENT_NODE || !old.cloneNode().isEqualNode(each.cloneNode())) return each;
    renew(old, ...each.childNodes);
    return old;
  };
  replace(element, nodes(children).map((each, index) => as(before[index], each)));
}

// Ends a task, so that what is touched meanwhile is answered before what comes next.
export const slice = () => globalThis.scheduler?.yield?.() ?? new Promise((done) => { setTimeout(done, 0); });

// A choice of a few: radio buttons that look like one control.
export function choice(label, name, options, value, change) {
  return h('fieldset', { class: 'choice' }, h('legend', {}, label),
    h('div', {}, options.map(([key, text]) => h('label', {},
      h('input', { type: 'radio', name, value: String(key), checked: key === value, onchange: () => change(key) }),
      h('span', {}, text)))));
}

export function select(label, options, value, change) {
  return h('label', { class: 'field' }, h('span', {}, label),
    h('select', { onchange: (event) => change(event.target.value) },
      options.map(([key, text]) => h('option', { value: key, selected: String(key) === String(value) }, text))));
}

export function toggle(label, value, change) {
  return h('label', { class: 'toggle' },
    h('input', { type: 'checkbox', checked: value, onchange: (event) => change(event.target.checked) }),
    h('span', { class: 'knob', 'aria-hidden': 'true' }), h('span', {}, label));
}

export const button = (text, onclick, attributes = {}) =>
  h('button', { type: 'button', onclick, ...attributes }, text);

// A small picture before a word.
const GLYPHS = {
  hint: 'M9 18h6m-5 3h4M12 3a6 6 0 0 0-4 10.5c.7.6 1 1.3 1 2.5h6c0-1.2.3-1.9 1-2.5A6 6 0 0 0 12 3z', back: 'M9 7l-5 5 5 5m-5-5h10a6 6 0 0 1 6 6', flag: 'M6 21V4h11l-2 4 2 4H6',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm5-1.5L21 21', skip: 'M5 5l9 7-9 7zm13 0v14', save: 'M12 4v11m-5-5 5 5 5-5M5 20h14', share: 'M12 15V4m-4 4 4-4 4 4M6 12v8h12v-8', play: 'M7 5l11 7-11 7z',
  dice: 'M5 5h14v14H5zM9 9h.01M15 15h.01M15 9h.01M9 15h.01', grid: 'M4 4h16v16H4zm0 5.5h16M4 15h16M9.5 4v16M15 4v16', book: 'M12 6c-2-1.5-5-2-8-2v14c3 0 6 .5 8 2 2-1.5 5-2 8-2V4c-3 0-6 .5-8 2zm0 0v14', heat: 'M4 20V10m5 10V4m5 16v-8m5 8V7',
  copy: 'M8 8h11v12H8zm-3 8V4h11', again: 'M5 12a7 7 0 1 1 2 5m-2 2v-5h5', swap: 'M7 4v16m-3-3 3 3 3-3m7 3V4m-3 3 3-3 3 3', table: 'M4 5h16M4 10h16M4 15h16M4 20h10',
};
export const glyph = (name, text) => [s('svg', { class: 'glyph', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('path', { d: GLYPHS[name] })), h('span', {}, text)];
// Buttons that belong together, under what they are for.
export const group = (title, ...buttons) => h('section', { class: 'group' }, h('h2', {}, title), h('div', { class: 'row' }, buttons));

// A text as a file of the user.
export function save(content, name, type = 'text/plain') {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h('a', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

// A drawing as a picture, with the colors that it has on the page.
export async function picture(svg, width = 1200) {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll('*')];
  for (const [index, element] of [copy, ...copy.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(from[index]);
    element.style.cssText = ['fill', 'stroke', 'stroke-width', 'opacity', 'stop-color', 'font', 'text-anchor', 'visibility', 'display', 'transform', 'filter', 'letter-spacing', 'stroke-dasharray', 'stroke-linecap'].map((name) => `${name}:${style.getPropertyValue(name)}`).join(';');
  }
  const { width: wide, height: tall } = svg.viewBox.baseVal, height = Math.round(width * tall / wide);
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = h('canvas', { width, height });
  canvas.getContext('2d').drawImage(image, 0, 0);
  return new Promise((done) => { canvas.toBlob(done, 'image/png'); });
}

// Hands an address on: to another program where the system can, else as text to be pasted.
export async function share(url, said) {
  if (navigator.share && matchMedia('(pointer: coarse)').matches) await navigator.share({ url }).catch(() => {});
  else if (navigator.clipboard) { await navigator.clipboard.writeText(url); toast(said); }
  // Without TLS a page has no clipboard.
  else prompt(said, url);
}

// A question in a box of its own: what is said, and buttons by their values; the value that was chosen.
export function ask(content, buttons) {
  return new Promise((answer) => {
    const dialog = h('dialog', { class: 'sheet', onclose: () => { dialog.remove(); answer(dialog.returnValue); } },
      h('form', { method: 'dialog' }, content, h('div', { class: 'row' }, buttons.map(([value, text], index) => h('button', { value, 'data-value': value, class: index === buttons.length - 1 ? 'primary' : '' }, text)))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

// Tells people who hear the page.
export function announce(text) {
  document.getElementById('live').textContent = text;
}

// Says something for a moment; with `also`, [text, what to do], there is a button for a longer one.
let hiding;
export function toast(text, also) {
  const element = document.getElementById('toast'), hide = () => element.classList.remove('shown');
  replace(element, text, also ? button(also[0], () => { hide(); also[1](); }, { 'data-act': 'put-back' }) : null);
  element.classList.add('shown');
  clearTimeout(hiding);
  hiding = setTimeout(hide, also ? 12000 : 6000);
}

// What the page remembers by names; where there is no storage, or no room that `room` can make, until it is closed, and
// `full` is told.
const fallback = new Map(), own = (key) => `tavola.${key}`;
export const memory = {
  get(key, otherwise) {
    if (fallback.has(key)) return fallback.get(key);
    try { return JSON.parse(localStorage.getItem(own(key))) ?? otherwise; } catch { return otherwise; }
  },
  has(key) {
    try { return fallback.has(key) || localStorage.getItem(own(key)) !== null; } catch { return false; }
  },
  // Whether it outlives the page.
  set(key, value) {
    do {
      try {
        localStorage.setItem(own(key), JSON.stringify(value));
        fallback.delete(key);
        return true;
      } catch { /* perhaps there is room to be made */ }
    } while (memory.room?.());
    fallback.set(key, value);
    memory.full?.(true);
    return false;
  },
  remove(key) {
    fallback.delete(key);
    try { localStorage.removeItem(own(key)); } catch { /* gone above */ }
  },
  // What had no room may have it now.
  again() {
    if (fallback.size && ![...fallback].filter(([key, value]) => fallback.has(key) && !memory.set(key, value)).length) memory.full?.(false);
  },
  // The names that begin so.
  names(head) {
    const found = new Set(fallback.keys());
    try { for (const key of Object.keys(localStorage)) if (key.startsWith(own(''))) found.add(key.slice(7)); } catch { /* those above */ }
    return [...found].filter((key) => key.startsWith(head));
  },
};

// How long what moves takes, against what is usual.
export const pace = () => memory.get('speed', 1);
export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches || pace() === 0;
// What has to be seen is shown for a while even where nothing moves.
export const pause = (milliseconds) => new Promise((done) => { setTimeout(done, calm() ? Math.min(milliseconds, 400) : milliseconds * pace()); });
export const wait = (milliseconds) => new Promise((done) => { setTimeout(done, calm() ? 0 : milliseconds * pace()); });

// Wood on wood, if the user wants to hear it: a checker that is laid down, or dice that are thrown.
let audio;
export function sound(knocks) {
  if (!memory.get('sound', false)) return;
  audio ??= new AudioContext();
  for (let nth = 0; nth < knocks; nth++) {
    const at = audio.currentTime + nth * 0.07, tone = audio.createOscillator(), loud = audio.createGain();
    tone.type = 'triangle';
    tone.frequency.setValueAtTime(knocks > 1 ? 700 + 90 * nth : 320, at);
    tone.frequency.exponentialRampToValueAtTime(90, at + 0.06);
    loud.gain.setValueAtTime(0.25, at);
    loud.gain.exponentialRampToValueAtTime(0.001, at + 0.08);
    tone.connect(loud).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.09);
  }
}
