import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { changedRun } from "../stacks/run";
import { documentsOf, type IamDocument, titleOf } from "./iam/documents";
import { IAM_EXCEPTIONS } from "./iam/exceptions";
import { IAM_LINTERS, type IamLinter, lintIam } from "./iam/linters";
import { type Finding, report } from "./linters/finding";
import { judge } from "./linters/judge";

/** Some seconds on two cores of their own; a process for each document. */
const TIMEOUT_MS = 240_000;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-")));
afterAll(() => rmSync(folder, { recursive: true }));

/** `aws-prod` with all that can ask for rights: capacity that is bought as spot. */
async function documentsOfEverything(): Promise<IamDocument[]> {
  const { config } = parse(readFileSync(join(repositoryRoot(), "Pulumi.aws-prod.yaml"), "utf8"));
  const { l4, ...pools } = config["inference-stacks:pools"];
  const { resources } = await changedRun("aws-prod", {
    pools: { ...pools, l4: { ...l4, capacity: "spot" } },
  });
  return documentsOf(resources);
}

let documents: readonly IamDocument[] = [];
const findings: Finding<IamLinter>[] = [];
beforeAll(async () => {
  documents = await documentsOfEverything();
  for (const linter of IAM_LINTERS) {
    findings.push(...(await lintIam[linter](documents, join(folder, linter))));
  }
}, TIMEOUT_MS);

describe("the IAM documents of an EKS cluster of our own", () => {
  it("are all there", () => {
    expect(documents.map(titleOf).sort()).toMatchSnapshot();
  });

  it.each(IAM_LINTERS)("pass %s, but for the exceptions that have a reason", (linter) => {
    const standing = judge(findings, IAM_EXCEPTIONS).standing.filter((finding) => finding.linter === linter);
    expect(standing.length, report(standing)).toBe(0);
  });

  it("need every exception, and one that is not needed would be noticed", () => {
    expect(judge(findings, IAM_EXCEPTIONS).stale).toEqual([]);
    const other = {
      linter: "cloudsplaining",
      check: "Privilege Escalation",
      objects: /^rights /,
      reason: "none",
    } as const;
    expect(judge(findings, [...IAM_EXCEPTIONS, other]).stale).toEqual([other]);
  });
});

describe("the linters of these tests", () => {
  const spoilt = (statement: object): IamDocument => ({
    kind: "rights",
    name: "spoilt",
    text: JSON.stringify({ Version: "2012-10-17", Statement: [{ Sid: "All", Effect: "Allow", ...statement }] }),
  });

  it.each([
    ["parliament", "UNKNOWN_ACTION", { Action: ["ec2:StartMachines"], Resource: ["*"] }],
    ["parliament", "RESOURCE_STAR", { Action: ["ec2:TerminateInstances"], Resource: ["*"] }],
    [
      "parliament",
      "RESOURCE_MISMATCH sqs:ReceiveMessage",
      { Action: ["sqs:ReceiveMessage"], Resource: ["arn:aws:s3:::b"] },
    ],
    ["cloudsplaining", "Privilege Escalation", { Action: ["iam:PassRole", "ec2:RunInstances"], Resource: ["*"] }],
    ["cloudsplaining", "Data Exfiltration", { Action: ["s3:GetObject"], Resource: ["*"] }],
  ] as const)("%s: %s", async (linter, check, statement) => {
    const found = await lintIam[linter]([spoilt(statement)], mkdtempSync(join(folder, "spoilt-")));
    expect(found.map((finding) => finding.check)).toContain(check);
    expect(judge(found, IAM_EXCEPTIONS).standing).toEqual(found);
  });
});
