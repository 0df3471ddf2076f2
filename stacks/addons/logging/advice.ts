import { type OptionRules, ruleFor } from "../../../catalog/engine-options";
import { sustainedMiB } from "../../../components/logging/loki-config";
import { engineOptions } from "../../../engines";
import { BYTES_PER_GIB } from "../../../names/units";
import type { ArgumentValue, CapacityProblem, DeploymentPlan } from "../../../planner/types";
import { requestsPerSecond } from "../request-rate";
import type { LoggingConfig } from "./config";

/** Lines per request: gateway, node, and some of engine and model control. */
const LINES = 4;
const LINE_BYTES = 1000;

const MIB_PER_GIB = 1024;

/** The platform never logs prompts: a log store makes it a rule. */
export function loggedPrompts({ models }: Pick<DeploymentPlan, "models">): CapacityProblem[] {
  return models.flatMap(({ name, engine, args, env }) => {
    const { arguments: flags, environment } = engineOptions(engine);
    const given = { args: writing(args, flags), env: writing(env, environment) };
    return Object.entries(given).flatMap(([key, options]) =>
      options.map((option) => ({
        severity: "mandatory" as const,
        rule: "prompts-in-logs",
        subject: `models.${name}.${key}`,
        message: `${option} writes text of requests into the pod's log, and logging keeps that: remove it, or the section logging`,
      })),
    );
  });
}

/** Options with a value that writes prompts or answers. */
function writing(values: Readonly<Record<string, ArgumentValue>> = {}, { writesText = {} }: OptionRules): string[] {
  return Object.entries(values).flatMap(([option, value]) => {
    const pattern = ruleFor(writesText, option);
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    return pattern !== undefined && new RegExp(`^(?:${pattern})$`, "is").test(text.trim())
      ? [`${option}: ${text}`]
      : [];
  });
}

/** Lines that Loki would reject. */
export function logAdvice(settings: LoggingConfig, plan: Pick<DeploymentPlan, "models">): CapacityProblem[] {
  const { retentionDays, storageGiB } = settings;
  const seconds = retentionDays * 86_400;
  const expected = (requestsPerSecond(plan) * LINES * LINE_BYTES * seconds) / BYTES_PER_GIB;
  const limit = (sustainedMiB(settings) * seconds) / MIB_PER_GIB;
  return expected <= limit
    ? []
    : [
        {
          severity: "advisory",
          rule: "logs-fill-their-volume",
          subject: "logging",
          message: `the declared traffic makes about ${Math.ceil(expected)} GiB of log lines in ${retentionDays} days, and ${storageGiB} GiB hold ${Math.floor(limit)} of them, so Loki refuses the rest: lower retentionDays, or write storageGiB: ${Math.ceil((storageGiB * expected) / limit)} or more`,
        },
      ];
}
