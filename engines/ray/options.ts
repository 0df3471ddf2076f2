import { type EngineArgument, type EngineOptions, type OptionRules, optionCatalogue } from "../../catalog/engine-options";
import options from "../../catalog/engine-options/ray.json";
import vllmRules from "../../catalog/engine-options/vllm-rules.json";

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

/** An argument by its name without dashes; undefined where the vLLM in the pinned Ray has none. */
export function rayArgument(name: string): EngineArgument | undefined {
  return rayOptions.argumentNamed.get(name);
}

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
    advice: table(rules.advice),
  };
}

/** Of the vLLM in Ray, or nobody's: variables of the image and of the platform. */
function isKnown(option: string, known: ReadonlySet<string>): boolean {
  const isOfEngine = known.has(option) || !/^(VLLM_|[a-z])/.test(option);
  return isOfEngine || (option.endsWith("*") && [...known].some((name) => name.startsWith(option.slice(0, -1))));
}
