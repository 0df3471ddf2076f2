import { EngineClient } from "../backends/engine-client";
import { askListing, type Listing } from "./listing";

/** A worker as the configuration names it. */
export interface RelayWorker {
  readonly name: string;
  readonly url: string;
  /** Names that are others' to answer, in whatever spelling. */
  readonly except: readonly string[];
}

/** Seconds for which an answer of a worker counts: shorter than a client can tell, longer than it takes. */
const FRESH_SECONDS = 1;
/** Seconds that a worker has to say what it has. */
const LOOK_SECONDS = 2;
/** Seconds for which a worker that stopped answering still counts as having what it had: Ollama may be silent while it loads. */
const AWAY_SECONDS = 10;

/**
 * What one worker has, asked for at most once a second however many clients ask. One that did not answer the last time is asked
 * again beside them: nobody waits for it.
 */
export class WorkerView {
  private readonly client: EngineClient;
  private listing: Listing | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;
  private heardAt = Number.NEGATIVE_INFINITY;
  private failed = false;
  private asking: Promise<void> | undefined;

  /** @param onProblem told when the worker stops answering, and with `undefined` when it answers again. */
  constructor(
    readonly worker: RelayWorker,
    private readonly signal: AbortSignal,
    private readonly onProblem: (problem: unknown) => void,
    private readonly now: () => number,
  ) {
    this.client = new EngineClient(worker.url);
  }

  /** Waits until what is known of the worker is fresh, or it is known to be away. */
  async look(): Promise<void> {
    if (this.now() - this.askedAt >= FRESH_SECONDS * 1000) {
      this.asking ??= this.ask();
    }
    if (!this.failed) {
      await this.asking;
    }
  }

  /** What it has, or had when it was last heard of; `undefined` where it never was. */
  get known(): Listing | undefined {
    return this.listing;
  }

  /** It has not answered for a while. */
  get isAway(): boolean {
    return this.failed && this.now() - this.heardAt > AWAY_SECONDS * 1000;
  }

  private async ask(): Promise<void> {
    const askedAt = this.now();
    try {
      this.listing = await askListing(this.client, LOOK_SECONDS, this.signal);
      this.heardAt = askedAt;
      this.tell(undefined);
    } catch (error) {
      this.tell(error);
    } finally {
      this.askedAt = askedAt;
      this.asking = undefined;
    }
  }

  private tell(problem: unknown): void {
    const failed = problem !== undefined;
    if (failed !== this.failed) {
      this.onProblem(problem);
    }
    this.failed = failed;
  }
}
