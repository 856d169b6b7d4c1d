// How every view looks in every window, in every language, and without a network.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible, act, around, begin, chrome, files, go, held, known, limit, match, onServer, open, patient, playRoll, problems, resign, root, seeded, serve, shot, site, strong, visit } from './world.mjs';

around();

// Width, height, and how much larger all is there: the last ones are windows at 200 % and at 400 %.
const WINDOWS = [[1440, 900], [1024, 768], [844, 390], [390, 844], [360, 640], [720, 450, 2], [512, 384, 2], [320, 256, 4]];

test('every view fits five windows in both lights, and at 200 and 400 %', { timeout: 480_000 }, async () => {
  const game = (setup) => ({ 'tables.setup': { seed: 2, strength: 'beginner', opponents: 'rule-based', ...setup } });
  const start = (page) => page.click('[data-act="start"]').then(() => page.waitForSelector('[data-move]', patient));
  const views = {
    form: ['', {}],
    // A cube that may be beavered has the most buttons.
    answer: ['', seeded({ length: 0, beavers: 'beavers' }), async (page) => {
      await page.route('**/api/v1/games/*', async (route) => {
        const answer = await (await route.fetch()).json();
        answer.state.waiting = { for: 'answer', offer: 'double' };
        answer.state.cube.may_beaver = true;
        await route.fulfill({ json: answer });
      });
      await begin(page);
      await page.reload();
      await page.waitForSelector(process.env.TAVOLA_SITE ? '.touch.can-move, .over button' : act('beaver'), { ...patient, state: 'attached' });
    }],
    end: ['', seeded({ length: 1 }), async (page) => { await begin(page); await resign(page); }],
    analyze: ['#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10', { ply: 0 }, (page) => page.waitForSelector('.plays', patient)],
    hint: ['#/play/from/XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10', seeded({}), async (page) => {
      await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
      await page.click('[data-act="hint"]');
      await page.waitForSelector('.plays', patient);
    }],
    settings: ['', {}, (page) => page.click('.icon')],
    tools: ['#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10', { ply: 0, editing: true }, async (page) => {
      await page.click('[data-act="matrix"]');
      await page.waitForSelector('.grid', patient);
    }],
    result: ['#/match/x', known('x', match), (page) => page.waitForSelector('.worst', patient)],
    review: ['#/match/x/7', known('x', match), (page) => page.waitForSelector('.curve svg', patient)],
    again: ['#/match/x', known('x', match), async (page) => {
      await page.waitForSelector('.errors .blunder', patient);
      await page.click('.errors .blunder');
      await page.keyboard.press('r');
      await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
    }],
    mine: ['#/match', { ...known('x', match), cards: [{ id: 'x', at: 3, position: 'XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10', done: '24/13', loss: 0.09 }] }, (page) => page.waitForSelector('.history li', patient)],
    trictrac: ['#/rules/trictrac', {}, (page) => page.waitForSelector('.way', patient)],
    rules: ['#/rules', {}, (page) => page.click('[data-act="next"]')],
    old: ['#/tables', game({ game: 'ludus' }), (page) => page.waitForSelector('.board.tables')],
    tabula: ['#/tables', game({ game: 'tabula' }), start],
    ludus: ['#/tables', game({ game: 'ludus' }), start],
    astronomy: ['#/tables', game({ game: 'astronomy', seat: 1 }), start],
    people: ['', { setup: { length: 0, players: 4, name: 'Ann', people: { 2: 'Ben' } } }, (page) => page.click('.new details summary')],
    chouette: ['', { setup: { length: 0, players: 4, cubes: 'each', name: 'Ann', people: { 2: 'Ben', 3: 'Cleo', 4: 'Dan' }, seed: 2 }, autoRoll: false }, begin],
    book: ['#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10', { ply: 0 }, async (page) => {
      await page.click('[data-act="book"]');
      await page.waitForFunction(() => document.querySelectorAll('.book li').length === 21, null, patient);
    }],
    stats: ['#/match', { ...Object.fromEntries([1, 2, 3].flatMap((at) => [[`entry.p${at}`, { id: `p${at}`, me: 0, names: ['Ann', `Ben ${at}`], length: 2 + at, score: [5, 1], date: `2026-11-0${at}T00:00:00.000Z`, event: 'Club', source: 'a-file.mat', pr: [5 + at, 3], wide: [1, 1], counts: [50, 50], luck: [0.1, 0], adjusted: [0.6, 0.4], habits: [{ missed_hit: { errors: 2, loss_emg: 0.2 } }, {}], faults: [{ wrong_take: { errors: 1, loss_emg: 0.1 } }, {}], phases: [{}, {}] }], [`errors.p${at}`, []]])), mine: ['Ann'], goal: 6 }, (page) => page.waitForSelector('.stats .chart', patient)],
    drill: ['#/drill', { 'entry.x': { ...known('x', match).history[0], me: 1, pr: [1, 8], names: ['gnubg', 'root'] }, 'record.x': match }, async (page) => {
      await page.waitForSelector('.touch.can-move, .over button', { ...patient, state: 'attached' });
      await page.waitForFunction(() => Number(document.querySelector('.facts dd').textContent) > 2, null, patient);
    }],
    // A game between two devices: before the other one has come, and what they are shown.
    ...process.env.TAVOLA_SITE ? {} : {
      link: ['', { setup: { length: 3 } }, async (page) => {
        await page.click('[data-act="invite"]');
        await page.click('dialog [data-value="yes"]');
        await page.waitForSelector('[data-link]', patient);
      }],
      join: ['', {}, async (page) => {
        await page.evaluate(async () => {
          const { id, seats } = await (await fetch('api/v1/invitations', { method: 'POST', body: '{"clock": {"reserve": 600, "delay": 12}}' })).json();
          location.hash = `#/join/${id}/${seats.people.find(({ invitation }) => invitation).invitation}`;
        });
        await page.waitForSelector('[data-act="sit-down"]', patient);
      }],
      invite: ['', { setup: { length: 3 } }, async (page) => { await page.click('[data-act="invite"]'); await page.waitForSelector('dialog', patient); }],
    },
    matrix: ['#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:43:0:0:0:0:10', { ply: 0 }, async (page) => {
      await page.click('[data-act="matrix"]');
      await page.waitForSelector('.legend', { timeout: 60_000 });
    }],
    cut: [`#/match/z${'a'.repeat(60)}`, {}, (page) => page.waitForSelector('.problem', patient)],
  };
  const left = Object.entries(views), look = async ([name, [path, remembered, then]]) => {
    const page = await open(path, { remembered, locale: 'de-DE' });
    await then?.(page);
    await strong(page);
    await page.waitForFunction(() => !document.querySelector('.waiting, .thinking'), null, patient);
    for (const [width, height, zoom = 1] of WINDOWS) {
      for (const theme of zoom > 1 ? ['light'] : ['light', 'dark']) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: theme });
        // The page hears of its new size with a frame.
        await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
        await shot(page, `${name}-${width}${theme === 'dark' ? '-dark' : ''}`);
        const found = await page.evaluate((zoom) => {
          const small = innerWidth <= 600 || innerHeight <= 560;
          const svg = document.querySelector('.board-box svg.board'), box = svg?.getBoundingClientRect() ?? { bottom: 0, height: 0 };
          const scale = svg ? box.width / svg.viewBox.baseVal.width : 1;
          const outside = [...document.querySelectorAll('.over button')].filter((button) => {
            const { left, right, top, bottom } = button.getBoundingClientRect(), away = getComputedStyle(button.closest('.over')).position === 'fixed' ? 0 : scrollY;
            return left < 0 || right > innerWidth || (zoom < 4 && (top + away < 0 || bottom + away > innerHeight)) || button.scrollWidth > button.clientWidth;
          }).map((button) => button.textContent);
          // Nothing leaves the panel, but what is scrolled sideways in it.
          const { right: edge } = document.getElementById('panel').getBoundingClientRect();
          outside.push(...[...document.querySelectorAll('#panel :is(button, select, input, a, table, .plays span)')].filter((each) => !each.closest('.sr, .advice .plays, .wide-table') && each.getBoundingClientRect().right > edge + 1).map((each) => each.textContent));
          const number = document.querySelector('.number, .cell-number, .ring-number');
          // Colors as red, green, blue from 0 to 1 and how opaque they are.
          const color = (text) => {
            const [red, green, blue, alpha = 1] = text.match(/[\d.]+(e-\d+)?/g).map(Number);
            return text.startsWith('color(') ? [red, green, blue, alpha] : [red / 255, green / 255, blue / 255, alpha];
          };
          const over = ([red, green, blue, alpha], below) => [red, green, blue].map((part, index) => part * alpha + below[index] * (1 - alpha));
          const behind = (element) => !element ? [1, 1, 1] : over(color(getComputedStyle(element).backgroundColor), behind(element.parentElement));
          const light = (rgb) => { const [r, g, b] = rgb.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
          const contrast = (one, two) => { const [low, high] = [light(one), light(two)].sort((a, b) => a - b); return high / low; };
          const faint = [...document.querySelectorAll('nav a, .seat *, #panel *, .curve-head *, .over button')]
            .filter((each) => each.childElementCount === 0 && each.textContent.trim() && !each.closest(':disabled, .sr, .engine-badge, select') && each.getBoundingClientRect().width > 1)
            .filter((each) => { const below = behind(each); return contrast(over(color(getComputedStyle(each).color), below), below) < 4.5; }).map((each) => each.textContent);
          const felt = document.querySelector('.felt'), paint = (selector, what) => { const found = document.querySelector(selector); return found ? color(getComputedStyle(found)[what]).slice(0, 3) : null; };
          for (const stone of ['.stone.own .body', '.stone.other .body']) {
            const edge = paint(stone, 'stroke');
            if (felt && edge && contrast(edge, color(getComputedStyle(felt).fill).slice(0, 3)) < 3) faint.push(stone);
          }
          const start = document.querySelector('[data-act="start"]');
          if (start && zoom < 4 && start.getBoundingClientRect().bottom > innerHeight) outside.push('start');
          return {
            outside, faint, wide: document.documentElement.scrollWidth - innerWidth, tall: zoom < 4 && Math.round(innerWidth > Math.max(innerHeight, 600) ? box.bottom + scrollY - innerHeight : box.height - innerHeight) > 0,
            unreadable: small && box.width > 0 && zoom * scale * parseFloat(getComputedStyle(number).fontSize) < 9.6,
            // Where all is large a board has its width.
            narrow: box.width > 0 && box.width < Math.min(300, 0.75 * innerWidth),
          };
        }, zoom);
        // Colors are all that differs in the dark.
        if (width === 1440 || width === 390) await accessible(page, `${name} ${width} ${theme}`, theme === 'dark' ? 'color-contrast' : null);
        assert.deepEqual(found, { outside: [], faint: [], wide: 0, tall: false, unreadable: false, narrow: false }, `${name} ${width}x${height} ${theme}`);
      }
    }
    problems(page);
    await page.context().close();
  };
  // A view mostly waits for the engine or for the next frame, so two are looked at at once.
  await Promise.all([1, 2].map(async () => { while (left.length) await look(left.shift()); }));
});

