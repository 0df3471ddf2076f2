/** Words of an engine's command line. Pure. */
import type { EngineArgument } from "../../catalog/engine-options";
import type { ArgumentValue } from "../../planner/types";

/** @param argument of the pinned version; undefined if it has no such flag. */
export function words(name: string, value: ArgumentValue, argument: EngineArgument | undefined): string[] {
  if (typeof value === "boolean") {
    // vLLM 0.33 shows `--disable-x` instead of `--no-enable-x`, but accepts this; 0.32 only this.
    return [`--${value ? "" : "no-"}${name}`];
  }
  if (argument?.kind === "list" || (argument === undefined && Array.isArray(value))) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return [`--${name}`, ...items.map((item) => literal(item))];
  }
  return [`--${name}=${literal(value)}`];
}

/** Escapes `$(NAME)`, which Kubernetes would replace by a variable, perhaps a secret. */
export function literal(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replaceAll("$(", "$$$$(");
}

/**
 * `true` enables the flag, lists become words, mappings JSON. One word holds name and value;
 * Kubernetes expands `$(NAME)`.
 */
export function unescapedWords(name: string, value: ArgumentValue): string[] {
  if (Array.isArray(value)) {
    return [`--${name}`, ...value.map(String)];
  }
  return [value === true ? `--${name}` : `--${name}=${typeof value === "object" ? JSON.stringify(value) : value}`];
}

/** One word per flag, so no value is read as a flag. */
export function flags(values: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
}
