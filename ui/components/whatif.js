// A what-if: numbers that are tried out and not kept yet. A number is chosen in a grid and moved by the slider here, by
// dragging its cell, or with Alt + arrows; the chart computes what follows (see ui/live.py) and no message is sent.
// "Keep it" sends what is tried to Python, as one edit; "Let go" forgets it.
//
// The grids (grid.js) and this line talk by events on the window:
//   attentionLabNumber  a grid says what happens to a cell of it: chosen, dragged, stepped, typed into, kept, let go
//   attentionLabWhatIf  this line says that other numbers are tried; window.attentionLabWhatIf has them
//   attentionLabKept    this line sends what is tried, which outdates what was typed into the same cells before
//
// What is tried stays tried while numbers around it are edited. It ends when its own cell is typed into, and with the
// epoch, the set of numbers that editors edit (ui/state.py). What was kept needs no bookkeeping: once Python has the
// number, trying it changes nothing. The chart ignores a what-if once its data have another stamp than that.
//
// A cell of the mask is a number too: 1 or 0, of the matrix "mask".

const strips = new WeakMap();
const MEMORY = "attentionLab whatif"; // in sessionStorage: what was to be kept and is not answered
const PATIENCE = 2000; // ms after which what is to be kept is sent again
const HALF = 300; // steps to either end of the slider
const SPAN = 3; // how far a number moves to either side; a large one by twice its size
const LARGE = 10;
const PIXEL = 2, PIXEL_FINE = 0.2; // steps a pixel while a cell is dragged

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  if (!data.epoch.startsWith(window.attentionLabSession ?? "")) return; // address.js loads the page anew: see recall
  let strip = strips.get(parentElement);
  const before = strip?.data;
  if (!strip) {
    strip = { ...nothing(), seq: data.seen, asked: null, chosen: null, written: "", gone: new AbortController() };
    strip.root = parentElement;
    strips.set(parentElement, strip);
    strip.parts = Object.fromEntries([...parentElement.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    wire(strip);
  }
  strip.send = (value) => setStateValue("keep", value);
  strip.data = data;
  if (before) receive(strip, before);
  else recall(strip);
  if (strip.chosen && base(strip, strip.chosen) === undefined) strip.chosen = null;
  label(strip);
  paint(strip);
  return () => setTimeout(() => !parentElement.isConnected && leave(strip));
}

// wide: by how much the slider reaches further than at first.
function nothing() {
  return { numbers: new Map(), scale: null, temperature: 1, drag: null, wide: 1 };
}

const key = ({ matrix, row, column }) => `${matrix},${row},${column}`;
const base = (strip, { matrix, row, column }) => strip.data.values[matrix]?.[row]?.[column];
const differs = (strip, number) => number.value !== base(strip, number);
const moved = (strip) => [...strip.numbers.values()].filter((number) => differs(strip, number));
const rescaled = ({ scale, data }) => scale !== null && scale !== data.scale;
const kept = (strip) => moved(strip).length > 0 || rescaled(strip); // would be, on "Keep it"
const tried = (strip) => kept(strip) || strip.temperature !== 1;
const sizes = ({ values }) => // as a text
  Object.entries(values).map(([name, rows]) => [name, rows.length, rows[0].length]).join();

// Data from the server: the answer to what was kept, an edit, another page's numbers, another language.
function receive(strip, before) {
  const { data } = strip;
  if (data.scale !== before.scale && data.scale !== strip.asked?.scale) strip.scale = null;
  if (strip.asked && data.seen >= strip.asked.seq) forgetAsked(strip);
  if (data.epoch !== before.epoch) {
    Object.assign(strip, nothing());
    if (strip.asked && sizes(data) !== sizes(before)) forgetAsked(strip);
    if (strip.asked) ask(strip, strip.asked);
  }
  for (const [at, number] of strip.numbers) {
    if (base(strip, number) === undefined || !(strip.asked || differs(strip, number))) strip.numbers.delete(at);
  }
  if (data.stamp !== before.stamp) strip.wide = 1;
}

// The page was loaded anew because the server had forgotten the session: what it had not answered is kept again.
function recall(strip) {
  const lost = Date.now() - Number(sessionStorage.getItem("attentionLabLost")) < 20000;
  const asked = lost && JSON.parse(sessionStorage.getItem(MEMORY));
  forgetAsked(strip);
  if (asked) ask(strip, asked);
}

function leave(strip) {
  fade("");
  strip.gone.abort();
  clearInterval(strip.watch);
  clearTimeout(strip.again);
  clearTimeout(strip.soon);
  cancelAnimationFrame(strip.frame);
  strips.delete(strip.root);
  if (window.attentionLabWhatIf?.of === strip) delete window.attentionLabWhatIf;
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

// about: the number whose steps count.
function tryNumber(strip, place, value, about = base(strip, place)) {
  const { decimals } = steps(strip, about), from = base(strip, place);
  const bounded = Math.min(Math.max(value, -strip.data.limit), strip.data.limit);
  const text = bounded.toFixed(decimals).replace(/^-(0(\.0*)?)$/, "$1");
  const back = bounded === from || Number(text) === from;
  const number = back ? { text: written(strip, place), value: from } : { text, value: Number(text) };
  strip.numbers.set(key(place), { ...place, ...number });
  schedule(strip);
}

const written = ({ data }, { matrix, row, column }) => data.texts[matrix][row][column];
const valueOf = (strip, place) => strip.numbers.get(key(place))?.value ?? base(strip, place);

function keep(strip) {
  if (!kept(strip)) return;
  // While an answer is awaited, what seems to be back where it was may not be.
  const sent = [...strip.numbers.values()].filter((number) => strip.asked || differs(strip, number));
  ask(strip, { numbers: sent.map(({ matrix, row, column, text }) => [matrix, row, column, text]), scale: strip.scale });
  const detail = {};
  for (const { matrix, row, column } of sent) (detail[matrix] ??= []).push(`${row},${column}`);
  window.dispatchEvent(new CustomEvent("attentionLabKept", { detail }));
  schedule(strip);
}

// Ask the server to keep this.
function ask(strip, { numbers, scale }) {
  strip.seq += 1;
  strip.asked = { epoch: strip.data.epoch, seq: strip.seq, numbers, scale };
  sessionStorage.setItem(MEMORY, JSON.stringify(strip.asked));
  send(strip);
}

// Until it answers. It takes what has the same number only once, so that what was undone meanwhile stays undone.
function send(strip) {
  window.attentionLabSent = performance.now();
  strip.send({ ...strip.asked, at: window.attentionLabSent }); // (the same value twice would not arrive)
  clearTimeout(strip.again);
  strip.again = setTimeout(() => send(strip), PATIENCE);
}

function forgetAsked(strip) {
  strip.asked = null;
  clearTimeout(strip.again);
  sessionStorage.removeItem(MEMORY);
}

// What is typed into a cell comes after what was tried there, and after what was to be kept there.
function typedOver(strip, place) {
  strip.numbers.delete(key(place));
  const { asked } = strip;
  const rest = asked?.numbers.filter(([matrix, row, column]) => key({ matrix, row, column }) !== key(place));
  if (rest && rest.length < asked.numbers.length) ask(strip, { ...asked, numbers: rest });
  schedule(strip);
}

function letGo(strip) {
  if (!tried(strip)) strip.chosen = null; // there is nothing to let go but the choice
  forgetAsked(strip);
  Object.assign(strip, nothing());
  schedule(strip);
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
  for (const { matrix, row, column, text } of moved(strip)) (cells[matrix] ??= {})[`${row},${column}`] = text;
  window.attentionLabWhatIf = { of: strip, epoch: data.epoch, cells };
  window.dispatchEvent(new CustomEvent("attentionLabWhatIf"));
  parts.strip.dataset.chosen = Boolean(chosen || live);
  parts.strip.dataset.tried = live;
  parts.invite.hidden = Boolean(chosen || live);
  parts.number.hidden = parts.slider.hidden = !chosen;
  parts.keep.hidden = parts.go.hidden = !(chosen || live) || !data.live;
  parts.keep.disabled = !kept(strip);
  say(parts.go, live ? data.words.go : data.words.shut);
  parts.heated.hidden = strip.temperature === 1; // it acts, so it is said, whether or not its slider is in sight
  say(parts.heated, `${data.words.heat} ${strip.temperature.toFixed(2)}`);
  fade(live && data.live ? data.words.later : "");
  parts.why.hidden = !chosen || data.live;
  if (chosen) paintNumber(strip);
  if (!parts.more.hidden) paintMore(strip);
}

function paintNumber(strip) {
  const { chosen, parts, data } = strip;
  const from = base(strip, chosen), now = moved(strip).find((number) => key(number) === key(chosen));
  const { size, low, high, reach } = steps(strip, from);
  const at = Math.round(((now?.value ?? from) - from) / size), far = reach * strip.wide;
  parts.slider.min = Math.max(low, Math.min(-far, at));
  parts.slider.max = Math.min(high, Math.max(far, at));
  parts.slider.value = at;
  const name = `${chosen.matrix}[${data.rows[chosen.matrix][chosen.row]}, ${chosen.column + 1}]`;
  const before = written(strip, chosen).replace("-", "−"), text = now?.text.replace("-", "−") ?? before;
  parts.number.textContent = now ? `${name}: ${before} → ${text}` : `${name} = ${before}`;
  parts.slider.setAttribute("aria-label", name);
  parts.slider.setAttribute("aria-valuetext", text);
}

// A number that was moved to an end of the slider can be moved on.
function widen(strip) {
  const from = base(strip, strip.chosen), { size, reach } = steps(strip, from);
  while (Math.abs(valueOf(strip, strip.chosen) - from) / size >= reach * strip.wide) strip.wide *= 2;
  schedule(strip);
}

// What the server says of the kept numbers does not follow what is only tried: it steps back, and says why when asked.
function fade(why) {
  for (const said of document.querySelectorAll('[class*="st-key-kept"]')) {
    if (said.title === why) continue;
    said.style.opacity = why ? 0.4 : "";
    said.title = why;
  }
}

// Words are set only where they are others: setting costs a layout, and this is asked at every frame.
function say(part, words) {
  if (part.textContent !== words) part.textContent = words;
}

// Everything the stages are computed from, as ui/live.py reads it.
function told(strip) {
  const { data } = strip;
  const now = moved(strip);
  const flat = (matrix, width = 0) => data.values[matrix].map((row, i) => {
    const cells = [...row, ...Array(Math.max(0, width - row.length)).fill(0)];
    for (const number of now) if (number.matrix === matrix && number.row === i) cells[number.column] = number.value;
    return cells.join(",");
  }).join(",");
  const divisor = data.divisors[strip.scale ?? data.scale];
  return [data.stamp, flat("Q", data.most), flat("K", data.most), flat("V"), flat("mask"), divisor,
    strip.temperature].join(";");
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
  parts.mask.querySelectorAll("button").forEach((button) => {
    const on = valueOf(strip, maskCell(button.dataset.row, button.dataset.column)) === 1;
    button.setAttribute("aria-pressed", on);
    button.textContent = on ? "✓" : "✕";
  });
}

const maskCell = (row, column) => ({ matrix: "mask", row: Number(row), column: Number(column) });

function toggle(strip, place) {
  const value = 1 - valueOf(strip, place);
  strip.numbers.set(key(place), { ...place, text: String(value), value });
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
    strip.scale = scale;
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
      button.onclick = () => toggle(strip, maskCell(i, j));
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
  parts.slider.onchange = () => {
    widen(strip);
    if (!strip.data.live) keep(strip);
  };
  parts.temperature.oninput = () => {
    strip.temperature = Number((10 ** Number(parts.temperature.value)).toPrecision(3));
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
  const { signal } = strip.gone;
  window.addEventListener("attentionLabNumber", (event) => happens(strip, event.detail), { signal });
}

// What a grid says of one of its cells. from: the number typed there that is not answered yet; NaN if there is none.
function happens(strip, { matrix, row, column, what, by = 0, fine = false, from = NaN }) {
  const place = { matrix, row, column };
  if (base(strip, place) === undefined) return;
  if (what === "keep") return keep(strip);
  if (what === "go") return letGo(strip);
  if (what === "typed") return typedOver(strip, place);
  if (strip.chosen && key(strip.chosen) !== key(place)) strip.wide = 1;
  strip.chosen = place;
  const about = Math.abs(from) <= strip.data.limit ? from : base(strip, place);
  const start = { about, value: strip.numbers.get(key(place))?.value ?? about };
  if (what === "begin") strip.drag = start;
  if (what === "drag" && strip.drag) move(strip, place, strip.drag, by * (fine ? PIXEL_FINE : PIXEL));
  if (what === "step") move(strip, place, start, by * (fine ? 1 : 10));
  if (what === "end" || what === "step") ended(strip, what);
  schedule(strip);
}

function move(strip, place, { about, value }, by) {
  tryNumber(strip, place, value + Math.round(by) * steps(strip, about).size, about);
}

function ended(strip, what) {
  strip.drag = null;
  widen(strip);
  if (strip.data.live) return;
  clearTimeout(strip.soon);
  strip.soon = setTimeout(() => keep(strip), what === "step" ? 500 : 0);
}
