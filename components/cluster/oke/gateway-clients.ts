import { isInternalOci, OCI_SETTINGS, ociType } from "../../../kubernetes/oci-load-balancer";
import { PRIVATE_IPV4, parseCidr, SHARED_IPV4 } from "../../../names/cidr";
import type { OkeLoadBalancers } from "./settings";

const PRESERVE_SOURCE = `${OCI_SETTINGS.nlb}is-preserve-source`;

export interface GatewayService {
  readonly exposure: "LoadBalancer" | "ClusterIP" | "NodePort";
  /** Load balancer annotations of the environment. */
  readonly serviceAnnotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * Clients of the cluster's load balancers: any for a public gateway, otherwise private networks.
 *
 * @param privateCidrs private networks besides RFC 1918 and RFC 6598.
 */
export function okeLoadBalancers(
  { exposure, serviceAnnotations: chosen = {} }: GatewayService,
  privateCidrs: readonly string[],
): OkeLoadBalancers {
  // The network has no IPv6.
  const inside = [...PRIVATE_IPV4, SHARED_IPV4, ...privateCidrs.filter((cidr) => parseCidr(cidr)?.family === 4)];
  switch (exposure) {
    case "ClusterIP":
      return { public: false, clientCidrs: [], preserveSource: false };
    case "NodePort":
      return { public: false, clientCidrs: inside, preserveSource: true };
    case "LoadBalancer": {
      const isPublic = !isInternalOci(chosen);
      // The flexible load balancer hides clients; so does this one if the environment sets it (Go's
      // ParseBool).
      const hides = ["0", "f", "false"].includes((chosen[PRESERVE_SOURCE] ?? "").toLowerCase());
      return {
        public: isPublic,
        clientCidrs: isPublic ? ["0.0.0.0/0"] : inside,
        preserveSource: ociType(chosen) === "nlb" && !hides,
      };
    }
  }
}
