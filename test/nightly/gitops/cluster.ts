/** A cluster in which `up` has made its part of an environment, with the real Argo CD. */
import { ARGO_CD_SECRETS, CLIENT_CERTIFICATE_FILES } from "../../../components/argo-cd/names";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ownerOf } from "../../../kubernetes/owner";
import { runEnvironment } from "../../../offline/environment";
import { applyPlatform } from "../../../rehearsal/bring-up";
import { Authority } from "../../../rehearsal/cluster/authority";
import { installChartCrds } from "../../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { addStorage, nodesOf, runNodes } from "../../../rehearsal/cluster/existing-parts";
import { recordedObjects, runtimeClassesOf } from "../../../rehearsal/cluster/recorded-objects";
import { privateKey, selfSigned } from "../../e2e/self-signed";
import type { EnvironmentName } from "../../stacks/run";
import { gitopsEnvironment, type Own, renderingOf } from "./environment";
import { GitOps } from "./gitops";

export class GitOpsCluster {
  private constructor(
    private readonly plane: ControlPlane,
    readonly gitops: GitOps,
  ) {}

  /** @param sections of the environment's file by name, beside or instead of its own. */
  static async start(name: EnvironmentName, sections: Own["sections"] = {}): Promise<GitOpsCluster> {
    const issuer = new Authority();
    const environment = gitopsEnvironment(name, { caCerts: issuer.certificate, sections });
    const rendering = await renderingOf(environment);
    const { recording, plan } = await runEnvironment(environment);
    const folder = rendering.manifests.map(({ object }) => object);
    const plane = await ControlPlane.start({ controllers: true });
    try {
      const { client } = plane;
      const byUp = recordedObjects(recording.resources.filter((resource) => ownerOf(resource) === "up")).map(
        withCertificate,
      );
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
      return new GitOpsCluster(plane, await GitOps.start(plane, name, rendering, recording.resources, issuer));
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

/** The Secret by which the repository server knows its clients, with a certificate in place of what an offline run has. */
function withCertificate(object: KubernetesObject): KubernetesObject {
  if (object.kind !== "Secret" || object.metadata.name !== ARGO_CD_SECRETS.clients) {
    return object;
  }
  const { authority, certificate, key } = CLIENT_CERTIFICATE_FILES;
  const secret = privateKey();
  const signed = selfSigned(secret, { commonName: "argocd", days: 2 });
  return { ...object, stringData: { [authority]: signed, [certificate]: signed, [key]: secret } };
}
