import { describe, expect, it } from "vitest";
import { modelControl } from "../../../stacks/addons/model-control/addon";
import { modelControlSection } from "../../../stacks/addons/model-control/config";
import { idleAdvice, idleProblems } from "../../../stacks/addons/model-control/idle-models";
import { inferenceConsumers } from "../../../stacks/addons/model-control/inference-advice";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";
import { changedPlan } from "../planned";

const times = (models: Record<string, number | "never">) =>
  modelControlSection.parse({ enabled: true, idle: { seconds: 60, models } });

describe("a planned model with an idle time", () => {
  it("leaves memory, which the plan counts all the same, and its callers are told what they meet", () => {
    const models = [ollamaPlan(), modelPlan({ engineSettings: { sleepMode: true } })];
    const settings = times({ "llama-3b": 900, "llama-8b": 600, "qwen3:8b": 60 });
    expect(idleProblems(settings, models)).toEqual([]);
    const advice = idleAdvice(settings, models);
    expect(advice.map(({ severity, rule, subject }) => [severity, rule, subject])).toEqual([
      ["advisory", "model-control-idle", "modelControl.idle.models.llama-3b"],
      ["advisory", "model-control-idle", "modelControl.idle.models.llama-8b"],
    ]);
    expect(advice[0]?.message).toMatch(
      /900 s after its last use.*counts its memory all the same.*Ollama has loaded it/,
    );
    expect(advice[1]?.message).toMatch(/600 s.*wakes it, and waits for that/);
  });

  it("is refused where its engine cannot let it go: vLLM without sleep, replicas over several nodes", () => {
    const models = [modelPlan(), groupPlan()];
    const problems = idleProblems(times(Object.fromEntries(models.map(({ name }) => [name, 900]))), models);
    expect(problems.map(({ severity, subject }) => [severity, subject])).toEqual(
      models.map(({ name }) => ["mandatory", `modelControl.idle.models.${name}`]),
    );
    expect(problems[0]?.message).toContain("write models.llama-8b.vllm.sleepMode: true, or remove the time");
    expect(problems[1]?.message).toContain("runs over several nodes");
    expect(idleAdvice(times({ "llama-8b": 900 }), models)).toEqual([]);
  });

  it("that never leaves is as without one", () => {
    const settings = times({ "llama-8b": "never" });
    expect([...idleProblems(settings, [modelPlan()]), ...idleAdvice(settings, [modelPlan()])]).toEqual([]);
  });

  it("forbids the plan of an environment, by the name of its setting", async () => {
    const { plan } = await changedPlan("edge-nvidia", {
      modelControl: { enabled: true, image: "ghcr.io/acme/control:1.0.0", idle: { models: { chat: 900 } } },
    });
    expect(plan.problems).toContainEqual(
      expect.objectContaining({ severity: "mandatory", subject: "modelControl.idle.models.chat" }),
    );
  });
});

describe("consumers with limits per minute", () => {
  const tenants = [
    { name: "web", priority: "paid" },
    { name: "lab", priority: "paid", tokensPerMinute: 100 },
    { name: "batch", priority: "free", requestsPerMinute: 10 },
  ] as const;

  it("get no token for inference, and the plan says so while there is inference", () => {
    const on = modelControlSection.parse({ enabled: true, inference: { enabled: true } });
    expect(inferenceConsumers(on, tenants)).toMatchObject([
      { severity: "advisory", message: expect.stringMatching(/^lab, batch of gateway\.consumers get no token/) },
    ]);
    expect(inferenceConsumers(on, tenants.slice(0, 1))).toEqual([]);
    expect(inferenceConsumers(modelControlSection.parse({ enabled: true }), tenants)).toEqual([]);
  });
});

describe("the volume of the task queue", () => {
  const volumes = (section: object) => {
    const own = modelControl.activate(
      { modelControl: modelControlSection.parse({ enabled: true, image: "ghcr.io/acme/control:1.0.0", ...section }) },
      {},
    );
    // What it claims follows from its section alone.
    return own?.volumes({ environment: {} as never })?.volumes;
  };

  it("is priced as large as it is made", () => {
    expect(volumes({})).toEqual([{ name: "task queue", sizeGiB: 1, count: 1 }]);
    expect(volumes({ inference: { enabled: true } })).toEqual([{ name: "task queue", sizeGiB: 1, count: 1 }]);
    expect(volumes({ inference: { enabled: true, queued: 2000, promptKiB: 1024 } })).toEqual([
      { name: "task queue", sizeGiB: 11, count: 1 },
    ]);
  });
});
