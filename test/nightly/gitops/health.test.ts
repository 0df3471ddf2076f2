/** The checks of health that the add-on brings, run by the real controller, with what the kinds' own controllers write. */
import { describe, expect, it } from "vitest";
import { ARGO_API, IN_CLUSTER } from "../../../components/argo-cd/names";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import { installChartCrds } from "../../../rehearsal/cluster/chart-crds";
import { patchStatus } from "../../../rehearsal/cluster/status";
import { toYaml } from "../../../render/yaml";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { ObservedApplication } from "./application";
import { GitOpsCluster } from "./cluster";

const POD = { spec: { containers: [{ name: "engine", image: "engine" }] } };
const metadata = { name: "checked", namespace: "default" };

const CHECKED: readonly { readonly chart: string; readonly ready: string; readonly object: KubernetesObject }[] = [
  {
    chart: "lws",
    ready: "Available",
    object: {
      apiVersion: "leaderworkerset.x-k8s.io/v1",
      kind: "LeaderWorkerSet",
      metadata,
      spec: { leaderWorkerTemplate: { size: 2, workerTemplate: POD } },
    },
  },
  {
    chart: "kuberay-operator",
    ready: "Ready",
    object: {
      apiVersion: "ray.io/v1",
      kind: "RayService",
      metadata,
      spec: { rayClusterConfig: { headGroupSpec: { rayStartParams: {}, template: POD } } },
    },
  },
];

describe("Argo CD's checks of health", { timeout: 1_200_000 }, () => {
  const cluster = sharedBySuite(() => GitOpsCluster.start("dev"));

  it.each(CHECKED)(
    "wait for $ready of a $object.kind, and show what it says meanwhile",
    async ({ chart, ready, object }) => {
      const { plane, repository, rendering } = cluster().gitops;
      const { apiVersion, kind } = object;
      await installChartCrds(plane.client, chart, new Set([`${kind}.${apiVersion.split("/")[0]}`]));
      repository.write(`checked/${kind}/object.yaml`, toYaml(object));
      repository.push();
      const application = new ObservedApplication(plane.client, ARGO_CD_NAMESPACE, chart);
      await plane.client.create({
        apiVersion: ARGO_API,
        kind: "Application",
        metadata: { name: chart, namespace: ARGO_CD_NAMESPACE },
        spec: {
          project: "default",
          source: { repoURL: rendering.gitops?.repository, path: `checked/${kind}`, targetRevision: "main" },
          destination: { server: IN_CLUSTER },
          syncPolicy: { automated: {}, syncOptions: ["ServerSideApply=true"] },
        },
      });
      const healthIs = (health: string) =>
        application.until(health, ({ sync, health: { status } }) => sync?.status === "Synced" && status === health);
      await healthIs("Progressing");
      await patchStatus(plane.client, object, { conditions: [condition(ready, "False")] });
      await application.refresh();
      await healthIs("Progressing");
      await patchStatus(plane.client, object, { conditions: [condition("Other", "False"), condition(ready, "True")] });
      expect((await healthIs("Healthy")).conditions).toEqual([]);
    },
  );
});

function condition(type: string, status: string) {
  return { type, status, reason: "Test", message: "of the test", lastTransitionTime: new Date().toISOString() };
}
