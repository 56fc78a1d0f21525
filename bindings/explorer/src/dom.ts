// SPDX-License-Identifier: MIT
// Elements of the page. Texts become text nodes, so that data is never parsed as HTML.

type Attribute = string | number | boolean | ((event: Event) => void);

/** Creates an element with attributes, listeners (`onclick`) and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

/** Creates an SVG element. */
export function drawn(
  name: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Node | string)[]
): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

function setAll(made: Element, attributes: Readonly<Record<string, Attribute>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Creates a button; `label` is its accessible name if the text isn't enough. */
export function button(text: string, onclick: () => void, label = ""): HTMLButtonElement {
  return element("button", { type: "button", onclick, ...(label && { "aria-label": label }) }, text);
}

/** The element with this id in index.html. */
export function byId<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** A count with its noun, such as `1,234 rows`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

/** Creates a button that copies a text to the clipboard and confirms it for a moment. */
export function copyButton(text: () => string): HTMLButtonElement {
  const made = button("Copy", () => {
    const say = (told: string) => {
      made.textContent = told;
      setTimeout(() => (made.textContent = "Copy"), 1_500);
    };
    navigator.clipboard.writeText(text()).then(() => say("Copied"), () => say("Not allowed"));
  });
  return made;
}
