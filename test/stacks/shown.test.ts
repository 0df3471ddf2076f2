/** What each environment is there to show: the claims of docs/environments, one by one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { findModel, modelNames } from "../../catalog/models";
import { repositoryRoot } from "../../names/repository-root";
import type { ModelPlan } from "../../planner/types";
import { usd } from "../../report/style";
import { configSchema } from "../../services/model-control/src/config";
import { groupOf, metadataOf, only, type PodSpec, rayWorkersOf, workloadOf } from "./kubernetes";
import { changedRun, type EnvironmentName, type ProgramRun, programRun } from "./run";

function useRun(name: EnvironmentName): () => ProgramRun {
  let run: ProgramRun | undefined;
  beforeAll(async () => {
    run = await programRun(name);
  });
  return () => {
    if (!run) {
      throw new Error(`the program of ${name} has not run yet`);
    }
    return run;
  };
}

function model(run: ProgramRun, name: string): ModelPlan {
  return only(
    run.plan.models.filter((m) => m.name === name),
    `model "${name}" in the plan`,
  );
}

/** Pod spec of the server of a model that runs on single nodes. */
function serverPod(run: ProgramRun, name: string): PodSpec {
  const ofModel = (resource: Parameters<typeof metadataOf>[0]) => metadataOf(resource).namespace === `model-${name}`;
  const [service] = run.deployment.ofKind("RayService").filter(ofModel);
  if (service) {
    return rayWorkersOf(service).template.spec;
  }
  const servers = ["kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:StatefulSet"].flatMap((type) =>
    run.deployment.ofType(type).filter(ofModel),
  );
  return workloadOf(only(servers, `server of model "${name}"`)).template.spec;
}

function engineOf({ containers }: PodSpec) {
  return only(containers, "container");
}

/** What the model control API of an environment reads, by the service's own schema. */
function controlConfig({ deployment }: ProgramRun) {
  const { data } = deployment.resource("kubernetes:core/v1:ConfigMap", "platform-control-config").inputs;
  return configSchema.parse(JSON.parse(String(Object(data)["config.json"])));
}

/** Bytes of the weights that the catalogue knows by this tag of Ollama. */
function ollamaBytes(tag: string): number {
  return only(
    modelNames()
      .flatMap((name) => findModel(name)?.builds?.ollama ?? [])
      .filter((build) => build.tag === tag),
    `build "${tag}" in the catalogue`,
  ).fileBytes;
}

const NVIDIA_TAINTS = [
  expect.objectContaining({ key: "nvidia.com/gpu", effect: "NoSchedule" }),
  expect.objectContaining({ key: "dedicated", value: "inference", effect: "NoSchedule" }),
];

describe("dev", () => {
  const run = useRun("dev");

  it("needs no GPU: nothing asks for one, selects nodes with one, or watches one", () => {
    const gpu = /nvidia\.com\/gpu|amd\.com\/gpu|dcgm-exporter|runtimeClassName/;
    const names = run().resources.filter((r) => r.custom && gpu.test(JSON.stringify(r.inputs)));
    expect(names.map((r) => r.name)).toEqual([]);
  });

  it("serves with Ollama on the CPU, one replica, on any node", () => {
    const pod = serverPod(run(), "assistant");
    expect(engineOf(pod).image).toMatch(/ollama\/ollama:/);
    expect(pod.nodeSelector).toEqual({});
    expect(model(run(), "assistant")).toMatchObject({ gpusPerNode: 0, minReplicas: 1, maxReplicas: 1 });
  });

  it("lets an operator manage models, from this computer only", () => {
    const { workers } = controlConfig(run());
    expect(workers).toMatchObject([{ name: "assistant", backend: "ollama", memoryBytes: 2 * 2 ** 30 }]);
    expect(run().recording.outputs.modelControl).toMatchObject({
      address: "http://127.0.0.1:1994",
      portForward: expect.stringContaining("port-forward service/model-control 1994"),
    });
    expect(
      run()
        .deployment.ofKind("HTTPRoute")
        .map(({ name }) => name),
    ).not.toContain("platform-gateway-services-route-model-control");
  });

  it("costs nothing, and its first call goes through a port-forward", () => {
    expect(run().plan.cost.monthlyUsd).toBe(0);
    expect(JSON.stringify(run().recording.outputs.models)).toContain("port-forward service/inference 8443:443");
  });
});

