import { leastPrivilegeAws } from "../../../policies/rules/least-privilege-aws";
import { policyCases, resource, UNKNOWN } from "../cases";

const ROLE = "arn:aws:iam::111122223333:role/nodes";
const ROOT = "arn:aws:iam::111122223333:root";
const EXTERNAL_ID = { StringEquals: { "sts:ExternalId": "a" } };
const text = (...statements: object[]) => JSON.stringify({ Version: "2012-10-17", Statement: statements });
const allows = (statement: object) => ({ Effect: "Allow", Action: ["s3:GetObject"], ...statement });
const rights = (statement: object) => [
  resource("aws:iam/policy:Policy", { policy: text(allows({ Resource: ["arn:aws:s3:::models/*"], ...statement })) }),
];
const trust = (statement: object) => [
  resource("aws:iam/role:Role", { assumeRolePolicy: text(allows({ Action: "sts:AssumeRole", ...statement })) }),
];
const key = (statement: object) => [
  resource("aws:kms/key:Key", { policy: text(allows({ Action: ["kms:Decrypt"], Resource: ["*"], ...statement })) }),
];
const passes = (statement: object) =>
  rights({
    Action: ["iam:PassRole"],
    Resource: [ROLE],
    Condition: { StringEquals: { "iam:PassedToService": "ec2.amazonaws.com" } },
    ...statement,
  });

const on = (Action: string, ...patterns: string[]) => patterns.map((Resource) => [Action, Resource] as const);
/** Patterns of resources of any name, within the last segment of an ARN and across segments. */
const ANY_NAME = [
  ...on(
    "iam:PutRolePolicy",
    ...["arn:aws:iam::123456789012:r*", "arn:aws:iam::123456789012:role/*", "arn:aws:iam::123456789012:*/?*"],
    ...["arn:aws:iam::*", "arn:aws:*:*:*", "arn:aws:i*", "arn:*", "*:role/*", "**", "?*", "*"],
  ),
  ...on("iam:CreateUser", "arn:aws:iam::123456789012:us?r/*", "arn:aws-cn:iam::1234*:*"),
  ...on(
    "secretsmanager:GetSecretValue",
    "arn:aws:secretsmanager:eu-*:123456789012:s*",
    "arn:aws:secretsmanager:*secret:*",
  ),
  ...on("kms:Decrypt", "arn:aws:kms:eu-west-1:123456789012:k*", "arn:aws:kms:*"),
  ...on("s3:GetObject", "arn:aws:s3:::*/*", "arn:aws:s3*"),
  ...on("sns:AddPermission", "arn:aws:sns:eu-west-1:123456789012:*"),
  ...on("finspace-api:GetProgrammaticAccessCredentials", "*"),
];
/** Patterns whose names begin, end or lie in something of one's own. */
const OWN_NAMES = [
  ...on("iam:PutRolePolicy", "arn:aws:iam::123456789012:role/inference-*", "arn:aws:iam::*:role/*-nodes", ROLE),
  ...on("secretsmanager:GetSecretValue", "arn:aws:secretsmanager:*:*:secret:inference/*"),
  ...on("s3:GetObject", "arn:aws:s3:::models/*", "arn:aws:s3:::*-models", "arn:aws:s3:::*/models/*"),
  ...on("ecs:ExecuteCommand", "arn:aws:ecs:eu-west-1:123456789012:task/inference/*"),
];

