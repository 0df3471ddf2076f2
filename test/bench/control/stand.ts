import { ControlStand } from "../../e2e/model-control/control-stand";
import { tinyLlama } from "../../e2e/model-control/registry";
import type { Api } from "../../e2e/model-control/start-api";
import { AT_ONCE } from "./answers";

/** On the engine's disk; the first of them is asked for. */
export const MODELS = 5;

/** The API and what it stands on, with models on the engine's disk and one of them in its memory. */
export interface BenchStand {
  readonly api: Api;
  readonly ollamaUrl: string;
  readonly model: string;
}

/** @throws Error that names the command which installs a missing part. */
export async function withStand<T>(work: (stand: BenchStand) => Promise<T>): Promise<T> {
  const stand = await ControlStand.start();
  try {
    // The rate limit is for callers, not for measurements.
    const limits = { requestsPerMinute: 1_000_000_000 };
    // One slot more than the one caller asks for: the last one is kept for others.
    const api = await stand.replica({ limits, inference: { concurrency: AT_ONCE + 1 } });
    const models = Array.from({ length: MODELS }, (_, i) =>
      stand.registry.publish(`bench-${i}:latest`, tinyLlama({ seed: stand.nextSeed() })),
    );
    const [model = ""] = models;
    for (const name of models) {
      const { state, error } = await api.ended(await api.pull(name, { load: name === model }));
      if (state !== "completed") {
        throw new Error(`the pull of ${name} failed: ${error}`);
      }
    }
    return await work({ api, ollamaUrl: stand.ollama.url, model });
  } finally {
    await stand.stop();
  }
}