describe("oci-a10", () => {
  const run = useRun("oci-a10");

  it("runs the platform on Arm and the models on A10 nodes", () => {
    const shapes = run().plan.pools.map(({ name, shape }) => [name, shape.name, shape.cpu.arch]);
    expect(shapes).toEqual([
      ["system", "VM.Standard.A1.Flex", "arm64"],
      ["a10", "VM.GPU.A10.1", "amd64"],
      ["a10-pair", "VM.GPU.A10.2", "amd64"],
    ]);
  });

  it.each([
    ["assistant", "VM.GPU.A10.1", /ollama\/ollama:/],
    ["writer", "VM.GPU.A10.2", /vllm\/vllm-openai:/],
    ["reasoner", "VM.GPU.A10.2", /vllm\/vllm-openai:/],
    ["analyst", "VM.GPU.A10.1", /vllm\/vllm-openai:/],
  ])("serves %s on one GPU of %s", (name, shape, image) => {
    const pod = serverPod(run(), name);
    expect(pod.nodeSelector).toEqual({ "node.kubernetes.io/instance-type": shape });
    expect(pod.tolerations).toEqual(NVIDIA_TAINTS);
    expect(engineOf(pod).image).toMatch(image);
    expect(engineOf(pod).resources.limits["nvidia.com/gpu"]).toBe("1");
  });

  it("drives every engine through model control, and has room for the warm models beside the planned one", () => {
    const { workers } = controlConfig(run());
    expect(workers.map(({ name, backend, scale }) => [name, backend, scale?.kind])).toEqual([
      ["assistant", "ollama", "StatefulSet"],
      ["writer", "vllm", "Deployment"],
      ["reasoner", "vllm", "Deployment"],
      ["analyst", "vllm", "Deployment"],
    ]);
    const { warmModels } = run().environment.modelControl;
    expect(warmModels.length).toBeGreaterThan(0);
    const onDisk = ["llama3.2:3b", ...warmModels].reduce((bytes, tag) => bytes + ollamaBytes(tag), 0);
    const assistant = only(
      workers.filter(({ name }) => name === "assistant"),
      "worker assistant",
    );
    expect(onDisk).toBeLessThan(assistant.diskBytes ?? 0);
    for (const tag of warmModels) {
      // Weights alone: what the contexts take is up to the engine.
      expect(ollamaBytes("llama3.2:3b") + ollamaBytes(tag)).toBeLessThan(assistant.memoryBytes);
    }
  });

  it("lets a model sleep on a node that nobody pays meanwhile", () => {
    expect(model(run(), "analyst")).toMatchObject({ minReplicas: 0, maxReplicas: 1, monthlyUsd: 0 });
    const a10 = run().plan.pools.find((p) => p.name === "a10");
    expect(a10).toMatchObject({ minNodes: 1, maxNodes: 2, gpusClaimed: 1, gpusTotal: 1 });
  });

  it("is billed for the whole day, within its budget, and says what four hours would cost", () => {
    const { pools, cost } = run().plan;
    const a10 = pools.find((p) => p.name === "a10");
    expect(a10?.monthlyUsd).toBeCloseTo((a10?.hourlyUsd ?? 0) * 730, 6);
    expect(cost.items.find(({ name }) => name === "a10")?.note).toContain(((a10?.monthlyUsd ?? 0) / 6).toFixed(2));
    expect(cost.monthlyUsd).toBeLessThan(5000);
  });
});