test('a result is in sight at once on a phone, and a tablet is filled', limit, async () => {
  // Whether all of what is said ends above what lies under the thumb.
  const seen = (page, selector) => page.evaluate((selector) => {
    scrollTo(0, 0);
    const bar = document.querySelector('.over').getBoundingClientRect(), board = document.querySelector('svg.board').getBoundingClientRect();
    return board.height > 0.3 * innerHeight && bar.width === document.documentElement.clientWidth && [...document.querySelectorAll(selector)].every((each) => { const { top, bottom } = each.getBoundingClientRect(); return top > board.bottom && bottom <= bar.top; });
  }, selector);
  const position = 'XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10', mine = { 'entry.x': { ...known('x', match).history[0], me: 1, pr: [1, 8], names: ['gnubg', 'root'] }, 'record.x': match };
  for (const [width, height] of [[390, 844], [360, 640]]) {
    const page = await open('', { width, height, touch: true, locale: 'de-DE', remembered: { ...seeded({ length: 1 }), ...mine } });
    await begin(page);
    await resign(page);
    await page.waitForSelector('.card .facts', patient);
    assert.ok(await seen(page, '.status h1, .status .quiet, .card .facts'), `the end at ${width}x${height}`);
    await go(page, '#/drill');
    await page.waitForSelector('.facts.thirds', patient);
    await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
    const [question, bottom] = await page.evaluate(() => { scrollTo(0, 0); return [document.querySelector('.status h1').getBoundingClientRect().bottom, innerHeight]; });
    assert.ok(question <= bottom, `the question at ${width}x${height}: ${question} of ${bottom}`);
    await page.evaluate(() => { localStorage.setItem('tavola.drillChoices', 'true'); });
    await page.reload();
    await page.click('.answers button');
    await page.waitForSelector(act('next'), patient);
    assert.ok(await seen(page, '.status h1'), `an answer at ${width}x${height}`);
    problems(page);
    await page.context().close();
  }
  const page = await open('', { width: 1024, height: 768 });
  for (const [path, marks] of [['#/rules', '.rule'], ['#/rules/tabula', '.board.tables'], [`#/analyze/${position}`, '.paste'], ['#/tables', '.board.tables'], ['#/match', '.mine']]) {
    await page.goto(`${site.url}${path}`);
    await page.waitForSelector(marks, patient);
    const { bottom, left, right } = await page.$eval('svg.board', (board) => board.getBoundingClientRect().toJSON());
    assert.ok(bottom > 0.75 * 768 && bottom <= 768 && right - left > 600, `${path}: ${left} to ${right}, ${bottom} of 768`);
  }
  problems(page);
  await page.context().close();
});

