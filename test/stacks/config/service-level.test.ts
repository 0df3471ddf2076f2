import { describe, expect, it } from "vitest";
import { readArchitectures } from "../../../stacks/architectures";
import { toPlanRequest } from "../../../stacks/plan-request";
import { parseWith, problemsWith } from "./samples";

const chat = { model: "qwen2.5-7b-instruct" };
const withLevel = (serviceLevel: unknown, model: object = chat) => ({ models: { chat: { ...model, serviceLevel } } });

function level(serviceLevel: unknown) {
  const parsed = parseWith(withLevel(serviceLevel));
  return parsed.ok ? parsed.environment.models.chat?.serviceLevel : parsed.problems;
}

describe("models.<name>.serviceLevel", () => {
  it.each([
    [{ availability: 0.999 }, { availability: 0.999 }],
    [{ ttftMs: 500 }, { ttftMs: 500, percentile: 99, confidence: 0.8 }],
    [
      { tpotMs: 0.5, percentile: 50 },
      { tpotMs: 0.5, percentile: 50, confidence: 0.8 },
    ],
    [
      { tokensPerSecond: 20, confidence: 0.95 },
      { tokensPerSecond: 20, percentile: 99, confidence: 0.95 },
    ],
    [
      { availability: 0.9, ttftMs: 1, tpotMs: 10_000, percentile: 95, confidence: 0.5 },
      { availability: 0.9, ttftMs: 1, tpotMs: 10_000, percentile: 95, confidence: 0.5 },
    ],
  ])("%j is %j: times have a percentile and a confidence, the 99th and 0.8 where none is named", (written, read) => {
    expect(level(written)).toEqual(read);
  });

  it("may be left out", () => {
    expect(level(undefined)).toBeUndefined();
  });

  const path = "models.chat.serviceLevel";
  it.each([
    [{ availability: 99.9 }, `${path}.availability`, "write 0.999"],
    [{ availability: "99.9%" }, `${path}.availability`, "write 0.999"],
    [{ availability: "0.999" }, `${path}.availability`, "write 0.999 without quotes"],
    [{ availability: 1 }, `${path}.availability`, "write for example 0.99999"],
    [{ availability: 0.2 }, `${path}.availability`, "write for example 0.9"],
    [{ ttftMs: "500 ms" }, `${path}.ttftMs`, "write 500"],
    [{ ttftMs: 0 }, `${path}.ttftMs`, "write for example 1"],
    [{ tpotMs: 1e300 }, `${path}.tpotMs`, "write for example 10000"],
    [{ tpotMs: 50, percentile: 99.9 }, `${path}.percentile`, "write for example 99"],
    [{ tpotMs: 50, percentile: "99%" }, `${path}.percentile`, "write 99"],
    [{ tpot: 50 }, `${path}.tpot`, 'did you mean "tpotMs"?'],
    [{ ttftMs: 50, traffic: {} }, `${path}.traffic`, "write it next to serviceLevel, not in it"],
    [{ ttftMs: 50, confidence: 80 }, `${path}.confidence`, "write 0.8"],
    [{ ttftMs: 50, confidence: 1 }, `${path}.confidence`, "write for example 0.99"],
    [{ tokensPerSecond: 0 }, `${path}.tokensPerSecond`, "write for example 0.1"],
    [{}, path, "add one, for example availability: 0.999, or remove serviceLevel"],
    [{ percentile: 95 }, path, "add one, for example availability: 0.999, or remove serviceLevel"],
    [
      { availability: 0.99, percentile: 95 },
      `${path}.percentile`,
      "add one of them, for example ttftMs: 500, or remove percentile",
    ],
    [
      { availability: 0.99, confidence: 0.9 },
      `${path}.confidence`,
      "add one of them, for example ttftMs: 500, or remove confidence",
    ],
  ])("is not %j", (written, at, fix) => {
    expect(problemsWith(withLevel(written)).map((problem) => [problem.path, problem.fix])).toEqual([[at, fix]]);
  });

  it.each(["bge-m3", "bge-reranker-v2-m3"])("has no times of tokens for %s, which makes none", (model) => {
    const problems = problemsWith(withLevel({ availability: 0.99, ttftMs: 50, tpotMs: 5 }, { model }));
    expect(problems.map(({ path, fix }) => [path, fix])).toEqual([
      ["models.chat.serviceLevel.ttftMs", "remove ttftMs"],
      ["models.chat.serviceLevel.tpotMs", "remove tpotMs"],
    ]);
    expect(problemsWith(withLevel({ availability: 0.99 }, { model }))).toEqual([]);
  });

  it("written a level too high is told its place", () => {
    expect(problemsWith({ models: { chat: { ...chat, ttftMs: 500 } } })[0]?.fix).toBe(
      "write serviceLevel: {ttftMs: 500} in its place",
    );
  });

  it("comes to the planner as it was written, and changes nothing that is planned", async () => {
    const [with_, without] = await Promise.all(
      [{ availability: 0.999, ttftMs: 1 }, undefined].map(async (serviceLevel) => {
        const parsed = parseWith(withLevel(serviceLevel));
        if (!parsed.ok) {
          throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
        }
        const { environment } = parsed;
        return toPlanRequest("test", environment, await readArchitectures(environment, "."));
      }),
    );
    const [{ serviceLevel, ...rest } = {} as never] = with_?.models ?? [];
    expect(serviceLevel).toEqual({ availability: 0.999, ttftMs: 1, percentile: 99, confidence: 0.8 });
    expect([rest]).toEqual(without?.models);
  });
});
