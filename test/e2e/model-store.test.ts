import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { platformOverview } from "../../components/observability/dashboards/platform-overview";
import { platform } from "../../components/observability/rules/platform";
import type { StoreKeys } from "../../components/storage/scripts/credentials.ts";
import { freePorts } from "../../rehearsal/cluster/ports";
import { waitFor } from "../../rehearsal/cluster/wait";
import { COMMIT, sha256 } from "../components/storage/fakes";
import { modelPlan } from "../harness/plans";
import { issueCertificate } from "./model-store/authority";
import type { ContainerFolder } from "./model-store/container-folder";
import type { RepositoryFiles } from "./model-store/hub";
import type { Outcome, ScriptProcess } from "./model-store/script-process";
import { Stand } from "./model-store/stand";

const MEBIBYTE = 2 ** 20;
const BUCKET = "models";
const TOKEN = `hf_${randomBytes(17).toString("hex")}`;
const CREDENTIALS = "/etc/model-store-keys/credentials";
const AUTHORITY = "/etc/model-store/ca.crt";
const PIN = "/etc/weights-manifest/sha256";
const INDEX = "model.safetensors.index.json";
const SMALL_SHARD = "model-00001-of-00002.safetensors";
/** Larger than a part of an upload: the store gets it in two. */
const LARGE_SHARD = "model-00002-of-00002.safetensors";
const COPIED = ["LICENSE", "config.json", SMALL_SHARD, LARGE_SHARD, INDEX, "tokenizer.json"];

function repository(): RepositoryFiles {
  return {
    "README.md": Buffer.from("# read me"),
    LICENSE: Buffer.from("terms"),
    "config.json": Buffer.from('{"model_type":"llama"}'),
    "original/consolidated.00.pth": randomBytes(5000),
    [INDEX]: Buffer.from(JSON.stringify({ weight_map: { "layer.0": SMALL_SHARD, "layer.1": LARGE_SHARD } })),
    [SMALL_SHARD]: randomBytes(3 * MEBIBYTE),
    [LARGE_SHARD]: randomBytes(40 * MEBIBYTE),
    "tokenizer.json": Buffer.from("{}"),
  };
}

const LLAMA = "meta-llama/Llama-3.1-8B-Instruct";
const QWEN = "Qwen/Qwen3-8B";
const repositories = { [LLAMA]: repository(), [QWEN]: repository() };
const models = [
  modelPlan({ domain: "legal" }),
  modelPlan({ name: "qwen-8b", source: { kind: "huggingface", repository: QWEN, revision: "main" } }),
];

/** The file's content as the Hub lists it. */
function original(path: string, of: keyof typeof repositories = LLAMA): Buffer {
  const content: Buffer | undefined = repositories[of]?.[path];
  if (content === undefined) {
    throw new Error(`${of} has no ${path}`);
  }
  return content;
}

