import { z } from "zod";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";

const targetRefs = z.array(z.object({ sectionName: z.string() }));
const targetsGateway = z.object({ targetRefs: z.array(z.object({ kind: z.literal("Gateway") })).min(1) });
const bytes = z.union([z.number(), z.string().transform(quantity)]);
const duration = z.string().regex(/^\d+s$/);

const gatewaySpec = z.object({
  listeners: z.array(z.object({ name: z.string(), port: z.number(), hostname: z.string().optional() })),
});
/** What the test translates of the policies; the rest does not bear on memory. */
const clientSpec = z.object({
  targetRefs,
  timeout: z.object({
    http: z.object({
      requestReceivedTimeout: duration,
      idleTimeout: duration.optional(),
      streamIdleTimeout: duration.optional(),
    }),
  }),
  connection: z.object({
    bufferLimit: bytes.optional(),
    connectionLimit: z.object({ value: z.number() }).optional(),
  }),
  http2: z
    .object({
      maxConcurrentStreams: z.number().optional(),
      initialStreamWindowSize: bytes.optional(),
      initialConnectionWindowSize: bytes.optional(),
    })
    .optional(),
});
const backendSpec = z.object({
  targetRefs,
  requestBuffer: z.object({ limit: bytes }).optional(),
  retry: z
    .object({
      numRetries: z.number(),
      retryOn: z.object({ triggers: z.array(z.string()), httpStatusCodes: z.array(z.number()) }),
    })
    .optional(),
  circuitBreaker: z.object({
    maxConnections: z.number(),
    maxPendingRequests: z.number(),
    maxParallelRequests: z.number(),
  }),
});
const securitySpec = z.object({
  targetRefs,
  apiKeyAuth: z.object({ extractFrom: z.array(z.object({ headers: z.array(z.string()) })) }),
});
const proxySpec = z.object({
  provider: z.object({
    kubernetes: z.object({
      envoyDeployment: z.object({
        container: z.object({ resources: z.object({ limits: z.object({ memory: bytes }) }) }),
      }),
    }),
  }),
});

export type ClientPolicy = z.output<typeof clientSpec>;
export type BackendPolicy = z.output<typeof backendSpec>;

export interface RenderedListener {
  readonly name: string;
  readonly port: number;
  /** Of listeners with TLS. */
  readonly hostname: string | undefined;
  readonly client: ClientPolicy | undefined;
  readonly backend: BackendPolicy | undefined;
  /** Headers that may carry a key; undefined where none is asked for. */
  readonly keyHeaders: readonly string[] | undefined;
}

/** The Gateway of an environment, as the platform renders it: each listener with the policies that target it. */
export interface RenderedGateway {
  readonly listeners: readonly RenderedListener[];
  /** API keys by consumer. */
  readonly keys: Readonly<Record<string, string>>;
  /** Memory limit of Envoy's container, bytes. */
  readonly memoryBytes: number;
}

export function renderedGateway(deployment: Deployment): RenderedGateway {
  const specs = <T>(kind: string, schema: z.ZodType<T>) =>
    deployment.ofKind(kind).map(({ inputs }) => schema.parse(inputs.spec));
  const [gateway] = specs("Gateway", gatewaySpec);
  const [proxy] = specs("EnvoyProxy", proxySpec);
  if (gateway === undefined || proxy === undefined) {
    throw new Error("the environment has no Gateway");
  }
  // Policies of one route add to these; what is held before a route is known follows from these alone.
  const ofListeners = <T>(kind: string, schema: z.ZodType<T>) =>
    deployment
      .ofKind(kind)
      .filter(({ inputs }) => targetsGateway.safeParse(inputs.spec).success)
      .map(({ inputs }) => schema.parse(inputs.spec));
  const clients = ofListeners("ClientTrafficPolicy", clientSpec);
  const backends = ofListeners("BackendTrafficPolicy", backendSpec);
  const security = ofListeners("SecurityPolicy", securitySpec);
  return {
    listeners: gateway.listeners.map(({ name, port, hostname }) => ({
      name,
      port,
      hostname: port === 443 ? hostname : undefined,
      client: clients.find(targets(name)),
      backend: backends.find(targets(name)),
      keyHeaders: security.find(targets(name))?.apiKeyAuth.extractFrom.flatMap(({ headers }) => headers),
    })),
    keys: Object.assign(
      {},
      ...deployment
        .ofType("kubernetes:core/v1:Secret")
        .filter((resource) => metadataOf(resource).name.startsWith("consumer-"))
        .map(({ inputs }) => inputs.stringData),
    ),
    memoryBytes: proxy.provider.kubernetes.envoyDeployment.container.resources.limits.memory,
  };
}

function targets(listener: string) {
  return (spec: { readonly targetRefs: z.output<typeof targetRefs> }) =>
    spec.targetRefs.some(({ sectionName }) => sectionName === listener);
}

/** Bytes of a Kubernetes quantity. */
function quantity(text: string): number {
  const [, digits, unit = ""] = /^(\d+)(Ki|Mi|Gi)?$/.exec(text) ?? [];
  if (digits === undefined) {
    throw new Error(`"${text}" is no quantity that this test knows`);
  }
  return Number(digits) * ({ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 }[unit] ?? 1);
}
