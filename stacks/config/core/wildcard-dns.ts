/** Host names that contain their address, without DNS records. */
import type { z } from "zod";
import type { gatewaySection } from "./sections/gateway";
import type { WildcardDns } from "./sections/wildcard-dns";

/** As in a file: with a name, or an address for one. */
export type WrittenGateway = z.output<typeof gatewaySection>;

/** With its name resolved. */
export type NamedGateway = WrittenGateway & { readonly hostname: string };

/**
 * Name with the address, answered by a wildcard DNS service. Dashes, so that a certificate or
 * cookie for `*.203-0-113-7.nip.io` is for this address only; both services support them.
 */
export function wildcardHostname({ name, address, service }: WildcardDns): string {
  return `${name}.${address.replaceAll(".", "-")}.${service}`;
}

/** Undefined without name and address. */
export function hostnameOf({ hostname, wildcardDns }: WrittenGateway): string | undefined {
  return hostname ?? (wildcardDns && wildcardHostname(wildcardDns));
}

/** @throws Error without name and address: rules report that before. */
export function withHostname(gateway: WrittenGateway): NamedGateway {
  const hostname = hostnameOf(gateway);
  if (hostname === undefined) {
    throw new Error("gateway has neither hostname nor wildcardDns");
  }
  return { ...gateway, hostname };
}
