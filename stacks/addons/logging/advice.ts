import { type OptionRules, ruleFor } from "../../../catalog/engine-options";
import { sustainedMiB } from "../../../components/logging/loki-config";
import { engineOptions } from "../../../engines";
import { BYTES_PER_MIB } from "../../../names/units";
import type { ArgumentValue, CapacityProblem, DeploymentPlan } from "../../../planner/types";
import { requestsPerSecond } from "../request-rate";
import type { LoggingConfig } from "./config";

/** Lines per request: gateway, node, and some of engine and model control. */
const LINES = 4;
const LINE_BYTES = 1000;

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
