/** Ollama's default context length, by GPU memory. */
import { findShape, gpuOfCard } from "../../catalog/shapes";
import { compareVersions } from "../../names/versions";
import type { ModelDraft } from "./draft";
import type { ResolvedMachine, SettledModel } from "./environment";
import { gpusPerPod, type ImportedPool } from "./pools";

/** Minimum GiB and length: server/routes.go of Ollama 0.32. */
const BY_MEMORY = [
  { gib: 47, tokens: 262_144 },
  { gib: 23, tokens: 32_768 },
] as const;

const OTHERWISE = 4096;

/** First release that uses the memory. */
const SINCE = "0.15.5";

/** Sets the length of models without one. */
export function takeOwnLengths(
  models: readonly SettledModel[],
  machines: ReadonlyMap<ImportedPool, ResolvedMachine>,
): void {
  for (const [pool, machine] of machines) {
    for (const model of models.filter(({ draft }) => pool.models.includes(draft))) {
      const { engine, settings } = model.draft;
      if (engine === "ollama" && settings.contextTokens === undefined) {
        const gib = memoryOf(model.draft, pool, machine);
        const isOld = typeof settings.engineVersion === "string" && compareVersions(settings.engineVersion, SINCE) < 0;
        const tokens = (isOld ? undefined : BY_MEMORY.find((row) => gib >= row.gib)?.tokens) ?? OTHERWISE;
        model.contextTokens = Math.min(tokens, model.ownTokens ?? tokens);
        model.contextReason = `default: what Ollama takes with ${Math.round(gib)} GiB of GPU memory`;
      }
    }
  }
}

function memoryOf(draft: ModelDraft, pool: ImportedPool, { shape, card }: ResolvedMachine): number {
  const gpu = findShape(shape ?? "")?.gpu ?? gpuOfCard(card);
  return gpu === undefined ? 0 : (gpu.memoryGiB * gpusPerPod(draft)) / (pool.machine.slicesPerGpu ?? 1);
}
