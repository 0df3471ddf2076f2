/** How a check is followed while it runs. */
import type { CommandIo } from "../io";
import { Progress } from "../progress";
import { stepLine } from "./report";
import type { SmokeObserver } from "./run";

/** On a terminal one line that changes, else a line for each step. */
export function observer(io: CommandIo): SmokeObserver {
  return io.draw ? onTerminal(io) : inLog(io);
}

/** One line that is drawn over; the table tells the rest. */
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

/** Seconds between two lines about the same step. */
const LOG_SECONDS = 5;

/** A line for each step that ends, and now and then one about a step that takes long. */
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
