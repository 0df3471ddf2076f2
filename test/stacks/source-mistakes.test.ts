/** Sources in notations of other platforms: each is refused with what takes its place. */
import { describe, expect, it } from "vitest";
import { ruleCases } from "./config/rule-cases";
import { problemsWith } from "./config/samples";

const model = "qwen2.5-7b-instruct";

function refused(source: string, fix: string, changes: object = {}) {
  return [
    source,
    { models: { chat: { model, source } }, ...changes },
    { path: "models.chat.source", allowed: "", fix },
  ] as const;
}

ruleCases([
  refused(
    "gs://weights/llama/v3",
    "add storage.buckets.weights: {url: https://storage.googleapis.com, region: auto, secretKey: …} with an HMAC key, and write s3://weights/llama/v3",
  ),
  refused("ngc://nvidia/nemo/megatron:1.0", "run ngc registry model download-version nvidia/nemo/megatron:1.0, copy"),
  refused(
    "https://huggingface.co/Qwen/Qwen2.5-7B-Instruct",
    "write hf://Qwen/Qwen2.5-7B-Instruct (docs/own-weights.md)",
  ),
  refused("https://huggingface.co/Qwen/Qwen2.5-7B-Instruct/tree/v2", "hf://Qwen/Qwen2.5-7B-Instruct@v2 ("),
  refused("https://example.com/llama.safetensors", "copy the files to a bucket (s3://bucket/prefix)"),
  refused("oss://weights/llama", "or a volume (pvc://claim/path)"),
  refused("docker://ghcr.io/org/model:v1", "write oci://ghcr.io/org/model:v1"),
  refused("hostPath:///srv/models/qwen", "write file:///srv/models/qwen"),
  refused("/srv/models/qwen", "write file:///srv/models/qwen, a folder of the node, or pvc://claim/path"),
  refused("Qwen/Qwen2.5-7B-Instruct", "write hf://Qwen/Qwen2.5-7B-Instruct"),
  refused("S3://models/llama", "write s3://models/llama ("),
  refused(" s3://models/llama", "write s3://models/llama ("),
  refused("s3a://models/llama", "write s3://models/llama ("),
  refused("minio://models/llama", "write s3://models/llama ("),
  refused("s3://models/my llama", "write for example s3://corp-models/llama/v3, without spaces"),
  refused("s3://models/../llama", "without spaces, empty parts and .."),
  refused(
    "https://corp.s3.eu-central-1.amazonaws.com/llama/v3/",
    "add storage.buckets.corp: {url: https://s3.eu-central-1.amazonaws.com, region: …, secretKey: …}, and write s3://corp/llama/v3 (",
  ),
  refused("pvc:weights/llama", "write pvc://weights/llama ("),
  refused("pvc://Weights/Llama", "write pvc://weights/Llama ("),
  refused("pvc://", "write for example pvc://weights/llama/v3: the name of a claim"),
  refused("file:/srv/models", "write file:///srv/models"),
  refused("file://srv/models", "write file:///srv/models, with three slashes"),
  refused("file://~/models", "from the root of the node"),
  refused("file:///srv/../models", "from the root of the node"),
  refused("./models/llama", "such as file:///srv/models/llama"),
  refused("oci://registry.example.com/team/llama", "add a tag: oci://registry.example.com/team/llama:<tag>"),
  refused("oci://registry.example.com/Team/llama:v1", "the repository in lower case"),
  refused("oci://team/llama:v1", "oci://<host>/<repository>:<tag>"),
]);

const corp = { url: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1" };
const buckets = { "corp-models": corp };
const source = "s3://corp-models/llama";
const url = "storage.buckets.corp-models.url";

/** One mistake is one problem, whatever else goes without what it names. */
ruleCases([
  refused("S3://corp-models/llama", "write s3://corp-models/llama (", { storage: { buckets } }),
  refused("s3://corp-models", "s3://corp-models/<prefix>", { storage: { buckets } }),
  refused("s3://corp-model/llama", 'did you mean "corp-models"', { storage: { buckets } }),
  [
    "an endpoint without a scheme",
    { models: { chat: { model, source } }, storage: { buckets: { "corp-models": { url: "s3.example.com" } } } },
    { path: url, fix: "https://" },
  ],
  [
    "a backend without a reader",
    { models: { chat: { model } }, storage: { buckets, backend: { bucket: "corp-models" } } },
    { path: "storage.backend.reader", fix: "add it" },
  ],
  [
    "a backend that is a name",
    { models: { chat: { model } }, storage: { buckets, backend: "corp-models" } },
    { path: "storage.backend", fix: "{bucket: corp-models" },
  ],
  [
    "a backend that is misspelt",
    { models: { chat: { model } }, storage: { buckets, bakend: { bucket: "corp-models" } } },
    { path: "storage.bakend", fix: '"backend"' },
  ],
]);

const registry = 'storage.registries["https://registry.example.com"]';
ruleCases([
  [
    "the URL of a registry",
    {
      models: { chat: { model, source: "oci://registry.example.com/team/llama:v3" } },
      storage: { registries: { "https://registry.example.com/": {} } },
    },
    { path: registry.replace('com"', 'com/"'), fix: "rename it to registry.example.com" },
  ],
]);

const endpoint = (bucket: object) => ({
  models: { chat: { model, source } },
  storage: { buckets: { "corp-models": bucket } },
});
const signed = { ...corp, secretKey: "corpModelsApiKey" };

/** What would end a Job in the cluster. */
ruleCases([
  [
    "an endpoint with the bucket in its name",
    endpoint({ ...corp, url: "https://corp-models.s3.eu-central-1.amazonaws.com" }),
    { path: url, allowed: "without the bucket", fix: "write https://s3.eu-central-1.amazonaws.com" },
  ],
  [
    "an endpoint with the bucket in its path",
    endpoint({ url: "https://minio.example.com:9000/s3/corp-models/" }),
    { path: url, allowed: "requests add /corp-models", fix: "write https://minio.example.com:9000/s3" },
  ],
]);

describe("a region", () => {
  const paths = (bucket: object) =>
    problemsWith({ ...endpoint(bucket), corpModelsApiKey: "id:key" }).map(({ path, fix }) => [path, fix]);
  const region = ["storage.buckets.corp-models.region", "write region: eu-central-1"];
  it("that a signature does not have is refused", () => {
    expect(paths({ ...signed, region: undefined })).toContainEqual(region);
    expect(paths({ ...signed, region: "us-east-1" })).toContainEqual(region);
    expect(
      paths({ ...signed, url: "https://s3.dualstack.eu-central-1.amazonaws.com", region: "us-east-1" }),
    ).toContainEqual(region);
    expect(paths(signed)).not.toContainEqual(region);
  });

  it("counts for signed requests to Amazon alone", () => {
    expect(paths({ url: corp.url })).not.toContainEqual(region);
    expect(paths({ ...signed, url: "https://s3.eu-central-1.example.com", region: "us-east-1" })).not.toContainEqual(
      region,
    );
  });
});
