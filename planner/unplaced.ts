import type { Layout } from "./layouts";
import type { MemoryEstimate } from "./memory/types";
import type { ModelRequest, PoolRequest } from "./request";
import { servedFormat } from "./served-format";
import type { UnplacedModel } from "./types";

interface Miss {
  readonly pool: string;
  readonly layout: Layout;
  readonly estimate: MemoryEstimate;
}

/** A server's layout on a pool, with estimates: the host's, then its guests'. */
export interface ServerMiss {
  readonly pool: string;
  readonly layout: Layout;
  readonly each: readonly MemoryEstimate[];
}

export function missOf(nearest: ServerMiss | undefined, index: number): Miss | undefined {
  const estimate = nearest?.each[index];
  return nearest && estimate && { pool: nearest.pool, layout: nearest.layout, estimate };
}

export function unplacedModel(
  model: ModelRequest,
  rule: string,
  pools: readonly PoolRequest[],
  nearest?: Miss,
): UnplacedModel {
  const { name, servedName, engine, engineVersion, task, source, contextTokens, concurrency, revisionOf } = model;
  const shape = pools.find((p) => p.name === nearest?.pool)?.shape.name;
  return {
    name,
    servedName,
    engine,
    engineVersion,
    task,
    ...(revisionOf && { revisionOf }),
    source,
    format: servedFormat(model),
    contextTokens,
    concurrency,
    rule,
    ...(nearest &&
      shape !== undefined && {
        nearest: {
          pool: nearest.pool,
          shape,
          ...nearest.layout,
          memoryPerGpu: nearest.estimate.perGpu,
          verdict: nearest.estimate.verdict,
        },
      }),
  };
}
