import { inspect } from "node:util";

/** A value of a file as text. `String` throws for mappings with a key such as `toString`. */
export function plainText(value: unknown): string {
  return typeof value === "object" && value !== null ? inspect(value) : String(value);
}
