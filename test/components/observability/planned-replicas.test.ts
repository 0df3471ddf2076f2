import { describe, expect, it } from "vitest";
import { plannedReplicas } from "../../../components/observability/rules/planned-replicas";
import { ruleGroups } from "../../../components/observability/rules/rule-groups";
import { overStart } from "../../../components/observability/rules/starts";
import { PLANNED_MODEL } from "./all-subjects";

const { scaling: _, ...FIXED } = PLANNED_MODEL;

/** What a plan says of one series of a model. */
function planned(models: readonly Parameters<typeof plannedReplicas>[0][number][], record: string): unknown[] {
  return plannedReplicas(models)
    .recording.filter((rule) => rule.record === record)
    .map(({ expr, labels }) => [labels?.model, labels?.namespace, expr]);
}

describe("the plan's figures as series", () => {
  it("are of each model, with the seconds for its node where something scales it", () => {
    const fixed = { ...FIXED, name: "fixed", minReplicas: 2, maxReplicas: 2 };
    const both = [PLANNED_MODEL, fixed];
    expect(planned(both, "inference:planned_start_seconds")).toEqual([
      ["planned", "model-planned", "vector(900)"],
      ["fixed", "model-fixed", "vector(700)"],
    ]);
    expect(planned(both, "inference:planned_min_replicas:count")).toEqual([
      ["planned", "model-planned", "vector(0)"],
      ["fixed", "model-fixed", "vector(2)"],
    ]);
    expect(planned(both, "inference:planned_max_replicas:count")).toEqual([
      ["planned", "model-planned", "vector(3)"],
      ["fixed", "model-fixed", "vector(2)"],
    ]);
  });

  it("leave an image that takes longer than the margin of a start its time", () => {
    const { scaling } = PLANNED_MODEL;
    const slow = scaling && { ...scaling, spikeToServed: { ...scaling.spikeToServed, load: 1000, total: 1230 } };
    const model = { ...PLANNED_MODEL, ...(slow && { scaling: slow }) };
    expect(planned([model], "inference:planned_start_seconds")).toEqual([["planned", "model-planned", "vector(1230)"]]);
  });

  it("are not of models that are on the server of another one", () => {
    const guests = plannedReplicas([{ ...PLANNED_MODEL, serverOf: "host" }]);
    expect(ruleGroups(guests)).toEqual([]);
  });
});

describe("overStart", () => {
  it("has one range for each planned start, none shorter than it", () => {
    const rows = overStart((range) => `x[${range}]`).split(" or ");
    expect(rows).toEqual([
      "(x[10m] unless on (namespace, model) inference:planned_start_seconds > 600)",
      "(x[20m] and on (namespace, model) inference:planned_start_seconds > 600 <= 1200)",
      "(x[40m] and on (namespace, model) inference:planned_start_seconds > 1200 <= 2400)",
      "(x[80m] and on (namespace, model) inference:planned_start_seconds > 2400 <= 4800)",
      "(x[160m] and on (namespace, model) inference:planned_start_seconds > 4800)",
    ]);
  });
});
