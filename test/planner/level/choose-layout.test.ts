import { describe, expect, it } from "vitest";
import type { Candidate } from "../../../planner/candidates/types";
import { chooseLayout, type LayoutOption } from "../../../planner/level/choose-layout";
import type { LevelRate } from "../../../planner/level/level-rate";
import type { ModelRequest } from "../../../planner/request";
import { CHAT_TRAFFIC, modelOf, poolOf } from "../fixtures";

const chat = (changes: Partial<ModelRequest> = {}) =>
  modelOf("qwen2.5-7b-instruct", {
    name: "chat",
    traffic: CHAT_TRAFFIC,
    serviceLevel: { tpotMs: 40 },
    derived: ["replicas"],
    ...changes,
  });

/** Eight cards a node. */
const pool = (maxNodes: number) => poolOf("p5.48xlarge", maxNodes, { name: "gpu" });

/** A layout of so many cards, of which one takes so many replicas; infinite: its floor of 52 ms is above the level. */
function option(gpus: number, needed: number, changes: Partial<LevelRate> = {}): LayoutOption {
  const isMissed = !Number.isFinite(needed);
  return {
    candidate: {
      pool: "gpu",
      layout: { tensorParallel: gpus, pipelineParallel: 1, gpusPerNode: gpus, nodesPerReplica: 1 },
      // Nothing else of it is read.
    } as Candidate,
    sizing: {
      needed,
      rate: {
        requestsPerSecond: isMissed ? 0 : 4 / needed,
        expected: 1,
        sequences: 1,
        mostSequences: 1,
        limitedBy: "weights",
        floor: { ttftMs: { expected: 100, worse: 150 }, tpotMs: { expected: 31, worse: 51.3 } },
        missed: isMissed ? ["tpotMs"] : [],
        ...changes,
      },
    },
  };
}

function chosen(fit: ReturnType<typeof chooseLayout>): [number, string | undefined] {
  if (!("candidate" in fit)) {
    throw new Error(fit.refusal.reason);
  }
  return [fit.candidate.layout.tensorParallel, fit.candidate.why];
}

describe("chooseLayout", () => {
  it("takes the first layout where it answers on as few cards as any", () => {
    expect(chosen(chooseLayout(chat(), pool(1), [option(1, 4), option(2, 2), option(4, 1)]))).toEqual([1, undefined]);
  });

  it("says that a larger one is there for the level alone", () => {
    const [parts, why] = chosen(chooseLayout(chat(), pool(1), [option(2, Number.POSITIVE_INFINITY), option(4, 1)]));
    expect([parts, why]).toEqual([
      4,
      "TP 2 would fit, TP 4 because 40 ms per token needs it: the floor of TP 2 is 52 ms",
    ]);
  });

  it("says that a larger one answers on fewer cards", () => {
    expect(chosen(chooseLayout(chat(), pool(1), [option(1, 8), option(2, 2)]))).toEqual([
      2,
      "TP 1 would fit, TP 2 because its replicas answer the peak within 40 ms per token on 4 GPUs, those of TP 1 on 8",
    ]);
  });

  it("takes a dearer one where the cheapest has no room for its replicas", () => {
    const said = chat({ derived: [], minReplicas: 1, maxReplicas: 2 });
    expect(chosen(chooseLayout(said, pool(1), [option(1, 3), option(4, 2)]))).toEqual([
      4,
      "TP 1 would fit, TP 4 because the peak within 40 ms per token takes 3 replicas of TP 1, of TP 4 2",
    ]);
    // Sixteen cards are two nodes.
    expect(chosen(chooseLayout(chat(), pool(1), [option(1, 16), option(4, 2)]))[0]).toBe(4);
  });

  it("takes the one that comes nearest where none has room: what is refused then is told of it", () => {
    expect(chosen(chooseLayout(chat(), pool(1), [option(1, 90), option(2, 30), option(4, 12)]))[0]).toBe(4);
  });

  it("refuses with floor, reason and remedy where none keeps the level", () => {
    const none = [option(1, Number.POSITIVE_INFINITY), option(2, Number.POSITIVE_INFINITY)];
    const { traffic: _, ...still } = chat();
    const fit = chooseLayout(still, pool(1), none);
    expect("refusal" in fit && fit.refusal).toMatchObject({
      rule: "service-level",
      pool: "gpu",
      reason:
        "on NVIDIA H100 80GB SXM, TP 1: 40 ms per token is below the floor of 52 ms (expected 31 ms) for one request alone, at the 99th percentile and confidence 0.8",
      remedy: "write models.chat.serviceLevel.tpotMs: 52, or less demanding",
    });
  });

  it("names every time that is missed, as the file says it", () => {
    const missed = option(2, Number.POSITIVE_INFINITY, { missed: ["ttftMs", "tpotMs"] });
    const level = { ttftMs: 100, tokensPerSecond: 25, percentile: 90, confidence: 0.95 } as const;
    const fit = chooseLayout(chat({ serviceLevel: level }), pool(1), [missed]);
    expect("refusal" in fit && fit.refusal).toMatchObject({
      reason:
        "on NVIDIA H100 80GB SXM, TP 2: 100 ms to the first token is below the floor of 150 ms (expected 100 ms); 40 ms per token is below the floor of 52 ms (expected 31 ms) for one request alone, at the 90th percentile and confidence 0.95",
      remedy:
        "write models.chat.serviceLevel.ttftMs: 150 and models.chat.serviceLevel.tokensPerSecond: 19.4, or less demanding: the least for one request alone. No longer time by itself was found to be enough for its traffic: lengthen all of them, or give it more nodes, faster cards or fewer requests",
    });
  });

  it("refuses where the cache has no room for one request of the traffic", () => {
    const fit = chooseLayout(chat(), pool(1), [option(1, Number.POSITIVE_INFINITY, { missed: [] })]);
    expect("refusal" in fit && fit.refusal).toMatchObject({
      reason: "on NVIDIA H100 80GB SXM, TP 1: the KV cache has no room for one request of 1000 + 300 tokens",
      remedy: expect.stringContaining("models.chat.traffic"),
    });
  });
});
