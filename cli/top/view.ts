/** The user's view, and the effect of keys. Pure. */
import type { Key } from "../screen";

export const SORTS = ["name", "queue", "latency", "memory"] as const;
export type Sort = (typeof SORTS)[number];

export interface View {
  readonly sort: Sort;
  /** Case-insensitive. */
  readonly filter: string;
  /** Keys go to the filter. */
  readonly typing: boolean;
  readonly help: boolean;
  /** Scrolled body lines. */
  readonly offset: number;
}

export const START: View = { sort: "name", filter: "", typing: false, help: false, offset: 0 };

/** Longer filters match nothing. */
const LONGEST_FILTER = 100;
const PAGE = 10;

/** @param most scrollable lines. */
export function pressed(view: View, key: Key, most: number): View | "quit" {
  const { name = "", text = "", ctrl = false } = key;
  if (ctrl && (name === "c" || name === "d")) {
    return "quit";
  }
  if (view.typing) {
    return typed(view, name, ctrl ? "" : text);
  }
  if (view.help) {
    return text === "q" ? "quit" : { ...view, help: false };
  }
  const scrolled = SCROLLS[name];
  if (scrolled !== undefined) {
    return { ...view, offset: Math.max(0, Math.min(most, view.offset + scrolled)) };
  }
  switch (text) {
    case "q":
      return "quit";
    case "s":
      return { ...view, sort: SORTS[(SORTS.indexOf(view.sort) + 1) % SORTS.length] ?? "name" };
    case "/":
      return { ...view, typing: true, filter: "", offset: 0 };
    case "?":
    case "h":
      return { ...view, help: true };
    default:
      return name === "escape" ? { ...view, filter: "", offset: 0 } : view;
  }
}

const SCROLLS: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -PAGE,
  pagedown: PAGE,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

function typed(view: View, name: string, text: string): View {
  switch (name) {
    case "return":
    case "enter":
      return { ...view, typing: false };
    case "escape":
      return { ...view, typing: false, filter: "" };
    case "backspace":
      return { ...view, filter: [...view.filter].slice(0, -1).join("") };
    default:
      return [...text].length === 1 && text >= " "
        ? { ...view, filter: (view.filter + text).slice(0, LONGEST_FILTER) }
        : view;
  }
}
