// A matrix a person can type in, or a mask a person can click: real inputs, so that keyboards, phones, Chinese
// input methods and screen readers work. What is typed goes to Python as text; Python alone reads numbers.
//
// Every message carries all edits that are not answered yet: two quick edits can never lose the first. Python answers
// with the sequence number it has seen, so a newer text is never overwritten by an older. An epoch is one set of
// numbers to edit; typing, and keeping what is tried (whatif.js), go on within it.

const grids = new WeakMap();
const unanswered = (window.attentionLabUnanswered ??= new Set()); // see address.js
const PATIENCE = 2000; // ms without an answer after which an edit is sent again (the connection may have been lost)

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  if (!data.epoch.startsWith(window.attentionLabSession ?? "")) return; // address.js loads the page anew: see recall
  let grid = grids.get(parentElement);
  if (!grid) {
    grid = { seq: data.seen, epoch: data.epoch, edits: {}, when: {}, shape: "", gone: new AbortController() };
    grids.set(parentElement, grid);
    const { signal } = grid.gone;
    document.addEventListener("pointerdown", (event) => finish(grid, event), { capture: true, signal });
    window.addEventListener("attentionLabWhatIf", () => showTried(grid), { signal });
    const outdated = ({ detail }) => forgetEdits(grid, detail[matrix(grid)] ?? []);
    window.addEventListener("attentionLabKept", outdated, { signal });
  }
  const shape = JSON.stringify([data.kind, data.rows.length, data.columns]);
  const memory = `attentionLab ${data.name} ${shape}`;
  grid.data = data;
  grid.send = (overflow = null) => {
    grid.seq += 1;
    window.attentionLabSent = performance.now();
    unanswered.add(grid);
    sessionStorage.setItem(memory, JSON.stringify(grid.edits));
    setStateValue("edits", { epoch: grid.epoch, seq: grid.seq, cells: { ...grid.edits }, overflow });
    clearTimeout(grid.again);
    grid.again = setTimeout(() => unread(grid) && grid.send(), PATIENCE);
  };
  forgetEdits(grid, Object.keys(grid.edits).filter((key) => grid.when[key] <= data.seen));
  if (grid.epoch !== data.epoch) {
    // Other numbers to edit. What was typed meanwhile and is not answered yet is typed into them.
    if (shape !== grid.shape) forgetEdits(grid, Object.keys(grid.edits));
    grid.epoch = data.epoch;
    for (const key of Object.keys(grid.edits)) grid.when[key] = grid.seq + 1;
    if (unread(grid)) grid.send();
  }
  if (shape !== grid.shape) {
    grid.shape = shape;
    build(grid, parentElement.querySelector("table"));
  }
  if (grid.recalled !== memory) recall(grid, memory);
  if (!unread(grid)) {
    sessionStorage.removeItem(memory);
    unanswered.delete(grid);
  }
  delete grid.table.dataset.drags;
  refresh(grid);
  return () => setTimeout(() => !parentElement.isConnected && leave(grid, parentElement));
}

function leave(grid, parentElement) {
  grid.gone.abort();
  clearTimeout(grid.again);
  unanswered.delete(grid);
  grids.delete(parentElement);
}

// The page was loaded anew because the server had forgotten the session: what it had not answered is typed again.
function recall(grid, memory) {
  grid.recalled = memory;
  const lost = Date.now() - Number(sessionStorage.getItem("attentionLabLost")) < 20000;
  const cells = lost ? JSON.parse(sessionStorage.getItem(memory) ?? "{}") : {};
  const changes = Object.entries(cells).map(([key, text]) => [...key.split(",").map(Number), text]);
  if (changes.length) record(grid, changes);
}

// Whether Python has not seen an edit yet.
const unread = (grid) => Object.keys(grid.edits).length > 0;

function forgetEdits(grid, keys) {
  for (const key of keys) {
    delete grid.edits[key];
    delete grid.when[key];
  }
}

// What the other components call this grid.
const matrix = ({ data }) => (data.kind === "mask" ? "mask" : data.name);

// Whatever is pressed next, the number being typed comes first: on touch screens the press ends before the blur.
function finish(grid, event) {
  const cell = grid.table.getRootNode().activeElement;
  if (cell?.matches?.("input") && cell.value !== cell.dataset.shown && !event.composedPath().includes(cell)) {
    cell.onchange();
  }
}

function build(grid, table) {
  const { data } = grid;
  table.replaceChildren(table.createCaption());
  const head = table.createTHead().insertRow();
  head.append(document.createElement("td"), ...data.columns.map((name) => heading(name, "col")));
  const body = table.createTBody();
  grid.cells = data.rows.map((_, i) => {
    const row = body.insertRow();
    row.append(heading("", "row"));
    return data.columns.map((_, j) => row.insertCell().appendChild(makeCell(grid, i, j)));
  });
  grid.table = table;
}

function heading(text, scope) {
  const th = document.createElement("th");
  th.scope = scope;
  th.textContent = text;
  return th;
}

