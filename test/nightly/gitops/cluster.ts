/** A cluster in which `up` has made its part of an environment, with the real Argo CD. */
import { ownerOf } from "../../../kubernetes/owner";
import { runEnvironment } from "../../../offline/environment";
import { applyPlatform } from "../../../rehearsal/bring-up";
import { installChartCrds } from "../../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { addStorage, nodesOf, runNodes } from "../../../rehearsal/cluster/existing-parts";
import { recordedObjects, runtimeClassesOf } from "../../../rehearsal/cluster/recorded-objects";
import type { EnvironmentName } from "../../stacks/run";
import { gitopsEnvironment, renderingOf } from "./environment";
import { GitOps } from "./gitops";

export class GitOpsCluster {
  private constructor(
    private readonly plane: ControlPlane,
    readonly gitops: GitOps,
  ) {}

  static async start(name: EnvironmentName): Promise<GitOpsCluster> {
    const environment = gitopsEnvironment(name);
    const rendering = await renderingOf(environment);
    const { recording, plan } = await runEnvironment(environment);
    const folder = rendering.manifests.map(({ object }) => object);
    const plane = await ControlPlane.start({ controllers: true });
    try {
      const { client } = plane;
      const byUp = recordedObjects(recording.resources.filter((resource) => ownerOf(resource) === "up"));
      await Promise.all([
        addStorage(client, [...byUp, ...folder]),
        runNodes(plane, nodesOf(plan)),
        installChartCrds(client, "argo-cd"),
        ...[...runtimeClassesOf(folder)].map((handler) =>
          client.create({ apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: handler }, handler }),
        ),
      ]);
      const { refused } = await applyPlatform(client, byUp);
      if (refused.length > 0) {
        throw new Error(JSON.stringify(refused));
      }
      return new GitOpsCluster(plane, await GitOps.start(plane, name, rendering, recording.resources));
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.gitops.stop();
    await this.plane.stop();
  }
}
