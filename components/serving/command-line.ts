/** Words of an engine's command line. Pure. */
import type { EngineArgument } from "../../catalog/engine-options";
import type { ArgumentValue } from "../../planner/types";

/**
 * The words of a flag that the user wrote.
 * @param argument what the pinned version says of it; undefined where it has none of that name.
 */
export function words(name: string, value: ArgumentValue, argument: EngineArgument | undefined): string[] {
  if (typeof value === "boolean") {
    // vLLM 0.33 shows `--disable-x` as the opposite of `--enable-x`, and takes this one too; 0.32 knows no other.
    return [`--${value ? "" : "no-"}${name}`];
  }
  if (argument?.kind === "list" || (argument === undefined && Array.isArray(value))) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return [`--${name}`, ...items.map((item) => literal(item))];
  }
  return [`--${name}=${literal(value)}`];
}

/** A value as a word. Kubernetes would put a variable of the container, which may be a secret, in the place of `$(NAME)`. */
export function literal(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replaceAll("$(", "$$$$(");
}

/**
 * The words of a flag that the platform writes: `true` switches it on, lists are several words, mappings become JSON. One
 * word holds name and value, so that no value is taken for a flag of its own; Kubernetes expands `$(NAME)` in them.
 */
export function unescapedWords(name: string, value: ArgumentValue): string[] {
  if (Array.isArray(value)) {
    return [`--${name}`, ...value.map(String)];
  }
  return [value === true ? `--${name}` : `--${name}=${typeof value === "object" ? JSON.stringify(value) : value}`];
}

/** `--name=value` for each flag that has a value: one word, so that no value is taken for a flag of its own. */
export function flags(values: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
}
