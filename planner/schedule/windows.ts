/** When the windows of a schedule are open: as KEDA's cron scaler decides it. */
import type { ScheduledReplicas } from "../scaling";
import { type CronTimes, cronTimes } from "./cron";
import { zoneOffsets } from "./zones";

const DAY = 1440;

/** A period of minutes since 1970 in UTC, `until` not included. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export type ScheduleWindow = Pick<ScheduledReplicas, "from" | "to" | "timezone">;

/**
 * The times in a period in which a window is open, in order. At any time KEDA asks which comes next: the window is open where that
 * is its end (GetMetricsAndActivity of pkg/scalers/cron_scaler.go, v2.21.0). An end that comes on more days than the begin
 * so keeps it open from one end to the next.
 *
 * @param window expressions and a zone without problems (`cronProblem`, `isTimeZone`).
 * @param period the calendar is taken to begin anew behind it.
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
        // The zone changes its clock on that day.
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

/** Times in order, those that touch as one. */
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

/** What happens on a day, in minutes after midnight. */
interface DayEvents {
  /** Begins and ends in order; one that is both is an end. */
  readonly events: readonly { readonly minute: number; readonly isEnd: boolean }[];
  /** The times that an end of the day closes and another event of it opens. */
  readonly inner: readonly Span[];
}

/** By whether the begin's expression has the day, and whether the end's does. */
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
