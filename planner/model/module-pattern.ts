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
    const parts = text.replace(textLayer, "model.layers.").replace(anyBlock, "$1*").split("*");
    return (moduleName) => globMatches(parts, moduleName);
  }
  const sameModule = moduleSet([text]);
  return (moduleName) => `.${moduleName}.`.includes(`.${text}.`) || sameModule(moduleName);
}

/** Matches the named modules and all below them, whatever the checkpoint calls the stack of layers and its blocks. */
export function moduleSet(names: readonly string[]): ModulePattern {
  const keys = new Set(names.map(moduleKey));
  return (moduleName) => {
    const parts = moduleKey(moduleName).split(".");
    return parts.some((_, index) => keys.has(parts.slice(0, index + 1).join(".")));
  };
}

const textLayer = /^(?:(?:model|language_model|text_model|backbone|transformer|decoder)\.){1,4}(?:layers|blocks|h)\./;
/** A glob over what Mamba hybrids call the block of every kind of layer. */
const anyBlock = /^(model\.layers\.[\d*]{1,9}\.)mixer(?=[*.])/;
const blockNames = new Set([
  "self_attn",
  "linear_attn",
  "attention",
  "mixer",
  "mlp",
  "block_sparse_moe",
  "feed_forward",
]);
/** Parts of a checkpoint that the inventory holds as one matrix. */
const inventoryNames: Readonly<Record<string, string>> = {
  in_proj_qkv: "in_proj_qkvz",
  in_proj_z: "in_proj_qkvz",
  in_proj_a: "in_proj_ba",
  in_proj_b: "in_proj_ba",
  shared_experts: "shared_expert",
  fc1_latent_proj: "latent_in_proj",
  fc2_latent_proj: "latent_out_proj",
};

/** "backbone.layers.3.mixer.experts.0.up_proj" → "3.experts.0.up_proj"; other names stay as they are. */
function moduleKey(name: string): string {
  const stack = textLayer.exec(name)?.[0];
  if (stack === undefined) return name;
  const [layer, block, ...inner] = name.slice(stack.length).split(".");
  const parts = block !== undefined && blockNames.has(block) && inner.length > 0 ? inner : [block, ...inner];
  return [layer, ...parts.map((part) => (part === undefined ? part : (inventoryNames[part] ?? part)))]
    .filter((part) => part !== undefined)
    .join(".");
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
