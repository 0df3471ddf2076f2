/** The real Argo CD on a control plane, with an environment's rendered folder in a repository that it reads. */
import { join } from "node:path";
import { z } from "zod";
import { argoNames } from "../../../components/argo-cd/names";
import { describeObject, type KubernetesObject } from "../../../kubernetes/object";
import { HELM_RELEASE } from "../../../kubernetes/resource-types";
import { ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import type { RecordedResource } from "../../../offline/run";
import { Authority } from "../../../rehearsal/cluster/authority";
import { chartDefinitions } from "../../../rehearsal/cluster/chart-crds";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { kindsOf } from "../../../rehearsal/cluster/recorded-objects";
import type { Rendering } from "../../../render/index";
import { chartArchiveOf } from "../../bundle/registry";
import type { EnvironmentName } from "../../stacks/run";
import { ObservedApplication } from "./application";
import { type ArgoCd, runArgoCd } from "./argo-cd";
import { FakeControllers } from "./controllers";
import { TOKEN } from "./environment";
import { FakeInternet, type ServedChart } from "./internet";
import { GitRepository } from "./repository";

export class GitOps {
  private constructor(
    readonly plane: ControlPlane,
    readonly rendering: Rendering,
    readonly repository: GitRepository,
    readonly argoCd: ArgoCd,
    readonly root: ObservedApplication,
    readonly controllers: FakeControllers,
    private readonly internet: FakeInternet,
    /** The first commit: what was rendered. */
    readonly commit: string,
  ) {}

  /**
   * @param plane where `up` has made its part.
   * @param resources of the program: Argo CD runs with the values of its chart.
   * @param issuer of the certificates of the repository and the charts' servers.
   */
  static async start(
    plane: ControlPlane,
    name: EnvironmentName,
    rendering: Rendering,
    resources: readonly RecordedResource[],
    issuer = new Authority(),
  ): Promise<GitOps> {
    const { path, repository: url, username } = rendering.gitops ?? missing("the section gitops");
    const repository = new GitRepository(join(plane.folder, "git"), name, path);
    const commit = repository.commitRendering(rendering);
    const charts = await chartsOf(rendering.manifests.map(({ object }) => object));
    const internet = await FakeInternet.start({ url, folder: repository.bare, username, token: TOKEN }, charts, issuer);
    const argoCd = await runArgoCd(plane, chartValuesOf(resources), internet);
    const root = new ObservedApplication(plane.client, ARGO_CD_NAMESPACE, argoNames(name).root);
    const controllers = new FakeControllers(plane.client);
    return new GitOps(plane, rendering, repository, argoCd, root, controllers, internet, commit);
  }

  /** Objects of the rendered folder. */
  get objects(): readonly KubernetesObject[] {
    return this.rendering.manifests.map(({ object }) => object);
  }

  /** The folder's objects as they live, by name; without those that are not there. */
  async live(): Promise<ReadonlyMap<string, KubernetesObject>> {
    const found: [string, KubernetesObject][] = [];
    for (const object of this.objects) {
      const one = await this.plane.client.get(object);
      if (one !== undefined) {
        found.push([describeObject(object), one]);
      }
    }
    return new Map(found);
  }

  /** Path of an object's file in the folder. */
  pathOf({ kind, metadata }: KubernetesObject): string {
    const end = `-${kind.toLowerCase()}-${metadata.name}.yaml`;
    const { files } = this.rendering;
    const file = files.find(({ path }) => path.startsWith(`${metadata.namespace}/`) && path.endsWith(end));
    return (file ?? missing(`a file ${end}`)).path;
  }

  /** Argo CD goes with the control plane. */
  async stop(): Promise<void> {
    await this.controllers.stop();
    await this.internet.stop();
  }
}

const chartApplication = z.looseObject({
  spec: z.looseObject({
    source: z.looseObject({ repoURL: z.string(), chart: z.string(), targetRevision: z.string() }),
  }),
});

/** The folder's charts: each holds nothing but its definitions of the kinds that the folder has. */
export async function chartsOf(objects: readonly KubernetesObject[]): Promise<readonly ServedChart[]> {
  const kinds = kindsOf(objects);
  const applications = objects.filter(({ kind }) => kind === "Application");
  return Promise.all(
    applications.map(async (application): Promise<ServedChart> => {
      const { repoURL, chart, targetRevision } = chartApplication.parse(application).spec.source;
      const definitions = await chartDefinitions(chart, kinds);
      const files = Object.fromEntries(
        definitions.map(({ summary, text }) => [`crds/${summary.metadata.name}.yaml`, text]),
      );
      const archive = chartArchiveOf(chart, targetRevision, files);
      return { repository: repoURL, name: chart, version: targetRevision, archive };
    }),
  );
}

/** Values of Argo CD's chart, as the program gives them. */
export function chartValuesOf(resources: readonly RecordedResource[]): unknown {
  const releases = resources.filter(({ type }) => type === HELM_RELEASE);
  const release = releases.find(({ inputs }) => inputs.namespace === ARGO_CD_NAMESPACE);
  return (release ?? missing("the release of Argo CD")).inputs.values;
}

function missing(what: string): never {
  throw new Error(`the environment lacks ${what}`);
}
