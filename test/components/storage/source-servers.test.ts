/** A model of a bucket or a registry elsewhere: what its Job is told, which keys it mounts, and where it may connect to. */
import { describe, expect, it } from "vitest";
import { storeConnections } from "../../../components/storage/connections";
import type { SourceBucket, SourceRegistry } from "../../../components/storage/hub-access";
import { NETWORKS } from "../../harness/connections";
import { modelPlan, storagePlan } from "../../harness/plans";
import { container, literals, podTemplate } from "../serving/fixture";
import { deployed } from "./fixture";

const JOB = "kubernetes:batch/v1:Job";
const corp: SourceBucket = {
  url: "https://s3.corp.example:9000/",
  region: "eu-central-1",
  networks: ["10.1.2.3/32"],
  secretKey: "corpModelsApiKey",
};
const model = modelPlan({ source: { kind: "bucket", uri: "s3://corp/llama/v3/", copied: true } });
const args = { models: [model], access: { buckets: { corp } }, apiKeys: { corpModelsApiKey: "id:secret" } };

describe("a model of a bucket elsewhere", () => {
  it("is copied by its Job with the keys of the bucket, which are a file, and no others of servers outside", async () => {
    const deployment = await deployed({ ...args, huggingFaceToken: "hf_token" });
    const { spec } = podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job"));
    const sync = container(spec, "sync");
    expect(literals(sync)).toMatchObject({
      RUN: "sync",
      SOURCE_ENDPOINT: "https://s3.corp.example:9000",
      SOURCE_BUCKET: "corp",
      SOURCE_PREFIX: "llama/v3",
      SOURCE_REGION: "eu-central-1",
      SOURCE_KEYS_PATH: "/etc/source-keys/keys",
      BUCKET: "models",
      PREFIX: "llama-8b",
    });
    const told = sync.env.map(({ name }) => name);
    expect(told).not.toContain("HF_TOKEN_PATH");
    expect(told).not.toContain("REPOSITORY");
    expect(sync.volumeMounts).toContainEqual({ name: "source-keys", mountPath: "/etc/source-keys", readOnly: true });
    expect(spec.volumes).toContainEqual({ name: "source-keys", secret: { secretName: "source-corp" } });
    const secret = deployment.resource("kubernetes:core/v1:Secret", "storage-source-corp");
    expect(secret.inputs).toMatchObject({
      metadata: { name: "source-corp", namespace: "model-store" },
      stringData: { keys: "id:secret" },
    });
  });

  it("of a public bucket needs no keys", async () => {
    const { secretKey: _, ...open } = corp;
    const deployment = await deployed({ ...args, access: { buckets: { corp: open } } });
    const { spec } = podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job"));
    expect(container(spec, "sync").env.map(({ name }) => name)).not.toContain("SOURCE_KEYS_PATH");
    expect(spec.volumes.map(({ name }) => name)).not.toContain("source-keys");
  });

  it("is verified by its engine like one of the Hub: the Job reports the manifest", async () => {
    const deployment = await deployed(args);
    expect(deployment.ofType("kubernetes:core/v1:ConfigMap").map(({ inputs }) => inputs.metadata)).toContainEqual(
      expect.objectContaining({ name: "weights-manifest", namespace: "model-llama-8b" }),
    );
  });

  it("opens the network of its bucket to its own Job, and nothing for the Hub", () => {
    const other = modelPlan({ name: "other", source: { kind: "bucket", uri: "s3://models/other" } });
    const plan = { storage: storagePlan([model, other]), models: [model, other] };
    const connections = storeConnections(plan, NETWORKS, args);
    const [own, ...more] = connections.filter(({ name }) => /bucket|hugging/.test(name));
    expect(more).toEqual([]);
    expect(own).toMatchObject({
      name: "sync-of-llama-8b-to-its-bucket",
      from: [{ namespace: "model-store", podLabels: { "app.kubernetes.io/name": "model-sync" } }],
      to: [{ cidr: "10.1.2.3/32" }],
      ports: [{ port: 9000 }],
    });
  });
});

const host = "registry.corp.example:5000";
const DIGEST = `sha256:${"a".repeat(64)}`;
const registry: SourceRegistry = { networks: ["10.1.2.4/32"], secretKey: "corpRegistryApiKey", authorities: "PEM" };
const packed = modelPlan({
  source: { kind: "artifact", registry: host, repository: "team/llama", tag: "v1", digest: DIGEST },
});
const ofRegistry = {
  models: [packed],
  access: { registries: { [host]: registry } },
  apiKeys: { corpRegistryApiKey: '{"auths":{}}' },
};

