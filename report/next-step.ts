/** Commands that deploy an environment, as its user types them. */
import { setSecretCommand } from "../names/secret-command";
import { shellWord } from "../names/shell-word";
import type { PlanResult, ReportedViolation } from "./result";

/** Where an environment was read. */
export interface PlannedFile {
  /** File that `--config` names. @default `Pulumi.<environment>.yaml` next to Pulumi.yaml, where Pulumi looks for it */
  readonly config?: string;
  /** Pulumi has written into it by what the stack's secrets are encrypted: the stack exists. */
  readonly hasStack: boolean;
}

/** Without them `pulumi up` does not evaluate policies. */
export const POLICY_PACK = "--policy-pack policies";

/** `pulumi up -s dev --policy-pack policies --config-file x.yaml` */
export function upCommand(environment: string, config: string | undefined): string {
  return `pulumi up -s ${environment} ${POLICY_PACK}${config === undefined ? "" : ` --config-file ${shellWord(config)}`}`;
}

/** `npm run doctor -- dev --config x.yaml` */
export function doctorCommand(environment: string, config: string | undefined): string {
  return `npm run doctor -- ${environment}${config === undefined ? "" : ` --config ${shellWord(config)}`}`;
}

/** Advice that a deployment does not survive: pods never start, or clients get no certificate. */
export const BEFORE: Readonly<Record<string, RegExp>> = {
  "certificate-challenge": /./,
  "example-names": /^gateway\.(hostname|tls)/,
  "model-control-image": /./,
};

/** What must be corrected before the commands of `nextSteps` lead anywhere. */
export function correctFirst({ violations }: Pick<PlanResult, "violations">): ReportedViolation[] {
  return violations.filter(({ policy, resource }) => BEFORE[policy]?.test(resource) === true);
}

/** Every command from a deployable plan to the platform, in order. */
export function nextSteps({
  plan: { environment },
  cluster,
  from,
  violations,
}: Pick<PlanResult, "plan" | "cluster" | "from" | "violations">): string[] {
  const { config, hasStack = false } = from ?? {};
  const needsToken = violations.some(({ policy }) => policy === "gated-models");
  return [
    ...(cluster.provision === "create" ? [] : [doctorCommand(environment, config)]),
    ...(hasStack ? [] : [`pulumi stack init ${environment}   # once`]),
    ...(needsToken ? [setSecretCommand("huggingFaceToken", environment)] : []),
    upCommand(environment, config),
  ];
}
