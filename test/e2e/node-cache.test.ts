import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../rehearsal/cluster/wait";
import { sha256 } from "../components/storage/fakes";
import { modelPlan } from "../harness/plans";
import type { ContainerFolder } from "./model-store/container-folder";
import type { ScriptProcess } from "./model-store/script-process";
import { Stand } from "./model-store/stand";

const MEBIBYTE = 2 ** 20;
const NODE = "gpu-1";
const TOKEN = "hf_token";
const MODELS = ["a", "b", "c"];
const WEIGHTS = "model.safetensors";
const repositories = Object.fromEntries(
  MODELS.map((name) => [
    `org/${name}`,
    { "config.json": Buffer.from("{}"), LICENSE: Buffer.from("terms"), [WEIGHTS]: randomBytes(20 * MEBIBYTE) },
  ]),
);
const models = MODELS.map((name) =>
  modelPlan({
    name,
    loading: "cache",
    task: "completion",
    source: { kind: "huggingface", repository: `org/${name}`, revision: "main" },
  }),
);

/** Pods are objects of a real API server whose status the test sets, as a kubelet would; containers are processes. */
describe("a node's cache of weights on a real MinIO and a real API server", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
  let stand: Stand;
  let container: ContainerFolder;
  let agent: ScriptProcess;
  let account: Readonly<Record<string, string>>;

  const cache = () => container.here("/node-cache");
  const startAgent = (): ScriptProcess => {
    agent = stand.store.start(container);
    return agent;
  };

  beforeAll(async () => {
    stand = await Stand.start(models, repositories, TOKEN, { plan: { nodeCacheGiB: 1 } });
    const { administrator } = stand.reports;
    await administrator.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "node-cache" } });
    await administrator.apply({ apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
    for (const object of stand.platform.cacheObjects()) {
      await administrator.apply(object);
    }
    account = await stand.reports.logInAs("node-cache", "node-cache", "node-cache");
    for (const { name } of models) {
      // No controller manager runs here.
      await administrator.apply({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace: `model-${name}` },
      });
      const { status, output } = await stand.run(stand.sync(name));
      expect([output, status]).toEqual([output, 0]);
    }
    const env = { ...account, NODE_NAME: NODE, CAPACITY_BYTES: String(45 * MEBIBYTE), PORT: "0" };
    container = stand.store.container(stand.platform.nodeCache(), { env });
    startAgent();
  });
  afterAll(async () => {
    await agent?.kill();
    await stand?.stop();
    rmSync(folder, { recursive: true });
  });

  /** A pod that is bound to the node and has not run yet. */
  const bind = (model: string, name = `${model}-0`) =>
    stand.reports.administrator.apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: `model-${model}` },
      spec: {
        nodeName: NODE,
        volumes: [{ name: "node-cache", persistentVolumeClaim: { claimName: "node-cache", readOnly: true } }],
        containers: [{ name: "vllm", image: "vllm" }],
      },
    });

  /** The pod's init container, whose end the kubelet reports. */
  const link = async (model: string, name = `${model}-0`): Promise<string> => {
    const rendered = stand.platform.engine(model, "cached-weights");
    const log = join(folder, `${name}.log`);
    const env = { CACHE: join(cache(), model), TERMINATION_LOG: log };
    const init = stand.store.container(rendered, { env, files: await stand.reports.mounted(model) });
    const process = stand.store.start(init);
    await process
      .printed((output) => output.includes("linked"))
      .catch((error: Error) => {
        throw new Error(`${error.message}\nthe cache printed:\n${agent.output}`);
      });
    expect(await process.ended).toMatchObject({ status: 0 });
    const terminated = { exitCode: 0, message: readFileSync(log, "utf8"), reason: "Completed" };
    const status = {
      phase: "Running",
      initContainerStatuses: [
        { name: "cached-weights", image: "node", imageID: "", ready: true, restartCount: 0, state: { terminated } },
      ],
    };
    const path = `/api/v1/namespaces/model-${model}/pods/${name}/status`;
    const { status: answer } = await stand.reports.administrator.request(
      "PATCH",
      path,
      JSON.stringify({ status }),
      "application/merge-patch+json",
    );
    expect(answer).toBe(200);
    return init.here("/models/current");
  };

  const end = async (model: string, name = `${model}-0`) => {
    const path = `/api/v1/namespaces/model-${model}/pods/${name}?gracePeriodSeconds=0`;
    expect((await stand.reports.administrator.request("DELETE", path)).status).toBe(200);
  };

  const cached = () => readdirSync(cache()).filter((model) => complete(model));
  const complete = (model: string) =>
    existsSync(join(cache(), model)) && readdirSync(join(cache(), model)).some((name) => name.endsWith(".complete"));

  it("brings a model to a pod with the cache's own keys and rights, byte by byte", async () => {
    await bind("a");
    const target = await link("a");
    expect(sha256(readFileSync(join(target, WEIGHTS)))).toBe(sha256(repositories["org/a"]?.[WEIGHTS] as Buffer));
    expect(readdirSync(target).sort()).toEqual(["LICENSE", "config.json", WEIGHTS]);
  });

  it("goes on with the missing files after it was killed in the middle, and links nothing before", async () => {
    await agent.kill();
    const limited = { ...account, NODE_NAME: NODE, CAPACITY_BYTES: String(45 * MEBIBYTE), PORT: "0" };
    const cutOff = stand.store.container(stand.platform.nodeCache(), {
      env: { ...limited, CACHE: cache() },
      files: { "/etc/model-store-keys/credentials": "[default]\naws_access_key_id = x\naws_secret_access_key = y\n" },
    });
    agent = stand.store.start(cutOff);
    await bind("b");
    await agent.printed((output) => output.includes("b: copying failed") || output.includes("403"));
    expect(complete("b")).toBe(false);
    await agent.kill();
    startAgent();
    await agent.printed((output) => output.includes("b: copies"));
    await agent.kill();
    startAgent();
    const target = await link("b");
    expect(sha256(readFileSync(join(target, WEIGHTS)))).toBe(sha256(repositories["org/b"]?.[WEIGHTS] as Buffer));
  });

  it("waits where both models are in use, and says so", async () => {
    await bind("c");
    await agent.printed((output) => output.includes("c: no room for 0.02 GB of 0.05 GB: in use a 0.02 GB, b 0.02 GB"));
    expect(cached()).toEqual(["a", "b"]);
  });

  it("removes the one whose pods have ended, never the one in use", async () => {
    await end("a");
    await link("c");
    expect(cached()).toEqual(["b", "c"]);
  });

  it("removes the one used least recently where two have ended", async () => {
    await end("b");
    await end("c");
    // Seconds apart in a real cluster.
    await agent.kill();
    const used = readdirSync(join(cache(), "b")).find((name) => name.endsWith(".used")) ?? "";
    utimesSync(join(cache(), "b", used), 1, 1);
    startAgent();
    await bind("a");
    await link("a");
    expect(cached()).toEqual(["a", "c"]);
  });

  it("has no right but to list pods where its models are", async () => {
    const ask = (method: string, path: string) => stand.reports.ask("node-cache", method, path);
    expect((await ask("GET", "/api/v1/namespaces/model-a/pods")).status).toBe(200);
    for (const path of [
      "/api/v1/namespaces/model-a/secrets",
      "/api/v1/namespaces/model-store/pods",
      "/api/v1/pods",
      "/api/v1/namespaces/node-cache/secrets",
    ]) {
      expect([path, (await ask("GET", path)).status]).toEqual([path, 403]);
    }
    expect((await ask("DELETE", "/api/v1/namespaces/model-a/pods/a-0")).status).toBe(403);
    await waitFor("the agent to go on", async () => (agent.output.includes("failed") ? undefined : true), 1);
  });
});
