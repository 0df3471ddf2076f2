import { z } from "zod";
import { GPU_NODE_IMAGES } from "../../../../catalog/gpu-node-images";
import { contains, isMappedIpv4, parseCidr } from "../../../../names/cidr";
import { METADATA_SERVICES } from "../../../../names/metadata-services";
import { eksSection } from "./eks";
import { dnsLabel, text, wholeNumber } from "./fields";
import { hostsSection, k3sSection } from "./k3s";
import { localClusterSection } from "./local-cluster";
import { okeSection } from "./oke";
import { taggedUnion } from "./tagged-union";

const network = z.union([z.cidrv4(), z.cidrv6()]);

const installer = z.enum(["platform", "present"]).default("platform");

/** Source of a cluster. */
const provision = z.enum(["create", "stack", "existing"]).default("existing").meta({
  description:
    "Where the cluster comes from: create = this stack makes it, stack = another Pulumi stack did, which stackReference names, existing = it is not managed here.",
  example: "create",
});

/** Common to all clusters. */
const common = {
  stackReference: text()
    .regex(/^[^/\s]+(\/[^/\s]+){0,2}$/)
    .optional()
    .meta({
      description: "The stack that made the cluster, with provision: stack: its name, or organization/project/stack.",
      allowed: "the name of a Pulumi stack: <stack>, or <organization>/<project>/<stack>",
      example: "organization/inference-stacks/oci-a10-cluster",
    }),
  kubeContext: text().optional().meta({
    description: "Context of the kubeconfig to use. Default: its current context.",
    example: "kind-dev",
  }),
  gpuRuntimeClass: dnsLabel(253).optional().meta({
    description:
      "RuntimeClass of GPU pods; k3s needs `nvidia` for NVIDIA cards. With cards of both vendors: of NVIDIA's pods only. Default: none; nvidia where k3s is installed here on a machine with NVIDIA cards.",
    example: "nvidia",
    allowed: "name of a RuntimeClass",
  }),
  gpuSoftware: z.enum(["platform", "present"]).default("present").meta({
    description:
      "Who brings the device plugins of GPUs and RDMA devices to a cluster that exists: the platform (NVIDIA's GPU Operator, AMD's device plugin), or they are present already. A cluster that is made here has them of its cloud.",
    example: "platform",
  }),
  gpuNodeImage: z.enum(GPU_NODE_IMAGES).optional().meta({
    description:
      "What the GPU nodes boot, with gpuSoftware: platform: it decides what of driver and container toolkit the platform adds. Default: al2023 on EKS, oke-oracle-linux on OKE, k3s on the edge.",
    example: "al2023",
  }),
  gpuExporters: installer.meta({
    description: "Who installs the GPU metrics exporters (DCGM, AMD): the platform, or they are present already.",
    example: "present",
  }),
  certManager: installer.meta({
    description: "Who installs cert-manager: the platform, or it is present already.",
    example: "present",
  }),
  privateCidrs: z
    .array(
      network.refine(isPartOfAnInternet).meta({
        allowed: 'a network in CIDR form, such as "172.32.0.0/16", but not all addresses ("/0")',
        example: "172.32.0.0/16",
      }),
    )
    .default([])
    .meta({
      description:
        "Networks that are not the internet, besides the private ones (RFC 1918, RFC 6598, RFC 4193): pods that may reach the internet still may not reach these. Naming one of IPv6 opens the internet of IPv6.",
      examples: [["172.32.0.0/16"]],
    }),
  dnsCidrs: z
    .array(
      network.refine(isPartOfAnInternet).refine(isNoMetadataService).meta({
        allowed:
          'a network in CIDR form, such as "10.96.0.10/32", but neither all addresses ("/0") nor those of metadata services',
        example: "10.96.0.10/32",
      }),
    )
    .default([])
    .meta({
      description:
        "Addresses at which a cache of DNS on every node (NodeLocal DNSCache) answers, where these are others than 169.254.20.10 and Kubespray's 169.254.25.10: that of the Service kube-dns, for example, which the cache takes over with kube-proxy in iptables mode. `npm run doctor` finds them.",
      examples: [["10.96.0.10/32"]],
    }),
  apiServerCidrs: z
    .array(
      network.refine(isPartOfAnInternet).refine(isNoMetadataService).meta({
        allowed: 'a network in CIDR form, such as "10.0.0.0/28", but neither all addresses ("/0") nor link-local ones',
        example: "10.0.0.0/28",
      }),
    )
    .default([])
    .meta({
      description:
        "Networks of the Kubernetes API server: its endpoints and the address of the Service `kubernetes`. Pods that use the API connect only to these on ports 443 and 6443. Default: any address but those of metadata services.",
      examples: [["10.0.0.0/28", "10.96.0.1/32"]],
    }),
};

