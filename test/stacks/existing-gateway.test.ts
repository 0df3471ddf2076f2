/** `gateway.controller`: what the platform brings to an Envoy Gateway that the cluster has, and what it then leaves out. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { NEEDED_SETTINGS } from "../../names/envoy-gateway";
import { repositoryRoot } from "../../names/repository-root";
import { judge } from "../../report/judge";
import { type RuleCase, ruleCases } from "./config/rule-cases";
import { rightEnvironment } from "./config/samples";
import { planText, refusalsOf } from "./planned";
import { changedRun, type ProgramRun } from "./run";
import { environmentText, merged, type Sections, shippedSections, yamlBlocks } from "./texts";

const controller = { namespace: "corp-gateways" };
const gateway = (changes: Sections = {}) => ({
  ...(rightEnvironment.gateway as Sections),
  controller,
  ...changes,
});

ruleCases([
  [
    "quotas, which a controller of others does not count",
    { gateway: gateway({ consumers: { web: { tokensPerMinute: 1000 } } }) },
    { path: "gateway.controller", allowed: "without requestsPerMinute and tokensPerMinute", fix: "remove controller" },
  ],
  [
    "a mesh that the controller is outside of",
    { gateway: gateway(), mesh: { mode: "ambient" } },
    { path: "gateway.controller", allowed: "without mesh", fix: "remove controller" },
  ],
  [
    "a namespace that the platform creates",
    { gateway: gateway({ controller: { namespace: "inference-gateway" } }) },
    { path: "gateway.controller.namespace", allowed: "a namespace of yours", fix: "control-plane=envoy-gateway" },
  ],
  ...["model-store", "model-chat", "open-webui"].map(
    (namespace): RuleCase => [
      `a namespace of the platform: ${namespace}`,
      {
        gateway: gateway({ controller: { namespace } }),
        models: { chat: { model: "qwen2.5-7b-instruct" } },
      },
      { path: "gateway.controller.namespace", allowed: "model-<name>", fix: "control-plane=envoy-gateway" },
    ],
  ),
  [
    "a class and the name of its controller",
    { gateway: gateway({ controller: { ...controller, gatewayClass: "eg", controllerName: "example.com/eg" } }) },
    { path: "gateway.controller.controllerName", allowed: "only without gatewayClass", fix: "remove controllerName" },
  ],
  [
    "a controller that is no Envoy Gateway",
    { gateway: gateway({ controller: { ...controller, controllerName: "istio.io/gateway-controller" } }) },
    { path: "gateway.controller.controllerName", allowed: "Istio has none of them", fix: "remove controller" },
  ],
]);

const page = readFileSync(join(repositoryRoot(), "docs/existing-envoy-gateway.md"), "utf8");
const [suggested = "", named = "", needed = ""] = yamlBlocks(page);

it("docs/existing-envoy-gateway.md suggests what can be deployed, and the settings that doctor compares", async () => {
  for (const block of [suggested, named]) {
    const section = (parse(block) as Sections)["inference-stacks:gateway"];
    const { plan } = await planText(environmentText({ ...rightEnvironment, gateway: section }));
    expect(refusalsOf(plan)).toEqual([]);
    const advice = plan.problems.find(({ rule }) => rule === "existing-controller");
    expect(advice?.message).toContain("doctor compares them");
  }
  expect(parse(needed)).toEqual({ config: { envoyGateway: NEEDED_SETTINGS } });
});

describe("beside an Envoy Gateway of others", () => {
  let run: ProgramRun;
  const specs = (kind: string) =>
    run.resources.filter(({ inputs }) => inputs.kind === kind).map(({ inputs }) => inputs.spec as Sections);
  const start = async (changes: Sections) =>
    changedRun(
      "dev",
      merged(shippedSections("dev"), { gateway: { controller: { ...controller, ...changes } } }) as Sections,
    );
  beforeAll(async () => {
    run = await start({ controllerName: "example.com/eg" });
  });

  it("there is no release of it and none of its namespace, and the AI gateway looks for it in theirs", () => {
    const releases = run.resources.filter(({ inputs }) => typeof inputs.chart === "string");
    expect(releases.map(({ inputs }) => String(inputs.chart)).join()).not.toContain("/gateway-helm");
    const values = releases.find(({ inputs }) => String(inputs.chart).endsWith("/ai-gateway-helm"))?.inputs.values;
    expect(values).toMatchObject({ envoyGateway: controller });
    // Rules are the same in all environments: theirs of the rate limit service find no series.
    const others = run.resources.filter(({ inputs }) => inputs.kind !== "PrometheusRule");
    expect(JSON.stringify(others.map(({ inputs }) => inputs))).not.toContain("envoy-gateway-system");
  });

  it("NetworkPolicies lead proxies to it, and it to the AI gateway", () => {
    const policies = JSON.stringify(specs("NetworkPolicy"));
    expect(policies.split('"kubernetes.io/metadata.name":"corp-gateways"').length - 1).toBe(2);
    expect(policies.split('"control-plane":"envoy-gateway"').length - 1).toBe(2);
  });

  it("the class is ours with its controller's name, or theirs", async () => {
    expect(specs("GatewayClass")).toEqual([{ controllerName: "example.com/eg" }]);
    expect(specs("Gateway")).toMatchObject([{ gatewayClassName: "inference" }]);
    run = await start({ gatewayClass: "eg" });
    expect(specs("GatewayClass")).toEqual([]);
    expect(specs("Gateway")).toMatchObject([{ gatewayClassName: "eg" }]);
  });

  it("the policies hold", async () => {
    const { violations } = judge(await start({}));
    expect(violations.filter(({ severity }) => severity !== "advisory")).toEqual([]);
  });
});
