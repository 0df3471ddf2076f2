import { describe, expect, it } from "vitest";
import { envoyProxySpec } from "../../../components/gateway/proxy-pods";

const spec = (deregisterSeconds?: number) =>
  envoyProxySpec({
    stage: "production",
    memoryGiB: 2,
    drainSeconds: 100,
    exposure: "LoadBalancer",
    ...(deregisterSeconds !== undefined && { deregisterSeconds }),
  });

describe("a proxy that leaves", () => {
  it.each([
    [undefined, "100s", "40s", 9],
    [180, "180s", "180s", 37],
  ])("takes new connections for as long as its load balancer sends some (%s)", (seconds, drain, least, looks) => {
    const made = spec(seconds);
    expect(made?.shutdown).toEqual({ drainTimeout: drain, minDrainDuration: least });
    expect(JSON.stringify(made)).toContain(`"readinessProbe":{"failureThreshold":${looks}}`);
  });
});
