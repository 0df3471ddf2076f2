import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findModel, type ModelEntry, modelNames } from "../../catalog/models";
import { visible } from "../../names/visible";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { parseConfigJson, parseModelConfigText } from "../../planner/model/config-json";
import { readCatalogueModel } from "../../stacks/architectures";
import { checkpointOf } from "../../stacks/checkpoint/folder";
import { suggest } from "../../stacks/config/core/problems";
import { LIST_MODELS } from "../../stacks/config/list-commands";
import { readTextFile } from "../../stacks/config/text-file";
import { lineOf } from "../io";
import { BadInput } from "./bad-input";
import { isRemote, readRemoteModel } from "./read-remote";

export interface NamedModel {
  readonly architecture: ModelArchitecture;
  /** Of catalogue models. */
  readonly entry?: ModelEntry;
}

/**
 * A file precedes a catalogue name; a folder means its config.json, with the headers of weights
 * next to it. Only URLs cause requests.
 *
 * @throws BadInput, ModelConfigError, CheckpointError, HubError
 */
export async function readModel(model: string, env: NodeJS.ProcessEnv): Promise<NamedModel> {
  if (isRemote(model)) {
    return { architecture: await readRemoteModel(model, env) };
  }
  const path = existsSync(model) && statSync(model).isDirectory() ? join(model, "config.json") : model;
  if (existsSync(path)) {
    return { architecture: await readConfigFile(path, model) };
  }
  if (path !== model) {
    throw new BadInput(`the folder ${model} has no config.json: name the one that holds it`);
  }
  const entry = findModel(model);
  if (entry !== undefined) {
    return { architecture: readCatalogueModel(entry), entry };
  }
  throw new BadInput(
    `"${visible(model)}" is neither a file nor a model of the catalogue; ${suggest(model, modelNames(), "give the path of a config.json")} (${LIST_MODELS})${/^[\w.-]+\/[\w.-]+$/.test(model) ? `; hf://${model} asks the hub` : ""}`,
  );
}

async function readConfigFile(path: string, name: string): Promise<ModelArchitecture> {
  const quantizationPath = join(dirname(path), "hf_quant_config.json");
  const quantization = existsSync(quantizationPath)
    ? parseConfigJson(readText(quantizationPath), quantizationPath)
    : undefined;
  const text = readText(path);
  return parseModelConfigText(text, { name, quantization, checkpoint: await checkpointOf(path) });
}

function readText(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    throw new BadInput(`${path} cannot be read: it ${lineOf(error)}`);
  }
}
