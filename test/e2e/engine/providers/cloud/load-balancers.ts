import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../../../../../kubernetes/object";
import type { ApiClient } from "../../../../../rehearsal/cluster/api-client";
import { patchStatus } from "../../../../../rehearsal/cluster/status";
import type { CloudResource, CloudStore } from "./store";

/** The finalizer by which clouds' own controllers hold a Service until its load balancer is gone. */
const OF_CLOUDS = "service.kubernetes.io/load-balancer-cleanup";
/** Type of the load balancers in the store: no program makes one. */
export const LOAD_BALANCER = "load balancer of a Service";

interface Service extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly type?: string };
}

export interface LoadBalancerRules {
  /** What the load balancer of a Service stands in; undefined while there is no cluster. */
  readonly subnet: (service: KubernetesObject) => string | undefined;
  /** Whether there is somebody who makes load balancers and takes them away. @default always */
  readonly isTended?: () => Promise<boolean>;
  /** By which that somebody holds a Service. @default that of clouds' own controllers */
  readonly finalizer?: string;
  /** How long one takes to go. */
  readonly removalMs: number;
}

/**
 * Plays the part of a cloud's controller manager that makes load balancers for Services and takes them away: it runs for as
 * long as the cluster's API server answers.
 */
export async function playLoadBalancers(client: ApiClient, store: CloudStore, rules: LoadBalancerRules): Promise<void> {
  const { finalizer = OF_CLOUDS, isTended = async () => true } = rules;
  const leaving = new Set<string>();
  for (;;) {
    const isTendedNow = await isTended().catch(() => false);
    const services = isTendedNow ? ((await client.list("v1", "Service").catch(() => [])) as unknown as Service[]) : [];
    for (const service of services.filter(({ spec }) => spec.type === "LoadBalancer")) {
      const id = `${LOAD_BALANCER} ${service.metadata.uid}`;
      const isHeld = service.metadata.finalizers?.includes(finalizer) ?? false;
      const subnet = rules.subnet(service);
      if (service.metadata.deletionTimestamp === undefined && !isHeld && subnet !== undefined) {
        await make(client, store, { service, finalizer }, balancer(id, subnet));
      } else if (service.metadata.deletionTimestamp !== undefined && isHeld && !leaving.has(id)) {
        leaving.add(id);
        store.record({ event: "delete", subject: LOAD_BALANCER, id });
        void sleep(rules.removalMs).then(() => remove(client, store, { service, finalizer }, id));
      }
    }
    await sleep(200);
  }
}

function balancer(id: string, subnetId: string): CloudResource {
  return { id, type: LOAD_BALANCER, inputs: { subnetId }, outputs: {}, ready: true };
}

/** A Service, and what holds it. */
interface Held {
  readonly service: Service;
  readonly finalizer: string;
}

async function make(
  client: ApiClient,
  store: CloudStore,
  { service, finalizer }: Held,
  made: CloudResource,
): Promise<void> {
  const finalizers = [...(service.metadata.finalizers ?? []), finalizer];
  await client.patch(service, { metadata: { finalizers } });
  store.put(made);
  store.record({ event: "created", subject: LOAD_BALANCER, id: made.id });
  await patchStatus(client, service, { loadBalancer: { ingress: [{ ip: "203.0.113.10" }] } });
}

async function remove(client: ApiClient, store: CloudStore, { service, finalizer }: Held, id: string): Promise<void> {
  store.remove(id);
  store.record({ event: "deleted", subject: LOAD_BALANCER, id });
  const finalizers = (service.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  await client.patch(service, { metadata: { finalizers } });
}
