import { z } from "zod";
import { engineSettings } from "../settings";
import { CACHE_DTYPES, cacheFault } from "./cache-type";

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
  kvCacheDtype: z.enum(CACHE_DTYPES).default("auto").meta({
    description:
      "Number format of the KV cache, of all models of a server. auto: 16 bits. fp8: llama.cpp's q8_0, 8.5 bits a value, with flash attention.",
    example: "fp8",
  }),
});

export const ollamaSettings = engineSettings(ollamaBlock, {
  requested: (block) => block,
  outcome: ({ kvCacheDtype }, model) => {
    const fault = kvCacheDtype === "fp8" ? cacheFault(model.architecture) : undefined;
    const key = "ollama.kvCacheDtype";
    return {
      args: {},
      notes: [],
      problems:
        fault === undefined ? [] : [{ rule: "cache-type", message: `${key}: ${fault}. To fix it: remove ${key}.` }],
    };
  },
});
