/** Keeps a model's config.json and weight file headers next to an environment's file. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CheckpointError } from "../../planner/model/checkpoint/errors";
import { INDEX_FILE } from "../../planner/model/checkpoint/index-file";
import { LENGTH_BYTES } from "../../planner/model/checkpoint/safetensors-header";
import { ModelConfigError, parseConfigJson, parseModelConfigText } from "../../planner/model/config-json";
import type { CheckpointFiles } from "../../stacks/checkpoint/files";
import { KEPT_HEADERS, type KeptHeader, packHeaders } from "../../stacks/checkpoint/kept-headers";
import { readCheckpoint } from "../../stacks/checkpoint/read";
import { RemoteFiles } from "../../stacks/checkpoint/remote";
import { hubFolder } from "../../stacks/config/core/hub-model";
import { filesOf, type Hub, HubError } from "./hub";

/** By file name. */
export type Description = ReadonlyMap<string, string | Uint8Array>;

/** As for every config.json. */
const MAX_BYTES = 5 * 1024 * 1024;

const UNFINISHED = ".unfinished-";

export function isKept(baseDirectory: string, repository: string, commit: string): boolean {
  return existsSync(join(baseDirectory, hubFolder({ repository, revision: commit }), "config.json"));
}

/**
 * Reads a description and checks that it can be planned.
 * @throws HubError where the hub refuses, answers otherwise, or no plan is possible
 */
export async function describe(hub: Hub, repository: string, commit: string): Promise<Description> {
  const name = `hf://${repository}@${commit}`;
  const remote = new RemoteFiles(filesOf(hub, repository, commit));
  try {
    const config = await remote.text("config.json", MAX_BYTES);
    if (config === undefined) {
      throw new HubError(`${name} has no config.json: name a repository of Hugging Face weights, not of GGUF or MLX`);
    }
    const quantization = await remote.text("hf_quant_config.json", MAX_BYTES);
    const recorded = recording(remote);
    const checkpoint = await readCheckpoint(recorded.files);
    parseModelConfigText(config, {
      name,
      checkpoint,
      quantization: quantization === undefined ? undefined : parseConfigJson(quantization, "hf_quant_config.json"),
    });
    const index = recorded.texts.get(INDEX_FILE);
    return new Map<string, string | Uint8Array>([
      ["config.json", config],
      ...(quantization === undefined ? [] : [["hf_quant_config.json", quantization] as const]),
      ...(checkpoint?.from === "headers" ? [[KEPT_HEADERS, packHeaders(recorded.headers())] as const] : []),
      ...(checkpoint?.from === "index" && index !== undefined ? [[INDEX_FILE, index] as const] : []),
    ]);
  } catch (error) {
    if (error instanceof CheckpointError || error instanceof ModelConfigError) {
      throw new HubError(`${name}: ${error.message}`);
    }
    throw error;
  }
}

/** Atomic. */
export function keep(baseDirectory: string, repository: string, commit: string, description: Description): void {
  const folder = join(baseDirectory, hubFolder({ repository, revision: commit }));
  const parent = dirname(folder);
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent).filter((each) => each.startsWith(`${UNFINISHED}${basename(folder)}-`))) {
    rmSync(join(parent, name), { recursive: true });
  }
  const unfinished = mkdtempSync(join(parent, `${UNFINISHED}${basename(folder)}-`));
  try {
    for (const [name, content] of description) {
      writeFileSync(join(unfinished, name), content);
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

interface Recording {
  readonly files: CheckpointFiles;
  readonly texts: ReadonlyMap<string, string>;
  headers(): readonly KeptHeader[];
}

/** Records read texts and headers. */
function recording(files: CheckpointFiles): Recording {
  const texts = new Map<string, string>();
  const headers = new Map<string, KeptHeader>();
  return {
    texts,
    headers: () => [...headers.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    files: {
      text: async (name, mostBytes) => {
        const text = await files.text(name, mostBytes);
        if (text !== undefined) {
          texts.set(name, text);
        }
        return text;
      },
      part: async (name, begin, length) => {
        const part = await files.part(name, begin, length);
        if (part !== undefined && begin === LENGTH_BYTES) {
          headers.set(name, { name, bytes: part.fileBytes, header: new TextDecoder().decode(part.bytes) });
        }
        return part;
      },
    },
  };
}
