import { object, resource } from "../subjects";
import { type Attack, iam } from "./attack";

const RIGHTS = "least-privilege-aws";
const PUBLIC = "no-public-endpoint";
const ACCOUNT = "arn:aws:iam::999999999999:root";
const ACCOUNTS = "known-accounts";
const STRANGER = "arn:aws:iam::999999999999:role/a";
/** By which the stack names its own account. */
const THING = resource("aws:eks/podIdentityAssociation:PodIdentityAssociation", {
  roleArn: "arn:aws:iam::123456789012:role/b",
});
const MANAGED = "arn:aws:iam::aws:policy";
const OIDC = "arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/A";
const may = (Action: unknown, Resource: unknown = "*", Condition?: object) => [
  resource("aws:iam/policy:Policy", { policy: iam({ Action, Resource, Condition }) }),
];
const trusts = (Principal: unknown, Condition?: object, Action = "sts:AssumeRole") => [
  resource("aws:iam/role:Role", { assumeRolePolicy: iam({ Principal, Action, Condition }) }),
];
const byToken = (Condition?: object) => trusts({ Federated: OIDC }, Condition, "sts:AssumeRoleWithWebIdentity");
const sub = (value: string) => ({ StringLike: { "oidc.eks.eu-west-1.amazonaws.com/id/A:sub": value } });
const own = { StringEquals: { "aws:ResourceAccount": "123456789012" } };
const callers = { StringEquals: { "aws:PrincipalTag/team": "a" } };
const anyTag = { StringLike: { "aws:ResourceTag/team": "*" } };
const queue = (Condition: object) => [
  resource("aws:sqs/queuePolicy:QueuePolicy", {
    policy: iam({ Principal: { AWS: "*" }, Action: "sqs:SendMessage", Resource: "*", Condition }),
  }),
];
const key = (statement: Readonly<Record<string, unknown>>) => [
  resource("aws:kms/key:Key", { policy: iam({ Resource: "*", ...statement }) }, { protect: true }),
];
const ingress = (rule: object) => [resource("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", { ...rule })];
const template = (changes: object) => [
  resource("aws:ec2/launchTemplate:LaunchTemplate", { metadataOptions: { httpTokens: "required" }, ...changes }),
];

