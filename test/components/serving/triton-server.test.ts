import { describe, expect, it } from "vitest";
import type { ModelPlan } from "../../../planner/types";
import { modelPlan } from "../../harness/plans";
import { container, deployServing, podTemplate, specOf } from "./fixture";

function tritonPlan(overrides: Partial<ModelPlan> = {}): ModelPlan {
  return modelPlan({ engine: "triton", engineVersion: "26.07", task: "completion", servedName: "llama", ...overrides });
}

const repository = tritonPlan({
  task: "embedding",
  source: { kind: "bucket", uri: "s3://models/embedder" },
  engineSettings: { isRepository: true, backends: "standard" },
});

async function deployed(model: ModelPlan) {
  const { deployment } = await deployServing([model], {});
  const resource = deployment.resource("kubernetes:apps/v1:Deployment", "serving-llama-8b-server-deployment");
  const template = podTemplate(resource);
  return { deployment, resource, template, engine: container(template.spec, "triton") };
}

describe("a model on Triton", () => {
  it("has the image of its back ends, and the ports of HTTP, gRPC and metrics", async () => {
    const { engine, deployment } = await deployed(tritonPlan());
    expect(engine.image).toMatch(/^nvcr\.io\/nvidia\/tritonserver:26\.07-trtllm-python-py3/);
    expect((await deployed(repository)).engine.image).toMatch(/tritonserver:26\.07-py3/);
    expect(engine.ports).toEqual([
      { name: "http", containerPort: 8000 },
      { name: "grpc", containerPort: 8001 },
      { name: "metrics", containerPort: 8002 },
    ]);
    const service = deployment.resource("kubernetes:core/v1:Service", "serving-llama-8b-server-service");
    expect(specOf(service).ports).toMatchObject([
      { name: "http", port: 8000 },
      { name: "grpc", port: 8001 },
    ]);
  });

  it("is probed by KServe's paths, within the start-up budget of the plan", async () => {
    const { engine } = await deployed(tritonPlan());
    expect(engine).toMatchObject({
      startupProbe: { httpGet: { path: "/v2/health/ready", port: "http" }, failureThreshold: 40 },
      readinessProbe: { httpGet: { path: "/v2/health/ready", port: "http" } },
      livenessProbe: { httpGet: { path: "/v2/health/live", port: "http" } },
      lifecycle: { preStop: { sleep: { seconds: 10 } } },
    });
  });

  it("makes the repository of a checkpoint: its files, and the code of the image", async () => {
    const { deployment, template, engine } = await deployed(tritonPlan());
    const files = deployment.resource("kubernetes:core/v1:ConfigMap", "serving-llama-8b-repository");
    expect(Object.keys(files.inputs.data as object)).toEqual(["config.pbtxt", "model.yaml"]);
    const made = container(template.spec, "make-repository");
    expect(made.image).toBe(engine.image);
    expect(made.args).toEqual([
      "/repository",
      "llama",
      "/repository-files",
      "/app/all_models/llmapi/tensorrt_llm/1/model.py",
      "/app/all_models/llmapi/tensorrt_llm/1/helpers.py",
    ]);
    expect(template.spec.initContainers?.map(({ name }) => name)).toEqual(["fetch-weights", "make-repository"]);
    expect(engine.volumeMounts).toEqual(
      expect.arrayContaining([
        { name: "model", mountPath: "/models/current", readOnly: true },
        { name: "repository", mountPath: "/repository", readOnly: true },
      ]),
    );
    expect(engine.args).toContain("--model-repository=/repository");
  });

  it("rolls its pods when a file of the repository changes", async () => {
    const of = async (overrides: Partial<ModelPlan>) =>
      (await deployed(tritonPlan(overrides))).template.metadata.annotations;
    expect(await of({ contextTokens: 4096 })).not.toEqual(await of({}));
  });

  it("serves a repository of the user's own as it was copied", async () => {
    const { deployment, template, engine } = await deployed(repository);
    expect(engine.args).toContain("--model-repository=/models/current");
    expect(template.spec.initContainers?.map(({ name }) => name)).toEqual(["fetch-weights"]);
    const maps = deployment.ofType("kubernetes:core/v1:ConfigMap").map(({ name }) => name);
    expect(maps.filter((name) => name.includes("repository"))).toEqual([]);
  });
});
