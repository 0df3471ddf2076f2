/**
 * Instance metadata services and their like, which hand out the node's or pod's credentials of the cloud: link-local
 * ones (169.254.169.254 on OCI and AWS, 169.254.170.23 of EKS Pod Identity), and AWS's over IPv6 (fd00:ec2::254, ::23).
 * No pod of the platform may reach them.
 */
export const METADATA_SERVICES = ["169.254.0.0/16", "fd00:ec2::/32"] as const;
