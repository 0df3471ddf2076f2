import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { apiSettings } from "../../../components/model-control/api-settings";
import { tokenFileSchema } from "../../../services/model-control/src/auth/token-file";
import { configSchema } from "../../../services/model-control/src/config";
import type { Deployment, RecordedResource } from "../../harness/deploy";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";
import { scalingPlan } from "../autoscaling/scaled";
import { container, literals, podTemplate, specOf } from "../serving/fixture";
import { deployControl, MODELS } from "./fixture";

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const SET = "kubernetes:apps/v1:StatefulSet";
const SECRET = "kubernetes:core/v1:Secret";
const GIB = 2 ** 30;

/** With the fixture's defaults; deployed once. */
const standard = deployControl();

function metadata({ inputs }: RecordedResource) {
  return inputs.metadata as { readonly name: string; readonly namespace: string };
}

function settings(deployment: Deployment) {
  const { data } = deployment.resource("kubernetes:core/v1:ConfigMap", "control-config").inputs;
  return configSchema.parse(parse((data as Record<string, string>)["config.json"] ?? ""));
}

function api(deployment: Deployment) {
  return podTemplate(deployment.resource(DEPLOYMENT, "control-api-deployment"));
}

function secret(deployment: Deployment, name: string) {
  const [found] = deployment
    .ofType(SECRET)
    .filter((s) => metadata(s).namespace === "model-control" && metadata(s).name === name);
  if (found === undefined) {
    throw new Error(`no Secret ${name}`);
  }
  return { secretInputs: found.secretInputs, content: found.inputs.stringData as Record<string, string> };
}

describe("the API's configuration", () => {
  it("is what the service reads: one worker per engine process, with what the plan gave it", async () => {
    const { deployment } = await standard;
    expect(settings(deployment)).toMatchObject({
      listen: { host: "0.0.0.0", port: 1994, metricsPort: 9464, proxies: 0 },
      redis: { url: "redis://valkey.model-control.svc:6379", passwordFile: "/run/model-control/queue/password" },
      tokensFile: "/run/model-control/tokens/tokens.json",
      registries: { allowed: ["registry.ollama.ai"], insecure: [] },
      workers: [
        {
          name: "llama-3b",
          backend: "ollama",
          url: "http://model-llama-3b-0.model-llama-3b-pods.model-llama-3b.svc:11434",
          memoryBytes: 5.75 * GIB,
          diskBytes: Math.floor(23 * 0.9 * GIB),
          models: [],
          pins: ["llama3.2:3b", "llama-3.2-3b:latest"],
          scale: { namespace: "model-llama-3b", kind: "StatefulSet", name: "model-llama-3b", replicas: 1 },
        },
        {
          name: "llama-8b",
          backend: "vllm",
          url: "http://model-llama-8b.model-llama-8b.svc:8000",
          memoryBytes: Math.floor(20.61 * GIB),
          models: ["llama-3.1-8b-instruct"],
          pins: ["llama-3.1-8b-instruct"],
          scale: { namespace: "model-llama-8b", kind: "Deployment", name: "model-llama-8b", replicas: 1 },
        },
      ],
    });
  });

  it("has a worker for each Ollama that demand may bring, and names what scales each engine", async () => {
    const models = [
      ollamaPlan({ minReplicas: 1, maxReplicas: 3, scaling: scalingPlan({ by: "keda", min: 1, max: 3 }) }),
      modelPlan({ minReplicas: 0, maxReplicas: 2, scaling: scalingPlan({ by: "keda", min: 0, max: 2 }) }),
    ];
    const { deployment } = await deployControl({}, models);
    const autoscaler = { kind: "ScaledObject", name: "replicas" };
    const ollama = (ordinal: number) => ({
      name: `llama-3b-${ordinal}`,
      url: `http://model-llama-3b-${ordinal}.model-llama-3b-pods.model-llama-3b.svc:11434`,
      scale: { kind: "StatefulSet", replicas: 1, autoscaler, ordinal },
    });
    expect(settings(deployment).workers).toMatchObject([
      ollama(0),
      ollama(1),
      ollama(2),
      // What a start brings back is never nothing.
      { name: "llama-8b", scale: { kind: "Deployment", replicas: 1, autoscaler, ordinal: 0 } },
    ]);
  });

  it("counts the memory of all GPUs of a process, and numbers the workers of several replicas", async () => {
    const gpus = ollamaPlan({
      gpusPerNode: 2,
      minReplicas: 2,
      memoryPerGpu: { ...modelPlan().memoryPerGpu, limitGiB: 22 },
    });
    const { deployment } = await deployControl({}, [gpus]);
    // Two, also after the volume of the queue is gone, which remembers it otherwise.
    expect(settings(deployment).workers.map(({ scale }) => scale?.replicas)).toEqual([2, 2]);
    expect(settings(deployment).workers).toMatchObject([
      { name: "llama-3b-0", memoryBytes: 44 * GIB, url: expect.stringContaining("//model-llama-3b-0.") },
      { name: "llama-3b-1", memoryBytes: 44 * GIB, url: expect.stringContaining("//model-llama-3b-1.") },
    ]);
  });

  it("leaves out replicas that span nodes, and what nobody granted", async () => {
    const { deployment, serving } = await deployControl({}, [...MODELS, groupPlan()]);
    expect(settings(deployment).workers.map(({ name }) => name)).toEqual(["llama-3b", "llama-8b"]);
    const without = serving.endpoints.map(({ control: _, ...endpoint }) => endpoint);
    expect(apiSettings({ endpoints: without, workers: [], allowedRegistries: [], proxies: 0 }).workers).toEqual([]);
  });

  it("is rendered without an engine that it could drive too: the plan that is refused must be shown. The API itself would not start", async () => {
    const { deployment } = await deployControl({}, [groupPlan()]);
    expect(() => settings(deployment)).toThrow("at least one worker");
  });

  it("rolls the pods when it changes", async () => {
    const hash = async (allowedRegistries: string[]) =>
      api((await deployControl({ allowedRegistries })).deployment).metadata.annotations[
        "inference-stacks.io/config-hash"
      ];
    const first = await hash(["registry.ollama.ai"]);
    expect(await hash(["registry.ollama.ai"])).toBe(first);
    expect(await hash(["registry.ollama.ai", "hf.co"])).not.toBe(first);
  });
});

