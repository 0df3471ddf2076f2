/** Service annotations for AWS load balancers. */
export const AWS_SETTINGS = "service.beta.kubernetes.io/aws-load-balancer-";
export const AWS_SCHEME = `${AWS_SETTINGS}scheme`;

/** Whether the internet reaches the requested load balancer; it is internal by default. */
export function isPublicAws(chosen: Readonly<Record<string, string>>): boolean {
  return chosen[AWS_SCHEME] === "internet-facing";
}
