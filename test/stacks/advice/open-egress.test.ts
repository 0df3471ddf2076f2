import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { egressOpenings } from "../../../stacks/advice/egress-openings";
import { openEgress } from "../../../stacks/advice/open-egress";
import type { LoadedEnvironment } from "../../../stacks/config";
import { holds, parsePolicy, rulesOf } from "../../harness/network-policies";
import { type ProgramRun, programRun, sharedRun } from "../run";
import { WIDER_ENVIRONMENTS, widerRun } from "../wider-runs";

const gateway = {
  hostname: "inference.example.com",
  exposure: "ClusterIP",
  tls: { kind: "self-signed" },
};
const models = {
  assistant: { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 },
};
const PUBLIC = "203.0.113.1";

/** By policy: how many of its rules let pods out to any public address, without those for the Kubernetes API. */
function openRules({ deployment }: Pick<ProgramRun, "deployment">) {
  return deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").map(({ inputs }) => {
    const { metadata, spec } = parsePolicy(inputs);
    const open = rulesOf(spec, "Egress").filter(
      ({ peers, ports = [] }) =>
        peers.some(({ ipBlock }) => ipBlock && holds([ipBlock.cidr], PUBLIC) && !holds(ipBlock.except, PUBLIC)) &&
        !ports.some(({ port }) => port === 6443),
    );
    const { annotations } = (inputs as { metadata: { annotations: Record<string, string> } }).metadata;
    const out = (annotations["inference-stacks.io/connections"] ?? "").match(/[a-z0-9-]+-to-[a-z0-9-]+/g) ?? [];
    return { id: `${metadata.namespace}/${metadata.name}`, open: open.length, names: new Set(out) };
  });
}

/** The advice and the rendered policies have the same openings. */
function expectComplete(run: ProgramRun, secrets: LoadedEnvironment["secrets"] = {}) {
  const known = egressOpenings({ ...run, secrets });
  const names = known.flatMap(({ connections }) => connections);
  const policies = openRules(run);
  expect(policies.map(({ id, open }) => [id, open])).toEqual(
    policies.map((policy) => [policy.id, names.filter((name) => policy.names.has(name)).length]),
  );
  for (const { connections } of known) {
    expect(policies.some((policy) => connections.some((name) => policy.names.has(name)))).toBe(true);
  }
}

describe("pods that reach any public address", () => {
  it("are named with the key that narrows it", async () => {
    const { plan, environment } = await sharedRun("dev", { models, gateway });
    const told = (storage: object) =>
      openEgress({
        plan,
        secrets: {},
        environment: { ...environment, storage: { ...environment.storage, ...storage } },
      });
    expect(told({})).toMatchObject([
      {
        rule: "open-egress",
        message: expect.stringContaining("models.assistant (storage.proxy with networks, or storage.registryNetworks)"),
      },
    ]);
    expect(told({ registryNetworks: ["203.0.113.0/24"] })).toEqual([]);
    const url = "http://proxy.example.com:3128";
    expect(told({ proxy: { url } })).toMatchObject([
      { message: expect.stringContaining("pods of models.assistant (storage.proxy.networks)") },
    ]);
    expect(told({ proxy: { url, networks: ["10.20.0.8/32"] } })).toEqual([]);
    expect(told({ proxy: { url: "http://10.20.0.8:3128" } })).toEqual([]);
  });

  it("are sync Jobs and Alertmanager too", async () => {
    const { plan, environment } = await programRun("oci-a10");
    const observability = { ...environment.observability, alerts: { slack: { port: 443, severities: [] } } };
    const [advice] = openEgress({
      plan,
      secrets: {},
      environment: { ...environment, observability } as unknown as typeof environment,
    });
    expect(advice?.message).toContain("sync Jobs of the model store (storage.proxy with networks");
    expect(advice?.message).toContain("Alertmanager for the receiver slack (observability.alerts.slack.networks)");
  });

  it.each(WIDER_ENVIRONMENTS)("are all those whose NetworkPolicies in %s say so", async (name) => {
    const hasWebhook = name === "oci-h100 with all of the gateway";
    expectComplete(
      await widerRun(name),
      hasWebhook ? { alertWebhookUrl: pulumi.secret("https://alerts.example.com") } : {},
    );
  });

  it("are servers of others by name, as the policies of each say", async () => {
    const run = await sharedRun("dev", {
      gateway,
      models: {
        ...models,
        gpt: { engine: "external", external: { url: "https://api.example.com/v1" } },
      },
      observability: { alerts: { webhook: {}, slack: { networks: ["192.0.2.0/24"] } } },
      modelControl: {
        enabled: true,
        image: `registry.example.com/model-control@sha256:${"a".repeat(64)}`,
        workers: { tower: { backend: "ollama", url: "https://tower.example.com", memoryGiB: 24 } },
      },
    });
    expectComplete(run);
    const message = openEgress({ ...run, secrets: {} })[0]?.message ?? "";
    for (const key of ["models.gpt.external", "observability.alerts.webhook", "modelControl.workers.tower"]) {
      expect(message).toContain(`(${key}.networks)`);
    }
    expect(message).not.toContain("slack");
  });

  it("are those behind a proxy without networks, as its policies say", async () => {
    const proxy = { url: "http://proxy.example.com:3128" };
    expectComplete(await sharedRun("dev", { models, gateway, storage: { proxy } }));
    expectComplete(
      await sharedRun("dev", { models, gateway, storage: { proxy: { ...proxy, networks: ["10.20.0.8/32"] } } }),
    );
  });
});
