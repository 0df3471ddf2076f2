import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import type { EngineFiles } from "./engine-files";

const FOLDER = "/chat-template";
const KEY = "template.jinja";

/** Where the engine finds a model's own chat template. */
export const CHAT_TEMPLATE_FILE = `${FOLDER}/${KEY}`;

/** Undefined without a user's template. */
export function chatTemplate(
  logicalName: string,
  { chatTemplate: template }: ModelPlan,
  namespace: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): EngineFiles | undefined {
  if (template === undefined) {
    return undefined;
  }
  const name = "chat-template";
  const configMap = new kubernetes.core.v1.ConfigMap(
    logicalName,
    { metadata: { name, namespace, labels: standardLabels(name, name) }, data: { [KEY]: template.text } },
    opts,
  );
  return {
    volumes: [{ name, configMap: { name: named(configMap, name) } }],
    mounts: [{ name, mountPath: FOLDER, readOnly: true }],
    hash: hashOf(template.text),
  };
}
