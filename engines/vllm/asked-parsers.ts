/** The parsers of tool calls and reasoning that a block asks for, as flags; what is off, and what no row of the table has. */
import type { ServedModel } from "../served-model";
import type { SettingsOutcome } from "../settings";
import { chatParsers } from "./chat-parsers";
import { vllmArgument } from "./options";
import type { VllmBlock } from "./settings";

/** One kind of parser: the key of the block that asks for it, the flag that names it, and one that it may name. */
const KINDS = {
  toolCalls: { key: "toolCalling", flag: "tool-call-parser", example: "hermes" },
  reasoning: { key: "reasoning", flag: "reasoning-parser", example: "deepseek_r1" },
} as const;

const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];

export function parsersAskedFor(block: VllmBlock, model: ServedModel): SettingsOutcome {
  const parsers = chatParsers(model.architecture.family, nameOf(model));
  const isAsked = (kind: keyof typeof KINDS) => block[KINDS[kind].key];
  const isNamed = (kind: keyof typeof KINDS) => model.args?.[KINDS[kind].flag] !== undefined;
  const args = {
    ...(isAsked("toolCalls") && { "enable-auto-tool-choice": true }),
    ...Object.fromEntries(
      kinds.flatMap((kind) => (isAsked(kind) && parsers[kind] ? [[KINDS[kind].flag, parsers[kind]]] : [])),
    ),
  };
  const offers = kinds
    .filter((kind) => model.task === "chat" && parsers[kind] && !isAsked(kind) && !isNamed(kind))
    .map((kind) => `${KINDS[kind].key}: true (${parsers[kind]})`);
  const missing = kinds.filter((kind) => isAsked(kind) && !parsers[kind] && !isNamed(kind));
  return {
    args,
    notes:
      offers.length === 0 ? [] : [`vLLM has parsers for this family, which are off; under vllm: ${offers.join(", ")}`],
    problems: missing.map((kind) => ({ rule: "chat-parsers", message: missingMessage(kind, model) })),
  };
}

function missingMessage(kind: keyof typeof KINDS, model: ServedModel): string {
  const { key, flag, example } = KINDS[kind];
  const { family } = model.architecture;
  return `vllm.${key}: no ${flag} of vLLM is known for ${nameOf(model)} (family ${family}). Name one under args, for example args: {${flag}: ${example}}, or remove ${key}. Parsers: ${vllmArgument(flag)?.choices?.join(", ")}.`;
}

function nameOf({ source, name }: ServedModel): string {
  switch (source.kind) {
    case "huggingface":
      return source.repository;
    case "bucket":
      return source.uri;
    default:
      return name;
  }
}
