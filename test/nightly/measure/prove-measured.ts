/** A model on a real engine that is measured, planned with what was measured, and measured again. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { MeasuredLoad, SpeedMeasurement } from "../../../planner/speed/measurement";
import { parseMeasurement } from "../../../stacks/calibration/schema";
import { runCommand } from "./run-command";

/** The model's name in its environment, and what the server knows it by. */
export const MEASURED = "measured";
/** As many requests as the server must take at once: those of the largest load that counts. */
export const SLOTS = 8;
const EXPECTED = 2;
/** A load that is not measured when the plan speaks of it. */
const NEXT = 4;
/** The usual request of a plan without traffic, 1,000 and 300 tokens, shortened to this context. */
const CONTEXT = 130;
const TRAFFIC = "in=100,out=30";
const MINUTES = 2;

export interface RealEngine {
  readonly engine: string;
  /** That runs, and another one that plans may name. */
  readonly version: string;
  readonly otherVersion: string;
  readonly url: string;
  /** config.json of the model. */
  readonly config: string;
  /** Keys of the model in an environment: where its weights come from. */
  readonly model: Readonly<Record<string, string>>;
}

interface PlannedModel {
  readonly noSpeed?: string;
  readonly notes: readonly string[];
  readonly speed?: {
    readonly basis: string;
    readonly inFlight: number;
    readonly tokenMs: { readonly mean: { readonly expected: number } };
    readonly tokensPerSecond: { readonly expected: number };
  };
}

/** Measures within its time, twice within what it states; the plan reads the file, and is right about a load that nobody measured. */
export async function proveMeasured(real: RealEngine): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-measure-"));
  writeFileSync(join(folder, "config.json"), real.config);
  try {
    await prove(real, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prove(real: RealEngine, folder: string): Promise<void> {
  const { engine, version, otherVersion } = real;
  expect((await planned(real, folder, NEXT)).noSpeed).toContain("the memory bandwidth of the CPUs");

  const before = performance.now();
  const first = await measured(real, folder, EXPECTED);
  expect(performance.now() - before).toBeLessThan((MINUTES + 2) * 60_000);
  expect(first).toMatchObject({ engine, engineVersion: version, complete: true });
  expect(first.loads.map(({ inFlight, failed }) => [inFlight, failed])).toEqual([
    [1, 0],
    [EXPECTED, 0],
    [4 * EXPECTED, 0],
  ]);

  const again = await measured(real, folder, EXPECTED, "--out", join(folder, "again.json"));
  const far = first.loads.flatMap((load) => {
    const others = figuresOf(loadOf(again, load.inFlight));
    return figuresOf(load).map((figure, index) => apart(figure, others[index] ?? { value: 0 }));
  });
  // Each holds for 95 %: of nine, one may lie outside.
  expect(far.filter((each) => each > 1).length).toBeLessThanOrEqual(1);
  expect(Math.max(...far)).toBeLessThan(2);

  const { speed } = await planned(real, folder, NEXT);
  expect(speed).toMatchObject({ basis: "own", inFlight: NEXT });
  const next = loadOf(await measured(real, folder, NEXT, "--out", join(folder, "next.json")), NEXT);
  const pairs = [
    [speed?.tokenMs.mean.expected ?? 0, next.tpotMs?.median ?? 0],
    [speed?.tokensPerSecond.expected ?? 0, next.tokensPerSecond.value],
  ] as const;
  console.log(`predicted and measured, ms per token and tokens per second: ${JSON.stringify(pairs)}`);
  for (const [predicted, seen] of pairs) {
    expect(Math.abs(predicted / seen - 1)).toBeLessThan(0.25);
  }

  const other = await planned({ ...real, version: otherVersion }, folder, NEXT);
  expect(other.speed).toBeUndefined();
  expect(other.notes).toContainEqual(
    expect.stringContaining(`measured with ${engine} ${version}, which does not count`),
  );
}

/** One machine without GPUs with that model. @returns the environment's file. */
function environment({ engine, version, model }: RealEngine, folder: string, concurrency: number): string {
  const path = join(folder, `Pulumi.c${concurrency}.yaml`);
  const keys = { config: "./config.json", engine, engineVersion: version, ...model };
  writeFileSync(
    path,
    `config:
  inference-stacks:stage: development
  inference-stacks:cluster: { kind: local }
  inference-stacks:pools:
    machine: { role: cpu, node: { vcpus: 8, memoryGiB: 32, localNvmeGB: 200, networkGbps: 10 }, usdPerNodeHour: 0.1 }
  inference-stacks:models:
    ${MEASURED}:
${Object.entries(keys)
  .map(([key, value]) => `      ${key}: ${JSON.stringify(value)}\n`)
  .join("")}      contextTokens: ${CONTEXT}
      concurrency: ${concurrency}
  inference-stacks:gateway: { hostname: inference.example.internal, tls: { kind: self-signed }, exposure: ClusterIP }
`,
  );
  return path;
}

async function measured(
  real: RealEngine,
  folder: string,
  concurrency: number,
  ...more: readonly string[]
): Promise<SpeedMeasurement> {
  const file = environment(real, folder, SLOTS);
  const asked = ["--url", real.url, "--model", MEASURED, "--concurrency", String(concurrency), "--traffic", TRAFFIC];
  const args = [`c${SLOTS}`, "--config", file, ...asked, "--minutes", String(MINUTES), "--json", ...more];
  const { out, err } = await runCommand("measure", args);
  expect(out === "" ? err : "").toBe("");
  return parseMeasurement(out);
}

async function planned(real: RealEngine, folder: string, concurrency: number): Promise<PlannedModel> {
  const file = environment(real, folder, concurrency);
  const { status, out, err } = await runCommand("plan", [`c${concurrency}`, "--config", file, "--json"]);
  expect({ status, told: status === 0 ? "" : err || JSON.stringify(JSON.parse(out).problems) }).toEqual({
    status: 0,
    told: "",
  });
  const { models } = JSON.parse(out) as { models: [PlannedModel] };
  return models[0];
}

interface Figure {
  readonly value: number;
  readonly error?: number;
}

function figuresOf({ tpotMs, e2eMs, tokensPerSecond }: MeasuredLoad): readonly Figure[] {
  return [...[tpotMs, e2eMs].map((figure) => ({ value: figure?.median ?? 0, error: figure?.error })), tokensPerSecond];
}

/** How far two measurements of a figure lie from each other, in what they state together. */
function apart(a: Figure, b: Figure): number {
  const stated = Math.hypot(a.error ?? 0, b.error ?? 0);
  return Math.abs(a.value - b.value) / (((a.value + b.value) / 2) * stated);
}

function loadOf({ loads }: SpeedMeasurement, inFlight: number): MeasuredLoad {
  const load = loads.find((each) => each.inFlight === inFlight);
  if (load === undefined) {
    throw new Error(`no load of ${inFlight} was measured`);
  }
  return load;
}
