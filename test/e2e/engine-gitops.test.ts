import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { ownerOf } from "../../kubernetes/owner";
import { repositoryRoot } from "../../names/repository-root";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { renderEnvironment } from "../../render/index";
import { released, stackState, takenBack } from "../../stacks/gitops/state";
import { readEnvironment } from "./engine/environment-file";
import { operation } from "./engine/operations";
import { TestBed } from "./engine/test-bed";
import { sharedBySuite } from "./shared-by-suite";

const KEY = "inference-stacks:gitops";
const GITOPS = {
  engine: "argo-cd",
  acknowledgeClusterAdmin: true,
  repository: "https://git.example.com/platform/gitops.git",
  path: "clusters/dev",
};

/** What Argo CD writes as, when it applies. */
const ARGO_CD = "argocd-controller";

describe("dev, moved to Argo CD and back on the real engine and a real control plane", { timeout: 300_000 }, () => {
  const bed = sharedBySuite(() => TestBed.start("dev", { [KEY]: { value: JSON.stringify(GITOPS) } }));
  const up = () => operation((onEvent) => bed().stack.up({ onEvent }));
  const state = async () => stackState.parse(await bed().exportEncrypted());
  const load = (moved: unknown) =>
    bed().stack.importStack(moved as Parameters<ReturnType<typeof bed>["stack"]["importStack"]>[0]);
  const isOfArgoCd = (urn: string) =>
    urn.includes("inference:argo-cd:ArgoCd") || urn.includes("::platform-observability-monitors-argocd");
  /** Objects of the folder, without what Argo CD itself brings there. */
  const folder = (): KubernetesObject[] =>
    recordedObjects(
      bed().offline.recording.resources.filter(
        (resource) => ownerOf(resource) === "folder" && !isOfArgoCd(resource.urn),
      ),
    );
  const live = async () =>
    Promise.all(
      folder().map(async (object) => {
        const found = await bed().plane.client.get(object);
        // Another template restarts pods; labels and annotations of the object do not.
        const { template } = Object(found?.spec) as { template?: unknown };
        const name = `${object.kind} ${object.metadata.namespace ?? ""}/${object.metadata.name}`;
        return `${name} ${found?.metadata.uid} ${JSON.stringify(template)}`;
      }),
    );
  let before: Awaited<ReturnType<typeof state>>;
  let objects: readonly string[];

  it("runs without Argo CD", async () => {
    await bed().stack.removeConfig(KEY);
    await up();
    objects = await live();
    expect(objects.length).toBeGreaterThan(80);
    expect(objects.filter((object) => / undefined /.test(object))).toEqual([]);
    before = await state();
  });

  it("refuses the section while the state holds what the folder has, and deletes nothing", async () => {
    await bed().stack.setConfig(KEY, { value: JSON.stringify(GITOPS) });
    await expect(up()).rejects.toThrow(/still holds \d+ objects of the rendered folder/);
    expect(await live()).toEqual(objects);
  });

  it("moves: the engine makes Argo CD, and no object of the folder goes or changes", async () => {
    const { state: without, moved } = released(before);
    expect(moved.length).toBeGreaterThan(80);
    await load(without);
    const { steps } = await up();
    expect(steps.filter((step) => /^(delete|replace)/.test(step))).toEqual([]);
    expect(steps).toContain("create Application platform-gitops-root");
    expect(await live()).toEqual(objects);
    expect((await up()).steps).toEqual([]);
  });

  it("refuses what would delete the Application, and with it the platform: another name of the stack, and no section", async () => {
    const application = { apiVersion: "argoproj.io/v1alpha1", kind: "Application" };
    const root = async () => {
      const found = await bed().plane.client.list(application.apiVersion, application.kind);
      return found.map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.deletionTimestamp}`);
    };
    const before = await root();
    expect(before).toEqual([expect.stringMatching(/^inference-dev-root \S+ undefined$/)]);

    await bed().stack.rename({ stackName: "lab" });
    await expect(up()).rejects.toThrow(/gitops\.name: .*inference-dev-root, and inference-lab-root/);
    await bed().stack.setConfig(KEY, { value: JSON.stringify({ ...GITOPS, name: "dev" }) });
    const { steps } = await up();
    expect(steps.filter((step) => /^(delete|replace|create)/.test(step))).toEqual([]);
    await bed().stack.rename({ stackName: "dev" });

    await bed().stack.removeConfig(KEY);
    await expect(up()).rejects.toThrow(/which `up` would delete without the section/);
    await bed().stack.setConfig(KEY, { value: JSON.stringify(GITOPS) });
    expect(await root()).toEqual(before);
    expect((await up()).steps).toEqual([]);
  });

  it("keeps every object and pod template when the rendered folder is applied over it, as Argo CD does", async () => {
    const file = readEnvironment("dev", { [KEY]: { value: JSON.stringify(GITOPS) } });
    const rendering = await renderEnvironment(
      { name: "dev", file, baseDirectory: repositoryRoot() },
      { secretStore: "none" },
    );
    for (const { object } of rendering.manifests) {
      await bed().plane.client.apply(object, { fieldManager: ARGO_CD, force: true });
    }
    expect(await live()).toEqual(objects);
    const [plan] = folder().filter(({ kind }) => kind === "StatefulSet");
    const found = plan && (await bed().plane.client.get(plan));
    expect(found?.metadata.labels?.["app.kubernetes.io/managed-by"]).toBe("gitops");
  });

  it("moves back: every object stays, and Argo CD goes", async () => {
    await load(takenBack(await state(), before).state);
    await bed().stack.removeConfig(KEY);
    // As docs/gitops.md has it: Applications without finalizers leave what they applied alone.
    for (const application of await bed().plane.client.list("argoproj.io/v1alpha1", "Application")) {
      await bed().plane.client.patch(application, { metadata: { finalizers: null } });
    }
    await bed().setVariables({ PULUMI_K8S_ENABLE_PATCH_FORCE: "true" });
    const { steps } = await up();
    const deleted = steps.filter((step) => /^(delete|replace)/.test(step));
    // The engine's own provider answered for the state; certificates are Argo CD's alone.
    const others = deleted.filter(
      (step) => !step.includes("platform-gitops") && !/^delete (pulumi|tls) default/.test(step),
    );
    expect(others).toEqual([]);
    expect(deleted).toContain("delete Application platform-gitops-root");
    expect(steps.filter((step) => step.startsWith("create"))).toEqual([]);
    expect(await live()).toEqual(objects);
  });
});
