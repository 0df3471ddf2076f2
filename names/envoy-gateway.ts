import { AI_GATEWAY_NAMESPACE } from "./namespaces";
import { serviceFqdn } from "./service-host";

/** Default name of its controller, which GatewayClasses name. */
export const GATEWAY_CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller";

/** An Envoy Gateway that the cluster has, with the settings of `NEEDED_SETTINGS`. */
export interface ExistingController {
  /** Where its controller runs. */
  readonly namespace: string;
  /** Its controllerName, where that is not the default. */
  readonly controllerName?: string | undefined;
  /** A class of its own that the Gateway has. @default the platform makes the class `inference` */
  readonly gatewayClass?: string | undefined;
}

/** What the AI gateway and the rendered objects need of an Envoy Gateway, in its own configuration: of one that the cluster has, too. */
export const NEEDED_SETTINGS = {
  // Proxies run next to their Gateway, in a namespace with our policies, not next to the controller.
  provider: { type: "Kubernetes", kubernetes: { deploy: { type: "GatewayNamespace" } } },
  // Lua for two scripts of ours, before the AI gateway's filter (decisions 0016 and 0017).
  extensionApis: { enableBackend: true, enableLua: true },
  // As in manifests/envoy-gateway-values.yaml of Envoy AI Gateway 1.1, without EnvoyPatchPolicy: it is
  // optional there, and lets its author put anything into the proxy.
  extensionManager: {
    hooks: {
      xdsTranslator: {
        translation: {
          listener: { includeAll: true },
          route: { includeAll: true },
          cluster: { includeAll: true },
          secret: { includeAll: true },
        },
        post: ["Translation", "Cluster", "Route"],
      },
    },
    service: {
      fqdn: { hostname: serviceFqdn("ai-gateway-controller", AI_GATEWAY_NAMESPACE), port: 1063 },
    },
  },
} as const;
