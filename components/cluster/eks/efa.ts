import { SecurityGroup } from "@pulumi/aws/ec2/securityGroup";
import { SecurityGroupEgressRule } from "@pulumi/aws/vpc/securityGroupEgressRule";
import { SecurityGroupIngressRule } from "@pulumi/aws/vpc/securityGroupIngressRule";
import type * as pulumi from "@pulumi/pulumi";
import type { MachineShape } from "../../../catalog/shapes";
import { PlatformComponent } from "../../core/platform-component";
import type { EksSettings } from "./settings";
import { EFA_TAG } from "./tags";

/** Network interface present at launch. */
export interface EfaInterface {
  readonly networkCardIndex: number;
  readonly deviceIndex: 0 | 1;
  /** EFA with an IP address, or EFA only. */
  readonly interfaceType: "efa" | "efa-only";
}

/**
 * Indexes of a machine's network cards, each with one EFA interface.
 *
 * @throws Error if the shape has no EFA.
 */
export function efaCards({ name, rdma }: Pick<MachineShape, "name" | "rdma">): readonly number[] {
  if (rdma.kind !== "efa" || rdma.interfaces === undefined) {
    throw new Error(`${name} has no EFA: validation should have refused it`);
  }
  return Array.from({ length: rdma.interfaces }, (_, card) => card);
}

/**
 * One EFA interface per network card. Only the first, the primary interface, has an address. p5
 * refuses device indexes above 1 (eksctl-io/eksctl#7520; same rules in
 * terraform-aws-modules/terraform-aws-eks@bef29c4).
 *
 * @throws Error if the shape has no EFA.
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
 * Restricts EFA to its interfaces, which need all-traffic rules to and from the group itself, not
 * to any address (EC2 User Guide, "Get started with EFA", security group). Without the cluster's
 * tag, allowed on one group of a node only.
 */
export class EfaSecurityGroup extends PlatformComponent {
  readonly securityGroupId: pulumi.Output<string>;
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
