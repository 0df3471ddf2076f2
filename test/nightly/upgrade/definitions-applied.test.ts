/** Definitions of KubeRay and LeaderWorkerSet are upgraded under a live object by the real kubectl on the real API server. */
import { delimiter, dirname } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { type CrdSource, crdDefinitions, createDefinition } from "../../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { applyDefinitions } from "../../../stacks/chart-definitions/apply";
import { definitionsOf } from "../../../stacks/chart-definitions/definition";
import { sharedBySuite } from "../../e2e/shared-by-suite";

afterAll(() => void vi.unstubAllEnvs());

const POD = { spec: { containers: [{ name: "engine", image: "engine" }] } };

interface Upgrade {
  readonly source: CrdSource;
  readonly kind: string;
  /** A field that the older definition has not, as its schema has it. */
  readonly added: RegExp;
  readonly object: KubernetesObject;
  readonly changed: KubernetesObject["spec"];
}

const group = { leaderWorkerTemplate: { size: 2, workerTemplate: POD } };
const cluster = { headGroupSpec: { rayStartParams: {}, template: POD } };

const UPGRADES: readonly Upgrade[] = [
  {
    source: { module: "sigs.k8s.io/lws", path: "config/crd/bases" },
    kind: "LeaderWorkerSet.leaderworkerset.x-k8s.io",
    added: /^( +)startupPolicy:\n(\1 +.*\n)+/gm,
    object: {
      apiVersion: "leaderworkerset.x-k8s.io/v1",
      kind: "LeaderWorkerSet",
      metadata: { name: "chat", namespace: "default" },
      spec: group,
    },
    changed: { ...group, startupPolicy: "LeaderReady" },
  },
  {
    source: { module: "github.com/ray-project/kuberay/ray-operator", path: "config/crd/bases" },
    kind: "RayCluster.ray.io",
    added: /^( {14})suspend:\n {16}type: boolean\n/gm,
    object: {
      apiVersion: "ray.io/v1",
      kind: "RayCluster",
      metadata: { name: "chat", namespace: "default" },
      spec: cluster,
    },
    changed: { ...cluster, suspend: true },
  },
];

describe.each(UPGRADES)("the definition of $kind", ({ source, kind, added, object, changed }) => {
  const plane = sharedBySuite(() => ControlPlane.start());

  it("is upgraded from one that lacks a field, and its object stays and takes the field", async () => {
    const { client, kubeconfig } = plane();
    vi.stubEnv("PATH", [dirname(requirePart("kubectl")), process.env.PATH].join(delimiter));
    vi.stubEnv("KUBECONFIG", kubeconfig);
    const [definition] = await crdDefinitions(source, new Set([kind]));
    const { text, summary } = definition ?? expect.unreachable("the module has no such definition");
    const older = text.replace(added, "");
    expect(older.length).toBeLessThan(text.length);
    await createDefinition(client, { text: older, summary });
    await waitFor(kind, async () => (await client.create(object).catch(() => undefined)) ?? undefined);
    const before = await client.get(object);
    await expect(client.apply({ ...object, spec: changed })).rejects.toThrow("field not declared in schema");

    const { applied } = await applyDefinitions(definitionsOf([text]), {});
    expect(applied.map(({ name }) => name)).toEqual([summary.metadata.name]);
    const after = await client.get(object);
    // A default of the new field is read into it, no more.
    expect(after).toMatchObject({ ...before });
    // The API server publishes the schema that it applies by a moment after it serves the definition.
    const taken = await waitFor(`the new field of ${kind}`, () =>
      client.apply({ ...object, spec: changed }).catch(() => undefined),
    );
    expect(taken.object).toMatchObject({ metadata: { uid: before?.metadata.uid }, spec: changed });
  });
});
