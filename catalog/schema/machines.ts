import { z } from "zod";
import type { ConfidentialShape } from "../confidential";
import { GPU_NODE_IMAGES, type GpuNodeImageEntry } from "../gpu-node-images";
import type { MigTable } from "../mig-profiles";
import { AGENT_PLACES, type NodeAgentRow } from "../node-agents";
import type { NodeStart } from "../node-start";
import type { AmdSupport, GpuCard, GpuModel, ShapeRow } from "../shapes";
import { about, count, day, gfx, notNegative, positive, text } from "./fields";

const range = z.strictObject({ min: positive, max: positive }).refine(({ min, max }) => min <= max, "min exceeds max");

const amdSupport = z.strictObject({
  rocm: z.enum(["supported", "unlisted", "no"]),
  hsaOverride: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/)
    .optional(),
  engines: z.array(text),
  source: text,
}) satisfies z.ZodType<AmdSupport>;

const gpuModel = z.strictObject({
  model: text,
  vendor: z.enum(["nvidia", "amd"]),
  arch: text,
  abilities: z
    .strictObject({
      computeCapability: positive.optional(),
      gfx: gfx.optional(),
      bf16: z.boolean(),
      fp8: z.boolean(),
      mxfp4: z.boolean(),
      nvfp4: z.boolean(),
      source: text,
    })
    .refine(({ computeCapability, gfx }) => (computeCapability === undefined) !== (gfx === undefined), "one of the two")
    .optional(),
  tflops: z.strictObject({ dense16: positive, source: text }).optional(),
  speed: z
    .strictObject({
      memoryGBs: positive,
      dense16: positive.optional(),
      dense8: positive.optional(),
      dense4: positive.optional(),
      linkGBs: positive.optional(),
      pcieGBs: positive,
      source: text,
    })
    .optional(),
  nvlinkBoard: z.literal(true).optional(),
  reported: z.strictObject({ names: z.array(text).nonempty(), source: text }).optional(),
  support: amdSupport.optional(),
  memoryGB: positive,
  memoryGiB: positive,
  engineMemoryGiB: positive,
  memorySource: text,
  engineMemorySource: text,
  notes: z.string(),
}) satisfies z.ZodType<GpuModel>;

const priceOrigin = {
  region: text,
  confidence: z.enum(["read", "derived"]),
  asOf: z.union([day, z.literal("undated")]),
  source: text,
};

const price = z.union([
  z.strictObject({ usdPerHour: positive, ...priceOrigin }),
  z.strictObject({
    usdPerOcpuHour: positive,
    usdPerGBHour: positive,
    freePerMonth: z.strictObject({ ocpuHours: positive, gbHours: positive }).optional(),
    ...priceOrigin,
  }),
]);

const shapeRow = z.strictObject({
  name: text,
  gpu: z
    .strictObject({
      model: text,
      count,
      nvlink: z.boolean().optional(),
      fractionOf: z.strictObject({ memoryGB: positive, memoryGiB: positive }).optional(),
    })
    .optional(),
  cpu: z.strictObject({ arch: z.enum(["amd64", "arm64"]), vcpus: count, ocpus: count.optional() }),
  flex: z
    .strictObject({
      ocpus: range,
      memoryGiB: range,
      memoryGiBPerOcpu: range,
      networkGbpsPerOcpu: positive.optional(),
    })
    .optional(),
  memoryGiB: positive,
  allocatableMemoryMiB: positive.optional(),
  maxPods: count.optional(),
  addressesPerInterface: count.optional(),
  numa: z.strictObject({ nodes: count, withGpus: count.optional(), source: text }).optional(),
  localNvmeGB: notNegative,
  networkGbps: positive.optional(),
  rdma: z.strictObject({ kind: z.enum(["none", "roce", "efa"]), gbps: notNegative, interfaces: count.optional() }),
  price: price.optional(),
  noPriceReason: text.optional(),
  denied: text.optional(),
  notes: z.string(),
  source: text,
}) satisfies z.ZodType<ShapeRow>;

const gpuCard = z.strictObject({
  name: text,
  gpu: text,
  nvlink: z.boolean().nullable(),
  notes: z.string(),
  source: text,
}) satisfies z.ZodType<GpuCard>;

const confidentialShape = z.strictObject({
  technology: z.enum(["SEV", "SEV-SNP"]),
  platform: text,
  systems: text,
}) satisfies z.ZodType<ConfidentialShape>;

const gpuNodeImage = z.strictObject({
  name: z.enum(GPU_NODE_IMAGES),
  what: text,
  driver: z.boolean(),
  toolkit: z.boolean(),
  devicePlugin: z.boolean(),
  source: text,
  asOf: day,
}) satisfies z.ZodType<GpuNodeImageEntry>;

const nodeAgent = z.strictObject({
  name: text,
  where: z.enum(AGENT_PLACES),
  cpu: positive,
  memoryMiB: count,
  source: text,
}) satisfies z.ZodType<NodeAgentRow>;

/** What machines are: cards, shapes, parts of cards, drivers, what nodes boot with and run besides. */
export const machines = {
  gpus: z.strictObject({ about, asOf: day, gpus: z.array(gpuModel) }),
  shapes: z.strictObject({ about, asOf: day, shapes: z.array(shapeRow) }),
  cards: z.strictObject({ about, asOf: day, cards: z.array(gpuCard) }),
  migProfiles: z.strictObject({
    about,
    asOf: day,
    cards: z.array(
      z.strictObject({
        gpus: z.array(text).nonempty(),
        profiles: z
          .array(
            z.strictObject({
              name: z.string().regex(/^[1-7]g\.[0-9]+gb$/),
              perGpu: count,
              memoryGB: positive,
              memoryGiB: positive,
              compute: z.strictObject({ slices: count, of: count }),
            }),
          )
          .nonempty(),
        source: text,
        memorySource: text,
      }),
    ),
    unread: z.array(z.strictObject({ gpu: text, why: text })),
  }) satisfies z.ZodType<MigTable>,
  confidential: z.strictObject({
    about,
    asOf: day,
    oci: z.strictObject({ source: text, shapes: z.record(text, confidentialShape) }),
    aws: z.strictObject({
      regions: z.array(text).nonempty(),
      source: text,
      shapes: z.record(text, confidentialShape),
    }),
  }),
  cudaDrivers: z.strictObject({
    about,
    asOf: day,
    drivers: z.array(z.strictObject({ cuda: count, leastDriver: count })).nonempty(),
    source: text,
  }),
  rocmDrivers: z.strictObject({
    about,
    asOf: day,
    drivers: z.array(z.strictObject({ rocm: text, leastDriver: text })).nonempty(),
    source: text,
  }),
  gpuNodeImages: z.strictObject({ about, images: z.array(gpuNodeImage) }),
  nodeStart: z.strictObject({
    about,
    asOf: day,
    machines: z.array(
      z.strictObject({
        provider: z.enum(["oci", "aws"]),
        bareMetal: z.boolean(),
        seconds: count,
        confidence: z.enum(["read", "assumed"]),
        source: text,
        notes: z.string(),
      }) satisfies z.ZodType<NodeStart>,
    ),
  }),
  nodeAgents: z.strictObject({ about, asOf: day, agents: z.array(nodeAgent) }),
};
