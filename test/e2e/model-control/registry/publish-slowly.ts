import type { Registry } from "./start-registry";
import { tinyLlama } from "./tiny-llama";

const BYTES = 3_000_000;

/**
 * Offers a model that nobody has pulled yet, and whatever is fetched from then on comes at its pace.
 *
 * @param seconds that its weights take.
 * @param seed models of other seeds have other weights.
 * @returns the full name to pull.
 */
export function publishSlowly(
  registry: Registry,
  name: string,
  { seconds, seed }: { readonly seconds: number; readonly seed: number },
): string {
  registry.misbehaviour.bytesPerSecond = BYTES / seconds;
  return registry.publish(`${name}:latest`, tinyLlama({ seed, bytes: BYTES }));
}
