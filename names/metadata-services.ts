/**
 * Instance metadata services and their like, which hand out the node's or pod's credentials of the cloud: link-local
 * ones (169.254.169.254 of all clouds, 169.254.170.23 of EKS Pod Identity), and those over IPv6: AWS's (fd00:ec2::254, ::23),
 * OCI's (fd00:c1::a9fe:a9fe, oracle/oci-python-sdk, instance_principals_security_token_signer.py) and Google's (fd20:ce::254).
 * No pod of the platform may reach them, but controllers with rights of their own in AWS the agent of Pod Identity.
 */
export const METADATA_SERVICES = ["169.254.0.0/16", "fd00:ec2::/32", "fd00:c1::/32", "fd20:ce::/32"] as const;

/** Older metadata services, of Alibaba Cloud, Azure and Oracle Cloud Classic, at addresses that are not link-local. */
export const OLDER_METADATA_SERVICES = ["100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"] as const;

/**
 * The agent of EKS Pod Identity, on every node: it gives a pod the credentials of the role that its service account has,
 * and nothing to accounts without one. Address: docs.aws.amazon.com/eks/latest/userguide, pod-id-agent-setup, and
 * aws/eks-pod-identity-agent@090bf98, configuration/config.go; port: cmd/server.go@2b09b5b (all read 2026-11-23). It listens at
 * [fd00:ec2::23] too, which pods with IPv4 addresses alone do not use.
 */
export const POD_IDENTITY_AGENT = { cidr: "169.254.170.23/32", port: 80 } as const;
