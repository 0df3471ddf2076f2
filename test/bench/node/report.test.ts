import { describe, expect, it } from "vitest";
import { AT_ONCE, type NodeLoad, STREAMS } from "./measure";
import { costOf, nodeFailures, nodeTable } from "./report";

const round = (perSecond: number, firstByteSeconds: number) => ({
  perSecond,
  firstByteSeconds,
  p50Seconds: 0.1,
  p99Seconds: 0.2,
});

function load(overrides: Partial<NodeLoad> = {}): NodeLoad {
  return {
    kind: STREAMS,
    requests: 10,
    connections: 16,
    direct: [round(100, 0.01), round(50, 0.02)],
    node: [round(95, 0.0105), round(47.5, 0.0205)],
    ...overrides,
  };
}

describe("what a node costs", () => {
  it("is told round by round, so that a busy moment slows both sides of a ratio", () => {
    const { throughput, addedFirstByteSeconds } = costOf(load());
    expect(throughput).toBeCloseTo(0.95);
    expect(addedFirstByteSeconds).toBeCloseTo(0.0005);
  });

  it("is held to its limits: streams to the rate, an answer at once to the first byte", () => {
    const late = { node: [round(100, 0.0121), round(50, 0.0221)] };
    const slow = { node: [round(89, 0.01), round(44, 0.02)] };
    expect(nodeFailures([load(), load(late), load({ kind: AT_ONCE, connections: 1 })])).toEqual([]);
    expect(nodeFailures([load(slow), load({ kind: AT_ONCE, connections: 1, ...late })])).toEqual([
      `${STREAMS} over 16 connections: it answers at 0.885 of the engine's rate, at least 0.9 is asked`,
      `${AT_ONCE} over 1 connections: it adds 2.1 ms to the first byte, at most 1 ms is asked`,
    ]);
    const { rows } = nodeTable([load(), load(slow), load({ kind: AT_ONCE })]);
    expect(rows.map((cells) => cells.at(-1))).toEqual(["passed", "failed", ""]);
  });

  it("fails for a limit that no load was held to", () => {
    // With many connections, what a node adds to the first byte is not judged.
    expect(nodeFailures([load(), load({ kind: AT_ONCE, connections: 16 })])).toEqual([`${AT_ONCE}: not measured`]);
    expect(nodeFailures([])).toEqual([`${STREAMS}: not measured`, `${AT_ONCE}: not measured`]);
  });

  it("fails where one of two series lacks a round", () => {
    const [one, two] = nodeFailures([
      load({ direct: [round(100, 0.01), round(Number.NaN, 0.02)] }),
      load({ kind: AT_ONCE, connections: 1 }),
    ]);
    expect([one, two]).toEqual([expect.stringContaining("at NaN of the engine's rate"), undefined]);
  });
});
