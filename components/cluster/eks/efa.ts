import { SecurityGroup } from "@pulumi/aws/ec2/securityGroup";
import { SecurityGroupEgressRule } from "@pulumi/aws/vpc/securityGroupEgressRule";
import { SecurityGroupIngressRule } from "@pulumi/aws/vpc/securityGroupIngressRule";
import type * as pulumi from "@pulumi/pulumi";
import type { MachineShape } from "../../../catalog/shapes";
import { PlatformComponent } from "../../core/platform-component";
import type { EksSettings } from "./settings";
import { EFA_TAG } from "./tags";

/** A network interface that a machine starts with. */
export interface EfaInterface {
  readonly networkCardIndex: number;
  readonly deviceIndex: 0 | 1;
  /** With an address and EFA, or EFA alone. */
  readonly interfaceType: "efa" | "efa-only";
}

/**
 * Numbers of a machine's network cards: each takes one interface with EFA.
 *
 * @throws Error where the shape has no EFA.
 */
export function efaCards({ name, rdma }: Pick<MachineShape, "name" | "rdma">): readonly number[] {
  if (rdma.kind !== "efa" || rdma.interfaces === undefined) {
    throw new Error(`${name} has no EFA: validation should have refused it`);
  }
  return Array.from({ length: rdma.interfaces }, (_, card) => card);
}

/**
 * One interface with EFA on each network card. The first one is the machine's own, with an address; the others have none, and
 * pods' addresses are not taken from them. A device index above 1 is refused on p5 (eksctl-io/eksctl#7520; the same rules in
 * terraform-aws-modules/terraform-aws-eks@bef29c4).
 *
 * @throws Error where the shape has no EFA.
 */
export function efaInterfaces(shape: Pick<MachineShape, "name" | "rdma">): readonly EfaInterface[] {
  return efaCards(shape).map((networkCardIndex) =>
    networkCardIndex === 0
      ? { networkCardIndex, deviceIndex: 0, interfaceType: "efa" }
      : { networkCardIndex, deviceIndex: 1, interfaceType: "efa-only" },
  );
}

export interface EfaSecurityGroupArgs {
  readonly settings: Pick<EksSettings, "environment">;
  readonly vpcId: pulumi.Input<string>;
}

/**
 * Lets interfaces with EFA talk to each other, and to nobody else: EFA needs rules for all traffic to the group itself in both
 * directions, and one to any address is no such rule (EC2 User Guide, "Get started with EFA", security group). It has no tag
 * of the cluster's: of a node's groups only one may have that.
 */
export class EfaSecurityGroup extends PlatformComponent {
  readonly securityGroupId: pulumi.Output<string>;
  /** The group with its rules. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, { settings, vpcId }: EfaSecurityGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EfaSecurityGroup", name, opts);
    const description = "EFA between nodes";
    const group = new SecurityGroup(
      this.child("group"),
      { vpcId, description, tags: { Name: `${settings.environment}-efa`, [EFA_TAG]: settings.environment } },
      this.childOptions(),
    );
    const itself = { securityGroupId: group.id, referencedSecurityGroupId: group.id, ipProtocol: "-1", description };
    const rules = [
      new SecurityGroupIngressRule(this.child("from-itself"), itself, this.childOptions()),
      new SecurityGroupEgressRule(this.child("to-itself"), itself, this.childOptions()),
    ];
    this.securityGroupId = group.id;
    this.ready = [group, ...rules];
    this.registerOutputs({});
  }
}
