import { UNKNOWN } from "../../../offline/first-preview";

/** Marks of the Pulumi protocol (@pulumi/pulumi 3.248, runtime/rpc.ts). */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

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
