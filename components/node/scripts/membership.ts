/** Membership of a node in its server group: state and schedule of registrar calls. */
import { type Call, FAILURES, type FailureKind, type Outcome } from "./registrar.ts";

/** Health check interval if renewals are further apart. */
const HEALTH_MS = 5_000;
/** Minimum interval of calls, regardless of the registrar's answers. */
export const FASTEST_MS = 1_000;
const SLOWEST_MS = 60_000;
/** Failures that mean the registrar does not have the node. */
const REFUSALS: readonly FailureKind[] = ["unauthorized", "gone", "refused"];
/** Maximum wait that a registrar can request, by `Retry-After` or 410. */
export const LONGEST_MS = 300_000;
const DEADLINE_MS = 10_000;
/** Unhealthy time before a node leaves if renewals are further apart. */
const UNWELL_MS = 60_000;
/** Failed renewals until a registration expires. */
const RENEWALS_PER_TTL = 3;

/** Time for a running call to end when the node must leave. */
const LEAVE_PATIENCE_MS = 1_000;
/**
 * Limits per leave attempt and in total, within the 10 seconds until the engine stops accepting
 * requests.
 */
const LEAVE_DEADLINE_MS = 3_000;
const LEAVE_BUDGET_MS = 8_000;

const NEVER = new AbortController().signal;

/**
 * - `waiting`: not healthy, and not registered
 * - `registered`
 * - `failing`: registered, but the last renewal failed
 * - `unregistered`: healthy, but the registrar does not have it
 * - `leaving`: must leave, but the registrar was not notified
 * - `left`
 */
export type State = "waiting" | "registered" | "failing" | "unregistered" | "leaving" | "left";

export interface MembershipArgs {
  /** The node at the registrar: `<url>/groups/<group>/nodes/<node>`. */
  readonly url: string;
  /** Registration body; the time to live is added. */
  readonly record: object;
  readonly renewSeconds: number;
  /** Calls the registrar. Never throws. */
  readonly call: (call: Pick<Call, "method" | "url" | "body" | "deadlineMs" | "signal">) => Promise<Outcome>;
  /** Checks the node's health. Never throws. */
  readonly healthy: (signal: AbortSignal) => Promise<boolean>;
  /** Called on state changes only, with the reason. */
  readonly changed: (state: State, reason: string | undefined) => void;
  /** Monotonic milliseconds. @default of the process */
  readonly clock?: () => number;
  /** From 0 up to 1. @default Math.random */
  readonly random?: () => number;
  /** Ends early by the signal. @default timers */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** For the series. */
export interface Standing {
  readonly registered: boolean;
  /** Whether the node should be registered: healthy and not leaving. */
  readonly wanted: boolean;
  /** Unix time in seconds; 0 before the first. */
  readonly lastSuccess: number;
  readonly renewals: number;
  readonly failures: Readonly<Record<FailureKind, number>>;
}

export class Membership {
  private readonly args: MembershipArgs;
  private readonly renewMs: number;
  private readonly ttlMs: number;
  private readonly clock: () => number;
  private readonly random: () => number;
  private readonly pause: NonNullable<MembershipArgs["pause"]>;
  private readonly failures = Object.fromEntries(FAILURES.map((kind) => [kind, 0])) as Record<FailureKind, number>;
  /** Aborts waits and outdated calls. */
  private readonly end = new AbortController();
  private stays = true;
  private departure: Promise<void> = Promise.resolve();
  private round: Promise<void> = Promise.resolve();
  private well = false;
  /**
   * Until when the registrar confirmed the node, and until when it may have it from sent requests.
   */
  private registeredUntil = 0;
  private knownUntil = 0;
  private unwellSince: number | undefined;
  private nextCall = 0;
  private failedInARow = 0;
  private lastFailure: string | undefined;
  private lastSuccess = 0;
  private renewals = 0;
  private state: State | undefined;
  private hasLeft = false;

  constructor(args: MembershipArgs) {
    this.args = args;
    this.renewMs = args.renewSeconds * 1000;
    this.ttlMs = RENEWALS_PER_TTL * this.renewMs;
    this.clock = args.clock ?? (() => performance.now());
    this.random = args.random ?? Math.random;
    this.pause = args.pause ?? pause;
  }

  async run(): Promise<void> {
    while (this.stays) {
      this.round = this.step();
      await this.round;
      const untilCall = this.well ? this.nextCall - this.clock() : HEALTH_MS;
      await this.pause(Math.max(FASTEST_MS, Math.min(HEALTH_MS, this.renewMs, untilCall)), this.end.signal);
    }
  }

  /**
   * Deregisters the node once; retries only if the registrar was not reached. Takes at most 9
   * seconds.
   */
  leave(): Promise<void> {
    this.departure = this.departure.then(() => this.leaveNow());
    return this.departure;
  }

  standing(): Standing {
    const { lastSuccess, renewals, failures } = this;
    return {
      registered: this.isRegistered(),
      wanted: this.well && this.stays,
      lastSuccess,
      renewals,
      failures: { ...failures },
    };
  }

