import { describe, expect, it } from "vitest";
import { ollamaEnvironment } from "../../../components/serving/ollama-server";
import type { ModelPlan } from "../../../planner/types";
import upstream from "../../fixtures/upstream/ollama.json";
import { ollamaPlan, sharedOllamaPlans } from "../../harness/plans";
import { scalingPlan } from "../autoscaling/scaled";
import { container, deployServing, literals, podTemplate, preStop, specOf } from "./fixture";

const SET = "kubernetes:apps/v1:StatefulSet";

const CONTROL = {
  client: { namespace: "model-control", podLabels: { app: "control" }, serviceAccount: "control" },
  spareStorageGiB: 30,
};

async function deployed(model = ollamaPlan(), overrides: Parameters<typeof deployServing>[1] = {}) {
  const { deployment, serving } = await deployServing([model], overrides);
  const set = deployment.resource(SET, `serving-${model.name}-server-statefulset`);
  const pod = podTemplate(set).spec;
  return { deployment, serving, set, loader: container(pod, "loader"), server: container(pod, "ollama") };
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
        readyPath: "/api/version",
        ports: { openai: 11434 },
        podLabels: { "app.kubernetes.io/name": "ollama", "app.kubernetes.io/instance": "model-llama-3b" },
        scale: { apiVersion: "apps/v1", kind: "StatefulSet", name: "model-llama-3b" },
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

  it.each([
    ["of a class that goes with its claim, where the platform makes one", 2, true, "encrypted-cache", "Delete"],
    ["that stays where the class is another's: who knows what becomes of the disk", 2, false, "encrypted", "Retain"],
    ["that stays while it sleeps: it wakes with its model", 0, true, "encrypted", "Retain"],
  ])(
    "gives a replica that follows demand a volume %s",
    async (_, minReplicas, isMade, storageClassName, whenScaled) => {
      const scaled = ollamaPlan({ minReplicas, maxReplicas: 4, scaling: scalingPlan({ min: minReplicas, max: 4 }) });
      const volumeClass = isMade ? { provisioner: "ebs.csi.aws.com", parameters: {} } : undefined;
      const { set } = await deployed(scaled, { cluster: { storageClass: "encrypted", volumeClass } });
      expect(specOf(set)).toMatchObject({
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled },
        volumeClaimTemplates: [{ spec: { storageClassName } }],
      });
    },
  );

  it("under model control keeps its volume when stopped, has room for more models, and leaves memory to the API", async () => {
    const { serving, set, server } = await deployed(ollamaPlan({ minReplicas: 2 }), { control: CONTROL });
    expect(specOf(set)).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "33Gi" } } } }],
    });
    expect(literals(server).OLLAMA_MAX_LOADED_MODELS).toBe("64");
    const pods = "model-llama-3b-pods.model-llama-3b.svc:11434";
    expect(serving.endpoints[0]?.control).toEqual({
      backend: "ollama",
      engines: [`http://model-llama-3b-0.${pods}`, `http://model-llama-3b-1.${pods}`],
      replicas: 2,
      memoryGiB: 5.75,
      diskGiB: 33,
      planned: [{ model: "llama-3b", names: ["llama3.2:3b", "llama-3.2-3b"] }],
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
    expect(podTemplate(set).spec.runtimeClassName).toBeUndefined();
  });

  it("claims planned GPUs for the server only, and shares the planned CPUs and memory with the loader", async () => {
    const resources = { ...ollamaPlan().resources, gpus: 1, gpuResource: "nvidia.com/gpu" as const };
    const { server, loader, set } = await deployed(ollamaPlan({ gpuVendor: "nvidia", resources }), {
      gpuAccess: { nvidia: { runtimeClass: "nvidia" } },
    });
    expect(podTemplate(set).spec.runtimeClassName).toBe("nvidia");
    const engine = { cpu: "3875m", memory: "5888Mi", "ephemeral-storage": "9984Mi", "nvidia.com/gpu": "1" };
    const beside = { cpu: "125m", memory: "256Mi", "ephemeral-storage": "256Mi" };
    expect([server.resources, loader.resources]).toEqual([
      { requests: engine, limits: engine },
      { requests: beside, limits: beside },
    ]);
  });

  it("takes the ROCm image on AMD", async () => {
    const { server } = await deployed(ollamaPlan({ gpuVendor: "amd" }));
    expect(server.image).toMatch(/^docker\.io\/ollama\/ollama:0\.32\.15-rocm(@|$)/);
  });

  it("is ready only once its own loader, which stays, has opened its port", async () => {
    const { set, loader, server } = await deployed(ollamaPlan({ servedName: "meta/llama-3.2" }));
    const job = JSON.parse(literals(loader).MODEL_LOADER ?? "");
    expect(job).toEqual({
      server: "http://127.0.0.1:11434",
      models: [{ tag: "llama3.2:3b", servedName: "meta/llama-3.2", task: "chat" }],
      readyPort: 11435,
    });
    expect(podTemplate(set).spec.initContainers?.map(({ name }) => name)).toEqual(["loader"]);
    expect(loader).toMatchObject({
      restartPolicy: "Always",
      command: ["node", "/scripts/model-loader.ts"],
      ports: [{ name: "loaded", containerPort: job.readyPort }],
      readinessProbe: { tcpSocket: { port: "loaded" } },
      volumeMounts: [{ name: "scripts" }, { mountPath: "/tmp" }],
    });
    // The server starts beside it, not after it.
    expect(loader).not.toHaveProperty("startupProbe");
    expect(server.readinessProbe).toMatchObject({ httpGet: { path: "/api/version", port: "http" } });
  });

  it("is deployed by no Job: nothing knows how many replicas there are", async () => {
    const { deployment, set } = await deployed(ollamaPlan({ minReplicas: 2 }));
    expect(deployment.ofType("kubernetes:batch/v1:Job")).toEqual([]);
    expect(set.inputs).not.toHaveProperty(["metadata", "annotations", "pulumi.com/skipAwait"]);
    expect(set.options.ignoreChanges).toEqual([]);
  });

  it("leaves the number of replicas to the model control API where there is one", async () => {
    const { set } = await deployed(ollamaPlan({ minReplicas: 2 }), { control: CONTROL });
    expect([specOf(set).replicas, set.options.ignoreChanges]).toEqual([2, ["spec.replicas"]]);
  });

  it("lets running requests finish before the server is told to stop", async () => {
    const { server, set } = await deployed();
    expect(preStop(server)).toMatch(/sleep 10\n[^\n]* \+ 3600\)\)\n.*:2CAA/s);
    expect(podTemplate(set).spec.terminationGracePeriodSeconds).toBe(3630);
  });

  it("refuses a source that is not Ollama's registry", async () => {
    const source = { kind: "huggingface", repository: "a/b", revision: "main" } as const;
    await expect(deployed(ollamaPlan({ source }))).rejects.toThrow(/models\.llama-3b\.source.*ollama:\/\/<tag>/);
  });
});

