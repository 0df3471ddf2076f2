import { describe, expect, it } from "vitest";
import { ollamaEnvironment } from "../../../components/serving/ollama-server";
import type { ModelPlan } from "../../../planner/types";
import upstream from "../../fixtures/upstream/ollama.json";
import { ollamaPlan } from "../../harness/plans";
import { container, deployServing, literals, podTemplate, specOf } from "./fixture";

const SET = "kubernetes:apps/v1:StatefulSet";
const JOB = "kubernetes:batch/v1:Job";

const CONTROL = {
  client: { namespace: "model-control", podLabels: { app: "control" }, serviceAccount: "control" },
  spareStorageGiB: 30,
};

async function deployed(model = ollamaPlan(), overrides: Parameters<typeof deployServing>[1] = {}) {
  const { deployment, serving } = await deployServing([model], overrides);
  const set = deployment.resource(SET, `serving-${model.name}-server-statefulset`);
  const job = deployment.resource(JOB, `serving-${model.name}-pull-job`);
  return { deployment, serving, set, job, server: container(podTemplate(set).spec, "ollama") };
}

describe("OllamaServer", () => {
  it("says where the model answers, without metrics: Ollama has none", async () => {
    const { serving } = await deployed();
    expect(serving.endpoints).toEqual([
      {
        model: "llama-3b",
        servedName: "llama-3.2-3b",
        engine: "ollama",
        task: "chat",
        namespace: "model-llama-3b",
        service: "model-llama-3b",
        port: 11434,
        podLabels: { "app.kubernetes.io/name": "ollama", "app.kubernetes.io/instance": "model-llama-3b" },
      },
    ]);
  });

  it("starts with the variables that the user gives", async () => {
    const { server } = await deployed(ollamaPlan({ env: { OLLAMA_MAX_QUEUE: "64" } }));
    expect(literals(server)).toMatchObject({ OLLAMA_MAX_QUEUE: "64", OLLAMA_KEEP_ALIVE: "-1" });
  });

  it("gives each replica a volume of the planned size, removed with the set: it is a cache", async () => {
    const { set } = await deployed(ollamaPlan({ minReplicas: 2 }));
    expect(specOf(set)).toMatchObject({
      replicas: 2,
      serviceName: "model-llama-3b-pods",
      podManagementPolicy: "Parallel",
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
      volumeClaimTemplates: [{ spec: { storageClassName: "encrypted", resources: { requests: { storage: "3Gi" } } } }],
    });
  });

  it("under model control keeps its volume when stopped, has room for more models, and leaves memory to the API", async () => {
    const { serving, set, server } = await deployed(ollamaPlan({ minReplicas: 2 }), { control: CONTROL });
    expect(specOf(set)).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "33Gi" } } } }],
    });
    expect(literals(server).OLLAMA_MAX_LOADED_MODELS).toBe("64");
    const pods = "model-llama-3b-pods.model-llama-3b.svc:11434";
    expect(serving.endpoints[0]?.control).toEqual({
      engines: [`http://model-llama-3b-0.${pods}`, `http://model-llama-3b-1.${pods}`],
      scale: { kind: "StatefulSet", name: "model-llama-3b" },
      replicas: 2,
      memoryGiB: 6,
      diskGiB: 33,
      pins: ["llama3.2:3b", "llama-3.2-3b", "ready-llama-3b"],
    });
  });

  it("runs as an ordinary user with its home on the volume, on CPUs alone where the plan has no GPU", async () => {
    const { set, server } = await deployed();
    expect(podTemplate(set).spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      fsGroup: 65532,
    });
    expect(server.volumeMounts).toContainEqual({ name: "models", mountPath: "/var/lib/ollama" });
    expect(server.resources.limits).toEqual({ cpu: "4", memory: "6Gi", "ephemeral-storage": "10Gi" });
    expect(podTemplate(set).spec.runtimeClassName).toBeUndefined();
  });

  it("claims planned GPUs for the server only", async () => {
    const resources = { ...ollamaPlan().resources, gpus: 1, gpuResource: "nvidia.com/gpu" as const };
    const { server, job, set } = await deployed(ollamaPlan({ gpuVendor: "nvidia", resources }), {
      gpuAccess: { nvidia: { runtimeClass: "nvidia" } },
    });
    expect(server.resources.limits["nvidia.com/gpu"]).toBe("1");
    expect(podTemplate(set).spec.runtimeClassName).toBe("nvidia");
    expect(container(podTemplate(job).spec, "pull").resources.limits).toEqual({
      cpu: "1",
      memory: "512Mi",
      "ephemeral-storage": "1Gi",
    });
  });

  it("takes the ROCm image on AMD", async () => {
    const { server } = await deployed(ollamaPlan({ gpuVendor: "amd" }));
    expect(server.image).toBe("docker.io/ollama/ollama:0.32.15-rocm");
  });

  it("is ready only once the Job has given the model its ready name", async () => {
    const { server, job } = await deployed(ollamaPlan({ servedName: "meta/llama-3.2" }));
    expect(server.readinessProbe).toMatchObject({ httpGet: { path: "/v1/models/ready-llama-3b", port: "http" } });
    expect(JSON.parse(literals(container(podTemplate(job).spec, "pull")).WARM_PULL ?? "")).toMatchObject({
      readyName: "ready-llama-3b",
      servedName: "meta/llama-3.2",
    });
    expect(upstream.routes).toContainEqual(expect.objectContaining({ method: "GET", path: "/v1/models/:model" }));
  });

  it("pulls into every replica by its own address, within the start-up budget of each", async () => {
    const { job } = await deployed(ollamaPlan({ minReplicas: 2 }));
    const pull = container(podTemplate(job).spec, "pull");
    expect(pull.command).toEqual(["node", "/scripts/warm-pull.ts"]);
    expect(JSON.parse(literals(pull).WARM_PULL ?? "")).toEqual({
      servers: [
        "http://model-llama-3b-0.model-llama-3b-pods.model-llama-3b.svc:11434",
        "http://model-llama-3b-1.model-llama-3b-pods.model-llama-3b.svc:11434",
      ],
      tag: "llama3.2:3b",
      servedName: "llama-3.2-3b",
      readyName: "ready-llama-3b",
      task: "chat",
      startTimeoutSeconds: 1800,
    });
    expect(specOf(job)).toMatchObject({ activeDeadlineSeconds: 2040 });
  });

  it("runs the Job again when the model or the pods change, since new pods have loaded nothing", async () => {
    const hash = async (overrides: Partial<ModelPlan> = {}) => {
      const { job } = await deployed(ollamaPlan(overrides));
      return podTemplate(job).metadata.annotations["inference-stacks.io/config-hash"];
    };
    const first = await hash();
    expect(await hash()).toBe(first);
    expect(await hash({ source: { kind: "ollama", tag: "llama3.2:1b" } })).not.toBe(first);
    expect(await hash({ contextTokens: 4096 })).not.toBe(first);
    expect(await hash({ modelStorageGiB: 40 })).not.toBe(first);
  });

  it("does not wait for ready pods before it starts the Job that makes them ready", async () => {
    const { set } = await deployed(ollamaPlan({ minReplicas: 2 }));
    expect(set.inputs).toHaveProperty(
      ["metadata", "annotations", "pulumi.com/waitFor"],
      "jsonpath={.status.updatedReplicas}=2",
    );
  });

  it("lets running requests finish before the server is told to stop", async () => {
    const { server, set } = await deployed();
    const { lifecycle } = server as unknown as { lifecycle: { preStop: { sleep: { seconds: number } } } };
    expect(lifecycle.preStop.sleep.seconds).toBe(120);
    expect(podTemplate(set).spec.terminationGracePeriodSeconds).toBeGreaterThan(lifecycle.preStop.sleep.seconds);
  });

  it("refuses a source that is not Ollama's registry", async () => {
    const source = { kind: "huggingface", repository: "a/b", revision: "main" } as const;
    await expect(deployed(ollamaPlan({ source }))).rejects.toThrow(/models\.llama-3b\.source.*ollama:\/\/<tag>/);
  });
});

describe("ollamaEnvironment", () => {
  it("sets context, parallelism and residence from the plan", () => {
    const values = Object.fromEntries(ollamaEnvironment(ollamaPlan()).map((e) => [(e as { name: string }).name, e]));
    expect(values.OLLAMA_CONTEXT_LENGTH).toMatchObject({ value: "8192" });
    expect(values.OLLAMA_NUM_PARALLEL).toMatchObject({ value: "16" });
    expect(values.OLLAMA_KEEP_ALIVE).toMatchObject({ value: "-1" });
    expect(values.OLLAMA_LOAD_TIMEOUT).toMatchObject({ value: "120s" });
  });

  it("uses only variables of the pinned release", () => {
    const known = new Set(upstream.env.map((e) => e.name));
    const set = ollamaEnvironment(ollamaPlan()).map((e) => (e as { name: string }).name);
    expect(set.filter((name) => name !== "HOME" && !known.has(name))).toEqual([]);
  });
});
