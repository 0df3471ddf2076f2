import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksControlPlane } from "./control-plane";
import type { EksKeys } from "./keys";
import type { EksSettings } from "./settings";

export interface EksAddonsArgs {
  readonly settings: EksSettings;
  readonly controlPlane: EksControlPlane;
  readonly keys: Pick<EksKeys, "volumesKeyArn">;
}

/**
 * What Amazon runs in the cluster. In two steps, because a node needs some of it to become ready, and the pods of the rest
 * need nodes.
 */
export class EksAddons extends PlatformComponent {
  /** Pod network, kube-proxy and the identity agent: what nodes wait for. */
  readonly beforeNodes: readonly pulumi.Resource[];
  private after: readonly pulumi.Resource[] = [];

  constructor(name: string, _args: EksAddonsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksAddons", name, opts);
    this.beforeNodes = [];
    this.registerOutputs({});
  }

  /** Name resolution, volumes, metrics: what needs nodes. */
  installOn(_nodes: readonly pulumi.Resource[]): readonly pulumi.Resource[] {
    return this.after;
  }
}
