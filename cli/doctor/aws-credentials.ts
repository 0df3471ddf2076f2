/**
 * Identity of the deploying machine, from AWS's command line, which finds credentials like Pulumi's
 * provider (variables, profiles, machine role). Credentials are neither read nor shown.
 */

import { execFile } from "node:child_process";
import { z } from "zod";
import { parseJson } from "../../names/json-text";
import type { ClusterConfig } from "../../stacks/config";
import { administratorRefusal } from "../../stacks/deployer";
import { failed, passed, unknown, type Verdict } from "./checks/check";
import type { CredentialSources } from "./oci-credentials";

type EksSection = NonNullable<ClusterConfig<"aws">["eks"]>;

/** Output of `aws`, or the reason for none. */
export type AwsAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly isMissing: boolean };
export type AskAws = (args: readonly string[]) => Promise<AwsAnswer>;

const SECONDS = 30;
/** Account in Amazon's examples. */
const EXAMPLE_ACCOUNT = "111122223333";
const LOG_IN =
  "log in: aws configure, aws sso login, or AWS_PROFILE; pulumi config set aws:profile <profile> for Pulumi too";

/** With the stack's profile. */
export const awsOnPath =
  ({ env, config }: CredentialSources): AskAws =>
  (args) =>
    new Promise((resolve) => {
      const profile = config["aws:profile"];
      const options = {
        env: { ...env, ...(profile !== undefined && { AWS_PROFILE: profile }), AWS_PAGER: "" },
        timeout: SECONDS * 1000,
        killSignal: "SIGKILL" as const,
        maxBuffer: 100_000,
      };
      execFile("aws", [...args], options, (error, stdout, stderr) => {
        if (error === null) {
          resolve({ ok: true, text: stdout });
          return;
        }
        const isMissing = error.code === "ENOENT" || error.code === "EACCES";
        const [line] = stderr.split("\n").filter((each) => each.trim() !== "");
        resolve({ ok: false, isMissing, reason: line ?? `no answer within ${SECONDS} seconds` });
      }).stdin?.end();
    });

const identity = z.object({ Account: z.string(), Arn: z.string() });

/** Whether the deployer is in the environment's account and has access to its cluster. */
export async function awsCredentials(
  { accountId, administrators, region }: Pick<EksSection, "accountId" | "administrators" | "region">,
  ask: AskAws,
): Promise<Verdict> {
  if (accountId === EXAMPLE_ACCOUNT) {
    return failed(
      "cluster.eks.accountId: an example, no account of yours",
      "write your own under inference-stacks:cluster (eks): aws sts get-caller-identity --query Account",
    );
  }
  const answer = await ask(["sts", "get-caller-identity", "--region", region, "--output", "json"]);
  if (!answer.ok) {
    return answer.isMissing ? unknown("aws is not there to be asked") : failed(answer.reason, LOG_IN);
  }
  const found = identity.safeParse(parseJson(answer.text));
  if (!found.success) {
    return unknown("what aws answered is no identity", "aws sts get-caller-identity");
  }
  const { Account: account, Arn: arn } = found.data;
  if (accountId !== undefined && account !== accountId) {
    return failed(
      `${arn}, of another account than cluster.eks.accountId`,
      "take credentials of that account: AWS_PROFILE, or pulumi config set aws:profile <profile>",
      "or correct accountId under inference-stacks:cluster (eks)",
    );
  }
  const refusal = administratorRefusal(arn, administrators);
  return refusal === undefined
    ? passed(arn)
    : failed(`${arn}: no administrator of the cluster, and could make nothing there`, refusal);
}
