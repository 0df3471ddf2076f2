/** `cluster.eks`: a provisioned EKS cluster. */
import { z } from "zod";
import {
  EKS_ADDON_NAMES,
  EKS_ENDPOINT_SERVICES,
  EKS_LOG_DAYS,
  EKS_NODE_IMAGE,
  EKS_USUAL_ENDPOINTS,
} from "../../../../catalog/eks";
import { USUAL_EKS_NETWORK } from "../eks-addresses";
import { endpointSection } from "./endpoint";
import { text } from "./fields";

/** ARN of one service's resource: `arn:aws:kms:us-east-1:111122223333:key/…`. */
function arn(service: string, resource: string, example: string) {
  return z
    .string()
    .max(2048)
    .regex(new RegExp(`^arn:aws[a-z-]*:${service}:[a-z0-9-]*:\\d{12}:${resource}$`))
    .meta({ allowed: `an ARN such as "${example}"`, example });
}

/** By its name in the account: `us-east-1a`. */
export const zoneName = z
  .string()
  .regex(/^[a-z]{2}(-[a-z]+)+-\d+[a-z]$/)
  .meta({ allowed: 'the name of an availability zone, such as "us-east-1a", and not its id', example: "us-east-1a" });

export const eksSection = z
  .strictObject({
    region: text(64)
      .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/)
      .meta({
        description: "Region that everything is made in.",
        allowed: 'the name of a region, such as "us-east-1"',
        example: "us-east-1",
      }),
    accountId: z
      .string()
      .regex(/^\d{12}$/)
      .optional()
      .meta({
        description: "Account that everything is made in: credentials of any other are refused. Default: theirs.",
        allowed: "an AWS account ID of 12 digits, in quotes",
        example: "111122223333",
      }),
    kubernetesVersion: z
      .string()
      .regex(/^1\.\d+$/)
      .meta({
        description: "Minor version of the control plane and of new nodes, as EKS writes it.",
        allowed: 'a version such as "1.35", in quotes',
        example: "1.35",
      }),
    zones: z
      .array(zoneName)
      .min(2)
      .max(6)
      .meta({
        allowed: 'a list of two to six names of availability zones, such as "us-east-1a"',
        description:
          "Availability zones that the network spans, by their names in the account; three survive the loss of one with room to spare. Changing them later moves subnets.",
        examples: [["us-east-1a", "us-east-1b", "us-east-1c"]],
      }),
    administrators: z
      .array(arn("iam", "(role|user)/[\\w+=,.@/-]+", "arn:aws:iam::111122223333:role/platform"))
      .min(1)
      .meta({
        allowed: 'a list of at least one ARN such as "arn:aws:iam::111122223333:role/platform"',
        description:
          "IAM roles and users that may do everything in the cluster; the deployer must be one of them. No other principal has access, not even the cluster creator.",
        examples: [["arn:aws:iam::111122223333:role/platform"]],
      }),
    endpoint: endpointSection,
    network: z
      .strictObject({
        vpc: z
          .cidrv4()
          .default(USUAL_EKS_NETWORK.vpc)
          .meta({ description: "Addresses of the network.", example: "10.0.0.0/16" }),
        services: z
          .cidrv4()
          .default(USUAL_EKS_NETWORK.services)
          .meta({ description: "Addresses of Services.", example: "172.20.0.0/16" }),
        natGateways: z.enum(["per-zone", "single"]).default("per-zone").meta({
          description:
            "Ways out to the internet: one in each zone, or a single one, which costs less and takes every zone's way out with it when its own is lost.",
          example: "single",
        }),
        endpoints: z
          .array(z.enum(EKS_ENDPOINT_SERVICES))
          .default([...EKS_USUAL_ENDPOINTS])
          .meta({
            description:
              "Services of Amazon's that get a private address in each zone of the network, billed by the hour; S3 always has one, free of charge. Others are reached through the NAT gateways.",
            examples: [["ecr.api", "ecr.dkr", "ec2", "sts"]],
          }),
      })
      .prefault({})
      .meta({ description: "Network of the cluster's own.", example: { vpc: "10.0.0.0/16" } }),
    nodeImage: z
      .string()
      .regex(/^v\d{8}$/)
      .default(EKS_NODE_IMAGE)
      .meta({
        description:
          "Release of Amazon's AL2023 images for EKS that Karpenter's nodes boot. Another one replaces nodes, where their pool lets it.",
        allowed: 'a release such as "v20261012"',
        example: EKS_NODE_IMAGE,
      }),
    addonVersions: z
      .partialRecord(
        z.enum(EKS_ADDON_NAMES),
        z
          .string()
          .regex(/^v\d+\.\d+\.\d+-eksbuild\.\d+$/)
          .meta({ allowed: 'a version such as "v1.22.4-eksbuild.3"', example: "v1.22.4-eksbuild.3" }),
      )
      .default({})
      .meta({
        description:
          "Versions of Amazon's add-ons, where a region has not the one that is pinned for the Kubernetes version, or has a newer one that you want.",
        examples: [{ "vpc-cni": "v1.22.4-eksbuild.3" }],
      }),
    encryptionKeyArn: arn("kms", "key/[0-9a-f-]+", "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab")
      .optional()
      .meta({
        description:
          "A KMS key that encrypts the cluster's secrets, its nodes' disks and its volumes. Default: keys of its own are made, and kept when all else is destroyed.",
        example: "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
      }),
    logRetentionDays: z
      .literal(EKS_LOG_DAYS)
      .default(90)
      .meta({ description: "How long logs of the control plane are kept.", unit: "days", example: 90 }),
  })
  .meta({
    description: "The cluster to make; with provision: create alone.",
    example: {
      region: "us-east-1",
      kubernetesVersion: "1.35",
      zones: ["us-east-1a", "us-east-1b", "us-east-1c"],
      administrators: ["arn:aws:iam::111122223333:role/platform"],
    },
  });
