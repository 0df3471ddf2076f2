import { z } from "zod";

/** Pod fields that this kubelet reads; others, such as resources, do not matter on one machine. */

const httpGet = z.object({ path: z.string(), port: z.union([z.number(), z.string()]), scheme: z.string().optional() });
const item = z.object({ key: z.string(), path: z.string() });
const fieldRef = z.object({ fieldPath: z.string() });

const projection = z.object({
  configMap: z.object({ name: z.string(), items: z.array(item).optional() }).optional(),
  secret: z.object({ name: z.string(), items: z.array(item).optional() }).optional(),
  serviceAccountToken: z
    .object({ path: z.string(), audience: z.string().optional(), expirationSeconds: z.number().optional() })
    .optional(),
  downwardAPI: z.object({ items: z.array(z.object({ path: z.string(), fieldRef: fieldRef.optional() })) }).optional(),
});

const volume = z.object({
  name: z.string(),
  emptyDir: z.object({}).optional(),
  configMap: z
    .object({ name: z.string(), items: z.array(item).optional(), optional: z.boolean().optional() })
    .optional(),
  secret: z
    .object({ secretName: z.string(), items: z.array(item).optional(), optional: z.boolean().optional() })
    .optional(),
  projected: z.object({ sources: z.array(projection) }).optional(),
  persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
});

const keyRef = z.object({ name: z.string(), key: z.string(), optional: z.boolean().optional() });

const container = z.object({
  name: z.string(),
  /** For an init container, `Always` makes it a sidecar. */
  restartPolicy: z.string().optional(),
  securityContext: z.object({ readOnlyRootFilesystem: z.boolean().optional() }).optional(),
  command: z.array(z.string()).default([]),
  args: z.array(z.string()).default([]),
  env: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().default(""),
        valueFrom: z
          .object({
            fieldRef: fieldRef.optional(),
            secretKeyRef: keyRef.optional(),
            configMapKeyRef: keyRef.optional(),
            resourceFieldRef: z.object({ resource: z.string() }).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  ports: z.array(z.object({ name: z.string().optional(), containerPort: z.number() })).default([]),
  volumeMounts: z
    .array(z.object({ name: z.string(), mountPath: z.string(), subPath: z.string().optional() }))
    .default([]),
  readinessProbe: z.object({ httpGet: httpGet.optional() }).optional(),
  lifecycle: z
    .object({
      preStop: z
        .object({ httpGet: httpGet.optional(), exec: z.object({ command: z.array(z.string()) }).optional() })
        .optional(),
    })
    .optional(),
  resources: z.object({ limits: z.record(z.string(), z.union([z.string(), z.number()])).optional() }).optional(),
});

export const podSpec = z.object({
  containers: z.array(container),
  initContainers: z.array(container).default([]),
  volumes: z.array(volume).default([]),
  securityContext: z.object({ runAsUser: z.number().optional() }).optional(),
  serviceAccountName: z.string().default("default"),
  terminationGracePeriodSeconds: z.number().default(30),
});

export type PodSpec = z.output<typeof podSpec>;
export type Container = z.output<typeof container>;
export type Volume = z.output<typeof volume>;
export type Projection = z.output<typeof projection>;
export type HttpGet = z.output<typeof httpGet>;
