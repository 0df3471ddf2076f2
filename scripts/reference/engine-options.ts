import { type OptionRules, ruleFor } from "../../catalog/engine-options";
import { type EngineName, engineNames, engineOf, engineOptions } from "../../engines";
import { markdownTable } from "../../stacks/config/markdown-table";
import { code, page } from "./page";

/** Engines whose options are known. */
export const enginesWithOptions = engineNames.filter((name) => engineOptions(name).options.arguments.length > 0);

/** An engine's flags and variables, and what the platform does with each. */
export function enginePage(engine: EngineName): string {
  const { options, arguments: flagRules, environment } = engineOptions(engine);
  const label = engineOf(engine).label;
  const flags = options.arguments.map(({ name, kind, choices = [] }) => [
    code(name),
    choices.length > 0 ? choices.map(code).join(", ") : kind,
    verdict(flagRules, name),
  ]);
  const variables = options.environment.map(({ name, kind, choices = [] }) => [
    code(name),
    choices.length > 0 ? choices.map(code).join(", ") : kind,
    verdict(environment, name),
  ]);
  return page(
    `Options of ${label}`,
    `catalog/engine-options/${engine}.json`,
    `Flags and variables of ${label} ${options.version}, for \`models.<name>.args\` and \`env\`: which you may set, which a key of the configuration sets, and which are refused and why. How to write them: [engine options](../engine-options.md).`,
    ...(flags.length > 0 ? ["## Flags", markdownTable(["Flag", "Values", "Platform"], flags)] : []),
    ...(variables.length > 0 ? ["## Variables", markdownTable(["Variable", "Values", "Platform"], variables)] : []),
  );
}

function verdict(rules: OptionRules, name: string): string {
  const setting = ruleFor(rules.settings, name);
  const refused = ruleFor(rules.refused, name);
  if (setting !== undefined) {
    return `set by ${/^[\w.<>[\]]+$/.test(setting) ? code(setting) : setting}`;
  }
  if (refused !== undefined) {
    return `refused: ${refused}`;
  }
  const memory = ruleFor(rules.memory, name);
  const advice = ruleFor(rules.advice, name);
  return [memory && `memory: ${memory}`, advice].filter(Boolean).join("; ");
}
