import type { CloudStore, Properties } from "./cloud/store";

const CLUSTER = "aws:eks/cluster:Cluster";
const NODE_GROUP = "aws:eks/nodeGroup:NodeGroup";
const ADDON = "aws:eks/addon:Addon";
const ROLE = "aws:iam/role:Role";
const ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";
const ASSOCIATION = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation";
const ENTRY = "aws:eks/accessEntry:AccessEntry";

/** Add-ons whose pods need nodes: without any they stay DEGRADED until the provider gives up (pulumi-eks issues 1819, 1525). */
const ON_NODES = ["aws-ebs-csi-driver", "coredns", "metrics-server"];
/** What a node waits for before it is ready, where EKS installs nothing by itself. */
const FOR_NODES = ["vpc-cni", "kube-proxy"];

/**
 * What AWS refuses, or never finishes, of what comes before it is there: roles without their policies, nodes without a pod
 * network, add-ons without nodes, policies without an access entry.
 *
 * @throws Error in words like AWS'.
 */
export function examineOrder(store: CloudStore, type: string, inputs: Properties): void {
  const mustBeReady = (kind: string, id: string, problem: string) => {
    if (store.get(id, kind)?.ready !== true) {
      throw new Error(problem);
    }
  };
  if (typeof inputs.clusterName === "string") {
    const name = inputs.clusterName;
    mustBeReady(CLUSTER, name, `ResourceNotFoundException: No cluster found for name: ${name}.`);
  }
  for (const arn of [inputs.roleArn, inputs.nodeRoleArn].filter((each) => typeof each === "string")) {
    const name = arn.slice(arn.lastIndexOf("/") + 1);
    mustBeReady(ROLE, name, `InvalidParameterException: roleArn, ${arn}, does not exist`);
  }
  if (type.startsWith("aws:iam/rolePolicy")) {
    const role = String(inputs.role);
    mustBeReady(ROLE, role, `NoSuchEntity: The role with name ${role} cannot be found.`);
  }
  switch (type) {
    case CLUSTER:
      mustHavePolicy(store, String(inputs.roleArn), "AmazonEKSClusterPolicy");
      break;
    case NODE_GROUP:
      mustHavePolicy(store, String(inputs.nodeRoleArn), "AmazonEKSWorkerNodePolicy");
      mustHaveAddons(store, String(inputs.clusterName));
      break;
    case ADDON:
      if (ON_NODES.includes(String(inputs.addonName)) && store.of(NODE_GROUP).every(({ ready }) => !ready)) {
        throw new Error(`unexpected state 'DEGRADED': InsufficientNumberOfReplicas: no node for ${inputs.addonName}`);
      }
      break;
    case ASSOCIATION: {
      const id = `${inputs.clusterName}:${inputs.principalArn}`;
      const problem = `ResourceNotFoundException: The specified principalArn could not be found: ${inputs.principalArn}`;
      mustBeReady(ENTRY, id, problem);
      break;
    }
  }
}

function mustHavePolicy(store: CloudStore, roleArn: string, policy: string): void {
  const role = roleArn.slice(roleArn.lastIndexOf("/") + 1);
  const has = store
    .of(ATTACHMENT)
    .some(({ inputs }) => inputs.role === role && String(inputs.policyArn).endsWith(`/${policy}`));
  if (!has) {
    throw new Error(`InvalidParameterException: the role ${roleArn} does not have ${policy}`);
  }
}

/** Only where the cluster begins without add-ons. */
function mustHaveAddons(store: CloudStore, cluster: string): void {
  const missing = FOR_NODES.filter((name) => store.get(`${cluster}:${name}`, ADDON)?.ready !== true);
  if (store.get(cluster, CLUSTER)?.inputs.bootstrapSelfManagedAddons === false && missing.length > 0) {
    throw new Error(`NodeCreationFailure: Instances failed to join the kubernetes cluster: no ${missing.join(", ")}`);
  }
}