describe("the API's pods", () => {
  it("run the given image twice in production, once in development", async () => {
    const replicas = async (stage: "production" | "development") => {
      const { deployment } = await deployControl({ stage });
      return specOf(deployment.resource(DEPLOYMENT, "control-api-deployment")).replicas;
    };
    expect(await replicas("production")).toBe(2);
    expect(await replicas("development")).toBe(1);
    const { deployment } = await standard;
    const pod = api(deployment).spec;
    expect(container(pod, "api")).toMatchObject({
      image: "registry.example/model-control:1.2.3",
      ports: [
        { name: "http", containerPort: 1994 },
        { name: "metrics", containerPort: 9464 },
      ],
      readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
      livenessProbe: { httpGet: { path: "/livez", port: "http" } },
    });
    expect(pod).toMatchObject({
      serviceAccountName: "model-control",
      automountServiceAccountToken: true,
      securityContext: { runAsNonRoot: true, runAsUser: 10001 },
    });
  });

  it("find every file that their configuration names", async () => {
    const { deployment } = await standard;
    const pod = api(deployment).spec;
    const server = container(pod, "api");
    const { tokensFile, redis } = settings(deployment);
    const mounted = server.volumeMounts.map(({ name, mountPath }) => {
      const volume = pod.volumes.find((v) => v.name === name);
      return [mountPath, volume?.secret ?? volume?.configMap];
    });
    expect(Object.fromEntries(mounted)).toMatchObject({
      "/etc/model-control": { name: "model-control" },
      "/run/model-control/tokens": { secretName: "api-tokens" },
      "/run/model-control/queue": { secretName: "valkey", items: [{ key: "password", path: "password" }] },
    });
    expect(literals(server).MODEL_CONTROL_CONFIG).toBe("/etc/model-control/config.json");
    expect(tokensFile).toBe("/run/model-control/tokens/tokens.json");
    expect(redis.passwordFile).toBe("/run/model-control/queue/password");
  });

  it("may tell KEDA's own object of a worker's controller to leave it, and no other autoscaler", async () => {
    const models = [
      ollamaPlan({ minReplicas: 1, maxReplicas: 2, scaling: scalingPlan({ by: "hpa", min: 1, max: 2 }) }),
      modelPlan({ minReplicas: 1, maxReplicas: 2, scaling: scalingPlan({ by: "keda", min: 1, max: 2 }) }),
    ];
    const { deployment } = await deployControl({}, models);
    const roles = deployment
      .ofType("kubernetes:rbac.authorization.k8s.io/v1:Role")
      .filter((role) => metadata(role).name === "model-control-scale");
    const verbs = ["get", "patch"];
    expect(Object.fromEntries(roles.map((role) => [metadata(role).namespace, role.inputs.rules]))).toEqual({
      "model-llama-3b": [
        { apiGroups: ["apps"], resources: ["statefulsets/scale"], resourceNames: ["model-llama-3b"], verbs },
      ],
      "model-llama-8b": [
        { apiGroups: ["apps"], resources: ["deployments/scale"], resourceNames: ["model-llama-8b"], verbs },
        { apiGroups: ["keda.sh"], resources: ["scaledobjects"], resourceNames: ["replicas"], verbs },
      ],
    });
  });

  it("may only read and patch the replica counts of their workers' controllers", async () => {
    const { deployment } = await standard;
    const bindings = deployment.ofType("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding").filter(({ inputs }) => {
      const [subject] = inputs.subjects as { readonly name: string }[];
      return subject?.name === "model-control";
    });
    const bound = new Set(
      bindings.map((binding) => `${metadata(binding).namespace} ${(binding.inputs.roleRef as { name: string }).name}`),
    );
    const roles = deployment
      .ofType("kubernetes:rbac.authorization.k8s.io/v1:Role")
      .filter((role) => bound.has(`${metadata(role).namespace} ${metadata(role).name}`));
    expect(Object.fromEntries(roles.map((role) => [metadata(role).namespace, role.inputs.rules]))).toEqual({
      "model-llama-3b": [
        {
          apiGroups: ["apps"],
          resources: ["statefulsets/scale"],
          resourceNames: ["model-llama-3b"],
          verbs: ["get", "patch"],
        },
      ],
      "model-llama-8b": [
        {
          apiGroups: ["apps"],
          resources: ["deployments/scale"],
          resourceNames: ["model-llama-8b"],
          verbs: ["get", "patch"],
        },
      ],
    });
    for (const binding of bindings) {
      expect(binding.inputs).toMatchObject({
        roleRef: { kind: "Role", name: "model-control-scale" },
        subjects: [{ kind: "ServiceAccount", name: "model-control", namespace: "model-control" }],
      });
    }
    expect(deployment.ofType("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")).toEqual([]);
  });
});

