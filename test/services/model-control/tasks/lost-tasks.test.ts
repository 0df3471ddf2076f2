import { describe, expect, it } from "vitest";
import type { TaskJob } from "../../../../services/model-control/src/tasks/job";
import { mustWait } from "../../../../services/model-control/src/tasks/lost-tasks";

type Jobs = Parameters<typeof mustWait>[1]["getJobs"];

function job(id: string, stalledCounter: number): TaskJob {
  return { id, stalledCounter } as TaskJob;
}

/** A lane in which these wait and these run, the one that asks among them. */
function lane(waiting: readonly TaskJob[], running: readonly TaskJob[]) {
  const getJobs = async ([type]: readonly string[]) => [...(type === "wait" ? waiting : running)];
  return { getJobs: getJobs as unknown as Jobs };
}

describe("a task that was lost", () => {
  it.each([
    ["was never lost: it goes at once, whoever waits", 0, [job("b", 0)], [], false],
    ["was lost once: those that were never tried go first", 1, [job("b", 0)], [], true],
    ["was lost once, and so was who waits: it goes", 1, [job("b", 1)], [], false],
    ["was lost once: it may run beside others", 1, [], [job("b", 0), job("c", 2)], false],
    ["was lost twice: it runs while none of its kind does", 2, [], [job("b", 1)], false],
    ["was lost twice: it does not run beside one of its kind", 2, [], [job("b", 2)], true],
  ] as const)("%s", async (_, losses, waiting, running, expected) => {
    const asking = job("a", losses);
    expect(await mustWait(asking, lane(waiting, [asking, ...running]))).toBe(expected);
  });
});
