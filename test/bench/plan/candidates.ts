/** How many layouts the search holds to a service level in a second, by the closed form. */
import { shapes } from "../../../catalog/shapes";
import { fitOnMachine } from "../../../planner/fitting";
import { levelRate } from "../../../planner/level/level-rate";
import type { ReplicaSpeed } from "../../../planner/level/replica-speed";
import { modelOf } from "../../planner/fixtures";

/** Dense ones of two sizes, and one of experts. */
const MODELS = ["llama-3.1-8b-instruct", "llama-3.3-70b-instruct", "gpt-oss-120b"] as const;

/** What a search over the catalogue and its formats comes to at most. */
const CANDIDATES = 20_000;
const MOST_NODES = 8;

/** CPU seconds of each round for so many candidates: other programs on the machine do not count. */
export interface CandidateUsage {
  readonly candidates: number;
  readonly layouts: number;
  readonly cpuSeconds: readonly number[];
}

/** @throws Error when no model fits any shape: then nothing is held to a level. */
export function measureCandidates(rounds: number, progress: (text: string) => void): CandidateUsage {
  const speeds = MODELS.flatMap((name) => shapes.flatMap((shape) => speedOf(name, shape)));
  if (speeds.length === 0) {
    throw new Error("no model has a layout with a known speed");
  }
  const cpuSeconds: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`round ${round} of ${rounds}: ${CANDIDATES} candidates`);
    const before = process.cpuUsage();
    for (let done = 0; done < CANDIDATES; done += 1) {
      const speed = speeds[done % speeds.length];
      if (speed !== undefined) {
        // No two alike: nothing can be remembered.
        levelRate(speed, { tpotMs: 20 + (done % 97), ttftMs: 500 + done });
      }
    }
    const { user, system } = process.cpuUsage(before);
    cpuSeconds.push((user + system) / 1e6);
  }
  return { candidates: CANDIDATES, layouts: speeds.length, cpuSeconds };
}

function speedOf(name: string, shape: (typeof shapes)[number]): ReplicaSpeed[] {
  const fit = fitOnMachine(modelOf(name, { name: "chat" }), shape, MOST_NODES);
  return "candidate" in fit && "speed" in fit.candidate.speed ? [fit.candidate.speed.speed] : [];
}