describe("an Ollama server with two models", () => {
  async function shared(...plans: Parameters<typeof sharedOllamaPlans>) {
    const { deployment, serving } = await deployServing(sharedOllamaPlans(...plans), { control: CONTROL });
    const set = deployment.resource(SET, "serving-llama-3b-server-statefulset");
    return { deployment, serving, set, pod: podTemplate(set) };
  }

  it("is one set in one namespace, with a volume for both and the memory of both in its annotations", async () => {
    const { deployment, set, pod } = await shared();
    expect(deployment.ofType(SET)).toHaveLength(1);
    expect(deployment.ofType("kubernetes:core/v1:Namespace")).toHaveLength(1);
    expect(specOf(set)).toMatchObject({
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "36Gi" } } } }],
    });
    expect(pod.metadata.annotations).toMatchObject({
      "inference-stacks.io/memory-total-gib": "37.38",
      "inference-stacks.io/memory-most-gib": "38.38",
      "inference-stacks.io/memory-limit-gib": "50.00",
    });
  });

  it("answers as each under a name of its own at one Service, and is driven as its host with both pinned", async () => {
    const { serving } = await shared();
    const [host, guest] = serving.endpoints;
    const { control, model: _model, servedName: _name, ...place } = host ?? {};
    expect(guest).toEqual({ ...place, model: "finder", servedName: "finder" });
    expect(control?.planned.flatMap(({ names }) => names)).toEqual([
      "llama3.2:3b",
      "llama-3.2-3b",
      "other:1b",
      "finder",
    ]);
  });

  it("has both loaded with their own contexts, embeddings in batches of whole texts", async () => {
    const { pod } = await shared({}, { contextTokens: 1024, task: "embedding" });
    expect(JSON.parse(literals(container(pod.spec, "loader")).MODEL_LOADER ?? "").models).toEqual([
      {
        tag: "llama3.2:3b",
        servedName: "llama-3.2-3b",
        task: "chat",
        parameters: { num_ctx: 8192, num_batch: 512 },
      },
      { tag: "other:1b", servedName: "finder", task: "embedding", parameters: { num_ctx: 1024 } },
    ]);
  });

  it("spreads each over all GPUs where it has several, and else leaves that to Ollama", () => {
    const spread = (gpusPerNode: number) => {
      const [host] = sharedOllamaPlans({ gpusPerNode });
      return Object.fromEntries(ollamaEnvironment(host).map((e) => [(e as { name: string }).name, e]));
    };
    expect(spread(2)).toMatchObject({
      OLLAMA_SCHED_SPREAD: { value: "1" },
      OLLAMA_MAX_LOADED_MODELS: { value: "2" },
    });
    expect(spread(1)).not.toHaveProperty("OLLAMA_SCHED_SPREAD");
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

  it("has the parallel requests of the model that takes the most, where several share the server", () => {
    const parallel = (host: number, guest: number) => {
      const values = ollamaEnvironment(ollamaPlan({ concurrency: host }), [ollamaPlan({ concurrency: guest })]);
      return values.find(({ name }) => name === "OLLAMA_NUM_PARALLEL");
    };
    expect([parallel(1, 8), parallel(8, 1)]).toMatchObject([{ value: "8" }, { value: "8" }]);
  });

  it("lets prompts that wait for their slot take no more than the pod has, each model's alike", () => {
    const kept = (model: ModelPlan, guests: readonly ModelPlan[] = [], controlled = false) =>
      ollamaEnvironment(model, guests, controlled).find(({ name }) => name === "LLAMA_ARG_CACHE_RAM")?.value;
    const on = (memoryGiB: number, more: Partial<ModelPlan> = {}) =>
      ollamaPlan({
        gpusPerNode: 1,
        resources: { cpu: 4, memoryGiB, ephemeralStorageGiB: 10, sharedMemoryGiB: 1, gpus: 1 },
        ...more,
      });
    // 6 GiB to start in, 1 GiB of /dev/shm, 0.25 GiB of the loader.
    expect([on(64), on(12), on(7.25), on(4)].map((model) => kept(model))).toEqual(["8192", "4864", "0", "0"]);
    expect(kept(on(12), [ollamaPlan()])).toBe("2432");
    const { memoryPerGpu } = ollamaPlan();
    // The last prompt stays whatever its size: one of 5 GiB would be too much.
    expect(kept(on(12, { concurrency: 1, memoryPerGpu: { ...memoryPerGpu, kvCacheGiB: 5 } }))).toBe("0");
    // A pod without GPUs has what its model needs; further models come under model control.
    expect([kept(ollamaPlan()), kept(on(64), [], true)]).toEqual(["0", "0"]);
  });

  it("uses only variables of the pinned release", () => {
    const known = new Set(upstream.env.map((e) => e.name));
    const set = ollamaEnvironment(ollamaPlan()).map((e) => (e as { name: string }).name);
    // Of llama-server, which Ollama starts with its own variables.
    expect(set.filter((name) => !["HOME", "LLAMA_ARG_CACHE_RAM"].includes(name) && !known.has(name))).toEqual([]);
  });
});
