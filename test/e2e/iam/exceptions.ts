import type { LinterException } from "../linters/exceptions";
import type { IamLinter } from "./linters";

type Exception = LinterException<IamLinter>;

/** Exceptions of parliament for some documents, by check. */
function standing(objects: RegExp, reason: string, ...checks: readonly string[]): Exception[] {
  return checks.map((check) => ({ linter: "parliament", check, objects, reason }));
}

const TRUST = /^trust /;
const KEYS = /^resource cluster-keys-/;
const DISKS = /^rights cluster-(addons-volumes-rights|karpenter-controller-pods)-disks-policy$/;
const PROFILES = /^rights cluster-karpenter-controller-pods-profiles-policy$/;
const NODES = /^rights cluster-karpenter-controller-pods-nodes-policy$/;
const BALANCERS = /^rights cluster-load-balancers-controller-pods-balancers-policy$/;

/** Findings that stand, with the reason. */
export const IAM_EXCEPTIONS: readonly Exception[] = [
  ...standing(
    TRUST,
    "trust names no resource: the role that it belongs to is the one",
    "RESOURCE_STAR",
    "CREDENTIALS_EXPOSURE sts:assumerole",
  ),
  ...standing(KEYS, "in the policy of a key, * is that key", "RESOURCE_STAR"),
  ...standing(
    KEYS,
    "the account decides by IAM about its keys, as in the policy that KMS gives to keys: nobody else could mend it",
    ...["kms:createkey", "kms:creategrant", "kms:putkeypolicy", "kms:retiregrant", "kms:revokegrant"].map(managing),
  ),
  ...standing(
    DISKS,
    "EC2 keeps a key for an attached disk by a grant, which its condition allows for Amazon's services alone",
    managing("kms:creategrant"),
  ),
  ...standing(
    PROFILES,
    "Karpenter makes the profiles of its machines, by tags of this cluster, and gives them the role of nodes alone",
    ...["createinstanceprofile", "deleteinstanceprofile"].map((action) => managing(`iam:${action}`)),
    ...["addroletoinstanceprofile", "removerolefrominstanceprofile"].map((action) => managing(`iam:${action}`)),
    managing("iam:passrole"),
  ),
  ...standing(
    NODES,
    "EC2 makes its role for spot capacity with the first request of an account: that role alone, by its name",
    managing("iam:createservicelinkedrole"),
  ),
  ...standing(
    NODES,
    "several statements allow one request for machines, each for a part of what it touches: images, templates, what it tags",
    "RESOURCE_MISMATCH ec2:RunInstances",
    "RESOURCE_MISMATCH ec2:CreateFleet",
  ),
  ...standing(
    /^rights cluster-karpenter-controller-pods-discovery-policy$/,
    "parameters of Amazon's own belong to no account: their ARN leaves it empty",
    "RESOURCE_MISMATCH ssm:GetParameter",
  ),
  ...standing(
    BALANCERS,
    "Elastic Load Balancing makes its role with the first load balancer of an account: that role alone, by its name",
    managing("iam:createservicelinkedrole"),
  ),
  ...standing(
    BALANCERS,
    "it makes a security group in the network by two statements: one for the group, with its tag, and one for the network",
    "RESOURCE_MISMATCH ec2:CreateSecurityGroup",
  ),
  ...standing(
    BALANCERS,
    "of the kinds of listeners, those of network load balancers alone",
    ...["DeleteListener", "ModifyListener", "ModifyListenerAttributes"].map(
      (action) => `RESOURCE_MISMATCH elasticloadbalancing:${action}`,
    ),
  ),
  ...standing(
    BALANCERS,
    "newer than what this release of the linter knows; the controller's own policy has it (v3.5.0, docs/install/iam_policy.json)",
    "UNKNOWN_CONDITION_FOR_ACTION elasticloadbalancing:CreateAction",
  ),
];

/** The check of a right that gives rights. */
function managing(action: string): string {
  return `PERMISSIONS_MANAGEMENT_ACTIONS ${action}`;
}
