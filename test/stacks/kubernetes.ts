import { z } from "zod";
import type { RecordedResource } from "../harness/deploy";

/** The parts of Kubernetes objects that tests of whole environments look at; everything else is ignored. */
const metadata = z.object({
  name: z.string(),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});

const podSpec = z.object({
  nodeSelector: z.record(z.string(), z.string()).default({}),
  tolerations: z
    .array(z.object({ key: z.string(), value: z.string().optional(), effect: z.string() }).loose())
    .default([]),
  runtimeClassName: z.string().optional(),
  containers: z.array(
    z.object({
      name: z.string(),
      image: z.string(),
      args: z.array(z.string()).default([]),
      resources: z.object({ limits: z.record(z.string(), z.string()).default({}) }),
    }),
  ),
  volumes: z.array(z.object({ name: z.string() }).loose()).default([]),
});
export type PodSpec = z.output<typeof podSpec>;

const podTemplate = z.object({ spec: podSpec });

const claim = z.object({ storageClassName: z.string().optional() });

const workload = z.object({
  replicas: z.number().optional(),
  template: podTemplate,
  volumeClaimTemplates: z.array(z.object({ spec: claim })).default([]),
});

const group = z.object({
  replicas: z.number(),
  leaderWorkerTemplate: z.object({ size: z.number(), leaderTemplate: podTemplate, workerTemplate: podTemplate }),
});

const networkPolicy = z.object({
  podSelector: z.record(z.string(), z.unknown()),
  policyTypes: z.array(z.string()),
  ingress: z.array(z.unknown()).default([]),
  egress: z.array(z.unknown()).default([]),
});

const rayService = z.object({
  rayClusterConfig: z.object({ workerGroupSpecs: z.array(z.object({ template: workload.shape.template })) }),
});

const route = z.object({
  rules: z.array(z.object({ matches: z.array(z.object({ headers: z.array(z.object({ value: z.string() })) })) })),
});

/** The one item of a list. */
export function only<T>(items: readonly T[], what: string): T {
  const [item] = items;
  if (item === undefined || items.length > 1) {
    throw new Error(`expected one ${what}, there are ${items.length}`);
  }
  return item;
}

export const metadataOf = (resource: RecordedResource) => metadata.parse(resource.inputs.metadata);
export const workloadOf = (resource: RecordedResource) => workload.parse(resource.inputs.spec);
/** The workers of a model on Ray Serve, which make up its replicas. */
export const rayWorkersOf = (resource: RecordedResource) =>
  only(rayService.parse(resource.inputs.spec).rayClusterConfig.workerGroupSpecs, "group of workers");
export const claimOf = (resource: RecordedResource) => claim.parse(resource.inputs.spec);
export const groupOf = (resource: RecordedResource) => group.parse(resource.inputs.spec);
export const networkPolicyOf = (resource: RecordedResource) => networkPolicy.parse(resource.inputs.spec);

/** Values of the model header that a route answers to. */
export function routedModels(resource: RecordedResource): string[] {
  const { rules } = route.parse(resource.inputs.spec);
  const names = rules.flatMap(({ matches }) =>
    matches.map(({ headers }) => (headers.length === 1 ? headers[0]?.value : undefined)),
  );
  return names.filter((name) => name !== undefined);
}
