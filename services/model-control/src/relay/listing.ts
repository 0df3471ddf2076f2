/** Model lists of an Ollama server. */
import { z } from "zod";
import type { EngineClient } from "../backends/engine-client";
import { engineBytes, engineName, listOf, shortText } from "../backends/shapes";
import { modelKey } from "./tenants";

const DETAILS = z.object({
  format: shortText.optional(),
  family: shortText.optional(),
  families: z.array(shortText).max(20).nullish(),
  parameter_size: shortText.optional(),
  quantization_level: shortText.optional(),
});

// Fields that clients receive. Source: ollama v0.32.15 and v0.6.5, api/types.go (ListModelResponse,
// ProcessModelResponse).
const ON_DISK = z.object({
  name: engineName,
  model: engineName.optional(),
  modified_at: shortText.optional(),
  size: engineBytes,
  digest: shortText.optional(),
  details: DETAILS.optional(),
  /** Set for models that Ollama's cloud runs. Since v0.12. */
  remote_host: z.string().optional(),
});
const LOADED = z.object({
  name: engineName,
  model: engineName.optional(),
  size: engineBytes,
  size_vram: engineBytes,
  digest: shortText.optional(),
  details: DETAILS.optional(),
  expires_at: shortText.optional(),
  context_length: z.int().optional(),
});
const TAGS = z.object({ models: listOf(ON_DISK) });
const PS = z.object({ models: listOf(LOADED) });
const VERSION = z.object({ version: shortText });

export type OnDisk = z.output<typeof ON_DISK>;
export type Loaded = z.output<typeof LOADED>;

/** A worker's models by `modelKey`, in Ollama's format. */
export interface Listing {
  readonly onDisk: ReadonlyMap<string, OnDisk>;
  readonly loaded: ReadonlyMap<string, Loaded>;
  readonly version: string;
}

/** @throws EngineUnavailable, EngineRefusal */
export async function askListing(client: EngineClient, timeoutSeconds: number, signal: AbortSignal): Promise<Listing> {
  const options = { signal, timeoutSeconds };
  const [tags, ps, { version }] = await Promise.all([
    client.json("GET", "/api/tags", TAGS, options),
    client.json("GET", "/api/ps", PS, options),
    client.json("GET", "/api/version", VERSION, options),
  ]);
  return {
    // Excludes models that run in Ollama's cloud.
    onDisk: byKey(tags.models.filter(({ remote_host }) => !remote_host)),
    loaded: byKey(ps.models),
    version,
  };
}

function byKey<T extends { readonly name: string }>(models: readonly T[]): ReadonlyMap<string, T> {
  return new Map(
    models.flatMap((model) => (modelKey(model.name) === undefined ? [] : [[modelKey(model.name) ?? "", model]])),
  );
}
