import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";
import { insideBecause } from "./gateway-reach";

/**
 * Let's Encrypt connects to the gateway's port 80 from the internet. Advice, not a refusal: a proxy of the user in front may
 * lead it there.
 */
export function certificateChallenge({
  environment,
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster" | "gateway">;
}): CapacityProblem[] {
  const { tls, hostname } = environment.gateway;
  const inside = insideBecause(environment);
  return tls.kind !== "acme" || tls.server !== undefined || inside === undefined
    ? []
    : [
        {
          severity: "advisory",
          rule: "certificate-challenge",
          subject: "gateway.tls.kind",
          message: `Let's Encrypt must reach port 80 of ${hostname} from the internet, and ${inside.why}: the gateway gets no certificate that clients trust. To fix it: ${inside.fix}; or tls: {kind: secret, secretName: …}, or {kind: acme, server: …} of an authority in your network (docs/certificates.md).`,
        },
      ];
}
