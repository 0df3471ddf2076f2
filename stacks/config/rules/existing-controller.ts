import {
  AI_GATEWAY_NAMESPACE,
  ENVOY_GATEWAY_NAMESPACE,
  GATEWAY_NAMESPACE,
  modelNamespaceName,
  PLATFORM_NAMESPACES,
} from "../../../names/namespaces";
import { quotasOf } from "../../../planner/quotas";
import { tenantsOf } from "../../../planner/tenants";
import type { Rule } from "../core/rule";

/** The name of Envoy Gateway's own namespace is that of its manuals. */
const OWN = PLATFORM_NAMESPACES.filter((namespace) => namespace !== ENVOY_GATEWAY_NAMESPACE);

/** Domains of names of other controllers, each in its own documentation. */
const OTHERS: Readonly<Record<string, string>> = {
  "istio.io": "Istio",
  "io.cilium": "Cilium",
  "traefik.io": "Traefik",
  "gateway.nginx.org": "NGINX Gateway Fabric",
  "konghq.com": "Kong",
  "networking.gke.io": "GKE's Gateway",
  "projectcontour.io": "Contour",
};

/** What only the platform's own Envoy Gateway does, or can be in. */
export const existingControllersGoAlone: Rule = function* ({ sections: { gateway, mesh, cluster } }) {
  const controller = gateway?.controller;
  if (controller === undefined) {
    return;
  }
  const lost = [
    quotasOf(tenantsOf(gateway?.consumers ?? [])).length === 0
      ? undefined
      : "requestsPerMinute and tokensPerMinute of consumers: the rate limit service and its store are settings of the whole controller",
    mesh === undefined || mesh.mode === "off"
      ? undefined
      : "mesh: your controller is outside of it, and configures the proxies",
    cluster?.provision === "create"
      ? "a cluster that is created here: nothing has installed Envoy Gateway in it"
      : undefined,
  ].filter((reason) => reason !== undefined);
  if (lost.length > 0) {
    yield {
      path: ["gateway", "controller"],
      value: controller.namespace,
      allowed: `only without ${lost.join("; without ")}`,
      fix: "remove that, or remove controller: the platform then installs its own Envoy Gateway",
    };
  }
};

export const existingControllersAreElsewhere: Rule = function* ({ sections: { gateway, models = {} } }) {
  const namespace = gateway?.controller?.namespace;
  const own = [...OWN, ...Object.keys(models).map(modelNamespaceName)];
  if (namespace !== undefined && own.includes(namespace)) {
    yield {
      path: ["gateway", "controller", "namespace"],
      value: namespace,
      allowed: `a namespace of yours, other than those of the platform: ${GATEWAY_NAMESPACE}, ${AI_GATEWAY_NAMESPACE}, model-<name> and the like`,
      fix: "write the namespace of your Envoy Gateway: kubectl get deployments -A -l control-plane=envoy-gateway",
    };
  }
};

export const classesNameTheirController: Rule = function* ({ sections: { gateway } }) {
  const { gatewayClass, controllerName } = gateway?.controller ?? {};
  if (gatewayClass !== undefined && controllerName !== undefined) {
    yield {
      path: ["gateway", "controller", "controllerName"],
      value: controllerName,
      allowed: "only without gatewayClass: your class names its controller",
      fix: "remove controllerName, or gatewayClass where the platform shall create its own",
    };
  }
};

export const controllersAreEnvoyGateways: Rule = function* ({ sections: { gateway } }) {
  const { controllerName = "" } = gateway?.controller ?? {};
  const [domain = ""] = controllerName.split("/");
  const implementation = Object.hasOwn(OTHERS, domain) ? OTHERS[domain] : undefined;
  if (implementation !== undefined) {
    yield {
      path: ["gateway", "controller", "controllerName"],
      value: controllerName,
      allowed: `the name of an Envoy Gateway: keys, quotas and routing by model are its policies, and ${implementation} has none of them`,
      fix: "remove controller: the platform then installs its own Envoy Gateway next to yours (docs/existing-envoy-gateway.md)",
    };
  }
};
