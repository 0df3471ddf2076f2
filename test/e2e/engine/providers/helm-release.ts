import { readFileSync } from "node:fs";
import type * as provider from "@pulumi/pulumi/provider";
import { chartNameOf, isChartPath } from "../../../../catalog/chart-archive";
import { chart as entryOf } from "../../../../catalog/charts";
import { chartProblem } from "../../../../charts/archive";
import type { KubernetesObject } from "../../../../kubernetes/object";
import type { ApiClient } from "../../../../rehearsal/cluster/api-client";
import { installChartCrds } from "../../../../rehearsal/cluster/chart-crds";
import { type Properties, plain } from "./secrets";

interface ReleaseInputs {
  readonly name: string;
  readonly namespace: string;
  readonly chart: string;
}

/**
 * Helm releases: of a chart only the custom resource definitions are installed, and only then. A custom resource that
 * does not wait for the release of its chart is refused by the API server, as it would be in a new cluster.
 *
 * A release is recorded in a Secret of Helm's name and type before anything of it is installed. While that exists, no
 * release of the name can be made: the official provider knows no other way either, whatever `upsert` says.
 */
export class HelmRelease {
  constructor(
    private readonly client: ApiClient,
    /** Kinds (`<Kind>.<group>`) that the program makes. */
    private readonly kinds: ReadonlySet<string>,
  ) {}

  /**
   * A chart that is a path must be there, and be that chart: the official provider loads it from its own working directory before anything is
   * made. Of one in a repository it asks the repository then, as nobody does here.
   */
  check(inputs: Properties): provider.CheckFailure[] {
    const { chart } = plain(inputs) as Partial<ReleaseInputs>;
    const name = chart === undefined ? undefined : chartNameOf(chart);
    if (chart === undefined || name === undefined || !isChartPath(chart)) {
      return [];
    }
    const reason = problemAt(chart, name);
    return reason === undefined ? [] : [{ property: "chart", reason: `${chart}: ${reason}` }];
  }

  async create(inputs: Properties): Promise<provider.CreateResult> {
    const release = plain(inputs) as ReleaseInputs;
    const { name, namespace, chart } = release;
    // Helm's own words.
    if (!(await this.client.create(releaseRecord(release, "pending-install")))) {
      throw new Error("cannot re-use a name that is still in use");
    }
    await installChartCrds(this.client, chartNameOf(chart) ?? chart, this.kinds);
    await this.client.apply(releaseRecord(release, "deployed"));
    return { id: `${namespace}/${name}`, outs: this.outputs(inputs) };
  }

  async read(id: string, props: Properties): Promise<provider.ReadResult> {
    const { status: _status, ...inputs } = props;
    const record = await this.client.get(releaseRecord(plain(props) as ReleaseInputs, "deployed"));
    return record === undefined ? { id: "", props: {} } : { id, props, inputs };
  }

  /** The definitions stay: Helm does not uninstall them. */
  async delete(props: Properties): Promise<void> {
    await this.client.delete(releaseRecord(plain(props) as ReleaseInputs, "deployed"));
  }

  outputs(inputs: Properties): Properties {
    const { name, namespace } = plain(inputs) as ReleaseInputs;
    return { ...inputs, status: { name, namespace, status: "deployed", revision: 1 } };
  }
}

/** @param name of the catalogue. */
function problemAt(path: string, name: string): string | undefined {
  try {
    return chartProblem(readFileSync(path), entryOf(name));
  } catch {
    return `path "${path}" not found from ${process.cwd()}`;
  }
}

/** What Helm keeps of a release's first revision; without the manifest, which nothing here reads. */
export function releaseRecord(
  { name, namespace }: Pick<ReleaseInputs, "name" | "namespace">,
  status: string,
): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `sh.helm.release.v1.${name}.v1`,
      namespace,
      labels: { owner: "helm", name, status, version: "1" },
    },
    type: "helm.sh/release.v1",
  };
}
