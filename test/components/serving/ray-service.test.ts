import { describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { rayOperatorValues } from "../../../components/serving/ray-operator";
import type { ServeConfig } from "../../../components/serving/ray-serve-config";
import { servingConnections } from "../../../components/serving/serving";
import { byName, NETWORKS } from "../../harness/connections";
import { crdProblems } from "../../harness/crds";
import { modelPlan, rayPlan } from "../../harness/plans";
import { container, deployServing, literals, type PodSpec, preStop, specOf } from "./fixture";

interface Template {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  readonly spec: PodSpec;
}

interface Group {
  readonly rayStartParams: Record<string, string>;
  readonly template: Template;
}

interface Spec {
  readonly serveConfigV2: string;
  readonly serveService: unknown;
  readonly rayClusterConfig: {
    readonly rayVersion: string;
    readonly enableInTreeAutoscaling: boolean;
    readonly gcsFaultToleranceOptions: unknown;
    readonly headGroupSpec: Group;
    readonly workerGroupSpecs: readonly [Group & { replicas: number; minReplicas: number; maxReplicas: number }];
  };
}

async function deployed(model = rayPlan(), overrides: Parameters<typeof deployServing>[1] = {}) {
  const { deployment, serving } = await deployServing([model], overrides);
  const [service] = deployment.ofKind("RayService");
  if (!service) {
    throw new Error("no RayService");
  }
  const spec = specOf(service) as unknown as Spec;
  const { headGroupSpec, workerGroupSpecs } = spec.rayClusterConfig;
  return { deployment, serving, service, spec, head: headGroupSpec, worker: workerGroupSpecs[0] };
}

describe("RayService", () => {
  it("renders a resource that the CRD accepts", async () => {
    const { service, spec } = await deployed();
    expect(crdProblems(service.inputs)).toEqual([]);
    expect(crdProblems({ ...service.inputs, spec: { ...spec, serveConfigV3: "" } })).toHaveLength(1);
  });

  it("has a worker for each replica and nobody who changes their number", async () => {
    const { spec, worker } = await deployed();
    expect(worker).toMatchObject({ replicas: 2, minReplicas: 2, maxReplicas: 2 });
    expect(spec.rayClusterConfig).toMatchObject({ rayVersion: "2.56.0", enableInTreeAutoscaling: false });
    const { args } = (JSON.parse(spec.serveConfigV2) as ServeConfig).applications[0] ?? {};
    expect(args?.ingress_deployment_config).toEqual({ num_replicas: 2 });
    expect(args?.llm_configs[0]?.deployment_config.num_replicas).toBe(2);
    expect(spec.serveConfigV2).not.toContain("autoscaling");
  });

  it("keeps GPUs to the workers, and work away from the head", async () => {
    const { head, worker } = await deployed();
    expect(head.rayStartParams).toMatchObject({ "num-cpus": "0", "num-gpus": "0" });
    const { requests, limits } = container(head.template.spec, "ray-head").resources;
    expect(limits).toEqual({ cpu: "2", memory: "5Gi", "ephemeral-storage": "10Gi" });
    expect(requests).toEqual(limits);
    expect(container(worker.template.spec, "ray-worker").resources.limits).toEqual({
      cpu: "14",
      memory: "56Gi",
      "ephemeral-storage": "33Gi",
      "nvidia.com/gpu": "1",
    });
    for (const { spec } of [head.template, worker.template]) {
      expect(spec.nodeSelector).toEqual({ "inference-stacks.io/pool": "a10" });
      expect(spec.tolerations).toHaveLength(1);
    }
  });

  it("shows the head no card of its node, which the image asks for where NVIDIA's runtime is", async () => {
    const { head, worker } = await deployed(rayPlan(), { gpuAccess: { nvidia: { runtimeClass: "nvidia" } } });
    expect([head, worker].map(({ template }) => template.spec.runtimeClassName)).toEqual([undefined, "nvidia"]);
    expect(literals(container(head.template.spec, "ray-head"))).toMatchObject({ NVIDIA_VISIBLE_DEVICES: "void" });
    expect(literals(container(worker.template.spec, "ray-worker"))).not.toHaveProperty("NVIDIA_VISIBLE_DEVICES");
  });

  it("bounds the object store by the shared memory of its pod", async () => {
    const { head, worker } = await deployed();
    for (const { rayStartParams, template } of [head, worker]) {
      expect(template.spec.volumes).toContainEqual({
        name: "shared-memory",
        emptyDir: { medium: "Memory", sizeLimit: "1Gi" },
      });
      expect(rayStartParams["object-store-memory"]).toBe(String(2 ** 29));
    }
  });

  it("probes Ray's daemon for life, and the application for readiness", async () => {
    const { head, worker } = await deployed();
    expect(container(worker.template.spec, "ray-worker")).toMatchObject({
      startupProbe: { httpGet: { path: "/v1/models", port: "serve" }, failureThreshold: 40 },
      readinessProbe: { httpGet: { path: "/v1/models", port: "serve" } },
      livenessProbe: { httpGet: { path: "/api/local_raylet_healthz", port: 52365 } },
    });
    expect(container(head.template.spec, "ray-head").livenessProbe).toMatchObject({
      httpGet: { path: "/api/gcs_healthz", port: 8265 },
    });
  });

  it("lets running requests end before Ray is told to stop", async () => {
    const { worker } = await deployed();
    expect(preStop(container(worker.template.spec, "ray-worker"))).toMatch(/ \+ 3600\)\)\n.*:1F40/s);
    expect(worker.template.spec.terminationGracePeriodSeconds).toBe(3630);
  });

  it("copies the weights to each worker as vLLM's pods do, or streams them with the model's own key", async () => {
    const copied = await deployed();
    expect(container(copied.worker.template.spec, "fetch-weights").image).toContain("node");
    expect(copied.spec.serveConfigV2).toContain('"model_source": "/models/current"');
    expect(copied.head.template.spec.initContainers).toBeUndefined();

    const { spec, worker } = await deployed(rayPlan({ loading: "stream" }));
    const config = (JSON.parse(spec.serveConfigV2) as ServeConfig).applications[0]?.args.llm_configs[0];
    expect(config?.model_loading_config.model_source).toMatch(/^s3:\/\//);
    expect(config?.engine_kwargs).toMatchObject({
      load_format: "runai_streamer",
      model_loader_extra_config: { concurrency: 16 },
    });
    expect(literals(container(worker.template.spec, "ray-worker"))).toMatchObject({
      RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING: "0",
    });
  });

  it("answers through the operator's Service, in front of workers alone", async () => {
    const { serving, spec, head, worker } = await deployed();
    const [endpoint] = serving.endpoints;
    expect(endpoint).toMatchObject({ service: "model-llama-8b-serve-svc", ports: { openai: 8000 } });
    expect(endpoint).not.toHaveProperty("control");
    expect(endpoint).not.toHaveProperty("scale");
    expect(spec).toMatchObject({
      excludeHeadPodFromServeSvc: true,
      serveService: { spec: { clusterIP: "None", ports: [{ name: "serve", port: 8000 }] } },
    });
    expect(worker.template.metadata.labels).toMatchObject(endpoint?.podLabels ?? {});
    expect(head.template.metadata.labels).not.toMatchObject(endpoint?.podLabels ?? {});
  });

  it("has a budget that Kubernetes can count: its pods' controller has no scale, so that maxUnavailable would hold every drain", async () => {
    const { deployment } = await deployed();
    const budget = deployment.resource("kubernetes:policy/v1:PodDisruptionBudget", "serving-llama-8b-budget");
    // A head and two workers: one of the three may leave.
    expect(specOf(budget)).toMatchObject({ minAvailable: 2 });
    expect(specOf(budget)).not.toHaveProperty("maxUnavailable");
  });

  it("has room in its namespace for a second cluster, which takes the place of the first", async () => {
    const { deployment } = await deployed();
    const quota = deployment.resource("kubernetes:core/v1:ResourceQuota", "serving-llama-8b-space-ns-quota");
    // At most three replicas, two that are being replaced; a head and the next one; their state; three Jobs.
    expect(specOf(quota)).toMatchObject({ hard: { pods: "11", "requests.nvidia.com/gpu": "5" } });
  });

  it("hands the user's arguments on as the engine's constructor takes them", async () => {
    const args = {
      "disable-prefix-caching": true,
      "max-num-batched-tokens": "8k",
      "limit-mm-per-prompt": '{"image": 2}',
      "tool-call-parser": "hermes",
    };
    const { spec } = await deployed(rayPlan({ args }));
    const config = (JSON.parse(spec.serveConfigV2) as ServeConfig).applications[0]?.args.llm_configs[0];
    expect(config?.engine_kwargs).toMatchObject({
      enable_prefix_caching: false,
      max_num_batched_tokens: 8000,
      limit_mm_per_prompt: { image: 2 },
      tool_call_parser: "hermes",
    });
  });

  it("keeps the cluster's state on a volume, behind a password that is in no field, and lets workers wait for the next head", async () => {
    const { deployment, spec, head, worker } = await deployed();
    const { gcsFaultToleranceOptions } = spec.rayClusterConfig;
    expect(gcsFaultToleranceOptions).toEqual({
      redisAddress: "ray-state:6379",
      redisPassword: { valueFrom: { secretKeyRef: { name: "ray-state", key: "password" } } },
    });
    expect(deployment.ofKind("StatefulSet").map(({ inputs }) => inputs)).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({ name: "ray-state" }),
        spec: expect.objectContaining({
          volumeClaimTemplates: [expect.objectContaining({ metadata: { name: "data" } })],
        }),
      }),
    );
    const variable = "RAY_gcs_rpc_server_reconnect_timeout_s";
    expect(literals(container(worker.template.spec, "ray-worker"))).toMatchObject({ [variable]: "3600" });
    expect(literals(container(head.template.spec, "ray-head"))).not.toHaveProperty(variable);
    // A server refuses clients that ask more often than it knows of: both have the same.
    const pings = { RAY_grpc_client_keepalive_time_ms: "30000", RAY_grpc_client_keepalive_timeout_ms: "20000" };
    expect(literals(container(worker.template.spec, "ray-worker"))).toMatchObject(pings);
    expect(literals(container(head.template.spec, "ray-head"))).toMatchObject({
      ...pings,
      RAY_SERVE_SLOW_STARTUP_WARNING_S: "300",
    });
    // KubeRay sets these of the head itself, and refuses a cluster that has them.
    for (const name of ["RAY_REDIS_ADDRESS", "REDIS_PASSWORD"]) {
      expect(literals(container(head.template.spec, "ray-head"))).not.toHaveProperty(name);
    }
  });

  it("has a name that the operator takes, whatever the model is called", async () => {
    const name = "m".repeat(40);
    const { service, serving } = await deployed(rayPlan({ name }));
    // MaxRayServiceNameLength of KubeRay 1.6.0: the names of clusters and their Services are longer.
    expect((service.inputs.metadata as { name: string }).name.length).toBeLessThanOrEqual(47);
    expect(serving.endpoints[0]?.service.length).toBeLessThanOrEqual(63);
  });
});

