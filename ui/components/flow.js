// The picture of the data flow (see ui/flow_picture.py): nodes are buttons, arrows are drawn between them as they stand.
// The arrow keys open the next node and the one before.
// From left to right where there is room, else from top to bottom. Python sends all that is shown.

const pictures = new WeakMap();
const ROOM = 640; // CSS pixels that the flow from left to right needs at least
const TIP = 6;

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let it = pictures.get(parentElement);
  if (!it) {
    it = { root: parentElement.querySelector(".flow"), nodes: new Map(), built: "", asked: null };
    it.observer = new ResizeObserver(() => place(it));
    it.observer.observe(parentElement.querySelector(".room"));
    pictures.set(parentElement, it);
  }
  it.data = data;
  it.open = (name) => {
    const already = name === (it.asked ?? it.data.opened);
    it.asked = name;
    if (already) follow(it, parentElement);
    else setTriggerValue("open", name);
  };
  it.root.setAttribute("aria-label", data.label);
  build(it);
  for (const [name, button] of it.nodes) label(button, data.nodes[name], name === data.opened);
  place(it);
  if (it.asked && it.asked === data.opened) follow(it, parentElement);
  return () => { if (!parentElement.isConnected) it.observer.disconnect(); };
}

// The buttons, made anew only where other nodes stand there: what has the focus keeps it.
function build(it) {
  const built = JSON.stringify(it.data.areas);
  if (built === it.built) return;
  it.built = built;
  const focused = it.root.getRootNode().activeElement?.dataset?.node;
  it.nodes.clear();
  const areas = it.data.areas.map(({ nodes, spot }) => {
    const area = element("div", "area");
    area.spot = spot;
    area.dataset.tower = spot[2] === 6;
    area.dataset.thin = spot[2] === 2;
    for (const name of nodes) area.append(it.data.nodes[name] ? button(it, name) : sign(name));
    return area;
  });
  it.arrows = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  it.arrows.setAttribute("aria-hidden", "true");
  it.root.replaceChildren(it.arrows, ...areas);
  it.areas = areas;
  it.nodes.get(focused)?.focus();
}

function button(it, name) {
  const made = element("button");
  made.type = "button";
  made.dataset.node = name;
  made.append(element("b"), element("img"), element("i"));
  made.onclick = () => it.open(name);
  made.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const names = [...it.nodes.keys()], to = by && names[names.indexOf(name) + by];
    if (!to || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    it.nodes.get(to).focus({ preventScroll: true });
    it.open(to);
  };
  for (const [on, off] of [["pointerenter", "pointerleave"], ["focus", "blur"]]) {
    made.addEventListener(on, () => light(it, name));
    made.addEventListener(off, () => light(it, null));
  }
  it.nodes.set(name, made);
  return made;
}

function sign(text) {
  const made = element("span");
  made.textContent = text;
  made.setAttribute("aria-hidden", "true");
  return made;
}

function label(made, node, opened) {
  const [title, picture, shape] = made.children;
  made.setAttribute("aria-label", node.says);
  made.setAttribute("aria-pressed", opened);
  made.dataset.changed = Boolean(node.was);
  made.style.setProperty("--hue", hue(node.hue));
  made.style.setProperty("--changed", "var(--st-yellow-color, #e0b93f)");
  title.textContent = node.title;
  picture.alt = "";
  if (picture.getAttribute("src") !== node.picture) picture.src = node.picture;
  picture.width = node.wide;
  picture.height = node.high;
  shape.replaceChildren();
  if (node.was) {
    const was = element("s");
    was.textContent = node.was;
    shape.append(was, " → ");
  }
  shape.append(node.shape);
}

