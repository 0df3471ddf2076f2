import { describe, expect, it } from "vitest";
import { inferenceAlerts } from "../../../components/model-control/inference-alerts";
import { inferencePanels } from "../../../components/model-control/inference-panels";
import type { Inferences } from "../../../services/model-control/src/inference/inferences";
import { FINISH_REASONS } from "../../../services/model-control/src/inference/record";
import { testApi } from "../../services/model-control/api";

const expressions = [
  ...inferenceAlerts.map(({ expr }) => expr),
  ...inferencePanels.panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)),
];

/** Values of a label in all expressions, alternatives of a pattern each. */
function valuesOf(label: string): string[] {
  const found = expressions.flatMap((expr) => [...expr.matchAll(new RegExp(`\\b${label}=~?"([^"]*)"`, "g"))]);
  return [...new Set(found.flatMap(([, value = ""]) => value.split("|")))].sort();
}

describe("alerts and panels of asynchronous inference", () => {
  it("ask for ends that answers have", () => {
    expect(valuesOf("outcome")).toEqual(["error", "idle", "interrupted"]);
    expect(valuesOf("outcome").filter((end) => !FINISH_REASONS.some((reason) => reason === end))).toEqual([]);
  });

  it("ask for the route as the API's metrics name it", async () => {
    const answered: string[] = [];
    const onAnswer = (method: string, route: string) => void answered.push(`${method} ${route}`);
    // Nobody without a token gets so far that it would be asked.
    const inferences = {} as Inferences;
    const { server } = await testApi({ inference: { keyFile: "/nowhere" } }, { inferences, onAnswer });
    await server.inject({ method: "POST", url: "/inference", payload: {} });
    await server.close();
    expect(valuesOf("method").map((method) => `${method} ${valuesOf("route")}`)).toEqual(answered);
  });

  it("name no alert that there is not", () => {
    const named = inferencePanels.panels.flatMap(({ description }) => description.match(/ModelControl\w+/g) ?? []);
    expect(named.sort()).toEqual(inferenceAlerts.map(({ alert }) => alert).sort());
  });
});
