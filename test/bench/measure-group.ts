import { messageOf } from "../../names/message-of";
import type { Extent } from "./extent";
import type { Group, Measured } from "./group";

/** What a group measured, and what must not be, "group: sentence" each. */
export interface GroupResult extends Measured {
  readonly failures: readonly string[];
}

/** Measures one group. What it could not measure is a failure like any other, so the groups after it are still measured. */
export async function measureGroup(
  name: string,
  load: () => Promise<Group>,
  extent: Extent,
  progress: (text: string) => void,
): Promise<GroupResult> {
  try {
    const group = await load();
    const measured = await group.measure(extent, progress);
    return { ...measured, failures: sentencesOf(name, [...absences(measured), ...(measured.failures ?? [])]) };
  } catch (error) {
    return {
      tables: [],
      measurements: {},
      failures: sentencesOf(name, [`could not be measured: ${messageOf(error)}`]),
    };
  }
}

/** A figure in a cell, with or without a unit: words of a reason are none. */
const NO_NUMBER = /(?:^|\/ )[+-]?(?:NaN|Infinity|∞)(?![\w-])/;

/** Every measurement that is missing: an empty table, or a number that is not one. */
function absences({ tables, measurements }: Measured): readonly string[] {
  const empty = tables.filter(({ rows }) => rows.length === 0);
  const unnumbered = tables.filter(({ rows }) => rows.flat().some((cell) => NO_NUMBER.test(cell)));
  const paths = notNumbers(measurements);
  return [
    ...(tables.length === 0 ? ["measured nothing"] : []),
    ...empty.map(({ title }) => `nothing was measured for "${title}"`),
    ...unnumbered.map(({ title }) => `a figure of "${title}" is not a number`),
    ...(paths.length > 0 ? [`not a number: ${paths.join(", ")}`] : []),
  ];
}

/** Paths of numbers that are not finite. */
function notNumbers(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value === "number") {
    return Number.isFinite(value) ? [] : [path.join(".")];
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, each]) => notNumbers(each, [...path, key]))
    : [];
}

function sentencesOf(name: string, failures: readonly string[]): readonly string[] {
  return failures.map((failure) => `${name}: ${failure}`);
}
