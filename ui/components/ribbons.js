// One token looks things up (see ui/ribbons.py): its query goes out to the keys on the left, their values come back on
// the right, in ribbons as thick as the weights. Python sends a list of frames; this plays, steps and scrubs them, and
// moves shapes smoothly from one to the next. No number is computed here, and none is printed while it moves.
//
// Where the reader is goes to Python once it has settled, numbered; what Python shows is followed only when it has seen
// the last of these numbers, so that an older answer never pulls the reader back.

const pictures = new WeakMap();
const SETTLED = 350; // ms of rest after which Python is told
// In pixels: a row; a strip of cells and the type in it; where token and strip begin in a row; a box, and its name in it.
const SIZES = {
  big: { row: 84, strip: 28, font: 23, lines: [14, 48], tall: 104, name: 40 },
  wide: { row: 68, strip: 22, font: 19, lines: [12, 40], tall: 84, name: 32 },
  many: { row: 54, strip: 19, font: 19, lines: [4, 27], tall: 84, name: 32 },
  small: { row: 48, strip: 12, font: 16, lines: [8, 30], tall: 70, name: 28 },
};
const calm = matchMedia("(prefers-reduced-motion: reduce)"), touch = matchMedia("(hover: none)");

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  // The server has forgotten this session: address.js loads the page anew.
  if (window.attentionLabSession && window.attentionLabSession !== data.session) return;
  let it = pictures.get(parentElement);
  const before = it?.data;
  if (!it) {
    it = { at: data.at, seq: data.seen, drawn: null, playing: false, told: null, gone: new AbortController() };
    pictures.set(parentElement, it);
    const parts = [...parentElement.querySelectorAll("[data-part]")];
    it.parts = Object.fromEntries(parts.map((part) => [part.dataset.part, part]));
    wire(it);
  }
  it.send = (name, value) => {
    it.seq += 1;
    window.attentionLabSent = performance.now();
    setStateValue(name, { seq: it.seq, value, story: it.data.story });
  };
  it.data = data;
  if (before) receive(it, before);
  build(it);
  show(it);
  return () => setTimeout(() => !parentElement.isConnected && leave(it, parentElement));
}

function receive(it, before) {
  const { data } = it, answered = before.seen < it.went && data.seen >= it.went;
  if (data.story !== before.story) {
    pause(it);
    clearTimeout(it.settling);
    it.told = null;
    it.at = data.at;
    if (data.names.length !== before.names.length) it.drawn = null;
  } else if (data.at !== it.at && data.at !== before.at && data.seen >= it.seq && !(it.playing && answered)) {
    pause(it); // another part of the page leads elsewhere
    it.at = data.at;
  }
  it.at = Math.min(it.at, data.frames.length - 1);
}

function leave(it, root) {
  pause(it);
  clearTimeout(it.settling);
  cancelAnimationFrame(it.frame);
  it.gone.abort();
  it.observer.disconnect();
  pictures.delete(root);
}

// ------------------------------------------------------------------------------------------------------- where it is

function go(it, to, { by = "hand" } = {}) {
  if (by === "hand") pause(it);
  const at = Math.min(Math.max(to, 0), it.data.frames.length - 1);
  if (at !== it.at) {
    it.at = at;
    show(it);
  }
  clearTimeout(it.settling);
  if (!it.playing) it.settling = setTimeout(() => settle(it), SETTLED);
}

// A step by button or key; behind the last one is what comes next, if anything does.
function step(it, way) {
  const { stride, frames, onward } = it.data;
  if (way > 0 && it.at === frames.length - 1) {
    if (onward) it.send("onward", 1);
    return;
  }
  const whole = it.at / stride;
  go(it, stride * (way > 0 ? Math.floor(whole) + 1 : Math.ceil(whole) - 1));
}

function settle(it) {
  if (!it.data.keeps || it.scrubbing || it.at === it.data.at && it.seq <= it.data.seen) return;
  if (it.at !== it.sent || it.data.at !== it.at) {
    it.send("went", it.at);
    it.went = it.seq;
  }
  it.sent = it.at;
}

function play(it) {
  it.playing = true;
  it.told = null; // all ribbons are in the light again
  it.opening = it.at < it.data.frames.length - 1;
  if (!it.opening) {
    it.at = 0;
    show(it);
  }
  tell(it);
  label(it);
  next(it);
}

