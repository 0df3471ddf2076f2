/**
 * Module names in quantization configs: exact, partial, globs, and "re:" regular expressions.
 * Configs are untrusted: expressions run on an engine linear in the name, and their number and
 * length are bounded.
 */
import { RE2JS } from "re2js";
import type { ConfigSource } from "./config-source";
import { ownValue } from "./own-value";
import type { ModulePattern } from "./quantization";

/** Published configs have three expressions of 40 characters, lists of some hundred globs. */
const LIMITS = { expressions: 100, expressionLength: 200, globs: 2000 } as const;

/** Targets that mean every linear layer. */
export function anyLinear(target: string): boolean {
  return target === "Linear";
}

/** Unacceptable names are skipped and reported under `key`. */
export function modulePatterns(texts: readonly string[], source: ConfigSource, key: string): readonly ModulePattern[] {
  const expressions = texts.filter((text) => text.startsWith("re:"));
  const globs = texts.filter((text) => !text.startsWith("re:") && text.includes("*"));
  const names = texts.filter((text) => !text.startsWith("re:") && !text.includes("*"));
  if (expressions.length > LIMITS.expressions || globs.length > LIMITS.globs) {
    const found = `${expressions.length} regular expressions and ${globs.length} globs`;
    source.problem(key, `holds ${found}; at most ${LIMITS.expressions} and ${LIMITS.globs} are read`);
    return [];
  }
  return [
    ...(names.length > 0 ? [nameMatcher(names)] : []),
    ...globs.map(globMatcher),
    ...expressions.flatMap((text) => expressionMatcher(text, source, key)),
  ];
}

function expressionMatcher(text: string, source: ConfigSource, key: string): readonly ModulePattern[] {
  const expression = text.slice("re:".length);
  if (expression.length > LIMITS.expressionLength || /\{\d/.test(expression)) {
    const allowed = `at most ${LIMITS.expressionLength} characters and no counted repetition`;
    source.problem(key, `pattern ${text.slice(0, 60)} is not read: ${allowed} are allowed`);
    return [];
  }
  try {
    const matcher = RE2JS.compile(`^(?:${expression})`);
    return [(moduleName) => matcher.test(moduleName)];
  } catch {
    source.problem(
      key,
      `pattern ${text} is no regular expression in RE2's syntax (no look-around, no back-references)`,
    );
    return [];
  }
}

/** "gate" matches any module gate, "model.layers.0" all below it. */
function nameMatcher(names: readonly string[]): ModulePattern {
  const wanted = new Set(names);
  const lengths = [...new Set(names.map((name) => name.split(".").length))];
  const sameModule = moduleSet(names);
  return (moduleName) => {
    const parts = moduleName.split(".");
    const isRun = (length: number) =>
      parts.some((_, from) => from + length <= parts.length && wanted.has(parts.slice(from, from + length).join(".")));
    return lengths.some(isRun) || sameModule(moduleName);
  };
}

function globMatcher(text: string): ModulePattern {
  const parts = text.replace(TEXT_LAYER, "model.layers.").replace(ANY_BLOCK, "$1*").split("*");
  return (moduleName) => globMatches(parts, moduleName);
}

/** The named modules and all below, whatever the checkpoint calls stacks and blocks. */
export function moduleSet(names: readonly string[]): ModulePattern {
  const keys = new Set(names.map(moduleKey));
  return (moduleName) => {
    const parts = moduleKey(moduleName).split(".");
    return parts.some((_, index) => keys.has(parts.slice(0, index + 1).join(".")));
  };
}

const TEXT_LAYER = /^(?:(?:model|language_model|text_model|backbone|transformer|decoder)\.){1,4}(?:layers|blocks|h)\./;
/** A glob over Mamba hybrids' name for blocks of every kind. */
const ANY_BLOCK = /^(model\.layers\.[\d*]{1,9}\.)mixer(?=[*.])/;
const BLOCK_NAMES = new Set([
  "self_attn",
  "linear_attn",
  "attention",
  "mixer",
  "mlp",
  "block_sparse_moe",
  "feed_forward",
]);
/** Parts that the inventory holds as one matrix. */
const INVENTORY_NAMES: Readonly<Record<string, string>> = {
  in_proj_qkv: "in_proj_qkvz",
  in_proj_z: "in_proj_qkvz",
  in_proj_a: "in_proj_ba",
  in_proj_b: "in_proj_ba",
  shared_experts: "shared_expert",
  fc1_latent_proj: "latent_in_proj",
  fc2_latent_proj: "latent_out_proj",
};

/** "backbone.layers.3.mixer.experts.0.up_proj" → "3.experts.0.up_proj"; other names stay. */
function moduleKey(name: string): string {
  const stack = TEXT_LAYER.exec(name)?.[0];
  if (stack === undefined) {
    return name;
  }
  const [layer, block, ...inner] = name.slice(stack.length).split(".");
  const parts = block !== undefined && BLOCK_NAMES.has(block) && inner.length > 0 ? inner : [block, ...inner];
  return [layer, ...parts.map((part) => (part === undefined ? part : (ownValue(INVENTORY_NAMES, part) ?? part)))]
    .filter((part) => part !== undefined)
    .join(".");
}

/** Greedy glob without backtracking; submodules may follow the text after the last star. */
function globMatches(parts: readonly string[], moduleName: string): boolean {
  let position = 0;
  for (const [index, part] of parts.entries()) {
    const found = moduleName.indexOf(part, position);
    if (found < 0 || (index === 0 && found !== 0)) {
      return false;
    }
    position = found + part.length;
  }
  return parts.at(-1) === "" || position === moduleName.length || moduleName[position] === ".";
}
