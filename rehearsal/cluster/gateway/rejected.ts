import { z } from "zod";
import type { GatewayProxy } from "./proxy";

/** Of Envoy's `/config_dump` (envoy.admin.v3, 1.40): every resource that a control plane sent may carry an error. */
const rejected = z.object({
  name: z.string().optional(),
  error_state: z.object({ details: z.string().default("") }),
});

/** What a proxy would not take of what its control plane sent: one sentence each; none where all is acknowledged. */
export async function rejectedResources(proxy: GatewayProxy): Promise<string[]> {
  return errorStates(JSON.parse(await proxy.admin("/config_dump")));
}

function errorStates(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const here = rejected.safeParse(value);
  const own = here.success ? [`${here.data.name ?? "a resource"}: ${here.data.error_state.details}`] : [];
  return [...own, ...Object.values(value).flatMap(errorStates)];
}
