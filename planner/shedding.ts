import type { GatewayLimits } from "./gateway-limits";
import type { ModelPlan } from "./types";

/** Running requests of free consumers, at all proxies together. */
export interface FreeRequests {
  /** By model; for nodes, on each path: the engines' port and the nodes'. */
  readonly byModel: Readonly<Record<string, number>>;
  /** For an external server of unknown size. */
  readonly elsewhere: number;
}

/**
 * Half: paying requests find a place while free ones use their share, and a model with only free
 * consumers is at worst half used. (A judgement, no measurement.)
 */
const SHARE = 0.5;

/**
 * A share of the permanent replicas' `concurrency`, at least one: free requests alone never queue
 * in an engine ahead of paying ones. Not a share of the gateway's limit, which follows from body
 * memory and is many times what a model can do (`gateway-limits.ts`); vLLM queues all of that,
 * Ollama 512 requests (envconfig/config.go of 0.6.5), and TGI 128 (`tgi-args.ts`), before they
 * refuse any.
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
