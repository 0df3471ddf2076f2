import { Addon } from "@pulumi/oci/containerengine/addon";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { OkePool, OkeSettings } from "./settings";

export interface OkeAddonsArgs {
  readonly settings: OkeSettings;
  readonly clusterId: pulumi.Output<string>;
  readonly pools: readonly OkePool[];
  /** OCIDs of the node pools by name. */
  readonly poolIds: Readonly<Record<string, pulumi.Output<string>>>;
}

/** What Oracle runs in the cluster. */
export class OkeAddons extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, { clusterId, pools }: OkeAddonsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeAddons", name, opts);
    const hasNvidia = pools.some(({ plan }) => plan.shape.gpu?.vendor === "nvidia");
    this.ready = hasNvidia
      ? [
          new Addon(
            this.child("nvidia"),
            { clusterId, addonName: "NvidiaGpuPlugin", removeAddonResourcesOnDelete: true },
            this.childOptions(),
          ),
        ]
      : [];
    this.registerOutputs({});
  }
}
