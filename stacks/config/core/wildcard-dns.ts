/** Host names that carry their address: nobody writes a DNS record for them. */
import type { z } from "zod";
import type { gatewaySection } from "./sections/gateway";
import type { WildcardDns } from "./sections/wildcard-dns";

/** The section as it stands in a file: with a name, or with an address to make one of. */
export type WrittenGateway = z.output<typeof gatewaySection>;

/** The section as everybody else reads it: its name is known, wherever it comes from. */
export type NamedGateway = WrittenGateway & { readonly hostname: string };

/**
 * The name that a service of wildcard DNS answers for with the address in it. Dashes, because a certificate or a cookie for
 * `*.203-0-113-7.nip.io` is then of this address alone; both services read them.
 */
export function wildcardHostname({ name, address, service }: WildcardDns): string {
  return `${name}.${address.replaceAll(".", "-")}.${service}`;
}

/** The public name of a gateway; undefined while the section says neither. */
export function hostnameOf({ hostname, wildcardDns }: WrittenGateway): string | undefined {
  return hostname ?? (wildcardDns && wildcardHostname(wildcardDns));
}

/** @throws Error where there is neither name nor address: the rules have told that before. */
export function withHostname(gateway: WrittenGateway): NamedGateway {
  const hostname = hostnameOf(gateway);
  if (hostname === undefined) {
    throw new Error("gateway has neither hostname nor wildcardDns");
  }
  return { ...gateway, hostname };
}
