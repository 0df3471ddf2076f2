/** Parsers of a block as flags, including disabled and unknown ones. */
import { isWithin } from "../../catalog/engine-releases";
import type { ServedModel } from "../served-model";
import type { SettingsOutcome } from "../settings";
import { originOf } from "../sources";
import { type ChatParsers, chatParsers } from "./chat-parsers";
import { vllmHas, vllmValues } from "./releases";
import type { ChatKeys } from "./settings";

/** A parser kind: block key, flag, and an example value. */
const KINDS = {
  toolCalls: { key: "toolCalling", flag: "tool-call-parser", example: "hermes" },
  reasoning: { key: "reasoning", flag: "reasoning-parser", example: "deepseek_r1" },
} as const;

const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];

/** Block key of the request, and its vLLM release. */
export interface ParserOwner {
  readonly key: string;
  readonly version: string;
  readonly hasTemplates: boolean;
}

/** Flag for reasoning parsers in releases where the name alone does not enable them. */
const REASONING_SWITCH = "enable-reasoning";

export function parsersAskedFor(owner: ParserOwner, block: ChatKeys, model: ServedModel): SettingsOutcome {
  const parsers = parsersOf(owner, model);
  const isAsked = (kind: keyof typeof KINDS) => block[KINDS[kind].key];
  const isNamed = (kind: keyof typeof KINDS) => model.args?.[KINDS[kind].flag] !== undefined;
  const { tokenizerMode: mode } = parsers;
  const needsMode =
    mode !== undefined &&
    kinds.some(isAsked) &&
    isWithin(mode, owner.version) &&
    model.args?.["tokenizer-mode"] === undefined;
  const args = {
    ...(needsMode && { "tokenizer-mode": mode.name }),
    ...(isAsked("toolCalls") && { "enable-auto-tool-choice": true }),
    ...(isAsked("reasoning") && vllmHas(REASONING_SWITCH, owner.version) && { [REASONING_SWITCH]: true }),
    ...Object.fromEntries(
      kinds.flatMap((kind) => (isAsked(kind) && parsers[kind] ? [[KINDS[kind].flag, parsers[kind]]] : [])),
    ),
  };
  const offers = kinds
    .filter((kind) => model.task === "chat" && parsers[kind] && !isAsked(kind) && !isNamed(kind))
    .map((kind) => `${KINDS[kind].key}: true (${parsers[kind]})`);
  const missing = kinds.filter((kind) => isAsked(kind) && !parsers[kind] && !isNamed(kind));
  const isOwn = block.chatTemplate !== undefined || isNamed("toolCalls");
  const template = isAsked("toolCalls") && parsers.toolCalls && !isOwn ? parsers.template : undefined;
  return {
    args,
    ...(template && owner.hasTemplates && { engineSettings: { toolTemplate: template.file } }),
    notes:
      offers.length === 0
        ? []
        : [`vLLM has parsers for this family, which are off; under ${owner.key}: ${offers.join(", ")}`],
    problems: [
      ...missing.map((kind) => missingMessage(owner, kind, model)),
      ...(template?.needed && !owner.hasTemplates ? [templateMessage(owner, template.file, model)] : []),
    ].map((message) => ({ rule: "chat-parsers", message })),
  };
}

function parsersOf({ version }: ParserOwner, model: ServedModel): ChatParsers {
  const known = chatParsers(model.architecture.family, nameOf(model));
  const ofRelease = kinds.filter((kind) => {
    const name = known[kind];
    return name !== undefined && vllmValues(KINDS[kind].flag, version)?.includes(name);
  });
  return {
    ...Object.fromEntries(ofRelease.map((kind) => [kind, known[kind]])),
    ...(known.template && { template: known.template }),
    ...(known.tokenizerMode && { tokenizerMode: known.tokenizerMode }),
  };
}

function templateMessage({ key }: ParserOwner, file: string, model: ServedModel): string {
  return `${key}.toolCalling: the chat template of ${nameOf(model)} does not offer tools in the form that the parser reads, and images of version ${model.engineVersion} are not known to hold vLLM's examples/${file}. To fix it: copy that file from vLLM's source, and write ${key}.chatTemplate: ${file}; or remove toolCalling.`;
}

function missingMessage(owner: ParserOwner, kind: keyof typeof KINDS, model: ServedModel): string {
  const { key, flag, example } = KINDS[kind];
  const { family } = model.architecture;
  return `${owner.key}.${key}: no ${flag} of vLLM ${owner.version} is known for ${nameOf(model)} (family ${family}). Name one under args, for example args: {${flag}: ${example}}, or remove ${key}. Parsers: ${vllmValues(flag, owner.version)?.join(", ")}.`;
}

function nameOf({ source, name }: ServedModel): string {
  switch (source.kind) {
    case "huggingface":
      return source.repository;
    case "bucket":
      return source.uri;
    case "artifact":
    case "claim":
    case "folder":
      return originOf(source).name;
    default:
      return name;
  }
}
