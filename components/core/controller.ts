import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { chartRelease, type HelmValues } from "./chart-release";
import { IsolatedNamespace } from "./isolated-namespace";
import { PlatformComponent } from "./platform-component";

export interface ControllerChart {
  /** Catalogue name of the chart, which gives version and repository. */
  readonly chart: string;
  readonly release: string;
  readonly values: HelmValues;
  /** Suffix of the release's logical name. @default none: the controller's name */
  readonly suffix?: string;
  readonly skipCrds?: boolean;
}

export interface ControllerContents {
  /** Usually one. */
  readonly charts: readonly ControllerChart[];
  /** Resources required before its start, mostly Secrets. @default none */
  readonly needs?: readonly pulumi.Resource[];
}

export interface ControllerArgs {
  /** Kubernetes namespace. The platform's list has its connections. */
  readonly namespace: string;
  /** Suffix of the namespace's logical name. @default "namespace" */
  readonly namespaceSuffix?: string;
  /** Whether it holds volumes to protect from deletion. @default false */
  readonly keep?: boolean;
  /** Separate chart for its CRDs, installed and upgraded first. */
  readonly crds?: Pick<ControllerChart, "chart" | "release"> & Partial<Pick<ControllerChart, "values">>;
  readonly contents: (namespace: pulumi.Output<string>) => ControllerContents;
  /** Type tokens of version 0.1.0. @default none */
  readonly formerTypes?: readonly string[];
  /** Prerequisites. @default none */
  readonly after?: readonly pulumi.Resource[];
}

/**
 * Third-party software that configures the platform, once per cluster: an isolated namespace, CRDs,
 * then charts at pinned versions. Callers set the values.
 */
export class Controller extends PlatformComponent {
  /** Name of its namespace, known after its policies exist. */
  readonly namespace: pulumi.Output<string>;
  /** Release with the CRDs of `crds`, if any: custom resources depend on it. */
  readonly crds: readonly kubernetes.helm.v3.Release[];
  /** All releases: objects that its webhooks validate depend on them. */
  readonly releases: readonly kubernetes.helm.v3.Release[];

  constructor(name: string, args: ControllerArgs, opts?: pulumi.ComponentResourceOptions) {
    super(
      "core:Controller",
      name,
      pulumi.mergeOptions(opts, { aliases: (args.formerTypes ?? []).map((type) => ({ type })) }),
    );
    // In 0.1.0 the parent was the controller's user; without aliases all charts would be
    // reinstalled.
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
