/** Encrypted values in plain data: `{secure: …}`, as written by Pulumi. */
import type { Path } from "../../stacks/config/core/problems";
import { isMapping } from "./merge";

export function securePaths(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => securePaths(item, [...path, index]));
  }
  if (!isMapping(value)) {
    return [];
  }
  const entries = Object.entries(value);
  return entries.length === 1 && entries[0]?.[0] === "secure"
    ? [path]
    : entries.flatMap(([key, item]) => securePaths(item, [...path, key]));
}

export function holdsSecure(value: unknown): boolean {
  return securePaths(value).length > 0;
}
