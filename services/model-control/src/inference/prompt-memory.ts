import type { Tasks } from "../tasks/task";
import { BUSY_CALLER_SHARE, PROMPT_MEMORY_SHARE } from "./memory-share";

/** What is known of the server's memory is true for this long, in milliseconds. */
const KNOWN_FOR = 1_000;

/** While a prompt is written, the server has it twice more: as it was read, and as an argument of the step that keeps it. */
const COPIES = 2;

/** `busy`: it asked most of what was asked lately. */
export type CallerKind = "busy" | "usual";

interface Look {
  readonly at: number;
  /** Bytes that prompts might take then. */
  readonly left: Promise<Readonly<Record<CallerKind, number>>>;
  /** By prompts that were let in since, in bytes. */
  taken: number;
}

/** Lets prompts in as long as the queue's server has memory for them, those included that nobody has seen in its figures yet. */
export class PromptMemory {
  private look?: Look;
  /** Bytes of prompts that are being written. */
  private underWay = 0;

  constructor(
    private readonly tasks: Pick<Tasks, "memory">,
    private readonly now: () => number = Date.now,
  ) {}

  /** @returns to be called when so many bytes are written; undefined when there is no room for them. */
  async take(bytes: number, caller: CallerKind): Promise<(() => void) | undefined> {
    const look = this.current();
    const { [caller]: left } = await look.left;
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
    const left = this.tasks.memory().then(({ usedBytes, limitBytes }) => {
      const below = (share: number) => (limitBytes === 0 ? Number.POSITIVE_INFINITY : limitBytes * share - usedBytes);
      return { usual: below(PROMPT_MEMORY_SHARE), busy: below(BUSY_CALLER_SHARE) };
    });
    // What is being written may not be in the server's figure yet.
    const look = { at: this.now(), left, taken: this.underWay };
    left.catch(() => {
      if (this.look === look) {
        this.look = undefined;
      }
    });
    this.look = look;
    return look;
  }
}
