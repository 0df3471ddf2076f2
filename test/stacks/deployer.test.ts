import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { awsCalls, OFFLINE_AWS } from "../../offline/aws-answers";
import { parseEnvironmentFile } from "../../stacks/config";
import type { CoreConfig } from "../../stacks/config/core/schema";
import { checkDeployer, DeployerRefusedError } from "../../stacks/deployer";
import { isUserMistake } from "../../stacks/program";

const ACCOUNT = "111122223333";
const ENGINEER = `arn:aws:sts::${ACCOUNT}:assumed-role/platform-engineers/ann`;

function environment(changes: Partial<CoreConfig> = {}): CoreConfig {
  const file = parseEnvironmentFile(readFileSync(join(repositoryRoot(), "Pulumi.aws-prod.yaml"), "utf8"));
  if (!file.ok) {
    throw new Error("aws-prod is not valid");
  }
  return { ...file.environment, ...changes };
}

const check = (arn: string, changes: Partial<CoreConfig> = {}) =>
  checkDeployer({ environment: environment(changes) }, async () => arn);

describe("checkDeployer", () => {
  it("lets an administrator's session deploy, and whom offline runs play", async () => {
    expect(await check(ENGINEER)).toEqual([]);
    const { arn } = awsCalls(OFFLINE_AWS)["aws:index/getCallerIdentity:getCallerIdentity"]?.({}) ?? {};
    expect(await check(String(arn))).toEqual([]);
  });

  it("refuses others before anything is made, and says what to add", async () => {
    const error = await check(`arn:aws:sts::${ACCOUNT}:assumed-role/ci/run-7`).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeployerRefusedError);
    expect(isUserMistake(error)).toBe(true);
    expect(String(error)).toContain("assumed-role/ci/run-7 deploys, and is no administrator");
    expect(String(error)).toContain("cluster.eks.administrators: arn:aws:iam::111122223333:role/platform-engineers");
    expect(String(error)).toContain("aws iam get-role --role-name ci --query Role.Arn");
  });

  it("tells a user's own ARN to add, and root that it is nobody", async () => {
    await expect(check(`arn:aws:iam::${ACCOUNT}:user/team/ann`)).rejects.toThrow(
      `add arn:aws:iam::${ACCOUNT}:user/team/ann, or deploy`,
    );
    await expect(check(`arn:aws:iam::${ACCOUNT}:root`)).rejects.toThrow("deploy as a role or a user");
  });

  it("asks nobody where nothing of ours is made in a cluster of ours", async () => {
    const stranger = `arn:aws:sts::${ACCOUNT}:assumed-role/ci/run-7`;
    expect(await check(stranger, { scope: "cluster" })).toEqual([]);
    expect(await check(stranger, { cluster: { ...environment().cluster, provision: "existing" } as never })).toEqual(
      [],
    );
  });

  it("warns where the cloud does not answer", async () => {
    const silent = checkDeployer({ environment: environment() }, async () => {
      throw new Error("no credentials");
    });
    expect(await silent).toEqual([expect.stringMatching(/did not say who deploys.*no credentials/)]);
  });
});