describe("tokens", () => {
  it("lie in a Secret each; the API gets their hashes, in the form that it reads", async () => {
    const { deployment } = await standard;
    const hashes = secret(deployment, "api-tokens");
    expect(hashes.secretInputs).toContain("stringData");
    const { tokens } = tokenFileSchema.parse(JSON.parse(hashes.content["tokens.json"] ?? ""));
    expect(tokens.map(({ id, scopes }) => [id, scopes])).toEqual([
      ["operator", ["read", "operate"]],
      ["viewer", ["read"]],
      ["warm-models", ["read", "pull"]],
    ]);
    for (const { id, sha256 } of tokens) {
      const { content, secretInputs } = secret(deployment, `token-${id}`);
      expect(secretInputs).toContain("stringData");
      expect(
        createHash("sha256")
          .update(content.token ?? "")
          .digest("hex"),
      ).toBe(sha256);
    }
  });

  it("are printed by the command in the outputs, which holds none", async () => {
    const { control } = await standard;
    expect(control.usage).toEqual({
      address: "http://127.0.0.1:1994",
      portForward: "kubectl -n model-control port-forward service/model-control 1994",
      token: "kubectl -n model-control get secret token-operator -o jsonpath='{.data.token}' | base64 -d",
    });
  });
});

describe("the task queue", () => {
  it("writes everything to its volume, and never drops an entry to make room", async () => {
    const { deployment } = await standard;
    const { data } = deployment.resource("kubernetes:core/v1:ConfigMap", "control-queue-config").inputs;
    const lines = (data as Record<string, string>)["valkey.conf"]?.split("\n");
    expect(lines).toEqual(expect.arrayContaining(["appendonly yes", "maxmemory-policy noeviction", "dir /data"]));
    const set = deployment.resource(SET, "control-queue-server-statefulset");
    expect(specOf(set)).toMatchObject({
      replicas: 1,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      volumeClaimTemplates: [{ spec: { storageClassName: "encrypted", resources: { requests: { storage: "1Gi" } } } }],
    });
    expect(container(podTemplate(set).spec, "valkey").volumeMounts).toContainEqual({
      name: "data",
      mountPath: "/data",
    });
  });

  it("asks for a password that no command line, variable or ConfigMap holds", async () => {
    const { deployment } = await standard;
    const { content, secretInputs } = secret(deployment, "valkey");
    expect(secretInputs).toContain("stringData");
    expect(content["password.conf"]).toBe(`requirepass ${content.password}\n`);
    const set = podTemplate(deployment.resource(SET, "control-queue-server-statefulset"));
    const config = deployment.resource("kubernetes:core/v1:ConfigMap", "control-queue-config");
    expect(JSON.stringify([set, config.inputs])).not.toContain(content.password);
    expect(JSON.stringify(config.inputs)).toContain("include /run/valkey/password.conf");
    expect(container(set.spec, "valkey").volumeMounts).toContainEqual({
      name: "password",
      mountPath: "/run/valkey",
      readOnly: true,
    });
  });
});

