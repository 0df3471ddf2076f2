import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksControlPlane } from "./control-plane";
import type { EksKeys } from "./keys";
import type { EksNetwork } from "./network";
import type { EksPool, EksSettings } from "./settings";

export interface EksNodeGroupsArgs {
  readonly settings: EksSettings;
  readonly controlPlane: EksControlPlane;
  readonly network: EksNetwork;
  readonly keys: Pick<EksKeys, "volumesKeyArn">;
  /** Those with nodes in a group. */
  readonly pools: readonly EksPool[];
  /** Add-ons that a node needs to become ready. */
  readonly after: readonly pulumi.Resource[];
}

/** The managed node groups: the nodes that always run, those of reservations, and those that are tried before models come. */
export class EksNodeGroups extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, _args: EksNodeGroupsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksNodeGroups", name, opts);
    this.ready = [];
    this.registerOutputs({});
  }
}
