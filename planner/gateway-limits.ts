import { BYTES_PER_MIB } from "../names/units";
import type { ModelPlan, Stage } from "./types";

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

/** Envoy Gateway 1.9 gives Envoy this share of its memory limit as heap; above it, requests are refused. */
const HEAP_SHARE = 0.8;

/** Memory of a proxy before it holds any body, GiB: configuration, connections, TLS. */
const BASE_GIB = 0.4;

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
  const wantedGiB = Math.ceil((BASE_GIB + (demand * bodyMiB) / 1024) / HEAP_SHARE);
  const proxyMemoryGiB = Math.min(MOST_MEMORY_GIB, Math.max(LEAST_MEMORY_GIB[stage], wantedGiB));
  const bodiesMiB = (proxyMemoryGiB * HEAP_SHARE - BASE_GIB) * 1024;
  return {
    maxRequestBytes: bodyMiB * BYTES_PER_MIB,
    parallelRequests: Math.max(1, Math.floor(bodiesMiB / bodyMiB)),
    proxyMemoryGiB,
  };
}

function bodyMiBOf({ task, takesImages, contextTokens }: GatewayDemand["models"][number]): number {
  const prompt = Math.ceil((contextTokens * BYTES_PER_TOKEN) / BYTES_PER_MIB);
  return Math.max(prompt, takesImages || task === "embedding" ? BODY_MIB.imagesOrVectors : 0);
}
