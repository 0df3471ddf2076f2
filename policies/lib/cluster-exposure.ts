import { ENTRANCES as NAMED } from "../../names/entrances";
import type { Exposure } from "./cloud-exposure";
import { type Field, isObject, type Value } from "./field";
import { helmValues } from "./helm-values";
import type { Cloud } from "./plan";
import { namespaceOf, type Resource } from "./resource";

const INTERNAL: Readonly<Record<Cloud, Readonly<Record<string, string>>>> = {
  aws: {
    "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
    "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
  },
  oci: {
    "service.beta.kubernetes.io/oci-load-balancer-internal": "true",
    "oci-network-load-balancer.oraclecloud.com/internal": "true",
  },
  none: {},
};

const INTERNAL_ONLY =
  "ClusterIP; or a load balancer inside the network, by an annotation that this cloud reads, such as oci-load-balancer-internal or aws-load-balancer-scheme";
const BY_THE_GATEWAY = "a route of the inference gateway";

/** Kinds that expose by themselves, whatever their content. */
const ENTRANCES = [
  "Ingress", // networking.k8s.io
  "Gateway", // gateway.networking.k8s.io, networking.istio.io
  "IngressRoute", // traefik.io
  "IngressRouteTCP",
  "HTTPProxy", // projectcontour.io
  "Route", // route.openshift.io
  "VirtualServer", // k8s.nginx.org
  "TransportServer",
  "Tunnel", // Cloudflare and ngrok operators
  "CloudEndpoint",
];

const PUBLISHING: Readonly<Record<string, string>> = {
  "tailscale.com/funnel": "true",
};

export function clusterExposures(resource: Resource, isGateway: () => boolean, cloud: Cloud | undefined): Exposure[] {
  const found = entrances(resource, cloud);
  const open = found.length > 0 && isGateway() ? otherPorts(resource) : found;
  return [...published(resource), ...externalAddresses(resource), ...open];
}

/** Ports of clients, and of the redirect. */
const WEB_PORTS = [80, 443];

/** Further ports of the gateway: its proxies have administration ports too. */
function otherPorts({ kind, props }: Resource): Exposure[] {
  const path = { Service: "ports", Gateway: "listeners" }[kind ?? ""];
  return path === undefined
    ? []
    : props
        .get("spec", path)
        .items()
        .map((each) => each.get("port"))
        .filter((port) => port.is((value) => value !== undefined && !WEB_PORTS.includes(Number(value))))
        .map((field) => ({ field, allowed: `ports ${WEB_PORTS.join(" and ")} of the gateway` }));
}

function entrances(resource: Resource, cloud: Cloud | undefined): Exposure[] {
  const { kind, props } = resource;
  if (kind === undefined) {
    return chartEntrances(resource);
  }
  if (ENTRANCES.includes(kind)) {
    return staysInside(resource)
      ? []
      : [
          {
            field: props.get("metadata", "name"),
            found: `is of kind ${kind}, a way in from outside`,
            allowed: BY_THE_GATEWAY,
          },
        ];
  }
  if (kind === "Service") {
    return isNamed(resource) ? [] : serviceEntrance(props.get("spec"), props.get("metadata", "annotations"), cloud);
  }
  if (kind === "EnvoyProxy") {
    // Envoy Gateway defaults to a load balancer.
    const service = props.get("spec", "provider", "kubernetes", "envoyService");
    return service.get("type").is((value) => value !== "ClusterIP" && !(value === undefined && resource.isPatch))
      ? [{ field: service.get("type"), allowed: "ClusterIP" }]
      : [];
  }
  return kind === "CustomResourceDefinition" ? [] : servicesOf(props.get("spec"), "spec", cloud);
}

/** A Service of names/entrances.ts, if client addresses reach its pods' NetworkPolicy. */
function isNamed(resource: Resource): boolean {
  const spec = resource.props.get("spec");
  return NAMED.some(({ namespace, service }) => {
    const wanted: readonly (readonly [Field, string])[] = [
      [resource.props.get("metadata", "name"), service],
      [namespaceOf(resource), namespace],
      [spec.get("type"), "NodePort"],
      [spec.get("externalTrafficPolicy"), "Local"],
    ];
    // An unknown value may match.
    return wanted.every(([field, value]) => !field.is((found) => found !== value));
  });
}

