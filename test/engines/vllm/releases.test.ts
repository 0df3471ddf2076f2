import { describe, expect, it } from "vitest";
import { z } from "zod";
import { releaseGaps } from "../../../engines/vllm/asked-of-release";
import { argumentsFor, featureGap, valueGap, variablesFor, vllmReleases } from "../../../engines/vllm/releases";
import table from "../../../engines/vllm/releases.json";
import { modelOf } from "../../planner/fixtures";
import { read } from "../../planner/model/families/reading";

const release = z.string().refine((version) => vllmReleases.releases.includes(version));
const text = z.string().min(1);

it("features and older forms have the right shape, and name releases that were read", () => {
  const feature = z.strictObject({
    since: release.optional(),
    until: release.optional(),
    sinceOn: z.record(z.string().regex(/^\d+$/), release).optional(),
    what: text,
    why: text,
    source: text,
  });
  const form = z.strictObject({
    argument: text.optional(),
    variable: text.optional(),
    instead: text.optional(),
    value: z.union([text, z.boolean()]).optional(),
    without: text.optional(),
  });
  const schema = z.strictObject({
    about: text,
    asOf: z.iso.date(),
    features: z.record(text, feature),
    classes: z.strictObject({
      about: text,
      source: text,
      attentionAlone: z.strictObject({ since: release }),
      mistralFamilies: z.array(text).nonempty(),
    }),
    prefixHash: z.strictObject({
      about: text,
      source: text,
      default: z.enum(table.prefixHash.collisionFree),
      defaultSince: release,
      collisionFree: z.array(text).nonempty(),
    }),
    series: z.strictObject({ about: text, source: text, since: z.record(text, release) }),
    olderForms: z.array(form),
  });
  expect(schema.safeParse(table).error?.issues ?? []).toEqual([]);
});

describe("flags for a release", () => {
  it.each([
    ["0.33.0", { runner: "generate", "shutdown-timeout": 60, "disable-access-log-for-endpoints": "/health" }],
    ["0.16.0", { runner: "generate", "disable-access-log-for-endpoints": "/health" }],
    ["0.15.1", { runner: "generate", "disable-uvicorn-access-log": true }],
    ["0.10.0", { task: "generate", "disable-uvicorn-access-log": true }],
    ["0.8.1", { task: "generate" }],
  ])("of %s are those that it has, and the older form of the others", (version, expected) => {
    const values = {
      runner: "generate",
      "shutdown-timeout": 60,
      "disable-access-log-for-endpoints": "/health",
      "max-num-seqs": undefined,
    };
    expect(argumentsFor(version, values)).toEqual(expected);
  });

  it("are an error where one has no older form: the plan should have refused it", () => {
    expect(() => argumentsFor("0.11.0", { nnodes: 2 })).toThrow(/no --nnodes.*0\.11\.1 or newer/);
    expect(() => argumentsFor("0.33.0", { "no-such-flag": 1 })).toThrow(/no-such-flag/);
    expect(() => variablesFor("0.8.0", { VLLM_NO_SUCH_VARIABLE: "1" })).toThrow(/VLLM_NO_SUCH_VARIABLE/);
  });

  it("come with the variables that it reads", () => {
    const values = { HOME: "/cache", VLLM_ENGINE_READY_TIMEOUT_S: "60" };
    expect(variablesFor("0.14.0", values)).toEqual(values);
    expect(variablesFor("0.13.0", values)).toEqual({ HOME: "/cache" });
  });
});

describe("what a release lacks", () => {
  it("is told with the releases that have it", () => {
    expect(featureGap("nodes", "0.11.1")).toBeUndefined();
    expect(featureGap("nodes", "0.11.0")).toEqual({
      reason: expect.stringMatching(/nodes without Ray need vLLM 0\.11\.1 or newer: older releases have no --nnodes/),
      span: { since: "0.11.1" },
    });
    expect(featureGap("rayImage", "0.18.0")?.span).toEqual({ until: "0.17.1" });
  });

  it("depends on the card where the table says so", () => {
    const fp8Cache = (version: string, capability: number) => featureGap("fp8Cache", version, capability) === undefined;
    expect([fp8Cache("0.9.1", 9), fp8Cache("0.9.1", 10), fp8Cache("0.9.1", 8.9)]).toEqual([true, false, false]);
    expect([fp8Cache("0.10.2", 10), fp8Cache("0.10.2", 8.9), fp8Cache("0.11.0", 8.9)]).toEqual([true, false, true]);
  });

  it("holds for a recurrent layer beside attention too", () => {
    const gaps = (family: string) => {
      const model = modelOf("qwen3-8b", { architecture: read(family), engineVersion: "0.10.1" });
      return releaseGaps({ model, own: {}, isReasoningWithTools: false }).map(
        ({ reason }) => reason.split(" need ")[0],
      );
    };
    expect(gaps("falcon_h1")).toEqual(["models with recurrent layers"]);
    expect(gaps("llama")).toEqual([]);
  });

  it("is also a value of a flag", () => {
    expect(valueGap("kv-cache-dtype", "bfloat16", "0.11.0")).toBeUndefined();
    expect(valueGap("kv-cache-dtype", "bfloat16", "0.10.2")?.span).toEqual({ since: "0.11.0" });
    expect(valueGap("dtype", "float16", "0.8.0")).toBeUndefined();
  });
});
