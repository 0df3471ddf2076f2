import { z } from "zod";
import { modelNamespaceName } from "../../names/namespaces";
import type { HttpClient } from "../smoke/http";
import { expectJson } from "../smoke/json";

const PREFIX = modelNamespaceName("");

/** `/allocation/compute` of OpenCost: one set for the window, by namespace; no number is null there. */
const allocations = z.object({
  data: z.array(z.record(z.string(), z.object({ totalCost: z.number().nullable() })).nullable()),
});

/** US dollars per model in the window. @throws NoAnswer, StepFailure */
export async function openCostFigures(
  http: HttpClient,
  days: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const hours = Math.max(1, Math.round(24 * days));
  const path = `/allocation/compute?window=${hours}h&aggregate=namespace&accumulate=true`;
  const { data } = expectJson(await http.request("GET", path, signal), {
    what: "allocations of OpenCost",
    schema: allocations,
    lookAt: "--opencost, which must be the address of an OpenCost",
    advice: http.advice,
  });
  const found = new Map<string, number>();
  for (const [namespace, { totalCost }] of data.flatMap((set) => Object.entries(set ?? {}))) {
    if (namespace.startsWith(PREFIX) && totalCost !== null) {
      const model = namespace.slice(PREFIX.length);
      found.set(model, (found.get(model) ?? 0) + totalCost);
    }
  }
  return found;
}
