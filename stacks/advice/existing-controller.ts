import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** The deployment changes no controller of the user's: without its settings no request for a model is answered. */
export function existingController({
  environment: { gateway },
}: {
  readonly environment: Pick<EnvironmentConfig, "gateway">;
}): CapacityProblem[] {
  const { controller } = gateway;
  return controller === undefined
    ? []
    : [
        {
          severity: "advisory",
          rule: "existing-controller",
          subject: "gateway.controller",
          message: `the Envoy Gateway in ${controller.namespace} programs the Gateway, and needs the settings of docs/existing-envoy-gateway.md: proxies in the Gateways' namespaces, and the AI gateway as its extension server. Without them requests with a key answer 404; npm run doctor compares them.`,
        },
      ];
}
