import { setTimeout as sleep } from "node:timers/promises";
import type { BenchStand } from "./stand";

/** Between looks at what is not done yet, in milliseconds. */
const LOOK = 10;
const LONGEST = 60_000;

/** Seconds of each alternative, one per round, for one change of what is in memory. */
export interface ResidencyComparison {
  readonly change: "load" | "unload";
  readonly directSeconds: readonly number[];
  readonly apiSeconds: readonly number[];
}

/**
 * A model into memory and out again: by Ollama's own calls, and through the API, where a load is a task. Both end when a
 * caller can know that it is done.
 *
 * @throws Error when one of them fails, or takes a minute.
 */
export async function measureResidency(
  { api, ollamaUrl, model }: BenchStand,
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly ResidencyComparison[]> {
  const keep = async (keep_alive: number) => {
    const body = JSON.stringify({ model, keep_alive, stream: false });
    const response = await fetch(`${ollamaUrl}/api/generate`, { method: "POST", body });
    if (!response.ok) {
      throw new Error(`Ollama answered ${response.status}: ${await response.text()}`);
    }
    await response.text();
  };
  const isLoaded = async () => {
    const { models } = (await (await fetch(`${ollamaUrl}/api/ps`)).json()) as { readonly models: readonly object[] };
    return models.length > 0;
  };
  const steps = {
    directLoad: () => keep(-1),
    directUnload: async () => {
      // Ollama answers at once, and unloads afterwards.
      await keep(0);
      await until(`Ollama to unload ${model}`, async () => !(await isLoaded()));
    },
    apiLoad: async () => {
      const { status, body } = await api.ask("POST", "/models/load", { model });
      if (status !== 202) {
        throw new Error(`the API answered ${status}: ${body.detail}`);
      }
      await until(`task ${body.task_id}`, async () => {
        const { state, error } = await api.task(body.task_id);
        if (state === "failed") {
          throw new Error(`the load failed: ${error}`);
        }
        return state === "completed";
      });
    },
    apiUnload: async () => {
      const { status, body } = await api.ask("DELETE", `/models/${model}`);
      if (status !== 200) {
        throw new Error(`the API answered ${status}: ${body.detail}`);
      }
    },
  };
  const measured = {
    directLoad: [] as number[],
    directUnload: [] as number[],
    apiLoad: [] as number[],
    apiUnload: [] as number[],
  };
  await steps.apiUnload();
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "load and unload: warming up" : `load and unload: round ${round} of ${rounds}`);
    for (const step of ["directLoad", "directUnload", "apiLoad", "apiUnload"] as const) {
      const began = performance.now();
      await steps[step]();
      if (round > 0) {
        measured[step].push((performance.now() - began) / 1000);
      }
    }
  }
  return [
    { change: "load", directSeconds: measured.directLoad, apiSeconds: measured.apiLoad },
    { change: "unload", directSeconds: measured.directUnload, apiSeconds: measured.apiUnload },
  ];
}

async function until(what: string, done: () => Promise<boolean>): Promise<void> {
  const latest = performance.now() + LONGEST;
  while (!(await done())) {
    if (performance.now() > latest) {
      throw new Error(`waited ${LONGEST / 1000} s for ${what}`);
    }
    await sleep(LOOK);
  }
}
