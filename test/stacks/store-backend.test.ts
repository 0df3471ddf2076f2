/** `storage.backend`: what a plan states of a store elsewhere or of none, and what the configuration refuses. */
import { describe, expect, it } from "vitest";
import { onA10 } from "../cli/run";
import { ruleCases } from "./config/rule-cases";
import { planText } from "./planned";
import { environmentText } from "./texts";

const model = "qwen2.5-7b-instruct";
const source = "s3://corp-models/qwen/v1";
const buckets = { "corp-models": { url: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1" } };
const reader = { accessKey: "readerIdApiKey", secretKey: "readerApiKey" };
const writer = { accessKey: "writerIdApiKey", secretKey: "writerApiKey" };
const backend = { bucket: "corp-models", reader };

const planned = async (storage: object, chat: object, sections: object = {}) => {
  const secrets = [reader, writer].flatMap(({ accessKey, secretKey }) => [accessKey, secretKey]);
  const named = secrets.filter((secret) => JSON.stringify(storage).includes(secret));
  const text = environmentText(
    onA10({}, { models: { chat: { model, concurrency: 1, ...chat } }, storage, ...sections }),
  );
  const lines = named.map((secret) => `  inference-stacks:${secret}:\n    secure: v1:none\n`);
  return (await planText(`${text}\n${lines.join("")}`)).plan;
};

describe("a plan", () => {
  it("has no volume for a store elsewhere, states its room, and names what it does not price", async () => {
    const plan = await planned({ backend: { ...backend, writer }, buckets }, {});
    expect(plan.storage).toMatchObject({ models: ["chat"], bucket: "corp-models", backend: "bucket", sizeGiB: 0 });
    expect(plan.storage.bucketGiB).toBe(plan.models[0]?.modelStorageGiB);
    expect(plan.cost.services.map(({ name }) => name)).not.toContain("model store");
    expect(plan.cost.notPriced).toContain(`bucket corp-models of the model store (${plan.storage.bucketGiB} GiB)`);
  });

  it("takes a prefix of the store's bucket as it lies there, without a writer", async () => {
    const plan = await planned({ backend, buckets }, { source });
    expect(plan.models[0]?.source).toEqual({ kind: "bucket", uri: source });
  });

  it.each([
    [{}, "pvc://weights/qwen"],
    [{ imageVolumes: true }, "oci://registry.example.com/team/qwen:v1"],
  ])("has no store where weights are mounted (%j)", async (storage, from) => {
    const plan = await planned({ backend: "none", ...storage }, { source: from });
    expect(plan.storage).toMatchObject({ models: [], backend: "none", sizeGiB: 0 });
    expect(plan.storage.bucketGiB).toBeUndefined();
  });
});

const path = "storage.backend";
ruleCases([
  [
    "models without a store",
    { models: { chat: { model }, other: { model } }, storage: { backend: "none" } },
    { path, allowed: "chat, other come through the model store", fix: "pvc://claim/path" },
  ],
  [
    "a cache of nodes without a store",
    { models: { chat: { model, source: "pvc://weights" } }, storage: { backend: "none", nodeCacheGiB: 100 } },
    { path: "storage.nodeCacheGiB", allowed: "storage.backend is none", fix: "remove it" },
  ],
  [
    "backups of the platform as a model",
    { models: { chat: { model, source: "s3://models/_backups/open-webui" } } },
    { path: "models.chat.source", allowed: "not below _backups/", fix: "copy the files to s3://models/chat" },
  ],
]);

describe("an add-on", () => {
  const page = { hostname: "chat.example.com", adminEmail: "ops@example.com" };
  it.each([
    [
      "the chat page without a store",
      { backend: "none" },
      "pvc://weights/qwen",
      /storage\.backend\b.*backups of the page/s,
    ],
    [
      "the chat page with a store that is only read",
      { backend, buckets },
      source,
      /storage\.backend\.writer.*backups of the page/s,
    ],
  ])("refuses %s", async (_, storage, from, says) => {
    const extra = { openWebUi: page, gateway: { consumers: { "open-webui": { models: ["chat"] } } } };
    await expect(planned(storage, { source: from }, extra)).rejects.toThrow(says);
  });

  it("with backups in a bucket that all readers open is told to close them", async () => {
    const hostname = "inference.example.com";
    const tls = { kind: "acme", email: "ops@example.com" };
    const gateway = { hostname, tls, consumers: { "open-webui": { models: ["chat"] } } };
    const extra = { openWebUi: page, gateway };
    const toldOf = async (storage: object) =>
      (await planned(storage, {}, extra)).problems.filter(({ rule }) => rule === "chat-page-copies");
    const message = expect.stringMatching(/in corp-models below _backups\/.*deny the reader/);
    expect(await toldOf({ backend: { ...backend, writer }, buckets })).toMatchObject([{ message }]);
    expect(await toldOf({})).toEqual([]);
  });
});

const missing = [`${path}.reader.accessKey`, `${path}.reader.secretKey`] as const;
describe("refuses", () => {
  it.each([
    [
      "a bucket that is not declared",
      { backend: { ...backend, bucket: "corp" }, buckets },
      { source },
      `${path}.bucket`,
    ],
    [
      "keys of the bucket's own",
      { backend, buckets: { "corp-models": { ...buckets["corp-models"], secretKey: "readerApiKey" } } },
      { source },
      "storage.buckets.corp-models.secretKey",
    ],
    ["one user who reads and writes", { backend: { ...backend, writer: reader }, buckets }, { source }, path],
    ["a Job without keys that write", { backend, buckets }, {}, `${path}.writer`],
    [
      "an adapter below the model's prefix",
      { backend, buckets },
      { source, adapters: { legal: `${source}/legal` } },
      "models.chat.adapters.legal",
    ],
    ["the size of a volume that is not there", { backend, buckets, sizeGiB: 100 }, { source }, "storage.sizeGiB"],
    ["the bucket of a store that is not there", { backend, buckets, bucket: "weights" }, { source }, "storage.bucket"],
    ["another bucket's prefix", { backend, buckets }, { source: "s3://models/qwen" }, "models.chat.source"],
  ])("%s", async (_, storage, changes, at) => {
    await expect(planned(storage, changes)).rejects.toThrow(at);
  });

  it("keys that are no secrets", async () => {
    const own = { accessKey: "AKIAEXAMPLE", secretKey: "otherApiKey" };
    const refused = planned({ backend: { ...backend, reader: own }, buckets }, { source });
    await expect(refused).rejects.toThrow(missing[0]);
    await expect(refused).rejects.toThrow(missing[1]);
  });
});
