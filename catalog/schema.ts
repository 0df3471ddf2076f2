import { z } from "zod";
import type { ChartImages } from "./chart-images";
import type { ChartValueKeys } from "./chart-values";
import type { ChartEntry } from "./charts";
import { CLOUD_SERVICES, type CloudPrice, PRICE_UNITS, type PriceShare } from "./cloud-prices";
import type { ConfidentialShape } from "./confidential";
import type { EngineOptions } from "./engine-options";
import type { RoceProfile } from "./fabrics";
import { GPU_NODE_IMAGES, type GpuNodeImageEntry } from "./gpu-node-images";
import type { ImagePull } from "./image-pull";
import { isPinned } from "./image-reference";
import type { ImageEntry } from "./images";
import type { K3sArchitecture, ReleaseFile } from "./k3s";
import type { ProjectLicense } from "./licenses";
import { CONTAINER_ENGINES, LOCAL_CLUSTER_TOOLS, type LocalClusterToolEntry } from "./local-clusters";
import type { MigTable } from "./mig-profiles";
import type { ModelEntry } from "./models";
import { AGENT_PLACES, type NodeAgentRow } from "./node-agents";
import type { NodeStart } from "./node-start";
import type { OkeAddon } from "./oke";
import type { AmdSupport, GpuCard, GpuModel, ShapeRow } from "./shapes";
import type { RootDevices } from "./sriov";

// Schemas of the catalogue files. Tests apply them; the program trusts the files and starts without them.

const text = z.string().trim().min(1);
const positive = z.number().positive();
const count = z.number().int().positive();
const notNegative = z.number().nonnegative();
const day = z.iso.date();
const range = z.strictObject({ min: positive, max: positive }).refine(({ min, max }) => min <= max, "min exceeds max");

const imagePull = z.strictObject({ compressedGB: positive, confidence: z.enum(["read", "assumed"]), source: text });

const gfx = z.string().regex(/^gfx[0-9a-f]+$/);
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

const modelEntry = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+([.-][a-z0-9]+)*$/),
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  license: text,
  gated: z.boolean(),
  task: z.enum(["chat", "completion", "embedding", "rerank"]),
  configPath: z.string().regex(/^catalog\/models\/[^/]+\/config\.json$/),
  builds: z
    .record(
      z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
      z
        .array(
          z.strictObject({
            tag: z.string().regex(/^[\w.-]+:[\w.-]+$/),
            quantization: text,
            fileBytes: count,
            source: text,
          }),
        )
        .nonempty(),
    )
    .optional(),
  source: text,
  asOf: day,
  notes: text.optional(),
}) satisfies z.ZodType<ModelEntry>;

const chartEntry = z.strictObject({
  name: text,
  chart: text,
  repository: z.string().regex(/^(https|oci):\/\/\S+$/),
  version: z.string().regex(/^v?\d+\.\d+\.\d+/),
  appVersion: text,
  kubeVersion: text.optional(),
  crdNotes: text.optional(),
  notes: z.array(text),
  source: text,
  asOf: day,
}) satisfies z.ZodType<ChartEntry>;

const chartValueKeys = z.strictObject({
  chart: text,
  version: text,
  source: text,
  asOf: day,
  values: z.record(text, z.enum(["map", "list", "string", "number", "boolean", "null"])),
  open: z.array(text),
  otherKeys: z.array(text),
  subcharts: z.array(text),
}) satisfies z.ZodType<ChartValueKeys>;

const imageEntry = z.strictObject({
  component: text,
  repository: z.string().regex(/^[a-z0-9.-]+\.[a-z]+(\/[a-z0-9._-]+)+$/),
  tag: z
    .string()
    .regex(/^[\w][\w.-]*$/)
    .refine((tag) => !/(^|-)latest(-|$)/.test(tag), "a moving tag"),
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .optional(),
  platforms: z.array(z.string().regex(/^linux\/[a-z0-9]+$/)).nonempty(),
  platformsConfidence: z.enum(["stated", "inferred"]),
  gpus: z
    .strictObject({ computeCapability: positive.optional(), gfx: z.array(gfx).nonempty().optional(), source: text })
    .optional(),
  fabrics: z.strictObject({ kinds: z.array(z.enum(["roce", "efa"])), source: text }).optional(),
  confidence: z.enum(["stated", "inferred"]),
  source: text,
  asOf: day,
  cuda: count.optional(),
  rocm: z
    .string()
    .regex(/^\d+\.\d+$/)
    .optional(),
  notes: text.optional(),
}) satisfies z.ZodType<ImageEntry>;

