import * as pulumi from "@pulumi/pulumi";
import type { KarpenterGround } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import type { EksControlPlane } from "./control-plane";
import type { EksKeys } from "./keys";
import type { EksNetwork } from "./network";
import type { EksPool, EksSettings } from "./settings";
import { DISCOVERY_TAG, environmentTags } from "./tags";

export interface KarpenterIdentityArgs {
  readonly settings: EksSettings;
  readonly controlPlane: EksControlPlane;
  readonly network: Pick<EksNetwork, "subnetIds">;
  readonly keys: Pick<EksKeys, "volumesKeyArn">;
  /** Those whose nodes Karpenter makes. */
  readonly pools: readonly EksPool[];
}

/** What Karpenter needs of the cloud: its rights, the role of its nodes, and the queue on which it hears that some will go. */
export class KarpenterIdentity extends PlatformComponent {
  readonly ground: KarpenterGround;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, { settings, keys }: KarpenterIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:KarpenterIdentity", name, opts);
    this.ground = {
      queueName: pulumi.output(""),
      nodeRoleName: pulumi.output(""),
      discovery: { key: DISCOVERY_TAG, value: settings.environment },
      volumesKeyArn: keys.volumesKeyArn,
      nodeImage: settings.nodeImage,
      tags: environmentTags(settings),
    };
    this.ready = [];
    this.registerOutputs({});
  }
}
