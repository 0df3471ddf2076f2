import { type GatewayLimits, gatewayLimits } from "./gateway-limits";
import { type RequestTimes, requestTimes } from "./request-times";
import type { DeploymentPlan } from "./types";

export interface GatewayTerms {
  readonly limits: GatewayLimits;
  readonly times: RequestTimes;
}

/** Set by the environment; the rest is derived from its models. */
export interface AskedTerms extends AskedTimes {
  readonly maxRequestMiB?: number | undefined;
}

type AskedTimes = Parameters<typeof requestTimes>[0];

export function gatewayTerms(
  asked: AskedTerms,
  { stage, models }: Pick<DeploymentPlan, "stage" | "models">,
): GatewayTerms {
  const { maxRequestMiB } = asked;
  return {
    limits: gatewayLimits({ stage, models, ...(maxRequestMiB !== undefined && { maxRequestMiB }) }),
    times: requestTimes(asked),
  };
}
