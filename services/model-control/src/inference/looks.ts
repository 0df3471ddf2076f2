import { endsAfter } from "../backends/time-limit";
import type { Fleet, Readiness } from "../fleet/fleet";

/** Cache time of a model's readiness, in milliseconds: many tasks share one check. */
const SEEN_FOR = 1_000;

/** Timeout for checking all workers, in milliseconds. */
const LOOK_PATIENCE = 15_000;

interface Look {
  readonly readiness: Promise<Readiness>;
  /** Undefined while the check runs; later callers share it. */
  endedAt?: number;
}

/** Readiness of models, checked once for concurrent callers. */
export class Looks {
  private readonly seen = new Map<string, Look>();

  constructor(
    private readonly fleet: Pick<Fleet, "readiness">,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws the reason of `signal`, which ends the wait, but not the shared check. */
  async readiness(model: string, signal: AbortSignal): Promise<Readiness> {
    return untilAborted((this.known(model) ?? this.look(model)).readiness, signal);
  }

  /** Drops an outdated result. */
  forget(model: string): void {
    this.seen.delete(model);
  }

  private known(model: string): Look | undefined {
    for (const [other, { endedAt }] of this.seen) {
      if (endedAt !== undefined && this.now() - endedAt >= SEEN_FOR) {
        this.seen.delete(other);
      }
    }
    return this.seen.get(model);
  }

  private look(model: string): Look {
    const look: Look = { readiness: this.fleet.readiness(model, endsAfter(LOOK_PATIENCE)) };
    this.seen.set(model, look);
    look.readiness.then(
      () => {
        look.endedAt = this.now();
      },
      () => {
        if (this.seen.get(model) === look) {
          this.seen.delete(model);
        }
      },
    );
    return look;
  }
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop !== undefined) {
      signal.removeEventListener("abort", stop);
    }
  }
}
