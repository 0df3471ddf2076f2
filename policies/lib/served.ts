import { counted } from "../../names/counted";
import { holdsUnknown, isObject, snapshot, UNKNOWN, type Value } from "./field";
import type { PolicyContext, ResourcePolicy, StackPolicy } from "./policy";
import type { ResourceFacts } from "./resource";

/**
 * The engine passes resource policies the inputs of a resource before creation, and stack policies
 * its outputs at the end. Where the provider cannot be configured yet, as for all of Kubernetes
 * before the cluster exists, previews pass `{}` (engine 3.259, `AnalyzeResources` in
 * resource/deploy/step_generator.go, `Create` and `Update` in resource/plugin/provider_plugin.go).
 * So inputs are remembered and judged wherever outputs are unknown. Resources outside `--target`
 * have neither: they are unknown, not missing.
 *
 * @param log receives a line for each undecided policy; the engine reports none.
 */
export function servedPolicies(
  policies: readonly (ResourcePolicy | StackPolicy)[],
  log: (line: string) => void,
): (ResourcePolicy | StackPolicy)[] {
  const inputs = new Map<string, Properties>();
  /** Number of undecided resources, by policy name. */
  const undecided = new Map<string, number>();
  const telling = (context: PolicyContext, note: (reason: string) => void): PolicyContext => ({
    getConfig: (...args) => context.getConfig(...args),
    notApplicable: (reason = "") => {
      note(reason);
      return context.notApplicable(reason);
    },
  });
  const ofResource = (policy: ResourcePolicy): ResourcePolicy => ({
    ...policy,
    validateResource: (args, report) => {
      const props = told(args);
      inputs.set(args.urn, props);
      const note = () => undecided.set(policy.name, (undecided.get(policy.name) ?? 0) + 1);
      policy.validateResource({ ...args, ...telling(args, note), props }, report);
    },
  });
  const ofStack = (policy: StackPolicy): StackPolicy => ({
    ...policy,
    validateStack: (args, report) => {
      for (const [name, count] of undecided) {
        log(`undecided: ${name}, of ${counted(count, "resource")}`);
      }
      undecided.clear();
      const resources = args.resources.map(
        (resource): ResourceFacts => ({
          ...resource,
          props: judged(told(resource), inputs.get(resource.urn) ?? UNKNOWN),
        }),
      );
      const note = (reason: string) => log(`undecided: ${policy.name}, ${reason}`);
      policy.validateStack({ ...telling(args, note), resources }, report);
    },
  });
  return policies.map((policy) => ("validateStack" in policy ? ofStack(policy) : ofResource(policy)));
}

type ObjectValue = { readonly [key: string]: Value };
type Properties = ObjectValue | typeof UNKNOWN;

/** Every existing resource of a provider has properties; components may have none. */
function told({ props, provider }: ResourceFacts): Properties {
  const value = snapshot(props);
  return isObject(value) && (Object.keys(value).length > 0 || provider === undefined) ? value : UNKNOWN;
}

/** Inputs where outputs are unknown; properties that outputs lack are absent. */
function judged(outputs: Properties, inputs: Properties): Properties {
  if (outputs === UNKNOWN) {
    return inputs;
  }
  return inputs === UNKNOWN || !holdsUnknown(outputs) ? outputs : filledObject(outputs, inputs);
}

function filledObject(value: ObjectValue, known: ObjectValue): ObjectValue {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, known[key])]));
}

function filled(value: Value, known: Value): Value {
  if (value === UNKNOWN) {
    return known === undefined ? UNKNOWN : known;
  }
  if (Array.isArray(value) && Array.isArray(known) && value.length === known.length) {
    return value.map((item: Value, index) => filled(item, known[index]));
  }
  return isObject(value) && isObject(known) ? filledObject(value, known) : value;
}
