import { isGiven, type Row } from "./rows";

/** All rights, all rights of a service, or the right to take them. */
const FULL =
  /^arn:[\w-]+:iam::aws:policy\/(.*\/)?([\w-]*(FullAccess|Administrator|PowerUser)[\w-]*|SecretsManagerReadWrite)$/i;
const isFull = (arn: unknown) => typeof arn === "string" && FULL.test(arn);

const ATTACHED: readonly (readonly [types: readonly string[], path: string])[] = [
  [
    [
      "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
      "aws:iam/policyAttachment:PolicyAttachment",
      "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
      "aws:iam/userPolicyAttachment:UserPolicyAttachment",
    ],
    "policyArn",
  ],
  [
    [
      "aws:iam/groupPolicyAttachmentsExclusive:GroupPolicyAttachmentsExclusive",
      "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
      "aws:iam/userPolicyAttachmentsExclusive:UserPolicyAttachmentsExclusive",
    ],
    "policyArns[]",
  ],
  [["aws:iam/role:Role"], "managedPolicyArns[]"],
  [["aws:ssoadmin/managedPolicyAttachment:ManagedPolicyAttachment"], "managedPolicyArn"],
];

/** Rights outside IAM documents. */
export const AWS_ADMINISTRATION: readonly Row[] = [
  ...ATTACHED.map(([on, path]) => ({ on, path, isWrong: isFull, allowed: "a policy with the rights that are used" })),
  {
    on: ["aws:eks/accessEntry:AccessEntry"],
    path: "kubernetesGroups[]",
    isWrong: (group) => typeof group === "string" && group.startsWith("system:"),
    allowed: "groups of one's own, which roles are bound to",
  },
  {
    // Whole accounts and nodes: Kubernetes' rights of nodes come with the entry's type.
    on: ["aws:eks/accessPolicyAssociation:AccessPolicyAssociation", "aws:eks/accessEntry:AccessEntry"],
    path: "principalArn",
    isWrong: (arn) => typeof arn === "string" && /[*?]|:root$/.test(arn),
    allowed: "the ARN of a role or a user",
  },
  {
    on: ["aws:iam/accessKey:AccessKey", "aws:iam/userLoginProfile:UserLoginProfile"],
    path: "user",
    isWrong: isGiven,
    allowed: "no lasting credential: a role, which pods get by EKS Pod Identity",
  },
  {
    on: ["aws:lambda/permission:Permission"],
    path: "principal",
    isWrong: (principal) => principal === "*",
    allowed: "a service or a role by name",
  },
];
