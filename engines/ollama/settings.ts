import { z } from "zod";
import { engineSettings } from "../settings";

/** `models.<name>.ollama`. */
const ollamaBlock = z.strictObject({
  serverOf: z
    .string()
    .min(1)
    .max(40)
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
    .optional()
    .meta({
      description:
        "Model whose server it joins: both share its pods, GPUs and volume, and stay loaded side by side. Its replicas, pools and concurrency hold for both. Default: a server of its own.",
      allowed: "the name of a model under models",
      example: "assistant",
    }),
});

export const ollamaSettings = engineSettings(ollamaBlock, { requested: (block) => block });
