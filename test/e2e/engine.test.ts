import { describe, expect, it } from "vitest";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { type Operation, operation } from "./engine/operations";
import { filesBelow, generatedPasswords, leaks } from "./engine/secret-search";
import { TestBed } from "./engine/test-bed";
import { sharedBySuite } from "./shared-by-suite";

const SECRETS = {
  "inference-stacks:huggingFaceToken": { value: "hf_e2eSecretToken", secret: true },
  "inference-stacks:alertWebhookUrl": { value: "https://alerts.example.com/e2e-secret-path", secret: true },
  "inference-stacks:rancherToken": { value: "e2eregistrationtoken7hxmd8qkrb5t", secret: true },
};

/** Agents by which servers of others manage the cluster. */
const AGENTS = {
  "inference-stacks:portainer": {
    value: JSON.stringify({ mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] }),
  },
  "inference-stacks:rancher": {
    value: JSON.stringify({ acknowledgeClusterAdmin: true, url: "https://rancher.example.com" }),
  },
};
const RANCHER_AGENT = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "cattle-cluster-agent", namespace: "cattle-system" },
};

/** Namespaces of a cluster in which nothing was installed. */
const OWN_NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];
const PLAN = "ConfigMap platform-plan-plan";
const CONTROL_CONFIG = "ConfigMap platform-control-config";
const CONTROL_API = "Deployment platform-control-api-deployment";
const MODEL = { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 };