const chartImages = z.strictObject({
  chart: text,
  images: z.array(
    z.strictObject({
      component: text,
      registry: text.optional(),
      repository: text.optional(),
      folder: text.optional(),
      reference: text.optional(),
      when: text.optional(),
    }),
  ),
  pullSecrets: z
    .strictObject({
      references: text.optional(),
      names: z.union([text, z.array(text).nonempty()]).optional(),
      name: text.optional(),
    })
    .optional(),
  unused: z.record(text, text),
}) satisfies z.ZodType<ChartImages>;

const choices = z.array(text).nonempty().optional();

const engineOptions = z.strictObject({
  about: text,
  record: z.string().regex(/^test\/fixtures\/upstream\/[\w.-]+\.json$/),
  engine: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  version: z.string().regex(/^\d+(\.\d+){1,2}$/),
  source: text,
  asOf: day,
  arguments: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
      kind: z.enum(["switch", "integer", "number", "text", "json", "list"]),
      assigned: z.boolean().optional(),
      negation: text.optional(),
      aliases: z.array(text).optional(),
      suffix: z.boolean().optional(),
      choices,
      open: z.boolean().optional(),
    }),
  ),
  environment: z.array(
    z.strictObject({
      name: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
      kind: z.enum(["switch", "integer", "number", "text"]),
      choices,
    }),
  ),
}) satisfies z.ZodType<EngineOptions>;

const remarks = z.record(text, text);
const optionRules = z.strictObject({ settings: remarks, refused: remarks, memory: remarks, advice: remarks });

const environment = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), text);

const roceProfile = z.strictObject({
  shapes: z.array(text).nonempty(),
  kind: z.literal("roce"),
  hcas: z.array(z.string().regex(/^mlx5_\d+$/)).nonempty(),
  environment,
  device: z.strictObject({ resource: text, perNode: count, network: text }),
  mtu: count,
  testImage: text,
  source: text,
}) satisfies z.ZodType<RoceProfile>;

const rootDevices = z.strictObject({
  shapes: z.array(text).nonempty(),
  pci: z.array(z.string().regex(/^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/)).nonempty(),
}) satisfies z.ZodType<RootDevices>;

const sriov = z.strictObject({
  about: text,
  asOf: day,
  source: text,
  rootDevices: z.array(rootDevices),
  policy: z.strictObject({
    vendor: text,
    numVfs: count,
    priority: z.number().int().min(0).max(99),
    deviceType: z.enum(["netdevice", "vfio-pci"]),
  }),
  network: z.strictObject({ name: text, spoofChk: z.enum(["on", "off"]), sysctl: z.record(text, text) }),
  addresses: z.strictObject({ pool: text, subnet: z.cidrv4(), perNode: count }),
  operator: z.strictObject({ namespace: text, gpuNamespace: text, toolkit: text }),
});

const minor = z.string().regex(/^1\.\d+$/);

const localClusterTool = z.strictObject({
  name: z.enum(LOCAL_CLUSTER_TOOLS),
  what: text,
  engines: z.array(z.enum(CONTAINER_ENGINES)).min(1),
  oldest: z.string().regex(/^\d+\.\d+\.\d+$/),
  install: z.url({ protocol: /^https$/ }),
  nodeImage: text.refine(isPinned, "is not pinned"),
  kubernetesVersion: z.string().regex(/^v1\.\d+\.\d+(\+k3s\d+)?$/),
  storageClass: text,
  source: text,
  asOf: day,
}) satisfies z.ZodType<LocalClusterToolEntry>;

const gpuNodeImage = z.strictObject({
  name: z.enum(GPU_NODE_IMAGES),
  what: text,
  driver: z.boolean(),
  toolkit: z.boolean(),
  devicePlugin: z.boolean(),
  source: text,
  asOf: day,
}) satisfies z.ZodType<GpuNodeImageEntry>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const releaseFile = z.strictObject({ file: text, bytes: count.optional(), sha256 }) satisfies z.ZodType<ReleaseFile>;
const k3sArchitecture = z.strictObject({
  machine: text,
  binary: releaseFile,
  images: releaseFile,
}) satisfies z.ZodType<K3sArchitecture>;

const k3s = z.strictObject({
  about: text,
  version: z.string().regex(/^v\d+\.\d+\.\d+\+k3s\d+$/),
  releasedOn: day,
  asOf: day,
  source: text,
  downloads: z.url({ protocol: /^https$/ }),
  installer: z.strictObject({ url: z.url({ protocol: /^https$/ }), bytes: count.optional(), sha256 }),
  architectures: z.strictObject({ amd64: k3sArchitecture, arm64: k3sArchitecture }),
});

const projectLicense = z.strictObject({
  project: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  license: text,
  source: text,
  images: z.array(text).readonly(),
  charts: z.array(text).readonly(),
}) satisfies z.ZodType<ProjectLicense>;

