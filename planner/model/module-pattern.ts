/**
 * Module names in quantization configs: exact names, parts of names, globs, and "re:" regular expressions.
 * A config comes from outside, so a pattern that could make matching explode is refused.
 */
import type { ConfigSource } from "./config-source";
import type { ModulePattern } from "./quantization";

/** Quantifiers a pattern may hold: matching time grows with the length of a name to this power. */
const maxQuantifiers = 4;

/** True for the targets that mean every linear layer. */
export function anyLinear(target: string): boolean {
  return target === "Linear";
}

/** The matcher of one pattern; empty, with a problem reported under `key`, when it is not acceptable. */
export function modulePattern(text: string, source: ConfigSource, key: string): readonly ModulePattern[] {
  if (!text.startsWith("re:")) return [nameMatcher(text)];
  const expression = text.slice(3);
  const quantifiers = expression.match(/[*+?{]/g)?.length ?? 0;
  if (quantifiers > maxQuantifiers || /\)[*+{]/.test(expression)) {
    source.problem(key, `pattern ${text} repeats a group or has more than ${maxQuantifiers} repetitions`);
    return [];
  }
  try {
    const matcher = new RegExp(`^(?:${expression})`);
    return [(moduleName) => matcher.test(moduleName)];
  } catch {
    source.problem(key, `pattern ${text} is no regular expression`);
    return [];
  }
}

/** "gate" matches the module called gate anywhere, "model.layers.0" all below it, "*" any text. */
function nameMatcher(text: string): ModulePattern {
  if (text.includes("*")) {
    const parts = text.split("*");
    return (moduleName) => globMatches(parts, moduleName);
  }
  return (moduleName) => `.${moduleName}.`.includes(`.${text}.`);
}

/** Greedy left-to-right glob without backtracking; the text after the last star may be followed by submodules. */
function globMatches(parts: readonly string[], moduleName: string): boolean {
  let position = 0;
  for (const [index, part] of parts.entries()) {
    const found = moduleName.indexOf(part, position);
    if (found < 0 || (index === 0 && found !== 0)) return false;
    position = found + part.length;
  }
  return parts.at(-1) === "" || position === moduleName.length || moduleName[position] === ".";
}
