import { BYTES_PER_MIB } from "../names/units";
import type { ModelPlan, Stage } from "./types";

/** How fast the body of a request must come, after so long for its first byte. */
export const RECEIVING = { graceSeconds: 20, bitsPerSecond: 3e6 } as const;

/** What a request through the gateway may weigh, and the memory that proxies need for it. */
export interface GatewayLimits {
  /** Largest request body, and largest answer that is not streamed, bytes. */
  readonly maxRequestBytes: number;
  /** Requests to one model that one proxy holds at a time. */
  readonly parallelRequests: number;
  /** Memory limit of a proxy, and of the filter beside it, GiB. */
  readonly proxyMemoryGiB: number;
}

export interface GatewayDemand {
  readonly stage: Stage;
  readonly models: readonly Pick<ModelPlan, "task" | "takesImages" | "contextTokens" | "concurrency" | "maxReplicas">[];
  /** As the environment says. @default what the models take */
  readonly maxRequestMiB?: number;
}

/**
 * MiB of a body. Text: a prompt of some 100,000 tokens, or an answer with log probabilities; longer contexts get more.
 * Images come in base64, some to a prompt. Embeddings go out as text: a thousand vectors of 1024 numbers are 20 MiB.
 */
const BODY_MIB = { text: 4, imagesOrVectors: 32 } as const;

/** Bytes of a token in JSON, at most: a character beyond ASCII may be written as six. */
const BYTES_PER_TOKEN = 8;

/**
 * What a program of a proxy may use of its memory limit, what it takes before it holds any body (configuration, connections, TLS), and
 * how many times the size of a body it takes while the model has not answered. Envoy Gateway 1.9 gives Envoy this share as heap, above
 * which it refuses requests; nothing refuses for the filter, which the kernel would end.
 *
 * `copies`: measured with bodies of 4 MiB, Envoy 1.40 and AI Gateway 1.0.0 (`npm run bench -- gateway`, 2026-11-22). The filter's are in
 * use, not garbage: with GOMEMLIMIT below them it takes as many.
 */
const PROGRAMS = [
  { name: "Envoy", share: 0.8, baseGiB: 0.4, copies: 1.8 },
  { name: "filter", share: 1, baseGiB: 0.1, copies: 4.2 },
] as const;

const LEAST_MEMORY_GIB: Readonly<Record<Stage, number>> = { production: 2, development: 1 };
/** A proxy with more than this waits for a node that does not exist. */
const MOST_MEMORY_GIB = 16;

/**
 * Sizes the proxies for the bodies of all requests that the models work on, and as many again that wait in their
 * engines' queues, through one proxy: the other may be away. Bodies stay in memory until the answer begins, since a request
 * may be tried again. The number of requests follows from the memory, never the other way round: what does not
 * fit is refused at once.
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
