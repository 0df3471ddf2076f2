import { Chosen } from "../names/chosen";
import type { ImageEntry } from "./images";
import type { ModelEntry } from "./models";
import type { MachineShape } from "./shapes";

/** Rows that a repository adds to the catalogue. */
export interface CatalogRows {
  /** `configPath` is relative to its Pulumi project. @default none */
  readonly models?: readonly ModelEntry[];
  /** @default none */
  readonly shapes?: readonly MachineShape[];
  /** @default none */
  readonly images?: readonly ImageEntry[];
}

export const chosenRows = new Chosen<CatalogRows>("rows of the catalogue");

/** Rows of a kind, added to ours. */
export function ownRows<Kind extends keyof CatalogRows>(kind: Kind): NonNullable<CatalogRows[Kind]> | [] {
  return chosenRows.orNone()?.[kind] ?? [];
}
