/** Fate of each value of a document; the table of fields answers the rest. */
import type { FieldTable } from "./field-table";
import { isEmpty, isMapping, isWithin, type Path, pathText, valueAt } from "./path";
import { plainText } from "./plain-text";
import type { SourceDocument } from "./read-documents";
import { holdsSecret, isSecretPlace, withoutSecrets } from "./secrets";

/** mapped: unchanged; changed: replaced; notMapped: lost; wrong: invalid in the original. */
export type EntryKind = "mapped" | "changed" | "notMapped" | "wrong";

export interface Entry {
  readonly kind: EntryKind;
  readonly file: string;
  /** From 1; undefined without a line. */
  readonly line?: number;
  /** Empty for the whole file. */
  readonly path: string;
  readonly to?: string;
  readonly why?: string;
  /** Never a secret. */
  readonly value?: string | number | boolean;
}

interface Noted {
  readonly at: Path;
  readonly entry: Entry;
}

const SHOWN_CHARACTERS = 120;

const NO_NUMBER = "a number is needed here";

export class Ledger {
  #noted: Noted[] = [];
  /** Paths answered by another path, such as a flag's values. */
  readonly #covered: Path[] = [];
  readonly #dismissed: { readonly at: Path; readonly why: string }[] = [];
  /** Paths with remarks that answer no field. */
  readonly #wholes = new Set<string>();
  /** Paths without a valid number. */
  readonly #noNumbers = new Set<string>();

  constructor(
    readonly document: SourceDocument,
    readonly table: FieldTable,
    /** Start of the document's fields: a recipe may be part of a deployment group. */
    readonly base: Path = [],
  ) {
    this.hold([]);
  }

  /** A model at this path: notes are about the whole of it. */
  hold(path: Path): void {
    this.#wholes.add(pathText([...this.base, ...path]));
  }

  /** Value at a path below `base`. */
  get(...path: Path): unknown {
    return valueAt(this.document.root, [...this.base, ...path]);
  }

  /** Text or number as text; undefined if empty or other. */
  text(...path: Path): string | undefined {
    const value = this.get(...path);
    return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;
  }

  /** Number, or text of one. */
  number(...path: Path): number | undefined {
    const value = Number(this.text(...path) ?? Number.NaN);
    if (Number.isFinite(value)) {
      return value;
    }
    this.#noNumbers.add(pathText([...this.base, ...path]));
    return undefined;
  }

  list(...path: Path): readonly unknown[] {
    const value = this.get(...path);
    return Array.isArray(value) ? (value as unknown[]) : [];
  }

  keys(...path: Path): readonly string[] {
    const value = this.get(...path);
    return isMapping(value) ? Object.keys(value) : [];
  }

  mapped(path: Path, to: string): void {
    this.#note("mapped", path, { to });
  }

  changed(path: Path, why: string, to?: string): void {
    this.#note("changed", path, { why, ...(to !== undefined && { to }) });
  }

  lost(path: Path, why: string): void {
    this.#note("notMapped", path, { why });
  }

  wrong(path: Path, why: string): void {
    this.#note("wrong", path, { why });
  }

  /** Marks a document or path as not imported, for one reason. */
  dismiss(why: string, path: Path = []): void {
    this.#dismissed.push({ at: [...this.base, ...path], why });
  }

  /** @returns reverts later notes. */
  mark(): () => void {
    const noted = [...this.#noted];
    return () => {
      this.#noted = noted;
    };
  }

  cover(path: Path): void {
    this.#covered.push([...this.base, ...path]);
  }

  /**
   * Reverts a mapped key.
   * @param whole path of the model.
   * @param path in the original, if several have the key.
   * @default all in the model
   */
  retract(to: string, whole: Path, why: string, path?: Path): void {
    const within = [...this.base, ...(path ?? whole)];
    const gone = this.#noted.filter(
      ({ at, entry }) =>
        entry.to === to && (path === undefined ? isWithin(at, within) : pathText(at) === pathText(within)),
    );
    this.#noted = this.#noted.filter((noted) => !gone.includes(noted));
    const places = gone.length === 0 ? [path ?? whole] : gone.map(({ at }) => at.slice(this.base.length));
    places.forEach((place) => void this.lost(place, why));
  }

