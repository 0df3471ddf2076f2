import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import { parseModelConfigText } from "../../../planner/model/config-json";
import { requirePart } from "../../../rehearsal/parts/find";
import type { RepositoryFiles } from "../../e2e/model-store/hub";

/** A Llama of 0.7 MB with random weights, and a LoRA adapter for it: what make_model.py writes. */
export interface TinyModel {
  readonly architecture: ModelArchitecture;
  /** Of the checkpoint, by name. */
  readonly files: RepositoryFiles;
  /** Of the adapter, by name. */
  readonly adapter: RepositoryFiles;
}

/** @param size a larger one: width and number of its layers. */
export function makeTinyModel(size: readonly [hidden: number, layers: number] | readonly [] = []): TinyModel {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-engines-"));
  try {
    const script = join(repositoryRoot(), "test", "engines-real", "vllm", "make_model.py");
    execFileSync(requirePart("vllm-python"), ["-B", script, folder, ...size.map(String)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const files = filesIn(join(folder, "model"));
    const architecture = parseModelConfigText(String(files["config.json"]), { name: "tiny" });
    return { architecture, files, adapter: filesIn(join(folder, "adapter")) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function filesIn(folder: string): RepositoryFiles {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}
