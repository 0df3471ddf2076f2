/** Reads a model from a hub, bucket or web server: descriptions and headers only. */
import type { ModelArchitecture } from "../../planner/model/architecture";
import { parseModelConfigText } from "../../planner/model/config-json";
import type { CheckpointFiles } from "../../stacks/checkpoint/files";
import { readCheckpoint } from "../../stacks/checkpoint/read";
import { filesBeside, RemoteFiles } from "../../stacks/checkpoint/remote";
import { commitOf, filesOf, hubOf } from "../pin/hub";
import { publishedConfig } from "../published-config";
import { BadInput } from "./bad-input";

/** Whether a model is named by URL. */
export function isRemote(model: string): boolean {
  return /^(hf|s3|https):\/\//.test(model);
}

/**
 * hf://organization/name[@revision], s3://bucket/folder or https://host/folder.
 *
 * @throws BadInput, CheckpointError, HubError, ModelConfigError
 */
export async function readRemoteModel(location: string, env: NodeJS.ProcessEnv): Promise<ModelArchitecture> {
  const { files, name } = await filesAt(location, env);
  const config = await publishedConfig(files);
  if (config === undefined) {
    throw new BadInput(`${name} has no config.json: name the folder that holds it`);
  }
  const checkpoint = await readCheckpoint(files);
  return parseModelConfigText(config.text, { name, quantization: config.quantization, checkpoint });
}

async function filesAt(
  location: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly files: CheckpointFiles; readonly name: string }> {
  if (!location.startsWith("hf://")) {
    const folder = location.replace(/\/?(config\.json)?$/, "/");
    return { files: filesBeside(folder, { env }), name: folder };
  }
  const [, repository, revision = "main"] = /^hf:\/\/([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?$/.exec(location) ?? [];
  if (repository === undefined) {
    throw new BadInput(
      `"${location}" names no repository: write hf://organization/name, or hf://organization/name@revision`,
    );
  }
  const hub = hubOf(env);
  // files must be of one commit
  const commit = await commitOf(hub, repository, revision);
  return { files: new RemoteFiles(filesOf(hub, repository, commit)), name: `hf://${repository}@${commit}` };
}
