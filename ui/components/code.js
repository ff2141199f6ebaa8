// A function's source, a button a line: what has run says what it made, the line just run is marked, a click goes there.

const drawn = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector("ol");
  const texts = JSON.stringify(data.lines.map((line) => line.text));
  // Lines are kept while their text is the same: a new button would lose the keyboard's place.
  if (drawn.get(list) !== texts) {
    list.replaceChildren(...data.lines.map(line));
    drawn.set(list, texts);
  }
  list.setAttribute("aria-label", data.label);
  data.lines.forEach(({ state, step, note }, i) => {
    const button = list.children[i].firstChild;
    button.className = state;
    button.disabled = step < 0;
    if (state === "now") button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    button.querySelector(".note").textContent = note;
    button.onclick = () => setTriggerValue("step", step);
  });
  list.onkeydown = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const buttons = [...list.querySelectorAll("button:not(:disabled)")];
    buttons[buttons.indexOf(list.getRootNode().activeElement) + by]?.focus();
    list.getRootNode().activeElement?.click();
  };
}

function line({ number, text }) {
  const [, code, comment] = /^(.*?)(\s*#.*)?$/.exec(text);
  const indent = /^ */.exec(text)[0].length;
  const item = document.createElement("li");
  const button = item.appendChild(document.createElement("button"));
  button.type = "button";
  button.append(part("number", number));
  const body = button.appendChild(part("text"));
  body.style.cssText = `padding-left: ${indent + 2}ch; text-indent: -2ch`;
  body.append(part("note"), ...code.trimStart().split(/\b(def|return|if|with|not|is|None)\b/).map((word, i) =>
    i % 2 ? part("keyword", word) : word), part("comment", comment ?? ""));
  return item;
}

function part(name, text = "") {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}
