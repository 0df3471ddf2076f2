/** Connections that rendered objects ask for, whether or not a policy lets them through. */
import { ISTIO_PODS, MESH_PORTS } from "../../../components/mesh/names";
import { exists, secret } from "../../render/argo-cd/facts";
import { field, list, text, texts } from "../../render/argo-cd/fields";
import type { Address, Pod, PortAt } from "../network-policies";
import type { RecordedObject } from "../recorded-objects";
import { CERT_MANAGER, installedPods, PROXIES, readersOfValues, unseenServices } from "./charts";
import { type NamedHost, namedHosts, outsideServers } from "./named-hosts";
import { type DeclaredPods, Pods } from "./pods";

/** What connections follow from. */
export const WANTED_KINDS = [
  "route",
  "monitor",
  "chart",
  "setting",
  "url",
  "group",
  "API",
  "sidecar",
  "DNS",
  "challenge",
  "tunnel",
] as const;
export type WantedKind = (typeof WANTED_KINDS)[number];

/** A connection that something needs. */
export interface Wanted {
  readonly kind: WantedKind;
  /** `<who> to <what>`: for people. */
  readonly need: string;
  readonly from: Pod | Address;
  readonly to: Pod | Address;
  readonly at: PortAt;
}

/** Any address of the control plane's: no policy knows which. */
const API_SERVER: Address = { address: "10.0.0.10" };
/** Any address of the internet's. */
const OUTSIDE = "203.0.113.1";
const PROMETHEUS: Pod = { namespace: "observability", labels: { "app.kubernetes.io/name": "prometheus" } };
const KEDA_OPERATOR: Pod = { namespace: "keda", labels: { "app.kubernetes.io/name": "keda-operator" } };

/** @throws Error when something names a Service that there is not. */
export function wantedConnections(objects: readonly RecordedObject[]): Wanted[] {
  const pods = new Pods(objects, { services: unseenServices(objects), pods: [PROXIES] });
  const found = [
    ...routed(objects, pods),
    ...scraped(objects, pods),
    ...ofCharts(objects),
    ...named(objects, pods),
    ...inGroups(pods),
    ...toApi(pods),
    ...toUrls(pods),
    ...challenged(objects),
    ...toMesh(objects, pods),
    ...resolving(pods),
  ];
  return [...found, ...tunnelled(objects, found)];
}

const tcp = (port: number): PortAt => ({ port, protocol: "TCP" });

function toService(kind: WantedKind, need: string, from: Pod | Address, host: NamedHost, pods: Pods): Wanted[] {
  return pods.behind(host).map(({ pod, port }) => ({ kind, need, from, to: pod, at: tcp(port) }));
}

function toApiServer(need: string, from: Pod | Address): Wanted[] {
  return [443, 6443].map((port) => ({ kind: "API", need, from, to: API_SERVER, at: tcp(port) }));
}

/** The gateway's proxies to all that its routes lead to. */
function routed(objects: readonly RecordedObject[], pods: Pods): Wanted[] {
  return objects
    .filter(({ kind }) => kind === "Backend")
    .flatMap(({ name, inputs }) =>
      list(inputs, "spec", "endpoints").flatMap((endpoint) => {
        const need = `gateway to Backend ${name}`;
        const inside = namedHosts(endpoint);
        if (inside.length > 0) {
          return inside.flatMap((host) => toService("route", need, PROXIES, host, pods));
        }
        const port = field(endpoint, "fqdn", "port") ?? field(endpoint, "ip", "port");
        const to = { address: text(endpoint, "ip", "address") ?? OUTSIDE };
        return [{ kind: "route", need, from: PROXIES, to, at: tcp(Number(port)) }];
      }),
    );
}

/**
 * Prometheus to what monitors select: of pods that the program declares those alone that have the port, as the operator's
 * `portNumber` asks for.
 */
