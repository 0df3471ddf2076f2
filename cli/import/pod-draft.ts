/** What a document adds to the pods of a model: `models.<name>.pod`. */
import type { Plain } from "./draft";

/** A volume, init container or sidecar, by the fields of the configuration. */
export type PodPart = Readonly<Record<string, Plain>> & { readonly name: string };

/** Parts are found by their name, labels and annotations by their key. */
export interface PodDraft {
  readonly labels: Record<string, Plain>;
  readonly annotations: Record<string, Plain>;
  readonly volumes: PodPart[];
  readonly initContainers: PodPart[];
  readonly sidecars: PodPart[];
}

export function emptyPod(): PodDraft {
  return { labels: {}, annotations: {}, volumes: [], initContainers: [], sidecars: [] };
}

/** The keys of a pod that have something; undefined where none has. */
export function writtenPod(pod: PodDraft): Record<string, Plain> | undefined {
  const written = Object.entries(pod).filter(([, value]) => Object.keys(value as object).length > 0);
  return written.length === 0 ? undefined : (Object.fromEntries(written) as Record<string, Plain>);
}

/**
 * Takes one thing out again: a key of labels or annotations, or a part by its position.
 *
 * @returns its name, undefined where there is no such thing.
 */
export function removeFromPod(pod: PodDraft, section: string, key: string | number): string | undefined {
  const held = pod[section as keyof PodDraft] as Record<string, Plain> | PodPart[] | undefined;
  if (Array.isArray(held)) {
    const [part] = held.splice(Number(key), 1);
    return part?.name;
  }
  if (held === undefined || !Object.hasOwn(held, key)) {
    return undefined;
  }
  delete held[key];
  return String(key);
}