function makeCell(grid, i, j) {
  const toggle = grid.data.kind === "mask";
  const cell = document.createElement(toggle ? "button" : "input");
  cell.onkeydown = (event) => move(grid, event, i, j);
  if (toggle) {
    cell.type = "button";
    cell.onclick = () => !grid.painted && record(grid, [[i, j, opposite(cell)]]);
    cell.onpointerdown = (event) => startPainting(grid, event, cell);
    cell.onpointerenter = (event) => paint(grid, event, i, j);
    cell.dataset.at = `${i},${j}`;
  } else {
    cell.type = "text";
    cell.inputMode = "text"; // "decimal" hides the minus sign on some phones
    cell.autocomplete = "off";
    cell.spellcheck = false;
    cell.maxLength = 64;
    cell.onfocus = () => {
      cell.select();
      tell(grid, i, j, "choose");
    };
    cell.onpointerdown = (event) => press(grid, event, i, j);
    cell.ondragstart = (event) => event.preventDefault(); // of selected text
    cell.onchange = () => cell.value !== cell.dataset.shown && record(grid, [[i, j, cell.value]]);
    cell.onblur = () => {
      // (Browsers see no change when the text is the one the cell had at first, before another number was tried in it.)
      if (cell.isConnected) cell.onchange();
      refresh(grid);
    };
    cell.onpaste = (event) => paste(grid, event, i, j);
  }
  return cell;
}

const opposite = (cell) => (cell.getAttribute("aria-pressed") === "true" ? "0" : "1");

// With a mouse, cells of a mask can be painted: pressed on one and moved across others, all become what the first one
// would by a click. They are sent together at the end. (A finger that moves scrolls the page.)
function startPainting(grid, event, cell) {
  grid.painted = null;
  grid.brush = null;
  if (event.pointerType !== "mouse" || event.button !== 0) return;
  grid.brush = { from: cell, to: opposite(cell) };
  window.addEventListener("pointerup", () => {
    const cells = Object.entries(grid.painted ?? {});
    if (cells.length) record(grid, cells.map(([at, to]) => [...at.split(",").map(Number), to]));
    grid.brush = null;
    setTimeout(() => { grid.painted = null; }); // the click that follows a press which ends where it began is none
  }, { once: true, signal: grid.gone.signal });
}

function paint(grid, event, i, j) {
  if (!grid.brush || !(event.buttons & 1)) return;
  grid.painted ??= { [grid.brush.from.dataset.at]: grid.brush.to };
  grid.painted[`${i},${j}`] = grid.brush.to;
  for (const [at, to] of Object.entries(grid.painted)) show(grid, ...at.split(",").map(Number), to, false);
}

// A what-if (whatif.js): a cell may be dragged sideways, which tries a number without typing it. A plain click still puts
// the caret into the cell. (On a screen where the grid itself scrolls sideways, a finger scrolls it.)
const SLACK = 4; // pixels before a press becomes a drag

function tell(grid, row, column, what, more = {}) {
  const detail = { matrix: matrix(grid), row, column, what, ...more };
  window.dispatchEvent(new CustomEvent("attentionLabNumber", { detail }));
}

function press(grid, down, i, j) {
  const cell = grid.cells[i][j];
  if (!window.attentionLabWhatIf || down.button !== 0) return;
  let dragging = false;
  const over = new AbortController();
  const end = () => {
    over.abort();
    if (!dragging) return;
    delete cell.dataset.dragged;
    tell(grid, i, j, "end");
    if (cell.matches(":focus")) cell.select();
  };
  const follow = (event) => {
    if (event.pointerId !== down.pointerId) return;
    const by = event.clientX - down.clientX;
    if (event.type !== "pointermove") return end();
    if (!dragging && Math.abs(by) <= SLACK) return;
    if (!dragging) {
      dragging = true;
      cell.dataset.dragged = "";
      cell.onchange(); // what was typed comes first
      tell(grid, i, j, "begin", { from: typedIn(grid, i, j) });
    }
    tell(grid, i, j, "drag", { by, fine: event.shiftKey });
  };
  for (const type of ["pointermove", "pointerup", "pointercancel"]) {
    window.addEventListener(type, follow, { signal: over.signal });
  }
}

// The number that was typed into a cell and is not answered yet; NaN if there is none. As ui/numbers.py reads it: what
// it does not read leaves the number that the cell had.
const DECIMAL = String.raw`[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?`;
const NUMBER = new RegExp(String.raw`^(${DECIMAL})(?:\s*/\s*(${DECIMAL}))?$`);

function typedIn(grid, i, j) {
  const text = grid.edits[`${i},${j}`] ?? "";
  const plain = text.trim().replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[−–—﹣]/g, "-").replace(/。/g, ".").replace(/[⁄∕]/g, "/");
  const [, above, below = "1"] = NUMBER.exec(plain) ?? [];
  return Number(above) / Number(below);
}

