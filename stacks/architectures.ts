import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findModel, type ModelEntry, readModelConfigFile } from "../catalog/models";
import type { ModelArchitecture } from "../planner/model/architecture";
import { parseConfigJson, parseModelConfigText } from "../planner/model/config-json";
import { ModelConfigError } from "../planner/model/errors";
import { ConfigError, type EnvironmentConfig, type ModelConfig, readModelConfigSource, toProblem } from "./config";

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

/** The architecture of a catalogue model, with the quantization that its repository keeps in a file of its own. */
export function readCatalogueModel(entry: ModelEntry): ModelArchitecture {
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
  return inConfig(name, location, () =>
    parseModelConfigText(text, {
      name,
      quantization: quantization === undefined ? undefined : parseConfigJson(quantization, quantizationName),
    }),
  );
}

/** Says what is wrong with a config.json as every other mistake in an environment file is said. */
function inConfig(model: string, location: string, parse: () => ModelArchitecture): ModelArchitecture {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ModelConfigError)) {
      throw error;
    }
    const place = error.modelName === model ? "here" : `in the ${error.modelName}`;
    throw new ConfigError(
      error.problems.map(({ path, message, value }) =>
        toProblem({
          path: ["models", model, "config"],
          value: location,
          allowed: `the config.json of a model; ${place} ${path === "(file)" ? "it" : `${path}:`} ${message} (found ${value})`,
          fix: "name the model's own config.json from its Hugging Face repository, unchanged",
        }),
      ),
    );
  }
}
