/** `models.<name>.pod`: users' additions to engine pods. Planned values have other keys. */
import { z } from "zod";
import { dnsLabel, labelKey, labelValue, text, variableName, wholeNumber } from "./fields";
import { pinnedImage } from "./own-image";

const MOST = 8;

const absolutePath = z
  .string()
  .max(256)
  .regex(/^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/)
  .meta({ allowed: "an absolute path of letters, digits, dots, underscores and dashes" });

const mount = {
  mountPath: absolutePath.meta({
    description: "Where it is in the engine's container.",
    example: "/kv-store",
  }),
  readOnly: z.boolean().default(true).meta({
    description: "Whether the engine may only read it. Volumes of scratch space are written.",
    example: true,
  }),
};

/** In the model's namespace, created by the user: pods wait for it. */
const existing = (what: string, example: string) =>
  dnsLabel(253)
    .optional()
    .meta({ description: `${what} of the namespace model-<name>, made by you.`, example });

const volume = z.strictObject({
  name: dnsLabel(40).meta({ description: "Its name, by which sidecars and init containers mount it.", example: "kv" }),
  ...mount,
  scratchGiB: wholeNumber(1, 65_536).optional().meta({
    description: "Empty space on the node, gone with the pod. The plan counts it.",
    unit: "GiB",
    example: 200,
  }),
  claim: existing("PersistentVolumeClaim", "kv-cache"),
  configMap: existing("ConfigMap", "engine-files"),
  secret: existing("Secret", "license"),
});

const containerFields = {
  name: dnsLabel(40).meta({ description: "Name of the container.", example: "log-shipper" }),
  image: pinnedImage.meta({
    description: "Image of the container.",
    example: "registry.example.com/ops/shipper:1.4.2",
  }),
  command: z
    .array(text(4096))
    .min(1)
    .max(64)
    .optional()
    .meta({
      description: "What it runs. Default: as its image says.",
      example: ["/bin/shipper"],
    }),
  args: z
    .array(text(4096))
    .max(64)
    .optional()
    .meta({ description: "Arguments.", example: ["--interval=10s"] }),
  env: z
    .record(variableName, text(4096))
    .optional()
    .meta({ description: "Variables. Never secrets: mount a Secret.", example: { LEVEL: "info" } }),
  mounts: z
    .record(dnsLabel(40), absolutePath)
    .optional()
    .meta({ description: "Volumes of `pod.volumes` by name, and where they are in it.", example: { kv: "/kv-store" } }),
  writablePaths: z
    .array(absolutePath)
    .max(MOST)
    .optional()
    .meta({
      description: "Folders that it writes to: its root file system is read-only.",
      example: ["/tmp"],
    }),
};

const sidecar = z.strictObject({
  ...containerFields,
  cpu: z.number().min(0.01).max(64).meta({ description: "CPU, requested and at most.", unit: "cores", example: 0.25 }),
  memoryGiB: z
    .number()
    .min(0.03125)
    .max(1024)
    .meta({ description: "Memory, requested and at most.", unit: "GiB", example: 0.25 }),
});

const initContainer = z.strictObject(containerFields);

const probe = z.strictObject({
  periodSeconds: wholeNumber(5, 300).optional().meta({
    description: "Time from one probe to the next. Default: planned.",
    unit: "seconds",
    example: 10,
  }),
  timeoutSeconds: wholeNumber(1, 60).optional().meta({
    description: "Time for an answer. Default: planned.",
    unit: "seconds",
    example: 5,
  }),
  failures: wholeNumber(1, 100).optional().meta({
    description: "Failed probes in a row until it counts as failed. Default: planned.",
    unit: "probes",
    example: 6,
  }),
});

const probes = z.strictObject({
  startupSeconds: wholeNumber(60, 86_400).optional().meta({
    description: "How long a start may take before the engine is ended. Default: planned from weights and links.",
    unit: "seconds",
    example: 1800,
  }),
  readiness: probe.optional().meta({ description: "When it gets requests.", example: { periodSeconds: 5 } }),
  liveness: probe.optional().meta({ description: "When it is ended.", example: { failures: 10 } }),
});

export const userPodField = z
  .strictObject({
    cpu: z.number().min(0.5).max(1024).optional().meta({
      description: "Least CPU of each pod, where the plan gives it less. Default: planned.",
      unit: "cores",
      example: 16,
    }),
    memoryGiB: wholeNumber(1, 65_536).optional().meta({
      description: "Least memory of each pod, where the plan gives it less. Default: planned.",
      unit: "GiB",
      example: 64,
    }),
    annotations: z
      .record(labelKey, text(4096))
      .optional()
      .meta({ description: "Annotations of its pods.", example: { "example.com/cost-center": "4711" } }),
    labels: z
      .record(labelKey, labelValue)
      .optional()
      .meta({ description: "Labels of its pods.", example: { "example.com/team": "search" } }),
    volumes: z
      .array(volume)
      .max(MOST)
      .optional()
      .meta({
        description: "Volumes of the engine's container.",
        example: [{ name: "kv", mountPath: "/kv", scratchGiB: 200 }],
      }),
    initContainers: z
      .array(initContainer)
      .max(MOST)
      .optional()
      .meta({
        description: "Containers that end before the engine starts, after the weights are there.",
        example: [{ name: "prepare", image: "registry.example.com/ops/prepare:1.0.3" }],
      }),
    sidecars: z
      .array(sidecar)
      .max(MOST)
      .optional()
      .meta({
        description:
          "Containers next to the engine, which start before it and end after it. The plan counts them. They reach what the model's pods reach.",
        example: [{ name: "shipper", image: "registry.example.com/ops/shipper:1.4.2", cpu: 0.25, memoryGiB: 0.25 }],
      }),
    probes: probes.optional().meta({
      description: "How the engine is probed, in place of what is planned.",
      example: { startupSeconds: 1800 },
    }),
  })
  .optional()
  .meta({
    description:
      "What you add to the pods of the engine (docs/pod.md). It passes the mirror, the policies and the rendered files as everything else.",
    example: { memoryGiB: 64 },
  });
