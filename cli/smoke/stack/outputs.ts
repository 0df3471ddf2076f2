import { z } from "zod";

/** Stack outputs that a check needs. */
export const platformOutputs = z.object({
  /** Of a provisioned cluster. */
  kubeconfig: z.string().min(1).optional(),
  /** Secrets with keys, by consumer. */
  consumerSecrets: z.record(z.string(), z.string()),
  models: z.record(z.string(), z.object({ baseUrl: z.url(), modelId: z.string() })),
});
export type PlatformOutputs = z.output<typeof platformOutputs>;
