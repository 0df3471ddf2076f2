/** Place of each tensor: numbered layers of the text model, or outside them. */
import conventions from "./name-conventions.json";
import type { StoredTensor } from "./safetensors-header";

export type StoredPlace =
  | { readonly at: "layer"; readonly layer: number }
  /** By name: token table, output matrix, vision or audio tower. */
  | { readonly at: "embedding" | "head" | "finalNorm" | "tower" | "prediction" | "elsewhere" };

export interface PlacedTensor {
  readonly tensor: StoredTensor;
  readonly place: StoredPlace;
  /** Name, split at dots. */
  readonly path: readonly string[];
}

export interface CheckpointLayout {
  readonly tensors: readonly PlacedTensor[];
  readonly layers: number;
}

/** More than any model; also the limit for config.json. */
const MAX_LAYERS = 4096;

/** The text model is the numbered stack with the most bytes. */
export function layoutOf(tensors: readonly StoredTensor[]): CheckpointLayout {
  const split = tensors.map((tensor) => ({ tensor, path: tensor.name.split(".") }));
  const stacks = new Map<string, number>();
  for (const { tensor, path } of split) {
    const numbered = numberedPart(path);
    if (numbered !== undefined) {
      stacks.set(numbered.stack, (stacks.get(numbered.stack) ?? 0) + tensor.bytes);
    }
  }
  const [text] = [...stacks].sort(([, a], [, b]) => b - a)[0] ?? [];
  const placed = split.map(({ tensor, path }): PlacedTensor => ({ tensor, path, place: placeOf(path, text) }));
  const last = placed.reduce((most, { place }) => (place.at === "layer" ? Math.max(most, place.layer) : most), -1);
  return { tensors: placed, layers: last + 1 };
}

function placeOf(path: readonly string[], textStack: string | undefined): StoredPlace {
  const numbered = numberedPart(path);
  if (numbered !== undefined && numbered.stack === textStack) {
    return { at: "layer", layer: numbered.index };
  }
  if (path.includes("mtp")) {
    return { at: "prediction" };
  }
  if (numbered !== undefined || path.some(isTower)) {
    return { at: "tower" };
  }
  if (path.some((part) => conventions.embedding.includes(part))) {
    return { at: "embedding" };
  }
  if (path.some((part) => conventions.finalNorm.includes(part))) {
    return { at: "finalNorm" };
  }
  // "output" is a head only at the top level: layers have outputs too
  if (path.some((part) => conventions.head.includes(part)) || path[0] === "output") {
    return { at: "head" };
  }
  return { at: "elsewhere" };
}

/** Whether a name part is of a vision or audio tower or its projector. */
export function isTower(part: string): boolean {
  return conventions.towers.some((tower) => part === tower || part.startsWith(`${tower}_`));
}

/** The first number in a name, and the part before it. */
function numberedPart(path: readonly string[]): { readonly stack: string; readonly index: number } | undefined {
  const at = path.findIndex((part) => /^\d{1,4}$/.test(part));
  const index = Number(path[at]);
  return at > 0 && index < MAX_LAYERS ? { stack: path.slice(0, at).join("."), index } : undefined;
}
