import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findModel, readModelConfigFile } from "../catalog/models";
import type { ModelArchitecture } from "../planner/model/architecture";
import { parseConfigJson, parseModelConfigText } from "../planner/model/config-json";
import { type EnvironmentConfig, type ModelConfig, readModelConfigSource } from "./config";

/**
 * The architecture of every model of an environment, read from its real config.json. Models that name the same
 * file share one object.
 *
 * @param baseDirectory where relative paths start: the folder of the environment's file.
 * @throws ConfigError for a file that cannot be read, ModelConfigError for one that makes no sense.
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
    const quantization = join(dirname(entry.configPath), "hf_quant_config.json");
    return parseModelConfigText(readModelConfigFile(entry), {
      name: entry.name,
      quantization: existsSync(quantization)
        ? parseConfigJson(readFileSync(quantization, "utf8"), quantization)
        : undefined,
    });
  }
  const { config: text, quantization } = await readModelConfigSource(name, config ?? "", { baseDirectory });
  return parseModelConfigText(text, {
    name,
    quantization:
      quantization === undefined ? undefined : parseConfigJson(quantization, `hf_quant_config.json of ${name}`),
  });
}
