import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { chartRelease, type HelmValues } from "./chart-release";
import { IsolatedNamespace } from "./isolated-namespace";
import { PlatformComponent } from "./platform-component";

export interface ControllerChart {
  /** Name of the chart in the catalogue; its version and repository come from there. */
  readonly chart: string;
  /** Name of the Helm release. */
  readonly release: string;
  readonly values: HelmValues;
  /** Last part of the release's logical name. @default none: the release is named like the controller */
  readonly suffix?: string;
  readonly skipCrds?: boolean;
}

export interface ControllerContents {
  /** Usually one. */
  readonly charts: readonly ControllerChart[];
  /** What they need there before they start: Secrets, mostly. @default nothing */
  readonly needs?: readonly pulumi.Resource[];
}

export interface ControllerArgs {
  /** Its Kubernetes namespace. What it connects to, and what connects to it, stands in the platform's list of connections. */
  readonly namespace: string;
  /** Last part of the namespace's logical name. @default "namespace" */
  readonly namespaceSuffix?: string;
  /** It holds volumes that must outlive a mistake. @default false */
  readonly keep?: boolean;
  /** The chart of its CRDs, where these have one of their own: it brings and upgrades them, and comes first. */
  readonly crds?: Pick<ControllerChart, "chart" | "release"> & Partial<Pick<ControllerChart, "values">>;
  /** What goes into the namespace. */
  readonly contents: (namespace: pulumi.Output<string>) => ControllerContents;
  /** Type tokens that it had in 0.1.0. @default none: it is new */
  readonly formerTypes?: readonly string[];
  /** What must run before it. @default nothing */
  readonly after?: readonly pulumi.Resource[];
}

/**
 * Software of others that configures the platform, once per cluster: a closed namespace of its own, its CRDs, then its
 * charts at their pinned versions. Its values are the caller's: `RESTRICTED_CONTAINER` and `replicasOf` are what they share.
 */
export class Controller extends PlatformComponent {
  /** Name of its namespace, known once that is there with its policies. */
  readonly namespace: pulumi.Output<string>;
  /** What brings the CRDs of `crds`, if anything: objects of their kinds depend on it. */
  readonly crds: readonly kubernetes.helm.v3.Release[];
  /** All its releases: what its webhooks look at depends on them. */
  readonly releases: readonly kubernetes.helm.v3.Release[];

  constructor(name: string, args: ControllerArgs, opts?: pulumi.ComponentResourceOptions) {
    super(
      "core:Controller",
      name,
      pulumi.mergeOptions(opts, { aliases: (args.formerTypes ?? []).map((type) => ({ type })) }),
    );
    // In 0.1.0 they hung on whoever asks for the controller; without the aliases all charts would be installed anew.
    const aliases = opts?.parent ? [{ parent: opts.parent }] : [];
    const formerSelves = (args.formerTypes ?? []).map((type) => ({
      parent: pulumi.createUrn(name, type, opts?.parent),
    }));
    const home = new IsolatedNamespace(
      this.child(args.namespaceSuffix ?? "namespace"),
      { namespace: args.namespace, keep: args.keep, use: { holdsRights: true } },
      this.childOptions({ aliases: [...aliases, ...formerSelves] }),
    );
    this.namespace = home.namespace;
    const install = ({ suffix, ...chart }: ControllerChart, dependsOn: readonly pulumi.Resource[]) =>
      chartRelease(
        suffix === undefined ? this.componentName : this.child(suffix),
        { ...chart, namespace: this.namespace },
        this.childOptions<pulumi.CustomResourceOptions>({ aliases, dependsOn: [...dependsOn] }),
      );
    const { charts, needs = [] } = args.contents(this.namespace);
    this.crds = args.crds ? [install({ values: {}, ...args.crds, suffix: "crds" }, [])] : [];
    const before = [...needs, ...this.crds, ...(args.after ?? [])];
    this.releases = [...this.crds, ...charts.map((chart) => install(chart, before))];
    this.registerOutputs({ namespace: this.namespace });
  }
}
