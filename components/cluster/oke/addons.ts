import { Addon } from "@pulumi/oci/containerengine/addon";
import type * as pulumi from "@pulumi/pulumi";
import type { Cluster, IdentityBinder, PoolsReady } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import { platformNodes } from "../platform-nodes";
import { ADDONS, hasRdmaDevices, type OkeAddon } from "./addon-table";
import { AUTOSCALER, autoscalerGrants, autoscalerSettings, isAutoscaled } from "./autoscaler";
import type { OkePool, OkeSettings } from "./settings";

export interface OkeAddonsArgs {
  readonly settings: Pick<OkeSettings, "compartmentId">;
  readonly clusterId: pulumi.Output<string>;
  readonly pools: readonly OkePool[];
  readonly poolIds: Readonly<Record<string, pulumi.Output<string>>>;
  readonly workloadIdentity: IdentityBinder;
  /** By pool. */
  readonly nodes: PoolsReady;
}

/**
 * OKE add-ons. Most wait for platform nodes, because add-ons with pending pods never become active.
 * Those for GPU nodes start as nodes join.
 */
export class OkeAddons extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];
  readonly gpusReady: readonly pulumi.Resource[];
  /** Dependencies of a pool's pods besides its nodes. */
  readonly poolsReady: PoolsReady;
  /** Installs RDMA device support. Undefined if no pool has any. */
  readonly rdmaOperator: Cluster["rdmaOperator"];

  constructor(name: string, args: OkeAddonsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeAddons", name, opts);
    const { settings, clusterId, pools, poolIds, workloadIdentity, nodes } = args;
    const ownNodes = platformNodes(pools, nodes);
    const rdmaNodes = pools.filter(hasRdmaDevices).flatMap(({ plan }) => nodes[plan.name] ?? []);
    const install = (
      { addon, suffix, removed }: Pick<OkeAddon, "suffix" | "removed"> & { readonly addon: string },
      values: Readonly<Record<string, pulumi.Input<string>>>,
      before: readonly pulumi.Resource[],
    ) =>
      new Addon(
        this.child(suffix),
        {
          clusterId,
          addonName: addon,
          // Stable order, independent of the settings' order.
          configurations: Object.entries(values)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, value]) => ({ key, value })),
          // Oracle installs some in new clusters, and otherwise answers 409.
          overrideExisting: true,
          removeAddonResourcesOnDelete: removed,
        },
        this.childOptions({ dependsOn: [...ownNodes, ...before] }),
      );

    const made = new Map<string, { readonly resource: Addon; readonly neededBy: OkeAddon["neededBy"] }>();
    const installRow = (row: OkeAddon, after: readonly pulumi.Resource[]) => {
      const { addon, neededBy, follows = [] } = row;
      const before = follows.flatMap((earlier) => made.get(earlier)?.resource ?? []);
      const resource = install(row, row.settings(pools), [...after, ...before]);
      made.set(addon, { resource, neededBy });
      return resource;
    };
    const rows = ADDONS.filter(({ when }) => when(pools));
    for (const row of rows.filter(({ neededBy }) => neededBy !== "rdma")) {
      installRow(row, []);
    }
    const ofRdma = rows.filter(({ neededBy }) => neededBy === "rdma");
    this.rdmaOperator =
      ofRdma.length > 0 ? (after) => ofRdma.map((row) => installRow(row, [...rdmaNodes, ...after])) : undefined;
    const autoscaler = pools.some(isAutoscaled)
      ? [
          install(
            { addon: AUTOSCALER.addon, suffix: "autoscaler", removed: true },
            autoscalerSettings(pools, poolIds),
            workloadIdentity({
              name: "autoscaler",
              namespace: AUTOSCALER.namespace,
              serviceAccount: AUTOSCALER.serviceAccount,
              grants: autoscalerGrants(settings.compartmentId),
            }).ready,
          ),
        ]
      : [];
    const neededBy = (whom: OkeAddon["neededBy"]) =>
      [...made.values()].flatMap((each) => (each.neededBy === whom ? each.resource : []));
    this.ready = neededBy("platform");
    this.gpusReady = neededBy("gpus");
    this.poolsReady = Object.fromEntries(
      pools.map((pool) => [
        pool.plan.name,
        // It needs every pool's OCID. Only pods of pools without nodes wait for it.
        isAutoscaled(pool) && pool.plan.minNodes === 0 ? autoscaler : [],
      ]),
    );
    this.registerOutputs({});
  }
}
