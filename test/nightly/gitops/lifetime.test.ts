/** An environment that has `gitops` from its first `up` to its end, on the real engine, a real control plane and the real Argo CD. */
import { afterAll, describe, expect, it, vi } from "vitest";
import { describeObject, type KubernetesObject } from "../../../kubernetes/object";
import { operation } from "../../e2e/engine/operations";
import { TestBed } from "../../e2e/engine/test-bed";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { gitopsEnvironment, renderingOf, withGitops } from "./environment";
import { GitOps } from "./gitops";

// Deleting the root Application ends when all is deleted that it applied.
vi.stubEnv("E2E_PATIENCE_SECONDS", "900");
afterAll(() => void vi.unstubAllEnvs());

const OF_PULUMI = /^pulumi-kubernetes/;

describe("dev with gitops from the beginning", { timeout: 1_800_000 }, () => {
  const bed = sharedBySuite(() => TestBed.start("dev", withGitops("dev")));
  let started: GitOps | undefined;
  afterAll(() => started?.stop());

  it("has each object from up or from Argo CD, and none from both", async () => {
    await operation((onEvent) => bed().stack.up({ onEvent }));
    const rendering = await renderingOf(gitopsEnvironment("dev"));
    started = await GitOps.start(bed().plane, "dev", rendering, bed().offline.recording.resources);
    await started.root.healthyAt(started.commit, 1200);
    const { steps } = await operation((onEvent) => bed().stack.up({ onEvent }));
    expect(steps).toEqual([]);
    const applied = [...(await started.live()).values()];
    expect(applied.length).toBe(started.objects.length);
    expect(applied.filter((object) => isManagedBy(object, OF_PULUMI)).map(describeObject)).toEqual([]);
  });

  it("leaves nothing when it is destroyed", async () => {
    const { plane, stack } = bed();
    await bed().unprotect();
    await stack.destroy();
    const objects = started?.objects ?? expect.unreachable("Argo CD did not start");
    const left = await Promise.all(objects.map((object) => plane.client.get(object).catch(() => undefined)));
    expect(left.flatMap((object) => (object === undefined ? [] : describeObject(object)))).toEqual([]);
    const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
    const all = (await plane.client.list("v1", "Namespace")).map(({ metadata }) => metadata.name);
    expect(all.filter((name) => namespaces.has(name) || name === "argocd")).toEqual([]);
    const pods = await plane.client.list("v1", "Pod");
    expect(pods.map(describeObject)).toEqual([]);
  });
});

function isManagedBy({ metadata }: KubernetesObject, manager: RegExp): boolean {
  const fields = (metadata.managedFields ?? []) as readonly { readonly manager: string }[];
  return fields.some((each) => manager.test(each.manager));
}
