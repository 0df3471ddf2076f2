import { z } from "zod";
import { contains, parseCidr } from "../../../../names/cidr";
import { dnsLabel } from "./fields";

/**
 * Networks without possible gateway addresses: unspecified, loopback, link-local, multicast and
 * reserved (RFC 6890).
 */
const NOBODYS = ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"].flatMap((cidr) => parseCidr(cidr) ?? []);

export const wildcardDnsSchema = z
  .strictObject({
    service: z.enum(["nip.io", "sslip.io"]).meta({
      description: "Whose DNS servers answer for the name. They are run by volunteers, for everybody.",
      example: "sslip.io",
    }),
    address: z
      .ipv4()
      .refine((address) => {
        const host = parseCidr(`${address}/32`);
        return host !== undefined && !NOBODYS.some((network) => contains(network, host));
      })
      .meta({
        description:
          "Where clients reach the gateway, known before it is deployed: of the edge machine, or reserved at the cloud.",
        allowed: "an IPv4 address that clients can reach: no loopback, link-local or multicast one",
        example: "203.0.113.7",
      }),
    name: dnsLabel(40).default("inference").meta({
      description: "First label of the name.",
      example: "inference",
    }),
  })
  .meta({
    description:
      "Instead of hostname: the gateway is called <name>.<address with dashes>.<service>, without a DNS record (docs/network.md).",
    example: { service: "sslip.io", address: "203.0.113.7" },
  });

export type WildcardDns = z.output<typeof wildcardDnsSchema>;
