/**
 * Changes `source` of a model, canary or adapter, or `model` itself, in an environment file's text;
 * every other byte stays.
 */
import { isDeepStrictEqual } from "node:util";
import { isMap, isNode, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from "yaml";
import { NAMESPACE } from "../../stacks/config/core/schema";

/** The text does not contain the model's settings where they can be changed. */
export class UnwritableError extends Error {}

/**
 * @param place below the models: a model's name, with "canary", or with "adapters" and a name. An
 * adapter may be its source alone.
 * @param key to change.
 * @param text of a valid environment file.
 * @throws UnwritableError where the model's settings are elsewhere (an alias).
 */
export function withSource(
  text: string,
  place: readonly string[],
  source: string,
  key: "source" | "model" = "source",
): string {
  const path = ["config", `${NAMESPACE}:models`, ...place];
  const named = `models.${place.join(".")}`;
  const document = parseDocument(text, { merge: true });
  const settings = document.getIn(path, true);
  if (!isMap(settings) && !isScalar(settings)) {
    throw new UnwritableError(`${named} is elsewhere (an alias): write ${key}: ${source} there yourself`);
  }
  const changed = isMap(settings) ? spliced(text, settings, source, key) : replaced(text, settings, source);
  // Verified: writes exactly the change or nothing.
  document.setIn(isMap(settings) ? [...path, key] : path, source);
  if (!isDeepStrictEqual(parseDocument(changed, { merge: true }).toJS(), document.toJS())) {
    throw new UnwritableError(
      `${named} is written in a way that cannot be changed here: write ${key}: ${source} yourself`,
    );
  }
  return changed;
}

function spliced(text: string, settings: YAMLMap, source: string, key: string): string {
  const present = settings.items.find((pair) => keyOf(pair) === key);
  if (present) {
    return replaced(text, present.value, source);
  }
  const anchor = settings.items.find((pair) => keyOf(pair) === "model") ?? settings.items[0];
  const [keyStart] = rangeOf(anchor?.key);
  const [, valueEnd] = rangeOf(anchor?.value);
  if (settings.flow) {
    return `${text.slice(0, valueEnd)}, ${key}: ${source}${text.slice(valueEnd)}`;
  }
  const lineStart = text.lastIndexOf("\n", keyStart - 1) + 1;
  const lineEnd = text.indexOf("\n", valueEnd);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const newline = text[end - 1] === "\r" ? "\r\n" : "\n";
  const indent = " ".repeat(keyStart - lineStart);
  const before = text.slice(0, end).replace(/\r$/, "");
  return `${before}${newline}${indent}${key}: ${source}${text.slice(before.length)}`;
}

function replaced(text: string, node: unknown, source: string): string {
  const [start, end] = rangeOf(node);
  return text.slice(0, start) + source + text.slice(end);
}

function keyOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : undefined;
}

function rangeOf(node: unknown): readonly [number, number] {
  const range = isNode(node) ? (node as Node).range : undefined;
  if (!range) {
    throw new UnwritableError("a model's settings are empty");
  }
  return [range[0], range[1]];
}
