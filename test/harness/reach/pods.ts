import { startNeeds } from "../../render/argo-cd/facts";
import { field, list, text } from "../../render/argo-cd/fields";
import type { Address, Pod } from "../network-policies";
import { podsOf, type RecordedObject } from "../recorded-objects";
import type { NamedHost } from "./named-hosts";

/** Label that a mesh gives all pods that it takes in. */
const INJECTED = "security.istio.io/tlsMode";
/** Address of any node. */
const NODE: Address = { address: "10.0.0.11" };

/** Pods that a program declares. */
export interface DeclaredPods extends Pod {
  readonly of: RecordedObject;
  /** Themselves, or the node whose network they are on: policies do not see such pods. */
  readonly end: Pod | Address;
  readonly spec: unknown;
  /** What they must find in their namespace, as facts of test/render/argo-cd/facts.ts. */
  readonly needs: readonly string[];
}

/** Where a connection to a Service ends. */
export interface Target {
  readonly pod: Pod | Address;
  readonly port: number;
}

/** A Service that a chart or controller makes: the program has no object of it. */
export interface UnseenService {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Pod["labels"];
  /** Ports of the pods, by those of the Service. */
  readonly ports: Readonly<Record<number, number>>;
}

/** The pods of a program, and the Services in front of them. */
export class Pods {
  readonly all: readonly DeclaredPods[];

  constructor(
    private readonly objects: readonly RecordedObject[],
    private readonly unseen: { readonly services: readonly UnseenService[]; readonly pods: readonly Pod[] },
  ) {
    this.all = objects.flatMap((object) =>
      podsOf(object).map(({ labels, spec }) => ({
        of: object,
        namespace: object.namespace,
        labels,
        spec,
        end: field(spec, "hostNetwork") === true ? NODE : { namespace: object.namespace, labels },
        needs: startNeeds(spec, object.namespace),
      })),
    );
  }

  /**
   * Pods that a selector means and that have a port: those that are known, or else the weakest one, with the selector's labels
   * alone.
   *
   * @throws Error when pods are declared, and none of them has the port.
   */
  listening(namespace: string, labels: Pod["labels"], port: number): (Pod | Address)[] {
    const known = this.matching(namespace, labels);
    const found = known.filter((pod) => !("spec" in pod) || portsOf(pod.spec).some(({ number }) => number === port));
    if (known.length > 0 && found.length === 0) {
      throw new Error(`no pod of ${namespace} with ${JSON.stringify(labels)} has port ${port}`);
    }
    return found.length > 0 ? found.map(endOf) : [{ namespace, labels }];
  }

  private matching(namespace: string, labels: Pod["labels"], ...otherwise: readonly Pod[]): (DeclaredPods | Pod)[] {
    const wanted = Object.entries(labels).filter(([label]) => label !== INJECTED);
    const found = [...this.all, ...this.unseen.pods].filter(
      (pod) => pod.namespace === namespace && wanted.every(([label, value]) => pod.labels[label] === value),
    );
    return found.length > 0 ? found : [...otherwise];
  }

  /**
   * Where a connection to a Service ends, at each of its ports where none is named.
   *
   * @throws Error when there is no such Service, or it has no such port.
   */
  behind({ service, namespace, port }: NamedHost): Target[] {
    const found = [...this.declared(service, namespace), ...this.made(service, namespace)].filter(
      (each) => port === undefined || each.port === port,
    );
    if (found.length === 0) {
      throw new Error(`no Service ${service} in ${namespace} with port ${port ?? "of any number"}`);
    }
    return found.flatMap(({ targets }) => targets);
  }

  private declared(name: string, namespace: string): Served[] {
    const service = this.objects.find(
      (object) => object.kind === "Service" && object.name === name && object.namespace === namespace,
    );
    const pods = service ? this.matching(namespace, field(service.inputs, "spec", "selector") as Pod["labels"]) : [];
    return list(service?.inputs, "spec", "ports").map((each) => {
      const { port, targetPort = port } = each as { port: number; targetPort?: number | string };
      return {
        port,
        targets: pods.map((pod) => ({ pod: endOf(pod), port: numberOf(targetPort, pod) })),
      };
    });
  }

  private made(name: string, namespace: string): Served[] {
    return this.unseen.services
      .filter((service) => service.name === name && service.namespace === namespace)
      .flatMap(({ ports, labels }) =>
        Object.entries(ports).map(([port, targetPort]) => ({
          port: Number(port),
          targets: this.matching(namespace, labels, { namespace, labels }).map((pod) => ({
            pod: endOf(pod),
            port: targetPort,
          })),
        })),
      );
  }
}

interface Served {
  readonly port: number;
  readonly targets: readonly Target[];
}

function endOf(pod: DeclaredPods | Pod): Pod | Address {
  return "end" in pod ? pod.end : pod;
}

function portsOf(spec: unknown): { name: string | undefined; number: unknown }[] {
  return [...list(spec, "containers"), ...list(spec, "initContainers")]
    .flatMap((container) => list(container, "ports"))
    .map((port) => ({ name: text(port, "name"), number: field(port, "containerPort") }));
}

/** @throws Error where a pod has no port of the name. */
function numberOf(port: number | string, pod: DeclaredPods | Pod): number {
  const number =
    typeof port === "number"
      ? port
      : portsOf("spec" in pod ? pod.spec : undefined).find(({ name }) => name === port)?.number;
  if (typeof number !== "number") {
    throw new Error(`no port "${port}" in a pod of ${pod.namespace}`);
  }
  return number;
}
