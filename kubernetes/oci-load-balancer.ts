/** Annotations of a Service by which OCI makes its load balancer: which kind it makes, and which of them it then reads. */
type Settings = Readonly<Record<string, string>>;

export const OCI_TYPE = "oci.oraclecloud.com/load-balancer-type";
/** Beginnings of settings: each kind of load balancer of OCI reads its own, and nothing of the other's. */
export const OCI_SETTINGS = {
  lb: "service.beta.kubernetes.io/oci-load-balancer-",
  nlb: "oci-network-load-balancer.oraclecloud.com/",
} as const;

/** The kind that settings ask for, by name or by what only one kind reads. */
export function ociType(chosen: Settings): string {
  return chosen[OCI_TYPE] ?? (Object.keys(chosen).some((key) => key.startsWith(OCI_SETTINGS.lb)) ? "lb" : "nlb");
}

/** Keys of settings that the load balancer which they ask for does not read. */
export function unreadOciSettings(chosen: Settings): string[] {
  const unread = ociType(chosen) === "nlb" ? OCI_SETTINGS.lb : OCI_SETTINGS.nlb;
  return Object.keys(chosen).filter((key) => key.startsWith(unread));
}

/** Whether the load balancer that settings ask for has no public address; OCI takes other spellings of true (Go's ParseBool). */
export function isInternalOci(chosen: Settings): boolean {
  const kind = ociType(chosen) === "nlb" ? OCI_SETTINGS.nlb : OCI_SETTINGS.lb;
  return ["1", "t", "true"].includes((chosen[`${kind}internal`] ?? "").toLowerCase());
}
