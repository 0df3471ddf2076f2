import { describe, expect, it } from "vitest";
import { trafficProblems } from "../../../planner/level/problems";
import type { Sizing } from "../../../planner/level/sizing";
import type { Placement } from "../../../planner/placement";
import type { ModelRequest } from "../../../planner/request";
import { CHAT_TRAFFIC, modelOf } from "../fixtures";

/** Each replica answers one request a second. */
const SIZING: Sizing = {
  needed: 4,
  rate: {
    requestsPerSecond: 1,
    expected: 1.2,
    sequences: 8,
    mostSequences: 8,
    limitedBy: "weights",
    floor: { ttftMs: { expected: 1, worse: 1 }, tpotMs: { expected: 1, worse: 1 } },
    missed: [],
  },
};

function problemsOf(changes: Partial<ModelRequest>) {
  const model = modelOf("qwen2.5-7b-instruct", { name: "chat", traffic: CHAT_TRAFFIC, ...changes });
  const candidate = { sizing: SIZING, pool: "gpu", layout: { tensorParallel: 1, pipelineParallel: 1 } };
  return trafficProblems({ model, candidate, guests: [] } as unknown as Placement);
}

describe("fewer replicas than the peak takes", () => {
  it("may become more while they run, where an autoscaler changes their number", () => {
    const [problem] = problemsOf({ minReplicas: 1, maxReplicas: 2 });
    expect(problem?.message).toContain(
      "needs 4 replicas for 4 requests/s at the peak: each of them (TP 1) answers 1 request/s",
    );
    expect(problem?.remedies?.[0]).toContain("write models.chat.replicas: {min: 1, max: 4}, or remove replicas");
  });

  it("must all run where nobody changes their number, or the configuration refuses what the remedy says", () => {
    const [problem] = problemsOf({ minReplicas: 2, maxReplicas: 2, engine: "ray" });
    expect(problem?.remedies?.[0]).toContain("write models.chat.replicas: {min: 4, max: 4}");
  });

  it("are none where they are enough", () => {
    expect(problemsOf({ minReplicas: 1, maxReplicas: 4 })).toEqual([]);
  });
});
