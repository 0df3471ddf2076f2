/** Additions to a model's pods: `models.<name>.pod`. */
import type { Plain } from "./draft";

/** By the configuration's fields. */
export type PodPart = Readonly<Record<string, Plain>> & { readonly name: string };

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

/** Undefined without content. */
export function writtenPod(pod: PodDraft): Record<string, Plain> | undefined {
  const written = Object.entries(pod).filter(([, value]) => Object.keys(value as object).length > 0);
  return written.length === 0 ? undefined : (Object.fromEntries(written) as Record<string, Plain>);
}

/**
 * Removes a label, an annotation or a part by position.
 * @returns its name, if it existed.
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
