import { describe, expect, it } from "vitest";
import { EksKeys } from "../../../../components/cluster/eks/keys";
import type { EksSettings } from "../../../../components/cluster/eks/settings";
import { deploy, resolved } from "../../../harness/deploy";
import { settings } from "./fixture";

const KEY = "aws:kms/key:Key";
const ALIAS = "aws:kms/alias:Alias";
const ROLES = "arn:aws:iam::111122223333:role/aws-service-role";

async function keysOf(changes: Partial<EksSettings> = {}, preview = false) {
  let keys: EksKeys | undefined;
  const deployment = await deploy(
    () => {
      keys = new EksKeys("keys", { settings: settings(changes) });
    },
    { preview },
  );
  return { deployment, keys: keys as unknown as EksKeys };
}

interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Principal: { readonly AWS: readonly string[] };
  readonly Action: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const statements = (policy: unknown) => (JSON.parse(String(policy)) as { Statement: Statement[] }).Statement;

const BY_IAM = {
  Sid: "AccountDecidesByIam",
  Effect: "Allow",
  Principal: { AWS: ["arn:aws:iam::111122223333:root"] },
  Action: ["kms:*"],
  Resource: ["*"],
};

describe("EksKeys", () => {
  it("makes a key for each purpose that renews itself, and keeps it when all else is destroyed", async () => {
    const { deployment, keys } = await keysOf();
    for (const [of, description] of [
      ["secrets", "Secrets of the cluster test"],
      ["volumes", "Disks, volumes and models of the cluster test"],
    ]) {
      const { inputs, options } = deployment.resource(KEY, `keys-${of}`);
      expect(inputs).toEqual({
        description,
        policy: expect.any(String),
        enableKeyRotation: true,
        deletionWindowInDays: 30,
        tags: { Name: `test-${of}` },
      });
      expect(options).toMatchObject({ protect: true, retainOnDelete: true });
      const alias = deployment.resource(ALIAS, `keys-${of}-alias`);
      expect(alias.inputs).toEqual({ name: `alias/test-${of}`, targetKeyId: `offline-keys-${of}` });
      // The next stack of this name could not have it otherwise.
      expect(alias.options.retainOnDelete).toBe(false);
    }
    expect(await resolved(keys.secretsKeyArn)).toBe("arn:aws:kms:us-east-1:111122223333:key/offline-keys-secrets");
    expect(await resolved(keys.volumesKeyArn)).toBe("arn:aws:kms:us-east-1:111122223333:key/offline-keys-volumes");
  });

  it("leaves the key of secrets to the account's IAM, and lets nobody else in", async () => {
    const { deployment } = await keysOf();
    expect(statements(deployment.resource(KEY, "keys-secrets").inputs.policy)).toEqual([BY_IAM]);
  });

  it("lets Amazon's roles that start machines use the key of disks, and hand it to disks alone", async () => {
    const { deployment } = await keysOf();
    const [byIam, use, attach, ...rest] = statements(deployment.resource(KEY, "keys-volumes").inputs.policy);
    const callers = {
      StringEquals: { "kms:CallerAccount": "111122223333" },
      ArnEquals: {
        "aws:PrincipalArn": [
          `${ROLES}/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`,
          `${ROLES}/spot.amazonaws.com/AWSServiceRoleForEC2Spot`,
        ],
      },
    };
    expect(byIam).toEqual(BY_IAM);
    expect(use?.Condition).toEqual(callers);
    expect(use?.Action).not.toContain("kms:CreateGrant");
    expect(attach).toMatchObject({
      Action: ["kms:CreateGrant"],
      Condition: { ...callers, Bool: { "kms:GrantIsForAWSResource": "true" } },
    });
    expect(rest).toEqual([]);
  });

  it("names no principal that an empty account lacks: KMS would refuse the key", async () => {
    const { deployment } = await keysOf();
    const principals = deployment
      .ofType(KEY)
      .flatMap(({ inputs }) => statements(inputs.policy).flatMap(({ Principal }) => Principal.AWS));
    expect([...new Set(principals)].sort()).toEqual(["*", "arn:aws:iam::111122223333:root"]);
  });

  it("lets everybody in nowhere without saying which role of which account", async () => {
    const { deployment } = await keysOf();
    const wide = deployment
      .ofType(KEY)
      .flatMap(({ inputs }) => statements(inputs.policy).filter(({ Principal }) => Principal.AWS.includes("*")));
    expect(wide).toHaveLength(2);
    for (const { Condition = {} } of wide) {
      expect(Condition.StringEquals).toHaveProperty(["kms:CallerAccount"], "111122223333");
      expect(Condition.ArnEquals).toHaveProperty(["aws:PrincipalArn"]);
    }
  });

  it("takes a key of the environment's, and makes none", async () => {
    const encryptionKeyArn = "arn:aws:kms:us-east-1:111122223333:key/1234abcd";
    const { deployment, keys } = await keysOf({ encryptionKeyArn });
    expect([...deployment.ofType(KEY), ...deployment.ofType(ALIAS)]).toEqual([]);
    expect(await resolved(keys.secretsKeyArn)).toBe(encryptionKeyArn);
    expect(await resolved(keys.volumesKeyArn)).toBe(encryptionKeyArn);
  });

  it("plans the same before anything exists", async () => {
    expect((await keysOf({}, true)).deployment.tree()).toBe((await keysOf()).deployment.tree());
  });
});
