/** `storage.buckets`: what a plan states of models of buckets elsewhere, and what the configuration refuses. */
import { describe, expect, it } from "vitest";
import { onA10 } from "../cli/run";
import { ruleCases } from "./config/rule-cases";
import { planText } from "./planned";
import { environmentText } from "./texts";

const model = "qwen2.5-7b-instruct";
const source = "s3://corp-models/qwen/v1";
const corp = { url: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1" };

describe("a model of a bucket elsewhere", () => {
  it("is planned in the store, in a folder of its own, as a canary too", async () => {
    const chat = { model, source, concurrency: 1, canary: { source: "s3://corp-models/qwen/v2" } };
    const text = environmentText(onA10({}, { models: { chat }, storage: { buckets: { "corp-models": corp } } }));
    const { plan } = await planText(text);
    expect(plan.models.map((each) => each.source)).toEqual([
      { kind: "bucket", uri: source, copied: true },
      { kind: "bucket", uri: "s3://corp-models/qwen/v2", copied: true },
    ]);
    expect(plan.storage.models).toEqual(["chat", "chat-canary"]);
    expect(plan.storage.sizeGiB).toBeGreaterThanOrEqual(2 * (plan.models[0]?.modelStorageGiB ?? 0));
  });
});

const buckets = { "corp-models": corp };
ruleCases([
  [
    "a bucket that no one declares",
    { models: { chat: { model, source } } },
    {
      path: "models.chat.source",
      allowed: "the environment's model store",
      fix: "add the bucket under storage.buckets",
    },
  ],
  [
    "a whole bucket as a model",
    { models: { chat: { model, source: "s3://corp-models" }, other: { model, source } }, storage: { buckets } },
    { path: "models.chat.source", allowed: "a prefix in corp-models", fix: "" },
  ],
  [
    "a bucket that no model reads",
    { models: { chat: { model } }, storage: { buckets } },
    { path: "storage.buckets.corp-models", allowed: "s3://corp-models/<prefix>", fix: "remove it" },
  ],
  [
    "a bucket with the store's name",
    { models: { chat: { model, source: "s3://models/a" } }, storage: { buckets: { models: corp } } },
    { path: "storage.buckets.models", allowed: "another name", fix: "write another storage.bucket" },
  ],
  [
    "keys in place of the name of a secret",
    {
      models: { chat: { model, source } },
      storage: { buckets: { "corp-models": { ...corp, secretKey: "AKIAEXAMPLE" } } },
    },
    { path: "storage.buckets.corp-models.secretKey", allowed: "never the key itself", fix: "config set --secret" },
  ],
  [
    "a secret that is not set",
    {
      models: { chat: { model, source } },
      storage: { buckets: { "corp-models": { ...corp, secretKey: "corpApiKey" } } },
    },
    { path: "storage.buckets.corp-models.secretKey", allowed: "a secret that is set", fix: "corpApiKey" },
  ],
  [
    "an endpoint inside the cluster",
    {
      models: { chat: { model, source } },
      storage: { buckets: { "corp-models": { ...corp, url: "https://minio.model-store.svc:9000" } } },
    },
    { path: "storage.buckets.corp-models.url", fix: "" },
  ],
  [
    "a nested prefix in the store",
    {
      models: { chat: { model, source }, other: { model, source: "s3://models/chat/x" } },
      storage: { buckets },
    },
    { path: "models.other.source", allowed: "not below chat/", fix: "s3://models/other" },
  ],
]);
