import { parseConfigJson } from "../planner/model/config-json";
import type { CheckpointFiles } from "../stacks/checkpoint/files";

/** As for every config.json. */
const MAX_BYTES = 5 * 1024 * 1024;

export interface PublishedConfig {
  /** config.json */
  readonly text: string;
  /** hf_quant_config.json, if any. */
  readonly quantization: unknown;
}

/**
 * Undefined without a config.json.
 *
 * @throws ModelConfigError for a hf_quant_config.json that is no JSON, HubError
 */
export async function publishedConfig(files: CheckpointFiles): Promise<PublishedConfig | undefined> {
  const text = await files.text("config.json", MAX_BYTES);
  if (text === undefined) {
    return undefined;
  }
  const quantization = await files.text("hf_quant_config.json", MAX_BYTES);
  return {
    text,
    quantization: quantization === undefined ? undefined : parseConfigJson(quantization, "hf_quant_config.json"),
  };
}
