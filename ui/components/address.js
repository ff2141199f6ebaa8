// Keeps the address in step with the screen, copies it, and tells Python how wide the page is.
//
// st.query_params adds a browser-history entry at every write, and Back then shows an address that disagrees with
// the screen. history.replaceState does not: one entry a page, Back goes to the page before.

const HOLD = 80; // ms by which a tap on a link waits for what was sent just before
const LONGEST = 4000; // ms by which it waits for an answer at most

// Grids, and what charts are drawn in, of which Python has not seen the last change. (A chart goes with its part.)
const unanswered = (window.attentionLabUnanswered ??= new Set());
const waits = () => [...unanswered].some(({ isConnected = true }) => isConnected);

// A page change and an edit sent together undo each other in Streamlit 1.67: a link waits for the answer to the edit.
if (!window.attentionLabHoldsLinks) {
  window.attentionLabHoldsLinks = true;
  const holds = () => waits() || performance.now() - (window.attentionLabSent ?? -HOLD) < HOLD;
  let going = 0, waited = null;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a");
    if (!link || link === waited || !holds() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    clearInterval(going);
    const end = performance.now() + LONGEST;
    going = setInterval(() => {
      if (holds() && performance.now() < end) return;
      clearInterval(going);
      waited = link;
      link.click();
      waited = null;
    }, 20);
  }, true);
}

const observers = new WeakMap();
const now = new WeakMap();

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  // The server has forgotten this session (it was restarted, or the page slept too long). The address still holds the
  // numbers: start over from it instead of overwriting it.
  window.attentionLabSession ??= data.session;
  if (window.attentionLabSession !== data.session) {
    sessionStorage.setItem("attentionLabLost", Date.now()); // grid.js then types again what was not answered
    return location.reload();
  }
  now.set(parentElement, data);
  const query = new URLSearchParams(location.search); // what is not ours (embed=true) stays
  // What asks for something to be shown (term, question) is in the code once it is shown.
  for (const name of ["s", "b", "term", "question"]) query.delete(name);
  for (const [name, value] of Object.entries(data.query)) query.set(name, value);
  if (location.search !== `?${query}`) {
    history.replaceState(history.state, "", `${location.pathname}?${query}${location.hash}`);
  }
  const button = parentElement.querySelector("button");
  const field = parentElement.querySelector("input");
  button.textContent = data.copy;
  button.onclick = async () => {
    await atRest();
    field.value = `${location.origin}${location.pathname}?${new URLSearchParams(now.get(parentElement).query)}`;
    const copied = await copy(field);
    button.textContent = copied ? data.copied : data.copy;
    field.hidden = copied;
    field.setAttribute("aria-label", data.by_hand);
    if (!copied) field.select();
    setTimeout(() => { button.textContent = data.copy; }, 2500);
  };
  const page = parentElement.host.closest('[data-testid="stMainBlockContainer"]') ?? document.body;
  observers.get(parentElement)?.disconnect();
  const observer = new ResizeObserver(() => {
    const layout = fitting(data, room(page));
    if (layout !== data.layout) setStateValue("layout", layout);
  });
  observer.observe(page);
  observers.set(parentElement, observer);
  return () => observer.disconnect();
}

// The widest layout with room; a wider one than today's needs some to spare, so that a scrollbar cannot make two
// layouts take turns.
function fitting({ layout, layouts }, width) {
  const [, today] = layouts.find(([name]) => name === layout);
  return layouts.find(([, least]) => width >= least + (least > today ? 20 : 0))[0];
}

// The width inside an element's padding: what charts can take.
function room(element) {
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  return element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
}

// Wait for the answer to what was typed just before.
async function atRest() {
  const since = performance.now() - (window.attentionLabSent ?? -1e9);
  const running = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running";
  const pause = () => new Promise((resolve) => setTimeout(resolve, 60));
  if (since < 300) await pause();
  for (let tries = 0; (waits() || running()) && tries < 40; tries += 1) await pause();
}

async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value); // only on https and localhost
    return true;
  } catch {
    field.hidden = false;
    field.select();
    return document.execCommand("copy");
  }
}
