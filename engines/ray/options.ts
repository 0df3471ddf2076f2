import {
  type EngineArgument,
  type EngineOptions,
  type OptionRules,
  optionCatalogue,
} from "../../catalog/engine-options";
import options from "../../catalog/engine-options/ray.json";
import vllmRules from "../../catalog/engine-options/vllm-rules.json";
import { parseJson } from "../../names/json-text";
import { wholeNumber } from "../../names/whole-number";
import type { ArgumentValue } from "../served-model";

/**
 * Allowed `args`: engine arguments of Ray's vLLM (`engine_kwargs`), named as on vLLM's command
 * line. Rules are vLLM's, except for Ray's own parts.
 */
export const rayOptions = optionCatalogue(options as EngineOptions, {
  arguments: rulesOfRay(vllmRules.arguments, names(options.arguments), {
    "distributed-executor-backend": "Ray runs the processes of a replica, and refuses another",
    "served-model-name": "servedName is its key: Ray takes the name next to the engine's arguments",
  }),
  environment: rulesOfRay(vllmRules.environment, names(options.environment), {
    "VLLM_RAY_*": "Ray gives each process of a replica its place",
    "RAY_*": "the operator and the platform set the addresses of Ray's processes",
  }),
});

/**
 * A constructor argument of the engine under its own name. No command line parser reads it:
 * negations become `false`, numbers with units numbers, and JSON text values.
 */
export function rayEngineArgument(given: string, value: ArgumentValue): readonly [name: string, value: unknown] {
  const argument = rayOptions.argumentNamed.get(given) ?? byOtherName.get(given);
  if (argument === undefined) {
    return [given, value];
  }
  if (argument.negation === given && typeof value === "boolean") {
    return [argument.name, !value];
  }
  return [argument.name, typeof value === "string" ? valueIn(argument, value) : value];
}

function valueIn({ kind, suffix }: EngineArgument, text: string): unknown {
  if (kind === "integer" && suffix) {
    return wholeNumber(text) ?? text;
  }
  return kind === "json" ? (parseJson(text) ?? text) : text;
}

const byOtherName: ReadonlyMap<string, EngineArgument> = new Map(
  rayOptions.options.arguments.flatMap((argument) =>
    [argument.negation, ...(argument.aliases ?? [])].flatMap((name) => (name === undefined ? [] : [[name, argument]])),
  ),
);

function names(rows: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ name }) => name));
}

/** vLLM's rules for options of Ray's vLLM; keys of vLLM's block become Ray's. */
function rulesOfRay(
  rules: OptionRules,
  known: ReadonlySet<string>,
  refused: Readonly<Record<string, string>>,
): OptionRules {
  const table = (rows: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(rows)
        .filter(([option]) => !Object.hasOwn(refused, option) && isKnown(option, known))
        .map(([option, text]) => [option, text.replaceAll("vllm.", "ray.")]),
    );
  return {
    settings: table(rules.settings),
    refused: { ...table(rules.refused), ...refused },
    memory: table(rules.memory),
    ...(rules.concerns && { concerns: rules.concerns }),
    texts: table(rules.texts ?? {}),
    advice: table(rules.advice),
    writesText: table(rules.writesText ?? {}),
    ...(rules.former && {
      former: Object.fromEntries(
        Object.entries(rules.former).map(([option, text]) => [option, text.replaceAll("vllm", "ray")]),
      ),
    }),
  };
}

/** Options of Ray's vLLM, or of no engine: variables of the image and the platform. */
function isKnown(option: string, known: ReadonlySet<string>): boolean {
  const isOfEngine = known.has(option) || !/^(VLLM_|[a-z])/.test(option);
  return isOfEngine || (option.endsWith("*") && [...known].some((name) => name.startsWith(option.slice(0, -1))));
}
