import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findModel, type ModelEntry, readModelConfigFile } from "../catalog/models";
import { sourceText } from "../engines/sources";
import type { ModelArchitecture } from "../planner/model/architecture";
import type { Checkpoint } from "../planner/model/checkpoint/checkpoint";
import { CheckpointError } from "../planner/model/checkpoint/errors";
import { hasReader, parseConfigJson, parseModelConfigText } from "../planner/model/config-json";
import { ModelConfigError } from "../planner/model/errors";
import { checkpointOf } from "./checkpoint/folder";
import { readCheckpoint } from "./checkpoint/read";
import { filesBeside } from "./checkpoint/remote";
import {
  ConfigError,
  type EnvironmentConfig,
  localPath,
  type ModelConfig,
  readModelConfigSource,
  toProblem,
} from "./config";
import { hubFolder } from "./config/core/hub-model";
import type { Path, ProblemDraft } from "./config/core/problems";

/**
 * From each model's config.json. Models with the same file share one object.
 *
 * @param baseDirectory base of relative paths: the folder of the environment's file.
 * @param name of the environment, for messages.
 * @throws ConfigError for an unreadable or invalid file.
 */
export async function readArchitectures(
  environment: EnvironmentConfig,
  baseDirectory: string,
  name = "<environment>",
): Promise<Map<string, ModelArchitecture>> {
  const missing = Object.entries(environment.models).flatMap(([model, config]) =>
    notKept(model, config, baseDirectory, name),
  );
  if (missing.length > 0) {
    throw new ConfigError(missing.map((draft) => toProblem(draft)));
  }
  const read = new Map<string, Promise<ModelArchitecture>>();
  const entries = Object.entries(environment.models).map(async ([name, model]) => {
    const key = model.model ?? model.config ?? name;
    const architecture = read.get(key) ?? readArchitecture(name, model, baseDirectory);
    read.set(key, architecture);
    return [name, await architecture] as const;
  });
  return new Map(await Promise.all(entries));
}

/**
 * A model's repository without files kept by `npm run pin`: plans do not ask servers. Canaries use
 * their model's.
 */
function notKept(
  model: string,
  { hub, config, revisionOf }: ModelConfig,
  baseDirectory: string,
  environment: string,
): ProblemDraft[] {
  if (hub === undefined || config === undefined || revisionOf || existsSync(resolve(baseDirectory, config))) {
    return [];
  }
  const value = sourceText("huggingface", `${hub.repository}@${hub.revision}`);
  const fix = `run npm run pin -- ${environment}, which writes the commit and keeps its config.json`;
  return [{ path: ["models", model, "model"], value, allowed: `a repository whose config.json is at ${config}`, fix }];
}

const catalogueModels = new Map<string, ModelArchitecture>();

/**
 * With the repository's separate quantization file. Always the same object, as the planner caches
 * derived values by it.
 */
export function readCatalogueModel(entry: ModelEntry): ModelArchitecture {
  const found = catalogueModels.get(entry.configPath) ?? parseCatalogueModel(entry);
  catalogueModels.set(entry.configPath, found);
  return found;
}

function parseCatalogueModel(entry: ModelEntry): ModelArchitecture {
  const quantization = join(dirname(entry.configPath), "hf_quant_config.json");
  return parseModelConfigText(readModelConfigFile(entry), {
    name: entry.name,
    quantization: existsSync(quantization)
      ? parseConfigJson(readFileSync(quantization, "utf8"), quantization)
      : undefined,
  });
}

async function readArchitecture(
  name: string,
  { model, config, hub }: ModelConfig,
  baseDirectory: string,
): Promise<ModelArchitecture> {
  if (model !== undefined) {
    const entry = findModel(model);
    if (!entry) {
      throw new Error(`unknown model "${model}"`);
    }
    return readCatalogueModel(entry);
  }
  const location = config ?? "";
  const { config: text, quantization } = await readModelConfigSource(name, location, { baseDirectory });
  const quantizationName = "hf_quant_config.json next to it";
  const damaged =
    hub && `remove the folder ${hubFolder(hub)} and run npm run pin again, or write config and source for other files`;
  return inConfig({ name, path: ["models", name, hub ? "model" : "config"], location, damaged }, async () =>
    parseModelConfigText(text, {
      name,
      checkpoint: await weightsBeside(location, text, baseDirectory),
      quantization: quantization === undefined ? undefined : parseConfigJson(quantization, quantizationName),
    }),
  );
}

/**
 * Weight files next to a config.json: always read in a folder; on a server only for unknown model
 * types, so that other plans need no network.
 */
async function weightsBeside(location: string, config: string, baseDirectory: string): Promise<Checkpoint | undefined> {
  const path = localPath(location, baseDirectory);
  if (path !== undefined) {
    return checkpointOf(path);
  }
  return hasReader(parseConfigJson(config)) ? undefined : readCheckpoint(filesBeside(location, {}));
}

interface ConfigPlace {
  readonly name: string;
  /** In the environment file. */
  readonly path: Path;
  readonly location: string;
  /** Fix for unusable files. @default for a user's own files */
  readonly damaged: string | undefined;
}

/** Reports config.json problems like other mistakes. */
async function inConfig(
  { name, path: inFile, location, damaged }: ConfigPlace,
  parse: () => Promise<ModelArchitecture>,
): Promise<ModelArchitecture> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof CheckpointError) {
      const allowed = `a config.json next to whole weight files, or alone; ${error.message}`;
      const fix = damaged ?? "download the checkpoint again, or keep config.json in a folder of its own";
      throw new ConfigError([toProblem({ path: inFile, value: location, allowed, fix })]);
    }
    if (!(error instanceof ModelConfigError)) {
      throw error;
    }
    const place = error.modelName === name ? "here" : `in the ${error.modelName}`;
    throw new ConfigError(
      error.problems.map(({ path, message, value, fix }) =>
        toProblem({
          path: inFile,
          value: location,
          allowed: `the config.json of a model; ${place} ${path === "(file)" ? "it" : `${path}:`} ${message} (found ${value})`,
          fix: fix ?? damaged ?? "name the model's own config.json from its Hugging Face repository, unchanged",
        }),
      ),
    );
  }
}
