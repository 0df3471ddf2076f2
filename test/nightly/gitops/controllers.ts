import { groupOf, type KubernetesObject } from "../../../kubernetes/object";
import { type ApiClient, ApiError } from "../../../rehearsal/cluster/api-client";
import { patchStatus } from "../../../rehearsal/cluster/status";

const EVERY_MS = 1000;

/** Conditions that the controllers of these kinds set once all is well. */
const CONDITIONS: readonly (readonly [apiVersion: string, kind: string, ...conditions: string[]])[] = [
  ["gateway.networking.k8s.io/v1", "GatewayClass", "Accepted"],
  ["gateway.networking.k8s.io/v1", "Gateway", "Accepted", "Programmed"],
  ["cert-manager.io/v1", "Issuer", "Ready"],
  ["cert-manager.io/v1", "ClusterIssuer", "Ready"],
  ["cert-manager.io/v1", "Certificate", "Ready"],
  ["aigateway.envoyproxy.io/v1beta1", "AIGatewayRoute", "Accepted"],
  ["aigateway.envoyproxy.io/v1beta1", "AIServiceBackend", "Accepted"],
];

const ROUTES: readonly (readonly [apiVersion: string, kind: string])[] = [
  ["gateway.networking.k8s.io/v1", "HTTPRoute"],
];

/** In place of the controllers that charts bring: every object of their kinds is well a second after it was made. */
export class FakeControllers {
  private stopped = false;
  private readonly done: Promise<void>;
  /** Objects that are left as they are, as `<Kind> <name>`. */
  readonly idle = new Set<string>();

  constructor(private readonly client: ApiClient) {
    this.done = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.done;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      for (const [apiVersion, kind, ...types] of CONDITIONS) {
        await this.each(apiVersion, kind, (object) => ({ conditions: types.map((type) => condition(object, type)) }));
      }
      for (const [apiVersion, kind] of ROUTES) {
        await this.each(apiVersion, kind, routeStatus);
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  private async each(apiVersion: string, kind: string, status: (object: KubernetesObject) => object): Promise<void> {
    for (const object of await this.list(apiVersion, kind)) {
      if (!this.idle.has(`${kind} ${object.metadata.name}`) && !isCurrent(object)) {
        await patchStatus(this.client, object, status(object)).catch(gone);
      }
    }
  }

  /** None while the kind is not served, or not any more. */
  private list(apiVersion: string, kind: string): Promise<KubernetesObject[]> {
    return this.client.list(apiVersion, kind).catch(gone);
  }
}

/** Kinds that are not served, or not any more, and objects that changed meanwhile: the next look finds them. */
function gone(error: unknown): never[] {
  if (error instanceof ApiError) {
    return [];
  }
  throw error;
}

function condition({ metadata }: KubernetesObject, type: string) {
  return {
    type,
    status: "True",
    reason: type,
    message: "as the test has it",
    lastTransitionTime: new Date().toISOString(),
    observedGeneration: metadata.generation,
  };
}

function routeStatus(object: KubernetesObject): object {
  const { parentRefs = [] } = object.spec as { readonly parentRefs?: readonly object[] };
  return {
    parents: parentRefs.map((parentRef) => ({
      parentRef,
      controllerName: "example.com/test",
      conditions: [condition(object, "Accepted"), condition(object, "ResolvedRefs")],
    })),
  };
}

function isCurrent({ apiVersion, metadata, status }: KubernetesObject): boolean {
  const text = JSON.stringify(status ?? {});
  const isOld =
    groupOf(apiVersion) !== "cert-manager.io" && !text.includes(`"observedGeneration":${metadata.generation}`);
  return text.includes("as the test has it") && !isOld;
}
