/** `cluster.oke`: a provisioned OKE cluster. */
import { z } from "zod";
import { VF_ADDRESSES } from "../../../../catalog/sriov";
import { endpointSection } from "./endpoint";
import { text } from "./fields";

/** OCID of certain resource kinds. */
export function ocid(...kinds: readonly [string, ...string[]]) {
  return z
    .string()
    .max(255)
    .regex(new RegExp(`^ocid1\\.(${kinds.join("|")})\\.oc\\d+\\.[a-z0-9-]*\\.[a-z0-9._-]+$`))
    .meta({ allowed: `an OCID that begins with ${kinds.map((kind) => `"ocid1.${kind}."`).join(" or ")}` });
}

const region = text(64)
  .regex(/^[a-z]{2,3}-[a-z]+-\d+$/)
  .meta({ allowed: 'the identifier of a region, such as "eu-frankfurt-1"', example: "eu-frankfurt-1" });

export const okeSection = z
  .strictObject({
    tenancyId: ocid("tenancy").meta({
      description: "The tenancy: its availability domains and limits are asked for.",
      example: "ocid1.tenancy.oc1..your-tenancy",
    }),
    compartmentId: ocid("compartment").meta({
      description: "Compartment that everything is made in.",
      example: "ocid1.compartment.oc1..your-compartment",
    }),
    region: region.meta({ description: "Region that everything is made in.", example: "eu-frankfurt-1" }),
    homeRegion: region.optional().meta({
      description: "The tenancy's home region, where policies are written. Default: region.",
      example: "us-ashburn-1",
    }),
    kubernetesVersion: z
      .string()
      .regex(/^v1\.\d+\.\d+$/)
      .meta({
        description: "Version of the control plane and of new nodes, as OKE writes it.",
        allowed: 'a version such as "v1.35.2"',
        example: "v1.35.2",
      }),
    endpoint: endpointSection,
    network: z
      .strictObject({
        vcn: z
          .cidrv4()
          .default("10.0.0.0/16")
          .meta({ description: "Addresses of the network.", example: "10.0.0.0/16" }),
        services: z
          .cidrv4()
          .default("10.96.0.0/16")
          .meta({ description: "Addresses of Services.", example: "10.96.0.0/16" }),
        rdma: z.cidrv4().default(VF_ADDRESSES.subnet).meta({
          description:
            "Addresses that pods get on the RDMA network, where they have virtual functions of it. Nothing else that such pods talk to may have them: all traffic to them goes over the RDMA network.",
          example: VF_ADDRESSES.subnet,
        }),
        subnets: z
          .strictObject({
            endpoint: z
              .cidrv4()
              .optional()
              .meta({ description: "Of the Kubernetes API. Default: its share of vcn.", example: "10.0.0.0/28" }),
            nodes: z
              .cidrv4()
              .optional()
              .meta({ description: "Of nodes. Default: a sixteenth of vcn.", example: "10.0.16.0/20" }),
            pods: z
              .cidrv4()
              .optional()
              .meta({ description: "Of pods. Default: a quarter of vcn.", example: "10.0.64.0/18" }),
            loadBalancers: z
              .cidrv4()
              .optional()
              .meta({ description: "Of load balancers. Default: its share of vcn.", example: "10.0.1.0/24" }),
          })
          .prefault({})
          .meta({ description: "Subnets of the network.", example: { pods: "10.0.64.0/18" } }),
      })
      .prefault({})
      .meta({ description: "Network of the cluster.", example: { vcn: "10.0.0.0/16" } }),
    encryptionKeyId: ocid("key").optional().meta({
      description:
        "A key of OCI Vault that encrypts the cluster's secrets, its nodes' disks and its volumes. Default: a vault and keys of its own are made, and kept when all else is destroyed.",
      example: "ocid1.key.oc1.eu-frankfurt-1.your-vault.your-key",
    }),
    encryptionKeyCompartmentId: ocid("compartment", "tenancy").optional().meta({
      description:
        "Compartment of that key, where the policy that lets the cluster use it is written. Default: compartmentId.",
      example: "ocid1.compartment.oc1..your-security-compartment",
    }),
  })
  .meta({
    description: "The cluster to make; with provision: create alone.",
    example: {
      tenancyId: "ocid1.tenancy.oc1..your-tenancy",
      compartmentId: "ocid1.compartment.oc1..your-compartment",
      region: "eu-frankfurt-1",
      kubernetesVersion: "v1.35.2",
    },
  });
