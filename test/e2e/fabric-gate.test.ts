/**
 * The fabric gate on a real control plane: the certifier's own process with a token of its own account, on nodes that KWOK keeps and
 * the real scheduler fills. What runs in a trial's pods is played here, by recorded outputs of the test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GateSettings } from "../../components/gpu/scripts/settings.ts";
import type { KubernetesObject } from "../../kubernetes/object";
import { ANNOTATIONS } from "../../names/labels";
import { repositoryRoot } from "../../names/repository-root";
import { UNCERTIFIED } from "../../planner/fabric-gate";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf, runNodes } from "../../rehearsal/cluster/existing-parts";
import { accessOf } from "../../rehearsal/cluster/kubeconfig";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { programRun } from "../stacks/run";
import { REFUSED, TAINTS, taints } from "./fabric-gate/node-changes";
import { PlayedTrials } from "./fabric-gate/played-trials";
import { JOBS, type Job, pod } from "./fabric-gate/refused-jobs";

const NAMESPACE = "fabric-gate";
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:certifier`;

/** Who is at work holds it. */
const LEASE: KubernetesObject = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "fabric-gate-h100", namespace: NAMESPACE },
};

interface NodeObject extends KubernetesObject {
  readonly spec: { readonly taints?: readonly { readonly key: string }[]; readonly unschedulable?: boolean };
}

let plane: ControlPlane;
let trials: PlayedTrials;
let settings: GateSettings;
let nodeAt: (index: number) => KubernetesObject;
let env: Record<string, string>;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  const { plan, resources } = await programRun("oci-h100");
  plane = await ControlPlane.start({ controllers: true });
  const { client } = plane;
  const all = recordedObjects(resources).filter(
    ({ kind, metadata }) => metadata.namespace === NAMESPACE || metadata.name.includes(NAMESPACE) || isShared(kind),
  );
  // The deployment's own Job and CronJob would be two more certifiers, whose pods nobody plays.
  const objects = all.filter(({ metadata }) => !metadata.name.startsWith("certify-"));
  const first = objects.filter(({ kind }) => kind === "Namespace" || kind === "PriorityClass");
  for (const object of [...first, ...objects.filter((each) => !first.includes(each))]) {
    await client.apply(object, { fieldManager: "test" });
  }
  const gate = all.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "gate-h100");
  const { data } = gate as unknown as { readonly data: Readonly<Record<string, string>> };
  const told = JSON.parse(data["gate.json"] ?? "") as GateSettings;
  settings = { ...told, seconds: { ready: 60, schedule: 30, pull: 30, run: 60, retry: 3600, lease: 60, poll: 0.1 } };
  const h100 = plan.pools.filter(({ name }) => name === "h100");
  const nodes = nodesOf({ ...plan, pools: h100 }, () => 8);
  nodeAt = (index) => {
    const node = nodes[index];
    if (!node) {
      throw new Error(`no node ${index}`);
    }
    return node;
  };
  await runNodes(plane, [], { idle: true });
  trials = new PlayedTrials(client, NAMESPACE);
  env = await accountOf();
});

afterAll(async () => {
  for (const process of processes) {
    process.kill("SIGKILL");
  }
  await trials?.stop();
  await plane?.stop();
});

