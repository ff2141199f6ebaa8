// A what-if: numbers that are tried out and not kept yet. A number is chosen in a grid and moved by the slider here, by
// dragging its cell, or with Alt + arrows; the chart computes what follows (see ui/live.py) and no message is sent.
// "Keep it" sends what is tried to Python, as one edit; "Let go" forgets it.
//
// The grids (grid.js) and this line talk by events on the window:
//   attentionLabNumber  a grid says what happens to one of its cells: chosen, dragged, stepped, kept, let go
//   attentionLabWhatIf  this line says that other numbers are tried; window.attentionLabWhatIf has them
//
// What is tried belongs to one set of numbers, named by a stamp. The chart ignores it once its data have another stamp.

const strips = new WeakMap();
const PATIENCE = 2000; // ms after which what is to be kept is sent again
const HALF = 300; // steps to either end of the slider
const SPAN = 3; // how far a number moves to either side; a large one by twice its size
const LARGE = 10;
const PIXEL = 2, PIXEL_FINE = 0.2; // steps a pixel while a cell is dragged

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  let strip = strips.get(parentElement);
  if (!strip) {
    strip = { ...nothing(), data, seq: data.seen, chosen: null, root: parentElement, written: "" };
    strips.set(parentElement, strip);
    strip.parts = Object.fromEntries([...parentElement.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    wire(strip);
  }
  strip.send = (value) => setStateValue("keep", value);
  const before = strip.data;
  strip.data = data;
  if (before.stamp !== data.stamp || before.epoch !== data.epoch) otherNumbers(strip, before);
  else if (strip.sent && data.seen >= strip.sent) drop(strip); // it was what it is
  if (strip.chosen && base(strip, strip.chosen) === undefined) strip.chosen = null;
  label(strip);
  paint(strip);
  return () => setTimeout(() => !parentElement.isConnected && forget(strip));
}

function nothing() {
  return { numbers: new Map(), scale: null, mask: null, temperature: 1, sent: 0, touched: false };
}

const key = ({ matrix, row, column }) => `${matrix},${row},${column}`;
const base = (strip, { matrix, row, column }) => strip.data.values[matrix]?.[row]?.[column];
const kept = (strip) => strip.numbers.size > 0 || strip.scale !== null || strip.mask !== null; // would be, on "Keep it"
const tried = (strip) => kept(strip) || strip.temperature !== 1;

// Other numbers came from the server: the answer to what was kept, or an edit, or another page's. What was tried goes
// with the numbers it was tried on, except under the reader's finger: then it is tried on the new ones.
function otherNumbers(strip, before) {
  const { data, chosen } = strip;
  const answered = strip.sent && data.seen >= strip.sent;
  const held = strip.pressed || (answered && strip.touched);
  const same = before.epoch === data.epoch || answered;
  const number = chosen && strip.numbers.get(key(chosen));
  const temperature = answered ? strip.temperature : 1; // a question only: keeping the numbers leaves it as it is
  Object.assign(strip, nothing(), { temperature });
  if (held && same && number && base(strip, chosen) !== undefined) tryNumber(strip, chosen, number.value);
}

function forget(strip) {
  fade("");
  clearInterval(strip.watch);
  if (window.attentionLabWhatIf?.of === strip) delete window.attentionLabWhatIf;
}

function drop(strip) {
  Object.assign(strip, nothing(), { temperature: strip.sent ? strip.temperature : 1 });
  schedule(strip);
}

// ---------------------------------------------------------------------------------------------------- what is tried

// The slider's steps around a number: how large, to how many decimals, and how far they reach.
function steps({ data }, from) {
  const half = Math.abs(from) > LARGE ? 2 * Math.abs(from) : SPAN;
  const rough = half / HALF, power = 10 ** Math.floor(Math.log10(rough * 1.0000001));
  const size = [1, 2, 5, 10].find((m) => m * power >= rough * 0.9999999) * power;
  const decimals = Math.max(0, -Math.floor(Math.log10(size * 1.0000001)));
  const [low, high] = [-data.limit, data.limit].map((end) => Math.trunc((end - from) / size));
  return { size, decimals, low, high, reach: Math.round(half / size) };
}

function tryNumber(strip, place, value) {
  const from = base(strip, place);
  const { decimals } = steps(strip, from);
  const bounded = Math.min(Math.max(value, -strip.data.limit), strip.data.limit);
  const text = bounded.toFixed(decimals).replace(/^-(0(\.0*)?)$/, "$1");
  if (bounded === from || Number(text) === from) strip.numbers.delete(key(place));
  else strip.numbers.set(key(place), { ...place, text, value: Number(text) });
  strip.touched = true;
  schedule(strip);
}

const valueOf = (strip, place) => strip.numbers.get(key(place))?.value ?? base(strip, place);

function keep(strip) {
  if (!kept(strip)) return;
  strip.seq += 1;
  strip.sent = strip.seq;
  strip.touched = false;
  window.attentionLabSent = performance.now();
  const numbers = [...strip.numbers.values()].map(({ matrix, row, column, text }) => [matrix, row, column, text]);
  strip.send({ epoch: strip.data.epoch, seq: strip.seq, numbers, scale: strip.scale, mask: strip.mask });
  clearTimeout(strip.again);
  const { sent } = strip;
  strip.again = setTimeout(() => strip.sent === sent && strip.root.isConnected && keep(strip), PATIENCE);
  schedule(strip);
}

function letGo(strip) {
  if (!tried(strip)) strip.chosen = null; // there is nothing to let go but the choice
  strip.sent = 0;
  drop(strip);
}

// ----------------------------------------------------------------------------------------------------- what is shown

function schedule(strip) {
  strip.frame ??= requestAnimationFrame(() => {
    strip.frame = undefined;
    paint(strip);
  });
}

function paint(strip) {
  const { data, parts, chosen } = strip;
  const live = tried(strip);
  write(strip, live && data.live ? told(strip) : "");
  const cells = {};
  for (const { matrix, row, column, text } of strip.numbers.values()) (cells[matrix] ??= {})[`${row},${column}`] = text;
  window.attentionLabWhatIf = { of: strip, epoch: data.epoch, cells };
  window.dispatchEvent(new CustomEvent("attentionLabWhatIf"));
  parts.strip.dataset.chosen = Boolean(chosen || live);
  parts.strip.dataset.tried = live;
  parts.invite.hidden = Boolean(chosen || live);
  parts.number.hidden = parts.slider.hidden = !chosen;
  parts.keep.hidden = parts.go.hidden = !(chosen || live) || !data.live;
  parts.keep.disabled = !kept(strip);
  parts.go.textContent = live ? data.words.go : data.words.shut;
  parts.heated.hidden = strip.temperature === 1; // it acts, so it is said, whether or not its slider is in sight
  parts.heated.textContent = `${data.words.heat} ${strip.temperature.toFixed(2)}`;
  fade(live && data.live ? data.words.later : "");
  parts.why.hidden = !chosen || data.live;
  if (chosen) paintNumber(strip);
  if (!parts.more.hidden) paintMore(strip);
}

function paintNumber(strip) {
  const { chosen, parts, data } = strip;
  const from = base(strip, chosen), now = strip.numbers.get(key(chosen));
  const { size, low, high, reach } = steps(strip, from);
  const at = Math.round(((now?.value ?? from) - from) / size);
  parts.slider.min = Math.max(low, Math.min(-reach, at));
  parts.slider.max = Math.min(high, Math.max(reach, at));
  parts.slider.value = at;
  const name = `${chosen.matrix}[${data.rows[chosen.matrix][chosen.row]}, ${chosen.column + 1}]`;
  const text = (now?.text ?? data.texts[chosen.matrix][chosen.row][chosen.column]).replace("-", "−");
  const before = data.texts[chosen.matrix][chosen.row][chosen.column].replace("-", "−");
  parts.number.textContent = now ? `${name}: ${before} → ${text}` : `${name} = ${before}`;
  parts.slider.setAttribute("aria-label", name);
  parts.slider.setAttribute("aria-valuetext", text);
}

// What the server says of the kept numbers does not follow what is only tried: it steps back, and says why when asked.
function fade(why) {
  for (const said of document.querySelectorAll('[class*="st-key-kept"]')) {
    said.style.opacity = why ? 0.4 : "";
    said.title = why;
  }
}

// Everything the stages are computed from, as ui/live.py reads it.
function told(strip) {
  const { data } = strip;
  const moved = [...strip.numbers.values()];
  const flat = (matrix, width) => data.values[matrix].map((row, i) => {
    const cells = [...row, ...Array(Math.max(0, width - row.length)).fill(0)];
    for (const number of moved) if (number.matrix === matrix && number.row === i) cells[number.column] = number.value;
    return cells.join(",");
  }).join(",");
  const mask = (strip.mask ?? data.mask).map((row) => [...row].join(",")).join(",");
  const divisor = data.divisors[strip.scale ?? data.scale];
  return [data.stamp, flat("Q", data.most), flat("K", data.most), flat("V", 0), mask, divisor, strip.temperature].join(";");
}

// Into the hidden field of every chart that listens. A chart that is drawn anew begins without: so look now and then.
function write(strip, string) {
  if (strip.written && !shows(strip.data.stamp)) {
    // The chart still has the numbers that this was tried on, and forgets it by itself when the new ones arrive.
    return schedule(strip);
  }
  strip.written = string;
  clearInterval(strip.watch);
  fill(string);
  if (string) strip.watch = setInterval(() => fill(string), 250);
}

const fields = () => document.querySelectorAll('.vega-bindings input[name="whatif"]');

function fill(string) {
  for (const field of fields()) {
    if (field.value === string) continue;
    field.closest(".vega-bind").hidden = true; // an empty line otherwise
    field.value = string;
    field.dispatchEvent(new Event("input"));
  }
}

// Whether the chart has the numbers of this stamp. (Vega leaves each mark's record at its element.)
function shows(stamp) {
  const marks = [...fields()].map((field) => field.closest(".vega-embed")?.querySelector('g[class*="cells_0"] path'));
  return marks.every((mark) => !mark || (mark.__data__?.datum?.stamp ?? stamp) === stamp);
}

// --------------------------------------------------------------------------------------------------- divisor and rest

function paintMore(strip) {
  const { parts, data } = strip;
  for (const button of parts.scales.children) {
    button.setAttribute("aria-pressed", button.dataset.scale === (strip.scale ?? data.scale));
  }
  parts.temperature.value = Math.log10(strip.temperature);
  const text = strip.temperature.toFixed(2);
  parts.degrees.textContent = text;
  parts.temperature.setAttribute("aria-valuetext", text);
  const mask = strip.mask ?? data.mask;
  parts.mask.querySelectorAll("button").forEach((button) => {
    const on = mask[button.dataset.row][button.dataset.column] === "1";
    button.setAttribute("aria-pressed", on);
    button.textContent = on ? "✓" : "✕";
  });
}

function toggle(strip, i, j) {
  const mask = [...(strip.mask ?? strip.data.mask)].map((row) => [...row]);
  mask[i][j] = mask[i][j] === "1" ? "0" : "1";
  const rows = mask.map((row) => row.join(""));
  strip.mask = rows.join() === strip.data.mask.join() ? null : rows;
  strip.touched = true;
  schedule(strip);
}

function label(strip) {
  const { data, parts } = strip, { words } = data;
  for (const name of ["invite", "keep", "open", "scale", "heat", "heatHelp", "who", "why"]) {
    parts[name].textContent = words[name];
  }
  parts.strip.setAttribute("aria-label", words.region);
  parts.temperature.setAttribute("aria-label", words.heat);
  parts.keep.title = words.keepHelp;
  parts.slider.title = words.sliderHelp;
  parts.open.hidden = !data.live;
  if (!data.live) parts.more.hidden = true;
  parts.scaleLine.hidden = parts.maskBlock.hidden = !data.switches;
  const shape = JSON.stringify([words.scales, data.rows.Q]);
  if (strip.shape === shape || !data.live) return;
  strip.shape = shape;
  parts.scales.replaceChildren(...Object.entries(words.scales).map(([scale, name]) => scaleButton(strip, scale, name)));
  drawMask(strip);
}

function scaleButton(strip, scale, name) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.scale = scale;
  button.textContent = name;
  button.onclick = () => {
    strip.scale = scale === strip.data.scale ? null : scale;
    strip.touched = true;
    schedule(strip);
  };
  return button;
}

