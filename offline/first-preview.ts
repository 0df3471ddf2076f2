import * as pulumi from "@pulumi/pulumi";

/** Encoding of unknown values (@pulumi/pulumi 3.248, runtime/rpc.ts). */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const STACK_REFERENCE = "pulumi:pulumi:StackReference";

type Properties = Readonly<Record<string, unknown>>;

/** Declared resource. */
interface Declared {
  readonly type: string;
  readonly name: string;
  /** Reference (`<urn>::<id>`) of an explicit provider, or empty. */
  readonly provider: string;
}

/**
 * Known outputs in the first preview of a new stack: inputs of new resources, but nothing from
 * providers with unknown configuration (engine 3.259, resource/plugin/provider_plugin.go).
 */
export class FirstPreview {
  /** Providers with unknown configuration, by type and name. */
  private readonly unconfigured = new Set<string>();

  /**
   * Outputs of a resource.
   *
   * @param made outputs after creation, including inputs.
   */
  outputsOf({ type, name, provider }: Declared, inputs: Properties, made: Properties): Record<string, unknown> {
    if (type.startsWith("pulumi:providers:")) {
      if (holdsUnknown(inputs)) {
        this.unconfigured.add(`${type}::${name}`);
      }
      return { ...inputs };
    }
    if (type === STACK_REFERENCE) {
      // Read resources exist.
      return { ...made };
    }
    return this.unconfigured.has(keyOfProvider(provider)) ? {} : beforeCreation(inputs, made);
  }
}

export function holdsUnknown(value: unknown): boolean {
  return isUnknown(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown));
}

/** Known outputs before creation: only the inputs. */
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

/** Encoded, or as in the SDK. */
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
