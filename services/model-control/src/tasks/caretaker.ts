import type { Logger } from "pino";
import type { TaskReport } from "./task";
import type { TaskQueue } from "./task-queue";

/** What unfinished inference tasks wait for. */
export interface Wanted {
  /** Models that they ask. */
  readonly models: ReadonlySet<string>;
  /** Ids of the tasks that bring these. */
  readonly helpers: ReadonlySet<string>;
}

interface Surroundings {
  readonly tasks: Pick<TaskQueue, "helpers" | "abandon" | "forgetSurplus">;
  /** Not given: there is no asynchronous inference. */
  readonly wanted?: () => Promise<Wanted>;
  readonly log: Pick<Logger, "info" | "warn">;
}

const NOTHING: Wanted = { models: new Set(), helpers: new Set() };

/** Has the queue heal by itself: what nobody waits for any more is cancelled, and what should never have got in is forgotten. */
export class Caretaker {
  /** Helpers that nobody waited for at the last look: who has just asked for one is known to wait for it a moment later. */
  private unwanted: ReadonlySet<string> = new Set();

  constructor(private readonly surroundings: Surroundings) {}

  /** One look; to be repeated. @throws QueueUnavailable */
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
