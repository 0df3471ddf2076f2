/** What becomes of every field of a published format: read by the importer, its tests and its documentation pages. */
import type { Path } from "./path";

/** Fields with one fate and one reason. */
interface FieldGroup {
  readonly fields: readonly string[];
  readonly why: string;
}

/** A table as it is kept: `fields/<format>.json`. A field covers everything below it that has no row of its own. */
export interface FieldRows {
  readonly about: string;
  /** What a file of the format is called: "a recipe of OCI AI Blueprints". */
  readonly title: string;
  /** Published fields to keys of ours: `models.*.contextTokens`. */
  readonly mapped: Readonly<Record<string, string>>;
  /** What the platform plans or provides itself. */
  readonly changed: readonly FieldGroup[];
  /** What has no counterpart. */
  readonly lost: readonly FieldGroup[];
  /** Fields whose values never appear in a report. */
  readonly secret: readonly string[];
}

/** What becomes of one field. */
export type Fate =
  | { readonly kind: "mapped"; readonly to: string }
  | { readonly kind: "changed" | "notMapped"; readonly why: string };

/** A table that answers by path. */
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

  /** The row of a field itself. */
  rowOf(field: string): Fate | undefined {
    return this.#rows.get(field);
  }

  /** Whether rows of fields below it exist. */
  isContainer(field: string): boolean {
    return this.#containers.has(field);
  }

  /** The row that covers a field: its own, or that of the nearest field above it. */
  fateOf(field: string): Fate | undefined {
    return [field, ...prefixesOf(field).reverse()]
      .map((name) => this.#rows.get(name))
      .find((fate) => fate !== undefined);
  }

  isSecret(field: string): boolean {
    return [field, ...prefixesOf(field)].some((name) => this.#secret.has(name));
  }

  /**
   * The field that a path is: positions become `[]`, and keys that users choose `*`.
   */
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

  /** Every row with its field, in the order of the table. */
  all(): readonly (readonly [string, Fate])[] {
    return [...this.#rows];
  }
}

/** `a.b[].c` lies in `a`, `a.b` and `a.b[]`. */
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
