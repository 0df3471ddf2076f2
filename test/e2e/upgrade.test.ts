import { describe, expect, it } from "vitest";
import { environments } from "../stacks/run";
import { sharedBySuite } from "./shared-by-suite";
import { readRecordedState, recordedVersions } from "./upgrade/recorded-state";
import { type PlannedStep, ReplayStand } from "./upgrade/replay";

/**
 * Kinds that hold nothing and that nobody waits for: they may go and be made again. Monitors and rules are read all together by
 * their controllers, new ones before old ones go; budgets went from single pods, whose eviction they never stopped.
 */
const DISPOSABLE = ["ConfigMap", "Job", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule"];

const REMOVALS = ["delete", "delete-replaced", "replace", "discard"];

describe.each(recordedVersions())("an upgrade from %s", { timeout: 300_000 }, (version) => {
  const stand = sharedBySuite(() => ReplayStand.start());

  it.each(environments)("%s: nothing that holds state or serves is replaced or deleted", async (environment) => {
    const recorded = readRecordedState(version, environment);
    const steps = await stand().replay(recorded);
    // Where the program did not know the recorded resources, it would make all anew.
    expect(steps.filter(({ operation }) => operation === "same").length).toBeGreaterThan(0);
    expect(steps.filter(isLoss).map(({ operation, type, name }) => `${operation} ${type} ${name}`)).toEqual([]);
  });
});

/** Components are no objects: an engine forgets them without touching anything. */
function isLoss({ operation, type }: PlannedStep): boolean {
  const kind = type.slice(type.lastIndexOf(":") + 1);
  return REMOVALS.includes(operation) && !type.startsWith("inference:") && !DISPOSABLE.includes(kind);
}
