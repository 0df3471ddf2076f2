/** Of which models the sync Job refuses a repository without a chat template. */
import { findModel } from "../../catalog/models";
import { engineOf, settingPath } from "../../engines";
import { runsRepositoryCode } from "../../engines/repository-code";
import type { ModelPlan, ModelSource } from "../../planner/types";
import type { TemplateWanted } from "./scripts/chat-template";

/**
 * Undefined where a template comes from elsewhere (the user, the engine's image, code of the repository), where nothing chats,
 * and for repositories of the catalogue, of which it is known.
 */
export function wantedTemplate(
  { name, engine, task, chatTemplate, engineSettings, args }: ModelPlan,
  { repository }: Extract<ModelSource, { readonly kind: "huggingface" }>,
): TemplateWanted | undefined {
  const { chatFormats } = engineOf(engine);
  const isElsewhere =
    chatTemplate !== undefined ||
    engineSettings?.toolTemplate !== undefined ||
    args?.["tokenizer-mode"] !== undefined ||
    runsRepositoryCode({ ...(args && { args }) });
  if (task !== "chat" || chatFormats === undefined || isElsewhere || findModel(repository) !== undefined) {
    return undefined;
  }
  return {
    model: `models.${name}`,
    key: `models.${name}.${settingPath(engine, "chatTemplate")}`,
    builtIn: chatFormats,
  };
}
