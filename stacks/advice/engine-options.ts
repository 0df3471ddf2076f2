import { type EngineArgument, type EngineVariable, isOneOf, MODEL_TRAITS, ruleFor } from "../../catalog/engine-options";
import { isRead } from "../../catalog/engine-releases";
import { engineOptions, readFlags } from "../../engines";
import type { ArgumentValue, CapacityProblem, DeploymentPlan, ModelPlan } from "../../planner/types";

/** Notes on users' engine options. All advisory: mistakes are refused before. */
export function engineOptionAdvice({ plan }: { readonly plan: Pick<DeploymentPlan, "models"> }): CapacityProblem[] {
  return plan.models.flatMap((model) => {
    const { arguments: flags, environment, options } = engineOptions(model.engine);
    const advice = [
      ...remarks(switchedOn(model.args, options.arguments), flags.advice),
      ...remarks(switchedOn(model.env, options.environment), environment.advice),
    ];
    return [
      ...advisory("engine-options-memory", model, memoryMessage(uncounted(model))),
      ...advisory("engine-options", model, advice.join("; ")),
      ...advisory("engine-options-version", model, versionMessage(model)),
    ];
  });
}

/** Options that change memory, without those that the figure includes or the model lacks. */
function uncounted(model: ModelPlan): string[] {
  const { engine, args = {}, env = {} } = model;
  const { arguments: flags, environment, options } = engineOptions(engine);
  const { counted } = readFlags(engine, args);
  const rest = switchedOn(args, options.arguments).filter((name) => !counted.includes(name) && concerns(name));
  return [...remarks(rest, flags.memory), ...remarks(Object.keys(env), environment.memory)];

  function concerns(name: string): boolean {
    return MODEL_TRAITS.every((trait) => model[trait] || !isOneOf(flags.concerns?.[trait] ?? [], name));
  }
}

/** Without switches that are off, which have no effect. */
function switchedOn(
  values: Readonly<Record<string, ArgumentValue>> = {},
  known: readonly Pick<EngineArgument | EngineVariable, "name" | "kind">[],
): string[] {
  const isOff = ([name, value]: [string, ArgumentValue]) =>
    [false, 0, "0"].some((off) => off === value) && known.some((each) => each.name === name && each.kind === "switch");
  return Object.entries(values).flatMap((option) => (isOff(option) ? [] : [option[0]]));
}

function memoryMessage(unknown: readonly string[]): string {
  return unknown.length === 0
    ? ""
    : `the memory figure does not know ${unknown.join("; ")}. Leave room for it: lower concurrency or contextTokens, and watch the engine's log at its first start.`;
}

/** Values are checked for the pinned version; names too, where the model's release is unknown. */
function versionMessage({ engine, engineVersion, args = {}, env = {} }: ModelPlan): string {
  const { options, argumentNamed, releases } = engineOptions(engine);
  const given = [...Object.keys(args), ...Object.keys(env)];
  if (engineVersion === options.version || given.length === 0) {
    return "";
  }
  if (releases !== undefined && isRead(releases, engineVersion)) {
    return `names under args and env were checked against ${engine} ${engineVersion}, values against ${options.version}.`;
  }
  const unknown = Object.keys(args).filter((name) => !argumentNamed.has(name));
  const rest = unknown.length === 0 ? "" : ` It does not know ${unknown.join(", ")}: passed on as written.`;
  return `args and env were checked against ${engine} ${options.version}, not against ${engineVersion}.${rest}`;
}

function remarks(names: readonly string[], table: Readonly<Record<string, string>>): string[] {
  return names.flatMap((name) => {
    const remark = ruleFor(table, name);
    return remark === undefined ? [] : [`${name}: ${remark}`];
  });
}

function advisory(rule: string, { name }: ModelPlan, message: string): CapacityProblem[] {
  return message === "" ? [] : [{ severity: "advisory", rule, subject: `models.${name}`, message }];
}
