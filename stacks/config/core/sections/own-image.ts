/** `models.<name>.image`: an own engine image. */
import { z } from "zod";
import { isPinned } from "../../../../catalog/image-reference";

/** `registry/repository:tag`, with a digest in addition or in place of the tag; no moving tag. */
export const pinnedImage = z
  .string()
  .max(512)
  .regex(
    /^[a-z0-9][a-z0-9.-]*(:\d+)?(\/[a-z0-9][a-z0-9._-]*)+(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$/,
    { abort: true },
  )
  .refine((reference) => isPinned(reference))
  .meta({ allowed: "registry/repository:tag, or with @sha256:…; not a tag that moves, such as latest or main" });

const EXAMPLE = "registry.example.com/ml/vllm-ours:v0.33.0-2";

const PLATFORMS = ["linux/amd64", "linux/arm64"] as const;

const stated = z.strictObject({
  reference: pinnedImage.meta({ description: "The image.", example: EXAMPLE }),
  platforms: z
    .array(z.enum(PLATFORMS))
    .min(1)
    .max(PLATFORMS.length)
    .optional()
    .meta({
      description: "Platforms that it is made for. Pools of other CPUs are refused. Default: not known.",
      example: ["linux/amd64"],
    }),
  cuda: z.int().min(11).max(13).optional().meta({
    description:
      "Major version of CUDA that it brings: AMD's cards and CPUs are refused, and the driver of nodes is checked. Default: not known.",
    unit: "major version",
    example: 13,
  }),
  rocm: z
    .string()
    .regex(/^\d{1,2}\.\d{1,2}$/)
    .optional()
    .meta({
      description:
        "Release of ROCm that it brings: NVIDIA's cards and CPUs are refused, and the driver of nodes is checked. Default: not known.",
      allowed: 'a release in quotes, such as "7.2"',
      example: "7.2",
    }),
});

/** Unstated facts are unknown. */
export const ownImageField = z
  .union([pinnedImage, stated])
  .transform((value): z.output<typeof stated> => (typeof value === "string" ? { reference: value } : value))
  .optional()
  .meta({
    description:
      "Image of the engine that you built, in place of the catalogue's. It behaves as the release of engineVersion, which it needs. Images of a mirror are pulled as they are named (docs/own-images.md).",
    allowed: "registry/repository:tag, with @sha256:… if need be, or a mapping of reference, platforms, cuda and rocm",
    example: EXAMPLE,
  });
