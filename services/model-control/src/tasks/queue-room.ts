import { BUSY_CALLER_SHARE, PROMPT_MEMORY_SHARE, TASK_MEMORY_SHARE } from "./memory-share";
import type { QueueMemory, Tasks } from "./task";

/** Cache time of the server's memory figures, in milliseconds. */
const KNOWN_FOR = 1_000;

/**
 * During a write, the server holds the data twice more: in its input buffer, and as a script
 * argument.
 */
const COPIES = 2;

/** Requesters of memory: prompts of a usual or a busy caller, and tasks without prompts. */
export type RoomFor = "usual" | "busy" | "task";

const SHARES: Readonly<Record<RoomFor, number>> = {
  usual: PROMPT_MEMORY_SHARE,
  busy: BUSY_CALLER_SHARE,
  task: TASK_MEMORY_SHARE,
};

interface Look {
  readonly at: number;
  /** Use at that time. */
  readonly memory: Promise<QueueMemory>;
  /** Bytes admitted since. */
  taken: number;
}

/**
 * Admits prompts and tasks while the queue server has memory, counting writes not yet in its
 * figures.
 */
export class QueueRoom {
  private look?: Look;
  /** Bytes being written. */
  private underWay = 0;

  constructor(
    private readonly tasks: Pick<Tasks, "memory">,
    private readonly now: () => number = Date.now,
  ) {}

  /** @returns function to call after the write; undefined without room. */
  async take(bytes: number, what: RoomFor): Promise<(() => void) | undefined> {
    const look = this.current();
    const { usedBytes, limitBytes } = await look.memory;
    const left = limitBytes === 0 ? Number.POSITIVE_INFINITY : limitBytes * SHARES[what] - usedBytes;
    if (left < look.taken + bytes + COPIES * (this.underWay + bytes)) {
      return undefined;
    }
    look.taken += bytes;
    this.underWay += bytes;
    return () => {
      this.underWay -= bytes;
    };
  }

  private current(): Look {
    if (this.look !== undefined && this.now() - this.look.at <= KNOWN_FOR) {
      return this.look;
    }
    const memory = this.tasks.memory();
    // The server's figure may not include writes in progress.
    const look = { at: this.now(), memory, taken: this.underWay };
    memory.catch(() => {
      if (this.look === look) {
        this.look = undefined;
      }
    });
    this.look = look;
    return look;
  }
}
