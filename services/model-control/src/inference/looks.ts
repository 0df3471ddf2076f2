import { endsAfter } from "../backends/time-limit";
import type { Fleet, Readiness } from "../fleet/fleet";

/** What was seen of a model's workers is true for this long, in milliseconds: a thousand tasks ask once. */
const SEEN_FOR = 1_000;

/** How long all workers may take to be looked at, in milliseconds. */
const LOOK_PATIENCE = 15_000;

interface Look {
  readonly readiness: Promise<Readiness>;
  /** Undefined while the workers are still being asked: whoever comes meanwhile waits for the same answer. */
  endedAt?: number;
}

/** Looks at the workers of models, once for all who ask at about the same time. */
export class Looks {
  private readonly seen = new Map<string, Look>();

  constructor(
    private readonly fleet: Pick<Fleet, "readiness">,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws the reason of `signal`, which ends the waiting and not the look: that is for others as well. */
  async readiness(model: string, signal: AbortSignal): Promise<Readiness> {
    return untilAborted((this.known(model) ?? this.look(model)).readiness, signal);
  }

  /** What was seen of it has turned out to be wrong. */
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
