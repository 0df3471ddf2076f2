import { describe, expect, it } from "vitest";
import { readArchitectures } from "../../../stacks/architectures";
import { toPlanRequest } from "../../../stacks/plan-request";
import { parseWith, problemsWith } from "./samples";

const chat = { model: "qwen2.5-7b-instruct" };
const withTraffic = (traffic: unknown, model: object = chat, other: object = {}) => ({
  models: { chat: { ...model, traffic } },
  ...other,
});

function modelsOf(sections: Parameters<typeof parseWith>[0]) {
  const parsed = parseWith(sections);
  if (!parsed.ok) {
    throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  }
  return parsed.environment.models;
}

const path = "models.chat.traffic";

describe("models.<name>.traffic", () => {
  it("needs a rate alone: the rest is that of people who chat, at twice the rate at the peak", () => {
    expect(modelsOf(withTraffic({ requestsPerSecond: 2 })).chat?.traffic).toEqual({
      requestsPerSecond: 2,
      peakFactor: 2,
      inputTokens: 1000,
      outputTokens: 300,
      sharedPrefixTokens: 0,
      lengthVariation: 1,
    });
  });

  it.each([
    [{}, `${path}.requestsPerSecond`, "add it, for example requestsPerSecond: 2"],
    [{ requestsPerSecond: 0 }, `${path}.requestsPerSecond`, "write for example 0.0001"],
    [{ requestsPerSecond: 1, peakFactor: 0.5 }, `${path}.peakFactor`, expect.stringMatching(/ 1, .* default, 2$/)],
    [{ rps: 1, requestsPerSecond: 1 }, `${path}.rps`, expect.stringContaining("requestsPerSecond")],
    [{ requestsPerSecond: 1, inputTokens: 1.5 }, `${path}.inputTokens`, "remove it for the default, 1000"],
    [
      { requestsPerSecond: 1, inputTokens: 8000, outputTokens: 1000 },
      `${path}.inputTokens`,
      "lower inputTokens or outputTokens, or write contextTokens: 9000 or more where the model knows so many",
    ],
    [
      { requestsPerSecond: 1, sharedPrefixTokens: 2000 },
      `${path}.sharedPrefixTokens`,
      "write 1000 or less, or raise inputTokens",
    ],
  ])("is not %j", (written, at, fix) => {
    expect(problemsWith(withTraffic(written)).map((problem) => [problem.path, problem.fix])).toEqual([[at, fix]]);
  });

  it.each(["bge-m3", "bge-reranker-v2-m3"])("is not of %s, which makes no tokens", (model) => {
    const problems = problemsWith(withTraffic({ requestsPerSecond: 1 }, { model }));
    expect(problems.map(({ path, fix }) => [path, fix])).toEqual([[path, expect.stringMatching(/^remove traffic/)]]);
  });
});

describe("what is left to traffic", () => {
  const derived = (model: object, other: object = {}) =>
    modelsOf(withTraffic({ requestsPerSecond: 1 }, { ...chat, ...model }, other)).chat?.derived;

  it("is what the file does not say", () => {
    expect(derived({})).toEqual(["concurrency", "replicas"]);
    expect(derived({ concurrency: 16 })).toEqual(["replicas"]);
    expect(derived({ replicas: { min: 1 } })).toEqual(["concurrency"]);
    expect(derived({ concurrency: 4, replicas: { max: 2 } })).toBeUndefined();
    expect(derived({}, { nodes: { group: { model: "chat", replicas: { min: 2 } } } })).toEqual(["concurrency"]);
  });

  it.each([{ prefillDecode: { prefill: 2, decode: 1 } }, { sleepMode: true }])(
    "is not how many pods there are where the engine's block says that: %j",
    async (vllm) => {
      expect(derived({ vllm })).toEqual(["concurrency"]);
      const parsed = parseWith(withTraffic({ requestsPerSecond: 1 }, { ...chat, vllm }));
      if (!parsed.ok) {
        throw new Error("not read");
      }
      const request = toPlanRequest("test", parsed.environment, await readArchitectures(parsed.environment, "."));
      const pods = "sleepMode" in vllm ? 1 : 3;
      expect(request.models[0]).toMatchObject({ minReplicas: pods, maxReplicas: pods, derived: ["concurrency"] });
    },
  );

  it("is nothing without traffic", () => {
    expect(modelsOf({ models: { chat } }).chat?.derived).toBeUndefined();
  });

  it("is of a canary by its share of the requests, while the model keeps room for all of them", () => {
    const shares = (weight: number) => {
      const canary = { engineVersion: "0.34.0", weight };
      const models = modelsOf(withTraffic({ requestsPerSecond: 10 }, { ...chat, replicas: { min: 1 }, canary }));
      return [models.chat, models["chat-canary"]].map((model) => [model?.traffic?.requestsPerSecond, model?.derived]);
    };
    expect(shares(20)).toEqual([
      [10, ["concurrency"]],
      [2, ["concurrency", "replicas"]],
    ]);
    expect(shares(0)).toEqual([
      [10, ["concurrency"]],
      [undefined, undefined],
    ]);
  });

  it("comes to the planner with the traffic", async () => {
    const parsed = parseWith(withTraffic({ requestsPerSecond: 1 }));
    if (!parsed.ok) {
      throw new Error("not read");
    }
    const request = toPlanRequest("test", parsed.environment, await readArchitectures(parsed.environment, "."));
    expect(request.models[0]).toMatchObject({
      traffic: { requestsPerSecond: 1, outputTokens: 300 },
      derived: ["concurrency", "replicas"],
    });
  });
});

describe("apiPrices", () => {
  const price = { inputUsdPerMillion: 0.03, outputUsdPerMillion: 0.05, asOf: "2026-11-20" };

  it("come to the planner with their day and who says so", async () => {
    const apiPrices = { chat: { DeepInfra: { ...price, asOf: "2026-11-20T00:00:00Z" } } };
    const parsed = parseWith({ models: { chat }, apiPrices });
    if (!parsed.ok) {
      throw new Error("not read");
    }
    const request = toPlanRequest("test", parsed.environment, await readArchitectures(parsed.environment, "."));
    expect(request.apiPrices).toEqual([
      { ...price, model: "chat", provider: "DeepInfra", offer: "chat", source: "apiPrices of the environment" },
    ]);
  });

  it.each([
    [{ chatt: { DeepInfra: price } }, "apiPrices.chatt", 'did you mean "chat"?'],
    [
      { chat: { DeepInfra: { ...price, asOf: "today" } } },
      "apiPrices.chat.DeepInfra.asOf",
      'write for example "2026-11-20"',
    ],
    [
      { chat: { DeepInfra: { ...price, inputUsdPerMillion: "0.03" } } },
      "apiPrices.chat.DeepInfra.inputUsdPerMillion",
      "write 0.03 without quotes",
    ],
  ])("are not %j", (apiPrices, at, fix) => {
    const problems = problemsWith({ models: { chat }, apiPrices });
    expect(problems.map((problem) => [problem.path, problem.fix])).toEqual([[at, fix]]);
  });
});