/** Kinds of which the gate has objects outside of its namespace. */
function isShared(kind: string): boolean {
  return ["PriorityClass", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"].includes(kind);
}

/** What the kubelet gives a pod of the account. */
async function accountOf(): Promise<Record<string, string>> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/certifier/token`;
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } };
  const { body } = await plane.client.request("POST", path, JSON.stringify(request));
  const { address = "127.0.0.1", port, ca } = accessOf(readFileSync(plane.kubeconfig, "utf8"));
  writeFileSync(join(plane.folder, "token"), (body as { status: { token: string } }).status.token);
  writeFileSync(join(plane.folder, "ca.crt"), ca);
  writeFileSync(join(plane.folder, "gate.json"), JSON.stringify(settings));
  return {
    PATH: process.env.PATH ?? "",
    SERVICE_ACCOUNT_FOLDER: plane.folder,
    KUBERNETES_SERVICE_HOST: address,
    KUBERNETES_SERVICE_PORT: String(port),
  };
}

function start(mode: "first" | "later"): {
  child: ChildProcess;
  ended: Promise<{ status: number | null; log: string }>;
  /** What it said so far. */
  log: () => string;
} {
  const script = join(repositoryRoot(), "components/gpu/scripts/certify.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, mode, join(plane.folder, "gate.json")], { env });
  processes.push(child);
  let log = "";
  child.stdout?.on("data", (chunk) => {
    log += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    log += String(chunk);
  });
  const ended = new Promise<{ status: number | null; log: string }>((resolve) => {
    child.once("exit", (status) => resolve({ status, log }));
  });
  return { child, ended, log: () => log };
}

async function join2(...indices: number[]): Promise<void> {
  for (const index of indices) {
    await plane.client.create(nodeAt(index));
  }
}

async function node(index: number): Promise<NodeObject> {
  const found = await plane.client.get(nodeAt(index));
  if (!found) {
    throw new Error(`node ${index} is gone`);
  }
  return found as NodeObject;
}

async function isCertified(index: number): Promise<boolean> {
  return !((await node(index)).spec.taints ?? []).some(({ key }) => key === UNCERTIFIED.key);
}

async function record(index: number): Promise<{ state: string; reason: string; with: string }> {
  return JSON.parse((await node(index)).metadata.annotations?.[ANNOTATIONS.fabricTrial] ?? "{}");
}

async function trialsLeft(): Promise<number> {
  const pods = await plane.client.list("v1", "Pod");
  return pods.filter(({ metadata }) => metadata.namespace === NAMESPACE).length;
}

function lastLine(log: string): string {
  return log.trim().split("\n").at(-1) ?? "";
}

describe("a fabric gate", () => {
  it("certifies the first two nodes, which it waits for, with trials that Pod Security lets through", async () => {
    const run = start("first");
    await waitFor("the certifier to wait", async () =>
      run.log().includes("waits for 2 nodes of h100: 0 are there") ? true : undefined,
    );
    await join2(0, 1);
    const { status, log } = await run.ended;
    expect(lastLine(log)).toBe("fabric gate of h100: 2 nodes, 2 certified now, 0 failed now, 0 without certificate");
    expect(status).toBe(0);
    expect(await isCertified(0)).toBe(true);
    expect(await isCertified(1)).toBe(true);
    // The other taints of a GPU node stay.
    expect((await node(0)).spec.taints?.map(({ key }) => key).sort()).toEqual(["dedicated", "nvidia.com/gpu"]);
    expect(await record(0)).toMatchObject({
      state: "certified",
      with: "h100-1",
      reason: expect.stringContaining("GB/s"),
    });
    expect(trials.seen).toEqual([["h100-0", "h100-1"]]);
    expect(await trialsLeft()).toBe(0);
  });

  it("finds nothing to do for nodes that are certified, and does not try them again", async () => {
    for (const mode of ["first", "later"] as const) {
      const { status, log } = await start(mode).ended;
      expect([status, lastLine(log)]).toEqual([
        0,
        "fabric gate of h100: 2 nodes, 0 certified now, 0 failed now, 0 without certificate",
      ]);
    }
    expect(trials.seen).toHaveLength(1);
  });

  it("certifies a node that comes later with one that is free, while others change it, and keeps what they wrote", async () => {
    await join2(2);
    // Somebody drains it, somebody labels it: each change moves the taints or the version.
    let busy = true;
    const others = (async () => {
      for (let turn = 0; busy; turn++) {
        const patch = { metadata: { labels: { turn: `t${turn}` } }, spec: { unschedulable: false } };
        await plane.client.patch(nodeAt(2), patch);
        await sleep(2);
      }
    })();
    const { status, log } = await start("later").ended;
    busy = false;
    await others;
    expect([status, lastLine(log)]).toEqual([
      0,
      "fabric gate of h100: 3 nodes, 1 certified now, 0 failed now, 0 without certificate",
    ]);
    expect(await isCertified(2)).toBe(true);
    expect((await node(2)).metadata.labels?.turn).toMatch(/^t\d+$/);
    expect(trials.seen.at(-1)).toEqual(["h100-0", "h100-2"]);
  });

  it("refuses the bad one of a pair, with the reason on the node, and does not try it again so soon", async () => {
    trials.bad.add("h100-4");
    await join2(3, 4);
    const { status, log } = await start("later").ended;
    expect(lastLine(log)).toBe("fabric gate of h100: 5 nodes, 1 certified now, 1 failed now, 1 without certificate");
    expect(status).toBe(1);
    expect([await isCertified(3), await isCertified(4)]).toEqual([true, false]);
    expect(await record(4)).toMatchObject({
      state: "refused",
      reason: "slow: 195.8 GB/s bus bandwidth, at least 396 is asked for",
    });
    const before = trials.seen.length;
    const again = await start("later").ended;
    expect([again.status, trials.seen.length]).toEqual([0, before]);
    expect(again.log).toContain(
      "h100-4: has the taint startup-taint.cluster-autoscaler.kubernetes.io/uncertified; refused at",
    );
  });

  it("goes on where one was killed in the middle: its trial is taken away, and a new one decides", async () => {
    await join2(5, 6);
    trials.hold = true;
    const killed = start("later");
    const seen = trials.seen.length;
    await waitFor("a trial", () => Promise.resolve(trials.seen.length > seen || undefined));
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await trialsLeft()).toBeGreaterThan(0);
    // Its Lease still says that it is at work.
    const early = await start("later").ended;
    expect([early.status, lastLine(early.log)]).toEqual([0, expect.stringContaining("is at work")]);
    trials.hold = false;
    await plane.client.patch(LEASE, { spec: { renewTime: "2026-01-01T00:00:00.000000Z" } });
    const { status, log } = await start("later").ended;
    expect(log).toContain("removes what an earlier certifier left: trial-h100-");
    expect([status, await isCertified(5), await isCertified(6)]).toEqual([0, true, true]);
    expect(await trialsLeft()).toBe(0);
  });

  it("takes its trial away when it is told to end", async () => {
    await join2(7);
    trials.hold = true;
    const seen = trials.seen.length;
    const told = start("later");
    await waitFor("a trial", () => Promise.resolve(trials.seen.length > seen || undefined));
    told.child.kill("SIGTERM");
    expect((await told.ended).status).toBe(143);
    trials.hold = false;
    expect(await trialsLeft()).toBe(0);
    expect(await isCertified(7)).toBe(false);
  });
});

describe("who has a certifier's token", () => {
  /** The answer to a patch of a node. */
  async function patch(index: number, change: object, asAccount = true) {
    const token = readFileSync(join(plane.folder, "token"), "utf8");
    const { client } = plane;
    const path = `/api/v1/nodes/${nodeAt(index).metadata.name}`;
    const type = Array.isArray(change) ? "application/json-patch+json" : "application/strategic-merge-patch+json";
    if (!asAccount) {
      return client.request("PATCH", path, JSON.stringify(change), type);
    }
    const { ApiClient } = await import("../../rehearsal/cluster/api-client");
    const own = new ApiClient({ ...accessOf(readFileSync(plane.kubeconfig, "utf8")), token });
    try {
      return await own.request("PATCH", path, JSON.stringify(change), type);
    } finally {
      own.close();
    }
  }

  it.each(REFUSED)("cannot change a node: %s", async (_, change) => {
    const before = await node(7);
    const { status, body } = await patch(7, change);
    expect(status, JSON.stringify(body)).toBe(422);
    expect(JSON.stringify(body)).toContain("ValidatingAdmissionPolicy 'inference-fabric-certifier'");
    const { spec, metadata } = await node(7);
    expect([spec, metadata.labels]).toEqual([before.spec, before.metadata.labels]);
  });

  it("can take the one taint away and write down why, and nobody else is concerned", async () => {
    const note = { metadata: { annotations: { [ANNOTATIONS.fabricTrial]: "{}" } } };
    expect((await patch(7, note)).status).toBe(200);
    expect((await patch(7, taints(...TAINTS.slice(0, 2)))).status).toBe(200);
    expect(await isCertified(7)).toBe(true);
    for (const [what, change] of REFUSED) {
      if (what !== "a finalizer") {
        expect((await patch(6, change, false)).status, what).toBe(200);
      }
    }
  });

  /** A trial as certifiers make them. */
  async function trial(): Promise<Job> {
    const metadata = { name: "trial-h100", namespace: NAMESPACE };
    const found = await plane.client.get({ apiVersion: "batch/v1", kind: "CronJob", metadata });
    const { jobTemplate } = (found as unknown as { spec: { jobTemplate: Pick<Job, "metadata" | "spec"> } }).spec;
    const job = { apiVersion: "batch/v1", kind: "Job", ...jobTemplate };
    return { ...job, metadata: { ...job.metadata, name: "mine", namespace: NAMESPACE } };
  }

  /** The answer to the creation of a Job, which is not carried out. */
  async function create(job: Job, asAccount = true) {
    const { ApiClient } = await import("../../rehearsal/cluster/api-client");
    const token = readFileSync(join(plane.folder, "token"), "utf8");
    const access = accessOf(readFileSync(plane.kubeconfig, "utf8"));
    const own = new ApiClient(asAccount ? { ...access, token } : access);
    try {
      const path = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs?dryRun=All`;
      return await own.request("POST", path, JSON.stringify(job));
    } finally {
      own.close();
    }
  }

  it.each(JOBS)("cannot make a Job of its own: %s", async (_, change) => {
    const { status, body } = await create(change(await trial()));
    expect(JSON.stringify(body)).toMatch(/ValidatingAdmissionPolicy 'inference-fabric-trials(-labelled)?'/);
    expect(status).toBe(422);
  });

  it("can make trials, on nodes of its choice, and nobody else is concerned", async () => {
    const nodeSelectorTerms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["h100-0"] }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    const { status, body } = await create(pod(await trial(), { affinity }));
    expect(status, JSON.stringify(body)).toBe(201);
    const others = await Promise.all(JOBS.map(async ([, change]) => (await create(change(await trial()), false)).body));
    expect(JSON.stringify(others)).not.toContain("inference-fabric-trials");
  });

  it("has no other right", async () => {
    const may = async (verb: string, resource: string, group = "", namespace?: string, subresource?: string) => {
      const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user: ACCOUNT, resourceAttributes: { verb, resource, group, namespace, subresource } },
      };
      const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
      const { body } = await plane.client.request("POST", path, JSON.stringify(review));
      return (body as { status: { allowed: boolean } }).status.allowed;
    };
    expect(await may("create", "jobs", "batch", NAMESPACE)).toBe(true);
    expect(await may("patch", "nodes")).toBe(true);
    const never = [
      may("update", "nodes"),
      may("delete", "nodes"),
      may("patch", "nodes", "", undefined, "status"),
      may("list", "secrets", "", NAMESPACE),
      may("get", "secrets", "", NAMESPACE),
      may("create", "pods", "", NAMESPACE),
      may("list", "pods"),
      may("create", "jobs", "batch", "model-llama-405b"),
      may("patch", "cronjobs", "batch", NAMESPACE),
      may("create", "pods", "", NAMESPACE, "exec"),
    ];
    expect(await Promise.all(never)).toEqual(never.map(() => false));
  });
});