function scraped(objects: readonly RecordedObject[], pods: Pods): Wanted[] {
  return objects
    .filter(({ kind }) => kind === "PodMonitor")
    .flatMap(({ name, inputs }) => {
      const labels = field(inputs, "spec", "selector", "matchLabels") as Pod["labels"];
      const namespaces = list(inputs, "spec", "namespaceSelector", "matchNames").map(String);
      const ports = list(inputs, "spec", "podMetricsEndpoints").map((endpoint) =>
        Number(field(endpoint, "portNumber")),
      );
      return namespaces.flatMap((namespace) =>
        ports.flatMap((port) =>
          pods
            .listening(namespace, labels, port)
            .map((to) => ({ kind: "monitor", need: `Prometheus to ${name}`, from: PROMETHEUS, to, at: tcp(port) })),
        ),
      );
    });
}

/** The API server to webhooks and APIs of charts, and charts' pods to each other. */
function ofCharts(objects: readonly RecordedObject[]): Wanted[] {
  return installedPods(objects).flatMap(({ release, pod, calledByApiServer, usesApi, scraped: metrics, calledBy }) => [
    ...(usesApi ? toApiServer(`${release} to the API`, pod) : []),
    ...(calledByApiServer === undefined
      ? []
      : [
          {
            kind: "chart" as const,
            need: `API server to ${release}`,
            from: API_SERVER,
            to: pod,
            at: tcp(calledByApiServer),
          },
        ]),
    ...(metrics === undefined
      ? []
      : [{ kind: "chart" as const, need: `Prometheus to ${release}`, from: PROMETHEUS, to: pod, at: tcp(metrics) }]),
    ...(calledBy?.at ?? []).map((at) => ({
      kind: "chart" as const,
      need: `callers to ${release}`,
      from: { namespace: calledBy?.namespace ?? pod.namespace, labels: calledBy?.labels ?? {} },
      to: pod,
      at,
    })),
  ]);
}

/** Pods to the Services that their object, configuration or chart names. */
function named(objects: readonly RecordedObject[], pods: Pods): Wanted[] {
  return objects.flatMap((object) =>
    readersOf(object, objects, pods).flatMap(({ from, values }) =>
      namedHosts(values).flatMap((host) =>
        toService("setting", `${object.kind} ${object.namespace}/${object.name} to ${host.service}`, from, host, pods),
      ),
    ),
  );
}

/** Pods that go by what stands in an object, and the part of it. */
function readersOf(
  object: RecordedObject,
  objects: readonly RecordedObject[],
  pods: Pods,
): { from: Pod | Address; values: unknown }[] {
  const { kind, name, namespace, inputs } = object;
  const all = (found: readonly DeclaredPods[]) => found.map(({ end }) => ({ from: end, values: inputs }));
  const mounting = (need: string) => [
    ...all(pods.all.filter(({ needs }) => needs.includes(need))),
    ...objects
      .filter((chart) => chart.kind === "Release" && chart.namespace === namespace)
      .filter((chart) => texts(chart.inputs.values).includes(name))
      .map(() => ({ from: { namespace, labels: {} }, values: inputs })),
  ];
  switch (kind) {
    case "ConfigMap":
      return mounting(exists(kind, name, namespace));
    case "Secret":
      return mounting(secret(name, namespace));
    case "ScaledObject":
      return [{ from: KEDA_OPERATOR, values: inputs }];
    case "Release":
      return readersOfValues(object);
    default:
      return all(pods.all.filter(({ of }) => of === object));
  }
}

/** Pods of one replica to each other, at whatever port their engine chooses. */
function inGroups(pods: Pods): Wanted[] {
  const groups = pods.all.filter(({ of }) => ["LeaderWorkerSet", "RayService"].includes(of.kind) || isIndexed(of));
  return groups.flatMap((from) =>
    groups
      .filter(({ of }) => of === from.of)
      .map((to) => ({
        kind: "group",
        need: `pods of ${from.of.name} to each other`,
        from: from.end,
        to: to.end,
        at: tcp(49_152),
      })),
  );
}

