import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findModel, type ModelEntry, readModelConfigFile } from "../catalog/models";
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

/**
 * The architecture of every model of an environment, read from its real config.json. Models that name the same
 * file share one object.
 *
 * @param baseDirectory where relative paths start: the folder of the environment's file.
 * @throws ConfigError for a file that cannot be read or makes no sense.
 */
export async function readArchitectures(
  environment: EnvironmentConfig,
  baseDirectory: string,
): Promise<Map<string, ModelArchitecture>> {
  const read = new Map<string, Promise<ModelArchitecture>>();
  const entries = Object.entries(environment.models).map(async ([name, model]) => {
    const key = model.model ?? model.config ?? name;
    const architecture = read.get(key) ?? readArchitecture(name, model, baseDirectory);
    read.set(key, architecture);
    return [name, await architecture] as const;
  });
  return new Map(await Promise.all(entries));
}

const catalogueModels = new Map<string, ModelArchitecture>();

/**
 * The architecture of a catalogue model, with the quantization that its repository keeps in a file of its own. It is the same
 * object each time: what the planner derives from an architecture, it keeps with it.
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
  { model, config }: ModelConfig,
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
  const quantizationName = "hf_quant_config.json beside it";
  return inConfig(name, location, async () =>
    parseModelConfigText(text, {
      name,
      checkpoint: await weightsBeside(location, text, baseDirectory),
      quantization: quantization === undefined ? undefined : parseConfigJson(quantization, quantizationName),
    }),
  );
}

/**
 * What the weight files beside a config.json say. Those of a folder are always asked; those of a server only for a model
 * type that no reader knows, because a plan of the others does not depend on the network.
 */
async function weightsBeside(location: string, config: string, baseDirectory: string): Promise<Checkpoint | undefined> {
  const path = localPath(location, baseDirectory);
  if (path !== undefined) {
    return checkpointOf(path);
  }
  return hasReader(parseConfigJson(config)) ? undefined : readCheckpoint(filesBeside(location, {}));
}

/** Says what is wrong with a config.json as every other mistake in an environment file is said. */
async function inConfig(
  model: string,
  location: string,
  parse: () => Promise<ModelArchitecture>,
): Promise<ModelArchitecture> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof CheckpointError) {
      const allowed = `a config.json beside whole weight files, or alone; ${error.message}`;
      const fix = "download the checkpoint again, or keep config.json in a folder of its own";
      throw new ConfigError([toProblem({ path: ["models", model, "config"], value: location, allowed, fix })]);
    }
    if (!(error instanceof ModelConfigError)) {
      throw error;
    }
    const place = error.modelName === model ? "here" : `in the ${error.modelName}`;
    throw new ConfigError(
      error.problems.map(({ path, message, value, fix }) =>
        toProblem({
          path: ["models", model, "config"],
          value: location,
          allowed: `the config.json of a model; ${place} ${path === "(file)" ? "it" : `${path}:`} ${message} (found ${value})`,
          fix: fix ?? "name the model's own config.json from its Hugging Face repository, unchanged",
        }),
      ),
    );
  }
}
