/** A bucket elsewhere as the model store: what is deployed, and what is not. */
import { describe, expect, it } from "vitest";
import { storeConnections } from "../../../components/storage/connections";
import type { StoreBucket } from "../../../components/storage/store-server";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { deploy } from "../../harness/deploy";
import { modelPlan, storagePlan } from "../../harness/plans";
import { container, literals, podTemplate } from "../serving/fixture";
import { deployed, grantedStore, models } from "./fixture";

const bucket: StoreBucket = {
  bucket: "corp-models",
  url: "https://s3.eu-central-1.amazonaws.com/",
  region: "eu-central-1",
  reader: { accessKey: "readerIdApiKey", secretKey: "readerApiKey" },
  writer: { accessKey: "writerIdApiKey", secretKey: "writerApiKey" },
};
const apiKeys = { readerIdApiKey: "RID", readerApiKey: "r/s+=", writerIdApiKey: "WID", writerApiKey: "ws" };
const plan = { bucket: bucket.bucket, backend: "bucket", sizeGiB: 0 } as const;
const SECRET = "kubernetes:core/v1:Secret";
const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";

const elsewhere = (changes: Partial<StoreBucket> = {}, overrides = {}) =>
  deployed({ plan, storeBucket: { ...bucket, ...changes }, apiKeys, ...overrides });

describe("a store elsewhere", () => {
  it("deploys no server, volume, administrator, users, certificates and metrics", async () => {
    const deployment = await elsewhere();
    const types = new Set(deployment.recording.resources.map(({ type }) => type));
    for (const type of [
      "apps/v1:StatefulSet",
      "core/v1:PersistentVolumeClaim",
      "core/v1:Service",
      "apps/v1:Deployment",
    ]) {
      expect(types).not.toContain(`kubernetes:${type}`);
    }
    expect([...types].filter((type) => /random|cert-manager/.test(type))).toEqual([]);
    expect(deployment.ofType("kubernetes:batch/v1:Job").map(({ name }) => name)).toEqual([
      "storage-sync-llama-8b-copy-job",
    ]);
  });

  it("gives Jobs the writer's keys, engines the reader's, and both the endpoint", async () => {
    const deployment = await elsewhere();
    const keys = (name: string) => deployment.resource(SECRET, name).inputs.stringData;
    const file = (id: string, secret: string) => ({
      credentials: `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`,
    });
    expect(keys("storage-sync-keys")).toEqual(file("WID", "ws"));
    expect(keys("weights-llama-8b-keys")).toEqual(file("RID", "r/s+="));
    const sync = container(
      podTemplate(deployment.resource("kubernetes:batch/v1:Job", "storage-sync-llama-8b-copy-job")).spec,
      "sync",
    );
    expect(literals(sync)).toMatchObject({
      AWS_ENDPOINT_URL: "https://s3.eu-central-1.amazonaws.com",
      AWS_DEFAULT_REGION: "eu-central-1",
      BUCKET: "corp-models",
      PREFIX: "legal/llama-8b",
    });
    expect(Object.keys(literals(sync))).not.toContain("NODE_EXTRA_CA_CERTS");
  });

  it("puts its authority where it is read", async () => {
    const deployment = await elsewhere({ authorities: "PEM" });
    const maps = deployment.ofType(CONFIG_MAP).filter(({ inputs }) => Object(inputs.data)["ca.crt"] === "PEM");
    expect(maps.map(({ inputs }) => (inputs.metadata as { namespace: string }).namespace).sort()).toEqual([
      "model-llama-8b",
      "model-store",
    ]);
    const job = deployment.resource("kubernetes:batch/v1:Job", "storage-sync-llama-8b-copy-job");
    expect(podTemplate(job).spec.volumes).toContainEqual({
      name: "model-store-ca",
      configMap: { name: "model-store-trust" },
    });
    expect(literals(container(podTemplate(job).spec, "sync"))).toMatchObject({
      NODE_EXTRA_CA_CERTS: "/etc/model-store/ca.crt",
    });
  });

  it("deploys no Jobs and no keys that write where nothing writes", async () => {
    const read = modelPlan({ source: { kind: "bucket", uri: "s3://corp-models/llama" } });
    const deployment = await elsewhere({ writer: undefined }, { models: [read] });
    expect(deployment.ofType("kubernetes:batch/v1:Job")).toEqual([]);
    expect(deployment.ofType(SECRET).map(({ name }) => name)).toEqual(["weights-llama-8b-keys"]);
  });

  it("refuses a model that a Job would copy there", async () => {
    const store = () => grantedStore({ plan, storeBucket: { ...bucket, writer: undefined }, apiKeys, models });
    await expect(deploy(store)).rejects.toThrow("nothing is written to the store");
  });

  it("is what NetworkPolicies open, in its own networks where they are known", () => {
    const planned = { models: [modelPlan()], storage: { ...storagePlan([modelPlan()]), ...plan } };
    const open = byName(storeConnections(planned, NETWORKS, { bucket }));
    const closed = byName(storeConnections(planned, NETWORKS, { bucket: { ...bucket, networks: ["10.20.0.9/32"] } }));
    for (const name of ["jobs-to-model-store", "models-to-model-store"]) {
      expect(open[name]).toMatchObject({ to: [INTERNET], ports: [{ port: 443 }] });
      expect(JSON.stringify(closed[name]?.to)).toContain("10.20.0.9/32");
    }
  });

  it("has no connection where there is none", () => {
    const storage = { ...storagePlan([]), backend: "none", sizeGiB: 0 } as const;
    expect(storeConnections({ models: [], storage }, NETWORKS)).toEqual([]);
  });
});