describe("oci-h100", () => {
  const run = useRun("oci-h100");

  it("lays the 405 B model over two machines of eight GPUs, without being told how", () => {
    expect(run().environment.models["llama-405b"]).not.toHaveProperty("vllm.tensorParallel");
    expect(model(run(), "llama-405b")).toMatchObject({
      tensorParallel: 8,
      pipelineParallel: 2,
      nodesPerReplica: 2,
      gpusPerNode: 8,
      shape: "BM.GPU.H100.8",
    });
  });

  it("serves it as a LeaderWorkerSet of two pods with eight GPUs each", () => {
    const set = only(run().deployment.ofKind("LeaderWorkerSet"), "LeaderWorkerSet");
    const { replicas, leaderWorkerTemplate } = groupOf(set);
    expect([replicas, leaderWorkerTemplate.size]).toEqual([1, 2]);
    for (const { spec } of [leaderWorkerTemplate.leaderTemplate, leaderWorkerTemplate.workerTemplate]) {
      expect(spec.nodeSelector).toEqual({ "node.kubernetes.io/instance-type": "BM.GPU.H100.8" });
      expect(spec.tolerations).toEqual(NVIDIA_TAINTS);
      expect(engineOf(spec).resources.limits["nvidia.com/gpu"]).toBe("8");
      expect(engineOf(spec).args).toEqual(
        expect.arrayContaining(["--tensor-parallel-size=8", "--pipeline-parallel-size=2"]),
      );
    }
  });

  it("shares one A10 machine between two models of two replicas", () => {
    const a10 = run().plan.pools.find((p) => p.name === "a10");
    expect([a10?.minNodes, a10?.gpusClaimed, a10?.gpusTotal]).toEqual([1, 4, 4]);
    expect(["llama-8b", "qwen-7b"].map((name) => model(run(), name).minReplicas)).toEqual([2, 2]);
  });
});

describe("aws-prod", () => {
  const run = useRun("aws-prod");

  it("runs every model at least twice", () => {
    for (const { name, minReplicas } of run().plan.models) {
      expect([name, minReplicas]).toEqual([name, 2]);
    }
  });

  it("fits both replicas of the 70 B model on one p5.48xlarge, four GPUs each", () => {
    expect(run().environment.models["llama-70b"]).not.toHaveProperty("vllm.tensorParallel");
    expect(model(run(), "llama-70b")).toMatchObject({ tensorParallel: 4, pipelineParallel: 1, shape: "p5.48xlarge" });
    const h100 = run().plan.pools.find((p) => p.name === "h100");
    expect([h100?.minNodes, h100?.gpusClaimed, h100?.gpusTotal]).toEqual([1, 8, 8]);
    expect(engineOf(serverPod(run(), "llama-70b")).resources.limits["nvidia.com/gpu"]).toBe("4");
  });

  it("names what one node, one zone and one store cost, each with the price of the next step, as its page does", () => {
    const { problems } = run().plan;
    const message = (rule: string) => problems.find((each) => each.rule === rule)?.message ?? "";
    const [, then = "", now = ""] = /([\d,]+) USD a month instead of ([\d,]+)\./.exec(message("availability")) ?? [];
    const dollars = (text: string) => Number(text.replaceAll(",", ""));
    const [, bucket, volume] = /([\d.]+) USD a month.* ([\d.]+\d)\./.exec(message("single-store")) ?? [];
    const page = readFileSync(join(repositoryRoot(), "docs/environments/aws-prod.md"), "utf8").replaceAll("\n", " ");
    expect(page).toContain(`${usd(dollars(then) - dollars(now))} USD a month more`);
    expect(page).toContain(`${bucket} USD a month in place of the volume's ${volume}`);
  });

  it.each([
    ["llama-70b", "p5.48xlarge"],
    ["llama-8b", "g6e.4xlarge"],
    ["embeddings", "g6.4xlarge"],
    ["drafts", "g6.4xlarge"],
  ])("places %s on %s", (name, shape) => {
    expect(serverPod(run(), name).nodeSelector).toEqual({ "node.kubernetes.io/instance-type": shape });
  });

  it("gets its certificate from an ACME authority, and answers behind two proxies", () => {
    const issuers = run().deployment.ofKind("Issuer").map(metadataOf);
    const ofGateway = issuers.filter(({ namespace }) => namespace === "inference-gateway");
    expect(ofGateway).toMatchObject([{ name: "gateway-acme" }]);
    expect(only(run().deployment.ofKind("EnvoyProxy"), "EnvoyProxy").inputs.spec).toMatchObject({
      provider: { kubernetes: { envoyDeployment: { replicas: 2 }, envoyService: { type: "LoadBalancer" } } },
    });
  });
});

