/** What nodes and controllers need of their cloud. */
import type { RecordedResource } from "../../../offline/run";
import type { OrderedProgram, OrderRule, Pair } from "./program";

const ROLE = "aws:iam/role:Role";
const ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";
const ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation";
const NODE_GROUP = "aws:eks/nodeGroup:NodeGroup";
const ADDON = "aws:eks/addon:Addon";
const NODE_POOL = "oci:ContainerEngine/nodePool:NodePool";
const OKE_ADDON = "oci:ContainerEngine/addon:Addon";
const SECURITY_RULES = [
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
];
/** Add-ons of EKS without which a node does not become ready, or its pods get no rights. */
const NODE_ADDONS = ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"];

export const CLOUD_RULES: readonly OrderRule[] = [
  {
    rule: "machines with EFA after the rules of its security group: nodes join, and NCCL hangs",
    pairs: (program) =>
      all(
        program.ofType(...SECURITY_RULES).filter(({ inputs }) => inputs.referencedSecurityGroupId !== undefined),
        [...program.ofType(NODE_GROUP), ...objects(program, "NodePool")],
      ),
  },
  {
    rule: "EKS's nodes after their routes, endpoints and add-ons: they would not become ready, and the group fail",
    pairs: (program) =>
      all(
        [
          ...program.ofType(
            "aws:ec2/route:Route",
            "aws:ec2/natGateway:NatGateway",
            "aws:ec2/vpcEndpoint:VpcEndpoint",
            ...SECURITY_RULES,
          ),
          ...program
            .ofType("aws:ec2/routeTableAssociation:RouteTableAssociation")
            .filter(({ name }) => name.includes("-nodes-")),
          ...program.ofType(ADDON).filter(({ inputs }) => NODE_ADDONS.includes(String(inputs.addonName))),
        ],
        program.ofType(NODE_GROUP),
      ),
  },
  {
    rule: "what has a role after the rights of the role: it would be refused, or not become ready",
    pairs: (program) =>
      program.ofType("aws:eks/cluster:Cluster", NODE_GROUP, ADDON).flatMap((user) => rights(program, user)),
  },
  {
    rule: "controllers after the role of their account and its rights: pods keep the credentials that they started with",
    pairs: (program) =>
      program.ofType(ASSOCIATION).flatMap((association) => {
        const { namespace } = association.inputs;
        const charts = objects(program, "Release").filter(({ inputs }) => inputs.namespace === namespace);
        const before = [association, ...rights(program, association).map(([attachment]) => attachment)];
        return all(before, charts);
      }),
  },
  {
    rule: "Karpenter after the queue of interruptions: it stops where it finds none",
    pairs: (program) =>
      all(
        program.ofType(
          "aws:sqs/queue:Queue",
          "aws:sqs/queuePolicy:QueuePolicy",
          "aws:cloudwatch/eventTarget:EventTarget",
        ),
        objects(program, "Release").filter(({ inputs }) => inputs.name === "karpenter"),
      ),
  },
  {
    rule: "Karpenter's nodes after the entry by which they join: they would be refused, and replaced for ever",
    pairs: (program) =>
      all(
        program.ofType("aws:eks/accessEntry:AccessEntry").filter(({ inputs }) => inputs.type === "EC2_LINUX"),
        objects(program, "NodePool"),
      ),
  },
  {
    rule: "OKE's nodes after the rules and routes of their network: they would not register",
    pairs: (program) =>
      all(
        program.ofType(
          "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule",
          "oci:Core/routeTable:RouteTable",
          "oci:Core/natGateway:NatGateway",
          "oci:Core/serviceGateway:ServiceGateway",
        ),
        program.ofType(NODE_POOL),
      ),
  },
  {
    rule: "OKE's control plane after the policies by which it uses keys: its creation would fail",
    pairs: (program) =>
      all(
        program.ofType("oci:Identity/policy:Policy").filter(({ name }) => name.includes("identity")),
        program.ofType("oci:ContainerEngine/cluster:Cluster"),
      ),
  },
  {
    rule: "Kubernetes objects after the platform's nodes, its add-ons and the rights of who deploys: charts would time out",
    pairs: (program) =>
      all(
        [
          ...program.ofType(NODE_GROUP, NODE_POOL).filter(({ name }) => name.endsWith("-system")),
          ...program.ofType(ADDON),
          ...program.ofType(OKE_ADDON).filter(({ inputs }) => inputs.addonName === "CoreDNS"),
          ...program.ofType("aws:eks/accessPolicyAssociation:AccessPolicyAssociation"),
        ],
        program.objects.map(({ resource }) => resource),
      ),
  },
  {
    rule: "what uses the cloud's operators after their add-ons: their namespaces and kinds come with them",
    pairs: (program) =>
      all(
        program.ofType(OKE_ADDON).filter(({ inputs }) => /Operator$/.test(String(inputs.addonName))),
        program.objects
          .filter(({ kind }) => kind.startsWith("Sriov") || kind === "IPPool")
          .map(({ resource }) => resource),
      ),
  },
  {
    rule: "k3s after the checks of its machine: it would be changed before it is known to fit",
    pairs: (program) => {
      const commands = program.ofType("command:remote:Command");
      const checks = commands.filter(({ name }) => name.endsWith("-host-checks"));
      return all(
        checks,
        commands.filter((command) => !checks.includes(command)),
      );
    },
  },
];

/** Attachments of the roles that a resource names. */
function rights(program: OrderedProgram, user: RecordedResource): Pair[] {
  const roles = new Set(program.named(user, ROLE).map(({ urn }) => urn));
  return all(
    program.ofType(ATTACHMENT).filter(({ waitsFor }) => waitsFor.some((urn) => roles.has(urn))),
    [user],
  );
}

function objects(program: OrderedProgram, kind: string): RecordedResource[] {
  return program.ofKind(kind).map(({ resource }) => resource);
}

function all(before: readonly RecordedResource[], after: readonly RecordedResource[]): Pair[] {
  return after.flatMap((later) => before.map((first) => [first, later] as const));
}
