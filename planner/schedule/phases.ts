import type { ScheduledReplicas } from "../scaling";
import { openSpans, type ScheduleWindow, type Span } from "./windows";

export interface Phase {
  /** Minimum replicas by schedule; 0: no window open. */
  readonly replicas: readonly number[];
  /** Fractions of time, January to December, averaged over years. */
  readonly shares: readonly number[];
}

/**
 * The Gregorian calendar repeats after 28 years (1901 to 2099): each date falls on each weekday
 * equally often.
 */
const FIRST_YEAR = 2027;
const PERIOD: Span = { from: minuteOf(FIRST_YEAR, 0), until: minuteOf(FIRST_YEAR + 28, 0) };
const MONTHS = 12;

/**
 * First the state without open windows, even if it never occurs. Shares of all states are 1 in each
 * month.
 *
 * @param schedules one per model.
 */
export function phasesOf(schedules: readonly (readonly ScheduledReplicas[])[]): readonly Phase[] {
  const windows = schedules.flatMap((each, schedule) => each.map(({ replicas }) => ({ schedule, replicas })));
  const phases = new Map<string, Phase>();
  for (const { open, shares } of statesOf(schedules.flat())) {
    const replicas = schedules.map(() => 0);
    for (const window of open) {
      const { schedule, replicas: most } = windows[window] ?? { schedule: 0, replicas: 0 };
      replicas[schedule] = Math.max(replicas[schedule] ?? 0, most);
    }
    const before = phases.get(replicas.join())?.shares ?? [];
    phases.set(replicas.join(), { replicas, shares: shares.map((share, month) => share + (before[month] ?? 0)) });
  }
  return [...phases.values()];
}

export function shareOfYear({ shares }: Phase): number {
  return shares.reduce((sum, share) => sum + share, 0) / MONTHS;
}

/** Simultaneously open windows, by list index, with monthly shares. */
interface State {
  readonly open: readonly number[];
  readonly shares: readonly number[];
}

const known = new Map<string, readonly State[]>();

/** First the state without open windows. Cached independently of replica numbers. */
function statesOf(windows: readonly ScheduleWindow[]): readonly State[] {
  const key = JSON.stringify(windows.map(({ from, to, timezone }) => [from, to, timezone]));
  const states = known.get(key) ?? findStates(windows);
  known.set(key, states);
  return states;
}

function findStates(windows: readonly ScheduleWindow[]): State[] {
  const changes = windows
    .flatMap((window, index) =>
      openSpans(window, PERIOD).flatMap(({ from, until }) => [
        { at: from, index, isOpen: true },
        { at: until, index, isOpen: false },
      ]),
    )
    .sort((a, b) => a.at - b.at);
  const states = new Map<string, { readonly open: readonly number[]; readonly minutes: number[] }>();
  const months = new Months();
  const open = new Set<number>();
  const count = (until: number) => {
    const now = [...open].sort((a, b) => a - b);
    const state = states.get(now.join()) ?? { open: now, minutes: noMinutes() };
    states.set(now.join(), state);
    months.addUntil(until, state.minutes);
  };
  let last = PERIOD.from;
  count(last);
  for (const { at, index, isOpen } of changes) {
    if (at > last) {
      count(at);
      last = at;
    }
    if (isOpen) {
      open.add(index);
    } else {
      open.delete(index);
    }
  }
  count(PERIOD.until);
  const whole = noMinutes();
  new Months().addUntil(PERIOD.until, whole);
  return [...states.values()].map(({ open: now, minutes }) => ({
    open: now,
    shares: minutes.map((each, month) => each / (whole[month] ?? 1)),
  }));
}

function noMinutes(): number[] {
  return Array.from({ length: MONTHS }, () => 0);
}

/** A period shared out over months of the year. */
class Months {
  private at = PERIOD.from;
  private index = 0;

  /** Adds the minutes until then to their months. */
  addUntil(until: number, byMonth: number[]): void {
    while (this.at < until) {
      const end = minuteOf(FIRST_YEAR, this.index + 1);
      const next = Math.min(until, end);
      const month = this.index % MONTHS;
      byMonth[month] = (byMonth[month] ?? 0) + next - this.at;
      this.at = next;
      this.index += next === end ? 1 : 0;
    }
  }
}

function minuteOf(year: number, month: number): number {
  return Date.UTC(year, month) / 60_000;
}
