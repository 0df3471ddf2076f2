/** A model of a bucket elsewhere, on moto: an S3 that is no MinIO, which checks signatures and rights of users. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { S3Bucket } from "../../../components/storage/scripts/s3.ts";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { sha256 } from "../../components/storage/fakes";
import { Stand } from "../../e2e/model-store/stand";
import { modelPlan } from "../../harness/plans";

const BUCKET = "corp";
const corp = { url: "https://corp.example.com", region: "us-east-1", secretKey: "corpApiKey" };
const model = modelPlan({ source: { kind: "bucket", uri: `s3://${BUCKET}/llama/v3`, copied: true } });
/** Two parts of an upload. */
const WEIGHTS = randomBytes(40 * 2 ** 20);
const READER = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: ["s3:Get*", "s3:List*"], Resource: "*" }],
};

describe("a bucket elsewhere, on moto", () => {
  let moto: ChildProcess;
  let url: string;
  let stand: Stand;
  let keys: string;

  const iam = async (action: string, parameters: Record<string, string> = {}): Promise<string> => {
    const credential = "AWS4-HMAC-SHA256 Credential=setup/20261201/us-east-1/iam/aws4_request";
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `${credential}, SignedHeaders=host, Signature=0` },
      body: new URLSearchParams({ Action: action, Version: "2010-05-08", ...parameters }),
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    return text;
  };
  const userWith = async (name: string, policy: object): Promise<string> => {
    await iam("CreateUser", { UserName: name });
    const document = JSON.stringify(policy);
    await iam("PutUserPolicy", { UserName: name, PolicyName: "rights", PolicyDocument: document });
    const xml = await iam("CreateAccessKey", { UserName: name });
    const element = (tag: string) => new RegExp(`<${tag}>(.*?)</${tag}>`).exec(xml)?.[1] ?? "";
    return `${element("AccessKeyId")}:${element("SecretAccessKey")}`;
  };

  beforeAll(async () => {
    const [port] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    moto = spawn(requirePart("moto-python"), ["-m", "moto.server", "-p", String(port)], { stdio: "ignore" });
    await waitFor("moto to answer", async () => ((await fetch(url).catch(() => undefined))?.ok ? true : undefined), 60);
    await fetch(`${url}/${BUCKET}`, { method: "PUT" });
    const bucket = new S3Bucket(url, BUCKET, { accessKeyId: "a", secretAccessKey: "b", region: "us-east-1" });
    await bucket.put("llama/v3/config.json", Buffer.from("{}"));
    await bucket.put("llama/v30/tokenizer.json", Buffer.from("{}"));
    // Weights for another runtime, a page of the list: those for ours are on the next.
    for (let i = 0; i < 1000; i++) {
      await bucket.put(`llama/v3/flax/${i}.msgpack`, Buffer.from("x"));
    }
    const content = (async function* () {
      yield WEIGHTS;
    })();
    await bucket.upload("llama/v3/model.safetensors", content, {}, () => {});
    keys = await userWith("reader", READER);
    // From now on moto checks signatures and rights.
    await fetch(`${url}/moto-api/reset-auth`, { method: "POST", body: "0" });
    stand = await Stand.start([model], {}, "hf_none", {
      access: { buckets: { [BUCKET]: corp } },
      apiKeys: { corpApiKey: "nobody:nothing" },
    });
  });
  afterAll(async () => {
    moto?.kill();
    await stand?.stop();
  });

  const job = (of = keys) =>
    stand.run(
      stand.store.container(stand.platform.sync("llama-8b"), {
        env: { SOURCE_ENDPOINT: url, ...stand.reports.variables("llama-8b") },
        files: { "/etc/source-keys/keys": of },
      }),
    );

  it.each([
    ["an unknown key", () => "stranger:nothing-at-all"],
    ["another secret", () => `${keys.split(":")[0]}:nothing-at-all`],
  ])("with %s ends in the server's words, and leaves nothing", async (_, of) => {
    const { status, output } = await job(of());
    expect(output).toMatch(/failed: GET s3:\/\/corp\/llama\/v3\/: 403 (InvalidAccessKeyId|SignatureDoesNotMatch)/);
    expect(status).toBe(1);
    expect(await stand.store.administrator.list("models", "llama-8b/")).toEqual([]);
  });

  it("is copied whole by a user who may only read, without its neighbour's files", async () => {
    const { status, output } = await job();
    expect(output).toContain("complete: s3://models/llama-8b/ holds 2 files of s3://corp/llama/v3@");
    expect(status).toBe(0);
    const weights = await stand.store.administrator.get("models", "llama-8b/model.safetensors");
    expect(sha256(weights)).toBe(sha256(WEIGHTS));
    expect((await job()).output).not.toContain("copied  ");
  });
});
