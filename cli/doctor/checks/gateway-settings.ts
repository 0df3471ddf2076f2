import { parse } from "yaml";
import { z } from "zod";
import { GATEWAY_CONTROLLER, NEEDED_SETTINGS } from "../../../names/envoy-gateway";
import type { ClusterFacts, GatewayClassFact } from "../facts";
import { type Check, failed, judged, passed, type Verdict } from "./check";

const PAGE = "docs/existing-envoy-gateway.md";
/** Key of its ConfigMap (templates/envoy-gateway-config.yaml of gateway-helm 1.9.1). */
const FILE = "envoy-gateway.yaml";

/** Settings of the cluster's own Envoy Gateway: without them routes by the body's model, or its keys, are not programmed. */
export const gatewaySettings: Check = ({ gatewayConfigs, gatewayClasses }, { gatewayController }) => {
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
    ...(gatewayClass === undefined
      ? []
      : [
          judged(
            {
              check: "gateway-class",
              title: "Class of the Gateway",
              needed: `the class ${gatewayClass}, of the Envoy Gateway in ${namespace}`,
            },
            gatewayClasses,
            (classes) => classVerdict(gatewayClass, classes, controllerOf(gatewayConfigs, namespace)),
          ),
        ]),
  ];
};

/** Of another implementation, it would program routes without the policies that check keys. */
function classVerdict(name: string, classes: readonly GatewayClassFact[], controller: string): Verdict {
  const found = classes.find((each) => each.name === name);
  if (found === undefined) {
    return failed(
      `no GatewayClass ${name}`,
      "write one of kubectl get gatewayclasses into gateway.controller.gatewayClass, or remove it: the platform then creates inference",
    );
  }
  const { controllerName, parameters } = found;
  if (controllerName !== controller) {
    return failed(
      `its controller is ${controllerName}, and not ${controller}: API keys would not be checked`,
      `write a class of ${controller} into gateway.controller.gatewayClass, or remove it: the platform then creates inference`,
    );
  }
  const without = parameters ? `, whose ${parameters.kind} ${parameters.name} must have no mergeGateways` : "";
  return passed(`a class of ${controller}${without}`);
}

function controllerOf(configs: ClusterFacts["gatewayConfigs"], namespace: string): string {
  const text = configs.known ? configs.value.find((config) => config.namespace === namespace)?.data[FILE] : undefined;
  const named = settings.safeParse(parsed(text ?? ""));
  return named.success ? named.data.gateway.controllerName : GATEWAY_CONTROLLER;
}

const settings = z.object({ gateway: z.object({ controllerName: z.string() }) });

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
  return Object.entries(needed).flatMap(([key, value]) => {
    const at = path === "" ? key : `${path}.${key}`;
    return key in has ? differences(value, has[key], at) : [at];
  });
}