describe("dev on the real engine and a real control plane", { timeout: 300_000 }, () => {
  const bed = sharedBySuite(() => TestBed.start("dev", { ...SECRETS, ...AGENTS }, { checkpoints: "step" }));
  const up = (): Promise<Operation> => operation((onEvent) => bed().stack.up({ onEvent }));
  const upWithModels = async (models: object): Promise<Operation> => {
    await bed().stack.setConfig("inference-stacks:models", { value: JSON.stringify(models) });
    return up();
  };
  const namespaces = async (): Promise<string[]> =>
    (await bed().plane.client.list("v1", "Namespace")).map(({ metadata }) => metadata.name).sort();
  const resourceCount = (): number => bed().offline.recording.resources.length;

  it("previews the creation of every resource and touches nothing", async () => {
    const { changes } = await operation((onEvent) => bed().stack.preview({ onEvent }));
    expect(changes).toEqual({ create: resourceCount() });
    expect(await namespaces()).toEqual(OWN_NAMESPACES);
  });

  it("creates all of them in an order that an empty cluster accepts; pods get ready and Jobs complete", async () => {
    const { changes } = await up();
    expect(changes).toEqual({ create: resourceCount() });
    const objects = recordedObjects(bed().offline.recording.resources);
    const live = await Promise.all(objects.map((object) => bed().plane.client.get(object)));
    expect(objects.filter((_, index) => live[index] === undefined)).toEqual([]);
  });

  it("keeps every secret out of the state and its history, and out of all objects but Secrets", async () => {
    const { deployment } = await bed().stack.exportStack();
    const passwords = generatedPasswords(deployment);
    const made = bed().offline.recording.resources.filter(({ type }) => type.endsWith(":RandomPassword"));
    expect(passwords).toHaveLength(made.length);
    const secrets = [...passwords, ...Object.values(SECRETS).map(({ value }) => value)];

    const files = filesBelow(bed().backend);
    expect(files.size).toBeGreaterThan(0);
    expect(leaks(files, secrets)).toEqual([]);

    const objects = recordedObjects(bed().offline.recording.resources);
    const live = await Promise.all(objects.map((object) => bed().plane.client.get(object)));
    const texts = live.map((object) => [`${object?.kind} ${object?.metadata.name}`, JSON.stringify(object)] as const);
    const holders = leaks(new Map(texts), secrets);
    expect(holders.length).toBeGreaterThan(0);
    expect(holders.filter((name) => !name.startsWith("Secret "))).toEqual([]);
  });

  it("changes nothing when it runs again", async () => {
    expect((await up()).changes).toEqual({ same: resourceCount() });
  });

  it("changes a model in place when its concurrency grows, and records the new plan", async () => {
    const { steps } = await upWithModels({ assistant: { ...MODEL, concurrency: 4 } });
    expect(steps).toEqual([`update ${PLAN}`, "update StatefulSet platform-models-assistant-server-statefulset"]);
  });

  it("adds and removes a model without touching anything of the others", async () => {
    const added = await upWithModels({ assistant: { ...MODEL, concurrency: 4 }, second: MODEL });
    const created = added.steps.filter((step) => step.startsWith("create "));
    // The model control API and its relay are told of the server, and read their configuration when they start.
    // They and the gateway have one NetworkPolicy each, which names every model that they reach.
    const updated = [
      `update ${CONTROL_CONFIG}`,
      "update ConfigMap platform-control-relay-config",
      `update ${PLAN}`,
      `update ${CONTROL_API}`,
      "update Deployment platform-control-relay-server-deployment",
      "update NetworkPolicy platform-control-namespace-allow-model-control",
      "update NetworkPolicy platform-control-namespace-allow-model-relay",
      "update NetworkPolicy platform-gateway-namespace-allow-inference-gateway",
      // How many replicas are planned, and how soon they answer, is a series for each model.
      "update PrometheusRule platform-observability-rules",
    ];
    expect(added.steps.filter((step) => !created.includes(step))).toEqual(updated);
    expect(created.filter((step) => !step.includes("second"))).toEqual([]);

    const removed = await upWithModels({ assistant: { ...MODEL, concurrency: 4 } });
    expect(removed.steps).toEqual([...updated, ...created.map((step) => step.replace("create ", "delete "))].sort());
    expect(await namespaces()).not.toContain("model-second");
  });

  it("finds no drift where there is none, and repairs what somebody deleted", async () => {
    const refresh = () => operation((onEvent) => bed().stack.refresh({ onEvent }));
    expect((await refresh()).changes).toEqual({ same: resourceCount() });
    await bed().plane.client.delete({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "default-deny", namespace: "model-assistant" },
    });
    expect((await refresh()).changes).toEqual({ same: resourceCount() - 1, delete: 1 });
    expect((await up()).steps).toEqual(["create NetworkPolicy platform-models-assistant-space-ns-default-deny"]);
  });

  it("leaves Rancher's agent to its server, which applies its own manifest once it is connected", async () => {
    const image = "rancher/rancher-agent:v2.15.3";
    const labels = { app: "cattle-cluster-agent" };
    const env = [{ name: "CATTLE_CREDENTIAL_NAME", value: "cattle-credentials-0123456789" }];
    const template = { metadata: { labels }, spec: { containers: [{ name: "cluster-register", image, env }] } };
    const applied = { ...RANCHER_AGENT, spec: { selector: { matchLabels: labels }, template } };
    await bed().plane.client.apply(applied, { fieldManager: "kubectl-client-side-apply" });
    await bed().stack.refresh();
    expect((await up()).changes).toEqual({ same: resourceCount() });
    const live = await bed().plane.client.get(RANCHER_AGENT);
    const found = (
      live?.spec as undefined | { readonly template: { readonly spec: { readonly containers: object[] } } }
    )?.template.spec.containers;
    // What the server does not name stays: one container, with our limits.
    expect(found).toEqual([
      expect.objectContaining({
        image,
        securityContext: expect.objectContaining({ allowPrivilegeEscalation: false }),
        resources: expect.objectContaining({ limits: expect.objectContaining({ memory: "2Gi" }) }),
      }),
    ]);
  });

  it("is destroyed to the last resource and leaves nothing in the cluster", async () => {
    await bed().stack.destroy();
    const { deployment } = await bed().stack.exportStack();
    expect(deployment.resources ?? []).toEqual([]);
    expect(await namespaces()).toEqual(OWN_NAMESPACES);
  });
});
