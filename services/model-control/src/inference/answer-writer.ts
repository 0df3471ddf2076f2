import { newFence } from "./fence";
import type { Item } from "./record";
import type { InferenceStore } from "./store";

/**
 * How often an answer that grows is written, in milliseconds. One that does not grow gives a sign of life as often: an engine may
 * think for minutes, and whoever is at its answer must not be taken for dead.
 */
const WRITE_EVERY = 1_000;

/** How long the last write is tried, once each `WRITE_EVERY`, in milliseconds: a server that is full takes none for a while. */
const END_PATIENCE = 60_000;

/** The item is somebody else's now, or its task is gone: nothing more is to be done about it. */
export class ItemLost extends Error {}

/**
 * Writes one attempt's answer as it grows. Every write names the attempt's fence: what comes from an attempt that is not the
 * current one any more is refused, so that there is never a second answer.
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

  /** @param fence that the item had when it was looked at. */
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

  /** Whether the first token is there: it is put to no engine any more. */
  get hasBegun(): boolean {
    return this.begun;
  }

  get item(): Item {
    return this.current;
  }

  /** Told when a write was refused. @returns ends it. */
  onLost(tell: (reason: ItemLost) => void): () => void {
    this.tellLost = tell;
    return () => {
      this.tellLost = () => undefined;
    };
  }

  /** Takes the item, with a fence of its own. @throws ItemLost */
  async claim(): Promise<void> {
    const fence = newFence();
    await this.put({ current: this.fence, next: fence });
    this.fence = fence;
    this.timer = setInterval(() => {
      // Writes that wait for a server that is away must not pile up.
      if (!this.isWriting) {
        this.flush();
      }
    }, WRITE_EVERY);
  }

  /** @throws ItemLost The first piece is written before this returns, and every process knows from then on that there is one. */
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

  /** The last write, with a fence that nobody else knows yet. @throws ItemLost, and why it could not be written in time. */
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
        // Not node:timers/promises, whose clock a test cannot turn.
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
      // What could not be written is written with the next piece, or with the end.
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