policyCases(leastPrivilegeAws, [
  ...ANY_NAME.map(
    ([Action, Resource]) =>
      [`${Action} on ${Resource}`, rights({ Action, Resource }), [`is "${Action}" on every resource`]] as const,
  ),
  ...OWN_NAMES.map(([Action, Resource]) => [`${Action} on ${Resource}`, rights({ Action, Resource }), "pass"] as const),
  ["named actions on a named thing", rights({}), "pass"],
  ["reading whatever EC2 describes", rights({ Action: "ec2:Describe*", Resource: "*" }), "pass"],
  ["a document as an object", [resource("aws:iam/policy:Policy", { policy: { Statement: allows({}) } })], "pass"],
  ["all actions", rights({ Action: ["*"] }), ["actions by name"]],
  ["all actions, in other words", rights({ Action: "*:*" }), ["actions by name"]],
  ["all actions of a service", rights({ Action: ["s3:*"] }), ["Statement[0].Action[0]"]],
  ["all actions but some", rights({ Action: undefined, NotAction: ["iam:*"] }), ["what is allowed, by name"]],
  ["denying everything", rights({ Effect: "Deny", Action: "*", Resource: "*" }), "pass"],
  [
    "an inline policy of a role",
    [resource("aws:iam/rolePolicy:RolePolicy", { policy: text(allows({ Action: "*" })) })],
    ["actions by name"],
  ],

  ["a role passed to EC2", passes({}), "pass"],
  ["any role passed to EC2", passes({ Resource: ["arn:aws:iam::111122223333:role/*"] }), ["the ARN of a role"]],
  ["a role passed to whoever", passes({ Condition: undefined }), ["the service that the role is for"]],
  ["any role passed to whoever", passes({ Resource: "*", Condition: {} }), ["the ARN of a role", "the service that"]],

  ["a service that works as a role", trust({ Principal: { Service: "ec2.amazonaws.com" } }), "pass"],
  ["everybody as a role", trust({ Principal: "*" }), ["a principal by name"]],
  ["everybody of AWS as a role", trust({ Principal: { AWS: ["*"] } }), ["a principal by name"]],
  [
    "everybody with an external ID as a role",
    trust({ Principal: "*", Condition: EXTERNAL_ID }),
    ["a principal by name"],
  ],
  [
    "everybody of an organization with an external ID as a role",
    trust({
      Principal: "*",
      Condition: { StringEquals: { ...EXTERNAL_ID.StringEquals, "aws:PrincipalOrgID": "o-1" } },
    }),
    "pass",
  ],
  [
    "another account with an external ID as a role",
    trust({ Principal: { AWS: ROOT }, Condition: EXTERNAL_ID }),
    "pass",
  ],
  ["another account as a role", trust({ Principal: { AWS: ROOT } }), ["a role by its ARN"]],
  ["everybody but one as a role", trust({ NotPrincipal: { AWS: ROOT } }), ["what is allowed, by name"]],

  ["a key whose account decides by IAM", key({ Principal: { AWS: ROOT }, Action: "kms:*" }), "pass"],
  ["a key that is everybody's", key({ Principal: { AWS: "*" } }), ["a principal by name"]],
  ["a key with all actions for a role", key({ Principal: { AWS: ROLE }, Action: "kms:*" }), ["actions by name"]],
  [
    "a key for roles that a condition names",
    key({ Principal: { AWS: "*" }, Condition: { ArnEquals: { "aws:PrincipalArn": [ROLE] } } }),
    "pass",
  ],
  [
    "a key for roles of any name",
    key({ Principal: { AWS: "*" }, Condition: { ArnLike: { "aws:PrincipalArn": ["*"] } } }),
    ["a principal by name"],
  ],
  [
    "a key for all roles but one",
    key({ Principal: { AWS: "*" }, Condition: { ArnNotEquals: { "aws:PrincipalArn": [ROLE] } } }),
    ["a principal by name"],
  ],
  [
    "a bucket that denies everybody what is not encrypted",
    [
      resource("aws:s3/bucketPolicy:BucketPolicy", {
        policy: text({ Effect: "Deny", Principal: "*", Action: "s3:*", Resource: "*" }),
      }),
    ],
    "pass",
  ],
  [
    "a queue that everybody sends to",
    [
      resource("aws:sqs/queuePolicy:QueuePolicy", {
        policy: text(allows({ Principal: "*", Action: "sqs:SendMessage" })),
      }),
    ],
    ["a principal by name"],
  ],

  [
    "rights of an administrator",
    [
      resource("aws:iam/rolePolicyAttachment:RolePolicyAttachment", {
        policyArn: "arn:aws:iam::aws:policy/AdministratorAccess",
      }),
    ],
    ["a policy with the rights that are used"],
  ],
  [
    "rights of a node",
    [
      resource("aws:iam/rolePolicyAttachment:RolePolicyAttachment", {
        policyArn: "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy",
      }),
    ],
    "pass",
  ],
  ["a key with KMS's own policy", [resource("aws:kms/key:Key", {})], "pass"],
  ["a text that is no document", [resource("aws:iam/policy:Policy", { policy: "{" })], ["is no JSON"]],
  ["a document that nobody knows yet", [resource("aws:iam/policy:Policy", { policy: UNKNOWN })], "unknown"],
  [
    "a policy that nobody knows yet",
    [resource("aws:iam/rolePolicyAttachment:RolePolicyAttachment", { policyArn: UNKNOWN })],
    "unknown",
  ],
]);
