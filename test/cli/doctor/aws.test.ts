/** AWS on the machine that makes an EKS cluster: its command line, the account, and who deploys. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { main } from "../../../cli/doctor";
import { type AskAws, awsCredentials, awsOnPath } from "../../../cli/doctor/aws-credentials";
import { pools } from "../../../cli/doctor/checks/pools";
import { doctorSchema } from "../../../cli/doctor/result";
import { toolChecks, type VersionOf } from "../../../cli/doctor/tools";
import { runPiped, useFolder } from "../run";
import { a10, facts, known, needs, node, only } from "./made-up";

const folder = useFolder();
const ADMIN = "arn:aws:iam::222233334444:role/platform";
const eks = { accountId: "222233334444", administrators: [ADMIN], region: "eu-west-1" };
const as =
  (Arn: string, Account = "222233334444"): AskAws =>
  async () => ({ ok: true, text: JSON.stringify({ UserId: "AROA:session", Account, Arn }) });
const SESSION = "arn:aws:sts::222233334444:assumed-role/platform/ann";

describe("whom AWS knows the deploying machine as", () => {
  it("is asked of the cluster's region, once, and is an administrator", async () => {
    const asked: (readonly string[])[] = [];
    const verdict = await awsCredentials(eks, (args) => {
      asked.push(args);
      return as(SESSION)(args);
    });
    expect(verdict).toEqual({ status: "passed", found: SESSION });
    expect(asked).toEqual([["sts", "get-caller-identity", "--region", "eu-west-1", "--output", "json"]]);
  });

  it.each([
    [
      "of another account",
      as(SESSION.replace("2222", "9999"), "999933334444"),
      "failed",
      /of another account than cluster\.eks/,
    ],
    ["a role that the cluster does not let in", as(SESSION.replace("platform", "other")), "failed", /no administrator/],
    ["the account's root", as("arn:aws:iam::222233334444:root"), "failed", /no administrator/],
    ["an answer of another form", (async () => ({ ok: true, text: "<html>" })) as AskAws, "unknown", /no identity/],
    [
      "nobody: credentials that ended",
      (async () => ({ ok: false, isMissing: false, reason: "An error occurred (ExpiredToken)" })) as AskAws,
      "failed",
      /ExpiredToken/,
    ],
  ])("may be %s", async (_, ask, status, found) => {
    const verdict = await awsCredentials(eks, ask);
    expect(verdict).toMatchObject({ status, found: expect.stringMatching(found) });
    expect(verdict.remedies?.length).toBeGreaterThan(0);
  });

  it("is not asked where the account is an example's, and is any account's where none is named", async () => {
    const nobody: AskAws = () => Promise.reject(new Error("asked"));
    expect(await awsCredentials({ ...eks, accountId: "111122223333" }, nobody)).toMatchObject({
      status: "failed",
      found: expect.stringContaining("an example"),
    });
    expect((await awsCredentials({ ...eks, accountId: undefined }, as(SESSION))).status).toBe("passed");
  });

  it("is what the aws of the PATH says, with the profile that the stack names, and its first line where it fails", async () => {
    const bin = join(folder, "bin");
    mkdirSync(bin, { recursive: true });
    const script = (text: string) => {
      writeFileSync(join(bin, "aws"), `#!/bin/sh\n${text}\n`);
      chmodSync(join(bin, "aws"), 0o755);
    };
    const ask = awsOnPath({ env: { PATH: `${bin}:${process.env.PATH}` }, config: { "aws:profile": "work" } });
    script('echo "$AWS_PROFILE $@"');
    expect(await ask(["sts", "x"])).toEqual({ ok: true, text: "work sts x\n" });
    script('printf "\\nUnable to locate credentials\\nmore\\n" >&2; exit 255');
    expect(await ask([])).toEqual({ ok: false, isMissing: false, reason: "Unable to locate credentials" });
    const none = awsOnPath({ env: { PATH: join(folder, "nowhere") }, config: {} });
    expect(await none([])).toMatchObject({ ok: false, isMissing: true });
  });
});

describe("tools of the machine that makes an EKS cluster", () => {
  const created = { ...needs().cluster, kind: "aws" as const, provision: "create" as const, eks } as Parameters<
    typeof toolChecks
  >[0];
  const versions =
    (found: Readonly<Record<string, string>>): VersionOf =>
    async (command) =>
      found[command];

  it.each([
    [{ aws: "aws-cli/2.31.0 Python/3.13" }, "passed"],
    [{ aws: "aws-cli/1.42.0 Python/3.11" }, "warning"],
    [{}, "failed"],
  ])("%o", async (found, status) => {
    const checks = await toolChecks(
      created,
      { env: {}, config: {} },
      versions({ pulumi: "v3.259.0", kubectl: "v1.34", ...(found as Record<string, string>) }),
      as(SESSION),
    );
    expect(checks.map(({ check, title }) => [check, title])).toEqual([
      ["tool", "pulumi"],
      ["tool", "kubectl"],
      ["tool", "aws"],
      ["credentials", "AWS credentials"],
      ["quotas", "Limits and capacity"],
    ]);
    expect(checks.find(({ title }) => title === "aws")?.status).toBe(status);
    expect(checks.find(({ check }) => check === "credentials")?.status).toBe("passed");
  });

  it("are told with the checks that wait for aws-prod's cluster, whose account is an example", async () => {
    // No tool of this machine's.
    vi.stubEnv("PATH", join(folder, "nowhere"));
    const { out } = await runPiped(main, ["aws-prod", "--json"]);
    const { checks } = doctorSchema.parse(JSON.parse(out));
    expect(checks.find(({ check }) => check === "credentials")).toMatchObject({ status: "failed" });
    expect(checks.find(({ title }) => title === "Pool h100")).toMatchObject({
      status: "not asked",
      needed: expect.stringMatching(/^0 amd64 nodes .*; others by Karpenter, while pods ask for them$/),
    });
    expect(checks.find(({ title }) => title === "Pool system")?.needed).toMatch(/^3 amd64 nodes/);
  });
});

it.each([
  [undefined, "failed"],
  [0, "passed"],
  [1, "failed"],
] as const)("a pool without nodes, of which %s is there whatever pods ask for, is %s", (alwaysNodes, status) => {
  const need = { ...a10(), ...(alwaysNodes !== undefined && { alwaysNodes }) };
  expect(only(pools, facts({ nodes: known([node("other")]) }), needs({ pools: [need] })).status).toBe(status);
});