const okeAddon = z.strictObject({
  name: text,
  essential: z.boolean(),
  keys: z.array(text),
  notCommon: z.array(text).nonempty().optional(),
  namespace: text.optional(),
}) satisfies z.ZodType<OkeAddon>;

const oke = z.strictObject({
  about: text,
  asOf: day,
  versions: z.strictObject({
    minors: z.array(minor).nonempty(),
    newest: z.record(minor, z.string().regex(/^v1\.\d+\.\d+$/)),
    source: text,
  }),
  images: z.strictObject({ pattern: text, arm: text, nvidia: text, source: text }),
  bootVolumes: z.strictObject({ leastGiB: count, source: text }),
  taints: z.strictObject({
    value: text,
    preemptible: z.strictObject({ key: text, effect: z.literal("NoSchedule") }),
    source: text,
  }),
  addons: z.array(okeAddon).nonempty(),
  addonKeys: z.strictObject({ common: z.array(text).nonempty(), source: text }),
});

const confidentialShape = z.strictObject({
  technology: z.enum(["SEV", "SEV-SNP"]),
  platform: text,
  systems: text,
}) satisfies z.ZodType<ConfidentialShape>;

const cloudPrice = z.strictObject({
  provider: z.enum(["oci", "aws"]),
  service: z.enum(CLOUD_SERVICES),
  usd: notNegative,
  per: z.enum(PRICE_UNITS),
  usdPerMbpsHour: positive.optional(),
  leastGiB: count.optional(),
  region: text,
  confidence: z.enum(["read", "reported"]),
  source: text,
  asOf: day,
  notes: text,
}) satisfies z.ZodType<CloudPrice>;

const priceShare = z.strictObject({
  share: z.number().positive().max(1),
  asOf: day,
  source: text,
}) satisfies z.ZodType<PriceShare>;

const nodeAgent = z.strictObject({
  name: text,
  where: z.enum(AGENT_PLACES),
  cpu: positive,
  memoryMiB: count,
  source: text,
}) satisfies z.ZodType<NodeAgentRow>;

const about = text;

/** Schema of each catalogue file. */
export const schemas = {
  gpus: z.strictObject({ about, asOf: day, gpus: z.array(gpuModel) }),
  shapes: z.strictObject({ about, asOf: day, shapes: z.array(shapeRow) }),
  cards: z.strictObject({ about, asOf: day, cards: z.array(gpuCard) }),
  cloudPrices: z.strictObject({
    about,
    prices: z.array(cloudPrice),
    spot: z.strictObject({ oci: priceShare }),
    unusedReservation: z.strictObject({ oci: priceShare }),
  }),
  apiPrices: z.strictObject({
    about,
    asOf: day,
    source: text,
    prices: z.array(
      z.strictObject({
        model: text,
        provider: text,
        offer: text,
        inputUsdPerMillion: positive,
        outputUsdPerMillion: positive,
      }),
    ),
  }),
  models: z.strictObject({ about, models: z.array(modelEntry) }),
  charts: z.strictObject({ about, charts: z.array(chartEntry) }),
  chartValues: chartValueKeys,
  images: z.strictObject({ about, images: z.array(imageEntry) }),
  chartImages: z.strictObject({ about, charts: z.array(chartImages) }),
  engineOptions,
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
  localClusters: z.strictObject({ about, tools: z.array(localClusterTool) }),
  gpuNodeImages: z.strictObject({ about, images: z.array(gpuNodeImage) }),
  k3s,
  licenses: z.strictObject({
    about: text,
    asOf: day,
    k3s: z.strictObject({ license: text, source: text }),
    projects: z.array(projectLicense),
  }),
  oke,
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
  imagePull: z.strictObject({
    about,
    asOf: day,
    gbPerSecond: z.strictObject({ value: positive, source: text }),
    images: z.array(imagePull.extend({ component: text })) satisfies z.ZodType<ImagePull[]>,
    others: imagePull,
  }),
  nodeAgents: z.strictObject({ about, asOf: day, agents: z.array(nodeAgent) }),
  engineRules: z.strictObject({ about, arguments: optionRules, environment: optionRules }),
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
  sriov,
  fabrics: z.strictObject({
    about,
    asOf: day,
    roce: z.array(roceProfile),
    allReduce: z.strictObject({
      about,
      programs: z.record(text, z.string().startsWith("/")),
      programsSource: text,
      share: z.number().gt(0.5).max(1),
      limits: z.array(z.strictObject({ shapes: z.array(text).nonempty(), busGBps: count, source: text })),
    }),
    refused: z.record(text, text),
    efa: z.strictObject({ environment, resource: text, testImage: text, source: text }),
  }),
};
