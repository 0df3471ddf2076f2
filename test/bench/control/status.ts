import autocannon from "autocannon";
import { OPERATE } from "../../e2e/model-control/start-api";
import { percentile } from "./percentile";
import type { BenchStand } from "./stand";

/** One caller after another, and many at once. */
const CONNECTIONS = [1, 16] as const;
const SECONDS = 1;

/** What one round measured. */
export interface StatusRound {
  /** Answered questions per second. */
  readonly perSecond: number;
  readonly p50Seconds: number;
  readonly p99Seconds: number;
}

export interface StatusLoad {
  readonly name: string;
  readonly connections: number;
  readonly rounds: readonly StatusRound[];
}

interface Question {
  readonly name: string;
  readonly url: string;
  /** All of them together answer the question, one after the other. */
  readonly paths: readonly string[];
}

/**
 * Where is this model? Asked of Ollama itself, which takes two requests, and of the API. The first round is not counted:
 * it warms up.
 *
 * @throws Error when a request fails.
 */
export async function measureStatus(
  { api, ollamaUrl, model }: BenchStand,
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly StatusLoad[]> {
  const task = await api.pull(model);
  await api.ended(task);
  const questions: readonly Question[] = [
    { name: "Ollama, /api/tags and /api/ps", url: ollamaUrl, paths: ["/api/tags", "/api/ps"] },
    { name: "API, a model's status", url: api.url, paths: [`/models/${model}/status`] },
    { name: "API, a task's status", url: api.url, paths: [`/tasks/${task}/status`] },
    { name: "API, /livez", url: api.url, paths: ["/livez"] },
  ];
  const loads = CONNECTIONS.flatMap((connections) =>
    questions.map((question) => ({ question, connections, rounds: [] as StatusRound[] })),
  );
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "status: warming up" : `status: round ${round} of ${rounds}`);
    for (const load of loads) {
      const measured = await ask(load.question, load.connections);
      if (round > 0) {
        load.rounds.push(measured);
      }
    }
  }
  return loads.map(({ question: { name }, ...load }) => ({ name, ...load }));
}

async function ask({ name, url, paths }: Question, connections: number): Promise<StatusRound> {
  const milliseconds: number[] = [];
  const open = new Map<object, { answers: number; milliseconds: number }>();
  const run = autocannon({
    url,
    connections,
    duration: SECONDS,
    sampleInt: 100,
    headers: { authorization: `Bearer ${OPERATE}` },
    requests: paths.map((path) => ({ path })),
  });
  const began = performance.now();
  let ended = began;
  // autocannon's own percentiles are of whole milliseconds, and of single requests.
  run.on("response", (connection, _status, _bytes, took) => {
    const { answers, milliseconds: before } = open.get(connection) ?? { answers: 0, milliseconds: 0 };
    if (answers + 1 < paths.length) {
      open.set(connection, { answers: answers + 1, milliseconds: before + took });
      return;
    }
    open.delete(connection);
    milliseconds.push(before + took);
    ended = performance.now();
  });
  const { errors, timeouts, non2xx } = await run;
  if (errors + timeouts + non2xx > 0) {
    throw new Error(`${name}: ${non2xx} refused requests, ${errors} errors, ${timeouts} without an answer`);
  }
  return {
    perSecond: milliseconds.length / ((ended - began) / 1000),
    p50Seconds: percentile(milliseconds, 50) / 1000,
    p99Seconds: percentile(milliseconds, 99) / 1000,
  };
}
