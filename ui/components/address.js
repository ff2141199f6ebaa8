// Keeps the address in step with the screen, copies it, and tells Python how wide the page is.
//
// st.query_params adds a browser-history entry at every write, and Back then shows an address that disagrees with
// the screen. history.replaceState does not: one entry a page, Back goes to the page before.

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  if (location.search !== data.query) {
    history.replaceState(history.state, "", location.pathname + data.query + location.hash);
  }
  const button = parentElement.querySelector("button");
  const field = parentElement.querySelector("input");
  button.textContent = data.copy;
  button.onclick = async () => {
    field.value = location.href;
    const copied = await copy(field);
    button.textContent = copied ? data.copied : data.copy;
    field.hidden = copied;
    field.setAttribute("aria-label", data.by_hand);
    if (!copied) field.select();
    setTimeout(() => { button.textContent = data.copy; }, 2500);
  };
  const measure = () => {
    const wide = room(parentElement.host.closest('[data-testid="stMainBlockContainer"]'));
    const layout = data.layouts.find(([, least]) => wide >= least)[0];
    if (layout !== data.layout) setStateValue("layout", layout);
  };
  measure();
  window.onresize = measure;
  return () => { window.onresize = null; };
}

// The width inside an element's padding: what charts can take.
function room(element) {
  if (!element) return innerWidth;
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  return element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
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
