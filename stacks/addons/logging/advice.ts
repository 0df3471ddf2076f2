import { sustainedMiB } from "../../../components/logging/loki-config";
import { BYTES_PER_MIB } from "../../../names/units";
import type { CapacityProblem, DeploymentPlan } from "../../../planner/types";
import { requestsPerSecond } from "../request-rate";
import type { LoggingConfig } from "./config";

/** Flags that log prompts or answers. */
const WRITES_TEXT = ["enable-log-requests", "enable-log-outputs"];

/** Lines per request: gateway, node, and some of engine and model control. */
const LINES = 4;
const LINE_BYTES = 1000;

/** The platform never logs prompts: a log store makes it a rule. */
export function loggedPrompts({ models }: Pick<DeploymentPlan, "models">): CapacityProblem[] {
  return models.flatMap(({ name, args = {} }) => {
    const flags = WRITES_TEXT.filter((flag) => args[flag] === true || args[flag] === "true");
    return flags.map((flag) => ({
      severity: "mandatory" as const,
      rule: "prompts-in-logs",
      subject: `models.${name}.args`,
      message: `${flag} writes text of requests into the pod's log, and logging keeps that: remove the flag, or the section logging`,
    }));
  });
}

/** Lines that Loki would reject. */
export function logAdvice(settings: LoggingConfig, plan: Pick<DeploymentPlan, "models">): CapacityProblem[] {
  const limit = sustainedMiB(settings);
  const expected = (requestsPerSecond(plan) * LINES * LINE_BYTES) / BYTES_PER_MIB;
  return expected <= limit
    ? []
    : [
        {
          severity: "advisory",
          rule: "logs-fill-their-volume",
          subject: "logging",
          message: `the declared traffic makes about ${expected.toFixed(2)} MiB of log lines a second, and ${settings.storageGiB} GiB hold ${limit.toFixed(2)} for ${settings.retentionDays} days, so Loki refuses the rest: lower retentionDays, or raise storageGiB`,
        },
      ];
}
