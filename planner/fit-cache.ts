import { originOf } from "../engines/sources";
import { fitOnPool } from "./candidates/fit-on-pool";
import type { Candidate, Fit, Refusal } from "./candidates/types";
import { isSized } from "./level/sizing";
import { statedKind } from "./model/weights-name";
import type { Capacity } from "./packing";
import type { ModelRequest, PoolRequest } from "./request";
import type { ServerModels } from "./shared-servers";

/** Many models, and many plans in the search for fixes, repeat questions about a pool. */
export class FitCache {
  private readonly answers = new Map<string, Fit>();
  private readonly numbers = new Map<object, number>();

  onPools(
    server: ServerModels,
    pools: readonly PoolRequest[],
    nodeOf: (pool: PoolRequest) => Capacity,
  ): { candidates: Candidate[]; refusals: Refusal[] } {
    const candidates: Candidate[] = [];
    const refusals: Refusal[] = [];
    for (const pool of pools) {
      const fit = this.fit(server, pool, nodeOf(pool));
      if ("candidate" in fit) {
        candidates.push(fit.candidate);
      } else {
        refusals.push(fit.refusal);
      }
    }
    return { candidates, refusals };
  }

  private fit(server: ServerModels, pool: PoolRequest, node: Capacity): Fit {
    const key = JSON.stringify([
      pool.name,
      this.numberOf(pool.shape),
      pool.maxNodes,
      pool.rdmaAccess,
      node,
      this.question(server.host),
      // Messages name the guest that takes memory.
      server.guests.length === 0 ? [] : [server.host, ...server.guests].map(({ name }) => name),
      server.guests.map((guest) => this.question(guest)),
    ]);
    let answer = this.answers.get(key);
    if (!answer) {
      answer = fitOnPool(server, pool, node);
      this.answers.set(key, answer);
    }
    return answer;
  }

  /** Every field of a model that affects the answer. */
  private question(model: ModelRequest): unknown {
    const {
      architecture,
      name: _name,
      servedName: _servedName,
      source,
      storeFolder: _storeFolder,
      revisionOf: _revisionOf,
      minReplicas: _minReplicas,
      maxReplicas: _maxReplicas,
      scaling: _scaling,
      pools: _pools,
      chatTemplate: _chatTemplate,
      prefixCaches: _prefixCaches,
      nameLimits: _nameLimits,
      ...question
    } = model;
    // With traffic the number of replicas decides between layouts.
    return [
      this.numberOf(architecture),
      question,
      // By the source's name: formats differ in disk size.
      statedKind(originOf(source).name)?.kind ?? null,
      isSized(model) ? [model.minReplicas, model.maxReplicas] : [],
    ];
  }

  private numberOf(part: object): number {
    const number = this.numbers.get(part) ?? this.numbers.size;
    this.numbers.set(part, number);
    return number;
  }
}
