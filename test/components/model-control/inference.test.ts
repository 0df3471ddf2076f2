/** Asynchronous inference as an environment renders it: its configuration, keys, tokens, and room. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { tokenFileSchema } from "../../../services/model-control/src/auth/token-file";
import { configSchema } from "../../../services/model-control/src/config";
import { modelControlSection } from "../../../stacks/addons/model-control/config";
import type { Deployment } from "../../harness/deploy";
import { modelPlan, ollamaPlan } from "../../harness/plans";
import { container, podTemplate, specOf } from "../serving/fixture";
import { deployControl } from "./fixture";

const { inference: DEFAULTS } = modelControlSection.parse({});
const PASSWORD = "random:index/randomPassword:RandomPassword";
const CONTROL = "kubernetes:apps/v1:Deployment";
const SET = "kubernetes:apps/v1:StatefulSet";

const standard = deployControl({
  inference: { ...DEFAULTS, tenants: [{ name: "web" }, { name: "lab", models: ["llama-3.2-3b"] }] },
});

function settings(deployment: Deployment) {
  const { data } = deployment.resource("kubernetes:core/v1:ConfigMap", "control-config").inputs;
  return configSchema.parse(parse((data as Record<string, string>)["config.json"] ?? ""));
}

function secret(deployment: Deployment, logicalName: string) {
  const { inputs, secretInputs } = deployment.resource("kubernetes:core/v1:Secret", logicalName);
  return { secretInputs, content: inputs.stringData as Record<string, string> };
}

function api(deployment: Deployment) {
  return podTemplate(deployment.resource(CONTROL, "control-api-deployment")).spec;
}

describe("an environment without it", () => {
  it("renders nothing of it: no section, no key, no token, and the pods that it had", async () => {
    await standard;
    const { deployment, control } = await deployControl();
    expect(settings(deployment)).not.toHaveProperty("inference");
    expect(settings(deployment).idle).toEqual({ seconds: "never", models: {} });
    expect(
      JSON.stringify(
        deployment
          .ofType("kubernetes:core/v1:Secret")
          .map(({ name }) => name)
          .filter((name) => name.startsWith("control-")),
      ),
    ).not.toMatch(/inference|keys/);
    const pod = api(deployment);
    expect(pod.terminationGracePeriodSeconds).toBe(60);
    expect(container(pod, "api").volumeMounts.map(({ name }) => name)).not.toContain("keys");
    expect(container(pod, "api").resources.limits).toMatchObject({ memory: "512Mi" });
    expect(control.usage).not.toHaveProperty("inferenceToken");
  });
});

describe("the keys", () => {
  it("are random, secret, in the form that the service reads, and mounted for its group alone", async () => {
    const { deployment } = await standard;
    expect(deployment.resource(PASSWORD, "control-keys-first").inputs).toMatchObject({ length: 43, special: false });
    const { content, secretInputs } = secret(deployment, "control-keys-secret");
    expect(secretInputs).toContain("stringData");
    const { keys } = JSON.parse(content["keys.json"] ?? "") as { readonly keys: { id: string; key: string }[] };
    expect(keys).toEqual([{ id: "first", key: expect.stringMatching(/control-keys-first.*=$/) }]);
    const pod = api(deployment);
    expect(settings(deployment).inference?.keyFile).toBe("/run/model-control/keys/keys.json");
    expect(container(pod, "api").volumeMounts).toContainEqual({
      name: "keys",
      mountPath: "/run/model-control/keys",
      readOnly: true,
    });
    expect(pod.volumes).toContainEqual({ name: "keys", secret: { secretName: "inference-keys", defaultMode: 0o440 } });
  });

  it("keep their values when others come before them", async () => {
    const before = secret((await standard).deployment, "control-keys-secret").content["keys.json"] ?? "";
    const { deployment } = await deployControl({ inference: { ...DEFAULTS, keys: ["second", "first"] } });
    const { content } = secret(deployment, "control-keys-secret");
    const { keys } = JSON.parse(content["keys.json"] ?? "") as { readonly keys: { id: string; key: string }[] };
    expect(keys.map(({ id }) => id)).toEqual(["second", "first"]);
    expect(before).toContain(JSON.stringify(keys[1]));
    expect(keys[0]?.key).not.toBe(keys[1]?.key);
  });

  it("replace no pod: the service reads them again", async () => {
    const { deployment } = await deployControl({ inference: { ...DEFAULTS, keys: ["second", "first"] } });
    const annotations = async (from: Deployment) =>
      podTemplate(from.resource(CONTROL, "control-api-deployment")).metadata.annotations;
    expect(await annotations(deployment)).toEqual(
      await annotations((await deployControl({ inference: DEFAULTS })).deployment),
    );
  });
});

describe("tokens", () => {
  it("for inference are one for all clients and one for each consumer, who is a tenant", async () => {
    const { deployment, control } = await standard;
    const { content } = secret(deployment, "control-tokens-hashes");
    const { tokens } = tokenFileSchema.parse(JSON.parse(content["tokens.json"] ?? ""));
    expect(tokens.map(({ sha256: _, ...token }) => token)).toEqual([
      { id: "operator", scopes: ["read", "operate"] },
      { id: "viewer", scopes: ["read"] },
      { id: "warm-models", scopes: ["read", "pull"] },
      { id: "inference", scopes: ["infer", "pull"] },
      { id: "inference-web", scopes: ["infer", "pull"], tenant: "web" },
      { id: "inference-lab", scopes: ["infer"], tenant: "lab", models: ["llama-3.2-3b"] },
    ]);
    for (const { id, sha256 } of tokens) {
      const { token = "" } = secret(deployment, `control-tokens-${id}-secret`).content;
      expect(createHash("sha256").update(token).digest("hex")).toBe(sha256);
    }
    expect(control.usage.inferenceToken).toContain("get secret token-inference -o");
  });

  it("fetch no models where the environment says so", async () => {
    const { deployment } = await deployControl({ inference: { ...DEFAULTS, fetch: false } });
    const { content } = secret(deployment, "control-tokens-hashes");
    expect(content["tokens.json"]).toContain('"scopes":["infer"]');
    expect(content["tokens.json"]).not.toContain('["infer","pull"]');
  });
});

describe("room", () => {
  it("for prompts and answers: Valkey's memory and volume, and the API's memory, follow from the limits", async () => {
    const large = { ...DEFAULTS, queued: 2000, promptKiB: 1024, drainSeconds: 120 };
    const { deployment } = await deployControl({ inference: large });
    const { data } = deployment.resource("kubernetes:core/v1:ConfigMap", "control-queue-config").inputs;
    expect((data as Record<string, string>)["valkey.conf"]).toMatch(/^maxmemory 2688mb$/m);
    const set = deployment.resource(SET, "control-queue-server-statefulset");
    expect(specOf(set)).toMatchObject({
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "11Gi" } } } }],
    });
    expect(container(podTemplate(set).spec, "valkey").resources.limits).toMatchObject({ memory: "5504Mi" });
    const pod = api(deployment);
    expect(pod.terminationGracePeriodSeconds).toBe(140);
    expect(container(pod, "api").resources.limits).toMatchObject({ memory: "768Mi" });
  });
});

describe("models that leave memory", () => {
  const models = [ollamaPlan(), modelPlan()];

  it("are told to the service by all their names; a planned one with a time is kept on disk, and not pinned", async () => {
    const { deployment } = await deployControl(
      { idle: { seconds: 900, models: { "llama-3b": 1800, "llama-8b": "never", "qwen2.5:7b": 60 } } },
      models,
    );
    const { idle, workers } = settings(deployment);
    expect(idle).toEqual({
      seconds: 900,
      models: {
        "llama3.2:3b": 1800,
        "llama-3.2-3b:latest": 1800,
        "llama-3.1-8b-instruct": "never",
        "qwen2.5:7b": 60,
      },
    });
    expect(workers).toMatchObject([
      { name: "llama-3b", pins: [], keeps: ["llama3.2:3b", "llama-3.2-3b:latest"] },
      { name: "llama-8b", pins: ["llama-3.1-8b-instruct"] },
    ]);
    expect(workers[1]).not.toHaveProperty("keeps");
  });
});
