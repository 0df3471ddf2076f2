import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";
import { facesInternet } from "./gateway-reach";

/** Envoy's `api_key_auth` filter is outside of its threat model (docs/network.md, The gateway). */
export function keysOnTheInternet({
  environment,
}: {
  readonly environment: Pick<EnvironmentConfig, "stage" | "cluster" | "gateway">;
}): CapacityProblem[] {
  const { stage, gateway } = environment;
  return stage !== "production" || !facesInternet(environment)
    ? []
    : [
        {
          severity: "advisory",
          rule: "keys-on-the-internet",
          subject: "gateway",
          message: `the internet reaches the gateway, whose API keys are checked by a filter that Envoy calls work in progress and leaves out of its threat model${gateway.auth?.oidc === undefined ? "" : "; tokens are checked elsewhere, and keys are accepted as well"}. Before clients get the address: docs/expose.md.`,
        },
      ];
}
