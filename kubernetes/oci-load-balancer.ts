/** Service annotations for OCI load balancers: the type, and settings by type. */
type Settings = Readonly<Record<string, string>>;

export const OCI_TYPE = "oci.oraclecloud.com/load-balancer-type";
/** Prefixes of settings; each OCI type ignores the other's. */
export const OCI_SETTINGS = {
  lb: "service.beta.kubernetes.io/oci-load-balancer-",
  nlb: "oci-network-load-balancer.oraclecloud.com/",
} as const;

/** Requested type, by name or by a type-specific setting. */
export function ociType(chosen: Settings): string {
  return chosen[OCI_TYPE] ?? (Object.keys(chosen).some((key) => key.startsWith(OCI_SETTINGS.lb)) ? "lb" : "nlb");
}

/** Settings that the requested type ignores. */
export function unreadOciSettings(chosen: Settings): string[] {
  const unread = ociType(chosen) === "nlb" ? OCI_SETTINGS.lb : OCI_SETTINGS.nlb;
  return Object.keys(chosen).filter((key) => key.startsWith(unread));
}

/**
 * Whether the requested load balancer is private; OCI accepts all spellings of true (Go's
 * ParseBool).
 */
export function isInternalOci(chosen: Settings): boolean {
  const kind = ociType(chosen) === "nlb" ? OCI_SETTINGS.nlb : OCI_SETTINGS.lb;
  return ["1", "t", "true"].includes((chosen[`${kind}internal`] ?? "").toLowerCase());
}