describe("a model of a registry", () => {
  it("is copied by its Job at its digest, with a login and authorities that are files", async () => {
    const deployment = await deployed(ofRegistry);
    const { spec } = podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job"));
    const sync = container(spec, "sync");
    expect(literals(sync)).toMatchObject({
      SOURCE_ENDPOINT: "https://registry.corp.example:5000",
      SOURCE_REGISTRY: host,
      SOURCE_REPOSITORY: "team/llama",
      REVISION: DIGEST,
      SOURCE_LOGINS_PATH: "/etc/source-keys/.dockerconfigjson",
      SOURCE_CA_PATH: "/etc/source-authorities/ca.crt",
      PREFIX: "llama-8b",
    });
    const secretName = "registry-registry.corp.example-5000";
    expect(spec.volumes).toContainEqual({ name: "source-keys", secret: { secretName } });
    expect(spec.volumes).toContainEqual({
      name: "source-authorities",
      configMap: { name: `${secretName}-authorities` },
    });
    const secret = deployment.resource("kubernetes:core/v1:Secret", `storage-${secretName}`);
    expect(secret.inputs).toMatchObject({
      metadata: { name: secretName, namespace: "model-store" },
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": '{"auths":{}}' },
    });
    const authorities = deployment.resource("kubernetes:core/v1:ConfigMap", `storage-${secretName}-authorities`);
    expect(authorities.inputs.data).toEqual({ "ca.crt": "PEM" });
  });

  it.each([
    ["docker.io", "https://registry-1.docker.io"],
    ["ghcr.io", "https://ghcr.io"],
  ])("that is public needs no settings: %s", async (name, url) => {
    const open = modelPlan({ source: { kind: "artifact", registry: name, repository: "team/llama", tag: "v1" } });
    const deployment = await deployed({ models: [open] });
    const { spec } = podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job"));
    expect(literals(container(spec, "sync"))).toMatchObject({ SOURCE_ENDPOINT: url, REVISION: "v1" });
    expect(spec.volumes.map((volume) => volume.name).filter((volume) => volume.startsWith("source-"))).toEqual([]);
  });

  it("opens the networks of its registry to its own Job, at its port and that of what it refers to", () => {
    const plan = { storage: storagePlan([packed]), models: [packed] };
    const [own, ...more] = storeConnections(plan, NETWORKS, ofRegistry).filter(({ name }) =>
      /registry|bucket|hugging/.test(name),
    );
    expect(more).toEqual([]);
    expect(own).toMatchObject({
      name: "sync-of-llama-8b-to-its-registry",
      to: [{ cidr: "10.1.2.4/32" }],
      ports: [{ port: 5000 }, { port: 443 }],
    });
  });

  it("runs its Job again with other authorities, or another digest", async () => {
    const hashOf = async (changes: object, source: object = {}) => {
      const access = { registries: { [host]: { ...registry, ...changes } } };
      const models = [modelPlan({ source: { ...packed.source, ...source } as typeof packed.source })];
      const job = (await deployed({ ...ofRegistry, models, access })).resource(JOB, "storage-sync-llama-8b-copy-job");
      return JSON.stringify(podTemplate(job).metadata?.annotations);
    };
    const now = await hashOf({});
    expect(await hashOf({})).toBe(now);
    expect(await hashOf({ authorities: "other PEM" })).not.toBe(now);
    expect(await hashOf({}, { digest: `sha256:${"b".repeat(64)}` })).not.toBe(now);
  });
});

describe("a bucket with authorities of its own", () => {
  it("is checked against them: a file of the Job", async () => {
    const access = { buckets: { corp: { ...corp, authorities: "PEM" } } };
    const deployment = await deployed({ ...args, access });
    const { spec } = podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job"));
    expect(literals(container(spec, "sync"))).toMatchObject({ SOURCE_CA_PATH: "/etc/source-authorities/ca.crt" });
    expect(deployment.resource("kubernetes:core/v1:ConfigMap", "storage-source-corp-authorities").inputs.data).toEqual({
      "ca.crt": "PEM",
    });
  });
});

describe("a proxy in front of servers outside", () => {
  const proxy = { url: "http://proxy.corp.example:3128", networks: ["10.20.0.8/32"] };
  const { networks: _, ...named } = corp;
  const open = { models: [model], access: { buckets: { corp: named }, proxy }, apiKeys: args.apiKeys };
  const image = modelPlan({ source: { kind: "artifact", registry: "ghcr.io", repository: "team/llama", tag: "v1" } });

  async function told(overrides: Parameters<typeof deployed>[0]) {
    const { spec } = podTemplate((await deployed(overrides)).resource(JOB, "storage-sync-llama-8b-copy-job"));
    return literals(container(spec, "sync"));
  }

  it("is what their Jobs are given, and connect to alone", async () => {
    for (const overrides of [open, { models: [image], access: { proxy } }]) {
      expect(await told(overrides)).toMatchObject({ SOURCE_PROXY: proxy.url });
      const plan = { storage: storagePlan(overrides.models), models: overrides.models };
      const connections = storeConnections(plan, NETWORKS, overrides);
      expect(connections.filter(({ name }) => name.startsWith("sync-of-"))).toMatchObject([
        { to: [{ cidr: "10.20.0.8/32" }], ports: [{ port: 3128 }] },
      ]);
    }
  });

  it("is not for servers in private networks", async () => {
    for (const overrides of [
      { ...open, access: { buckets: { corp }, proxy } },
      { ...open, access: { buckets: { corp: { ...named, url: "https://10.1.2.3:9000" } }, proxy } },
      { ...ofRegistry, access: { ...ofRegistry.access, proxy } },
    ]) {
      expect(await told(overrides)).not.toHaveProperty("SOURCE_PROXY");
    }
  });
});
