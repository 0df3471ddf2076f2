import { BYTES_PER_MIB } from "../names/units";
import type { ModelPlan, Stage } from "./types";

/** Least speed of a request's body after the grace time for its first byte. */
export const RECEIVING = { graceSeconds: 20, bitsPerSecond: 3e6 } as const;

/** Limits of requests through the gateway, and proxy memory for them. */
export interface GatewayLimits {
  /** Request bodies, and answers without streaming, bytes. */
  readonly maxRequestBytes: number;
  /** Per model and proxy. */
  readonly parallelRequests: number;
  /** GiB, for the proxy and for its filter. */
  readonly proxyMemoryGiB: number;
}

export interface GatewayDemand {
  readonly stage: Stage;
  readonly models: readonly Pick<ModelPlan, "task" | "takesImages" | "contextTokens" | "concurrency" | "maxReplicas">[];
  /** @default derived from the models */
  readonly maxRequestMiB?: number;
}

/**
 * MiB of a body. Text: a prompt of some 100,000 tokens, or an answer with log probabilities; longer
 * contexts get more. Images come in base64, several to a prompt. Embeddings are text: a thousand
 * vectors of 1024 numbers are 20 MiB.
 */
const BODY_MIB = { text: 4, imagesOrVectors: 32 } as const;

/** Upper bound in JSON: a character beyond ASCII may take six. */
const BYTES_PER_TOKEN = 8;

/**
 * Usable share of a proxy program's memory limit, its base (configuration, connections, TLS), and
 * its copies of a body until the model answers. Envoy Gateway 1.9 sets this share as Envoy's heap,
 * above which it refuses requests; the filter has no such protection, and the kernel would kill it.
 *
 * `copies`: measured with bodies of 4 MiB, Envoy 1.40 and AI Gateway 1.0.0 (`npm run bench --
 * gateway`, 2026-11-22). The filter's are in use, not garbage: a lower GOMEMLIMIT does not reduce
 * them.
 */
const PROGRAMS = [
  { name: "Envoy", share: 0.8, baseGiB: 0.4, copies: 1.8 },
  { name: "filter", share: 1, baseGiB: 0.1, copies: 4.2 },
] as const;

const LEAST_MEMORY_GIB: Readonly<Record<Stage, number>> = { production: 2, development: 1 };
/** Larger proxies find no node. */
const MOST_MEMORY_GIB = 16;

/**
 * Sizes one proxy, as the other may be away, for the bodies of all running requests and as many
 * queued ones. Bodies stay in memory until the answer begins, since requests may be retried. The
 * number of requests follows from the memory: excess is refused at once.
 */
export function gatewayLimits({ stage, models, maxRequestMiB }: GatewayDemand): GatewayLimits {
  const bodyMiB = maxRequestMiB ?? Math.max(BODY_MIB.text, ...models.map(bodyMiBOf));
  const demand = 2 * models.reduce((sum, { maxReplicas, concurrency }) => sum + maxReplicas * concurrency, 0);
  const wantedGiB = PROGRAMS.map(({ share, baseGiB, copies }) =>
    Math.ceil((baseGiB + (Math.max(1, demand) * bodyMiB * copies) / 1024) / share),
  );
  const proxyMemoryGiB = Math.min(MOST_MEMORY_GIB, Math.max(LEAST_MEMORY_GIB[stage], ...wantedGiB));
  const bodies = PROGRAMS.map(({ share, baseGiB, copies }) =>
    Math.floor(((proxyMemoryGiB * share - baseGiB) * 1024) / (bodyMiB * copies)),
  );
  return {
    maxRequestBytes: bodyMiB * BYTES_PER_MIB,
    parallelRequests: Math.max(1, Math.min(...bodies)),
    proxyMemoryGiB,
  };
}

function bodyMiBOf({ task, takesImages, contextTokens }: GatewayDemand["models"][number]): number {
  const prompt = Math.ceil((contextTokens * BYTES_PER_TOKEN) / BYTES_PER_MIB);
  return Math.max(prompt, takesImages || task === "embedding" ? BODY_MIB.imagesOrVectors : 0);
}
