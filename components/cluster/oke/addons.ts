import { Addon } from "@pulumi/oci/containerengine/addon";
import type * as pulumi from "@pulumi/pulumi";
import type { IdentityBinder } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import { ADDONS } from "./addon-table";
import { AUTOSCALER, autoscalerGrants, autoscalerSettings, isAutoscaled } from "./autoscaler";
import type { OkePool, OkeSettings } from "./settings";

export interface OkeAddonsArgs {
  readonly settings: Pick<OkeSettings, "compartmentId">;
  readonly clusterId: pulumi.Output<string>;
  readonly pools: readonly OkePool[];
  /** OCIDs of the node pools by name. */
  readonly poolIds: Readonly<Record<string, pulumi.Output<string>>>;
  /** Gives the autoscaler its rights. */
  readonly workloadIdentity: IdentityBinder;
  /** Nodes: an add-on whose pods find none never becomes active. */
  readonly after: readonly pulumi.Resource[];
}

/** What Oracle runs in the cluster. */
export class OkeAddons extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: OkeAddonsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeAddons", name, opts);
    const { settings, clusterId, pools, poolIds, workloadIdentity, after } = args;
    const install = (
      suffix: string,
      addonName: string,
      values: Readonly<Record<string, pulumi.Input<string>>>,
      { removed = true, dependsOn = after }: { removed?: boolean; dependsOn?: readonly pulumi.Resource[] } = {},
    ) =>
      new Addon(
        this.child(suffix),
        {
          clusterId,
          addonName,
          // In one order, whatever order the settings were put together in.
          configurations: Object.entries(values)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, value]) => ({ key, value })),
          // Oracle puts some into a new cluster by itself, and refuses them a second time (409) without this.
          overrideExisting: true,
          removeAddonResourcesOnDelete: removed,
        },
        this.childOptions({ dependsOn: [...dependsOn] }),
      );

    const made = new Map<string, Addon>();
    for (const { addon, suffix, removed, follows = [], settings: values } of ADDONS.filter(({ when }) => when(pools))) {
      const before = follows.flatMap((name) => made.get(name) ?? []);
      made.set(addon, install(suffix, addon, values(pools), { removed, dependsOn: [...after, ...before] }));
    }
    const addons = [...made.values()];
    if (pools.some(isAutoscaled)) {
      const { addon, namespace, serviceAccount } = AUTOSCALER;
      const { ready } = workloadIdentity({
        name: "autoscaler",
        namespace,
        serviceAccount,
        grants: autoscalerGrants(settings.compartmentId),
      });
      addons.push(
        install("autoscaler", addon, autoscalerSettings(pools, poolIds), { dependsOn: [...after, ...ready] }),
      );
    }
    this.ready = addons;
    this.registerOutputs({});
  }
}
