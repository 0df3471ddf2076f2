import { policies as allPolicies } from "./all";
import type { PolicyContext, ResourcePolicy, StackPolicy } from "./lib/policy";
import type { ResourceFacts } from "./lib/resource";

/** As `runOffline` records it. */
export interface RecordedInputs {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly custom: boolean;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly secretInputs: readonly string[];
  /** URNs that an input was computed from, by input. @default unknown */
  readonly origins?: Readonly<Record<string, readonly string[]>>;
  readonly options: { readonly protect: boolean };
}

export interface EvaluationOptions {
  readonly project: string;
  readonly stack: string;
  /** Overrides the stage of the published plan. */
  readonly stage?: "production" | "development";
  /** Names in the plan that only look like random keys. @default none */
  readonly publicNames?: readonly string[];
  /** @default every policy of the pack */
  readonly policies?: readonly (ResourcePolicy | StackPolicy)[];
}

export interface Violation {
  readonly policy: string;
  readonly severity: "mandatory" | "advisory";
  readonly resource: string;
  readonly message: string;
}

/** Needs a value known only after deployment. */
export interface Undecided {
  readonly policy: string;
  /** URN of a resource or the stack. */
  readonly resource: string;
  readonly reason: string;
}

export interface Evaluation {
  readonly violations: readonly Violation[];
  readonly undecided: readonly Undecided[];
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
}

/**
 * Judges an offline run with the engine's policies, so that `plan` and `pulumi up --policy-pack
 * policies` agree.
 */
export function evaluatePolicies(resources: readonly RecordedInputs[], options: EvaluationOptions): Evaluation {
  const policies = options.policies ?? allPolicies;
  const judged = resources.filter(({ custom, type }) => custom || type.startsWith("kubernetes:")).map(toFacts);
  const results = policies.map((policy) => run(policy, judged, options));
  const violations = results.flatMap((result) => result.violations);
  const failed = results.filter((result) => result.violations.some(({ severity }) => severity === "mandatory")).length;
  const warned = results.filter((result) => result.violations.length > 0).length - failed;
  return {
    violations,
    undecided: results.flatMap((result) => result.undecided),
    passed: policies.length - failed - warned,
    failed,
    warned,
  };
}

interface Result {
  readonly violations: Violation[];
  readonly undecided: Undecided[];
}

function run(
  policy: ResourcePolicy | StackPolicy,
  resources: readonly ResourceFacts[],
  options: EvaluationOptions,
): Result {
  const result: Result = { violations: [], undecided: [] };
  const stackUrn = `urn:pulumi:${options.stack}::${options.project}::pulumi:pulumi:Stack::${options.project}-${options.stack}`;
  const judge = (urn: string, validate: (report: (message: string, subject?: string) => void) => void) => {
    try {
      validate((message, subject) =>
        result.violations.push({
          policy: policy.name,
          severity: policy.enforcementLevel,
          resource: subject ?? urn,
          message,
        }),
      );
    } catch (error) {
      if (!(error instanceof NotApplicable)) {
        throw error;
      }
      result.undecided.push({ policy: policy.name, resource: urn, reason: error.message });
    }
  };
  const context = contextOf(policy, options);
  if ("validateStack" in policy) {
    judge(stackUrn, (report) => policy.validateStack({ ...context, resources }, report));
  } else {
    for (const resource of resources) {
      judge(resource.urn, (report) => policy.validateResource({ ...resource, ...context }, report));
    }
  }
  return result;
}

/** As in Pulumi's policy server. */
class NotApplicable extends Error {}

function contextOf({ configSchema }: ResourcePolicy | StackPolicy, options: EvaluationOptions): PolicyContext {
  const { stage, publicNames } = options;
  const config = Object.fromEntries(
    Object.entries({ stage, publicNames }).filter(
      ([name, value]) => value !== undefined && configSchema?.properties[name] !== undefined,
    ),
  );
  return {
    getConfig: <T extends object>() => config as T,
    notApplicable: (reason) => {
      throw new NotApplicable(reason);
    },
  };
}

function toFacts({ urn, type, name, inputs, secretInputs, origins, options }: RecordedInputs): ResourceFacts {
  const propertyDependencies =
    origins &&
    Object.fromEntries(
      Object.entries(origins).map(([input, urns]) => [input, urns.map((origin) => ({ urn: origin }))]),
    );
  return {
    urn,
    type,
    name,
    // Offline runs derive ids from names; resources refer to each other by them.
    props: { id: `${name}-id`, ...inputs },
    secretInputs,
    opts: options,
    ...(propertyDependencies && { propertyDependencies }),
  };
}
