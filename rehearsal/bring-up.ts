import { describeObject, type KubernetesObject } from "../kubernetes/object";
import { admissionReady } from "./cluster/admission";
import { type ApiClient, ApiError } from "./cluster/api-client";
import { chartsWithCrds, installChartCrds } from "./cluster/chart-crds";
import type { ControlPlane } from "./cluster/control-plane";
import { addStorage, runNodes } from "./cluster/existing-parts";
import { controllersOf } from "./cluster/foreign-controllers";
import { foreignNamespacesOf, kindsOf, makesPods, runtimeClassesOf } from "./cluster/recorded-objects";
import { addUserClaims } from "./cluster/user-claims";
import type { RehearsalFacts } from "./report/schema";

/** Long enough for controllers to notice a termination, as with real containers. */
const TERMINATION_MS = 1000;
const FIELD_MANAGER = "inference-stacks-rehearsal";

/**
 * Creates prerequisites of the platform: nodes, storage, classes, CRDs and the group controller.
 */
export async function prepareCluster(
  plane: ControlPlane,
  nodes: readonly KubernetesObject[],
  objects: readonly KubernetesObject[],
  failing?: Readonly<Record<string, string>>,
  stages: readonly string[] = [],
): Promise<void> {
  const { client } = plane;
  const kinds = kindsOf(objects);
  await Promise.all([
    ...[...runtimeClassesOf(objects)].map((name) => {
      return client.create({ apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name }, handler: name });
    }),
    addStorage(client, objects),
    ...foreignNamespacesOf(objects).map((name) =>
      client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    ),
    runNodes(plane, nodes, { terminationMs: TERMINATION_MS, stages, ...(failing && { failing }) }),
    ...chartsWithCrds(kinds).map((chart) => installChartCrds(client, chart, kinds)),
  ]);
  await Promise.all(controllersOf(kinds).map(({ run }) => run(plane)));
}

/**
 * Applies namespaces and priorities, prerequisites of pods, then workloads. Records refused
 * objects.
 */
export async function applyPlatform(
  client: ApiClient,
  objects: readonly KubernetesObject[],
): Promise<RehearsalFacts["objects"]> {
  const first = objects.filter(({ kind }) => kind === "Namespace" || kind === "PriorityClass");
  const workloads = objects.filter(makesPods);
  const rest = objects.filter((object) => !first.includes(object) && !workloads.includes(object));
  const refused = await applyAll(client, first);
  await addUserClaims(client, objects);
  refused.push(...(await applyAll(client, rest)));
  const isRefused = new Set(refused.map(({ object }) => object));
  await admissionReady(
    client,
    objects.filter((object) => !isRefused.has(describeObject(object))),
  );
  refused.push(...(await applyAll(client, workloads)));
  return { applied: objects.length - refused.length, refused };
}

async function applyAll(
  client: ApiClient,
  objects: readonly KubernetesObject[],
): Promise<RehearsalFacts["objects"]["refused"]> {
  const refusals = await Promise.all(
    objects.map(async (object) => {
      try {
        await client.apply(object, { fieldManager: FIELD_MANAGER });
        return [];
      } catch (error) {
        if (!(error instanceof ApiError)) {
          throw error;
        }
        return [{ object: describeObject(object), reason: error.message }];
      }
    }),
  );
  return refusals.flat();
}
