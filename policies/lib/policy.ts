import type {
  EnforcementLevel,
  Policy,
  ReportViolation,
  ResourceValidationArgs,
  ResourceValidationPolicy,
  StackValidationPolicy,
} from "@pulumi/policy";
import { type Field, UNKNOWN, type Value } from "./field";
import { describeResource, type Resource, type ResourceFacts, toResources } from "./resource";

/** Pulumi's policy views and the README table show it. */
export interface PolicyDefinition extends Pick<Policy, "name" | "description" | "configSchema" | "framework"> {
  readonly severity: NonNullable<Policy["severity"]>;
  readonly enforcementLevel: Extract<EnforcementLevel, "mandatory" | "advisory">;
  readonly tags: string[];
  /** Ends each message, unless the finding has its own fix. */
  readonly remediationSteps: string;
}

export interface Finding {
  readonly resource: Resource;
  readonly field: Field;
  /** @default the field's value; set it where that is large or must not be printed */
  readonly found?: string;
  readonly allowed: string;
  /** @default the policy's `remediationSteps` */
  readonly fix?: string;
}

export type Report = (finding: Finding) => void;

/** From the engine or an offline run. */
export type PolicyContext = Pick<ResourceValidationArgs, "getConfig" | "notApplicable">;

/** Synchronous, so that a plan can run it in process. */
export interface ResourcePolicy extends ResourceValidationPolicy, PolicyDefinition {
  readonly severity: PolicyDefinition["severity"];
  readonly enforcementLevel: PolicyDefinition["enforcementLevel"];
  tags: string[];
  remediationSteps: string;
  validateResource: (args: ResourceFacts & PolicyContext, report: ReportViolation) => void;
}

/** Synchronous. */
export interface StackPolicy extends StackValidationPolicy, PolicyDefinition {
  readonly severity: PolicyDefinition["severity"];
  readonly enforcementLevel: PolicyDefinition["enforcementLevel"];
  tags: string[];
  remediationSteps: string;
  validateStack: (
    args: { readonly resources: readonly ResourceFacts[] } & PolicyContext,
    report: ReportViolation,
  ) => void;
}

/** Checks are synchronous, so one set suffices. */
const unknownPaths = new Set<string>();

/**
 * Judges one resource at a time, before it is created or changed.
 *
 * `C` is the policy's configuration; each property needs a `default` in `configSchema`. A check
 * with unknown values and no violation ends as "not applicable" with their paths.
 */
export function resourcePolicy<C extends object = object>(
  definition: PolicyDefinition,
  check: (resource: Resource, report: Report, config: C) => void,
): ResourcePolicy {
  return {
    ...definition,
    validateResource: (args, reportViolation) => {
      unknownPaths.clear();
      let violations = 0;
      const config = configOf<C>(definition, args);
      for (const resource of toResources(args, unknownPaths)) {
        check(
          resource,
          (finding) => {
            violations += 1;
            reportViolation(message(definition, finding));
          },
          config,
        );
      }
      if (violations === 0 && unknownPaths.size > 0) {
        args.notApplicable(undecided());
      }
    },
  };
}

/** Judges the whole stack once all resources are known. */
export function stackPolicy<C extends object = object>(
  definition: PolicyDefinition,
  check: (resources: readonly Resource[], report: Report, config: C) => void,
): StackPolicy {
  return {
    ...definition,
    validateStack: (args, reportViolation) => {
      unknownPaths.clear();
      let violations = 0;
      check(
        args.resources.flatMap((resource) => toResources(resource, unknownPaths)),
        (finding) => {
          violations += 1;
          reportViolation(message(definition, finding), finding.resource.urn);
        },
        configOf<C>(definition, args),
      );
      if (violations === 0 && unknownPaths.size > 0) {
        args.notApplicable(undecided());
      }
    },
  };
}

function undecided(): string {
  return `unknown until deployment: ${[...unknownPaths].join(", ")}`;
}

function configOf<C extends object>(definition: PolicyDefinition, args: PolicyContext): C {
  const properties = Object.entries(definition.configSchema?.properties ?? {});
  const defaults = Object.fromEntries(properties.map(([name, schema]) => [name, schema.default]));
  // The engine has validated the configuration against `configSchema`, which `C` describes.
  return { ...defaults, ...args.getConfig<Partial<C>>() } as C;
}

function message(
  { remediationSteps }: PolicyDefinition,
  { resource, field, found, allowed, fix = remediationSteps }: Finding,
): string {
  const where = `${describeResource(resource)}: ${field.path}`;
  return `${where} ${found ?? describeValue(field.value)}; allowed: ${allowed}; fix: ${fix.replace(/\.$/, "")}.`;
}

const LONGEST_VALUE = 120;

function describeValue(value: Value): string {
  if (value === undefined || value === null) {
    return "is not set";
  }
  const text = value === UNKNOWN ? "unknown" : JSON.stringify(value);
  return `is ${text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text}`;
}
