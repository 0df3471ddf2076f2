import { z } from "zod";
import { type Advisory, SEVERITIES } from "../advisories";
import type { BundledEngine } from "../bundled-engines";
import type { ChartImages } from "../chart-images";
import type { ChartValueKeys } from "../chart-values";
import type { ChartEntry } from "../charts";
import type { ImageByTag, ImageDigest } from "../image-digests";
import type { ImagePull } from "../image-pull";
import { isPinned } from "../image-reference";
import type { SignatureCheck, SignedChart, SignedImages, UnverifiedImages } from "../image-signatures";
import type { ImageEntry } from "../images";
import type { K3sArchitecture, ReleaseFile } from "../k3s";
import type { ProjectLicense } from "../licenses";
import { CONTAINER_ENGINES, LOCAL_CLUSTER_TOOLS, type LocalClusterToolEntry } from "../local-clusters";
import type { FixedPageVariable, PageVariable } from "../open-webui";
import { type OptIn, otherPins, type PinnedPart } from "../pins";
import { about, count, day, gfx, positive, text } from "./fields";

const imagePull = z.strictObject({ compressedGB: positive, confidence: z.enum(["read", "assumed"]), source: text });

const chartEntry = z.strictObject({
  name: text,
  chart: text,
  repository: z.string().regex(/^(https|oci):\/\/\S+$/),
  version: z.string().regex(/^v?\d+\.\d+\.\d+/),
  archive: z
    .strictObject({ version: text, sha256: z.string().regex(/^[0-9a-f]{64}$/), source: text, asOf: day })
    .optional(),
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
  tagSuffix: z.strictObject({ text, since: z.string().regex(/^\d+\.\d+\.\d+$/) }).optional(),
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
  nvidiaDriver: z
    .strictObject({
      least: count,
      oldCards: z.strictObject({ computeCapability: positive, least: count }).optional(),
      source: text,
    })
    .optional(),
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
      tag: text.optional(),
      digest: text.optional(),
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

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const releaseFile = z.strictObject({ file: text, bytes: count.optional(), sha256 }) satisfies z.ZodType<ReleaseFile>;

const pageVariable = z.strictObject({ name: z.string().regex(/^[A-Z][A-Z0-9_]*$/), readIn: text });

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

const rows = z.array(text).nonempty().readonly();
const pinnedPartFields = z.strictObject({
  part: text,
  exposure: z.enum(["clients", "privileged", "inside"]),
  images: rows.optional(),
  charts: rows.optional(),
  others: z.array(z.enum(otherPins)).nonempty().readonly().optional(),
  advisories: z.strictObject({ readOn: day, until: day.optional(), source: text }).optional(),
  unread: text.optional(),
  released: z.record(text, day).optional(),
}) satisfies z.ZodType<PinnedPart>;

const pinnedPart = pinnedPartFields.refine(
  ({ exposure, advisories, unread }) =>
    exposure === "inside"
      ? advisories === undefined || unread === undefined
      : (advisories === undefined) !== (unread === undefined),
  "on the public path: advisories, or unread with the reason",
);

const span = z.strictObject({ from: text.optional(), before: text.optional() });

const advisory = z.strictObject({
  ids: z.array(text).nonempty().readonly(),
  part: text,
  affected: z.array(span).nonempty().readonly(),
  severity: z.enum(SEVERITIES).optional(),
  what: text.optional(),
  notMet: text.optional(),
  url: z.url({ protocol: /^https$/ }),
  source: text.optional(),
  readOn: day,
}) satisfies z.ZodType<Advisory>;

const bundledEngine = z.strictObject({
  image: text,
  part: text,
  releases: z
    .array(z.strictObject({ release: text, brings: text }))
    .nonempty()
    .readonly(),
  source: text,
  asOf: day,
}) satisfies z.ZodType<BundledEngine>;

const signatureCheck = z
  .strictObject({
    identity: text.optional(),
    identityPattern: text.optional(),
    issuer: z.url().optional(),
    key: z.url().optional(),
    flags: z.array(text).optional(),
  })
  .refine(
    ({ identity, identityPattern, issuer, key }) =>
      key === undefined
        ? issuer !== undefined && (identity === undefined) !== (identityPattern === undefined)
        : issuer === undefined && identity === undefined && identityPattern === undefined,
    "a key, or an issuer with one identity or one pattern of it",
  ) satisfies z.ZodType<SignatureCheck>;

const imageSignatures = z.strictObject({
  about: text,
  asOf: day,
  signed: z.array(
    z.strictObject({
      publisher: text,
      images: z.array(text),
      check: signatureCheck,
      source: text,
      notes: text.optional(),
    }),
  ) satisfies z.ZodType<SignedImages[]>,
  unverified: z.array(z.strictObject({ publisher: text, images: z.array(text), read: text })) satisfies z.ZodType<
    UnverifiedImages[]
  >,
  charts: z.array(
    z.strictObject({ publisher: text, chart: text, reference: text, check: signatureCheck, source: text }),
  ) satisfies z.ZodType<SignedChart[]>,
});

const imageName = z.string().regex(/^[a-z0-9.-]+\.[a-z]+(\/[a-z0-9._-]+)+:[\w][\w.-]*$/);

const imageDigest = z.strictObject({
  image: imageName,
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  source: text,
  readOn: day,
}) satisfies z.ZodType<ImageDigest>;

const imageByTag = z.strictObject({ repository: text, why: text }) satisfies z.ZodType<ImageByTag>;

/** What is installed: charts, images, k3s, tools, and their licences. */
export const software = {
  charts: z.strictObject({ about, charts: z.array(chartEntry) }),
  chartValues: chartValueKeys,
  images: z.strictObject({ about, images: z.array(imageEntry) }),
  chartImages: z.strictObject({ about, charts: z.array(chartImages) }),
  imageDigests: z.strictObject({ about, digests: z.array(imageDigest), byTag: z.array(imageByTag) }),
  imagePull: z.strictObject({
    about,
    asOf: day,
    gbPerSecond: z.strictObject({ value: positive, source: text }),
    images: z.array(imagePull.extend({ component: text })) satisfies z.ZodType<ImagePull[]>,
    others: imagePull,
  }),
  licenses: z.strictObject({
    about: text,
    asOf: day,
    k3s: z.strictObject({ license: text, source: text }),
    projects: z.array(projectLicense),
  }),
  imageSignatures,
  k3s,
  openWebUi: z.strictObject({
    about,
    version: text,
    asOf: day,
    source: text,
    fixed: z.array(pageVariable.extend({ value: text, why: text })) satisfies z.ZodType<FixedPageVariable[]>,
    others: z.array(pageVariable) satisfies z.ZodType<PageVariable[]>,
  }),
  pins: z.strictObject({
    about,
    parts: z.array(pinnedPart),
    optIn: z.array(z.strictObject({ image: text, by: text, why: text })) satisfies z.ZodType<OptIn[]>,
    notInstalled: z.strictObject({ images: z.array(text), charts: z.array(text) }),
  }),
  advisories: z.strictObject({ about, advisories: z.array(advisory) }),
  bundledEngines: z.strictObject({ about, images: z.array(bundledEngine) }),
  localClusters: z.strictObject({ about, tools: z.array(localClusterTool) }),
};
