/** The real Argo CD applies what is rendered, with what the add-on gives it, on the real control plane. */
import { describe, expect, it } from "vitest";
import { describeObject, type KubernetesObject } from "../../../kubernetes/object";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { toYaml } from "../../../render/yaml";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { GitOpsCluster } from "./cluster";
import { ENVIRONMENTS } from "./environment";

const WAVE = "argocd.argoproj.io/sync-wave";

/** What model control and Jobs write, by the field that they write it to. */
const SET: Readonly<Record<string, object>> = {
  "/spec/replicas": { spec: { replicas: 0 } },
  "/data": { data: { written: "by a Job" } },
};

describe.each(ENVIRONMENTS)("%s by Argo CD", { timeout: 1_800_000 }, (name) => {
  const cluster = sharedBySuite(() => GitOpsCluster.start(name));
  const gitops = () => cluster().gitops;
  /** Without Applications: Argo CD writes into them whenever it looks. */
  const versions = async () =>
    new Map(
      [...(await gitops().live())]
        .filter(([, { kind }]) => kind !== "Application")
        .map(([object, { metadata }]) => [object, metadata.resourceVersion]),
    );
  /** Objects of the folder that are others, or gone, since. */
  const changedSince = async (before: Awaited<ReturnType<typeof versions>>) => {
    const now = await versions();
    return [...before].flatMap(([object, version]) => (now.get(object) === version ? [] : [object]));
  };
  const settings = (): KubernetesObject =>
    gitops().objects.find(({ kind }) => kind === "PrometheusRule") ?? expect.unreachable("no rules");

  it("is Synced and Healthy as a whole, each wave after the one before", async () => {
    const { root, commit, objects } = gitops();
    const status = await root.healthyAt(commit, 1200);
    expect(status.conditions).toEqual([]);
    expect(status.resources.map(({ kind, name: own }) => `${kind} ${own}`).toSorted()).toEqual(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted(),
    );
    expect(status.resources.filter((resource) => resource.status !== "Synced")).toEqual([]);
    const live = await gitops().live();
    const made = objects.map((object) => {
      const found = live.get(describeObject(object));
      const { creationTimestamp } = Object(found?.metadata) as { creationTimestamp?: string };
      return { wave: Number(object.metadata.annotations?.[WAVE]), at: creationTimestamp ?? "" };
    });
    const early = made.filter(({ wave, at }) => made.some((other) => other.wave < wave && other.at > at));
    expect(early).toEqual([]);
    expect(new Set(made.map(({ wave }) => wave)).size).toBeGreaterThan(8);
  });

  it("stays so: looking again changes nothing", async () => {
    const before = await versions();
    const { operationState } = await gitops().root.status();
    await gitops().root.refresh("hard");
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    const after = await gitops().root.status();
    expect(after.operationState?.startedAt).toBe(operationState?.startedAt);
    expect(after.sync?.status).toBe("Synced");
    expect(await changedSince(before)).toEqual([]);
  });

  it("shows drift by name, and heals it", async () => {
    const before = await versions();
    const object = settings();
    await gitops().plane.client.patch(object, { spec: { groups: [] } });
    const { operationState } = await gitops().root.until(
      "the sync that heals",
      ({ operationState: state, sync }) =>
        sync?.status === "Synced" && state?.phase === "Succeeded" && state.syncResult.resources.length === 1,
    );
    expect(operationState?.syncResult.resources.map(({ kind, name: own }) => `${kind} ${own}`)).toEqual([
      `${object.kind} ${object.metadata.name}`,
    ]);
    const { groups } = Object((await gitops().plane.client.get(object))?.spec) as { groups?: unknown[] };
    expect(groups?.length).toBeGreaterThan(0);
    expect(await changedSince(before)).toEqual([describeObject(object)]);
  });

  it("brings a change in Git as that change alone", async () => {
    const before = await versions();
    const object = settings();
    gitops().repository.edit(gitops().pathOf(object), (text) =>
      text.replace(/^( +)severity: warning$/m, "$1severity: critical"),
    );
    await gitops().root.healthyAt(gitops().repository.push());
    expect(await changedSince(before)).toEqual([describeObject(object)]);
  });

  it("leaves what other managers set alone, also while it syncs the objects around it", async () => {
    const { repository, root, rendering, objects, plane, commit } = gitops();
    const loose = rendering.ignored.flatMap(({ kind, name: own, namespace, jsonPointers }) => {
      const object = objects.find((each) => isNamed(each, kind, own, namespace)) ?? expect.unreachable(own);
      return jsonPointers.flatMap((pointer) => (pointer in SET ? [{ object, value: SET[pointer] ?? {} }] : []));
    });
    expect(loose.length).toBeGreaterThan(0);
    for (const { object, value } of loose) {
      await plane.client.patch(object, value);
    }
    const unchanged = async () => {
      for (const { object, value } of loose) {
        expect(await plane.client.get(object)).toMatchObject(value);
      }
    };
    await root.refresh("hard");
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    expect((await root.status()).sync?.status).toBe("Synced");
    await unchanged();
    for (const { object } of loose) {
      repository.edit(gitops().pathOf(object), (text) =>
        text.replace(/^ {2}annotations:$/m, '$&\n    example.com/changed: "yes"'),
      );
    }
    await root.healthyAt(repository.push());
    await unchanged();
    await root.healthyAt(repository.restore(commit));
    await unchanged();
  });

  it("runs a Job again whose work changed in Git, and removes the one before", async () => {
    const job = gitops().objects.find(({ kind }) => kind === "Job") ?? expect.unreachable("no Job");
    const { repository, root, plane } = gitops();
    const renamed = `${job.metadata.name.slice(0, -8)}00000000`;
    repository.edit(gitops().pathOf(job), (text) =>
      text.replace(job.metadata.name, renamed).replace(/^( +)backoffLimit: \d+$/m, "$1backoffLimit: 7"),
    );
    await root.healthyAt(repository.push());
    expect(await plane.client.get(job)).toBeUndefined();
    const again = await plane.client.get({ ...job, metadata: { ...job.metadata, name: renamed } });
    expect(Object(again?.status).succeeded).toBe(1);
    await root.healthyAt(repository.restore(gitops().commit));
  });

  describe("a broken commit", () => {
    const service = () => gitops().objects.find(({ kind }) => kind === "Service") ?? expect.unreachable("no Service");

    it.each([
      { what: "an object that the API server refuses", change: "port: 99999999", named: () => service().metadata.name },
      { what: "a file that is no YAML", change: "port: [", named: () => gitops().pathOf(service()).split("/").at(-1) },
    ])("with $what changes nothing, and is named", async ({ change, named }) => {
      const before = await versions();
      const { repository, root, commit } = gitops();
      repository.edit(gitops().pathOf(service()), (text) => text.replace(/\bport: .*$/m, change));
      repository.push();
      await root.refresh();
      const { conditions } = await root.until("the comparison to fail", (status) =>
        status.conditions.some(({ type }) => type === "ComparisonError"),
      );
      expect(conditions.map(({ message }) => message).join()).toContain(named());
      expect(await changedSince(before)).toEqual([]);
      await root.healthyAt(repository.restore(commit));
    });

    it("with a new object that the API server refuses changes nothing, is named, and ends with the next commit", async () => {
      const before = await versions();
      const { repository, root, commit } = gitops();
      const { namespace = "" } = service().metadata;
      const object = { ...service(), metadata: { name: "added", namespace }, spec: { ports: [{ port: 99999999 }] } };
      repository.add(`${namespace}/99-service-added.yaml`, toYaml(object));
      repository.push();
      await root.refresh();
      const { operationState } = await root.until(
        "the sync to fail",
        ({ operationState: state }) =>
          /added|failed/.test(state?.message ?? "") && !/^successfully/.test(state?.message ?? ""),
      );
      expect(JSON.stringify(operationState)).toContain("added");
      expect(await changedSince(before)).toEqual([]);
      // Sooner than the attempts for the broken one are over.
      await root.healthyAt(repository.restore(commit), 240);
    });
  });

  it("deletes with its Application what is not protected, and nothing else", async () => {
    const { root, objects, plane } = gitops();
    const kept = objects.filter(({ metadata }) =>
      metadata.annotations?.["argocd.argoproj.io/sync-options"]?.includes("Delete=false"),
    );
    expect(kept.length > 0).toBe(name !== "dev");
    const before = await gitops().live();
    const uids = () => Promise.all(kept.map(async (object) => (await plane.client.get(object))?.metadata.uid));
    await root.delete();
    await waitFor("the root Application to be gone", async () => ((await root.exists()) ? undefined : true), 600);
    expect(await uids()).toEqual(kept.map((object) => before.get(describeObject(object))?.metadata.uid));
    const left = await Promise.all(
      objects
        .filter((object) => !kept.includes(object))
        .map((object) => plane.client.get(object).catch(() => undefined)),
    );
    expect(left.flatMap((object) => (object === undefined ? [] : describeObject(object)))).toEqual([]);
  });
});

function isNamed(object: KubernetesObject, kind: string, name: string, namespace: string | undefined): boolean {
  return object.kind === kind && object.metadata.name === name && object.metadata.namespace === namespace;
}
