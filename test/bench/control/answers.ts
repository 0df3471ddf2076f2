import { setTimeout as sleep } from "node:timers/promises";
import type { BenchStand } from "./stand";

/** Prompts of one round of an alternative, and tokens of each answer. */
export const PROMPTS = 24;
export const TOKENS = 8;

/** At the same time, where not one after another: as many answers as all callers together get by default. */
export const AT_ONCE = 4;

/** Between looks at what is not answered yet, in milliseconds; each costs the API a read. */
const LOOK = 10;
const LONGEST = 60_000;

/** Seconds that all prompts of a round took, one per round. */
export interface AnswersLoad {
  readonly name: string;
  readonly atOnce: number;
  readonly roundSeconds: readonly number[];
}

/**
 * The same prompts answered by Ollama's own call and through tasks of the API: one after another, as one batch, and several
 * at once. All end when the caller has read the last answer. The first round is not counted: it warms up.
 *
 * @throws Error when one of them is not answered whole, or takes a minute.
 */
export async function measureAnswers(
  { api, ollamaUrl, model }: BenchStand,
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly AnswersLoad[]> {
  const loaded = await api.ended(await api.pull(model));
  if (loaded.state !== "completed") {
    throw new Error(`${model} could not be loaded: ${loaded.error}`);
  }
  const direct = async (prompt: string) => {
    const body = JSON.stringify({ model, prompt, stream: true, keep_alive: -1, options: { num_predict: TOKENS } });
    const response = await fetch(`${ollamaUrl}/api/generate`, { method: "POST", body });
    const text = await response.text();
    if (!response.ok || !text.includes('"done":true')) {
      throw new Error(`Ollama answered ${response.status}: ${text}`);
    }
  };
  const task = async (prompt: string | readonly string[]) => {
    const { status, body } = await api.ask("POST", "/inference", { model, prompt, options: { max_tokens: TOKENS } });
    if (status !== 202) {
      throw new Error(`the API answered ${status}: ${body.detail}`);
    }
    await collected(api, body.task_id);
  };
  const ways = [
    { name: "Ollama", atOnce: 1, run: (prompts: readonly string[]) => inTurn(prompts, 1, direct) },
    { name: "API, a task each", atOnce: 1, run: (prompts: readonly string[]) => inTurn(prompts, 1, task) },
    { name: "API, one batch", atOnce: 1, run: (prompts: readonly string[]) => task(prompts) },
    { name: "Ollama", atOnce: AT_ONCE, run: (prompts: readonly string[]) => inTurn(prompts, AT_ONCE, direct) },
    { name: "API, a task each", atOnce: AT_ONCE, run: (prompts: readonly string[]) => inTurn(prompts, AT_ONCE, task) },
    {
      name: "API, all handed in at once",
      atOnce: AT_ONCE,
      run: (prompts: readonly string[]) => inTurn(prompts, prompts.length, task),
    },
  ].map((way) => ({ ...way, roundSeconds: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "answers: warming up" : `answers: round ${round} of ${rounds}`);
    for (const [index, { run, roundSeconds }] of ways.entries()) {
      // No engine may know a prompt from before.
      const prompts = Array.from({ length: PROMPTS }, (_, i) => `${round} ${index} ${i} and what comes next`);
      const began = performance.now();
      await run(prompts);
      if (round > 0) {
        roundSeconds.push((performance.now() - began) / 1000);
      }
    }
  }
  return ways.map(({ run: _, ...load }) => load);
}

async function collected(api: BenchStand["api"], id: string): Promise<void> {
  const latest = performance.now() + LONGEST;
  for (;;) {
    const { body } = await api.ask<Collected>("GET", `/inference/${id}`);
    if (body.state === "completed" && body.items.every(({ completion_tokens }) => completion_tokens === TOKENS)) {
      return;
    }
    if (body.state === "completed" || body.state === "failed") {
      throw new Error(`task ${id} ended without all its answers: ${JSON.stringify(body)}`);
    }
    if (performance.now() > latest) {
      throw new Error(`waited ${LONGEST / 1000} s for task ${id}`);
    }
    await sleep(LOOK);
  }
}

interface Collected {
  readonly state: string;
  readonly items: readonly { readonly completion_tokens?: number }[];
}

/** Works on all of them, so many at the same time. */
async function inTurn(
  prompts: readonly string[],
  atOnce: number,
  work: (prompt: string) => Promise<void>,
): Promise<void> {
  const left = [...prompts];
  const worker = async () => {
    for (let prompt = left.shift(); prompt !== undefined; prompt = left.shift()) {
      await work(prompt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