function next(it) {
  const { move, rest } = it.data;
  const wait = it.opening ? 250 : move + rest; // a press on "play" is answered at once
  it.opening = false;
  it.turn = setTimeout(() => {
    const last = it.data.frames.length - 1;
    go(it, it.at + 1, { by: "play" });
    if (it.at < last) return next(it);
    pause(it);
    go(it, it.at);
  }, wait);
}

function pause(it) {
  if (!it.playing) return;
  it.playing = false;
  clearTimeout(it.turn);
  label(it);
  clearTimeout(it.settling);
  it.settling = setTimeout(() => settle(it), SETTLED);
}

// ---------------------------------------------------------------------------------------------------- what is shown

function show(it) {
  if (!it.data || !it.space) return;
  const { parts, data } = it, frame = data.frames[it.at];
  words(parts.say, frame.say);
  words(parts.sum, frame.sum);
  words(parts.name, frame.name);
  parts.slider.value = it.at;
  parts.slider.setAttribute("aria-valuetext", frame.name);
  parts.back.disabled = it.at === 0;
  const last = it.at === data.frames.length - 1;
  parts.forward.disabled = last && !data.onward;
  words(parts.forward, last && data.onward ? `${data.onward} ▶` : "▶");
  parts.forward.setAttribute("aria-label", last && data.onward ? data.onward : data.words.forward);
  parts.forward.classList.toggle("next", Boolean(last && data.onward));
  parts.picture.classList.toggle("weighed", !frame.thin);
  it.rows.forEach((row, j) => {
    words(row.chip, data.hidden[j] && frame.shut && frame.chips[j] === "" ? "✕" : frame.chips[j]);
    words(row.share, frame.right[j] && it.space.roomy ? frame.chips[j] : "");
    row.strike.style.display = data.hidden[j] && frame.shut ? "" : "none";
    row.g.setAttribute("aria-label", `${data.names[j]}: ${known(it, j).join("; ")}`);
  });
  paintCells(it.outCells, frame.out ?? []);
  tell(it);
  label(it);
  move(it, goal(frame));
}

// Words are set only where they are others: setting costs a layout, and a live region would be read out again.
function words(part, text) {
  if (part.textContent !== text) part.textContent = text;
}

function label(it) {
  const { parts, data: { words: say } } = it;
  words(parts.playing, it.playing ? say.pause : say.play);
  words(parts.sign, it.playing ? "❚❚" : "►");
  parts.play.setAttribute("aria-label", it.playing ? say.pause : say.play);
  parts.say.setAttribute("aria-busy", it.playing && it.data.rest === 0);
}

function known(it, j) {
  const { data } = it, frame = data.frames[it.at];
  const share = data.words.share ? [data.words.share.replace("{}", frame.chips[j])] : [];
  return [...data.parts[j].slice(0, frame.upto), ...share];
}

// The explanation of the ribbon that is pointed at, else of the one that was chosen, else how to choose one.
function tell(it) {
  const { parts, data } = it, j = it.pointed ?? it.told;
  const there = j !== null && j < data.names.length;
  parts.picture.classList.toggle("told", there);
  it.rows.forEach((row, k) => row.g.toggleAttribute("data-told", there && k === j));
  const said = there ? [`${data.names[data.asker]} → ${data.names[j]}`, ...known(it, j)]
    : [touch.matches ? data.words.hint_touch : data.words.hint];
  if (said.join() !== it.said) {
    it.said = said.join();
    const span = (textContent) => Object.assign(document.createElement("span"), { textContent });
    parts.told.replaceChildren(...said.flatMap((part) => [span(part), " "]));
  }
  const chosen = there && it.told === j;
  parts.ask.hidden = !chosen || j === data.asker;
  parts.look.hidden = !chosen || !data.words.look;
  if (chosen) words(parts.ask, data.words.ask[j]);
  words(parts.look, data.words.look);
}

// The numbers that say where everything is, one list: what is animated.
function goal(frame) {
  return [frame.reach, frame.thin, frame.flow, frame.out ? 1 : 0, ...frame.on, ...frame.left, ...frame.right];
}

