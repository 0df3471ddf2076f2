import { parse } from "yaml";
import { GATEWAY_CONTROLLER, NEEDED_SETTINGS } from "../../../names/envoy-gateway";
import { type Check, failed, judged, passed } from "./check";

const PAGE = "docs/existing-envoy-gateway.md";
/** Key of its ConfigMap (templates/envoy-gateway-config.yaml of gateway-helm 1.9.1). */
const FILE = "envoy-gateway.yaml";

/** Settings of the cluster's own Envoy Gateway: without them routes by the body's model, or its keys, are not programmed. */
export const gatewaySettings: Check = ({ gatewayConfigs }, { gatewayController }) => {
  if (gatewayController === undefined) {
    return [];
  }
  const { namespace, controllerName, gatewayClass } = gatewayController;
  const needed = {
    ...NEEDED_SETTINGS,
    ...(gatewayClass === undefined && { gateway: { controllerName: controllerName ?? GATEWAY_CONTROLLER } }),
  };
  return [
    judged(
      {
        check: "gateway-settings",
        title: "Settings of Envoy Gateway",
        needed: `those of ${PAGE} in the ConfigMap envoy-gateway-config of ${namespace}`,
      },
      gatewayConfigs,
      (configs) => {
        const text = configs.find((config) => config.namespace === namespace)?.data[FILE];
        if (text === undefined) {
          return failed(
            `no envoy-gateway-config in ${namespace}`,
            "write the namespace of its controller into gateway.controller: kubectl get configmaps -A | grep envoy-gateway-config",
          );
        }
        const differing = differences(needed, parsed(text));
        return differing.length === 0
          ? passed("all of them")
          : failed(
              `other than needed: ${differing.join(", ")}`,
              `merge the values of ${PAGE} into your release (helm upgrade --reuse-values -f), which restarts its controller`,
              "or remove gateway.controller, and take a cluster without Envoy Gateway: the platform then installs its own",
            );
      },
    ),
  ];
};

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Paths of needed values that another configuration lacks or has otherwise. Lists may hold more. */
function differences(needed: unknown, found: unknown, path = ""): string[] {
  if (Array.isArray(needed)) {
    return Array.isArray(found) && needed.every((each) => found.includes(each)) ? [] : [path];
  }
  if (typeof needed !== "object" || needed === null) {
    return needed === found ? [] : [path];
  }
  const has = (typeof found === "object" && found !== null ? found : {}) as Readonly<Record<string, unknown>>;
  return Object.entries(needed).flatMap(([key, value]) =>
    key in has
      ? differences(value, has[key], path === "" ? key : `${path}.${key}`)
      : [path === "" ? key : `${path}.${key}`],
  );
}
