/**
 * `gateway.controller`: an Envoy Gateway of the user's, with a release, a namespace, a controllerName, a class and defaults of its
 * own, beside the platform's objects. With the settings that the page asks for it programs all and answers; without, `doctor` has said why.
 */

import { afterEach, describe, expect, it } from "vitest";
import { ClusterApi } from "../../../cli/cluster/cluster-api";
import { clusterContext } from "../../../cli/cluster/kubeconfig";
import { gatewaySettings } from "../../../cli/doctor/checks/gateway-settings";
import { gatherFacts } from "../../../cli/doctor/gather";
import type { KubernetesObject } from "../../../kubernetes/object";
import { NEEDED_SETTINGS } from "../../../names/envoy-gateway";
import { isComplaint } from "../../../rehearsal/cluster/gateway/conditions";
import type { GatewayPrograms } from "../../../rehearsal/cluster/gateway/proxies";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { needs } from "../../cli/doctor/made-up";
import { notingEngine } from "../../e2e/gateway/noting-engine";
import { changedRun } from "../../stacks/run";
import { merged, type Sections, shippedSections } from "../../stacks/texts";

const NAMESPACE = "corp-gateways";
const CONTROLLER = "gateway.envoyproxy.io/corp";
const TIMEOUT_MS = 240_000;

/** What a release of somebody has: a name of its own, and defaults of all its proxies. */
const theirs = {
  gateway: { controllerName: CONTROLLER },
  logging: { level: { default: "info" } },
  envoyProxy: { concurrency: 1, logging: { level: { default: "error" } } },
};

const object = (apiVersion: string, kind: string, name: string, rest: object): KubernetesObject =>
  ({ apiVersion, kind, metadata: { name }, ...rest }) as KubernetesObject;

/** Their class, with an EnvoyProxy that all Gateways of it have unless they name their own. */
const CLASS: readonly KubernetesObject[] = [
  object("v1", "Namespace", NAMESPACE, {}),
  {
    apiVersion: "gateway.envoyproxy.io/v1alpha1",
    kind: "EnvoyProxy",
    metadata: { name: "defaults", namespace: NAMESPACE },
    spec: { provider: { type: "Kubernetes", kubernetes: { envoyService: { type: "NodePort" } } } },
  },
  object("gateway.networking.k8s.io/v1", "GatewayClass", "corp", {
    spec: {
      controllerName: CONTROLLER,
      parametersRef: { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "defaults", namespace: NAMESPACE },
    },
  }),
];

/** The user's release pins both. */
const older = (): GatewayPrograms => ({
  envoyGateway: requirePart("envoy-gateway-1.9.0"),
  envoy: requirePart("envoy-1.39.0"),
});

let stand: GatewayStand | undefined;
afterEach(async () => {
  await stand?.stop();
  stand = undefined;
});

async function start(
  controller: Readonly<Record<string, string>>,
  envoyGateway: object,
  programs?: () => GatewayPrograms,
) {
  const changes = { gateway: { controller: { namespace: NAMESPACE, ...controller } } };
  const { resources } = await changedRun("dev", merged(shippedSections("dev"), changes) as Sections);
  const existing = { namespace: NAMESPACE, values: { config: { envoyGateway } } };
  stand = await GatewayStand.start(resources, {
    existing,
    before: CLASS,
    ...(programs && { programs: programs() }),
  });
  return stand;
}

/** What doctor says of the running installation, by its own questions. */
async function verdict(running: GatewayStand, controller: Readonly<Record<string, string>>) {
  const context = clusterContext({ kubeconfig: running.kubeconfig });
  const api = await ClusterApi.open(context);
  try {
    const gatewayController = { namespace: NAMESPACE, ...controller };
    const [result] = gatewaySettings(await gatherFacts(api, context, []), needs({ gatewayController }));
    return result;
  } finally {
    api.close();
  }
}

const chat = (consumer?: string) => ({
  path: "/v1/chat/completions",
  json: { model: "assistant", messages: [{ role: "user", content: "hello" }] },
  ...(consumer !== undefined && { consumer }),
});

describe("an Envoy Gateway of the user's", { timeout: TIMEOUT_MS }, () => {
  it.each([
    ["its controllerName", { controllerName: CONTROLLER }, "inference", undefined],
    ["its class and that class's defaults, in an older release", { gatewayClass: "corp" }, "corp", older],
  ])("with the settings programs the platform's objects, by %s", async (_what, controller, gatewayClass, programs) => {
    const running = await start(controller, { ...theirs, ...NEEDED_SETTINGS }, programs);
    // Of two classes of one controller one may keep its first condition, once in four runs; its Gateway is programmed.
    const complaints = async () =>
      (await running.conditions()).filter((each) => isComplaint(each) && !each.object.startsWith("GatewayClass "));
    await waitFor("no complaint", async () => ((await complaints()).length === 0 ? true : undefined), 60).catch(
      () => undefined,
    );
    expect(await complaints()).toEqual([]);
    const gateways = await running.client.list("gateway.networking.k8s.io/v1", "Gateway");
    expect(gateways.map(({ spec }) => (spec as { gatewayClassName: string }).gatewayClassName)).toEqual([gatewayClass]);
    const [service] = (await running.client.list("v1", "Service")).filter(
      ({ metadata }) => metadata.labels?.["gateway.envoyproxy.io/owning-gateway-name"] !== undefined,
    );
    // Our EnvoyProxy wins over their defaults.
    expect([(service?.spec as { readonly type?: string } | undefined)?.type]).not.toContain("NodePort");

    const engine = notingEngine();
    await running.serve("assistant", engine.listener);
    expect((await running.request(chat("default"))).status).toBe(200);
    expect((await running.request(chat())).status).toBe(401);
    expect(engine.seen.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
    expect(await verdict(running, controller)).toMatchObject({ status: "passed" });
  });

  it("without the extension server answers no request for a model, and none without a key", async () => {
    const { extensionManager: _, ...withoutExtension } = NEEDED_SETTINGS;
    const controller = { controllerName: CONTROLLER };
    const running = await start(controller, { ...theirs, ...withoutExtension });
    const engine = notingEngine();
    await running.serve("assistant", engine.listener);
    const answers = await Promise.all([running.request(chat("default")), running.request(chat())]);
    expect(answers.map(({ status }) => status)).toEqual([404, 401]);
    expect(engine.seen).toEqual([]);
    expect(await verdict(running, controller)).toMatchObject({
      status: "failed",
      found: "other than needed: extensionManager",
    });
  });
});
