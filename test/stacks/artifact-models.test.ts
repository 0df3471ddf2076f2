/** `oci://` sources and `storage.registries`: what a plan states of them, and what the configuration refuses. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { onA10, useFolder } from "../cli/run";
import { ruleCases } from "./config/rule-cases";
import { planText } from "./planned";
import { environmentText } from "./texts";

const model = "qwen2.5-7b-instruct";
const digest = `sha256:${"a".repeat(64)}`;
const host = "registry.example.com:5000";
const source = `oci://${host}/team/qwen:v1@${digest}`;

describe("a model of a registry", () => {
  it("is planned in the store, in a folder of its own, as a canary too", async () => {
    const other = `oci://${host}/team/qwen@sha256:${"b".repeat(64)}`;
    const chat = { model, source, concurrency: 1, canary: { source: other } };
    const { plan } = await planText(environmentText(onA10({}, { models: { chat } })));
    expect(plan.models.map((each) => each.source)).toEqual([
      { kind: "artifact", registry: host, repository: "team/qwen", tag: "v1", digest },
      { kind: "artifact", registry: host, repository: "team/qwen", digest: `sha256:${"b".repeat(64)}` },
    ]);
    expect(plan.storage.models).toEqual(["chat", "chat-canary"]);
    expect(plan.models[0]?.loading).toBe("copy");
  });

  it.each([
    ["in production", { stage: "production" }, {}, "a push to the repository would change what runs in production"],
    ["with a canary", {}, { canary: { quantization: "fp8" } }, "differ by their digests"],
  ])("without a digest is refused %s, and names the command", async (_, settings, chat, says) => {
    const moving = { model, source: `oci://${host}/team/qwen:v1`, concurrency: 1, ...chat };
    const gateway = { hostname: "llm.example.com", tls: { kind: "secret", secretName: "llm" } };
    const sections = { ...settings, gateway, observability: { alerts: "none" }, models: { chat: moving } };
    const { plan } = await planText(environmentText(onA10({}, sections)));
    const refused = plan.problems.filter(({ rule }) => rule === "moving-revision").map(({ message }) => message);
    expect(refused[0]).toContain(`follows :v1: `);
    expect(refused[0]).toContain(says);
    expect(refused[0]).toContain("npm run pin -- test writes the digest that it is at now");
  });
});

const registries = { [host]: { secretKey: "corpApiKey" } };
const chat = { model, source };
ruleCases([
  [
    "a registry that no model reads",
    { models: { chat: { model } }, storage: { registries: { [host]: {} } } },
    { path: `storage.registries["${host}"]`, allowed: `oci://${host}/<repository>`, fix: "remove it" },
  ],
  [
    "a registry inside the cluster",
    { models: { chat: { model, source: "oci://zot.model-store.svc:5000/qwen:v1" } } },
    { path: "models.chat.source", allowed: "inside of the cluster", fix: "other machines" },
  ],
  [
    "a registry at the address of a metadata service",
    { models: { chat: { model, source: "oci://169.254.169.254/qwen:v1" } } },
    { path: "models.chat.source", allowed: "metadata services", fix: "" },
  ],
  [
    "a declared registry at an address: no certificate is checked against one",
    { models: { chat: { model, source: "oci://10.1.2.3/qwen:v1" } }, storage: { registries: { "10.1.2.3": {} } } },
    { path: 'storage.registries["10.1.2.3"]', allowed: "https:// with a DNS name", fix: "give the server a name" },
  ],
  [
    "a secret that is not set",
    { models: { chat }, storage: { registries } },
    { path: `storage.registries["${host}"].secretKey`, allowed: "a secret that is set", fix: "corpApiKey" },
  ],
  [
    "a login in place of the name of a secret",
    { models: { chat }, storage: { registries: { [host]: { secretKey: "reader:secret" } } } },
    { path: `storage.registries["${host}"].secretKey`, allowed: "never the key itself", fix: "config set --secret" },
  ],
  [
    "a network that is everything",
    { models: { chat }, storage: { registries: { [host]: { networks: ["0.0.0.0/0"] } } } },
    { path: `storage.registries["${host}"].networks[0]`, allowed: "every address restricts nothing", fix: "" },
  ],
  [
    "an engine that has a registry of its own",
    { models: { chat: { model, source, engine: "ollama" } } },
    { path: "models.chat.source", allowed: "Ollama does not read OCI registries", fix: "engine: vllm" },
  ],
]);

describe("a file of authorities", () => {
  const folder = useFolder();
  const at = (storage: object) =>
    environmentText(onA10({}, { models: { chat: { ...chat, concurrency: 1 } }, storage }));

  it("of a registry and of a bucket is carried by the plan", async () => {
    const ca = join(repositoryRoot(), "test/fixtures/certificates/example-ca.pem");
    copyFileSync(ca, join(folder, "ca.pem"));
    const { plan } = await planText(at({ registries: { [host]: { caFile: join(folder, "ca.pem") } } }));
    expect(Object.keys(plan.sourceAuthorities ?? {})).toEqual([`storage.registries.${host}`]);
    expect(plan.sourceAuthorities?.[`storage.registries.${host}`]).toContain("BEGIN CERTIFICATE");
  });

  it("with something else in it is refused", async () => {
    writeFileSync(join(folder, "ca.txt"), "nothing");
    await expect(planText(at({ registries: { [host]: { caFile: join(folder, "ca.txt") } } }))).rejects.toThrow(
      /storage\.registries\["registry\.example\.com:5000"\]\.caFile/,
    );
  });
});
