// Shows what a term means where it stands: a click or tap on a link to the glossary opens the link's title in place,
// with the link itself on top of it. Loaded with the address component, which is on every page.
//
// Where the browser has no popovers, and with Ctrl or the middle button, the link opens the glossary as any link does.

if ("popover" in HTMLElement.prototype && !document.getElementById("attention-lab-term")) {
  const note = document.createElement("div");
  note.id = "attention-lab-term";
  note.popover = "auto"; // Escape or a click elsewhere closes it, and the focus goes back to the link
  note.setAttribute("role", "note");
  document.body.append(note);

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="glossary?"][title]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const onward = link.cloneNode(true);
    onward.removeAttribute("title");
    onward.href = withNumbers(link.getAttribute("href"));
    onward.append(" ↗");
    const meaning = document.createElement("div");
    meaning.textContent = link.title;
    note.replaceChildren(onward, meaning);
    dress(link);
    note.showPopover({ source: link });
    place(link.getBoundingClientRect());
    onward.focus({ preventScroll: true });
  });

  // The reader's numbers come along, from the address.
  function withNumbers(href) {
    const query = new URLSearchParams(href.split("?")[1]);
    const here = new URLSearchParams(location.search);
    for (const name of ["s", "b"]) if (here.has(name)) query.set(name, here.get(name));
    return `glossary?${query}`;
  }

  // The page's own font and colours, as they are now: the reader may have changed the appearance.
  function dress(link) {
    const app = getComputedStyle(document.querySelector('[data-testid="stApp"]'));
    const { color, fontFamily } = getComputedStyle(link);
    Object.assign(note.style, {
      position: "fixed", margin: "0", inset: "auto", boxSizing: "border-box", maxWidth: "min(24rem, calc(100vw - 24px))",
      padding: "0.6rem 0.8rem", borderRadius: "0.4rem", border: `1px solid ${color}`, background: app.backgroundColor,
      color: app.color, font: `0.9rem/1.5 ${fontFamily}`, boxShadow: "0 4px 16px rgb(0 0 0 / 0.25)",
    });
    Object.assign(note.firstElementChild.style, { color, fontWeight: "600" });
  }

  // Under the word; above it where there is no room.
  function place(word) {
    const { width, height } = note.getBoundingClientRect();
    const below = word.bottom + 6 + height < innerHeight;
    note.style.top = `${below ? word.bottom + 6 : Math.max(8, word.top - height - 6)}px`;
    note.style.left = `${Math.max(12, Math.min(word.left, innerWidth - width - 12))}px`;
  }

  // It does not move along with the page.
  document.addEventListener("scroll", () => note.matches(":popover-open") && note.hidePopover(), true);
}
