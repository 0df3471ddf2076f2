import { z } from "zod";
import { CLOUD_SERVICES, type CloudPrice, PRICE_UNITS, type PriceShare } from "../cloud-prices";
import type { OkeAddon } from "../oke";
import { UPTIME_OF, type UptimeEntry } from "../uptime";
import { about, count, day, notNegative, positive, text } from "./fields";

const minor = z.string().regex(/^1\.\d+$/);

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
  blockLabels: z.strictObject({
    labels: z.record(text, z.strictObject({ field: text, otherField: text })),
    source: text,
  }),
  addons: z.array(okeAddon).nonempty(),
  addonKeys: z.strictObject({ common: z.array(text).nonempty(), source: text }),
});

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

const uptimeEntry = z.strictObject({
  provider: z.enum(["oci", "aws", "onprem"]),
  of: z.enum(UPTIME_OF),
  fraction: z.number().min(0.5).max(1),
  confidence: z.enum(["read", "assumed"]),
  asOf: day,
  source: text,
}) satisfies z.ZodType<UptimeEntry>;

const ociRegions = z.strictObject({
  about,
  asOf: day,
  source: text,
  availabilityDomains: z.record(z.string().regex(/^[a-z]{2}-[a-z]+-\d$/), z.union([z.literal(1), z.literal(3)])),
});

const priceShare = z.strictObject({
  share: z.number().positive().max(1),
  asOf: day,
  source: text,
}) satisfies z.ZodType<PriceShare>;

/** What clouds offer and bill in addition to machines. */
/** Each by its name, which is the last part of its path. */
const awsManagedPolicies = z
  .strictObject({
    about,
    asOf: day,
    source: text,
    policies: z.record(z.string(), z.string().regex(/^([\w-]+\/)*\w+$/)),
  })
  .refine(({ policies }) => Object.entries(policies).every(([name, path]) => path.split("/").at(-1) === name), {
    error: "a policy's path ends with its name",
  });

export const clouds = {
  awsManagedPolicies,
  cloudPrices: z.strictObject({
    about,
    prices: z.array(cloudPrice),
    spot: z.strictObject({ oci: priceShare }),
    unusedReservation: z.strictObject({ oci: priceShare }),
  }),
  ociRegions,
  oke,
  uptime: z.strictObject({ about, uptime: z.array(uptimeEntry) }),
};
