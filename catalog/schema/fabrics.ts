import { z } from "zod";
import type { RoceProfile } from "../fabrics";
import type { RootDevices } from "../sriov";
import { about, count, day, text } from "./fields";

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
  operator: z.strictObject({
    namespace: text,
    gpuNamespace: text,
    toolkit: text,
    addresses: text,
    addressesOfNode: text,
    restartWithinSeconds: z.int().positive(),
  }),
});

/** RDMA networks: devices, ports, settings, and what a healthy pair of nodes reaches. */
export const fabrics = {
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
  sriov,
};
