/** When windows are open: against KEDA's own question, asked at every minute. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cronProblem } from "../../../planner/schedule/cron";
import { openSpans, type ScheduleWindow, type Span } from "../../../planner/schedule/windows";
import { anyWindow } from "./windows.fixture";

/** Minutes in a text of UTC. */
const at = (text: string) => Date.parse(`${text}Z`) / 60_000;
const hours = (spans: readonly Span[]) => spans.reduce((sum, { from, until }) => sum + until - from, 0) / 60;
/** Monday 2027-06-07, and three weeks. */
const WEEKS: Span = { from: at("2027-06-07T00:00"), until: at("2027-06-28T00:00") };
const YEAR: Span = { from: at("2027-01-01T00:00"), until: at("2028-01-01T00:00") };
const open = (from: string, to: string, timezone = "UTC") => openSpans({ from, to, timezone }, WEEKS);

describe("openSpans", () => {
  it.each([
    ["0 8 * * 1-5", "0 18 * * 1-5", 3 * 5 * 10],
    ["0 20 * * *", "0 6 * * *", 21 * 10],
    ["0 0 * * *", "59 23 * * *", 21 * (24 - 1 / 60)],
    ["0 22 * * fri", "0 4 * * mon", 3 * 54],
    ["*/30 * * * *", "15-59/30 * * * *", 21 * 12],
    // Three Mondays, and the 12th: either day is enough where both are said.
    ["0 8 12 * mon", "0 9 12 * mon", 4],
    ["0 8 12-18/2 * *", "0 9 12-18/2 * *", 4],
  ])("has %s to %s open for %d hours of three weeks", (from, to, expected) => {
    expect(hours(open(from, to))).toBeCloseTo(expected, 9);
  });

  it("is open until the next end, as KEDA is, where ends come on more days than begins", () => {
    // Begins on Monday, ends every day: from Monday's end on the next thing to come is an end.
    expect(hours(open("0 8 * * 1", "0 18 * * *"))).toBeCloseTo(3 * (7 * 24 - 14), 9);
    // Begins every day, ends on Friday: until Friday's own begin the next thing to come is a begin.
    expect(hours(open("0 8 * * *", "0 18 * * 5"))).toBeCloseTo(3 * 10, 9);
  });

  it("follows the clock of its zone, over the days on which that is changed", () => {
    const berlin = openSpans({ from: "0 8 * * *", to: "0 18 * * *", timezone: "Europe/Berlin" }, YEAR);
    expect(hours(berlin)).toBe(3650);
    const starts = berlin.map(({ from }) => new Date(from * 60_000).getUTCHours());
    expect([starts[0], starts[180]]).toEqual([7, 6]);
    const nights = openSpans({ from: "0 0 * * *", to: "0 5 * * *", timezone: "America/New_York" }, YEAR);
    // An hour less in March, and one more in November.
    expect(nights.filter(({ from, until }) => until - from === 240)).toHaveLength(1);
    expect(nights.filter(({ from, until }) => until - from === 360)).toHaveLength(1);
    expect(hours(openSpans({ from: "0 8 * * *", to: "0 18 * * *", timezone: "Asia/Kathmandu" }, YEAR))).toBe(3650);
  });

  it("is open at a minute exactly when its end comes before its next begin", () => {
    fc.assert(
      fc.property(anyWindow, (window) => {
        expect([cronProblem(window.from), cronProblem(window.to)]).toEqual([undefined, undefined]);
        const days: Span = { from: at("2027-03-25T00:00"), until: at("2027-04-22T00:00") };
        const spans = openSpans(window, days);
        const isOpen = (minute: number) => spans.some(({ from, until }) => from <= minute && minute < until);
        const asked = askedByMinute(window, days);
        for (let minute = days.from; minute < days.until; minute += 7) {
          const told = asked(minute);
          // Behind the last event of the period nobody knows.
          if (told !== undefined && isOpen(minute) !== told) {
            throw new Error(`${JSON.stringify(window)} at ${new Date(minute * 60_000).toISOString()}`);
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});

/** The scaler's question, minute by minute, by the local time that the zone itself formats: another way than by offsets. */
function askedByMinute({ from, to, timezone }: ScheduleWindow, days: Span): (minute: number) => boolean | undefined {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    weekday: "short",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const [isBegin, isEnd] = [timesOf(from), timesOf(to)];
  // Clocks change at quarters of an hour, if at all.
  const quarters = new Map<number, LocalTime>();
  const localQuarter = (quarter: number): LocalTime => {
    const time = quarters.get(quarter) ?? timeOf(format.formatToParts(quarter * 60_000));
    quarters.set(quarter, time);
    return time;
  };
  const length = days.until - days.from;
  const isOpen: (boolean | undefined)[] = Array.from({ length });
  let next: boolean | undefined;
  for (let i = length - 1; i >= 0; i--) {
    // What comes strictly behind this minute.
    isOpen[i] = next;
    const past = (days.from + i) % 15;
    const time = localQuarter(days.from + i - past);
    if (isEnd(time, past)) {
      next = true;
    } else if (isBegin(time, past)) {
      next = false;
    }
  }
  return (minute) => isOpen[minute - days.from];
}

/** A local time, as cron counts: months from 1, weekdays from 0, Sunday. */
type LocalTime = Readonly<Record<"minute" | "hour" | "day" | "month" | "weekday", number>>;

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function timeOf(parts: readonly Intl.DateTimeFormatPart[]): LocalTime {
  const texts = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return {
    minute: Number(texts.minute),
    hour: Number(texts.hour),
    day: Number(texts.day),
    month: Number(texts.month),
    weekday: WEEKDAYS.indexOf(texts.weekday ?? ""),
  };
}

/** Whether the minute that is `past` a local time, in the same hour, is one of an expression's. */
function timesOf(expression: string): (time: LocalTime, past: number) => boolean {
  const fields = expression.split(" ");
  const [minute, hour, day, month, weekday] = fields.map((field) => {
    const values = Array.from({ length: 60 }, (_, value) => value);
    return new Set(
      field.split(",").flatMap((part) => {
        const [range = "", step = "1"] = part.split("/");
        const [low = "", high = low] = range === "*" ? ["0", "59"] : range.split("-");
        return values.filter(
          (value) => value >= Number(low) && value <= Number(high) && (value - Number(low)) % Number(step) === 0,
        );
      }),
    );
  });
  const isEither = fields[2] !== "*" && fields[4] !== "*";
  return (time, past) => {
    const byDay = day?.has(time.day) ?? false;
    const byWeekday = weekday?.has(time.weekday) ?? false;
    return (
      minute?.has(time.minute + past) === true &&
      hour?.has(time.hour) === true &&
      month?.has(time.month) === true &&
      (isEither ? byDay || byWeekday : byDay && byWeekday)
    );
  };
}
