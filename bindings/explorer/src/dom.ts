// SPDX-License-Identifier: MIT
// Elements of the page. Texts become text nodes, so that data is never parsed as HTML.

type Attribute = string | number | boolean | ((event: Event) => void);

/** Creates an element with attributes, listeners (`onclick`) and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  setAll(node, attributes);
  node.append(...children);
  return node;
}

/** Creates an SVG element. */
export function svgElement(
  name: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Node | string)[]
): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAll(node, attributes);
  node.append(...children);
  return node;
}

/** Sets attributes, true as an empty one; adds listeners; skips false. */
function setAll(target: Element, attributes: Readonly<Record<string, Attribute>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") target.addEventListener(name.slice(2), value);
    else if (value !== false) target.setAttribute(name, value === true ? "" : String(value));
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
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Creates a button that copies a text to the clipboard and confirms it for a moment. */
export function copyButton(text: () => string): HTMLButtonElement {
  const control = button("Copy", () => {
    const confirm = (message: string) => {
      control.textContent = message;
      setTimeout(() => (control.textContent = "Copy"), 1_500);
    };
    navigator.clipboard.writeText(text()).then(() => confirm("Copied"), () => confirm("Not allowed"));
  });
  return control;
}