function move(it, to) {
  cancelAnimationFrame(it.frame);
  const from = it.drawn, { picture } = it.parts;
  const stays = from?.length === to.length && from.every((x, k) => x === to[k]);
  const jumps = stays || from?.length !== to.length || calm.matches || document.hidden;
  picture.toggleAttribute("data-moving", !jumps);
  if (jumps) return place(it, to);
  const began = performance.now(), time = Math.min(it.data.move, 800);
  const step = (now) => {
    const part = Math.min(Math.max((now - began) / time, 0), 1), eased = part * part * (3 - 2 * part);
    place(it, part < 1 ? from.map((x, k) => x + (to[k] - x) * eased) : to);
    if (part < 1) it.frame = requestAnimationFrame(step);
    else picture.removeAttribute("data-moving");
  };
  it.frame = requestAnimationFrame(step);
}

function place(it, state) {
  it.drawn = state;
  const { rows, space } = it, n = rows.length;
  const [reach, thin, flow, out] = state;
  const on = state.slice(4, 4 + n), left = state.slice(4 + n, 4 + 2 * n), right = state.slice(4 + 2 * n);
  const least = 0.8 + 1.4 * thin;
  const ends = [left, right].map((shares) => stacked(shares.map((share) => share * space.thick), space.middle));
  rows.forEach((row, j) => {
    const y = space.y(j), [l, r] = [left[j], right[j]].map((share) => Math.max(least, share * space.thick));
    const near = thin > 0.99 ? space.middle : ends[0][j];
    row.left.setAttribute("d", band(space.x[0], near, l, space.x[1], y, l));
    row.left.style.fillOpacity = on[j];
    row.right.setAttribute("d", band(space.x[2], y, r, space.x[3], ends[1][j], r));
    row.right.style.fillOpacity = on[j] * (right[j] > 0 ? 1 : 0);
    row.share.style.opacity = flow;
    row.hits.forEach((hit, k) => hit.setAttribute("d", row[k ? "right" : "left"].getAttribute("d")));
  });
  it.clips[0].setAttribute("width", reach * (space.x[1] - space.x[0] + 2));
  it.clips[1].setAttribute("width", flow * (space.x[3] - space.x[2] + 2));
  it.outG.style.opacity = out;
}

// The middles of ribbons that lie on each other without gaps.
function stacked(heights, middle) {
  let top = middle - heights.reduce((sum, height) => sum + height, 0) / 2;
  return heights.map((height) => (top += height) - height / 2);
}

function band(x0, y0, h0, x1, y1, h1) {
  const m = (x0 + x1) / 2, p = (x) => x.toFixed(1);
  return `M${p(x0)},${p(y0 - h0 / 2)}C${p(m)},${p(y0 - h0 / 2)} ${p(m)},${p(y1 - h1 / 2)} ${p(x1)},${p(y1 - h1 / 2)}`
    + `L${p(x1)},${p(y1 + h1 / 2)}C${p(m)},${p(y1 + h1 / 2)} ${p(m)},${p(y0 + h0 / 2)} ${p(x0)},${p(y0 + h0 / 2)}Z`;
}

// ------------------------------------------------------------------------------------------------------- the drawing

const NS = "http://www.w3.org/2000/svg";

