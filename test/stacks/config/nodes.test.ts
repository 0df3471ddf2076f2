import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textInFile } from "../../../stacks/config";
import { atNight } from "../../harness/property-runs";
import { parseWith, problemsWith, rightEnvironment } from "./samples";

type Settings = Record<string, unknown>;

const { chat, small } = rightEnvironment.models;
const encrypted = { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
const others = { engine: "external", external: { url: "https://api.example.com/v1" } };
const withModels = (models: Settings, nodes: unknown) => ({ models: { ...rightEnvironment.models, ...models }, nodes });
const group = (settings: Settings) => ({ nodes: { cluster: { model: "chat", ...settings } } });

function environmentWith(changes: Settings) {
  const parsed = parseWith(changes);
  if (!parsed.ok) {
    throw new Error(JSON.stringify(parsed.problems));
  }
  return parsed.environment;
}

describe("a server group", () => {
  it("is a model of the environment by a name of its own", () => {
    expect(environmentWith(group({})).nodes).toEqual({ cluster: { model: "chat" } });
    expect(environmentWith({}).nodes).toEqual({});
  });

  it("of somebody else's server needs nothing but its name", () => {
    expect(problemsWith(withModels({ gpt: others }, { cluster: { model: "gpt" } }))).toEqual([]);
  });

  it.each<[string, Settings, { path: string; allowed: string; fix: string }]>([
    [
      "names no model",
      group({ model: "chta" }),
      {
        path: "nodes.cluster.model",
        allowed: "a name under models: chat, small",
        fix: 'did you mean "chat"?',
      },
    ],
    [
      "names the catalogue's model of an entry",
      group({ model: "qwen2.5-7b-instruct" }),
      {
        path: "nodes.cluster.model",
        allowed: "a name under models",
        fix: "write model: chat, the name of the entry",
      },
    ],
    [
      "names a model of the catalogue that has no entry",
      group({ model: "llama-3.3-70b-instruct" }),
      {
        path: "nodes.cluster.model",
        allowed: "a name under models",
        fix: "add the entry, for example models.cluster-model: {model: llama-3.3-70b-instruct}",
      },
    ],
    [
      "names a canary",
      withModels({ chat: { ...chat, canary: { engineVersion: "0.32.0" } } }, { cluster: { model: "chat-canary" } }),
      { path: "nodes.cluster.model", allowed: "a name under models", fix: "write model: chat; its canary's pods" },
    ],
    [
      "has a model that another has",
      { nodes: { first: { model: "chat" }, second: { model: "chat" } } },
      {
        path: "nodes.second.model",
        allowed: "a model that is in no group yet: chat is in first",
        fix: "remove nodes.first or nodes.second",
      },
    ],
    [
      "is called like a model",
      { nodes: { small: { model: "chat" } } },
      { path: "nodes.small", allowed: "models.small has this one", fix: "rename it, for example to small-nodes" },
    ],
    [
      "is called like a canary",
      withModels({ chat: { ...chat, canary: { engineVersion: "0.32.0" } } }, { "chat-canary": { model: "chat" } }),
      { path: "nodes.chat-canary", allowed: "models.chat-canary has this one", fix: "rename it" },
    ],
    [
      "is called like somebody else's server",
      withModels({ gpt: others }, { gpt: { model: "chat" } }),
      { path: "nodes.gpt", allowed: "models.gpt has this one", fix: "rename it" },
    ],
    [
      "is called like a path of the gateway",
      { nodes: { v1: { model: "chat" } } },
      { path: "nodes.v1", allowed: "/v1 at the gateway is OpenAI's API", fix: "rename it, for example to v1-nodes" },
    ],
    [
      "is called like a route of the gateway",
      { nodes: { "unknown-model": { model: "chat" } } },
      { path: "nodes.unknown-model", allowed: "routes of the gateway are called so", fix: "rename it" },
    ],
    [
      "is of an engine whose pods are its operator's",
      withModels({ chat: { ...chat, engine: "ray" } }, { cluster: { model: "chat" } }),
      {
        path: "nodes.cluster.model",
        allowed: "engine vllm, ollama, triton, tgi: with Ray Serve its operator, KubeRay, makes the pods",
        fix: "change models.chat.engine, or remove nodes.cluster",
      },
    ],
    [
      "is of a guest on a server",
      withModels(
        { guest: { model: "llama-3.2-1b-instruct", engine: "ollama", ollama: { serverOf: "small" } } },
        { cluster: { model: "guest" } },
      ),
      {
        path: "nodes.cluster.model",
        allowed: "a model with pods of its own: guest is on the server of small",
        fix: "write model: small",
      },
    ],
    [
      "counts what the model counts",
      withModels({ chat: { ...chat, replicas: { min: 1 } } }, { cluster: { model: "chat", replicas: { min: 2 } } }),
      {
        path: "nodes.cluster.replicas",
        allowed: "nothing: models.chat.replicas says how many there are",
        fix: "remove it here, or models.chat.replicas",
      },
    ],
    [
      "counts what the engine's block counts",
      withModels(
        { chat: { ...chat, vllm: { prefillDecode: { prefill: 1, decode: 2 } } } },
        { cluster: { model: "chat", replicas: { min: 2 } } },
      ),
      {
        path: "nodes.cluster.replicas",
        allowed: "the block of vllm",
        fix: "remove replicas",
      },
    ],
    [
      "has more nodes at least than at most",
      group({ replicas: { min: 3, max: 2 } }),
      { path: "nodes.cluster.replicas.max", allowed: "at least replicas.min, 3", fix: "write max: 3, or lower min" },
    ],
    [
      "counts somebody else's processes",
      withModels({ gpt: others }, { cluster: { model: "gpt", replicas: { min: 2 } } }),
      { path: "nodes.cluster.replicas", allowed: "nothing: models.gpt is an external server", fix: "remove it" },
    ],
    [
      "registers somebody else's server",
      withModels({ gpt: others }, { cluster: { model: "gpt", registrar: { url: "https://registrar.example.com" } } }),
      {
        path: "nodes.cluster.registrar",
        allowed: "no pod of this platform could register it",
        fix: "remove it; the operator",
      },
    ],
    [
      "is in a list",
      { nodes: [{ name: "cluster", model: "chat" }] },
      { path: "nodes", allowed: "a mapping of groups by their names", fix: "write nodes: {cluster: {model: chat}}" },
    ],
    [
      "is a model's name",
      { nodes: ["chat"] },
      { path: "nodes", allowed: "a mapping of groups by their names", fix: "write nodes: {chat-nodes: {model: chat}}" },
    ],
    [
      "has no name",
      { nodes: { model: "chat", replicas: { min: 2 } } },
      { path: "nodes", allowed: "a mapping of groups by their names", fix: "write nodes: {chat-nodes: {model: chat}}" },
    ],
    [
      "names what clients call the model",
      withModels({ chat: { ...chat, servedName: "llama3.1:70b" } }, { cluster: { model: "llama3.1:70b" } }),
      { path: "nodes.cluster.model", allowed: "a name under models", fix: "write model: chat, the name of the entry" },
    ],
    [
      "names a backend's URL",
      group({ model: "http://192.168.1.20:1234" }),
      {
        path: "nodes.cluster.model",
        allowed: "a name under models",
        fix: "models.cluster-server: {engine: external, external: {url: …}}",
      },
    ],
    [
      "is its model's name",
      { nodes: { cluster: "chat" } },
      { path: "nodes.cluster", allowed: "a mapping with the group's model", fix: "write {model: chat}" },
    ],
    [
      "has several models",
      group({ model: ["chat", "small"] }),
      { path: "nodes.cluster.model", allowed: "one model for each group", fix: "make a group for each model" },
    ],
    [
      "has a number of replicas",
      group({ replicas: 2 }),
      { path: "nodes.cluster.replicas", allowed: "a mapping with the keys min, max", fix: "write {min: 2}" },
    ],
    [
      "has a registrar's URL alone",
      group({ registrar: "https://registrar.example.com" }),
      { path: "nodes.cluster.registrar", allowed: "a mapping with the registrar's URL", fix: "write {url: …}" },
    ],
  ])("that %s is told so, and that alone", (_, changes, { path, allowed, fix }) => {
    const found = problemsWith(changes);
    expect(found.map((each) => each.path)).toEqual([path]);
    expect(found[0]?.allowed).toContain(allowed);
    expect(found[0]?.fix).toContain(fix);
  });

  it("says with all others what is wrong, whatever stands there", () => {
    const anything = fc.dictionary(fc.constantFrom("cluster", "chat", "v1", "__proto__", "a b"), fc.jsonValue());
    fc.assert(
      fc.property(anything, (nodes) => {
        for (const { path, fix } of problemsWith({ nodes })) {
          expect(path).toMatch(/^nodes/);
          expect(fix).not.toBe("");
        }
      }),
      { numRuns: atNight(100) },
    );
  });
});

describe("how many nodes there are", () => {
  it("is said by the group in place of its model, and not of the model's canary", () => {
    const canary = { engineVersion: "0.32.0" };
    const { models } = environmentWith(
      withModels({ chat: { ...chat, canary } }, { cluster: { model: "chat", replicas: { min: 2, max: 4 } } }),
    );
    expect(models.chat).toMatchObject({ replicas: { min: 2, max: 4 }, replicasOf: "cluster" });
    expect(models["chat-canary"]).toMatchObject({ replicas: { min: 1, max: 1 } });
    expect(models["chat-canary"]).not.toHaveProperty("replicasOf");
    expect(models.small).not.toHaveProperty("replicasOf");
  });

  it("is as the model says where the group says nothing", () => {
    const { models } = environmentWith(
      withModels({ small: { ...small, replicas: { min: 3 } } }, { cluster: { model: "small" } }),
    );
    expect(models.small).toMatchObject({ replicas: { min: 3, max: 3 } });
    expect(models.small).not.toHaveProperty("replicasOf");
  });

  it("is mended where it is said", () => {
    const { models } = environmentWith(group({ replicas: { min: 2 } }));
    expect(textInFile("lower models.chat.replicas.min from 2 to 1, or models.small.replicas", models)).toBe(
      "lower nodes.cluster.replicas.min from 2 to 1, or models.small.replicas",
    );
  });
});

describe("a registrar", () => {
  const registrar = (settings: Settings, besides: Settings = {}) =>
    problemsWith({ ...group({ registrar: { url: "https://registrar.example.com", ...settings } }), ...besides });

  it("is a URL of others, by the rules of all of them", () => {
    expect(registrar({})).toEqual([]);
    expect(registrar({ url: "http://localhost:8080" })).toMatchObject([
      { path: "nodes.cluster.registrar.url", allowed: expect.stringContaining("a pod's loopback") },
    ]);
    expect(registrar({ networks: ["169.254.0.0/16"] })).toMatchObject([
      { path: "nodes.cluster.registrar.networks[0]" },
    ]);
  });

  it("has its key in a secret, whose name alone stands in the file", () => {
    expect(registrar({ secretKey: "registrarApiKey" }, { registrarApiKey: encrypted })).toEqual([]);
    expect(registrar({ secretKey: "registrarApiKey" })).toMatchObject([
      {
        path: "nodes.cluster.registrar.secretKey",
        fix: "run pulumi config set --secret inference-stacks:registrarApiKey",
      },
    ]);
    const pasted = registrar({ secretKey: "very-secret-text" });
    expect(pasted).toMatchObject([{ path: "nodes.cluster.registrar.secretKey" }]);
    expect(JSON.stringify(pasted)).not.toContain("very-secret-text");
    expect(registrar({}, { registrarApiKey: encrypted })).toMatchObject([{ path: "registrarApiKey" }]);
  });

  it("has authorities of its own with TLS alone", () => {
    expect(registrar({ url: "http://192.168.1.20:8080", caFile: "office.pem" })).toMatchObject([
      { path: "nodes.cluster.registrar.caFile", fix: "write https:// in registrar.url, or remove caFile" },
    ]);
  });
});