describe("edge-nvidia", () => {
  const run = useRun("edge-nvidia");

  it.each([
    ["chat", /vllm\/vllm-openai:/],
    ["writer", /tritonserver:26\.07-trtllm/],
  ])("serves %s on a card of its own, through the NVIDIA runtime", (name, image) => {
    const pod = serverPod(run(), name);
    expect(engineOf(pod).image).toMatch(image);
    expect(engineOf(pod).resources.limits["nvidia.com/gpu"]).toBe("1");
    expect(pod.runtimeClassName).toBe("nvidia");
    expect(pod.nodeSelector).toEqual({ "inference-stacks.io/pool": "workstation" });
    expect(pod.tolerations).toEqual(NVIDIA_TAINTS);
  });

  it("takes its certificate from a Secret: no issuer for the gateway", () => {
    expect(run().deployment.ofKind("Issuer")).toEqual([]);
    expect(
      JSON.stringify(
        run()
          .deployment.ofKind("Gateway")
          .map((g) => g.inputs.spec),
      ),
    ).toContain("gateway-tls");
  });

  it("keeps room for the BF16 files that FP8 is made of, on the store's volume and beside the engine", async () => {
    const { config }: { config: Record<string, Record<string, object>> } = parse(
      readFileSync(join(repositoryRoot(), "Pulumi.edge-nvidia.yaml"), "utf8"),
    );
    const models = config["inference-stacks:models"];
    const chat = { ...models?.chat, quantization: "fp8", concurrency: 8 };
    const suggested = await changedRun("edge-nvidia", { models: { ...models, chat } });
    expect(engineOf(serverPod(suggested, "chat")).args).toContain("--quantization=fp8");
    for (const shown of [run(), suggested]) {
      // 16.38 GB in the repository, times 1.5.
      expect(serverPod(shown, "chat").volumes).toContainEqual({ name: "model", emptyDir: { sizeLimit: "23Gi" } });
      // And 15.23 GB of the other model's, likewise.
      expect(shown.plan.storage.sizeGiB).toBe(23 + 22);
      expect(model(shown, "chat").resources.ephemeralStorageGiB).toBe(33);
      expect(model(shown, "chat").startupBudgetSeconds).toBe(model(run(), "chat").startupBudgetSeconds);
    }
  });
});

describe("edge-radeon", () => {
  const run = useRun("edge-radeon");
  const domains = ["legal", "healthcare", "financial", "cyber"];

  it.each(domains)("serves %s with vLLM on ROCm, on a card of its own", (name) => {
    const pod = serverPod(run(), name);
    expect(engineOf(pod).image).toMatch(/rocm/);
    expect(engineOf(pod).resources.limits["amd.com/gpu"]).toBe("1");
    expect(pod.nodeSelector).toEqual({ "inference-stacks.io/pool": "radeon" });
    expect(pod.tolerations.map(({ key }) => key)).toEqual(["amd.com/gpu", "dedicated"]);
    expect(model(run(), name).domain).toBe(name);
  });

  it("keeps domains apart in the store: each engine may read its own prefix only", () => {
    const policies = JSON.stringify(run().deployment.resource("kubernetes:core/v1:ConfigMap", POLICIES).inputs.data);
    for (const domain of domains) {
      expect(policies).toContain(`models/${domain}/${domain}`);
    }
  });

  it("gives each department its own key, and needs no Hugging Face token", () => {
    const secrets = run()
      .deployment.ofType("kubernetes:core/v1:Secret")
      .map((s) => metadataOf(s).name);
    expect(secrets).toEqual(expect.arrayContaining(domains.map((domain) => `consumer-${domain}`)));
    expect(secrets).not.toContain("hugging-face");
  });
});

const POLICIES = "platform-store-setup-policies";
