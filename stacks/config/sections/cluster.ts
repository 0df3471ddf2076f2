import { z } from "zod";
import { contains, parseCidr } from "../../../names/cidr";
import { METADATA_SERVICES } from "../../../names/metadata-services";
import type { ClusterKind } from "../../../planner/types";
import { dnsLabel, text, wholeNumber } from "./fields";

const clusterKinds = ["local", "oci", "aws", "edge"] as const satisfies readonly ClusterKind[];

const network = z.union([z.cidrv4(), z.cidrv6()]);

const installer = z.enum(["platform", "present"]).default("platform");

export const clusterSection = z
  .strictObject({
    kind: z.enum(clusterKinds).meta({
      description:
        "Where the cluster comes from: local = the current kubeconfig, oci = Oracle OKE, aws = Amazon EKS, edge = k3s on a machine of yours.",
      example: "local",
    }),
    kubeContext: text().optional().meta({
      description: "Context of the kubeconfig to use. Default: its current context.",
      example: "kind-dev",
    }),
    storageClass: dnsLabel(253).optional().meta({
      description:
        "StorageClass of the platform's volumes; must encrypt at rest in production. Default: the cluster's default class.",
      example: "local-path",
      allowed: "name of a StorageClass",
    }),
    gpuRuntimeClass: dnsLabel(253).optional().meta({
      description:
        "RuntimeClass of GPU pods; k3s needs `nvidia` for NVIDIA cards. With cards of both vendors: of NVIDIA's pods only. Default: none.",
      example: "nvidia",
      allowed: "name of a RuntimeClass",
    }),
    gpuDevices: z
      .strictObject({
        groups: z
          .array(wholeNumber(1, 65_535).meta({ description: "A numeric group.", unit: "gid", examples: [992] }))
          .default([])
          .meta({
            description: "Numeric groups of the GPU's device files; Radeon: the gid of `render` (getent group render).",
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
            description: "Variables of the driver's runtime, for cards that ROCm does not list.",
            examples: [{ HSA_OVERRIDE_GFX_VERSION: "10.3.0" }],
          }),
      })
      .optional()
      .meta({
        description:
          "What pods need beside the device plugin to open the GPUs of this cluster. With cards of both vendors: of AMD's pods only. Default: nothing.",
        examples: [{ groups: [992] }],
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
    apiServerCidrs: z
      .array(
        network.refine(isPartOfAnInternet).refine(isNoMetadataService).meta({
          allowed:
            'a network in CIDR form, such as "10.0.0.0/28", but neither all addresses ("/0") nor link-local ones',
          example: "10.0.0.0/28",
        }),
      )
      .default([])
      .meta({
        description:
          "Networks of the Kubernetes API server: its endpoints and the address of the Service `kubernetes`. Pods that use the API reach nothing else on ports 443 and 6443. Default: any address but those of metadata services.",
        examples: [["10.0.0.0/28", "10.96.0.1/32"]],
      }),
  })
  .meta({ description: "The Kubernetes cluster that the platform runs on.", example: { kind: "local" } });

/** Nor are IPv4 addresses in the form of IPv6: the API server refuses them. */
function isPartOfAnInternet(cidr: string): boolean {
  return !cidr.endsWith("/0") && !lieIn(cidr, "::ffff:0:0/96");
}

function isNoMetadataService(cidr: string): boolean {
  return !METADATA_SERVICES.some((services) => lieIn(cidr, services));
}

function lieIn(cidr: string, other: string): boolean {
  const [a, b] = [parseCidr(cidr), parseCidr(other)];
  return a !== undefined && b !== undefined && contains(b, a);
}
