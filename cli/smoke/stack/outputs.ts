import { z } from "zod";

/** What a stack reports of its platform, as far as a check needs it. */
export const platformOutputs = z.object({
  /** Of a cluster that the stack made. */
  kubeconfig: z.string().min(1).optional(),
  /** Secret that holds the key of each consumer. */
  consumerSecrets: z.record(z.string(), z.string()),
  models: z.record(z.string(), z.object({ baseUrl: z.url(), modelId: z.string() })),
});
export type PlatformOutputs = z.output<typeof platformOutputs>;
