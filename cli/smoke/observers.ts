/** Progress of a check. */
import type { CommandIo } from "../io";
import { Progress } from "../progress";
import { stepLine } from "./report";
import type { SmokeObserver } from "./run";

/** A changing line on a terminal, else a line per step. */
export function observer(io: CommandIo): SmokeObserver {
  return io.draw ? onTerminal(io) : inLog(io);
}

/** A redrawn line; the table has the rest. */
function onTerminal(io: CommandIo): SmokeObserver {
  let line: Progress | undefined;
  return {
    started: (step) => {
      line = new Progress(io, step, 300);
    },
    progress: (_, what) => line?.update(what),
    ended: () => line?.stop(),
  };
}

/** Interval of lines about one step. */
const LOG_SECONDS = 5;

/** A line per finished step, and occasional ones for slow steps. */
function inLog(io: CommandIo): SmokeObserver {
  let next = 0;
  return {
    started: () => {
      next = performance.now() + LOG_SECONDS * 1000;
    },
    progress: (step, what) => {
      if (performance.now() < next) {
        return;
      }
      next = performance.now() + LOG_SECONDS * 1000;
      io.err(`… ${step}: ${what}\n`);
    },
    ended: (result) => io.err(stepLine(result)),
  };
}
