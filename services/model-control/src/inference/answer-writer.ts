import { newFence } from "./fence";
import type { Item } from "./record";
import type { InferenceStore } from "./store";

/**
 * Write interval of a growing answer, in milliseconds, and heartbeat interval otherwise: an engine
 * may reason for minutes.
 */
const WRITE_EVERY = 1_000;

/** Retry time of the last write at `WRITE_EVERY`, in milliseconds: a full server may recover. */
const END_PATIENCE = 60_000;

/** Another process took the item, or its task was deleted. */
export class ItemLost extends Error {}

/**
 * Writes an attempt's answer as it grows. Fences refuse outdated attempts, so no prompt gets two
 * answers.
 */
export class AnswerWriter {
  fence: number;
  private text = "";
  private begun = false;
  private isDirty = false;
  private isWriting = false;
  private current: Item;
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private lost?: ItemLost;
  private tellLost: (reason: ItemLost) => void = () => undefined;

  /** @param fence of the item when read. */
  constructor(
    private readonly store: Pick<InferenceStore, "write">,
    private readonly id: string,
    private readonly index: number,
    fence: number,
    claimed: Item,
  ) {
    this.fence = fence;
    this.current = claimed;
  }

  /** Whether the first token arrived: the prompt is not retried after it. */
  get hasBegun(): boolean {
    return this.begun;
  }

  get item(): Item {
    return this.current;
  }

  /**
   * Called when a write is refused.
   * @returns function that unsubscribes.
   */
  onLost(tell: (reason: ItemLost) => void): () => void {
    this.tellLost = tell;
    return () => {
      this.tellLost = () => undefined;
    };
  }

  /**
   * Takes the item with a new fence.
   * @throws ItemLost
   */
  async claim(): Promise<void> {
    const fence = newFence();
    await this.put({ current: this.fence, next: fence });
    this.fence = fence;
    this.timer = setInterval(() => {
      // At most one pending write, while the server is unreachable.
      if (!this.isWriting) {
        this.flush();
      }
    }, WRITE_EVERY);
  }

  /**
   * Returns once the first piece is written, so every process knows the answer began.
   * @throws ItemLost
   */
  async add(text: string): Promise<void> {
    if (this.lost !== undefined) {
      throw this.lost;
    }
    this.text += text;
    this.isDirty = true;
    if (this.begun) {
      return;
    }
    this.begun = true;
    this.current = { ...this.current, begun: true, firstTokenAt: Date.now() };
    this.flush();
    await this.writing;
    if (this.lost !== undefined) {
      throw this.lost;
    }
  }

  /**
   * Last write, with a new fence.
   * @throws ItemLost, or the cause if it cannot be written in time.
   */
  async end(item: Item): Promise<void> {
    this.close();
    await this.writing;
    if (this.lost !== undefined) {
      throw this.lost;
    }
    this.current = item;
    const next = newFence();
    const until = Date.now() + END_PATIENCE;
    for (;;) {
      try {
        await this.put({ current: this.fence, next }, this.begun ? this.text : undefined);
        break;
      } catch (error) {
        if (error instanceof ItemLost || Date.now() >= until) {
          throw error;
        }
        // Not node:timers/promises: fake timers do not control it.
        await new Promise((resolve) => setTimeout(resolve, WRITE_EVERY));
      }
    }
    this.fence = next;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private flush(): void {
    this.isWriting = true;
    this.writing = this.writing.then(() => this.writeNow());
  }

  private async writeNow(): Promise<void> {
    const grew = this.isDirty;
    this.isDirty = false;
    try {
      await this.put({ current: this.fence, next: this.fence }, grew ? this.text : undefined);
    } catch (error) {
      // Unwritten text goes out with the next piece, or at the end.
      this.isDirty ||= grew;
      if (error instanceof ItemLost) {
        this.lost = error;
        this.close();
        this.tellLost(error);
      }
    } finally {
      this.isWriting = false;
    }
  }

  private async put(fence: { readonly current: number; readonly next: number }, answer?: string): Promise<void> {
    const written = await this.store.write(
      this.id,
      this.index,
      fence,
      this.current,
      answer === "" ? undefined : answer,
    );
    if (written !== "written") {
      throw new ItemLost(written);
    }
  }
}
