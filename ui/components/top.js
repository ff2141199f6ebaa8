// Goes to where a button led: to the element of that key, or to the top of the page.
//
// Charts above it are still growing when the page arrives, so it looks again a few times, until the reader moves.

let last = 0;

export default function ({ data, parentElement }) {
  if (data.doors === last) return;
  last = data.doors;
  const page = (parentElement.host ?? parentElement).closest('[data-testid="stMain"]');
  if (!page) return;
  const moved = new AbortController();
  for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"]) {
    addEventListener(kind, () => moved.abort(), { capture: true, passive: true, signal: moved.signal });
  }
  const go = () => {
    if (moved.signal.aborted) return;
    const place = data.at && page.querySelector(`.st-key-${data.at}`);
    page.scrollTo({ top: place ? page.scrollTop + place.getBoundingClientRect().top - 90 : 0, behavior: "instant" });
  };
  for (const after of [120, 400, 900, 1800]) setTimeout(go, after);
  setTimeout(() => moved.abort(), 2000);
}