/** A Job whose pods know each other by their index, or a CronJob of such. */
function isIndexed({ inputs }: RecordedObject): boolean {
  const spec = field(inputs, "spec", "jobTemplate", "spec") ?? inputs.spec;
  return text(spec, "completionMode") === "Indexed";
}

/** Pods with a token to the Kubernetes API. */
function toApi(pods: Pods): Wanted[] {
  return pods.all
    .filter(({ spec }) => field(spec, "automountServiceAccountToken") === true)
    .flatMap(({ of, end }) => toApiServer(`${of.kind} ${of.namespace}/${of.name} to the API`, end));
}

/** Pods to servers outside of the cluster that their variables have URLs of. */
function toUrls(pods: Pods): Wanted[] {
  return pods.all.flatMap(({ of, end, spec }) =>
    [...list(spec, "containers"), ...list(spec, "initContainers")]
      .flatMap((container) => list(container, "env"))
      .flatMap((variable) => outsideServers(text(variable, "value") ?? ""))
      .map(({ host, port }) => ({
        kind: "url",
        need: `${of.kind} ${of.namespace}/${of.name} to ${host}`,
        from: end,
        to: { address: OUTSIDE },
        at: tcp(port),
      })),
  );
}

/** What an ACME server's challenge takes: cert-manager to it and to the gateway, and the gateway to the pod that answers. */
function challenged(objects: readonly RecordedObject[]): Wanted[] {
  const issuers = objects.filter(
    ({ kind, inputs }) => kind.endsWith("Issuer") && field(inputs, "spec", "acme") !== undefined,
  );
  return issuers.flatMap(({ namespace }) => {
    const solver = { namespace, labels: { "acme.cert-manager.io/http01-solver": "true" } };
    const steps: readonly (readonly [Pod | Address, Pod | Address, number])[] = [
      [CERT_MANAGER, { address: OUTSIDE }, 443],
      [{ address: OUTSIDE }, PROXIES, 10080],
      [CERT_MANAGER, PROXIES, 10080],
      [PROXIES, solver, 8089],
    ];
    return steps.map(([from, to, port]) => ({ kind: "challenge", need: "ACME challenge", from, to, at: tcp(port) }));
  });
}

/** Sidecars to the control plane of their mesh. */
function toMesh(objects: readonly RecordedObject[], pods: Pods): Wanted[] {
  const members = objects
    .filter(({ kind, labels }) => kind === "Namespace" && labels["istio-injection"] === "enabled")
    .map(({ name }) => name);
  const { namespace, podLabels } = ISTIO_PODS.istiod;
  return pods.all
    .filter((pod) => members.includes(pod.namespace) && pod.labels["sidecar.istio.io/inject"] !== "false")
    .map((from) => ({
      kind: "sidecar",
      need: `sidecar of ${from.of.name} to istiod`,
      from: from.end,
      to: { namespace, labels: podLabels },
      at: tcp(MESH_PORTS.istiod),
    }));
}

/** All pods to the cluster's DNS. */
function resolving(pods: Pods): Wanted[] {
  const dns: Pod = { namespace: "kube-system", labels: { "k8s-app": "kube-dns" } };
  return pods.all.map((from) => ({
    kind: "DNS",
    need: `${from.of.kind} ${from.namespace}/${from.of.name} to DNS`,
    from: from.end,
    to: dns,
    at: { port: 53, protocol: "UDP" },
  }));
}

/** The same connections as agents of a mesh carry them between its members. */
function tunnelled(objects: readonly RecordedObject[], found: readonly Wanted[]): Wanted[] {
  const members = objects
    .filter(({ kind, labels }) => kind === "Namespace" && labels["istio.io/dataplane-mode"] === "ambient")
    .map(({ name }) => name);
  const isMember = (end: Pod | Address) => "namespace" in end && members.includes(end.namespace);
  return found
    .filter(({ from, to, at }) => isMember(from) && isMember(to) && at.protocol === "TCP")
    .map((wanted) => ({
      ...wanted,
      kind: "tunnel",
      need: `${wanted.need}, through the mesh`,
      at: tcp(MESH_PORTS.tunnel),
    }));
}