// The numbers that are tried in this matrix, as texts by cell.
function triedHere(grid) {
  const all = window.attentionLabWhatIf;
  return all?.epoch === grid.data.epoch ? all.cells[matrix(grid)] ?? {} : {};
}

function showTried(grid) {
  const now = triedHere(grid);
  for (const key of new Set([...Object.keys(now), ...(grid.tried ?? [])])) showOwn(grid, ...key.split(",").map(Number));
  grid.tried = Object.keys(now);
  const scrolls = () => grid.table.parentElement.scrollWidth > grid.table.parentElement.clientWidth;
  grid.table.dataset.drags ??= Boolean(window.attentionLabWhatIf) && !scrolls(); // (asking costs a layout: once)
}

function record(grid, changes, overflow) {
  for (const [i, j, text] of changes) {
    tell(grid, i, j, "typed"); // over what is tried there
    grid.edits[`${i},${j}`] = text;
    grid.when[`${i},${j}`] = grid.seq + 1;
    show(grid, i, j, text, false);
  }
  grid.send(overflow);
}

// A block from a spreadsheet fills the cells from here on; what sticks out is reported, not dropped in silence.
function paste(grid, event, i, j) {
  const text = event.clipboardData.getData("text/plain").replace(/\r?\n$/, "");
  if (!/[\t\n]/.test(text)) return;
  event.preventDefault();
  const block = text.split(/\r?\n/).map((line) => line.split("\t"));
  const height = grid.data.rows.length - i, width = grid.data.columns.length - j;
  const changes = block.slice(0, height).flatMap((line, di) =>
    line.slice(0, width).map((cell, dj) => [i + di, j + dj, cell.trim()]));
  const columns = block.reduce((most, line) => Math.max(most, line.length), 0);
  const tooLarge = block.length > height || columns > width;
  record(grid, changes, tooLarge ? { row: i, column: j, rows: block.length, columns, height, width } : null);
}

function move(grid, event, i, j) {
  const cell = grid.cells[i][j], typed = cell.value !== cell.dataset.shown;
  const nudge = event.altKey && { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (nudge && grid.data.kind !== "mask" && window.attentionLabWhatIf) {
    event.preventDefault();
    cell.onchange();
    return tell(grid, i, j, "step", { by: nudge, fine: event.shiftKey, from: typedIn(grid, i, j) });
  }
  const answer = { Enter: "keep", Escape: "go" }[event.key];
  if (answer && !event.isComposing && !typed && Object.keys(window.attentionLabWhatIf?.cells ?? {}).length) {
    event.preventDefault();
    return tell(grid, i, j, answer);
  }
  const step = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.isComposing || step === undefined || (grid.data.kind === "mask" && event.key === "Enter")) return;
  event.preventDefault();
  const next = grid.cells[i + step]?.[j];
  if (next) next.focus();
  else if (event.key === "Enter") grid.cells[i][j].blur();
}

function refresh(grid) {
  const { data } = grid;
  grid.table.caption.replaceChildren();
  const name = document.createElement("b");
  name.textContent = data.name;
  name.style.color = `var(--hue, inherit)`;
  grid.table.style.setProperty("--hue", data.hue || "inherit");
  grid.table.style.setProperty("--chosen", data.chosen);
  grid.table.caption.append(name, ` ${data.caption}`);
  data.rows.forEach((token, i) => {
    grid.table.tBodies[0].rows[i].cells[0].textContent = token;
    data.columns.forEach((_, j) => showOwn(grid, i, j));
  });
}

// What a cell holds: a number that is tried, else what was typed and Python has not read yet, else what Python says.
function showOwn(grid, i, j) {
  const { data, edits } = grid, key = `${i},${j}`;
  if (!grid.cells[i]?.[j]) return;
  const tried = triedHere(grid)[key]?.replace("-", "−"), bad = key in edits ? undefined : data.bad[key];
  show(grid, i, j, tried ?? edits[key] ?? bad ?? data.cells[i][j], tried === undefined && bad !== undefined);
  grid.cells[i][j].dataset.tried = tried !== undefined;
}

function show(grid, i, j, text, bad) {
  const cell = grid.cells[i][j];
  const { data } = grid;
  cell.setAttribute("aria-label", data.label.replace(/\{(row|column)\}/g, (_, axis) => (axis === "row" ? data.rows[i] : data.columns[j])));
  if (data.kind === "mask") {
    cell.setAttribute("aria-pressed", text === "1");
    cell.textContent = text === "1" ? "✓" : "✕";
    return;
  }
  cell.setAttribute("aria-invalid", bad);
  cell.dataset.marked = data.marks[`${i},${j}`] ?? "";
  const focused = cell.matches(":focus"), editing = focused && cell.value !== cell.dataset.shown;
  if (!editing && cell.value !== text) {
    cell.value = text;
    if (focused && cell.dataset.dragged === undefined) cell.select(); // what is typed next replaces it
  }
  cell.dataset.shown = text;
}
