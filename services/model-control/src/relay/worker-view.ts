import { EngineClient } from "../backends/engine-client";
import { askListing, type Listing } from "./listing";

/** Configured worker. */
export interface RelayWorker {
  readonly name: string;
  readonly url: string;
  /** Names that other workers serve, in any spelling. */
  readonly except: readonly string[];
}

/** Cache time of a worker's lists, in seconds. */
const FRESH_SECONDS = 1;
/** Timeout of a worker's lists, in seconds. */
const LOOK_SECONDS = 2;
/** Seconds a silent worker keeps its lists: Ollama may not answer while it loads. */
const AWAY_SECONDS = 10;

/**
 * Cached model lists of a worker, queried at most once a second. Retries a failed worker in the
 * background, without delaying requests.
 */
export class WorkerView {
  private readonly client: EngineClient;
  private listing: Listing | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;
  private heardAt = Number.NEGATIVE_INFINITY;
  private failed = false;
  private asking: Promise<void> | undefined;

  /**
   * @param onProblem called when the worker stops answering, and with `undefined` when it answers
   *   again.
   */
  constructor(
    readonly worker: RelayWorker,
    private readonly signal: AbortSignal,
    private readonly onProblem: (problem: unknown) => void,
    private readonly now: () => number,
  ) {
    this.client = new EngineClient(worker.url);
  }

  /** Waits until the lists are fresh, or the worker counts as away. */
  async look(): Promise<void> {
    if (this.now() - this.askedAt >= FRESH_SECONDS * 1000) {
      this.asking ??= this.ask();
    }
    if (!this.failed) {
      await this.asking;
    }
  }

  /** Last known lists; `undefined` before the first answer. */
  get known(): Listing | undefined {
    return this.listing;
  }

  /** No answer for `AWAY_SECONDS`. */
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
