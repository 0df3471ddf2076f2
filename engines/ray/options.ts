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
 * What `args` may hold: arguments of the vLLM engine in Ray (`engine_kwargs`), under the names that vLLM's command line has for
 * them. What the platform says of them is what it says of vLLM's, but where Ray takes part.
 */
export const rayOptions = optionCatalogue(options as EngineOptions, {
  arguments: rulesOfRay(vllmRules.arguments, names(options.arguments), {
    "distributed-executor-backend": "Ray runs the processes of a replica, and refuses another",
    "served-model-name": "servedName is its key: Ray takes the name beside the engine's arguments",
  }),
  environment: rulesOfRay(vllmRules.environment, names(options.environment), {
    "VLLM_RAY_*": "Ray gives each process of a replica its place",
    "RAY_*": "the operator and the platform tell Ray's processes where they are",
  }),
});

/**
 * An argument as the engine's constructor takes it, under its own name: no parser of a command line reads it, so that a
 * negation becomes `false`, a number with a unit a number, and JSON text what it says.
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

/** vLLM's rules for the options that the vLLM in Ray has; keys of vLLM's own block are keys of Ray's. */
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
    ...(rules.former && {
      former: Object.fromEntries(
        Object.entries(rules.former).map(([option, text]) => [option, text.replaceAll("vllm", "ray")]),
      ),
    }),
  };
}

/** Of the vLLM in Ray, or nobody's: variables of the image and of the platform. */
function isKnown(option: string, known: ReadonlySet<string>): boolean {
  const isOfEngine = known.has(option) || !/^(VLLM_|[a-z])/.test(option);
  return isOfEngine || (option.endsWith("*") && [...known].some((name) => name.startsWith(option.slice(0, -1))));
}
