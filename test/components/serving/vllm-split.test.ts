import { describe, expect, it } from "vitest";
import { clientTrafficSpec } from "../../../components/gateway/traffic";
import { modelTargets } from "../../../components/observability/targets";
import { type ProxyJob, prefillProxy } from "../../../components/serving/scripts/vllm-prefill-proxy.ts";
import { servingConnections } from "../../../components/serving/serving";
import { VllmSplit } from "../../../components/serving/vllm-split";
import { modelPlan } from "../../harness/plans";
import { container, deployServing, literals, podTemplate, specOf } from "./fixture";

const split = modelPlan({
  engineSettings: { prefillDecode: { prefill: 1, decode: 2 } },
  minReplicas: 3,
  maxReplicas: 3,
});

async function deployed() {
  const { deployment, serving } = await deployServing([split]);
  const pods = (role: string) =>
    deployment.resource("kubernetes:apps/v1:Deployment", `serving-llama-8b-${role}-deployment`);
  return { deployment, serving, prefill: pods("prefill"), decode: pods("decode") };
}

describe("VllmSplit", () => {
  it("makes as many pods of each kind as the plan counts, each with all the GPUs of the model", async () => {
    const { prefill, decode } = await deployed();
    expect([specOf(prefill).replicas, specOf(decode).replicas]).toEqual([1, 2]);
    for (const resource of [prefill, decode]) {
      const { spec } = podTemplate(resource);
      expect(spec.containers.map(({ resources }) => resources.limits["nvidia.com/gpu"])).toEqual(["1"]);
      // The proxy's share is part of the pod's.
      const all = [...spec.containers, ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy)];
      const cpu = all.reduce((sum, { resources }) => sum + milliCpu(resources.requests.cpu), 0);
      expect(cpu).toBe(split.resources.cpu * 1000);
    }
  });

  it("tells each kind its part of the connector, and its own address", async () => {
    const { prefill, decode } = await deployed();
    const told = [prefill, decode].map((resource) => {
      const engine = container(podTemplate(resource).spec, "vllm");
      expect(engine.env).toContainEqual({
        name: "VLLM_NIXL_SIDE_CHANNEL_HOST",
        valueFrom: { fieldRef: { fieldPath: "status.podIP" } },
      });
      const word = engine.args?.find((each) => each.startsWith("--kv-transfer-config=")) ?? "";
      return JSON.parse(word.slice(word.indexOf("=") + 1)) as object;
    });
    expect(told).toEqual([
      { kv_connector: "NixlConnector", kv_role: "kv_producer", kv_load_failure_policy: "recompute" },
      { kv_connector: "NixlConnector", kv_role: "kv_consumer", kv_load_failure_policy: "recompute" },
    ]);
  });

  it.each([
    ["of a model that keeps states", { keepsStates: true }, ["DS"]],
    ["of no other model", { keepsStates: false }, []],
    ["once, where the user sets it", { keepsStates: true, env: { VLLM_SSM_CONV_STATE_LAYOUT: "DS" } }, ["DS"]],
  ])("sets the layout in which states go over %s", async (_, changes, layouts) => {
    const { deployment } = await deployServing([{ ...split, ...changes }]);
    for (const role of ["prefill", "decode"]) {
      const pods = deployment.resource("kubernetes:apps/v1:Deployment", `serving-llama-8b-${role}-deployment`);
      const set = container(podTemplate(pods).spec, "vllm").env.filter(
        ({ name }) => name === "VLLM_SSM_CONV_STATE_LAYOUT",
      );
      expect(set.map(({ value }) => value)).toEqual(layouts);
    }
  });

  it("gives the proxy every file that its scripts import", async () => {
    const { deployment } = await deployed();
    const config = deployment
      .ofType("kubernetes:core/v1:ConfigMap")
      .find(({ inputs }) => (inputs.metadata as { name: string }).name === "prefill-proxy");
    const files = config?.inputs.data as Record<string, string>;
    const imported = Object.values(files).flatMap((text) =>
      [...text.matchAll(/from "\.\/([^"]+)"/g)].map(([, name]) => name),
    );
    expect(Object.keys(files)).toEqual(expect.arrayContaining(["vllm-prefill-proxy.ts", ...imported]));
  });

  it("answers through the proxy in decode pods, which knows the Service of the others", async () => {
    const { deployment, serving, decode, prefill } = await deployed();
    expect(serving.endpoints).toMatchObject([
      {
        service: "model-llama-8b",
        ports: { openai: 8001 },
        podLabels: { "app.kubernetes.io/instance": "model-llama-8b" },
        scale: { kind: "Deployment", name: "model-llama-8b" },
        metrics: { port: 8000 },
      },
    ]);
    const proxy = container(podTemplate(decode).spec, "prefill-proxy");
    expect(JSON.parse(literals(proxy).PREFILL_PROXY ?? "{}")).toMatchObject({
      port: 8001,
      prefill: "http://model-llama-8b-prefill.model-llama-8b.svc:8000",
      decode: "http://127.0.0.1:8000",
      // As the gateway may let through, and vLLM takes.
      maxBodyBytes: 32 * 2 ** 20,
      maxHeldBytes: 512 * 2 ** 20,
      // 3 Mbit/s, as the gateway asks for.
      arrival: { graceMs: 20_000, bytesPerSecond: 375_000 },
      contextTokens: split.contextTokens,
    });
    expect(proxy.restartPolicy).toBe("Always");
    expect(podTemplate(prefill).spec.initContainers?.map(({ name }) => name)).toEqual(["fetch-weights"]);
    const services = deployment.ofType("kubernetes:core/v1:Service").map(({ inputs }) => inputs.metadata);
    expect(services).toEqual(
      expect.arrayContaining(
        ["model-llama-8b", "model-llama-8b-prefill"].map((name) => expect.objectContaining({ name })),
      ),
    );
  });

  it("gives bodies as long as the gateway does, and less than its server cuts them at", async () => {
    const { decode } = await deployed();
    const { PREFILL_PROXY = "{}" } = literals(container(podTemplate(decode).spec, "prefill-proxy"));
    const { arrival, maxBodyBytes } = JSON.parse(PREFILL_PROXY) as ProxyJob;
    const most = Math.ceil(arrival.graceMs / 1000 + maxBodyBytes / arrival.bytesPerSecond);
    const limits = { requestTimeoutSeconds: 60, streamIdleTimeoutSeconds: 60, maxRequestBytes: maxBodyBytes };
    const gateway = clientTrafficSpec({ ...limits, parallelRequests: 1 })?.timeout?.http?.requestReceivedTimeout;
    expect(gateway).toBe(`${most}s`);
    const server = prefillProxy(JSON.parse(PREFILL_PROXY) as ProxyJob);
    expect(server.requestTimeout).toBeGreaterThan(most * 1000);
  });

  it("has a monitor of its own, for the pods that answer alone: Prometheus reaches no others", () => {
    const [target] = modelTargets([VllmSplit.endpointOf(split)]);
    expect(target).toMatchObject({
      podLabels: { "app.kubernetes.io/instance": "model-llama-8b" },
      labels: { inference_engine: "vllm", model: "llama-8b" },
    });
    expect(target?.monitor).toBeUndefined();
  });

  it("lets its two kinds of pods reach each other, and nobody else", () => {
    const pods = ["model-llama-8b-prefill", "model-llama-8b"].map((instance) => ({
      namespace: "model-llama-8b",
      podLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": instance },
    }));
    expect(servingConnections([split], { clusterCidrs: [], nodeCidrs: [], apiServerCidrs: [] } as never)).toEqual([
      expect.objectContaining({ name: "model-llama-8b-to-itself", from: pods, to: pods }),
    ]);
  });
});

function milliCpu(quantity = "0"): number {
  return quantity.endsWith("m") ? Number(quantity.slice(0, -1)) : Number(quantity) * 1000;
}
