import { isPrivateIpv4 } from "../../names/cidr";
import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Dependencies of a wildcard DNS name, and where it does not resolve. */
export function wildcardDns({
  environment,
}: {
  readonly environment: Pick<EnvironmentConfig, "gateway">;
}): CapacityProblem[] {
  const { hostname, wildcardDns: dns, exposure, tls } = environment.gateway;
  if (dns === undefined) {
    return [];
  }
  const { service, address } = dns;
  const parts = [
    `${hostname} is found through ${service}, which others run: while it does not answer, new clients do not find the gateway`,
    ...(isPrivateIpv4(address)
      ? [
          `public DNS then answers with ${address}, and routers with rebinding protection drop that: allow ${service} there`,
        ]
      : []),
    ...(exposure === "NodePort" && tls.kind === "acme"
      ? [
          `the challenge for the certificate comes to port 80 of ${address}: let a router lead it to the gateway's node port for HTTP`,
        ]
      : []),
  ];
  return [
    { severity: "advisory", rule: "wildcard-dns", subject: "gateway.wildcardDns", message: `${parts.join("; ")}.` },
  ];
}