/**
 * A proxy inside the mesh: Istio creates it for a Gateway of this class, with a ClusterIP Service
 * unless an annotation overrides it (istio/istio 1.30.3, gatewaycommon/deploymentcontroller.go).
 */
function staysInside({ kind, props }: Resource): boolean {
  return (
    kind === "Gateway" &&
    !props.get("spec", "gatewayClassName").is((value) => value !== "istio-waypoint") &&
    !props.get("metadata", "annotations", "networking.istio.io/service-type").is((value) => value !== undefined)
  );
}

function serviceEntrance(spec: Field, annotations: Field, cloud: Cloud | undefined): Exposure[] {
  const type = spec.get("type");
  if (type.is((value) => value === "NodePort")) {
    return [{ field: type, allowed: INTERNAL_ONLY }];
  }
  const isPublic = internalAnnotations(cloud).every(([name, value]) =>
    annotations.get(name).is((given) => given !== value),
  );
  return type.is((value) => value === "LoadBalancer") && isPublic ? [{ field: type, allowed: INTERNAL_ONLY }] : [];
}

function internalAnnotations(cloud: Cloud | undefined): [string, string][] {
  return Object.entries(cloud === undefined ? { ...INTERNAL.aws, ...INTERNAL.oci } : INTERNAL[cloud]);
}

/** Services that an operator creates, by shape: a mapping called service with a type. */
function servicesOf(field: Field, key: string, cloud: Cloud | undefined): Exposure[] {
  if (Array.isArray(field.value)) {
    return field.items().flatMap((item) => servicesOf(item, key, cloud));
  }
  if (!isObject(field.value)) {
    return [];
  }
  const annotations = [field.get("annotations"), field.get("metadata", "annotations")].find(({ value }) =>
    isObject(value),
  );
  const own = /service(spec|template)?$/i.test(key)
    ? [field, field.get("spec")].flatMap((spec) =>
        serviceEntrance(spec, annotations ?? field.get("annotations"), cloud),
      )
    : [];
  return own.length > 0 ? own : field.entries().flatMap(([name, child]) => servicesOf(child, name, cloud));
}

function chartEntrances(resource: Resource): Exposure[] {
  return helmValues(resource).flatMap(({ key, field }): Exposure[] => {
    if (/(^type|Type)$/.test(key) && (field.value === "LoadBalancer" || field.value === "NodePort")) {
      return [{ field, allowed: INTERNAL_ONLY }];
    }
    // One, or several by name.
    const switches = /ingress(es)?$/i.test(key)
      ? [field, ...field.entries().map(([, each]) => each)]
          .filter(({ value }) => isObject(value))
          .map((each) => each.get("enabled"))
      : [];
    return switches
      .filter((enabled) => enabled.is((value) => value === true))
      .map((enabled) => ({ field: enabled, allowed: `false; ${BY_THE_GATEWAY}` }));
  });
}

function published({ props }: Resource): Exposure[] {
  const annotations = props.get("metadata", "annotations");
  return Object.entries(PUBLISHING)
    .map(([name, value]) => ({ field: annotations.get(name), value }))
    .filter(({ field, value }) => field.is((given) => given === value))
    .map(({ field }) => ({ field, allowed: `not on the internet by a side door; ${BY_THE_GATEWAY}` }));
}

/** `externalIPs`: nodes answer on them, whatever the Service's type. */
function externalAddresses(resource: Resource): Exposure[] {
  const isFilled = (value: Value) => Array.isArray(value) && value.length > 0;
  const found =
    resource.kind === "Service"
      ? [resource.props.get("spec", "externalIPs")]
      : helmValues(resource)
          .filter(({ key }) => key === "externalIPs")
          .map(({ field }) => field);
  return found.filter((field) => field.is(isFilled)).map((field) => ({ field, allowed: "no external addresses" }));
}