describe("the operator of Ray clusters", () => {
  it("is installed once, where a model needs it, with values that its chart has", async () => {
    const { deployment } = await deployServing([rayPlan(), rayPlan({ name: "second", servedName: "second" })]);
    const releases = deployment.ofType("kubernetes:helm.sh/v3:Release").map(({ inputs }) => inputs.name);
    expect(releases).toEqual(["kuberay-operator"]);
    const without = await deployServing([modelPlan()]);
    expect(without.deployment.ofType("kubernetes:helm.sh/v3:Release")).toEqual([]);
    for (const stage of ["production", "development"] as const) {
      expect(chartValueProblems("kuberay-operator", rayOperatorValues(stage))).toEqual([]);
    }
  });

  it("reaches heads at their dashboard, which nobody else does", () => {
    const connections = byName(servingConnections([rayPlan()], NETWORKS));
    const labels = { "app.kubernetes.io/name": "ray", "app.kubernetes.io/instance": "model-llama-8b" };
    const cluster = { namespace: "model-llama-8b", podLabels: labels };
    const head = { ...cluster, podLabels: { ...labels, "inference-stacks.io/role": "head" } };
    expect(connections).toMatchObject({
      "model-llama-8b-to-itself": { from: [cluster], to: [cluster], ports: undefined },
      "model-llama-8b-head-to-state": {
        from: [head],
        to: [{ namespace: "model-llama-8b", podLabels: { "app.kubernetes.io/instance": "ray-state" } }],
        ports: [{ port: 6379 }],
      },
      "ray-operator-to-heads": { from: [{ namespace: "ray-system" }], to: [head], ports: [{ port: 8265 }] },
      "ray-operator-to-kubernetes-api": { from: [{ namespace: "ray-system" }] },
    });
    expect(Object.keys(connections)).toHaveLength(4);
  });
});
