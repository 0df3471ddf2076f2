import { pairedRatio, summarize } from "../statistics";
import { milliseconds, type Table } from "../table";
import { AT_ONCE, type NodeLoad, STREAMS } from "./measure";

/** What a node may cost. */
export const LIMITS = {
  /** Of the answers per second that the engine gives without it, while it streams. */
  throughput: 0.9,
  /** Seconds that it may add until the first byte, at the median, of an answer that takes no time itself. */
  firstByteSeconds: 0.001,
} as const;

export interface NodeCost extends Pick<NodeLoad, "kind" | "connections"> {
  /** Answers per second through the node, of those past it: the median of the rounds' ratios. */
  readonly throughput: number;
  /** Seconds until the first byte that the node adds: the median of the rounds' differences. */
  readonly addedFirstByteSeconds: number;
}

export function costOf({ kind, connections, direct, node }: NodeLoad): NodeCost {
  const rates = (rounds: NodeLoad["node"]) => rounds.map(({ perSecond }) => perSecond);
  const added = node.map(
    ({ firstByteSeconds }, round) => firstByteSeconds - (direct[round]?.firstByteSeconds ?? Number.NaN),
  );
  return {
    kind,
    connections,
    throughput: pairedRatio(rates(node), rates(direct)),
    addedFirstByteSeconds: summarize(added).median,
  };
}

/** Which limit a cost is held to, and whether it keeps it; undefined where it is told alone. */
export function verdictOf({ kind, connections, throughput, addedFirstByteSeconds }: NodeCost): boolean | undefined {
  if (kind === STREAMS) {
    return throughput >= LIMITS.throughput;
  }
  // With more than one request at a time clients, engine and node of one machine wait for its cores: that is not the node's own time.
  return kind === AT_ONCE && connections === 1 ? addedFirstByteSeconds <= LIMITS.firstByteSeconds : undefined;
}

export function nodeTable(loads: readonly NodeLoad[]): Table {
  const first = loads[0]?.node.length ?? 0;
  return {
    title: `through a node, ${first} rounds; streams: at least ${LIMITS.throughput} of the rate, at once: at most ${milliseconds(LIMITS.firstByteSeconds)} to the first byte`,
    columns: [
      "asked",
      "connections",
      "direct per second",
      "node per second",
      "rate",
      "direct p50",
      "first byte adds",
      "verdict",
    ],
    rows: loads.map((load) => {
      const cost = costOf(load);
      const verdict = verdictOf(cost);
      const median = (values: readonly number[]) => summarize(values).median;
      return [
        load.kind,
        String(load.connections),
        median(load.direct.map(({ perSecond }) => perSecond)).toFixed(0),
        median(load.node.map(({ perSecond }) => perSecond)).toFixed(0),
        cost.throughput.toFixed(3),
        milliseconds(median(load.direct.map(({ p50Seconds }) => p50Seconds))),
        milliseconds(cost.addedFirstByteSeconds),
        verdict === undefined ? "" : verdict ? "passed" : "failed",
      ];
    }),
  };
}

/** What a node costs too much, and limits that no load was held to, one sentence each. */
export function nodeFailures(loads: readonly NodeLoad[]): string[] {
  const costs = loads.map(costOf);
  const absent = [STREAMS, AT_ONCE].filter(
    (kind) => !costs.some((cost) => cost.kind === kind && verdictOf(cost) !== undefined),
  );
  const exceeded = costs.flatMap((cost) => {
    if (verdictOf(cost) !== false) {
      return [];
    }
    const what =
      cost.kind === STREAMS
        ? `answers at ${cost.throughput.toFixed(3)} of the engine's rate, at least ${LIMITS.throughput} is asked`
        : `adds ${milliseconds(cost.addedFirstByteSeconds)} to the first byte, at most ${milliseconds(LIMITS.firstByteSeconds)} is asked`;
    return [`${cost.kind} over ${cost.connections} connections: it ${what}`];
  });
  return [...exceeded, ...absent.map((kind) => `${kind}: not measured`)];
}
