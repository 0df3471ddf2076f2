/** Open windows of a schedule, as decided by KEDA's cron scaler. */
import type { ScheduledReplicas } from "../scaling";
import { type CronTimes, cronTimes } from "./cron";
import { zoneOffsets } from "./zones";

const DAY = 1440;

/** Minutes since 1970 in UTC, `until` excluded. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export type ScheduleWindow = Pick<ScheduledReplicas, "from" | "to" | "timezone">;

/**
 * Open times in a period, in order. KEDA asks which time comes next: a window is open where that is
 * its end (GetMetricsAndActivity of pkg/scalers/cron_scaler.go, v2.21.0). An end on more days than
 * the begin keeps it open until the next end.
 *
 * @param window valid by `cronProblem` and `isTimeZone`.
 * @param period after it the calendar repeats.
 */
export function openSpans({ from, to, timezone }: ScheduleWindow, period: Span): Span[] {
  const [begins, ends] = [cronTimes(from), cronTimes(to)];
  const dayOf = daysOf(begins, ends);
  const spans = new Spans();
  let last = period.from;
  let isFirstEnd: boolean | undefined;
  const next = (at: number, isEnd: boolean) => {
    isFirstEnd ??= isEnd;
    if (isEnd) {
      spans.add(last, at);
    }
    last = at;
  };
  for (const { from: start, until, offset } of zoneOffsets(timezone, period.from, period.until)) {
    for (let number = Math.floor((start + offset) / DAY); number * DAY - offset < until; number++) {
      const midnight = number * DAY - offset;
      const date = new Date(number * DAY * 60_000);
      const day = { month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: date.getUTCDay() };
      const { events, inner } = dayOf(begins.isOn(day), ends.isOn(day));
      const [first, latest] = [events[0], events.at(-1)];
      if (first === undefined || latest === undefined) {
        continue;
      }
      if (midnight >= start && midnight + DAY <= until) {
        next(midnight + first.minute, first.isEnd);
        for (const span of inner) {
          spans.add(midnight + span.from, midnight + span.until);
        }
        last = midnight + latest.minute;
      } else {
        // The zone changes its offset that day.
        for (const { minute, isEnd } of events.filter(
          (e) => midnight + e.minute >= start && midnight + e.minute < until,
        )) {
          next(midnight + minute, isEnd);
        }
      }
    }
  }
  if (isFirstEnd) {
    spans.add(last, period.until);
  }
  return spans.all;
}

/** Sorted spans; adjacent ones are merged. */
class Spans {
  readonly all: { from: number; until: number }[] = [];

  add(from: number, until: number): void {
    const last = this.all.at(-1);
    if (last?.until === from) {
      last.until = until;
    } else if (from < until) {
      this.all.push({ from, until });
    }
  }
}

/** In minutes after midnight. */
interface DayEvents {
  /** Sorted begins and ends; a time that is both is an end. */
  readonly events: readonly { readonly minute: number; readonly isEnd: boolean }[];
  /** Times within the day closed by an end and opened by another event. */
  readonly inner: readonly Span[];
}

/** By whether begin and end expressions include the day. */
function daysOf(begins: CronTimes, ends: CronTimes): (begin: boolean, end: boolean) => DayEvents {
  const kinds = [false, true].map((begin) => [false, true].map((end) => eventsOf(begin, end)));
  function eventsOf(begin: boolean, end: boolean): DayEvents {
    const [starts, stops] = [begin ? begins.minutes : [], new Set(end ? ends.minutes : [])];
    const events = [...new Set([...starts, ...stops])]
      .sort((a, b) => a - b)
      .map((minute) => ({ minute, isEnd: stops.has(minute) }));
    const inner = new Spans();
    for (const [i, { minute, isEnd }] of events.entries()) {
      const before = events[i - 1];
      if (before && isEnd) {
        inner.add(before.minute, minute);
      }
    }
    return { events, inner: inner.all };
  }
  const none: DayEvents = { events: [], inner: [] };
  return (begin, end) => kinds[Number(begin)]?.[Number(end)] ?? none;
}
