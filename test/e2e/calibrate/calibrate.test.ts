/** `npm run calibrate` on a real Prometheus with a past that a test wrote. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { main } from "../../../cli/calibrate";
import type { CalibratedModel } from "../../../cli/calibrate/report";
import { readMeasurements } from "../../../stacks/calibration/files";
import { environmentIn, onA10, planOf, runPiped, useFolder } from "../../cli/run";
import { type RunningPrometheus, startPrometheus } from "../prometheus/running-prometheus";
import { openMetrics, type Past } from "./past";

const folder = useFolder();
const environment = onA10({ model: "qwen2.5-7b-instruct", concurrency: 8 });
/** As the plan has it. */
const version = async () => {
  const { out } = await planOf(folder, environment, "--json");
  return (JSON.parse(out) as { models: readonly { engineVersion: string }[] }).models[0]?.engineVersion ?? "";
};

/** The files by their names. */
function calibrations(): Readonly<Record<string, string>> {
  const place = join(folder, "calibration");
  const names = existsSync(place) ? readdirSync(place) : [];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(place, name), "utf8")]));
}

let prometheus: RunningPrometheus | undefined;
afterEach(() => prometheus?.stop());

/** One hour with about one request at a time, then one with eight: 0.2 s and 300 further tokens of 20, then of 38 ms. */
const PHASES: Past["phases"] = [
  { seconds: 3600, requestsPerSecond: 0.16, firstToken: 0.2, token: 0.02 },
  { seconds: 3600, requestsPerSecond: 0.69, firstToken: 0.2, token: 0.038 },
];

async function calibrate(change: Partial<Past>, ...argv: string[]) {
  const image = `vllm/vllm-openai:v${await version()}@sha256:${"a".repeat(64)}`;
  const end = Math.floor(Date.now() / 1000) - 3600;
  const past = { phases: PHASES, inputTokens: 1000, outputTokens: 301, image, ...change };
  prometheus = await startPrometheus({ past: openMetrics(past, end) });
  const file = environmentIn(folder, environment);
  const args = ["test", "--config", file, "--prometheus", prometheus.url, "--hours", "2", "--json", ...argv];
  const { status, out, err } = await runPiped((given, io) => main(given, io, () => end * 1000), args);
  expect(err).not.toContain("bug");
  const { models } = JSON.parse(out) as { readonly models: readonly CalibratedModel[] };
  return { status, model: models[0], file };
}

describe("calibrate on a real Prometheus", () => {
  it("finds the loads that ran, writes a file that the plan reads, and judges the plan's ranges", {
    timeout: 120_000,
  }, async () => {
    const { status, model } = await calibrate({});
    expect(status).toBe(0);
    const [measurement] = readMeasurements(folder);
    expect(measurement?.loads.map(({ inFlight }) => inFlight)).toEqual([1, 8]);
    for (const [i, { token, firstToken }] of PHASES.entries()) {
      const load = measurement?.loads[i];
      // The interval in which one phase follows the other has both.
      expect(load?.tpotMs?.mean).toBeCloseTo(1000 * token, -0.5);
      expect(load?.ttftMs.mean).toBeCloseTo(1000 * firstToken, 3);
      expect(load).toMatchObject({ inputTokens: 1000, outputTokens: 301, kvCacheUsage: { max: 0.3 } });
    }
    const verdict = expect.stringMatching(/^(within|below|above|open)$/);
    expect(model).toMatchObject({ judgement: { inFlight: 8, bands: Array.from({ length: 4 }, () => ({ verdict })) } });
    const { out } = await planOf(folder, environment, "--json");
    expect(out).toContain('"basis": "own"');
  });

  it.each([
    ["restarts", { restartsAt: 1800 }, "restarted 1 times"],
    ["two revisions", { laterImage: "vllm/vllm-openai:v0.1.0" }, "more than one revision"],
    [
      "few requests",
      { phases: [{ seconds: 7200, requestsPerSecond: 0.005, firstToken: 0.2, token: 0.02 }] },
      "too few",
    ],
  ] as const)("refuses a window with %s, and writes nothing", { timeout: 120_000 }, async (_, change, words) => {
    const before = calibrations();
    const { status, model } = await calibrate(change);
    expect(status).toBe(1);
    expect(model).toMatchObject({ refused: { reason: expect.stringContaining(words) } });
    expect(calibrations()).toEqual(before);
  });
});
