/**
 * Metadata services with node or pod credentials. Link-local: 169.254.169.254 of all clouds,
 * 169.254.170.23 of EKS Pod Identity. IPv6: AWS (fd00:ec2::254, ::23), OCI (fd00:c1::a9fe:a9fe,
 * oracle/oci-python-sdk, instance_principals_security_token_signer.py), Google (fd20:ce::254).
 * Blocked for all pods; controllers with AWS permissions may reach Pod Identity's agent.
 */
export const METADATA_SERVICES = ["169.254.0.0/16", "fd00:ec2::/32", "fd00:c1::/32", "fd20:ce::/32"] as const;

/**
 * Older metadata services of Alibaba Cloud, Azure and Oracle Cloud Classic, outside link-local
 * ranges.
 */
export const OLDER_METADATA_SERVICES = ["100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"] as const;

/**
 * EKS Pod Identity agent of every node: returns credentials of a service account's role, if it has
 * one. Address: docs.aws.amazon.com/eks/latest/userguide, pod-id-agent-setup, and
 * aws/eks-pod-identity-agent@090bf98, configuration/config.go; port: cmd/server.go@2b09b5b (all
 * read 2026-11-23). Also listens at [fd00:ec2::23], unused by IPv4-only pods.
 */
export const POD_IDENTITY_AGENT = { cidr: "169.254.170.23/32", port: 80 } as const;
