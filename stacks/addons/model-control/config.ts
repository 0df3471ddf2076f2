import { z } from "zod";
import type { OutsideWorker } from "../../../components/model-control/outside-worker";
import { DEFAULT_REGISTRY } from "../../../engines/sources";
import { BACKENDS } from "../../../services/model-control/src/backends/backend";
import { isOutsideHost } from "../../config/core/outside-url";
import { dnsLabel, hostname, text, wholeNumber } from "../../config/core/sections/fields";
import { outsideFields } from "../../config/core/sections/outside-fields";
import { pinnedImage } from "../../config/core/sections/own-image";
import { idleSchema, inferenceSchema } from "./inference-config";

/** Placeholder in shipped environments until a fork has its own image. */
export const EXAMPLE_CONTROL_IMAGE = "ghcr.io/your-org/inference-model-control:0.1.0";

const registryHost = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:\d{1,5})?$/)
  .refine(isOutsideHost)
  .meta({
    allowed: "a registry's host outside of the cluster in small letters, with its port where that is not 443",
    example: "hf.co",
  });

const modelName = text(400)
  .regex(/^([A-Za-z0-9_][A-Za-z0-9_.:-]*\/){0,2}[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$/)
  .meta({ allowed: "a model as its registry names it, [host/][namespace/]model[:tag]", example: "llama3.2:1b" });

const workerSchema = z.strictObject({
  backend: z.enum(BACKENDS).meta({ description: "What the engine is.", example: BACKENDS[0] }),
  ...outsideFields({
    description: "Address of the engine, without a path.",
    example: "http://192.168.1.30:11434",
  }),
  memoryGiB: z.number().positive().max(16_384).meta({
    description: "Memory that its models may take together: of its GPUs, or of the machine where it has none.",
    unit: "GiB",
    example: 24,
  }),
  diskGiB: z
    .number()
    .positive()
    .max(1_048_576)
    .optional()
    .meta({ description: "Disk that its models may take together. Default: no bound.", unit: "GiB", example: 200 }),
  models: z
    .array(modelName)
    .max(64)
    .default([])
    .meta({
      description:
        "Names that clients may put in the `model` field for it, at the address of all models. What an Ollama fetches at run time answers there by itself. Of an engine that serves what it was started with, all of them; required there.",
      example: ["llama3.2:1b"],
    }),
});

export const modelControlSection = z
  .strictObject({
    enabled: z.boolean().default(false).meta({
      description:
        "Whether models can be fetched, loaded, unloaded and stopped at run time, through an API of its own.",
      example: true,
    }),
    image: pinnedImage.optional().meta({
      description:
        "Image of the API: build services/model-control for the CPU architectures of your nodes, and push it to a registry of yours. Required when enabled.",
      example: EXAMPLE_CONTROL_IMAGE,
    }),
    warmModels: z
      .array(modelName)
      .max(50)
      .default([])
      .meta({
        description:
          "Models on the disks of engines that fetch models at run time before a deployment is done, in addition to those under models.",
        example: ["llama3.2:1b"],
      }),
    allowedRegistries: z
      .array(registryHost)
      .min(1)
      .max(50)
      .default([DEFAULT_REGISTRY])
      .meta({
        description: `Hosts that models may be fetched from; a name without a host means ${DEFAULT_REGISTRY}.`,
        example: [DEFAULT_REGISTRY, "hf.co"],
      }),
    spareStorageGiB: wholeNumber(0, 65_536).default(20).meta({
      description:
        "Room for further models on the volume of each replica of an engine that fetches models at run time. Another size makes new, empty volumes: the models are fetched again.",
      unit: "GiB",
      example: 50,
    }),
    workers: z
      .record(dnsLabel(40), workerSchema)
      .default({})
      .meta({
        description:
          "Engines outside of the cluster that the API drives too. The gateway publishes those with OpenAI's API at /<name>/v1. The API does not stop or start them: stopping one unloads its models.",
        example: { tower: { backend: BACKENDS[0], url: "http://192.168.1.30:11434", memoryGiB: 24 } },
      }),
    ollamaApi: z.boolean().default(false).meta({
      description:
        "Whether clients with a key may speak Ollama's own API at the gateway: /api/chat, generate, embed, embeddings, show, tags, ps and version, never what changes a server. Consumers with tokensPerMinute may not: tokens are not counted there.",
      example: true,
    }),
    idle: idleSchema(modelName),
    inference: inferenceSchema,
    hostname: hostname.optional().meta({
      description:
        "Public name of the API, behind the gateway's TLS. Default: none; only kubectl port-forward leads to it.",
      example: "control.example.com",
    }),
  })
  .prefault({})
  .meta({
    description: "API that manages models while the platform runs.",
    example: { enabled: true, image: EXAMPLE_CONTROL_IMAGE },
  });

export type ModelControlConfig = z.output<typeof modelControlSection>;

/** Section of an active API, with an image. */
export type ModelControlSettings = ModelControlConfig & { readonly image: string };

/** External engines in the form of the API's component. */
export function outsideWorkers({ workers }: Pick<ModelControlConfig, "workers">): OutsideWorker[] {
  return Object.entries(workers).map(([name, { backend, url, networks, memoryGiB, diskGiB, models }]) => ({
    name,
    backend,
    address: { url, ...(networks && { networks }) },
    memoryGiB,
    ...(diskGiB !== undefined && { diskGiB }),
    models,
  }));
}
