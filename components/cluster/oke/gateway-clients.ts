import { isInternalOci, OCI_SETTINGS, ociType } from "../../../kubernetes/oci-load-balancer";
import { PRIVATE_IPV4, parseCidr, SHARED_IPV4 } from "../../../names/cidr";
import type { OkeLoadBalancers } from "./settings";

const PRESERVE_SOURCE = `${OCI_SETTINGS.nlb}is-preserve-source`;

/** How clients reach the gateway. */
export interface GatewayService {
  readonly exposure: "LoadBalancer" | "ClusterIP" | "NodePort";
  /** What the environment says itself of its load balancer. */
  readonly serviceAnnotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * Who may use the load balancers of a cluster of ours: everybody where the gateway has a public address, private networks
 * where it has none.
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
      // The other kind is another TCP endpoint; so is this one where the environment says so (Go's ParseBool).
      const hides = ["0", "f", "false"].includes((chosen[PRESERVE_SOURCE] ?? "").toLowerCase());
      return {
        public: isPublic,
        clientCidrs: isPublic ? ["0.0.0.0/0"] : inside,
        preserveSource: ociType(chosen) === "nlb" && !hides,
      };
    }
  }
}
