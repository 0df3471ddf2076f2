/**
 * When Argo CD calls an object healthy, and what that takes, kind by kind. Read in Argo CD 3.2.0 and 3.5.1 (2026-11-22):
 * `gitops-engine/pkg/health/health_*.go` for built-in kinds, `resource_customizations/<group>/<kind>/health.lua` for the
 * others. A kind that has no rule there is healthy as soon as it is applied.
 */
import type { ReadObject } from "../run";
import * as fact from "./facts";
import { field, list, text, texts } from "./fields";

export interface Health {
  /** Facts that must hold when it is applied: else the API server refuses it, or Argo CD sees it Degraded. */
  readonly atOnce?: readonly string[];
  /** Facts that it waits for, Progressing meanwhile. */
  readonly inTime?: readonly string[];
  /** Facts that hold as soon as it is applied. */
  readonly applied?: readonly string[];
  /** Facts that hold once it is healthy. */
  readonly healthy?: readonly string[];
}

export type Rule = (object: ReadObject, all: readonly ReadObject[]) => Health;

/** Charts whose CRDs a group's kinds need, by release. Groups that are not named exist before the first sync. */
export const CRD_CHARTS = [
  ["gateway.networking.k8s.io", "envoy-gateway"],
  ["gateway.envoyproxy.io", "envoy-gateway"],
  ["aigateway.envoyproxy.io", "ai-gateway-crds"],
  ["cert-manager.io", "cert-manager"],
  ["monitoring.coreos.com", "prometheus-operator-crds"],
  ["leaderworkerset.x-k8s.io", "lws"],
  ["ray.io", "kuberay-operator"],
  ["security.istio.io", "istio-base"],
  ["networking.istio.io", "istio-base"],
  ["karpenter.sh", "karpenter-crd"],
  ["keda.sh", "keda"],
] as const;

/** Groups whose kinds a chart itself brings objects of, or watches, by release. */
const CHART_NEEDS: Readonly<Record<string, readonly string[]>> = {
  metrics: ["monitoring.coreos.com"],
  "ai-gateway": ["aigateway.envoyproxy.io", "gateway.envoyproxy.io", "cert-manager.io"],
  keda: ["cert-manager.io"],
};

/** Where cert-manager keeps the Secrets of ClusterIssuers, its `cluster resource namespace`. */
const CLUSTER_ISSUER_SECRETS = "cert-manager";
/** With this annotation the Secret is there within seconds, before the issuer has answered. */
const TEMPORARY = "cert-manager.io/issue-temporary-certificate";

/** Progressing until all pods are ready (`readyReplicas < replicas`, `availableReplicas < updatedReplicas`). */
const controller: Rule = (object, all) => {
  const { namespace = "" } = object.metadata;
  const pods = fact.podSpecs(object.spec);
  const services = fact.servicesOf(object, all);
  return {
    inTime: pods.flatMap((pod) => [...fact.startNeeds(pod, namespace), ...ending(list(pod, "initContainers"))]),
    applied: services
      .filter(({ spec }) => field(spec, "publishNotReadyAddresses") === true)
      .map(({ metadata: { name } }) => fact.answers(name, namespace)),
    healthy: services.map(({ metadata: { name } }) => fact.answers(name, namespace)),
  };
};

/** Progressing until it is complete. */
const job: Rule = ({ metadata: { namespace = "" }, spec }) => {
  const pods = fact.podSpecs(spec);
  const containers = pods.flatMap((pod) => list(pod, "containers"));
  const prefix = fact.variable(containers, "PREFIX");
  return {
    inTime: pods.flatMap((pod) => [...fact.startNeeds(pod, namespace), ...ending(list(pod, "containers"))]),
    healthy: [...(prefix === undefined ? [] : [fact.stored(prefix)])],
  };
};

/** Containers that must end: the Services that they call must answer, the weights that they fetch lie there. */
function ending(containers: readonly unknown[]): string[] {
  const prefix = fact.variable(containers, "RUN") === "fetch" ? fact.variable(containers, "PREFIX") : undefined;
  return [...fact.namedServices(containers), ...(prefix === undefined ? [] : [fact.stored(prefix)])];
}

/** Degraded while Ready is False, as it is for a CA whose Secret is missing. */
const issuer: Rule = ({ metadata, spec }) => {
  const ca = text(spec, "ca", "secretName");
  return { atOnce: ca === undefined ? [] : [fact.secret(ca, metadata.namespace ?? CLUSTER_ISSUER_SECRETS)] };
};

/** Progressing while it is being issued; for an HTTP-01 challenge through a Gateway that takes the Gateway. */
const certificate: Rule = ({ metadata, spec }, all) => {
  const kind = text(spec, "issuerRef", "kind") ?? "Issuer";
  const name = text(spec, "issuerRef", "name") ?? "";
  const namespace = kind === "Issuer" ? metadata.namespace : undefined;
  const by = all.find((o) => o.kind === kind && o.metadata.name === name && o.metadata.namespace === namespace);
  const gateways = list(by?.spec, "acme", "solvers").flatMap((solver) =>
    list(solver, "http01", "gatewayHTTPRoute", "parentRefs"),
  );
  const made = fact.secret(text(spec, "secretName") ?? "", metadata.namespace);
  return {
    inTime: [
      fact.healthy(kind, name, namespace),
      ...gateways.map((gateway) => fact.healthy("Gateway", text(gateway, "name") ?? "", metadata.namespace)),
    ],
    applied: metadata.annotations[TEMPORARY] === "true" ? [made] : [],
    healthy: [made],
  };
};