function credentials({ accessKeyId, secretAccessKey }: StoreKeys): string {
  return `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
}

/**
 * The scripts as their Jobs and init containers run them: the rendered command, variables, files and keys, against the
 * real server as it is rendered, and a real API server to report to.
 */
describe("the model store's scripts on a real MinIO", () => {
  let stand: Stand;

  const sync = (...of: Parameters<Stand["sync"]>): ContainerFolder => stand.sync(...of);
  const fetch = (...of: Parameters<Stand["fetch"]>): Promise<ContainerFolder> => stand.fetch(...of);
  const run = (container: ContainerFolder | Promise<ContainerFolder>): Promise<Outcome> => stand.run(container);
  const keys = (prefix: string): Promise<string[]> => stand.store.administrator.list(BUCKET, prefix);

  beforeAll(async () => {
    stand = await Stand.start(models, repositories, TOKEN);
  });
  afterAll(() => stand?.stop());

  describe("a sync that was killed within a file", () => {
    let killed: Outcome;
    let left: string[];

    beforeAll(async () => {
      stand.hub.misbehaviour.stalls.set(LARGE_SHARD, 36 * MEBIBYTE);
      const process = stand.store.start(sync("llama-8b"));
      // All but the large one, which stands still after its first part.
      await process.printed((output) => output.split("\ncopied").length === COPIED.length);
      killed = await process.kill();
      left = await keys("legal/llama-8b/");
      stand.hub.misbehaviour.stalls.clear();
      stand.hub.downloads.length = 0;
    });

    it("leaves the files that were complete, what it meant to write, and no manifest", () => {
      expect(killed.status).toBeNull();
      const complete = COPIED.filter((path) => path !== LARGE_SHARD);
      expect(left).toEqual([".sync.json", ...complete].map((path) => `legal/llama-8b/${path}`));
    });

    it("is no model for an engine yet", async () => {
      const { status, output } = await run(fetch("llama-8b"));
      expect(output).toContain("ENOENT: the sync Job of this model has not reported what it copied");
      expect(status).toBe(1);
    });

    it("goes on with the file that is missing, until the bucket holds the whole model", async () => {
      const { status, output } = await run(sync("llama-8b"));
      expect(output).toContain(`complete: s3://models/legal/llama-8b/ holds 6 files of ${LLAMA}@${COMMIT}`);
      expect(status).toBe(0);
      // The index says which shards there are, so every run reads it.
      expect(stand.hub.downloads).toEqual([INDEX, LARGE_SHARD]);
      const stored = await keys("legal/llama-8b/");
      expect(stored).toEqual([".manifest.json", ...COPIED].map((path) => `legal/llama-8b/${path}`));
      for (const path of COPIED) {
        const content = await stand.store.administrator.get(BUCKET, `legal/llama-8b/${path}`);
        expect([path, sha256(content)]).toEqual([path, sha256(original(path))]);
      }
    });

    it("has a manifest with every checksum", async () => {
      const manifest = await stand.store.administrator.get(BUCKET, "legal/llama-8b/.manifest.json");
      expect(JSON.parse(String(manifest))).toEqual({
        repository: LLAMA,
        commit: COMMIT,
        files: COPIED.map((path) => ({ path, size: original(path).length, sha256: sha256(original(path)) })),
      });
    });

    it("has reported the manifest's hash to the model's namespace, as its account may", async () => {
      const manifest = await stand.store.administrator.get(BUCKET, "legal/llama-8b/.manifest.json");
      expect(await stand.reports.mounted("llama-8b")).toEqual({
        "/etc/weights-manifest/sha256": sha256(manifest),
        "/etc/weights-manifest/commit": COMMIT,
      });
    });

    it("is not copied again", async () => {
      stand.hub.downloads.length = 0;
      const { status, output } = await run(sync("llama-8b"));
      expect(status).toBe(0);
      expect(output.match(/^present /gm)).toHaveLength(COPIED.length);
      expect(stand.hub.downloads).toEqual([INDEX]);
    });
  });

  describe("an engine's init container", () => {
    let container: ContainerFolder;
    let first: Outcome;

    beforeAll(async () => {
      container = await fetch("llama-8b");
      first = await run(container);
    });

    it("brings the model to its volume with the model's own keys", () => {
      const { status, output } = first;
      expect(output).toMatch(/^complete: 6 files, 0\.05 GB in \d+ s$/m);
      expect(status).toBe(0);
      const folder = container.here("/models/current");
      expect(readdirSync(folder).sort()).toEqual([...COPIED].sort());
      for (const path of COPIED) {
        expect([path, sha256(readFileSync(join(folder, path)))]).toEqual([path, sha256(original(path))]);
      }
    });

    it("copies only the file that an earlier start cut off", async () => {
      const folder = container.here("/models/current");
      truncateSync(join(folder, LARGE_SHARD), MEBIBYTE);
      const { status, output } = await run(container);
      expect(status).toBe(0);
      expect(output.match(/^copied .*$/gm)).toEqual([`copied ${LARGE_SHARD} (0.04 GB)`]);
      expect(output.match(/^present /gm)).toHaveLength(COPIED.length - 1);
      expect(sha256(readFileSync(join(folder, LARGE_SHARD)))).toBe(sha256(original(LARGE_SHARD)));
    });
  });

  describe.concurrent("what is refused", () => {
    it("a download that is not what the Hub lists: no such object, no manifest", async () => {
      stand.hub.misbehaviour.corrupt.add(LARGE_SHARD);
      const { status, output } = await run(sync("qwen-8b"));
      const id = sha256(original(LARGE_SHARD, QWEN));
      expect(output).toContain(`failed: ${LARGE_SHARD}: the content has id `);
      expect(output).toContain(`, ${QWEN} lists ${id}`);
      expect(status).toBe(1);
      const stored = await keys("qwen-8b/");
      expect(stored).toContain(`qwen-8b/${SMALL_SHARD}`);
      expect(stored).not.toContain(`qwen-8b/${LARGE_SHARD}`);
      expect(stored).not.toContain("qwen-8b/.manifest.json");
    });

    it("an object that is not what the manifest lists", async () => {
      const changed = Buffer.from(original(SMALL_SHARD));
      changed.reverse();
      const manifest = await stand.store.administrator.get(BUCKET, "legal/llama-8b/.manifest.json");
      await stand.store.administrator.put(BUCKET, `damaged/${SMALL_SHARD}`, changed);
      const { files: all, ...rest } = JSON.parse(String(manifest)) as { files: { path: string }[] };
      const only = { ...rest, files: all.filter(({ path }) => path === SMALL_SHARD) };
      const damaged = Buffer.from(JSON.stringify(only));
      await stand.store.administrator.put(BUCKET, "damaged/.manifest.json", damaged);
      const files = { [CREDENTIALS]: credentials(stand.platform.keysOf("sync-writer")), [PIN]: sha256(damaged) };
      const container = await fetch("llama-8b", { PREFIX: "damaged" }, files);
      const { status, output } = await run(container);
      const expected = `expected ${changed.length} with ${sha256(original(SMALL_SHARD))}`;
      expect(output).toContain(
        `failed: ${SMALL_SHARD}: got ${changed.length} bytes with SHA-256 ${sha256(changed)}, ${expected}`,
      );
      expect(status).toBe(1);
      expect(readdirSync(container.here("/models/current"))).not.toContain(SMALL_SHARD);
    });

    it("a wrong secret key", async () => {
      const { accessKeyId } = stand.platform.keysOf("reader-llama-8b");
      const wrong = { [CREDENTIALS]: credentials({ accessKeyId, secretAccessKey: "0".repeat(40) }) };
      const { status, output } = await run(fetch("llama-8b", {}, wrong));
      expect(output).toMatch(
        /^failed: GET s3:\/\/models\/legal\/llama-8b\/\.manifest\.json: 403 SignatureDoesNotMatch /m,
      );
      expect(status).toBe(1);
    });

    it("an access key that the store does not know", async () => {
      const unknown = {
        [CREDENTIALS]: credentials({ accessKeyId: "reader-llama-8b", secretAccessKey: "0".repeat(40) }),
      };
      const { status, output } = await run(fetch("llama-8b", {}, unknown));
      expect(output).toMatch(/^failed: GET s3:.* 403 InvalidAccessKeyId /m);
      expect(status).toBe(1);
    });

    it("another model's keys", async () => {
      const pin = await stand.reports.mounted("llama-8b");
      const { status, output } = await run(fetch("qwen-8b", { PREFIX: "legal/llama-8b" }, pin));
      expect(output).toMatch(/^failed: GET s3:\/\/models\/legal\/llama-8b\/\.manifest\.json: 403 AccessDenied /m);
      expect(status).toBe(1);
    });

    it("writing with a model's own keys, which only read", async () => {
      const reader = { [CREDENTIALS]: credentials(stand.platform.keysOf("reader-llama-8b")) };
      const { status, output } = await run(sync("llama-8b", { REPOSITORY: QWEN }, reader));
      expect(output).toMatch(/^failed: \w+ s3:\/\/models\/legal\/llama-8b\/.*: 403 AccessDenied /m);
      expect(status).toBe(1);
      expect(sha256(await stand.store.administrator.get(BUCKET, `legal/llama-8b/${SMALL_SHARD}`))).toBe(
        sha256(original(SMALL_SHARD)),
      );
    });

    it("a token that the Hub does not accept", async () => {
      const { status, output } = await run(sync("qwen-8b", {}, { "/etc/hugging-face/token": "hf_wrong" }));
      expect(output).toContain(`failed: ${QWEN}: Hugging Face answers 401`);
      expect(output).toContain("a token in the config key huggingFaceToken");
      expect(status).toBe(1);
    });

    it("a server whose certificate another authority signed", async () => {
      const other = issueCertificate(["IP:127.0.0.1"])["ca.crt"];
      const { status, output } = await run(fetch("llama-8b", {}, { [AUTHORITY]: other }));
      expect(output).toMatch(/^failed: .*https:.*certificate.*NODE_EXTRA_CA_CERTS$/m);
      expect(status).toBe(1);
    });
  });

  describe("metrics", () => {
    let exporter: ScriptProcess;
    let url: string;
    const get = (path: string): Promise<Response> => globalThis.fetch(`${url}${path}`);

    beforeAll(async () => {
      const [port = 0] = await freePorts(1);
      url = `http://127.0.0.1:${port}`;
      const env = { PORT: String(port), HOST: "127.0.0.1" };
      exporter = stand.store.start(stand.store.container(stand.platform.metrics(), { env }));
      await waitFor("the exporter", () => get("/health").catch(() => undefined), 20);
    });

    it("come to Prometheus without a key of its own, under the names that alerts and dashboards use", async () => {
      const response = await get("/metrics");
      const text = await response.text();
      expect([response.status, response.headers.get("content-type")]).toEqual([
        200,
        expect.stringMatching(/^text\/plain/),
      ]);
      const used = new Set(
        JSON.stringify([platform.alerts.map(({ expr }) => expr), platformOverview]).match(/minio_\w+/g),
      );
      expect(used.has("minio_cluster_capacity_usable_free_bytes")).toBe(true);
      for (const name of used) {
        expect([name, new RegExp(`^${name}(\\{| )`, "m").test(text)]).toEqual([name, true]);
      }
    });

    it("say what is wrong when the store's user for them is not there", async () => {
      const keys = { accessKeyId: "unknown", secretAccessKey: "0".repeat(40) };
      const [port = 0] = await freePorts(1);
      const env = { PORT: String(port), HOST: "127.0.0.1" };
      const wrong = stand.store.container(stand.platform.metrics(), {
        env,
        files: { [CREDENTIALS]: credentials(keys) },
      });
      stand.store.start(wrong);
      const answer = () => globalThis.fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
      const response = await waitFor("the exporter", answer, 20);
      expect(response.status).toBe(502);
      expect(await response.text()).toMatch(/\/minio\/v2\/metrics\/cluster: HTTP 403 /);
    });

    it("end with the pod", async () => {
      expect((await exporter.kill()).output).toBe("");
    });
  });

  describe("secrets", () => {
    it("are in nothing that was printed", () => {
      const output = stand.store.output();
      expect(output).toContain(`complete: s3://models/legal/llama-8b/`);
      // Four users and the administrator, with a name and a secret each.
      const secrets = [...stand.platform.passwords.values(), TOKEN];
      expect(secrets).toHaveLength(11);
      expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
    });

    it("of the Hub do not go to its content network", () => {
      expect(stand.hub.downloads).toContain(LARGE_SHARD);
      expect(stand.hub.tokensElsewhere).toBe(0);
    });
  });
});
