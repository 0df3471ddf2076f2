import { pairedRatio, summarize } from "../statistics";
import { kilobytes, milliseconds, seconds, type Table, times } from "../table";
import type { ApplyComparison } from "./apply";
import type { DeploymentGrowth } from "./growth";

/** The engine's `up` is the measure of kubectl. */
export function applyTable({ environment, objects, alternatives }: ApplyComparison): Table {
  const [first] = alternatives;
  const rounds = first?.seconds ?? [];
  return {
    title: `${environment} on an empty API server, ${objects} objects, ${rounds.length} rounds`,
    columns: ["done by", "min", "median", "max", "time against the first"],
    rows: alternatives.map(({ name, seconds: measured }) => {
      const { min, median, max } = summarize(measured);
      return [name, ...[min, median, max].map(seconds), times(pairedRatio(measured, rounds))];
    }),
  };
}

/**
 * One row per size and way to keep state. The cost of a further resource leaves out what every run pays: it stays the
 * same where time grows in proportion to the resources.
 */
export function growthTable(growth: readonly DeploymentGrowth[]): Table {
  return {
    title: "growth of a deployment (file backend, a provider that answers at once)",
    columns: [
      "the engine keeps",
      "models",
      "resources",
      "preview",
      "up",
      "per further resource",
      "up again",
      "per further resource",
      "state",
      "per resource",
    ],
    rows: growth.map((entry) => {
      const previous = growth.findLast((other) => other.keeping === entry.keeping && other.models < entry.models);
      return [
        entry.keeping,
        String(entry.models),
        String(entry.resources),
        seconds(summarize(entry.previewSeconds).median),
        seconds(summarize(entry.upSeconds).median),
        perFurther(previous, entry, ({ upSeconds }) => upSeconds),
        seconds(summarize(entry.noOpUpSeconds).median),
        perFurther(previous, entry, ({ noOpUpSeconds }) => noOpUpSeconds),
        kilobytes(entry.stateBytes),
        kilobytes(entry.stateBytes / entry.resources),
      ];
    }),
  };
}

function perFurther(
  previous: DeploymentGrowth | undefined,
  entry: DeploymentGrowth,
  of: (growth: DeploymentGrowth) => readonly number[],
): string {
  if (previous === undefined) {
    return "";
  }
  const added = summarize(of(entry)).median - summarize(of(previous)).median;
  return milliseconds(added / (entry.resources - previous.resources));
}
