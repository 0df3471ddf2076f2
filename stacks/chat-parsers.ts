import { type ChatParsers, chatParsers } from "../catalog/chat-parsers";
import { vllmArgument } from "../engines/vllm/options";
import type { ModelRequest } from "../planner/request";
import type { CapacityProblem } from "../planner/types";
import type { ModelConfig } from "./config";

/** One kind of parser: the key of the model that asks for it, and the flag that names it. */
const KINDS = {
  toolCalls: { key: "toolCalling", flag: "tool-call-parser" },
  reasoning: { key: "reasoning", flag: "reasoning-parser" },
} as const;

const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];

/** The flags of a model: the parsers that it asks for, and what the user gives; what the user gives counts. */
export function withChatParsers(config: ModelConfig, request: ModelRequest): ModelRequest {
  const parsers = parsersOf(request);
  const asked = kinds.filter((kind) => config[KINDS[kind].key]);
  const args = {
    ...(asked.includes("toolCalls") && { "enable-auto-tool-choice": true }),
    ...Object.fromEntries(asked.flatMap((kind) => (parsers[kind] ? [[KINDS[kind].flag, parsers[kind]]] : []))),
    ...config.args,
  };
  const offer = offerOf(config, request, parsers);
  return {
    ...request,
    ...(Object.keys(args).length > 0 && { args }),
    ...(offer && { notes: [...(request.notes ?? []), offer] }),
  };
}

/** What a model asks for and no row of the catalogue can give. */
export function chatParserProblems(
  models: Readonly<Record<string, ModelConfig>>,
  requests: readonly ModelRequest[],
): CapacityProblem[] {
  return requests.flatMap((request) => {
    const config = models[request.name];
    return kinds
      .filter((kind) => config?.[KINDS[kind].key] && request.args?.[KINDS[kind].flag] === undefined)
      .map((kind): CapacityProblem => {
        const { key, flag } = KINDS[kind];
        const { family } = request.architecture;
        return {
          severity: "mandatory",
          rule: "chat-parsers",
          subject: `models.${request.name}`,
          message: `${key}: no ${flag} of vLLM is known for ${modelOf(request)} (family ${family}). Name one under args, for example args: {${flag}: ${example(kind)}}, or remove ${key}. Parsers: ${vllmArgument(flag)?.choices?.join(", ")}.`,
        };
      });
  });
}

function offerOf(config: ModelConfig, request: ModelRequest, parsers: ChatParsers): string | undefined {
  if (request.engine !== "vllm" || request.task !== "chat") {
    return undefined;
  }
  const offers = kinds.flatMap((kind) => {
    const { key, flag } = KINDS[kind];
    const parser = parsers[kind];
    return parser !== undefined && !config[key] && config.args?.[flag] === undefined
      ? [`${key}: true (${parser})`]
      : [];
  });
  return offers.length === 0 ? undefined : `vLLM has parsers for this family, which are off: ${offers.join(", ")}`;
}

function parsersOf(request: ModelRequest): ChatParsers {
  return chatParsers(request.architecture.family, modelOf(request));
}

function modelOf({ source, name }: ModelRequest): string {
  switch (source.kind) {
    case "huggingface":
      return source.repository;
    case "bucket":
      return source.uri;
    default:
      return name;
  }
}

function example(kind: keyof typeof KINDS): string {
  return kind === "toolCalls" ? "hermes" : "deepseek_r1";
}
