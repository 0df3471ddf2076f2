import { BUSY_CALLER_SHARE, PROMPT_MEMORY_SHARE, TASK_MEMORY_SHARE } from "./memory-share";
import type { QueueMemory, Tasks } from "./task";

/** What is known of the server's memory is true for this long, in milliseconds. */
const KNOWN_FOR = 1_000;

/** While a prompt, or a task, is written, the server has it twice more: as it was read, and as an argument of the step that keeps it. */
const COPIES = 2;

/** What asks for room: prompts of a usual caller, or of one who asked most of what was asked lately, and tasks without prompts. */
export type RoomFor = "usual" | "busy" | "task";

const SHARES: Readonly<Record<RoomFor, number>> = {
  usual: PROMPT_MEMORY_SHARE,
  busy: BUSY_CALLER_SHARE,
  task: TASK_MEMORY_SHARE,
};

interface Look {
  readonly at: number;
  /** How much was used then. */
  readonly memory: Promise<QueueMemory>;
  /** By what was let in since, in bytes. */
  taken: number;
}

/** Lets prompts and tasks in as long as the queue's server has memory for them, those included that nobody has seen in its figures yet. */
export class QueueRoom {
  private look?: Look;
  /** Bytes that are being written. */
  private underWay = 0;

  constructor(
    private readonly tasks: Pick<Tasks, "memory">,
    private readonly now: () => number = Date.now,
  ) {}

  /** @returns to be called when so many bytes are written; undefined when there is no room for them. */
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
    // What is being written may not be in the server's figure yet.
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
