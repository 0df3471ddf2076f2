import { describe, expect, it } from "vitest";
import { tgiArguments } from "../../../components/serving/tgi-args";
import { engineOptions } from "../../../engines";
import type { ModelPlan } from "../../../planner/types";
import { modelPlan } from "../../harness/plans";
import { problemsWith } from "../../stacks/config/samples";
import { container, deployServing, literals, podTemplate, preStop, specOf } from "./fixture";

/** An 8 B model on TGI, on four A10. */
const tgiPlan = (overrides: Partial<ModelPlan> = {}) =>
  modelPlan({
    engine: "tgi",
    engineVersion: "3.0.1",
    tensorParallel: 4,
    gpusPerNode: 4,
    gpuMemoryUtilization: 1,
    loadAs: { dtype: "bfloat16" },
    ...overrides,
  });

async function deployed(model = tgiPlan()) {
  const { deployment, serving } = await deployServing([model]);
  const resource = deployment.resource("kubernetes:apps/v1:Deployment", `serving-${model.name}-server-deployment`);
  return { deployment, serving, resource, template: podTemplate(resource) };
}

describe("TgiServer", () => {
  it("says where the model answers; the model control API has no part in it", async () => {
    const { serving } = await deployed();
    expect(serving.endpoints).toMatchObject([
      {
        engine: "tgi",
        service: "model-llama-8b",
        ports: { openai: 8080 },
        podLabels: { "app.kubernetes.io/name": "tgi", "app.kubernetes.io/instance": "model-llama-8b" },
        metrics: { port: 8080, path: "/metrics" },
      },
    ]);
    expect(serving.endpoints[0]?.control).toBeUndefined();
  });

  it("starts the launcher on copied weights, offline, on a port that needs no privilege", async () => {
    const { spec } = (await deployed()).template;
    const engine = container(spec, "tgi");
    expect(engine).toMatchObject({
      image: expect.stringMatching(/^ghcr\.io\/huggingface\/text-generation-inference:3\.0\.1(@|$)/),
      command: ["text-generation-launcher"],
      args: [
        "--model-id=/models/current",
        "--hostname=0.0.0.0",
        "--port=8080",
        "--num-shard=4",
        "--dtype=bfloat16",
        "--cuda-memory-fraction=1",
        "--max-total-tokens=8192",
        "--max-input-tokens=8191",
        "--max-batch-prefill-tokens=8192",
        "--max-concurrent-requests=128",
        "--usage-stats=off",
      ],
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
    expect(literals(engine)).toMatchObject({ HF_HUB_OFFLINE: "1", HF_HOME: "/cache/huggingface" });
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(spec.initContainers?.map(({ name }) => name)).toEqual(["fetch-weights"]);
    expect(engine.volumeMounts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "model", mountPath: "/models/current", readOnly: true }),
      ]),
    );
  });

  it("waits for its warm-up, and drains before it leaves", async () => {
    const { resource, template } = await deployed();
    const { startupProbe, livenessProbe } = container(template.spec, "tgi");
    expect(startupProbe).toMatchObject({ httpGet: { path: "/health", port: "http" }, failureThreshold: 40 });
    expect(livenessProbe).toMatchObject({ httpGet: { path: "/health", port: "http" } });
    expect(preStop(container(template.spec, "tgi"))).toContain("tgi_batch_current_size|tgi_queue_size");
    expect(specOf(resource)).toMatchObject({ strategy: { rollingUpdate: { maxSurge: 0 } } });
  });
});

describe("flags of TGI", () => {
  const { argumentNamed } = engineOptions("tgi");
  const flags = tgiArguments(tgiPlan({ concurrency: 200 }), "/m").flatMap(
    (word) => /^--([\w-]+)=/.exec(word)?.[1] ?? [],
  );

  it("are all of the launcher of the pinned release", () => {
    expect(flags.length).toBeGreaterThan(10);
    expect(flags.filter((flag) => !argumentNamed.has(flag))).toEqual([]);
  });

  it("admit as many requests as are planned", () => {
    expect(tgiArguments(tgiPlan({ concurrency: 200 }), "/m")).toContain("--max-concurrent-requests=200");
  });

  it("that the platform sets cannot stand under args, nor their variables under env", async () => {
    const model = { model: "qwen2.5-7b-instruct", engine: "tgi" };
    const isRefused = (settings: object) =>
      problemsWith({ models: { chat: { ...model, ...settings } } }).some(({ allowed }) =>
        /^(set by|not to be set)/.test(allowed),
      );
    expect(flags.filter((flag) => !isRefused({ args: { [flag]: 1 } }))).toEqual([]);
    const { env } = container((await deployed()).template.spec, "tgi");
    const variables = [...env.map(({ name }) => name), ...flags.map((flag) => flag.toUpperCase().replaceAll("-", "_"))];
    expect(variables.filter((name) => !isRefused({ env: { [name]: "1" } }))).toEqual([]);
  });
});
