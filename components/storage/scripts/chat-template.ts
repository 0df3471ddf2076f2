/** Whether a repository has the template that makes a prompt of a chat. Without one an engine starts, and every chat answers 400. */
import type { Repository } from "./hugging-face.ts";
import { FinalError } from "./retry.ts";

/** What asks for a template. */
export interface TemplateWanted {
  /** Key of the model in the environment, for example `models.chat`. */
  readonly model: string;
  /** Key of a template of the user's, for example `models.chat.vllm.chatTemplate`. */
  readonly key: string;
  /** `model_type` and `architectures` values of config.json whose chats the engine itself writes. */
  readonly builtIn: readonly string[];
}

/** Files that transformers 5.20.2 reads templates from (utils/hub.py, tokenization_utils_base.py, processing_utils.py). */
const TEMPLATES = /^(chat_template\.(jinja|json)|additional_chat_templates\/[^/]+\.jinja)$/;
/** Files of tokenizers and processors that may have `chat_template`. */
const CONFIGS = ["tokenizer_config.json", "processor_config.json"];
/** Mistral's own tokenizers know its chats (vLLM 0.32.0, tokenizers/registry.py). */
const MISTRAL = /^(tekken\.json|tokenizer\.model\.v.+)$/;

/** @throws FinalError naming what was looked for, and what to write instead. */
export async function requireChatTemplate(
  repository: Repository,
  commit: string,
  paths: readonly string[],
  { model, key, builtIn }: TemplateWanted,
): Promise<void> {
  if (paths.some((path) => TEMPLATES.test(path) || MISTRAL.test(path))) {
    return;
  }
  const read = async (path: string) => (paths.includes(path) ? objectOf(await repository.text(commit, path)) : {});
  for (const path of CONFIGS) {
    if ((await read(path)).chat_template) {
      return;
    }
  }
  const { model_type: type, architectures = [] } = await read("config.json");
  if ([type, architectures].flat().some((name) => typeof name === "string" && builtIn.includes(name))) {
    return;
  }
  throw new FinalError(
    `${repository.repository}@${commit} has no chat template: no chat_template.jinja or chat_template.json, and no ` +
      `chat_template in ${CONFIGS.join(" or ")}. Every chat would answer 400. Write ${model}.task: completion, or give ` +
      `${key}`,
  );
}

/** What is no object has none of the keys. */
function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
