import type * as provider from "@pulumi/pulumi/provider";
import type { ApiClient } from "../../cluster/api-client";
import { installChartCrds } from "../../cluster/chart-crds";
import { type Properties, plain } from "./secrets";

interface ReleaseInputs {
  readonly name: string;
  readonly namespace: string;
  readonly chart: string;
}

/**
 * Helm releases: of a chart only the custom resource definitions are installed, and only then. A custom resource that
 * does not wait for the release of its chart is refused by the API server, as it would be in a new cluster.
 */
export class HelmRelease {
  constructor(
    private readonly client: ApiClient,
    /** Kinds (`<Kind>.<group>`) that the program makes. */
    private readonly kinds: ReadonlySet<string>,
  ) {}

  async create(inputs: Properties): Promise<provider.CreateResult> {
    const { name, namespace, chart } = plain(inputs) as ReleaseInputs;
    const target = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    if ((await this.client.get(target)) === undefined) throw new Error(`namespace "${namespace}" not found`);
    await installChartCrds(this.client, chart.slice(chart.lastIndexOf("/") + 1), this.kinds);
    return { id: `${namespace}/${name}`, outs: this.outputs(inputs) };
  }

  outputs(inputs: Properties): Properties {
    const { name, namespace } = plain(inputs) as ReleaseInputs;
    return { ...inputs, status: { name, namespace, status: "deployed", revision: 1 } };
  }
}