// Where the areas stand, and then the arrows.
function place(it) {
  const width = it.root.parentElement.clientWidth;
  if (!width) return;
  let wide = width >= ROOM;
  stand(it, wide);
  if (wide && it.root.scrollWidth > width + 1) stand(it, wide = false);
  const origin = it.root.getBoundingClientRect();
  const box = (name) => {
    const { left, right, top, bottom } = it.nodes.get(name).getBoundingClientRect();
    const [x, y] = [(left + right) / 2 - origin.left, (top + bottom) / 2 - origin.top];
    return { left: left - origin.left, right: right - origin.left, top: top - origin.top, bottom: bottom - origin.top, x, y };
  };
  it.arrows.replaceChildren(...it.data.arrows.flatMap(([from, to]) => arrow(it, from, to, box(from), box(to), wide)));
  light(it, null);
}

function stand(it, wide) {
  it.root.dataset.way = wide ? "wide" : "tall";
  for (const area of it.areas) {
    const [along, lane, lanes] = area.spot;
    const [one, other] = [`${along + 1}`, `${lane + 1} / span ${lanes}`];
    [area.style.gridColumn, area.style.gridRow] = wide ? [one, other] : [other, one];
  }
}

function arrow(it, from, to, a, b, wide) {
  const around = from === "V" && to === "output"; // past the scores, and then in from the side
  let line, tip;
  if (wide && around) [line, tip] = [`M${a.right},${a.y}H${b.x}V${b.bottom + TIP}`, [b.x, b.bottom, "up"]];
  else if (around) [line, tip] = [`M${a.x},${a.bottom}V${b.y}H${b.right + TIP}`, [b.right, b.y, "left"]];
  else if (wide) {
    const [end, mid] = [b.left - TIP, (a.right + b.left) / 2];
    [line, tip] = [`M${a.right},${a.y}C${mid},${a.y} ${mid},${b.y} ${end},${b.y}`, [b.left, b.y, "right"]];
  } else {
    const [end, mid] = [b.top - TIP, (a.bottom + b.top) / 2];
    [line, tip] = [`M${a.x},${a.bottom}C${a.x},${mid} ${b.x},${mid} ${b.x},${end}`, [b.x, b.top, "down"]];
  }
  return [stroke(it, from, to, line), stroke(it, from, to, head(...tip), true)];
}

function head(x, y, way) {
  const [dx, dy] = { right: [1, 0], left: [-1, 0], up: [0, -1], down: [0, 1] }[way];
  const [bx, by] = [x - dx * TIP * 1.4, y - dy * TIP * 1.4];
  return `M${x},${y}L${bx + dy * TIP * 0.7},${by + dx * TIP * 0.7}L${bx - dy * TIP * 0.7},${by - dx * TIP * 0.7}Z`;
}

function stroke(it, from, to, line, tip = false) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "path");
  made.setAttribute("d", line);
  made.dataset.from = from;
  made.dataset.to = to;
  if (tip) made.dataset.tip = "";
  made.style.setProperty("--hue", hue(it.data.nodes[from].hue));
  return made;
}

// The arrows at the node that is pointed at, else at the open one.
function light(it, name) {
  for (const path of it.arrows.children) {
    path.dataset.lit = [path.dataset.from, path.dataset.to].includes(name ?? it.data.opened);
  }
}

const hue = (name) => `var(--st-${name}-text-color, var(--st-text-color))`;

function element(tag, className = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  return made;
}

// What was opened by hand is brought into sight, its head in the lower half of the window, below the picture.
function follow(it, parentElement) {
  it.asked = null;
  setTimeout(() => {
    const page = (parentElement.host ?? parentElement).closest('[data-testid="stMain"]');
    const panel = page?.querySelector(".st-key-flow_open");
    if (!panel) return;
    const { top } = panel.getBoundingClientRect();
    const wanted = innerHeight * (it.root.dataset.way === "wide" ? 0.6 : 0.2);
    if (top < 60 || top > wanted) {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      page.scrollBy({ top: top - wanted, behavior: calm ? "instant" : "smooth" });
    }
  }, 120); // until the page has its new height
}