/** Degraded while a listener's certificate is missing (ResolvedRefs), or its class or settings (Accepted). */
const gateway: Rule = ({ metadata, spec }) => ({
  atOnce: [
    fact.exists("GatewayClass", text(spec, "gatewayClassName") ?? ""),
    ...[text(spec, "infrastructure", "parametersRef", "name")]
      .filter((name) => name !== undefined)
      .map((name) => fact.exists("EnvoyProxy", name, metadata.namespace)),
    ...list(spec, "listeners")
      .flatMap((listener) => list(listener, "tls", "certificateRefs"))
      .map((reference) => fact.secret(text(reference, "name") ?? "", metadata.namespace)),
  ],
});

/** Degraded while a backend cannot be resolved or its Gateway does not accept it. */
const route: Rule = ({ metadata, spec }) => ({
  atOnce: [
    ...list(spec, "parentRefs").map((parent) => fact.exists("Gateway", text(parent, "name") ?? "", metadata.namespace)),
    ...list(spec, "rules")
      .flatMap((rule) => list(rule, "backendRefs"))
      .map((to) => fact.exists(text(to, "kind") ?? "Service", text(to, "name") ?? "", metadata.namespace)),
  ],
});

/** As healthy as the chart in it, with the setting of docs/gitops.md; its values name Secrets and priority classes. */
const application: Rule = ({ metadata, spec }, all) => {
  const release = text(spec, "source", "helm", "releaseName") ?? "";
  const namespace = text(spec, "destination", "namespace");
  const values = field(spec, "source", "helm", "valuesObject");
  const named = new Set(texts(values));
  // Of a chart that brings a Certificate: its pods wait for the Secret.
  const issuer = field(values, "certificates", "certManager", "issuer");
  const secrets = all.filter(({ kind, metadata: of }) => kind === "ExternalSecret" && of.namespace === namespace);
  const classes = all.filter(({ kind, metadata: { name } }) => kind === "PriorityClass" && named.has(name));
  return {
    atOnce: [fact.exists("AppProject", text(spec, "project") ?? "", metadata.namespace)],
    inTime: [
      fact.exists("Namespace", namespace ?? ""),
      ...(CHART_NEEDS[release] ?? []).map(fact.served),
      ...secrets.filter((o) => named.has(o.metadata.name)).map((o) => fact.secret(o.metadata.name, namespace)),
      ...classes.map((o) => fact.exists(o.kind, o.metadata.name)),
      ...[text(issuer, "name") ?? []].flat().map((name) => fact.healthy("Issuer", name, namespace)),
    ],
    healthy: [
      ...CRD_CHARTS.filter(([, by]) => by === release).map(([group]) => fact.served(group)),
      // istiod makes the class of its own proxies.
      ...(release === "istiod" ? [fact.exists("GatewayClass", "istio-waypoint")] : []),
    ],
  };
};

/** Degraded while what it scales is missing, or KEDA cannot read its signals from Prometheus. */
const scaledObject: Rule = ({ metadata, spec }, all) => {
  const asked = all.filter(({ kind, spec: of }) => {
    const release = kind === "Application" ? text(of, "source", "helm", "releaseName") : undefined;
    return release === "keda" || release === "metrics";
  });
  return {
    atOnce: [
      fact.exists(
        text(spec, "scaleTargetRef", "kind") ?? "Deployment",
        text(spec, "scaleTargetRef", "name") ?? "",
        metadata.namespace,
      ),
      ...asked.map((chart) => fact.healthy("Application", chart.metadata.name, chart.metadata.namespace)),
    ],
  };
};

/** Rules by kind. */
export type Rules = Readonly<Record<string, Rule>>;

export const HEALTH: Rules = {
  Deployment: controller,
  StatefulSet: controller,
  Job: job,
  // Pending until a pod uses it, where the class binds late (WaitForFirstConsumer).
  PersistentVolumeClaim: ({ metadata: { name, namespace } }, all) => ({
    inTime: all
      .filter((o) => fact.podSpecs(o.spec).some((pod) => mounts(pod, name)) && o.metadata.namespace === namespace)
      .slice(0, 1)
      .map((user) => fact.exists(user.kind, user.metadata.name, namespace)),
  }),
  Issuer: issuer,
  ClusterIssuer: issuer,
  Certificate: certificate,
  Gateway: gateway,
  HTTPRoute: route,
  // Progressing until External Secrets has read the store, which exists before the first sync.
  ExternalSecret: ({ metadata, spec }) => ({
    atOnce: list(spec, "dataFrom").flatMap((from) => {
      const name = text(from, "sourceRef", "generatorRef", "name");
      const kind = text(from, "sourceRef", "generatorRef", "kind");
      return name && kind ? [fact.exists(kind, name, metadata.namespace)] : [];
    }),
    healthy: [fact.secret(text(spec, "target", "name") ?? metadata.name, metadata.namespace)],
  }),
  Application: application,
  ScaledObject: scaledObject,
};

function mounts(pod: unknown, claim: string): boolean {
  return list(pod, "volumes").some((volume) => text(volume, "persistentVolumeClaim", "claimName") === claim);
}
