// What fingers and a mouse do on a board: a tap plays, a drag carries. The boards differ in how they
// draw and light places; this knows the gestures alone.
//
// `board` has svg, at(event) -> { x, y, place }, lift(place) -> element or null, lay(element) to put one
// back, light(set, kind), and `ask` with grab(place) -> Map of targets or null, drop(from, to),
// tap(place, other).

import { sound } from './dom.js';

export function listen(board) {
  const { svg } = board;
  let held = null;
  svg.addEventListener('pointerdown', (event) => {
    if (event.button > 0) return;
    const { x, y, place } = board.at(event);
    if (place === null) return;
    const targets = board.ask.grab?.(place) ?? null;
    held = { from: place, x, y, moved: false, targets, id: event.pointerId, began: event.timeStamp };
    if (targets) {
      event.preventDefault();
      svg.setPointerCapture(event.pointerId);
    }
  });
  svg.addEventListener('pointermove', (event) => {
    if (!held || held.id !== event.pointerId || !held.targets) return;
    const { x, y, place } = board.at(event);
    if (!held.moved && Math.hypot(x - held.x, y - held.y) < 9) return;
    if (!held.moved) {
      held.moved = true;
      held.stone = board.lift(held.from);
      held.stone?.classList.add('held');
      board.light(new Set(held.targets.keys()), 'target');
    }
    // A finger hides what is under it.
    if (held.stone) held.stone.style.transform = `translate(${x}px, ${y - (event.pointerType === 'touch' ? 34 : 0)}px) scale(1.12)`;
    board.light(new Set(held.targets.has(place) ? [place] : []), 'aim');
  });
  const release = (event) => {
    if (!held || held.id !== event.pointerId) return;
    const { place } = board.at(event);
    const was = held;
    held = null;
    board.light(new Set(), 'target');
    board.light(new Set(), 'aim');
    was.stone?.classList.remove('held');
    if (was.moved) {
      if (event.type === 'pointerup' && was.targets.has(place)) board.ask.drop?.(was.from, place);
      else board.lay();
    } else if (event.type === 'pointerup') {
      board.ask.tap?.(was.from, event.timeStamp - was.began > 450);
    }
  };
  svg.addEventListener('pointerup', release);
  svg.addEventListener('pointercancel', release);
  // Programs that read the page aloud click without a pointer.
  svg.addEventListener('click', (event) => {
    if (event.detail !== 0) return;
    const place = board.named(event.target);
    if (place !== null) board.ask.tap?.(place, false);
  });
}

// Lets checkers glide from where they lay to where they lie now. Both are lists of { element, side, place,
// height }; one that stays keeps its place, of the others any of the same side may be the one that moved.
export function glide(svg, before, after) {
  const free = new Set(before);
  const pairs = [];
  const pair = (now, fits) => {
    for (const old of free) if (fits(old)) { free.delete(old); pairs.push([old, now]); return true; }
    return false;
  };
  const moved = after.filter((now) => !pair(now, (old) => old.side === now.side && old.place === now.place && old.height === now.height));
  if (moved.length) sound(1);
  for (const now of moved) pair(now, (old) => old.side === now.side);
  const ends = pairs.map(([old, { element }]) => {
    const end = element.style.transform;
    element.style.transform = old.element.style.transform;
    return () => { element.style.transform = end; };
  });
  // The browser has to see where they begin.
  svg.getBoundingClientRect();
  for (const end of ends) end();
}
