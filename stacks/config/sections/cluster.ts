import { z } from "zod";
import type { ClusterKind } from "../../../planner/types";
import { dnsLabel, text, wholeNumber } from "./fields";

const clusterKinds = ["local", "oci", "aws", "edge"] as const satisfies readonly ClusterKind[];

/** RFC 1918. */
const privateNetworks = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"];

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
      description: "RuntimeClass of GPU pods; k3s needs `nvidia` for NVIDIA cards. Default: none.",
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
        description: "What pods need beside the device plugin to open the GPUs of this cluster. Default: nothing.",
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
        z
          .union([z.cidrv4(), z.cidrv6()])
          .meta({ allowed: 'a network in CIDR form, such as "10.0.0.0/8"', example: "10.0.0.0/8" }),
      )
      .min(1)
      .default(privateNetworks)
      .meta({
        description:
          "Networks that are not the internet: pods that may reach the internet still may not reach these. Default: RFC 1918.",
        example: ["10.0.0.0/8"],
      }),
  })
  .meta({ description: "The Kubernetes cluster that the platform runs on.", example: { kind: "local" } });
