/** Marks of the Pulumi protocol (@pulumi/pulumi 3.248, runtime/rpc.ts). */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** How a value is written that a run does not know. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The value without the wrapping of secrets and outputs. */
export function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(unwrapped);
  }
  if (value === null || typeof value !== "object") {
    return value;
  }
  const record = value as Readonly<Record<string, unknown>>;
  if (record[SIGNATURE] === SECRET) {
    return unwrapped(record.value);
  }
  if (record[SIGNATURE] === OUTPUT) {
    return "value" in record ? unwrapped(record.value) : UNKNOWN;
  }
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, unwrapped(item)]));
}

/** Whether a value is, or contains, one that the run does not know. */
export function holdsUnknown(value: unknown): boolean {
  return value === UNKNOWN || (typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown));
}

/** What is known of a resource that is not made yet: its inputs. What else it will have is not. */
export function beforeCreation(
  inputs: Readonly<Record<string, unknown>>,
  made: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const later = Object.entries(made).map(([key, value]) => [key, key in inputs ? known(inputs[key], value) : UNKNOWN]);
  return { ...inputs, ...Object.fromEntries(later) };
}

function known(input: unknown, value: unknown): unknown {
  return isRecord(input) && isRecord(value) ? beforeCreation(input, value) : input;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
