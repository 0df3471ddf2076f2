/** Name of an external server of any kind. */
import { z } from "zod";
import { text, url as urlField } from "./fields";

/** Default of `networks`. */
export const WITHOUT_NETWORKS =
  "any address that is not private; names of private networks (.internal, .local, .corp, .lan, .home.arpa) need them.";

export const outsideNetworks = z
  .array(text(64).meta({ allowed: "a network in CIDR form" }))
  .min(1)
  .max(50)
  .optional();

interface UrlText {
  readonly description: string;
  readonly example: string;
  readonly allowed?: string;
}

/** @param url description of this kind's URL. */
export function outsideFields(url: UrlText) {
  return {
    url: urlField({ protocol: /^https?$/ }).meta({
      allowed: "an http:// or https:// URL, in production https:// alone",
      ...url,
    }),
    networks: outsideNetworks.meta({
      description: `Networks in CIDR form that the URL's name resolves to: pods that call the server reach these alone, at its port. NetworkPolicies know no names. Default: the address in the URL; for a name ${WITHOUT_NETWORKS}`,
      example: ["192.168.1.20/32"],
    }),
  };
}
