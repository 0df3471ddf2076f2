import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { main } from "../../cli/status";
import { type StatusReport, statusSchema } from "../../cli/status/result";
import { modelNamespaceName } from "../../names/namespaces";
import { repositoryRoot } from "../../names/repository-root";
import { applyPlatform, prepareCluster } from "../../rehearsal/bring-up";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf } from "../../rehearsal/cluster/existing-parts";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { runPiped } from "../cli/run";
import { changedRun } from "../stacks/run";
import { poolPlansOf } from "./doctor/pool-plans";

const MODEL = "assistant";
const NAMESPACE = modelNamespaceName(MODEL);
const FILE = "Pulumi.dev.yaml";
const NODES = { nodes: { "inference-cluster": { model: MODEL } } };

/** The environment of the repository, with its model's replicas as nodes of a group. */
function environmentWithNodes(): string {
  const { config } = parse(readFileSync(join(repositoryRoot(), FILE), "utf8")) as { readonly config: object };
  return stringify({ config: { ...config, "inference-stacks:nodes": NODES.nodes } });
}

describe("npm run status, of dev on a real control plane with KWOK's nodes", { timeout: 120_000 }, () => {
  let plane: ControlPlane;

  let folder = "";

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "status-"));
    writeFileSync(join(folder, FILE), environmentWithNodes());
    plane = await ControlPlane.start({ controllers: true });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await plane?.stop();
  });

  const status = (...argv: string[]) =>
    runPiped(main, ["dev", "--config", join(folder, FILE), "--kubeconfig", plane.kubeconfig, ...argv]);
  const report = async (): Promise<StatusReport> => statusSchema.parse(JSON.parse((await status("--json")).out));
  const model = async () => (await report()).models.find(({ name }) => name === MODEL);
  const becomes = (state: string) =>
    waitFor(`${MODEL} to be ${state}`, async () => ((await model())?.state === state ? true : undefined), 30);

  it("says that nothing is there before it is deployed", async () => {
    const { status: exit, out } = await status();
    expect(exit).toBe(1);
    expect(out).toMatch(/✗ assistant +absent +0 of 1 +ollama +https:\/\/\S+\/assistant\/v1/);
    expect(out).toMatch(/✗ inference-cluster +absent +0 of 1 +assistant +https:\/\/\S+\/inference-cluster/);
    expect(out).toContain("pulumi up makes it");
  });

  it("is well once all pods are, with the address and a call", async () => {
    const { resources } = await changedRun("dev", NODES);
    const objects = recordedObjects(resources);
    await prepareCluster(plane, nodesOf(await poolPlansOf("dev")), objects);
    const { refused } = await applyPlatform(plane.client, objects);
    expect(refused).toEqual([]);
    await becomes("ready");
    await waitFor("everything to be well", async () => ((await report()).ok ? true : undefined), 60);
    const { status: exit, out } = await status();
    expect(exit).toBe(0);
    expect(out).toMatch(/✓ assistant +ready +1 of 1/);
    expect(out).toMatch(/✓ inference-cluster +ready +1 of 1 +assistant/);
    expect(out).toMatch(/✓ model-store +\d of \d/);
    expect(out).toMatch(/Try inference-cluster[\s\S]*curl https:\/\/\S+\/inference-cluster\/infer/);
  });

  it("says what the kubelet says of a container that ends again and again", async () => {
    const name = await podName();
    const crashed = {
      conditions: [{ type: "Ready", status: "False" }],
      containerStatuses: [
        {
          name: "ollama",
          image: "ollama",
          imageID: "",
          ready: false,
          restartCount: 7,
          state: { waiting: { reason: "CrashLoopBackOff" } },
          lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
        },
      ],
    };
    await patch(`/api/v1/namespaces/${NAMESPACE}/pods/${name}/status`, { status: crashed });
    const { status: exit, out } = await status();
    expect(exit).toBe(1);
    expect(out).toMatch(/✗ assistant +failing +0 of 1/);
    expect(out.replace(/\s+/g, " ")).toContain(
      "ollama was restarted 7 times, after it last ended with: it took more memory than its limit",
    );
  });

  it("says what the scheduler says of a pod that no node takes", async () => {
    for (const { metadata } of await plane.client.list("v1", "Node")) {
      await plane.client.delete({ apiVersion: "v1", kind: "Node", metadata });
    }
    await plane.client.delete(
      { apiVersion: "v1", kind: "Pod", metadata: { name: await podName(), namespace: NAMESPACE } },
      0,
    );
    await becomes("failing");
    await waitFor("the scheduler's reason", async () => {
      return (await model())?.problems.some(({ why }) => /^no node takes it: .*node/.test(why)) || undefined;
    });
    expect((await model())?.events[0]).toMatchObject({ reason: "FailedScheduling" });
  });

  it("calls a model that somebody stopped no failure of it", async () => {
    const { kind, name } = await workload();
    await patch(`/apis/apps/v1/namespaces/${NAMESPACE}/${kind}/${name}/scale`, { spec: { replicas: 0 } });
    await becomes("stopped");
  });

  it("says why a cluster cannot be asked", async () => {
    await plane.killApiServer();
    await sleep(100);
    const { status: exit, out, err } = await status();
    expect({ exit, err }).toEqual({ exit: 1, err: "" });
    expect(out).toMatch(/✗ nothing listens at 127\.0\.0\.1:\d+/);
  });

  async function patch(path: string, body: object): Promise<void> {
    const type = "application/merge-patch+json";
    const answer = await plane.client.request("PATCH", path, JSON.stringify(body), type);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }

  async function podName(): Promise<string> {
    const pods = await plane.client.list("v1", "Pod");
    const [found] = pods.filter(({ metadata }) => metadata.namespace === NAMESPACE && !metadata.name.includes("pull"));
    return found?.metadata.name ?? "";
  }

  async function workload(): Promise<{ readonly kind: string; readonly name: string }> {
    for (const kind of ["StatefulSet", "Deployment"]) {
      const [found] = (await plane.client.list("apps/v1", kind)).filter(
        ({ metadata }) => metadata.namespace === NAMESPACE,
      );
      if (found) {
        return { kind: `${kind.toLowerCase()}s`, name: found.metadata.name };
      }
    }
    throw new Error(`${NAMESPACE} has no workload`);
  }
});