function make(parent, kind, attributes = {}, text = "") {
  const element = document.createElementNS(NS, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return parent.appendChild(element);
}

// Where things stand: two boxes, the shelf between them, and room for the ribbons.
function plan({ data }, width) {
  const n = data.names.length, narrow = width < 560, small = narrow || data.compact;
  const size = SIZES[small ? "small" : n > 6 ? "many" : width < 1150 ? "wide" : "big"], { row } = size;
  const box = Math.round(width * (narrow ? 0.17 : 0.18)), shelf = Math.round(width * (narrow ? 0.42 : 0.36));
  const gap = (width - 2 * box - shelf) / 2, top = 26;
  return {
    ...size, n, narrow, small, box, shelf, width, height: top + n * row + 4, roomy: gap > 80, top,
    x: [box, box + gap, box + gap + shelf, width - box], thick: Math.min(row * 0.84, 70), middle: top + (n * row) / 2,
    y: (j) => top + (j + 0.5) * row,
  };
}

// Drawn anew when the shape or the width is another; the words and cells in it are set each time.
function build(it) {
  const { parts, data } = it;
  const width = Math.round(parts.figure.clientWidth);
  if (!width) return;
  it.space = plan(it, width);
  parts.figure.dataset.narrow = it.space.narrow;
  parts.figure.dataset.size = data.compact ? "small" : "full";
  const shape = [width, data.compact, data.names.length, data.query.length, data.values[0].length].join();
  if (shape !== it.shape) {
    it.shape = shape;
    draw(it);
  }
  const { words: say } = data;
  parts.figure.setAttribute("aria-label", say.region);
  parts.slider.max = data.frames.length - 1;
  parts.slider.setAttribute("aria-label", say.slider);
  parts.slider.title = parts.play.title = say.keys;
  parts.back.setAttribute("aria-label", say.back);
  it.heads.forEach((head, k) => fit(head, data.heads[k], head.dataset.room));
  fit(it.askerText, data.names[data.asker], it.space.box - 12);
  fit(it.newText, it.space.narrow ? data.names[data.asker] : say.new, it.space.box - 12);
  words(it.newWord, it.space.narrow ? say.newly : "");
  paintCells(it.queryCells, data.query);
  it.rows.forEach((row, j) => {
    fit(row.token, data.names[j], row.room);
    paintCells(row.keys, data.keys[j]);
    paintCells(row.values, data.values[j]);
  });
}

function draw(it) {
  const { parts: { picture }, data, space } = it;
  const { x, top, row, strip, font, lines, tall, box, shelf, narrow, small, middle } = space;
  picture.replaceChildren();
  picture.setAttribute("height", space.height);
  const id = `r${Math.random().toString(36).slice(2)}`, defs = make(picture, "defs");
  it.clips = [x[0], x[2]].map((from, k) => make(make(defs, "clipPath", { id: `${id}${k}` }), "rect",
    { x: from - 1, y: -20, width: 0, height: space.height + 40 }));
  const places = [[box / 2, box, "q"], [x[1] + shelf / 4, shelf / 2, "k"], [x[1] + (3 * shelf) / 4, shelf / 2, "v"],
    [x[3] + box / 2, box + 20, ""]];
  it.heads = places.map(([at, room, hue]) => {
    const head = make(picture, "text", { x: at, y: 15, class: `head ${hue}`, "text-anchor": "middle" });
    head.dataset.room = room;
    return head;
  });
  it.rows = data.names.map((_, j) => {
    const g = make(picture, "g", { class: "row", tabindex: 0, role: "button" });
    const bands = make(g, "g", { "clip-path": `url(#${id}0)` }), back = make(g, "g", { "clip-path": `url(#${id}1)` });
    const [left, right] = [make(bands, "path", { class: "left" }), make(back, "path", { class: "right" })];
    const hits = [make(g, "path", { class: "hit" }), make(g, "path", { class: "hit" })];
    const y = top + j * row + 3, high = row - 6;
    make(g, "rect", { class: "card", x: x[1], y, width: shelf, height: high, rx: 6 });
    const token = make(g, "text", { class: "token", x: x[1] + 10, y: y + lines[0] + font * 0.72, "font-size": font });
    const end = small || shelf < 300 ? x[2] - 10 : x[1] + shelf / 2 - 10;
    const chip = make(g, "text", { class: "chip", x: end, y: y + lines[0] + font * 0.72, "font-size": font });
    const half = shelf / 2 - 16;
    const keys = cells(g, x[1] + 8, y + lines[1] - 3, half, data.query.length, strip, small);
    const values = cells(g, x[1] + shelf / 2 + 8, y + lines[1] - 3, half, data.values[0].length, strip, small);
    const strike = make(g, "path", { class: "strike", d: `M${x[1] + 4},${y + high - 4}L${x[2] - 4},${y + 4}` });
    const share = make(g, "text", { class: "share", x: x[2] + 12, y: y + high / 2 + 5 });
    const room = end - x[1] - 10 - 3.2 * font; // beside the number
    const element = { g, left, right, hits, token, chip, keys, values, strike, share, room };
    listen(it, element, j);
    return element;
  });
  const boxTop = Math.max(top, middle - tall / 2 - 4), line = boxTop + space.name + (narrow ? 8 : 0);
  const around = (from) => ({ class: "card asks", x: from, y: boxTop, width: box, height: tall, rx: 8 });
  make(picture, "rect", around(0));
  make(picture, "rect", around(x[3]));
  const middled = { class: "token", y: line, "font-size": font, "text-anchor": "middle" };
  const name = (at) => make(picture, "text", { ...middled, x: at });
  it.askerText = name(box / 2);
  it.newText = name(x[3] + box / 2);
  it.newWord = make(picture, "text", { class: "small", x: x[3] + box / 2, y: boxTop + 15 });
  it.queryCells = cells(picture, 6, line + 14, box - 12, data.query.length, strip, small);
  it.outG = make(picture, "g");
  it.outCells = cells(it.outG, x[3] + 6, line + 14, box - 12, data.values[0].length, strip, small);
  it.drawn = null;
}

function cells(parent, x, y, width, count, high, bare) {
  const wide = width / count, numbered = !bare && wide >= 24;
  return Array.from({ length: count }, (_, k) => {
    const rect = make(parent, "rect", { class: "cell", x: x + k * wide, y, width: wide, height: high });
    const at = { class: "number", x: x + (k + 0.5) * wide, y: y + high * 0.72 };
    return { rect, text: numbered ? make(parent, "text", at) : null, wide };
  });
}

function paintCells(strip, numbers) {
  strip.forEach(({ rect, text, wide }, k) => {
    const [number, colour, light] = numbers[k] ?? ["", "transparent", 0];
    rect.style.fill = colour;
    if (!text) return;
    const size = Math.min(0.68 * rect.height.baseVal.value, (wide - 3) / (number.length * 0.58));
    words(text, size >= 9.5 ? number : "");
    text.style.fontSize = `${Math.max(size, 9.5)}px`;
    text.style.fill = light ? "#ffffff" : "#000000";
  });
}

// A word that is too long for its place becomes smaller, then is cut; the whole of it is in the row's label.
function fit(element, text, room) {
  const fits = `${text} ${room}`;
  if (element.dataset.fits === fits) return;
  element.dataset.fits = fits;
  element.textContent = text;
  element.style.fontSize = "";
  const size = parseFloat(getComputedStyle(element).fontSize), long = element.getComputedTextLength();
  if (!long) delete element.dataset.fits; // not laid out yet
  if (long <= room) return;
  element.style.fontSize = `${Math.max(13, Math.floor((size * room) / long))}px`;
  let shown = text;
  while (shown.length > 1 && element.getComputedTextLength() > room) {
    shown = shown.slice(0, -1);
    element.textContent = `${shown.trimEnd()}…`;
  }
}

// ------------------------------------------------------------------------------------------------------------ events

function listen(it, { g }, j) {
  g.onpointerenter = (event) => {
    if (event.pointerType === "touch") return;
    it.pointed = j;
    tell(it);
  };
  g.onpointerleave = () => {
    it.pointed = null;
    tell(it);
  };
  const choose = (to) => {
    it.told = to;
    tell(it);
  };
  g.onfocus = () => g.matches(":focus-visible") && choose(j);
  let pressed = false; // by mouse or finger: then the space bar is left to the player
  g.onpointerdown = () => (pressed = true);
  g.onblur = () => (pressed = false);
  g.onclick = () => choose(it.told === j ? null : j);
  g.onkeydown = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) it.rows[(j + by + it.rows.length) % it.rows.length].g.focus();
    else if (event.key === "Enter" || event.key === " " && !pressed) choose(j);
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
  };
}

