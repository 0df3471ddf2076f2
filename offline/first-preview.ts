import * as pulumi from "@pulumi/pulumi";

/** How a value is written that a run does not know (@pulumi/pulumi 3.248, runtime/rpc.ts). */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const STACK_REFERENCE = "pulumi:pulumi:StackReference";

type Properties = Readonly<Record<string, unknown>>;

/** A resource as it is declared. */
interface Declared {
  readonly type: string;
  readonly name: string;
  /** Reference (`<urn>::<id>`) of its provider; empty without an explicit one. */
  readonly provider: string;
}

/**
 * What the engine knows of resources in the preview of a stack that does not exist yet: of what is to be made its inputs, and of what
 * belongs to a provider that cannot be configured yet nothing (engine 3.259, resource/plugin/provider_plugin.go).
 */
export class FirstPreview {
  /** Providers whose configuration holds what the run does not know, by type and name. */
  private readonly unconfigured = new Set<string>();

  /**
   * Outputs of a resource.
   *
   * @param made what it has once it is made, its inputs included.
   */
  outputsOf({ type, name, provider }: Declared, inputs: Properties, made: Properties): Record<string, unknown> {
    if (type.startsWith("pulumi:providers:")) {
      if (holdsUnknown(inputs)) {
        this.unconfigured.add(`${type}::${name}`);
      }
      return { ...inputs };
    }
    if (type === STACK_REFERENCE) {
      // What is read exists.
      return { ...made };
    }
    return this.unconfigured.has(keyOfProvider(provider)) ? {} : beforeCreation(inputs, made);
  }
}

/** Whether a value is, or contains, one that the run does not know. */
export function holdsUnknown(value: unknown): boolean {
  return isUnknown(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown));
}

/** What is known of a resource that is not made yet: its inputs. What else it will have is not. */
export function beforeCreation(inputs: Properties, made: Properties): Record<string, unknown> {
  const later = Object.entries(made).map(([key, value]) => [key, key in inputs ? known(inputs[key], value) : UNKNOWN]);
  return { ...inputs, ...Object.fromEntries(later) };
}

function known(input: unknown, value: unknown): unknown {
  if (isUnknown(input)) {
    return UNKNOWN;
  }
  return isRecord(input) && isRecord(value) ? beforeCreation(input, value) : input;
}

/** As it is written, and as the SDK reads it. */
function isUnknown(value: unknown): boolean {
  return value === UNKNOWN || pulumi.isUnknown(value);
}

function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function keyOfProvider(reference: string): string {
  const [, , types = "", name = ""] = reference.split("::");
  return `${types.slice(types.lastIndexOf("$") + 1)}::${name}`;
}