function drawMask(strip) {
  const { data: { rows: { Q: names }, tokens, words }, parts: { mask } } = strip;
  mask.replaceChildren();
  const head = mask.createTHead().insertRow(), body = mask.createTBody();
  head.append(document.createElement("td"), ...tokens.map((token) => heading(token, "col")));
  names.forEach((token, i) => {
    const row = body.insertRow();
    row.append(heading(token, "row"));
    names.forEach((other, j) => {
      const button = row.insertCell().appendChild(document.createElement("button"));
      button.type = "button";
      Object.assign(button.dataset, { row: i, column: j });
      button.setAttribute("aria-label", words.may.replace("{row}", token).replace("{column}", other));
      button.onclick = () => toggle(strip, i, j);
    });
  });
}

function heading(text, scope) {
  const th = document.createElement("th");
  Object.assign(th, { scope, textContent: text, title: text });
  return th;
}

// ------------------------------------------------------------------------------------------------------------ events

function wire(strip) {
  const { parts } = strip;
  parts.slider.oninput = () => {
    const { size } = steps(strip, base(strip, strip.chosen));
    tryNumber(strip, strip.chosen, base(strip, strip.chosen) + Number(parts.slider.value) * size);
  };
  parts.slider.onchange = () => !strip.data.live && keep(strip);
  parts.temperature.oninput = () => {
    strip.temperature = Number((10 ** Number(parts.temperature.value)).toPrecision(3));
    strip.touched = true;
    schedule(strip);
  };
  parts.keep.onclick = () => keep(strip);
  parts.go.onclick = () => letGo(strip);
  parts.open.onclick = () => {
    parts.more.hidden = !parts.more.hidden;
    parts.open.setAttribute("aria-expanded", !parts.more.hidden);
    schedule(strip);
  };
  parts.strip.onkeydown = (event) => {
    if (event.key === "Escape") letGo(strip);
    else if (event.key === "Enter" && event.target === parts.slider) keep(strip);
    else return;
    event.preventDefault();
  };
  parts.strip.addEventListener("pointerdown", () => { strip.pressed = true; });
  for (const type of ["pointerup", "pointercancel"]) {
    window.addEventListener(type, () => setTimeout(() => { strip.pressed = false; }));
  }
  window.addEventListener("attentionLabNumber", (event) => strip.root.isConnected && happens(strip, event.detail));
}

// What a grid says of one of its cells.
function happens(strip, { matrix, row, column, what, by = 0, fine = false, from }) {
  const place = { matrix, row, column };
  if (base(strip, place) === undefined) return;
  const { size } = steps(strip, base(strip, place));
  if (what === "keep") return keep(strip);
  if (what === "go") return letGo(strip);
  strip.chosen = place;
  if (what === "begin") Object.assign(strip, { pressed: true, start: Number.isFinite(from) ? from : valueOf(strip, place) });
  if (what === "drag") tryNumber(strip, place, strip.start + Math.round(by * (fine ? PIXEL_FINE : PIXEL)) * size);
  if (what === "step") tryNumber(strip, place, valueOf(strip, place) + by * (fine ? 1 : 10) * size);
  if (what === "end" || what === "step") strip.pressed = false;
  if ((what === "end" || what === "step") && !strip.data.live) {
    clearTimeout(strip.soon);
    strip.soon = setTimeout(() => keep(strip), what === "step" ? 500 : 0);
  }
  schedule(strip);
}