  private async step(): Promise<void> {
    this.well = await this.args.healthy(this.end.signal);
    if (!this.stays) {
      return;
    }
    if (this.well) {
      this.unwellSince = undefined;
      this.hasLeft = false;
      if (this.clock() >= this.nextCall) {
        await this.register();
      } else {
        this.tell(this.standingState(), this.lastFailure);
      }
      return;
    }
    await this.stayAway();
  }

  /**
   * Unhealthy: after one renewal interval, at most a minute, deregisters if the registrar may have
   * the node.
   */
  private async stayAway(): Promise<void> {
    const now = this.clock();
    this.unwellSince ??= now;
    const long = now - this.unwellSince >= Math.min(this.renewMs, UNWELL_MS);
    if (now >= this.knownUntil) {
      this.tell(this.hasLeft ? "left" : "waiting", "the node is not well");
    } else if (long && now >= this.nextCall) {
      await this.remove(this.deadlineMs(), "the node is not well");
    }
  }

  private async register(): Promise<void> {
    const sent = this.clock();
    // A request may arrive even without an answer.
    this.knownUntil = sent + this.ttlMs;
    const outcome = await this.args.call({
      method: "PUT",
      url: this.args.url,
      body: { ...this.args.record, ttlSeconds: this.ttlMs / 1000 },
      deadlineMs: this.deadlineMs(),
      signal: this.end.signal,
    });
    if (outcome.ok) {
      this.renewals += 1;
      this.failedInARow = 0;
      this.lastFailure = undefined;
      this.lastSuccess = Date.now() / 1000;
      this.registeredUntil = sent + this.ttlMs;
      // Jitter for nodes that started together.
      this.nextCall = sent + this.renewMs * (0.9 + 0.1 * this.random());
      this.tell("registered");
    } else if (this.stays) {
      this.failed(outcome);
      if (REFUSALS.includes(outcome.kind)) {
        this.registeredUntil = 0;
      }
      this.tell(this.standingState(), this.lastFailure);
    }
  }

  /** @returns whether the registrar no longer has it. */
  private async remove(deadlineMs: number, why: string): Promise<boolean> {
    const outcome = await this.args.call({ method: "DELETE", url: this.args.url, deadlineMs });
    const { status } = outcome.ok ? { status: undefined } : outcome;
    this.registeredUntil = 0;
    if (outcome.ok || status === 404 || status === 410) {
      this.knownUntil = 0;
      this.failedInARow = 0;
      this.hasLeft = true;
      this.tell("left", why);
      return true;
    }
    this.failed(outcome);
    this.tell("leaving", this.lastFailure);
    return false;
  }

  private async leaveNow(): Promise<void> {
    const until = this.clock() + LEAVE_BUDGET_MS;
    if (this.stays) {
      this.stays = false;
      // A renewal arriving after the DELETE would register the node again.
      await Promise.race([this.round, this.pause(LEAVE_PATIENCE_MS, NEVER)]);
      this.end.abort();
      await this.round;
    }
    while (!this.hasLeft && this.clock() < until) {
      const deadlineMs = Math.min(LEAVE_DEADLINE_MS, until - this.clock());
      if (!(await this.remove(deadlineMs, "the node is stopping"))) {
        await this.pause(FASTEST_MS, NEVER);
      }
    }
  }

  /** A renewal must end before the next one. */
  private deadlineMs(): number {
    return Math.min(DEADLINE_MS, this.renewMs);
  }

  private failed(outcome: Extract<Outcome, { ok: false }>): void {
    this.failures[outcome.kind] += 1;
    this.failedInARow += 1;
    this.lastFailure = `${outcome.kind}: ${outcome.reason}`;
    this.nextCall = this.clock() + waitAfter(outcome, this.failedInARow, this.random());
  }

  private isRegistered(): boolean {
    return this.clock() < this.registeredUntil;
  }

  private standingState(): State {
    if (!this.isRegistered()) {
      return "unregistered";
    }
    return this.failedInARow > 0 ? "failing" : "registered";
  }

  /** Reports a changed state only. */
  private tell(state: State, reason?: string): void {
    if (state !== this.state) {
      this.state = state;
      this.args.changed(state, reason);
    }
  }
}

/**
 * Milliseconds until the next call: doubles from two seconds to a minute, half of it random; up to
 * five minutes on the registrar's request.
 *
 * @param inARow failures since the last success, including this one.
 * @param chance from 0 up to 1.
 */
export function waitAfter(
  { kind, retryAfterMs = 0 }: Pick<Extract<Outcome, { ok: false }>, "kind" | "retryAfterMs">,
  inARow: number,
  chance: number,
): number {
  const most = Math.min(SLOWEST_MS, FASTEST_MS * 2 ** Math.min(inARow, 10));
  const own = (most / 2) * (1 + chance);
  const asked = kind === "gone" ? LONGEST_MS : Math.min(LONGEST_MS, retryAfterMs);
  return Math.max(own, asked);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