describe("behind the gateway", () => {
  it("tells strangers apart by the address that the gateway saw", async () => {
    const { deployment, control } = await deployControl({ publicAddress: "https://control.example.com" });
    expect(settings(deployment).listen.proxies).toBe(1);
    expect(control.usage).toEqual({
      address: "https://control.example.com",
      token: expect.stringContaining("token-operator"),
    });
  });
});

describe("warm models", () => {
  it("are fetched by a Job that may fail the deployment, with a token of its own, after API and engines", async () => {
    const { deployment } = await deployControl({ warmModels: ["llama3.2:1b", "bge-m3"] });
    const job = deployment.resource("kubernetes:batch/v1:Job", "control-warm-fetch-job");
    const fetch = container(podTemplate(job).spec, "fetch");
    expect(JSON.parse(literals(fetch).WARM_MODELS ?? "")).toEqual({
      url: "http://model-control.model-control.svc:1994",
      tokenFile: "/run/token/token",
      models: ["llama3.2:1b", "bge-m3"],
    });
    expect(podTemplate(job).spec.volumes).toContainEqual({
      name: "token",
      secret: { secretName: "token-warm-models" },
    });
    expect(specOf(job)).toMatchObject({ activeDeadlineSeconds: 7200, backoffLimit: 4 });
    const after = job.dependsOn.map((urn) => urn.split("::").at(-1));
    expect(after).toEqual(
      expect.arrayContaining([
        "control-api-service",
        "control-api-deployment",
        "control-tokens",
        "serving-llama-3b",
        "serving-llama-8b",
      ]),
    );
  });

  it("need no Job when there are none", async () => {
    const { deployment } = await deployControl({ warmModels: [] });
    expect(deployment.ofType("kubernetes:batch/v1:Job").map(({ name }) => name)).not.toContain(
      "control-warm-fetch-job",
    );
  });
});
