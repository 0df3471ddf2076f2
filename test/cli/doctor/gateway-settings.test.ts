import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { gatewaySettings } from "../../../cli/doctor/checks/gateway-settings";
import { NEEDED_SETTINGS } from "../../../names/envoy-gateway";
import { facts, known, needs } from "./made-up";

const CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller";
const namespace = "gateways";

function check(settings: object | string, controller: object = {}, place = namespace) {
  const text = typeof settings === "string" ? settings : stringify(settings);
  const config = { name: "envoy-gateway-config", namespace: place, data: { "envoy-gateway.yaml": text } };
  const [result] = gatewaySettings(
    facts({ gatewayConfigs: known([config]) }),
    needs({ gatewayController: { namespace, ...controller } }),
  );
  return result;
}

const theirs = { ...NEEDED_SETTINGS, gateway: { controllerName: CONTROLLER }, logging: { level: { default: "warn" } } };
const otherManager = {
  ...NEEDED_SETTINGS.extensionManager,
  service: { fqdn: { hostname: "wasm.corp.svc.cluster.local", port: 5005 } },
};

describe("settings of an existing Envoy Gateway", () => {
  it("are judged where the environment uses one", () => {
    expect(gatewaySettings(facts(), needs())).toEqual([]);
  });

  it.each([
    ["passed", "all of them", theirs, {}],
    ["passed", "all of them", { ...theirs, gateway: { controllerName: "corp.com/eg" } }, { gatewayClass: "corp" }],
    [
      "passed",
      "all of them",
      { ...theirs, gateway: { controllerName: "corp.com/eg" } },
      { controllerName: "corp.com/eg" },
    ],
    ["failed", "gateway.controllerName", { ...theirs, gateway: { controllerName: "corp.com/eg" } }, {}],
    [
      "failed",
      "extensionManager.service.fqdn.hostname, extensionManager.service.fqdn.port",
      { ...theirs, extensionManager: otherManager },
      {},
    ],
    ["failed", "extensionApis.enableLua", { ...theirs, extensionApis: { enableBackend: true } }, {}],
    ["failed", "provider.kubernetes", { ...theirs, provider: { type: "Kubernetes" } }, {}],
    ["failed", "provider, extensionApis, extensionManager, gateway", "{not yaml", {}],
  ])("%s: %s", (status, found, settings, controller) => {
    const result = check(settings, controller);
    expect([result?.status, result?.found]).toEqual([status, expect.stringContaining(found)]);
  });

  it.each([
    ["failed", "no GatewayClass eg", []],
    ["failed", "istio.io/gateway-controller, and not corp.com/eg: API keys would not", ["istio.io/gateway-controller"]],
    ["passed", "a class of corp.com/eg, whose EnvoyProxy corp must have no mergeGateways", ["corp.com/eg"]],
  ])("the class is one of its controller's: %s, %s", (status, found, controllers) => {
    const data = { "envoy-gateway.yaml": stringify({ ...theirs, gateway: { controllerName: "corp.com/eg" } }) };
    const parameters = { kind: "EnvoyProxy", name: "corp" };
    const [, result] = gatewaySettings(
      facts({
        gatewayConfigs: known([{ name: "envoy-gateway-config", namespace, data }]),
        gatewayClasses: known(controllers.map((controllerName) => ({ name: "eg", controllerName, parameters }))),
      }),
      needs({ gatewayController: { namespace, gatewayClass: "eg" } }),
    );
    expect([result?.status, result?.found]).toEqual([status, expect.stringContaining(found)]);
  });

  it("are looked for in the namespace that the environment names", () => {
    const result = check(theirs, {}, "elsewhere");
    expect([result?.status, result?.found]).toEqual(["failed", "no envoy-gateway-config in gateways"]);
  });
});
