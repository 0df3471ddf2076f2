import { describe, expect, it } from "vitest";
import { modelControlPods } from "../../../components/model-control/names";
import {
  needsRelay,
  type RelaySettings,
  relayMemoryGiB,
  relaySettings,
} from "../../../components/model-control/relay-settings";
import { modelEndpoints } from "../../../components/serving/serving";
import { tenantsOf } from "../../../planner/tenants";
import { relaySchema } from "../../../services/model-control/src/relay/config";
import { modelPlan, ollamaPlan } from "../../harness/plans";
import { container, podTemplate } from "../serving/fixture";
import { deployControl } from "./fixture";

const control = { client: modelControlPods, spareStorageGiB: 0 };
const canary = ollamaPlan({ name: "llama-3b-next", revisionOf: { model: "llama-3b", weight: 20 } });
const tower = {
  name: "tower",
  backend: "ollama",
  address: { url: "http://192.168.1.30:11434" },
  memoryGiB: 24,
  models: [],
} as const;
const MIB = 2 ** 20;

function settings(maxRequestBytes = 4 * MIB): RelaySettings {
  return relaySettings({
    endpoints: modelEndpoints([ollamaPlan(), canary, modelPlan()], control),
    workers: [tower, { ...tower, name: "shelf", backend: "triton" }],
    tenants: tenantsOf({
      web: {},
      batch: { tokensPerMinute: 1000 },
      lab: { models: ["llama-3b"] },
      law: { models: ["llama-8b"], tokensPerMinute: 10 },
    }),
    ollamaApi: true,
    limits: { maxRequestBytes },
    times: { requestTimeoutSeconds: 3600, streamIdleTimeoutSeconds: 600, drainSeconds: 3600 },
  });
}

describe("the relay's configuration", () => {
  it("is what the service reads: engines whose models come and go, in the cluster and outside", () => {
    const { workers, limits, listen } = relaySchema.parse(settings());
    expect(workers).toEqual([
      { name: "llama-3b", url: "http://model-llama-3b-0.model-llama-3b-pods.model-llama-3b.svc:11434", except: [] },
      // Its share of the planned model is the gateway's to give.
      { name: "llama-3b-next", url: expect.stringContaining("llama-3b-next"), except: ["llama3.2:3b", "llama-3.2-3b"] },
      { name: "tower", url: "http://192.168.1.30:11434", except: [] },
    ]);
    expect(limits).toMatchObject({
      bodyBytes: 4 * MIB,
      heldBytes: 64 * MIB,
      idleSeconds: 600,
      requestSeconds: 3600,
      drainSeconds: 3600,
    });
    expect(listen).toEqual({ host: "0.0.0.0", port: 1995, adminPort: 9464 });
  });

  it("keeps tenants to their models, and their tokens to the API that counts them", () => {
    expect(relaySchema.parse(settings()).tenants).toEqual({
      web: { ollamaApi: true },
      batch: { ollamaApi: false },
      lab: { models: ["llama-3.2-3b"], ollamaApi: true },
      law: { models: ["llama-3.1-8b-instruct"], ollamaApi: false },
    });
  });

  it("bounds what is held, and the memory for it", () => {
    const limits = (mib: number) => relaySchema.parse(settings(mib * MIB)).limits;
    expect(limits(32)).toMatchObject({ bodyBytes: 32 * MIB, heldBytes: 64 * MIB });
    expect(limits(1024)).toMatchObject({ bodyBytes: 128 * MIB, heldBytes: 256 * MIB });
    expect([4, 32, 1024].map((mib) => relayMemoryGiB(settings(mib * MIB)))).toEqual([0.5, 0.75, 1.5]);
  });

  it("is none where no engine fetches models", () => {
    expect(needsRelay(["vllm", "triton"], [{ ...tower, backend: "triton" }])).toBe(false);
    expect(needsRelay(["ollama"], [])).toBe(true);
    expect(needsRelay(["vllm"], [tower])).toBe(true);
  });
});

describe("the relay's pods", () => {
  it("know engines and callers, and none of the API's secrets", async () => {
    const { deployment } = await deployControl({ relay: settings() });
    const template = podTemplate(
      deployment.resource("kubernetes:apps/v1:Deployment", "control-relay-server-deployment"),
    );
    const { spec } = template;
    expect(spec).toMatchObject({ automountServiceAccountToken: false, terminationGracePeriodSeconds: 3620 });
    expect(container(spec, "relay")).toMatchObject({
      command: ["node", "/app/relay.js"],
      env: expect.arrayContaining([{ name: "MODEL_RELAY_CONFIG", value: "/etc/model-relay/config.json" }]),
      resources: { limits: { memory: "512Mi" } },
      readinessProbe: { httpGet: { path: "/readyz", port: "admin" } },
    });
    expect(JSON.stringify(spec)).not.toMatch(/valkey|tokens|secretName/);
    const { data } = deployment.resource("kubernetes:core/v1:ConfigMap", "control-relay-config").inputs;
    expect(relaySchema.parse(JSON.parse((data as Record<string, string>)["config.json"] ?? ""))).toEqual(
      relaySchema.parse(settings()),
    );
  });

  it("are none unless models can come", async () => {
    const { deployment } = await deployControl();
    expect(deployment.ofType("kubernetes:apps/v1:Deployment").map(({ name }) => name)).not.toContain(
      "control-relay-server-deployment",
    );
  });
});
