// SPDX-License-Identifier: MIT
// Tabs with arrow-key navigation, following the ARIA pattern.

/** Turns a list of buttons into tabs; calls `choose` with the chosen index. */
export function startTabs(list: HTMLElement, choose: (index: number) => void): void {
  list.addEventListener("click", (event) => {
    const index = tabsOf(list).indexOf((event.target as HTMLElement).closest("button")!);
    if (index >= 0) choose(index);
  });
  list.addEventListener("keydown", (event) => {
    const tabs = tabsOf(list);
    const current = tabs.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = (next + tabs.length) % tabs.length;
    choose(index);
    tabsOf(list)[index]!.focus();
  });
}

/** Marks the chosen tab, the only one in the Tab order. */
export function markTab(list: HTMLElement, chosen: number): void {
  tabsOf(list).forEach((tab, index) => {
    tab.setAttribute("aria-selected", String(index === chosen));
    tab.tabIndex = index === chosen ? 0 : -1;
  });
}

function tabsOf(list: HTMLElement): HTMLButtonElement[] {
  return [...list.querySelectorAll<HTMLButtonElement>('[role="tab"]')];
}
