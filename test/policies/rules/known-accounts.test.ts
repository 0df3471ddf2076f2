import { expect, test } from "vitest";
import { knownAccounts } from "../../../policies/rules/known-accounts";
import { iam } from "../attacks/attack";
import { policyCases, resource, UNKNOWN } from "../cases";

const role = (principal: unknown, name = "role") =>
  resource(
    "aws:iam/role:Role",
    { assumeRolePolicy: iam({ Principal: principal, Action: "sts:AssumeRole" }) },
    { name },
  );
const thing = resource("aws:eks/podIdentityAssociation:PodIdentityAssociation", {
  roleArn: "arn:aws:iam::123456789012:role/a",
});
const key = (account: string) =>
  resource("aws:kms/key:Key", {
    policy: iam({ Principal: { AWS: `arn:aws:iam::${account}:root` }, Action: "kms:*", Resource: "*" }),
  });
const own = { AWS: "arn:aws:iam::123456789012:role/ci" };
const other = { AWS: "arn:aws:iam::999999999999:role/ci" };
const named = ["is of the account 999999999999"];

policyCases(knownAccounts, [
  ...(
    [
      ["cloudwatch/eventPermission:EventPermission", { principal: "999999999999" }],
      ["rds/snapshot:Snapshot", { sharedAccounts: ["999999999999"] }],
      [
        "ecr/replicationConfiguration:ReplicationConfiguration",
        { replicationConfiguration: { rules: [{ destinations: [{ registryId: "999999999999" }] }] } },
      ],
      ["s3/bucketReplicationConfig:BucketReplicationConfig", { rules: [{ destination: { account: "999999999999" } }] }],
      [
        "cloudwatch/logDestinationPolicy:LogDestinationPolicy",
        { accessPolicy: iam({ Principal: { AWS: "999999999999" }, Action: "logs:PutSubscriptionFilter" }) },
      ],
    ] as const
  ).map(([type, inputs]): [string, ReturnType<typeof role>[], string[]] => [
    type,
    [thing, resource(`aws:${type}`, inputs)],
    named,
  ]),
  [
    "a snapshot for everybody",
    [resource("aws:rds/snapshot:Snapshot", { sharedAccounts: ["all"] })],
    ['sharedAccounts[0] is "all"'],
  ],
  [
    "events of everybody",
    [resource("aws:cloudwatch/eventPermission:EventPermission", { principal: "*" })],
    ['principal is "*"'],
  ],
  [
    "a service for everybody",
    [resource("aws:ec2/vpcEndpointService:VpcEndpointService", { allowedPrincipals: ["*"] })],
    ['allowedPrincipals[0] is "*"'],
  ],
  [
    "a user of no account",
    [
      resource("aws:s3/bucketPolicy:BucketPolicy", {
        policy: iam({ Principal: { CanonicalUser: "79a59df9" }, Action: "s3:GetObject" }),
      }),
    ],
    ["Principal.CanonicalUser is"],
  ],
  ["a role of the stack's account", [thing, role(own)], "pass"],
  ["a service of AWS", [thing, role({ Service: "ec2.amazonaws.com" })], "pass"],
  ["a role of another account", [thing, role(other)], named],
  ["another account, by its number", [thing, role({ AWS: "999999999999" })], named],
  ["a key's owner as the stack's account", [key("123456789012"), role(own)], "pass"],
  ["another account than the key's owner", [key("123456789012"), role(other)], named],
  ["another owner than the things' account", [thing, key("999999999999")], named],
  [
    "a share outside of the organization",
    [resource("aws:ram/resourceShare:ResourceShare", { allowExternalPrincipals: true })],
    ["allowExternalPrincipals is true"],
  ],
  ["one account that nothing else names", [role(other)], "pass"],
  ["two accounts, of which nothing is the stack's", [role(own), role(other, "b")], "unknown"],
  ["a role that is unknown", [thing, role({ AWS: UNKNOWN })], "pass"],
  ["a document that is unknown", [thing, resource("aws:iam/role:Role", { assumeRolePolicy: UNKNOWN })], "unknown"],
]);

test("an account that is listed as trusted is known", () => {
  const messages: string[] = [];
  const context = {
    getConfig: <T extends object>() => ({ trustedAccounts: ["999999999999"] }) as unknown as T,
    notApplicable: (reason: string) => {
      throw new Error(reason);
    },
  };
  const resources = [thing, role(other)].map(({ inputs, options, ...each }) => ({
    ...each,
    props: inputs,
    opts: options,
  }));
  knownAccounts.validateStack({ ...context, resources }, (message) => messages.push(message));
  expect(messages).toEqual([]);
});
