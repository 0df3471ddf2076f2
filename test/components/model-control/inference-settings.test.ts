import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OPEN_REQUEST_SECONDS } from "../../../components/gateway/traffic";
import {
  arrivalLimits,
  type InferenceLimits,
  inferenceBytes,
  inferenceMemoryGiB,
  inferenceSettings,
  inferenceTenants,
  leavingSecondsOfApi,
} from "../../../components/model-control/inference-settings";
import { modelControlPods } from "../../../components/model-control/names";
import { MOST_QUEUE_MIB, mostQueued, queueMiB, queueSize } from "../../../components/model-control/queue-size";
import { modelEndpoints } from "../../../components/serving/serving";
import { configSchema } from "../../../services/model-control/src/config";
import { PROMPT_MEMORY_SHARE } from "../../../services/model-control/src/tasks/memory-share";
import { modelControlSection } from "../../../stacks/addons/model-control/config";
import { ollamaPlan } from "../../harness/plans";

const MIB = 2 ** 20;
const DEFAULTS: InferenceLimits = modelControlSection.parse({}).inference;

const limits: fc.Arbitrary<InferenceLimits> = fc
  .record({
    queued: fc.integer({ min: 1, max: 5_000 }),
    promptKiB: fc.integer({ min: 1, max: 1024 }),
    prompts: fc.integer({ min: 1, max: 1_000 }),
    concurrency: fc.integer({ min: 1, max: 256 }),
    keepSeconds: fc.integer({ min: 1, max: 7 * 24 * 3600 }),
  })
  .map((some) => ({ ...DEFAULTS, ...some }));

describe("the service's section", () => {
  it("is what the service reads, with every limit that an environment may set, and none left to the service", () => {
    const some: InferenceLimits = {
      concurrency: 8,
      keepSeconds: 600,
      lifeSeconds: 7200,
      tokens: { default: 10, max: 20 },
      answerSeconds: { default: 30, max: 40 },
      silentSeconds: 5,
      attempts: 2,
      promptKiB: 64,
      prompts: 7,
      answerKiB: 16,
      queuedPerCaller: 3,
      queued: 9,
      wait: { polls: 4, seconds: 6 },
      drainSeconds: 50,
    };
    const shape = configSchema.def.in.shape.inference.unwrap();
    const settings = shape.parse(inferenceSettings(some));
    expect(settings).toMatchObject({
      keyFile: "/run/model-control/keys/keys.json",
      concurrency: 8,
      keepSeconds: 600,
      lifeSeconds: 7200,
      tokens: { default: 10, max: 20 },
      seconds: { default: 30, max: 40 },
      idleSeconds: 5,
      attempts: 2,
      promptBytes: 65_536,
      prompts: 7,
      answerBytes: 16_384,
      queuedPerCaller: 3,
      queued: 9,
      wait: { polls: 4, seconds: 6 },
      drainSeconds: 50,
    });
  });
});

describe("the server of the queue", () => {
  it("is what it was without inference, and holds the default limits on the same volume", () => {
    expect(queueSize()).toEqual({ maxMemoryMiB: 192, podMemoryGiB: 0.5, volumeGiB: 1 });
    expect(queueSize(DEFAULTS)).toEqual({ maxMemoryMiB: 256, podMemoryGiB: 0.625, volumeGiB: 1 });
  });

  it("holds every prompt that may wait and every answer that is kept, below the share at which the service refuses", () => {
    fc.assert(
      fc.property(limits, (some) => {
        const { maxMemoryMiB } = queueSize(some);
        const { queued, promptKiB } = some;
        expect(maxMemoryMiB * MIB * PROMPT_MEMORY_SHARE).toBeGreaterThan(inferenceBytes(some));
        expect(inferenceBytes(some)).toBeGreaterThan(queued * promptKiB * 1024);
      }),
    );
  });

  it("has memory for a fork of it, and a volume for the log beside its copy, twice each", () => {
    fc.assert(
      fc.property(limits, (some) => {
        const { maxMemoryMiB, podMemoryGiB, volumeGiB } = queueSize(some);
        expect(podMemoryGiB * 1024).toBeGreaterThanOrEqual(2 * maxMemoryMiB + 128);
        expect(volumeGiB * 1024).toBeGreaterThanOrEqual(4 * maxMemoryMiB);
        expect(volumeGiB * 1024).toBeLessThan(4 * maxMemoryMiB + 1024);
      }),
    );
  });

  it("takes as many tasks as it says, and no more, before its memory is beyond what may be", () => {
    fc.assert(
      fc.property(limits, (some) => {
        const most = mostQueued(some);
        fc.pre(most > 0);
        expect(queueMiB({ ...some, queued: most })).toBeLessThanOrEqual(MOST_QUEUE_MIB);
        expect(queueMiB({ ...some, queued: most + 1 })).toBeGreaterThan(MOST_QUEUE_MIB);
      }),
    );
  });

  it("never shrinks when a limit grows", () => {
    const growing = fc.constantFrom("queued", "promptKiB", "prompts", "concurrency", "keepSeconds");
    fc.assert(
      fc.property(limits, growing, fc.integer({ min: 1, max: 1000 }), (some, field, more) => {
        const larger = { ...some, [field]: some[field] + more };
        expect(queueMiB(larger)).toBeGreaterThanOrEqual(queueMiB(some));
        expect(inferenceMemoryGiB(larger)).toBeGreaterThanOrEqual(inferenceMemoryGiB(some));
      }),
    );
  });
});

describe("a request", () => {
  it("has a second for each MiB to arrive, where that is more than the API gives anyway and less than the gateway does", () => {
    expect(arrivalLimits({ promptKiB: 15 * 1024 })).toEqual({});
    expect(arrivalLimits({ promptKiB: 15 * 1024 + 1 })).toEqual({ limits: { requestTimeoutSeconds: 16 } });
    const { limits: most } = arrivalLimits({ promptKiB: 65_536 });
    expect(most?.requestTimeoutSeconds).toBeLessThan(OPEN_REQUEST_SECONDS);
  });
});

describe("a replica that leaves", () => {
  it("has 20 seconds beside those that its answers have", () => {
    expect(leavingSecondsOfApi({ drainSeconds: 8 })).toBe(28);
    expect(leavingSecondsOfApi({ drainSeconds: 600 })).toBe(620);
  });
});

describe("consumers of the gateway", () => {
  const endpoints = modelEndpoints([ollamaPlan()], { client: modelControlPods, spareStorageGiB: 0 });

  it("are tenants with a token each, kept to the models that they are kept to, by all names of these", () => {
    const tenants = [
      { name: "web", priority: "paid" },
      { name: "lab", priority: "free", models: ["llama-3b"] },
      { name: "nobody", priority: "free", models: ["other"] },
    ] as const;
    expect(inferenceTenants(tenants, endpoints)).toEqual([
      { name: "web" },
      { name: "lab", models: ["llama-3.2-3b", "llama3.2:3b"] },
      { name: "nobody", models: [] },
    ]);
  });

  it("get none where the gateway counts what they use: nobody does here", () => {
    const tenants = [
      { name: "a", priority: "paid", requestsPerMinute: 60 },
      { name: "b", priority: "paid", tokensPerMinute: 1000 },
    ] as const;
    expect(inferenceTenants(tenants, endpoints)).toEqual([]);
  });
});
