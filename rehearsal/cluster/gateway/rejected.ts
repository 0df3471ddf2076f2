import { z } from "zod";
import type { GatewayProxy } from "./proxy";

/** Resources in `/config_dump` (envoy.admin.v3, 1.40), each with an optional error. */
const rejected = z.object({
  name: z.string().optional(),
  error_state: z.object({ details: z.string().default("") }),
});

/** Resources that a proxy rejected, one sentence each; empty if all were accepted. */
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
