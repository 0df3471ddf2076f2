import { Provider } from "@pulumi/aws/provider";
import { describe, expect, it } from "vitest";
import { askAwsDeployer, isAdministrator } from "../../../../components/cluster/eks/deployer";
import { deploy } from "../../../harness/deploy";

const session = (role: string, account = "111122223333") => `arn:aws:sts::${account}:assumed-role/${role}/ann`;
const role = (path: string) => `arn:aws:iam::111122223333:role/${path}`;

describe("who is an administrator", () => {
  it.each([
    ["a session of a role", session("platform"), role("platform"), true],
    [
      "a session of a role whose ARN has a path, of IAM Identity Center",
      session("AWSReservedSSO_A_1"),
      role("aws-reserved/sso.amazonaws.com/eu-west-2/AWSReservedSSO_A_1"),
      true,
    ],
    ["another role's session", session("platform-ci"), role("platform"), false],
    ["a role of that name in another account", session("platform", "999999999999"), role("platform"), false],
    [
      "a session that is named as the role",
      "arn:aws:sts::111122223333:assumed-role/ci/platform",
      role("platform"),
      false,
    ],
    ["a user", "arn:aws:iam::111122223333:user/team/ann", "arn:aws:iam::111122223333:user/team/ann", true],
    ["a user who is called as a role", "arn:aws:iam::111122223333:user/platform", role("platform"), false],
    ["root", "arn:aws:iam::111122223333:root", role("root"), false],
    ["a federated user", "arn:aws:sts::111122223333:federated-user/platform", role("platform"), false],
  ])("%s", (_who, caller, administrator, expected) => {
    expect(isAdministrator(caller, [role("other"), administrator])).toBe(expected);
  });

  it("is asked of the provider", async () => {
    let arn = "";
    await deploy(async () => {
      arn = await askAwsDeployer(new Provider("aws", { region: "eu-west-1" }))();
    });
    expect(arn).toBe("arn:aws:sts::111122223333:assumed-role/platform-engineers/session");
  });
});
