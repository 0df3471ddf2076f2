import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeBands } from "../../../cli/calibrate/bands";
import { LEAST, loadsOf } from "../../../cli/calibrate/loads";
import { refusalOf } from "../../../cli/calibrate/refusal";
import { measurementText, parseMeasurement } from "../../../stacks/calibration/schema";
import { interval } from "./observed";

/** 0.2 s to the first token and 20 ms for each of 100 further ones: 2.2 s a request. */
const request = { firstToken: 0.2, token: 0.02, outputTokens: 101 };
/** So many requests at once, for five minutes. */
const busy = (atOnce: number, replicas = 1) =>
  interval({ ...request, replicas, requests: Math.round((replicas * atOnce * 300) / 2.2) });
const times = (count: number, of: ReturnType<typeof interval>) => Array.from({ length: count }, () => of);

describe("loads of a running model", () => {
  it("are those that ran, by requests at once in a replica, whatever the number of replicas", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 5 }), (atOnce, replicas) => {
        const { loads, thin } = loadsOf(times(4, busy(atOnce, replicas)), 0);
        expect(thin).toEqual([]);
        expect(loads).toHaveLength(1);
        const load = loads[0]?.load;
        expect(load).toMatchObject({ inFlight: atOnce, inputTokens: 1000, outputTokens: 101, failed: 0 });
        expect(load?.ttftMs.mean).toBeCloseTo(200, 6);
        expect(load?.ttftMs.median).toBeCloseTo(200, 6);
        expect(load?.tpotMs?.median).toBeCloseTo(20, 6);
        expect(load?.tokensPerSecond.value).toBeCloseTo((atOnce * 101) / 2.2, 6);
      }),
    );
  });

  it("are several where the load changed, the lightest first, and a file that plans read", () => {
    const { loads } = loadsOf([...times(4, busy(16)), ...times(4, busy(1)), ...times(4, busy(4))], 200);
    expect(loads.map(({ load }) => [load.inFlight, load.sharedPrefixTokens])).toEqual([
      [1, 200],
      [4, 200],
      [16, 200],
    ]);
    const subject = {
      card: "L40S",
      engine: "vllm",
      engineVersion: "0.33.0",
      model: "org/name",
      tensorParallel: 1,
      pipelineParallel: 1,
    };
    const measurement = {
      ...subject,
      by: "test",
      measuredAt: "2026-11-29T00:00:00Z",
      complete: true,
      loads: loads.map(({ load }) => load),
    };
    expect(parseMeasurement(measurementText(measurement))).toEqual(measurement);
  });

  it("are none of few requests, of few intervals, and of times beyond the histogram", () => {
    const few = interval({ ...request, requests: LEAST.requests / 4 - 1 });
    expect(loadsOf(times(4, few), 0)).toEqual({ loads: [], thin: [{ inFlight: 1, requests: 96, intervals: 4 }] });
    expect(loadsOf(times(2, busy(4)), 0).loads).toEqual([]);
    expect(loadsOf(times(4, interval({ ...request, firstToken: 20, requests: 100 })), 0).loads).toEqual([]);
    expect(loadsOf([], 0)).toEqual({ loads: [], thin: [] });
  });

  it("are no surer than their buckets, and less sure where blocks differ", () => {
    const [steady] = loadsOf(times(8, busy(4)), 0).loads;
    // 0.2 s lies between the bounds 0.1 and 0.25.
    expect(steady?.load.ttftMs.error).toBeCloseTo(0.5, 6);
    const slow = interval({ ...request, firstToken: 4, requests: 200 });
    const fast = interval({ ...request, firstToken: 0.2, requests: 600 });
    const [mixed] = loadsOf([slow, fast, slow, fast, slow, fast], 0).loads;
    expect(mixed?.load.ttftMs.error).toBeGreaterThan(0.55);
  });
});

const range = (expected: number) => ({ expected, low: 0.8 * expected, high: 1.25 * expected });
const speed = (firstMs: number, tokenMs: number, inFlight = 4) => ({
  inFlight,
  inputTokens: 1000,
  outputTokens: 100,
  firstTokenMs: { mean: range(firstMs), p99: range(firstMs) },
  tokenMs: { mean: range(tokenMs), p99: range(tokenMs) },
});

describe("the plan's ranges", () => {
  const { loads } = loadsOf([...times(4, busy(4)), ...times(4, busy(64))], 0);
  const verdicts = (...args: Parameters<typeof speed>) => {
    const judged = judgeBands(speed(...args), loads);
    return "bands" in judged ? judged.bands.map(({ verdict }) => verdict) : judged.incomparable;
  };

  it.each([
    [
      "hold the means, and leave 99th percentiles open where a bucket is wider",
      200,
      20,
      ["within", "open", "within", "open"],
    ],
    ["are too high", 1000, 100, ["below", "below", "below", "below"]],
    ["are too low", 20, 2, ["above", "above", "above", "above"]],
  ])("%s", (_, first, token, expected) => {
    expect(verdicts(first, token)).toEqual(expected);
  });

  it("are not compared with another load", () => {
    expect(verdicts(200, 20, 1)).toMatch(/ranges are of 1 at once .* observed is 4 at once/);
    expect(judgeBands(speed(200, 20), [])).toEqual({ incomparable: expect.stringContaining("observed is none") });
  });
});

describe("a window", () => {
  const model = { engine: "vllm", engineVersion: "0.33.0" } as const;
  const image = (tag: string) => ({ container: "engine", image: `mirror.example.com:5000/vllm/vllm-openai:${tag}` });
  const good = { intervals: [], restarts: 0, images: [image("v0.33.0")], replicaSets: ["model-chat-abc"] };

  it("of one revision that ran through is taken", () => {
    expect(refusalOf(model, good)).toBeUndefined();
    expect(refusalOf(model, { ...good, replicaSets: [] })).toBeUndefined();
    expect(refusalOf(model, { ...good, images: [image(`v0.33.0@sha256:${"a".repeat(64)}`)] })).toBeUndefined();
  });

  it.each([
    ["restarted engines", { restarts: 2 }, "restarted 2 times"],
    [
      "two images",
      { images: [image("v0.33.0"), image("v0.32.0")] },
      "more than one revision: several images of engine",
    ],
    ["two ReplicaSets", { replicaSets: ["a", "b"] }, "more than one revision: 2 ReplicaSets"],
    ["another version than the plan's", { images: [image("v0.32.0")] }, "the plan has vllm 0.33.0"],
    ["unknown images", { images: [] }, "kube_pod_container_info"],
  ])("of %s is refused", (_, change, words) => {
    expect(refusalOf(model, { ...good, ...change })?.reason).toContain(words);
  });
});