test('nothing is inaccessible while a view loads', { ...onServer, timeout: 240_000 }, async () => {
  const position = 'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10';
  const page = await open('#/rules', { width: 390, height: 844, remembered: known('x', match) });
  for (const path of ['', `#/analyze/${position}`, '#/match', '#/match/x', '#/match/x/7', '#/match/x/7/again', '#/drill', '#/rules', '#/tables', '#/join/x/x', `#/play/${'a'.repeat(24)}`]) {
    // First the engine is waited for, then what the view asks of it.
    await page.goto('about:blank');
    const [engine, rest] = [await held(page, '**/api/v1/engine'), await held(page, /api\/v1\/(?!engine)/)];
    await page.goto(`${site.url}${path}`, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.querySelector('.loading')?.textContent === 'Loading', null, patient);
    await accessible(page, `${path}, before the engine answers`);
    engine();
    await page.waitForSelector('#nav a', { ...patient, state: 'attached' });
    await accessible(page, `${path}, before it is shown`);
    rest();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  await page.context().close();
});

test('what pictures of all views showed stays mended', limit, async () => {
  // A match of the list is named in one line.
  const entry = { id: 'x', me: 0, names: ['You', 'tavola'], level: 'expert', length: 5, score: [5, 3], pr: [6.2, 3], luck: [-0.4, 0.1], date: '2026-11-01' };
  const page = await open('#/match', { width: 360, height: 640, theme: 'dark', remembered: { 'record.x': match, history: [entry] } });
  const name = await page.$eval('.history strong', (strong) => strong.getBoundingClientRect().height / parseFloat(getComputedStyle(strong).fontSize));
  assert.ok(name < 2, `${name} lines`);
  // What is said for a moment has the width of a phone.
  await page.goto(`${site.url}#/play/${'a'.repeat(24)}`);
  await page.waitForSelector('#toast.shown', patient);
  assert.ok((await page.locator('#toast').boundingBox()).width > 280);
  // The way of the other side is seen on dark felt.
  await go(page, '#/rules/trictrac');
  const [way, felt] = await page.waitForSelector('.way.other path', { ...patient, state: 'attached' }).then((found) => found.evaluate((path) => [getComputedStyle(path).stroke, getComputedStyle(document.querySelector('.felt')).fill]));
  const light = (text) => { const [r, g, b] = text.match(/\d+/g).slice(0, 3).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
  assert.ok(light(way) / light(felt) >= 3, `${way} on ${felt}`);
  // Nothing is seen below a button that sticks to the end of a sheet.
  await page.click('.icon');
  const below = await page.$eval('dialog .primary', (button) => {
    const { bottom, left, width } = button.getBoundingClientRect(), sheet = button.closest('dialog').getBoundingClientRect();
    return [...Array(Math.max(Math.floor(sheet.bottom - bottom) - 1, 0)).keys()].map((at) => document.elementFromPoint(left + width / 2, bottom + 1 + at)).filter((found) => found && found.closest('p, label, fieldset')).length;
  });
  assert.equal(below, 0);
  problems(page);
  await page.context().close();
});

test('a phone has a board of its own', limit, async () => {
  const page = await open('', { width: 390, height: 844, touch: true, remembered: { ...seeded({ length: 5 }), autoRoll: false } });
  await page.tap('[data-act="start"]');
  await page.waitForSelector('.over button, .touch.can-move', { ...patient, state: 'attached' });
  const box = (selector) => page.locator(selector).first().boundingBox();
  const [point, checker, board] = [await box('.touch[data-place="6"]'), await box('.stone.own .body'), await box('svg.board')];
  assert.ok(point.width >= 1.15 * (checker.width - 1) && point.width > 27, `points of ${point.width}, checkers of ${checker.width}`);
  assert.ok(board.height > board.width, `${board.width} x ${board.height}`);
  // What is to be done lies under the thumb.
  for (let turn = 0; turn < 2; turn++) {
    const what = await page.waitForFunction(() => document.querySelector('.over [data-act="roll"]') ? 'roll' : document.querySelector('.touch.can-move') ? 'play' : null, null, patient).then((found) => found.jsonValue());
    if (what === 'play') await playRoll(page);
    else {
      const { y, height } = await box(act('roll'));
      assert.ok(y > 770 && y + height <= 844, `the button is at ${y}`);
      await page.tap(act('roll'));
    }
  }
  // A checker that is dragged by a finger stands above it, and a finger that drags none scrolls the page.
  await go(page, '#/play/from/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10');
  await page.waitForSelector('.touch[data-place="8"].can-move', { ...patient, state: 'attached' });
  const above = await page.evaluate(() => {
    const svg = document.querySelector('svg.board'), { x, y, width, height } = document.querySelector('.touch[data-place="8"]').getBoundingClientRect();
    const at = { clientX: x + width / 2, clientY: y + height * 0.9, pointerId: 1, pointerType: 'touch', bubbles: true, button: 0 };
    svg.setPointerCapture = () => {};
    svg.dispatchEvent(new PointerEvent('pointerdown', at));
    svg.dispatchEvent(new PointerEvent('pointermove', { ...at, clientY: at.clientY - 60 }));
    const held = document.querySelector('.held').getBoundingClientRect(), finger = at.clientY - 60;
    svg.dispatchEvent(new PointerEvent('pointercancel', at));
    return { above: finger - (held.y + held.height / 2), scrolls: getComputedStyle(svg).touchAction };
  });
  assert.ok(above.above > 8 && above.scrolls !== 'none', JSON.stringify(above));
  // Lying down, the board is as high as the window, and the panel beside it.
  await page.setViewportSize({ width: 844, height: 390 });
  await page.waitForFunction(() => document.querySelector('svg.board').getBoundingClientRect().bottom <= innerHeight, null, patient);
  const [lying, panel] = [await box('svg.board'), await box('#panel')];
  assert.ok(lying.height > 320 && lying.y + lying.height <= 390 && panel.x >= lying.x + lying.width, JSON.stringify([lying, panel]));
  problems(page);
  await page.context().close();
});

test('every text is there in three languages', limit, async () => {
  const page = await open('#/rules');
  const found = await page.evaluate(async () => {
    const [{ TABLE }, words] = await Promise.all([import('./texts.js'), import('./words.js')]);
    await Promise.all([import('./texts-later.js'), import('./texts-games.js')]);
    return { texts: TABLE, phrases: words.ALL.map(([pattern, ...said]) => [String(pattern), ...said]) };
  });
  const lacking = Object.entries(found.texts).filter(([, said]) => said.length !== 3 || said.some((text) => !text.trim()) || new Set(said.map((text) => [...text.matchAll(/\{\d\}/g)].map(([name]) => name).sort().join())).size > 1).map(([key]) => key);
  assert.deepEqual(lacking, []);
  assert.deepEqual(found.phrases.filter((said) => said.length !== 3 || said.some((text) => !text.trim())), []);
  // Every key that the page names is there, and every text is named somewhere.
  const names = readdirSync(join(root, 'crates/interfaces/serve/page')).filter((name) => name.endsWith('.js'));
  const source = names.filter((name) => !name.startsWith('texts')).map((name) => readFileSync(join(root, 'crates/interfaces/serve/page', name), 'utf8')).join('\n');
  const named = [...source.matchAll(/\bt\('([\w-]+)'/g)].map(([, key]) => key);
  assert.deepEqual(named.filter((key) => !found.texts[key]), []);
  const begun = [...source.matchAll(/\bt\(`([\w-]+_)\$\{/g)].map(([, key]) => key);
  const idle = Object.keys(found.texts).filter((key) => !new RegExp(`[?:(\\[ ]['"\`]?${key}\\b`).test(source) && !begun.some((head) => key.startsWith(head)) && !/^((cubes|extras|faults|phases|habits|families|kind)_.*|one_point)$/.test(key));
  // What is seen first has its texts with it.
  const read = (name) => readFileSync(join(root, 'crates/interfaces/serve/page', name), 'utf8'), now = new Set([...read('texts.js').matchAll(/^  '?([\w+-]+)'?: \[/gm)].map(([, key]) => key));
  const loaded = ['app.js', ...[...read('index.html').matchAll(/modulepreload" href="([\w-]+\.js)"/g)].map(([, name]) => name)];
  assert.deepEqual(loaded.flatMap((name) => [...read(name).matchAll(/\bt\('([\w-]+)'/g)].map(([, key]) => `${name} ${key}`)).filter((text) => !now.has(text.split(' ')[1])), []);
  const { info } = await page.evaluate(async () => { const { open } = await import('./engine.js'); const { info } = await open(); return { info }; });
  assert.deepEqual(idle.filter((key) => !info.strengths.includes(key)), []);
  // The rules of every game can be read.
  for (const game of [...info.games, ...info.many.map(({ game }) => game)]) assert.ok(found.texts[`about_${game}`], game);
  for (let step = 1; step < 12; step++) {
    await page.click('[data-act="next"]');
    assert.match(await page.textContent('.rule h2'), new RegExp(`^${step + 1}\\. `));
  }
  await go(page, '#/rules/ludus');
  await page.waitForSelector('.board.tables');
  assert.match(await page.textContent('#panel'), /three|Three dice/);
  await go(page, '#/rules/fallas');
  await page.waitForFunction(() => document.querySelectorAll('.way').length === 2, null, patient);
  problems(page);
  await page.context().close();
});

test('settings: the look of the board, lengths, and forced moves by themselves', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 17, seed: 4 }), autoForced: true } });
  assert.equal(await page.$eval('.new details select:last-of-type', () => true), true);
  const light = (rgb) => { const [r, g, b] = rgb.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
  const paint = async (selector, what) => light((await page.$eval(selector, (found, what) => getComputedStyle(found)[what], what)).match(/\d+/g).slice(0, 3).map((part) => part / 255));
  await page.click('.icon');
  for (const look of ['green', 'slate', 'wood']) {
    await page.check(`input[name="board"][value="${look}"]`, { force: true });
    assert.equal(await page.getAttribute('html', 'data-board'), look);
    const felt = await paint('.felt', 'fill');
    for (const side of ['own', 'other']) {
      const [low, high] = [felt, await paint(`.stone.${side} .body`, 'stroke')].sort((a, b) => a - b);
      assert.ok(high / low >= 3, `${look}: ${side} ${high / low}`);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.ok(await page.$('.felt'));
    await page.emulateMedia({ colorScheme: 'light' });
  }
  for (const speed of ['1.8', '0.5', '0']) {
    await page.check(`input[name="speed"][value="${speed}"]`, { force: true });
    assert.equal(await page.evaluate(() => document.documentElement.style.getPropertyValue('--pace')), speed);
  }
  await page.click('dialog .primary');
  await begin(page);
  assert.match(await page.textContent('.eyebrow'), /17 points/);
  problems(page);
  await page.context().close();
});

test('the page opens without its server', limit, async () => {
  const own = process.env.TAVOLA_SITE ? await files(process.env.TAVOLA_SITE) : await serve();
  const page = await visit(chrome, own.url, { kept: true });
  const manifest = await page.evaluate(async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json());
  assert.equal(manifest.display, 'standalone');
  const needed = readdirSync(join(root, 'crates/interfaces/serve/page')).filter((name) => /\.(js|css)$/.test(name) && !['worker.js', 'sw.js'].includes(name));
  const lacking = () => page.evaluate(async (needed) => {
    const cache = await caches.open('tavola'), names = (await cache.keys()).map(({ url }) => new URL(url).pathname);
    return navigator.serviceWorker.controller ? ['', ...needed].filter((name) => !names.includes(`/${name}`)) : needed;
  }, needed);
  for (let tries = 0; tries < 100 && (await lacking()).length > 0; tries++) await page.waitForTimeout(200);
  assert.deepEqual(await lacking(), []);
  // What another program shares is opened as a match.
  await page.evaluate(async (text) => { const form = new FormData(); form.append('file', new File([text], 'shared.mat')); await fetch('share', { method: 'POST', body: form }); }, match);
  await page.reload();
  await page.waitForSelector('.curve svg', patient);
  assert.match(page.url(), /#\/match\/f/);
  await go(page, '#/play');
  await own.stop();
  await page.reload();
  if (process.env.TAVOLA_SITE) {
    await begin(page);
    assert.ok(await page.$('.log li'));
  } else {
    // Without an engine it says so, and has what lies on the device.
    await page.waitForFunction(() => /server is away/.test(document.getElementById('away').textContent), null, patient);
    await go(page, '#/match');
    await page.waitForSelector('.history li', patient);
  }
  await page.context().close();
});
