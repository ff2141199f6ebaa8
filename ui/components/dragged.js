// Keeps where a chart's sliders stand: tells Python where they come to rest, so that the link has it, and puts them
// there again whenever Vega makes them anew (after a reload, in another appearance).
//
// A place is a number of steps from the slider's low end, "" while its chart decides. Every move has a number, which
// Python gives back: what was sent before the last move never pulls a slider away from a hand.

const charts = new WeakMap(); // of what a chart is drawn in
const SLIDERS = '.vega-bindings input[type="range"]';
const REST = 200; // ms without a move after which a slider is at rest: the keyboard makes a move of every step

const unanswered = (window.attentionLabUnanswered ??= new Set()); // see address.js
let placing = false;

export default function ({ data, parentElement, setStateValue }) {
  if (!data) return; // a style and nothing else
  const room = parentElement.closest(".stVerticalBlock");
  if (!charts.has(room)) watch(room);
  let chart = charts.get(room);
  if (chart?.name !== data.name) charts.set(room, (chart = { name: data.name, seq: data.seen, places: {} }));
  chart.tell = () => setStateValue("moved", { seq: chart.seq, places: chart.places });
  if (data.seen !== chart.seq) return;
  unanswered.delete(room);
  chart.places = { ...data.places };
  place(room);
}

function watch(room) {
  const own = ({ target }) => target.matches(SLIDERS);
  room.addEventListener("input", (event) => own(event) && !placing && move(room, event.target));
  for (const kind of ["input", "change"]) {
    room.addEventListener(kind, (event) => own(event) && say(event.target)); // after Vega has
  }
  room.addEventListener("pointerdown", (event) => own(event) && hold(room));
  room.addEventListener("focusout", () => rest(room)); // so that it is told before what is pressed instead
  let form = room.querySelector(".vega-bindings"); // whoever called this places what is there
  new MutationObserver(() => {
    const made = room.querySelector(".vega-bindings");
    if (made === form) return;
    form = made;
    place(room);
  }).observe(room, { childList: true, subtree: true });
}

function move(room, slider) {
  const chart = charts.get(room);
  if (!(slider.name in chart.places)) return;
  chart.seq += 1;
  unanswered.add(room);
  chart.places[slider.name] = Math.round((slider.value - slider.min) / slider.step);
  clearTimeout(chart.resting);
  chart.resting = setTimeout(() => rest(room), REST);
}

// A hand takes a slider, and may rest without letting go.
function hold(room) {
  const chart = charts.get(room), gone = new AbortController();
  chart.held = true;
  const release = () => {
    gone.abort();
    chart.held = false;
    rest(room);
  };
  for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, release, { signal: gone.signal });
}

// Tells Python, once, unless a hand still holds the slider.
function rest(room) {
  const chart = charts.get(room);
  if (chart.held || !chart.resting || !room.isConnected) return;
  clearTimeout(chart.resting);
  chart.resting = null;
  chart.tell();
}

// Of a logarithm that is dragged, says the number itself: where Vega writes log₂ d_k = 6, it says d_k = 64.
function say(slider) {
  if (slider.name !== "log2_dk") return;
  const d_k = Math.round(2 ** slider.value);
  slider.previousElementSibling.textContent = "d_k =\u00a0";
  slider.nextElementSibling.textContent = d_k;
  slider.setAttribute("aria-valuetext", d_k);
}

function place(room) {
  const { places } = charts.get(room);
  for (const slider of room.querySelectorAll(SLIDERS)) {
    say(slider);
    if (!Number.isInteger(places[slider.name])) continue;
    const value = +slider.min + places[slider.name] * slider.step;
    if (Math.abs(slider.value - value) < 1e-9) continue;
    slider.value = value;
    placing = true;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    placing = false;
  }
}
