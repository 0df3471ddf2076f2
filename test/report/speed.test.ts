import { describe, expect, it } from "vitest";
import type { SpeedPlan } from "../../planner/level/speed-plan";
import type { ModelPlan } from "../../planner/types";
import { modelKeys } from "../../report/html/model-keys";
import { speedSections } from "../../report/html/speed";
import { speedDetails, speedTexts } from "../../report/speed";
import { modelPlan } from "../harness/plans";

const SPEED: SpeedPlan = {
  load: "concurrency",
  inputTokens: 1000,
  outputTokens: 300,
  inFlight: 8,
  tokenMs: {
    mean: { expected: 31.2, low: 25.4, high: 39.1 },
    p99: { expected: 44, low: 36, high: 56 },
  },
  firstTokenMs: {
    mean: { expected: 1234.5, low: 900, high: 2000 },
    p99: { expected: 2469, low: 1800, high: 4000 },
  },
  requestsPerSecond: { expected: 1, low: 0.7, high: 1.4 },
  tokensPerSecond: { expected: 300, low: 210, high: 420 },
  limitedBy: "weights",
  saturated: false,
  exchangeMs: { gpus: 0, stages: 0 },
  confidence: 0.8,
  basis: "same-card",
  simulated: false,
};
const TRAFFIC = {
  requestsPerSecond: 1,
  peakFactor: 2,
  inputTokens: 1000,
  outputTokens: 300,
  sharedPrefixTokens: 0,
  lengthVariation: 1,
};

const chat = (speed: Partial<SpeedPlan> = {}, more: Partial<ModelPlan> = {}): ModelPlan =>
  modelPlan({ task: "chat", speed: { ...SPEED, ...speed }, ...more });

describe("how fast a model answers, in words", () => {
  it("has a range beside every figure that has an error, and names what limits it", () => {
    expect(speedTexts(chat())).toEqual([
      "300 (210–420) tokens/s, 1 request/s per replica with 8 requests at once",
      "31 ms (25–39) per token, p99 44 (36–56)",
      "1,230 ms (900–2,000) to the first, p99 2,470 (1,800–4,000)",
      "limited by reading weights",
    ]);
  });

  it("says of traffic what a replica answers within its level, and why it is no smaller layout", () => {
    const speed = {
      load: "traffic",
      requestsPerSecond: { expected: 2, low: 2, high: 2 },
      tokensPerSecond: { expected: 600, low: 600, high: 600 },
      capacity: { requestsPerSecond: 3.21, expected: 4 },
      why: "TP 2 would fit, TP 4 because 40 ms per token needs it: the floor of TP 2 is 52 ms",
    } as const;
    const texts = speedTexts(chat(speed, { traffic: TRAFFIC, tokenPrice: { usdPerMillionTokens: 0.636, apis: [] } }));
    expect(texts[0]).toBe("600 tokens/s, 2 requests/s per replica at the peak");
    expect(texts.slice(3)).toEqual([
      "at most 3.2 requests/s within its level",
      "limited by reading weights",
      "0.64 USD per million tokens at its traffic",
      speed.why,
    ]);
  });

  it("shows what pipeline stages and their network cost each token; what GPUs of one node cost, whoever asks for more is told", () => {
    const spread = chat({ exchangeMs: { gpus: 3.3, stages: 0.2 } });
    expect(speedTexts(spread)).toContain(
      "exchange between GPUs adds 3.3 ms and exchange between pipeline stages 0.2 ms to each token",
    );
    expect(speedDetails(spread).join()).not.toContain("exchange");
    const near = chat({ exchangeMs: { gpus: 3.3, stages: 0 } });
    expect(speedTexts(near).join()).not.toContain("exchange");
    expect(speedDetails(near)).toContain("exchange between GPUs adds 3.3 ms to each token");
  });

  it("gives no time to the first token where requests wait for room", () => {
    expect(speedTexts(chat({ saturated: true }))[2]).toBe("saturated: requests wait for room");
  });

  it("says why nobody knows, of what makes tokens alone", () => {
    const { speed: _, ...unknown } = chat({}, { noSpeed: "nobody knows" });
    expect(speedTexts(unknown)).toEqual(["speed not predicted: nobody knows"]);
    expect(speedTexts({ ...unknown, task: "embedding" })).toEqual([]);
    expect(speedDetails(unknown)).toEqual([]);
  });
});

describe("the page", () => {
  const shown = (...models: ModelPlan[]) =>
    speedSections({ models }, modelKeys(models)).map(({ body }) => body.text.replace(/<[^>]*>/g, "\n"));

  it("says of every model that makes tokens what terminals say, and what that rests on", () => {
    const model = chat();
    const [page = ""] = shown(model);
    for (const text of [...speedTexts(model), ...speedDetails(model)]) {
      expect(page).toContain(text);
    }
    expect(shown(chat({}, { speed: undefined, noSpeed: "nobody measured it" })).join()).toContain("nobody measured it");
  });

  it("has no such section where no model makes tokens", () => {
    expect(shown(modelPlan({ task: "embedding", noSpeed: "the speed of embedding is not predicted" }))).toEqual([]);
  });
});