/** For the platform's volumes. */
function storageClass(example: string, remark: string) {
  return dnsLabel(253).meta({
    description: `StorageClass of the platform's volumes; must encrypt at rest in production. ${remark}`,
    example,
    allowed: "name of a StorageClass",
  });
}

/** Shipped with a kind of cluster. */
function shippedClass(name: string, remark: string) {
  return storageClass(name, remark).default(name);
}

const anyClass = storageClass("encrypted-disks", "Default: the cluster's default class.").optional();

/** For Radeon and Instinct cards: no catalogue machine of EKS has them. */
const gpuDevices = z
  .strictObject({
    groups: z
      .array(wholeNumber(1, 65_535).meta({ description: "A numeric group.", unit: "gid", examples: [992] }))
      .default([])
      .meta({
        description:
          "Numeric groups of the GPU's device files; Radeon: the gid of `render` (getent group render). Default: with provision: create, what the machine says; else none.",
        examples: [[992]],
      }),
    environment: z
      .record(
        z
          .string()
          .regex(/^[A-Z][A-Z0-9_]*$/)
          .meta({ allowed: "the name of an environment variable" }),
        text(),
      )
      .default({})
      .meta({
        description:
          "Variables of the driver's runtime, for every AMD card of the cluster. What a card needs of HSA_OVERRIDE_GFX_VERSION is in the catalogue and set by itself: a value here counts before it.",
        examples: [{ HSA_OVERRIDE_GFX_VERSION: "10.3.0" }],
      }),
  })
  .optional()
  .meta({
    description:
      "What pods need in addition to the device plugin to open the GPUs of this cluster. With cards of both vendors: of AMD's pods only. Default: nothing.",
    examples: [{ groups: [992] }],
  });

export const clusterSection = taggedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("local"),
      provision,
      local: localClusterSection.optional(),
      storageClass: anyClass,
      ...common,
      gpuDevices,
    })
    .meta({
      description:
        "the cluster of the kubeconfig: k3s, kind, or another existing one; or one created here in a container of this computer.",
    }),
  z
    .strictObject({
      kind: z.literal("oci"),
      provision,
      oke: okeSection.optional(),
      storageClass: storageClass(
        "oci-bv",
        "Default: oci-bv, OKE's own on encrypted block volumes; where the cluster is made here, one of ours with its own key.",
      ).optional(),
      ...common,
      gpuDevices,
    })
    .meta({ description: "Oracle OKE." }),
  z
    .strictObject({
      kind: z.literal("aws"),
      provision,
      eks: eksSection.optional(),
      storageClass: storageClass(
        "gp3",
        "Default: the cluster's default class; where the cluster is made here, one of ours with its own key.",
      ).optional(),
      ...common,
    })
    .meta({ description: "Amazon EKS." }),
  z
    .strictObject({
      kind: z.literal("edge"),
      provision,
      hosts: hostsSection.optional(),
      k3s: k3sSection.optional(),
      storageClass: shippedClass("local-path", "k3s ships one on the machine's own disk: encrypt that (LUKS)."),
      ...common,
      gpuDevices,
    })
    .meta({ description: "k3s on one machine of yours." }),
]).meta({ description: "The Kubernetes cluster that the platform runs on.", example: { kind: "local" } });

/** Without IPv4-mapped IPv6 addresses, which the API server rejects. */
function isPartOfAnInternet(cidr: string): boolean {
  return !cidr.endsWith("/0") && !isMappedIpv4(cidr);
}

function isNoMetadataService(cidr: string): boolean {
  return !METADATA_SERVICES.some((services) => lieIn(cidr, services));
}

function lieIn(cidr: string, other: string): boolean {
  const [a, b] = [parseCidr(cidr), parseCidr(other)];
  return a !== undefined && b !== undefined && contains(b, a);
}
