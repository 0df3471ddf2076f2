import type * as pulumi from "@pulumi/pulumi";
import type { ModelPlan } from "../../planner/types";
import { cacheSalt } from "./cache-salt";
import { chatTemplate } from "./chat-template";
import type { EngineFiles } from "./engine-files";
import { middlewareScripts } from "./vllm-middleware";

/**
 * What vLLM reads besides a model's weights.
 * @param child logical name of a part of the server.
 */
export function vllmFiles(
  child: (part: string) => string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): readonly EngineFiles[] {
  return [
    chatTemplate(child("template"), model, namespace, opts),
    middlewareScripts(child("request-middleware"), model, namespace, opts),
    cacheSalt(child("cache-salt"), model, namespace, opts),
  ].filter((files) => files !== undefined);
}
