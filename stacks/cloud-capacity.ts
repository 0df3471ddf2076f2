import type { CapacityFindings } from "../components/cluster/capacity-findings";
import { eksCapacityFindings } from "../components/cluster/eks/capacity";
import type { AskEksCapacity } from "../components/cluster/eks/capacity-check";
import { capacityFindings } from "../components/cluster/oke/capacity";
import type { AskCapacity } from "../components/cluster/oke/capacity-check";
import type { CapacityProblem, DeploymentPlan } from "../planner/types";
import type { CoreConfig } from "./config/core/schema";
import { eksPools } from "./eks-pools";
import { eksSettings } from "./eks-settings";
import { okePools } from "./oke-pools";
import { okeSettings } from "./oke-settings";

/** The cloud lacks room for the plan; the message has all reasons. Nothing was created. */
export class CapacityRefusedError extends Error {
  constructor(
    environment: string,
    readonly problems: readonly CapacityProblem[],
  ) {
    const reasons = problems.map(({ subject, message }) => `  ${subject}: ${message}`);
    super(`the cloud has no room for environment "${environment}":\n${reasons.join("\n")}`);
  }
}

/** By cloud. */
export interface CapacityQuestions {
  readonly oci: AskCapacity;
  /** @default none: no cluster is created there */
  readonly aws?: AskEksCapacity | undefined;
}

interface Planned {
  readonly environment: CoreConfig;
  readonly plan: DeploymentPlan;
}

/**
 * Asks the cloud for room for a plan's provisioned nodes.
 *
 * @returns advice.
 * @throws CapacityRefusedError
 */
export async function checkCloudCapacity(planned: Planned, ask: CapacityQuestions): Promise<readonly string[]> {
  const question = questionOf(planned, ask);
  if (question === undefined) {
    return [];
  }
  const answer = await question().catch((error: unknown) => String(error));
  if (typeof answer === "string") {
    return [
      `the cloud did not say what it has room for, whether the nodes can be had shows when they are made: ${answer}`,
    ];
  }
  if (answer.problems.length > 0) {
    throw new CapacityRefusedError(planned.plan.environment, answer.problems);
  }
  return answer.notes;
}

/** Undefined without provisioned nodes. */
function questionOf(
  { environment, plan }: Planned,
  ask: CapacityQuestions,
): (() => Promise<CapacityFindings>) | undefined {
  const { cluster, pools, scope } = environment;
  if (scope === "platform") {
    return undefined;
  }
  if (cluster.kind === "oci") {
    const settings = okeSettings(cluster, plan, environment);
    const made = okePools(pools, plan);
    return settings && (async () => capacityFindings(made, await ask.oci(settings, made)));
  }
  const { aws } = ask;
  const settings = cluster.kind === "aws" ? eksSettings(cluster, plan) : undefined;
  const made = settings ? eksPools(pools, plan, settings.zones) : [];
  return settings && aws && (async () => eksCapacityFindings(made, await aws(made)));
}
