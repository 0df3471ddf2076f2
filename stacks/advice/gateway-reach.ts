import { AWS_SCHEME, isPublicAws } from "../../kubernetes/aws-load-balancer";
import { isInternalOci } from "../../kubernetes/oci-load-balancer";
import type { EnvironmentConfig } from "../config";

type Reached = Pick<EnvironmentConfig, "cluster" | "gateway">;

export interface Inside {
  readonly why: string;
  readonly fix: string;
}

/** Clouds whose load balancers say by annotations whether the internet reaches them. */
const INTERNAL: Partial<
  Readonly<
    Record<EnvironmentConfig["cluster"]["kind"], (annotations: Readonly<Record<string, string>>) => Inside | undefined>
  >
> = {
  aws: (annotations) =>
    isPublicAws(annotations)
      ? undefined
      : {
          why: "the AWS Load Balancer Controller makes an internal load balancer by default",
          fix: `gateway.serviceAnnotations: {${AWS_SCHEME}: internet-facing}`,
        },
  oci: (annotations) =>
    isInternalOci(annotations)
      ? { why: "gateway.serviceAnnotations ask for an internal load balancer", fix: "remove …internal from them" }
      : undefined,
};

/** Why the internet does not reach the gateway. Undefined: it does, or the configuration does not say. */
export function insideBecause({ cluster, gateway }: Reached): Inside | undefined {
  const { exposure, serviceAnnotations = {} } = gateway;
  if (exposure === "ClusterIP") {
    return {
      why: "a Service of type ClusterIP has no address outside of the cluster",
      fix: "gateway.exposure: LoadBalancer",
    };
  }
  return exposure === "LoadBalancer" ? INTERNAL[cluster.kind]?.(serviceAnnotations) : undefined;
}

/** Whether a load balancer with a public address leads to the gateway. Others may lead there too: a router, a proxy. */
export function facesInternet(reached: Reached): boolean {
  const { cluster, gateway } = reached;
  return gateway.exposure === "LoadBalancer" && cluster.kind in INTERNAL && insideBecause(reached) === undefined;
}
