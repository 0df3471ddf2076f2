/** Cron expressions as KEDA reads them: five fields, without descriptors such as @daily (pkg/scalers/cron_scaler.go of v2.21.0, on parser.go and spec.go of robfig/cron v3.0.1; read 2026-11-23). */

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** In place of numbers, from `least` on. */
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
  // Sunday is 0 alone: 7 is refused there.
  { name: "day of the week", least: 0, most: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/** What is wrong with an expression, as the end of a sentence; undefined where nothing is. */
export function cronProblem(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return `five fields (${FIELDS.map(({ name }) => name).join(", ")}), and here are ${parts.length}`;
  }
  const wrong = FIELDS.find((field, i) => !(parts[i] ?? "").split(",").every((range) => isRange(range, field)));
  return (
    wrong &&
    `${wrong.name === "hour" ? "an" : "a"} ${wrong.name} of ${wrong.least} to ${wrong.most}, a range, a list or *`
  );
}

/** `*`, `5`, `1-5`, `mon-fri`, each with a step behind a slash. */
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

/** NaN for what is no value of the field. */
function fieldValue(text: string, { least, most, names = [] }: Field): number {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + least : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : Number.NaN;
}

/** How the IANA database writes its zones, by small letters: programs in Go look for a file of that very name. */
const WRITTEN: ReadonlyMap<string, string> = new Map(
  Intl.supportedValuesOf("timeZone").map((name) => [name.toLowerCase(), name]),
);

/** Whether it is the name of a time zone as the IANA database writes it, which programs in Go read. */
export function isTimeZone(name: string): boolean {
  if (name === "UTC") {
    return true;
  }
  if (!/^[A-Z][A-Za-z]+(\/[A-Za-z0-9_+-]+)+$/.test(name)) {
    return false;
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    // Older names of the same zones are not among those.
    return (WRITTEN.get(name.toLowerCase()) ?? name) === name;
  } catch {
    return false;
  }
}
