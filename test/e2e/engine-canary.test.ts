/** What the engine does to a model and its canary: added, shifted, promoted, removed, and back. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Operation, operation } from "./engine/operations";
import { TestBed } from "./engine/test-bed";
import { sharedBySuite } from "./shared-by-suite";

const R1 = "a09a35458c702b33eeacc393d103063234e8bc28";
const R2 = "bb46c15ee4bb56c5b63245ef50fd7637234d6f75";
const at = (commit: string) => `hf://Qwen/Qwen2.5-7B-Instruct@${commit}`;

const MODEL = { model: "qwen2.5-7b-instruct", concurrency: 6, pools: ["a10-pair"] };
const models = (writer: object) => ({ value: JSON.stringify({ writer: { ...MODEL, ...writer } }) });
const canary = (weight: number) => ({ source: at(R2), weight });

/** Its planned replicas are a series. */
const RULES = "PrometheusRule platform-observability-rules";
const PLAN = "ConfigMap platform-plan-plan";
/** By name and by path: both ways to a model are rules of one route. Then those of the group that its replicas are nodes of. */
const ROUTES = [
  "AIGatewayRoute platform-gateway-routes-route-writer",
  "AIGatewayRoute platform-gateway-routes-route-inference-cluster",
  "HTTPRoute platform-gateway-health-route-inference-cluster",
] as const;
/** Steps on what there is for the canary alone, at the model and at its group. */
const OF_CANARY = /writer-canary|inference-cluster\.canary/;
/** Who may connect to whom, who may read what of the store, who is scraped, and which paths are groups'. */
const ADMISSION = [
  "EnvoyExtensionPolicy platform-gateway-routes-paths-script",
  "ConfigMap platform-store-setup-policies",
  "NetworkPolicy platform-gateway-namespace-allow-inference-gateway",
  "NetworkPolicy platform-observability-metrics-namespace-allow-prometheus",
  "NetworkPolicy platform-store-ns-allow-minio",
  "PodMonitor platform-observability-monitors-models-vllm",
  "PodMonitor platform-observability-monitors-nodes-inference-cluster-vllm",
  "Secret platform-store-setup-users",
] as const;
const PROVISION = "Job platform-store-setup-provision-job";
const DEPLOYMENT = "Deployment platform-models-writer-server-deployment";
const CANARY = "Deployment platform-models-writer-canary-server-deployment";
const SYNC = "Job platform-store-sync-writer-copy-job";

describe("a canary on the real engine and a real control plane", { timeout: 300_000 }, () => {
  const bed = sharedBySuite(() =>
    TestBed.start("oci-a10", {
      "inference-stacks:models": models({ source: at(R1), canary: canary(0) }),
      // Storage of this cluster does not grow.
      "inference-stacks:storage": { value: JSON.stringify({ sizeGiB: 100 }) },
      "inference-stacks:modelControl": { value: JSON.stringify({ enabled: false }) },
    }),
  );
  const upWith = async (writer: object): Promise<Operation> => {
    await bed().stack.setConfig("inference-stacks:models", models(writer));
    return operation((onEvent) => bed().stack.up({ onEvent }));
  };
  const folderOf = async (instance: string): Promise<string | undefined> => {
    const jobs = await bed().plane.client.list("batch/v1", "Job");
    const job = jobs.find(({ metadata }) => metadata.labels?.["app.kubernetes.io/instance"] === instance);
    return /"name":"PREFIX","value":"([^"]*)"/.exec(JSON.stringify(job))?.[1];
  };
  const updates = (...names: readonly string[]) => names.map((name) => `update ${name}`).sort();

  beforeAll(() => upWith({ source: at(R1) }), 300_000);

  it("is added beside its model, of which nothing but its routes changes", async () => {
    const { steps } = await upWith({ source: at(R1), canary: canary(0) });
    const created = steps.filter((step) => step.startsWith("create "));
    expect(created).toContain(`create ${CANARY}`);
    expect(created.filter((step) => !OF_CANARY.test(step))).toEqual([]);
    expect(steps.filter((step) => !created.includes(step))).toEqual(
      [...updates(...ROUTES, PLAN, RULES, ...ADMISSION), `replace ${PROVISION}`].sort(),
    );
  });

  it.each([20, 100])("shifts requests by its routes alone: %i percent", async (weight) => {
    expect((await upWith({ source: at(R1), canary: canary(weight) })).steps).toEqual(updates(...ROUTES, PLAN));
  });

  it("answers all requests while its model becomes what it is", async () => {
    const { steps } = await upWith({ source: at(R2), firstRevision: R1, canary: canary(100) });
    expect(steps).toContain(`update ${DEPLOYMENT}`);
    expect(steps).toContain(`replace ${SYNC}`);
    expect(steps.filter((step) => /canary|route|path/.test(step))).toEqual([]);
    expect(await folderOf("sync-writer")).toBe(`writer.${R2}`);
    expect(await folderOf("sync-writer-canary")).toBe(`writer.${R2}`);
  });

  it("goes when its model answers again: routes first", async () => {
    const { steps, inOrder } = await upWith({ source: at(R2), firstRevision: R1 });
    const deleted = steps.filter((step) => step.startsWith("delete "));
    expect(deleted).toContain(`delete ${CANARY}`);
    expect(deleted.filter((step) => !OF_CANARY.test(step))).toEqual([]);
    expect(steps).toEqual(expect.arrayContaining(updates(...ROUTES, PLAN)));
    expect(steps.filter((step) => step.endsWith(DEPLOYMENT) || step.endsWith(SYNC))).toEqual([]);
    const first = inOrder.indexOf(`delete ${CANARY}`);
    for (const route of ROUTES) {
      expect(inOrder.indexOf(`update ${route}`)).toBeLessThan(first);
    }
  });

  it("is undone by the configuration from before: the model reads the folder that was never touched", async () => {
    const { steps } = await upWith({ source: at(R1) });
    expect(steps).toContain(`update ${DEPLOYMENT}`);
    expect(await folderOf("sync-writer")).toBe("writer");
  });
});
