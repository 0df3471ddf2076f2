/** Fate of every field of a format, for importer, tests and pages. */
import type { Path } from "./path";

interface FieldGroup {
  readonly fields: readonly string[];
  readonly why: string;
}

/** `fields/<format>.json`. A field covers everything below it without its own row. */
export interface FieldRows {
  readonly about: string;
  /** "a recipe of OCI AI Blueprints". */
  readonly title: string;
  /** Published fields to environment keys: `models.*.contextTokens`. */
  readonly mapped: Readonly<Record<string, string>>;
  /** Planned or provided by the platform. */
  readonly changed: readonly FieldGroup[];
  /** Without a counterpart. */
  readonly lost: readonly FieldGroup[];
  /** Never shown in a report. */
  readonly secret: readonly string[];
}

export type Fate =
  | { readonly kind: "mapped"; readonly to: string }
  | { readonly kind: "changed" | "notMapped"; readonly why: string };

export class FieldTable {
  readonly #rows = new Map<string, Fate>();
  readonly #containers = new Set<string>();
  readonly #secret: ReadonlySet<string>;

  constructor(readonly rows: FieldRows) {
    for (const [field, to] of Object.entries(rows.mapped)) {
      this.#add(field, { kind: "mapped", to });
    }
    for (const { fields, why } of rows.changed) {
      fields.forEach((field) => void this.#add(field, { kind: "changed", why }));
    }
    for (const { fields, why } of rows.lost) {
      fields.forEach((field) => void this.#add(field, { kind: "notMapped", why }));
    }
    this.#secret = new Set(rows.secret);
  }

  #add(field: string, fate: Fate): void {
    if (this.#rows.has(field)) {
      throw new Error(`field ${field} has two rows`);
    }
    this.#rows.set(field, fate);
    prefixesOf(field).forEach((prefix) => void this.#containers.add(prefix));
  }

  rowOf(field: string): Fate | undefined {
    return this.#rows.get(field);
  }

  isContainer(field: string): boolean {
    return this.#containers.has(field);
  }

  /** The row of the field or of its nearest parent. */
  fateOf(field: string): Fate | undefined {
    return [field, ...prefixesOf(field).reverse()]
      .map((name) => this.#rows.get(name))
      .find((fate) => fate !== undefined);
  }

  isSecret(field: string): boolean {
    return [field, ...prefixesOf(field)].some((name) => this.#secret.has(name));
  }

  /** Positions become `[]`, keys chosen by users `*`. */
  fieldOf(path: Path): string {
    return path.reduce<string>((field, key) => {
      if (typeof key === "number") {
        return `${field}[]`;
      }
      const named = field === "" ? key : `${field}.${key}`;
      const open = field === "" ? "*" : `${field}.*`;
      const isNamed = this.#rows.has(named) || this.#containers.has(named);
      return !isNamed && (this.#rows.has(open) || this.#containers.has(open)) ? open : named;
    }, "");
  }

  all(): readonly (readonly [string, Fate])[] {
    return [...this.#rows];
  }
}

/** `a.b[].c` is in `a`, `a.b` and `a.b[]`. */
function prefixesOf(field: string): string[] {
  const prefixes: string[] = [];
  for (const match of field.matchAll(/\.|\[\]/g)) {
    if (match.index > 0) {
      prefixes.push(field.slice(0, match.index));
    }
    if (match[0] === "[]" && match.index + 2 < field.length) {
      prefixes.push(field.slice(0, match.index + 2));
    }
  }
  return [...new Set(prefixes)];
}
