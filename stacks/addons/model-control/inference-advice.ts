import { isUncounted } from "../../../components/model-control/inference-settings";
import type { Tenant } from "../../../planner/tenants";
import type { CapacityProblem } from "../../../planner/types";
import type { ModelControlConfig } from "./config";

/** Consumers without a token for asynchronous inference, because it would bypass their limits. */
export function inferenceConsumers(
  { inference }: Pick<ModelControlConfig, "inference">,
  tenants: readonly Tenant[],
): CapacityProblem[] {
  const counted = tenants.filter((tenant) => !isUncounted(tenant)).map(({ name }) => name);
  return inference.enabled && counted.length > 0
    ? [
        {
          severity: "advisory",
          rule: "inference-consumers",
          subject: "modelControl.inference",
          message: `${counted.join(", ")} of gateway.consumers get no token for POST /inference: it does not count requests and tokens per minute. Give the token of all clients to whom you trust with it (docs/async-inference.md), or take their limits away.`,
        },
      ]
    : [];
}
