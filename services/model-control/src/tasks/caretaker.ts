import type { Logger } from "pino";
import type { TaskReport } from "./task";
import type { TaskQueue } from "./task-queue";

/** What unfinished inference tasks wait for. */
export interface Wanted {
  /** Requested models. */
  readonly models: ReadonlySet<string>;
  /** Ids of tasks that provide the models. */
  readonly helpers: ReadonlySet<string>;
}

interface Surroundings {
  readonly tasks: Pick<TaskQueue, "helpers" | "abandon" | "forgetSurplus">;
  /** @default none: no asynchronous inference */
  readonly wanted?: () => Promise<Wanted>;
  readonly log: Pick<Logger, "info" | "warn">;
}

const NOTHING: Wanted = { models: new Set(), helpers: new Set() };

/** Cancels helper tasks without waiting tasks, and removes surplus pulls. */
export class Caretaker {
  /** Unwanted helpers at the last check; a new helper's task may not be recorded yet. */
  private unwanted: ReadonlySet<string> = new Set();

  constructor(private readonly surroundings: Surroundings) {}

  /**
   * One pass, called periodically.
   * @throws QueueUnavailable
   */
  async look(): Promise<void> {
    await this.forgetSurplus();
    const { tasks, wanted, log } = this.surroundings;
    const helpers = await tasks.helpers();
    const { models, helpers: awaited } = helpers.length === 0 ? NOTHING : await (wanted?.() ?? NOTHING);
    const isWanted = ({ id, model }: TaskReport) => awaited.has(id) || (model !== undefined && models.has(model));
    const unwanted = helpers.filter((helper) => !isWanted(helper)).map(({ id }) => id);
    for (const id of unwanted) {
      if (this.unwanted.has(id) && (await tasks.abandon(id))) {
        log.info({ task: id }, "task cancelled: no inference task waits for it any more");
      }
    }
    this.unwanted = new Set(unwanted);
  }

  private async forgetSurplus(): Promise<void> {
    const { tasks, log } = this.surroundings;
    let forgotten = 0;
    for (let some = await tasks.forgetSurplus(); some > 0; some = await tasks.forgetSurplus()) {
      forgotten += some;
    }
    if (forgotten > 0) {
      log.warn(
        { pulls: forgotten },
        'pulls without owners were forgotten: more waited than "pulls.queuedPerCaller" allows',
      );
    }
  }
}