function wire(it) {
  const { parts } = it, { signal } = it.gone;
  it.pointed = null;
  const toggle = () => (it.playing ? pause(it) : play(it));
  parts.play.onclick = toggle;
  parts.back.onclick = () => step(it, -1);
  parts.forward.onclick = () => step(it, 1);
  parts.ask.onclick = () => it.send("ask", it.told);
  parts.look.onclick = () => it.send("look", it.told);
  parts.slider.oninput = () => {
    it.scrubbing = true;
    go(it, Number(parts.slider.value));
  };
  parts.slider.onchange = () => {
    it.scrubbing = false;
    go(it, Number(parts.slider.value));
    settle(it);
  };
  parts.figure.onkeydown = (event) => key(it, event, toggle);
  // A projector's remote control, and whoever has pressed nothing yet: keys that nothing else listens to.
  document.addEventListener("keydown", (event) => {
    if (document.activeElement === document.body && !it.data.compact) key(it, event, null);
  }, { signal });
  it.observer = new ResizeObserver(() => {
    build(it);
    show(it);
  });
  it.observer.observe(parts.figure);
}

function key(it, event, toggle) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  const last = it.data.frames.length - 1;
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key], end = { Home: 0, End: last }[event.key];
  const button = event.composedPath()[0].tagName === "BUTTON";
  if (way) step(it, way);
  else if (toggle && end !== undefined) go(it, end);
  else if (toggle && event.key === " " && !button) toggle();
  else return;
  event.preventDefault();
}
