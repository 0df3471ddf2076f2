/** A node's place in its server group: when it tells the registrar what, and how that stands. */
import { type Call, FAILURES, type FailureKind, type Outcome } from "./registrar.ts";

/** How often a node is asked whether it is well, where it does not renew more often. */
const HEALTH_MS = 5_000;
/** No two calls follow each other faster, whatever a registrar answers. */
export const FASTEST_MS = 1_000;
const SLOWEST_MS = 60_000;
/** Answers by which a registrar says that it does not have the node, whatever it said before. */
const REFUSALS: readonly FailureKind[] = ["unauthorized", "gone", "refused"];
/** The longest wait that a registrar can ask for, by `Retry-After` or by 410. */
export const LONGEST_MS = 300_000;
const DEADLINE_MS = 10_000;
/** So long a node is unwell before it leaves, where renewals are further apart. */
const UNWELL_MS = 60_000;
/** Renewals that may fail before a registration ends by itself. */
const RENEWALS_PER_TTL = 3;

/** A call that runs when the node is told to leave may end by itself for so long. */
const LEAVE_PATIENCE_MS = 1_000;
/** Of one attempt to leave, and of all of them: less than the engine has before it stops to take requests (10 seconds). */
const LEAVE_DEADLINE_MS = 3_000;
const LEAVE_BUDGET_MS = 8_000;

const NEVER = new AbortController().signal;

/**
 * - `waiting`: the node is not well yet, or again, and nobody is told of it
 * - `registered`
 * - `failing`: registered, but the last renewal failed
 * - `unregistered`: the node is well, and the registrar does not have it
 * - `leaving`: it should not be registered, and the registrar was not told yet
 * - `left`
 */
export type State = "waiting" | "registered" | "failing" | "unregistered" | "leaving" | "left";

export interface MembershipArgs {
  /** The node at the registrar: `<url>/groups/<group>/nodes/<node>`. */
  readonly url: string;
  /** What the registrar is told; the time to live is added. */
  readonly record: object;
  readonly renewSeconds: number;
  /** Asks the registrar. Never throws. */
  readonly call: (call: Pick<Call, "method" | "url" | "body" | "deadlineMs" | "signal">) => Promise<Outcome>;
  /** Whether the node is well. Never throws. */
  readonly healthy: (signal: AbortSignal) => Promise<boolean>;
  /** At each change of state, with its reason; never at a repetition. */
  readonly changed: (state: State, reason: string | undefined) => void;
  /** Milliseconds that never go back. @default of the process */
  readonly clock?: () => number;
  /** From 0 up to 1. @default Math.random */
  readonly random?: () => number;
  /** Ends early by the signal. @default timers */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** For the series. */
export interface Standing {
  readonly registered: boolean;
  /** The node is well and stays: it should be registered. */
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
  /** Ends what waits, and a call that should not arrive any more. */
  private readonly end = new AbortController();
  private stays = true;
  private departure: Promise<void> = Promise.resolve();
  private round: Promise<void> = Promise.resolve();
  private well = false;
  /** Until when the registrar has the node by an answer of its own, and may have it by what was sent. */
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

  /** Until the node leaves. */
  async run(): Promise<void> {
    while (this.stays) {
      this.round = this.step();
      await this.round;
      const untilCall = this.well ? this.nextCall - this.clock() : HEALTH_MS;
      await this.pause(Math.max(FASTEST_MS, Math.min(HEALTH_MS, this.renewMs, untilCall)), this.end.signal);
    }
  }

  /** Tells the registrar that the node goes, once; a second time only where the first did not reach it. Bounded by 9 seconds. */
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

  /** Not well: no renewal, and after the time of one, at most a minute, the registrar is told, if it may have the node. */
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
    // What is sent may arrive, also when no answer does.
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
      // Nodes that started together do not stay in step.
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

  /** @returns whether the registrar has it no more. */
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
      // Sent before and arriving after the DELETE, it would bring the node back.
      await Promise.race([this.round, this.pause(LEAVE_PATIENCE_MS, NEVER)]);
      this.end.abort();
      await this.round;
    }
    while (!this.hasLeft && this.clock() < until) {
      const deadlineMs = Math.min(LEAVE_DEADLINE_MS, until - this.clock());
      if (!(await this.remove(deadlineMs, "the node is told to stop"))) {
        await this.pause(FASTEST_MS, NEVER);
      }
    }
  }

  /** A renewal that takes longer than the time until the next one is none. */
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

  /** Says it where it is another than before. */
  private tell(state: State, reason?: string): void {
    if (state !== this.state) {
      this.state = state;
      this.args.changed(state, reason);
    }
  }
}

/**
 * Milliseconds until the next call: doubling from two seconds to a minute, the second half of it by chance; longer where the registrar
 * asks for it, up to five minutes.
 *
 * @param inARow failures since the last success, this one too.
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