  /** Whether anything at or below the path changed. */
  isShortOf(path: Path): boolean {
    const above = [...this.base, ...path];
    return this.#noted.some(
      ({ at, entry }) =>
        isWithin(at, above) && (entry.kind === "notMapped" || (entry.kind === "changed" && entry.to === undefined)),
    );
  }

  /** The mapped value differs in the environment. */
  correct(to: string, path: Path, why: string): void {
    const at = pathText([...this.base, ...path]);
    this.#noted = this.#noted.filter((noted) => noted.entry.to !== to || pathText(noted.at) !== at);
    this.changed(path, why, to);
  }

  #note(kind: EntryKind, path: Path, rest: Pick<Entry, "to" | "why">): void {
    const at = [...this.base, ...path];
    if (path.length > 0 && valueAt(this.document.root, at) === undefined) {
      return;
    }
    const { to, why } = rest;
    const isMisread =
      kind === "mapped" && this.#noNumbers.has(pathText(at)) && !isEmpty(valueAt(this.document.root, at));
    const entry = isMisread
      ? { kind: "wrong" as const, why: NO_NUMBER }
      : { kind, ...(to !== undefined && { to }), ...(why !== undefined && { why: withoutSecrets(why) }) };
    this.#noted.push({ at, entry: { ...this.#place(at), ...entry } });
  }

  #place(at: Path): Pick<Entry, "file" | "line" | "path" | "value"> {
    const line = this.document.lineOf(at);
    const { file, path } = this.document.sourceOf?.(at) ?? { file: this.document.file, path: at };
    const value = valueAt(this.document.root, at);
    const field = this.table.fieldOf(at.slice(this.base.length));
    const isShown =
      (typeof value === "string" || typeof value === "number" || typeof value === "boolean") &&
      plainText(value).length <= SHOWN_CHARACTERS &&
      !this.table.isSecret(field) &&
      !holdsSecret(plainText(value)) &&
      !isSecretPlace(at, beforeOf(this.document.root, at));
    return {
      file,
      ...(line !== undefined && { line }),
      path: pathText(path),
      ...(isShown && { value }),
    };
  }

  /** In document order, with those of the table. */
  entries(): Entry[] {
    for (const { at, why } of this.#dismissed) {
      this.#noted = this.#noted.filter(
        ({ at: place, entry }) => !isWithin(place, at) || ["notMapped", "wrong"].includes(entry.kind),
      );
      this.#noted.push({ at, entry: { kind: "notMapped", ...this.#place(at), why } });
    }
    this.#answerTheRest(this.base, this.#answers());
    return this.#noted.map(({ entry }) => entry).sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }

  #answers(): Answers {
    const covered = [...this.#covered, ...this.#dismissed.map((dismissed) => dismissed.at)];
    const noted = this.#noted.map(({ at }) => at);
    const own = noted.filter((at) => !this.#wholes.has(pathText(at)));
    const above = [...noted, ...this.#covered].flatMap((at) => at.map((_, index) => placeKey(at.slice(0, index))));
    return {
      answered: new Set([...own, ...covered].map(placeKey)),
      above: new Set([...above, ...noted.map(placeKey)]),
    };
  }

  #answerTheRest(at: Path, answers: Answers): void {
    const value = valueAt(this.document.root, at);
    const own = at.slice(this.base.length);
    const field = this.table.fieldOf(own);
    const isAnswered =
      answers.answered.has(placeKey(at)) ||
      (own.length === 0 && at.some((_, index) => answers.answered.has(placeKey(at.slice(0, index)))));
    if (isEmpty(value) || isAnswered) {
      return;
    }
    const isAbove = own.length === 0 || this.table.isContainer(field) || answers.above.has(placeKey(at));
    if (isAbove && (isMapping(value) || Array.isArray(value))) {
      const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
      keys.forEach((key) => void this.#answerTheRest([...at, key], answers));
      return;
    }
    this.#noted.push({ at, entry: { ...this.#place(at), ...this.#fateAt(at, field) } });
  }

  #fateAt(at: Path, field: string): Pick<Entry, "kind" | "why"> {
    const fate = this.table.fateOf(field);
    if (fate === undefined) {
      return { kind: "notMapped", why: `no field of ${this.table.rows.title}` };
    }
    if (fate.kind === "mapped") {
      return this.#noNumbers.has(pathText(at))
        ? { kind: "wrong", why: NO_NUMBER }
        : { kind: "notMapped", why: "it has no effect in this file" };
    }
    return { kind: fate.kind, why: fate.why };
  }
}

/** By key, for files with thousands of paths. */
interface Answers {
  readonly answered: ReadonlySet<string>;
  readonly above: ReadonlySet<string>;
}

function placeKey(at: Path): string {
  return at.join("\0");
}

/** The list entry before this one. */
function beforeOf(root: unknown, at: Path): unknown {
  const index = at[at.length - 1];
  return typeof index === "number" ? valueAt(root, [...at.slice(0, -1), index - 1]) : undefined;
}
