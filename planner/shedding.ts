/** How many requests of free consumers a model works on, beside those of paying ones. */
import type { GatewayLimits } from "./gateway-limits";
import type { ModelPlan } from "./types";

/** Requests of free consumers that are under way at a time, at all proxies together. */
export interface FreeRequests {
  /** By the models' keys; of one whose replicas are nodes, on each of its two ways: by the engines' own port, and by the nodes'. */
  readonly byModel: Readonly<Record<string, number>>;
  /** To a server of others, whose size nobody here knows. */
  readonly elsewhere: number;
}

/**
 * Half: a paying request finds a place while free ones take all that they may, and a model without free requests is half used
 * at worst where all of its consumers are free. (A judgement, no measurement.)
 */
const SHARE = 0.5;

/**
 * A share of the requests that the replicas which always run work on at once (`concurrency`), at least one: free requests alone never
 * wait in an engine's queue, where they would stand before paying ones. Not a share of the gateway's
 * own limit: that follows from memory for bodies, and is many times what a model can do (`gateway-limits.ts`); vLLM
 * queues all of that, Ollama 512 requests (envconfig/config.go of 0.6.5), and TGI 128 (`tgi-args.ts`), before they refuse any.
 */
export function freeRequests(
  models: readonly Pick<ModelPlan, "name" | "concurrency" | "minReplicas" | "node">[],
  { parallelRequests }: Pick<GatewayLimits, "parallelRequests">,
): FreeRequests {
  return {
    byModel: Object.fromEntries(
      models.map(({ name, concurrency, minReplicas, node }) => [
        name,
        shareOf(Math.max(1, minReplicas) * concurrency, node === undefined ? 1 : 2),
      ]),
    ),
    elsewhere: shareOf(parallelRequests),
  };
}

function shareOf(requests: number, ways = 1): number {
  return Math.max(1, Math.floor((requests * SHARE) / ways));
}
