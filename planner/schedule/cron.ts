/**
 * Cron expressions of KEDA: five fields, without descriptors such as @daily
 * (pkg/scalers/cron_scaler.go of v2.21.0, on parser.go and spec.go of robfig/cron v3.0.1; read
 * 2026-11-23).
 */

export interface CronDay {
  /** 1 to 12. */
  readonly month: number;
  /** Of the month, 1 to 31. */
  readonly day: number;
  /** 0: Sunday. */
  readonly weekday: number;
}

export interface CronTimes {
  readonly isOn: (day: CronDay) => boolean;
  /** Minutes after midnight, ascending. */
  readonly minutes: readonly number[];
}

/** @param expression valid by `cronProblem`. */
export function cronTimes(expression: string): CronTimes {
  const parts = expression.trim().split(/\s+/);
  const [minutes = [], hours = [], days, months, weekdays] = FIELDS.map((field, i) => valuesOf(parts[i] ?? "", field));
  const [day, month, weekday] = [new Set(days), new Set(months), new Set(weekdays)];
  // With both a day of month and of week, either matches.
  const isBoth = isOpen(parts[2]) || isOpen(parts[4]);
  return {
    isOn: (on) => {
      const [byDay, byWeekday] = [day.has(on.day), weekday.has(on.weekday)];
      return month.has(on.month) && (isBoth ? byDay && byWeekday : byDay || byWeekday);
    },
    minutes: [...new Set(hours.flatMap((hour) => minutes.map((minute) => 60 * hour + minute)))].sort((a, b) => a - b),
  };
}

/** `*`, with step 1 at most. */
function isOpen(text = ""): boolean {
  return text.split(",").some((part) => /^[*?](\/1)?$/.test(part));
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names for numbers, from `least` on. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of the month", least: 1, most: 31 },
  {
    name: "month",
    least: 1,
    most: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  // Sunday is only 0: 7 is refused.
  { name: "day of the week", least: 0, most: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/** End of a sentence; undefined for valid expressions. */
export function cronProblem(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return `five fields (${FIELDS.map(({ name }) => name).join(", ")}), and here are ${parts.length}`;
  }
  const wrong = FIELDS.find((field, i) => !(parts[i] ?? "").split(",").every((range) => isRange(range, field)));
  if (wrong !== undefined) {
    return `${wrong.name === "hour" ? "an" : "a"} ${wrong.name} of ${wrong.least} to ${wrong.most}, a range, a list or *`;
  }
  return isNever(parts) ? "a day of the month that one of its months has" : undefined;
}

/** In leap years. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A time that never comes, which KEDA treats as long past. With a day of week it does come. */
function isNever([, , days = "", months = "", weekdays = ""]: readonly string[]): boolean {
  const [, , day, month] = FIELDS;
  if (day === undefined || month === undefined || !["*", "?"].includes(weekdays)) {
    return false;
  }
  const longest = Math.max(...valuesOf(months, month).map((value) => DAYS[value - 1] ?? 0));
  return Math.min(...valuesOf(days, day)) > longest;
}

function valuesOf(text: string, field: Field): number[] {
  return text.split(",").flatMap((part) => {
    const [range = "", step] = part.split("/");
    const [from = "", to] = range.split("-");
    const isAny = from === "*" || from === "?";
    const first = isAny ? field.least : fieldValue(from, field);
    const open = isAny || step !== undefined ? field.most : first;
    const last = to === undefined ? open : fieldValue(to, field);
    const every = Number(step ?? 1);
    return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => first + i * every);
  });
}

/** `*`, `5`, `1-5`, `mon-fri`, each with an optional step after a slash. */
function isRange(text: string, field: Field): boolean {
  const [range = "", step, ...more] = text.split("/");
  if (more.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) {
    return false;
  }
  if (range === "*" || range === "?") {
    return true;
  }
  const [from, to, ...rest] = range.split("-").map((value) => fieldValue(value, field));
  return rest.length === 0 && from !== undefined && !Number.isNaN(from) && (to === undefined || to >= from);
}

/** NaN for invalid values. */
function fieldValue(text: string, { least, most, names = [] }: Field): number {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + least : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : Number.NaN;
}