export const AWS: readonly Attack[] = [
  [
    "a snapshot for another account",
    ACCOUNTS,
    [THING, resource("aws:rds/snapshot:Snapshot", { sharedAccounts: ["999999999999"] })],
  ],
  ["events of everybody", ACCOUNTS, [resource("aws:cloudwatch/eventPermission:EventPermission", { principal: "*" })]],
  ["a whole account as a role", RIGHTS, trusts({ AWS: ACCOUNT })],
  ["a whole account by its number", RIGHTS, trusts({ AWS: "999999999999" })],
  ["every account of the cluster", RIGHTS, byToken()],
  ["every account of a namespace of the cluster", RIGHTS, byToken(sub("system:serviceaccount:a:*"))],
  ["every subject of the cluster", RIGHTS, byToken(sub("*"))],
  ["everybody where a key is there", RIGHTS, trusts("*", { StringEqualsIfExists: { "aws:PrincipalOrgID": "o-1" } })],
  ["roles of any account", RIGHTS, trusts("*", { StringLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/*" } })],
  ["things of any account", RIGHTS, queue({ ArnLike: { "aws:SourceArn": "arn:aws:*:*:*:*" } })],
  [
    "a queue's own document",
    RIGHTS,
    [resource("aws:sqs/queue:Queue", { policy: iam({ Principal: "*", Action: "sqs:SendMessage" }) })],
  ],
  ["versions of policies", RIGHTS, may(["iam:CreatePolicyVersion", "iam:AttachRolePolicy"])],
  ["policies, however it is written", RIGHTS, may("IAM:attach*")],
  ["any role", RIGHTS, may("sts:AssumeRole", "arn:aws:iam::*:role/*")],
  ["all secrets", RIGHTS, may("secretsmanager:GetSecretValue")],
  ["functions of others, in one's own account", RIGHTS, may("lambda:UpdateFunctionCode", "*", own)],
  ["roles of others, for callers with a tag", RIGHTS, may("iam:PutRolePolicy", "*", callers)],
  ["secrets with any tag", RIGHTS, may("secretsmanager:GetSecretValue", "*", anyTag)],
  ["stacks of others", RIGHTS, may("cloudformation:UpdateStack")],
  ["boundaries of users", RIGHTS, may("iam:PutUserPermissionsBoundary")],
  ["denials taken away", RIGHTS, may("iam:DetachRolePolicy")],
  ["databases by their accounts", RIGHTS, may("rds-db:connect")],
  ["images opened to others", RIGHTS, may("ecr:SetRepositoryPolicy")],
  ["all keys", RIGHTS, may("kms:Decrypt", "arn:aws:kms:*:*:key/*")],
  ["every bucket", RIGHTS, may("s3:GetObject", "arn:aws:s3:::*")],
  [
    "everything but some things",
    RIGHTS,
    [resource("aws:iam/policy:Policy", { policy: iam({ Action: "s3:GetObject", NotResource: "arn:aws:s3:::a/*" }) })],
  ],
  ["roles passed by a pattern", RIGHTS, may("iam:Pa*")],
  [
    "all rights on a service",
    RIGHTS,
    [resource("aws:iam/rolePolicyAttachment:RolePolicyAttachment", { policyArn: `${MANAGED}/AmazonEC2FullAccess` })],
  ],
  [
    "an administrator, for roles and groups",
    RIGHTS,
    [resource("aws:iam/policyAttachment:PolicyAttachment", { policyArn: `${MANAGED}/AdministratorAccess` })],
  ],
  [
    "an administrator among all policies",
    RIGHTS,
    [
      resource("aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive", {
        policyArns: [`${MANAGED}/AdministratorAccess`],
      }),
    ],
  ],
  [
    "an administrator by the role itself",
    RIGHTS,
    [resource("aws:iam/role:Role", { managedPolicyArns: [`${MANAGED}/AdministratorAccess`] })],
  ],
  [
    "all actions by the role itself",
    RIGHTS,
    [resource("aws:iam/role:Role", { inlinePolicies: [{ policy: iam({ Action: "*", Resource: "*" }) }] })],
  ],
  [
    "the group of administrators",
    RIGHTS,
    [
      resource("aws:eks/accessEntry:AccessEntry", {
        principalArn: "arn:aws:iam::1:role/a",
        kubernetesGroups: ["system:masters"],
      }),
    ],
  ],
  [
    "an account as an administrator",
    RIGHTS,
    [resource("aws:eks/accessPolicyAssociation:AccessPolicyAssociation", { principalArn: ACCOUNT })],
  ],
  ["a key for another account", RIGHTS, key({ Principal: { AWS: ACCOUNT }, Action: ["kms:Decrypt"] })],
  [
    "a key of two accounts",
    RIGHTS,
    key({ Principal: { AWS: [ACCOUNT, "arn:aws:iam::123456789012:root"] }, Action: "kms:*" }),
  ],
  ["a role for another account's", ACCOUNTS, [THING, ...trusts({ AWS: STRANGER })]],
  [
    "another account by a condition",
    ACCOUNTS,
    [THING, ...trusts("*", { StringEquals: { "aws:PrincipalAccount": "999999999999" } })],
  ],
  ["a grant for another account", ACCOUNTS, [THING, resource("aws:kms/grant:Grant", { granteePrincipal: STRANGER })]],
  [
    "another account in the cluster",
    ACCOUNTS,
    [THING, resource("aws:eks/accessEntry:AccessEntry", { principalArn: STRANGER })],
  ],
  [
    "a snapshot for another account",
    ACCOUNTS,
    [
      THING,
      resource("aws:ec2/snapshotCreateVolumePermission:SnapshotCreateVolumePermission", { accountId: "999999999999" }),
    ],
  ],
  [
    "a share for anybody",
    ACCOUNTS,
    [resource("aws:ram/resourceShare:ResourceShare", { allowExternalPrincipals: true })],
  ],
  [
    "version 1 and two hops",
    "node-metadata-service",
    template({ metadataOptions: { httpTokens: "optional", httpPutResponseHopLimit: 2 } }),
  ],
  [
    "two hops by Karpenter",
    "node-metadata-service",
    [object("karpenter.k8s.aws/v1", "EC2NodeClass", { spec: { metadataOptions: { httpPutResponseHopLimit: 2 } } })],
  ],
  [
    "public addresses by Karpenter",
    PUBLIC,
    [object("karpenter.k8s.aws/v1", "EC2NodeClass", { spec: { associatePublicIPAddress: true } })],
  ],
  ["a machine with a public address", PUBLIC, template({ networkInterfaces: [{ associatePublicIpAddress: "true" }] })],
  ["an address for a machine", PUBLIC, [resource("aws:ec2/eip:Eip", { instance: "i-1" })]],
  ["a subnet of public addresses", PUBLIC, [resource("aws:ec2/subnet:Subnet", { mapPublicIpOnLaunch: true })]],
  ["nodes by SSH", PUBLIC, [resource("aws:eks/nodeGroup:NodeGroup", { remoteAccess: { ec2SshKey: "a" } })]],
  ["a cluster for everybody", PUBLIC, [resource("aws:eks/cluster:Cluster", { vpcConfig: {} })]],
  ["ports that AWS ignores", PUBLIC, ingress({ cidrIpv4: "0.0.0.0/0", ipProtocol: "-1", fromPort: 443, toPort: 443 })],
  [
    "SSH by IPv6",
    PUBLIC,
    [
      resource("aws:ec2/securityGroupRule:SecurityGroupRule", {
        type: "ingress",
        protocol: "tcp",
        fromPort: 22,
        toPort: 22,
        ipv6CidrBlocks: ["::/0"],
      }),
    ],
  ],
  ...["defaultSecurityGroup:DefaultSecurityGroup", "securityGroup:SecurityGroup"].map(
    (type) =>
      [
        `all ports by ${type}`,
        PUBLIC,
        [
          resource(`aws:ec2/${type}`, {
            ingress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
          }),
        ],
      ] as const,
  ),
  ["a load balancer", PUBLIC, [resource("aws:lb/loadBalancer:LoadBalancer", { internal: false })]],
  ["an older bucket's access", PUBLIC, [resource("aws:s3/bucketAclV2:BucketAclV2", { acl: "public-read" })]],
  ["an older bucket", PUBLIC, [resource("aws:s3/bucketV2:BucketV2", { bucket: "a" })]],
];
