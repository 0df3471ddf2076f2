import { z } from "zod";
import { modelNamespaceName } from "../../names/namespaces";
import { askJson, NotAnswered } from "./prometheus";

const PREFIX = modelNamespaceName("");

/** `/allocation/compute` of OpenCost: one set for the whole window, by namespace. */
const allocations = z.object({
  data: z.array(z.record(z.string(), z.object({ totalCost: z.number() })).nullable()),
});

/** US dollars that OpenCost allocates to each model in the window, by the model's name. @throws NotAnswered */
export async function openCostFigures(base: string, days: number): Promise<ReadonlyMap<string, number>> {
  const hours = Math.max(1, Math.round(24 * days));
  const body = await askJson(
    `${base}/allocation/compute?window=${hours}h&aggregate=namespace&accumulate=true`,
    "OpenCost",
  );
  const parsed = allocations.safeParse(body);
  if (!parsed.success) {
    throw new NotAnswered(`${base} does not answer as OpenCost does: check the address after --opencost`);
  }
  const found = new Map<string, number>();
  for (const [namespace, { totalCost }] of parsed.data.data.flatMap((set) => Object.entries(set ?? {}))) {
    if (namespace.startsWith(PREFIX)) {
      const model = namespace.slice(PREFIX.length);
      found.set(model, (found.get(model) ?? 0) + totalCost);
    }
  }
  return found;
}
