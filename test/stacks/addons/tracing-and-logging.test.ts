import { beforeAll, describe, expect, it } from "vitest";
import { judge } from "../../../report/judge";
import { logAdvice, loggedPrompts } from "../../../stacks/addons/logging/advice";
import { traceAdvice } from "../../../stacks/addons/tracing/advice";
import { samplingOf } from "../../../stacks/addons/tracing/sampling";
import { told } from "../config/samples";
import { type ProgramRun, sharedRun } from "../run";

const on = { tracing: {}, logging: {} };

interface Pod {
  readonly spec: {
    readonly securityContext: object;
    readonly containers: readonly { readonly args?: readonly string[]; readonly env?: readonly object[] }[];
    readonly volumes?: readonly object[];
  };
}

describe("aws-prod with traces and logs", () => {
  let run: ProgramRun;
  beforeAll(async () => {
    run = await sharedRun("aws-prod", on);
  });

  const inputs = (type: string, name: string) => run.deployment.resource(type, name).inputs;

  it("passes every policy", () => {
    const { violations, policies } = judge(run);
    expect({
      failed: policies.failed,
      violations: violations.filter(({ severity }) => severity === "mandatory"),
    }).toEqual({
      failed: 0,
      violations: [],
    });
  });

  it("has the proxies report every request, with tags that replace URL and user agent, and ids as they come", () => {
    const { telemetry } = inputs("kubernetes:gateway.envoyproxy.io/v1alpha1:EnvoyProxy", "platform-gateway-proxies")
      .spec as { telemetry: Record<string, unknown> };
    expect(telemetry).toMatchObject({
      requestID: { tracing: "Disable" },
      tracing: {
        provider: { type: "OpenTelemetry", openTelemetry: { sampler: { type: "AlwaysOn" } } },
        tags: { "http.url": expect.stringContaining("PATH"), user_agent: "-" },
      },
      accessLog: { settings: [{ format: { json: { trace_id: "%TRACE_ID%" } } }] },
    });
    const backend = inputs("kubernetes:gateway.envoyproxy.io/v1alpha1:Backend", "platform-gateway-traces");
    expect(backend.spec).toEqual({
      endpoints: [{ fqdn: { hostname: "trace-collector.tracing.svc.cluster.local", port: 4317 } }],
    });
  });

  it("has engines report to the collector, which their pods may reach", () => {
    const pods = run.deployment
      .ofType("kubernetes:apps/v1:Deployment")
      .flatMap(({ inputs: { spec } }) => (spec as { template: Pod }).template.spec.containers);
    const args = pods.flatMap((container) => container.args ?? []);
    expect(args.some((arg) => arg.includes("http://trace-collector.tracing.svc.cluster.local:4318/v1/traces"))).toBe(
      true,
    );
    const policies = run.deployment
      .ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy")
      .filter(({ inputs: { spec } }) => JSON.stringify(spec).includes('"port":4318'));
    expect(policies.length).toBeGreaterThan(1);
  });

  it("reads log files as no root, from a read-only folder of the host", () => {
    const { template } = inputs("kubernetes:apps/v1:DaemonSet", "platform-logging-collectors").spec as {
      template: Pod;
    };
    expect(template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 10_001,
      supplementalGroups: [0],
    });
    expect(template.spec.volumes).toContainEqual({
      name: "pods",
      hostPath: { path: "/var/log/pods", type: "Directory" },
    });
    expect(template.spec.containers[0]).toMatchObject({
      volumeMounts: expect.arrayContaining([{ name: "pods", mountPath: "/var/log/pods", readOnly: true }]),
    });
  });

  it("bills the volumes of both", () => {
    const names = run.resources
      .filter(({ type }) => type === "kubernetes:apps/v1:StatefulSet")
      .map(({ inputs: { metadata } }) => (metadata as { name: string }).name);
    expect(names).toEqual(expect.arrayContaining(["jaeger", "loki"]));
    expect(JSON.stringify(run.plan.cost)).toContain("logs");
  });

  it("has Grafana read both, with links from lines to traces", () => {
    const { data } = inputs("kubernetes:core/v1:ConfigMap", "platform-logging-source") as {
      data: Record<string, string>;
    };
    expect(JSON.parse(data["logs.yaml"] ?? "").datasources[0].jsonData.derivedFields[0]).toMatchObject({
      datasourceUid: "traces",
    });
  });
});

describe("without them", () => {
  it("the program has none of their namespaces, and the proxies start no traces", async () => {
    const { deployment } = await sharedRun("aws-prod", {});
    const all = JSON.stringify(deployment.ofType("kubernetes:core/v1:Namespace").map((each) => each.inputs.metadata));
    expect(all).not.toMatch(/"(tracing|logging|node-logs)"/);
    const proxies = deployment.resource(
      "kubernetes:gateway.envoyproxy.io/v1alpha1:EnvoyProxy",
      "platform-gateway-proxies",
    );
    expect(JSON.stringify(proxies.inputs.spec)).not.toContain("OpenTelemetry");
  });
});

describe("their settings", () => {
  it("refuse a server that is not encrypted, in production", () => {
    const tracing = { endpoint: { url: "http://otlp.example.com" } };
    expect(told({ tracing, stage: "production" }, "tracing.endpoint.url")).toHaveLength(1);
    expect(
      told({ tracing: { endpoint: { url: "https://otlp.example.com" } }, stage: "production" }, "tracing"),
    ).toEqual([]);
  });

  it("keep fewer traces in production than in development, unless they say how many", () => {
    expect(samplingOf({}, "production")).toEqual({ percent: 10 });
    expect(samplingOf({}, "development")).toEqual({ percent: 100 });
    expect(samplingOf({ samplingPercent: 3, slowSeconds: 9 }, "production")).toEqual({ percent: 3, slowSeconds: 9 });
  });

  it.each([
    { engine: "vllm", args: { "enable-log-requests": true } },
    { engine: "vllm", args: { "enable-log-outputs": "true" } },
    { engine: "vllm", args: { "log-level": "DEBUG" } },
    { engine: "vllm", args: { "logging-config": { log_level: "DEBUG" } } },
    { engine: "vllm", args: { "logging-config": '{"pylogging_config_file": "/log.json"}' } },
    { engine: "vllm", env: { VLLM_LOGGING_LEVEL: "debug" } },
    { engine: "vllm", env: { VLLM_REQUEST_BODY_LOG_LEVEL: "INFO" } },
    { engine: "ray", env: { VLLM_LOGGING_LEVEL: "DEBUG" } },
    { engine: "ollama", env: { OLLAMA_DEBUG: "2" } },
    { engine: "triton", args: { "log-verbose": 1 } },
  ])("refuse an engine that writes prompts into its log: %j", (model) => {
    const models = [{ name: "chat", ...model }];
    const where = "args" in model ? "models.chat.args" : "models.chat.env";
    expect(loggedPrompts({ models } as never).map(({ subject }) => subject)).toEqual([where]);
  });

  it.each([
    { engine: "vllm" },
    {
      engine: "vllm",
      args: { "enable-log-requests": false, "log-level": "WARNING", "logging-config": { formatter: "json" } },
    },
    { engine: "vllm", env: { VLLM_LOGGING_LEVEL: "INFO", VLLM_REQUEST_BODY_LOG_LEVEL: "DEBUG" } },
    { engine: "ollama", env: { OLLAMA_DEBUG: "0" } },
    { engine: "triton", args: { "log-verbose": 0 } },
  ])("allow an engine to log otherwise: %j", (model) => {
    expect(loggedPrompts({ models: [{ name: "chat", ...model }] } as never)).toEqual([]);
  });

  it("say where the declared traffic is more than the volumes hold", () => {
    const plan = (requestsPerSecond: number) =>
      ({
        stage: "development",
        models: [{ name: "chat", engine: "vllm", engineVersion: "0.33.0", traffic: { requestsPerSecond } }],
      }) as never;
    const logs = { retentionDays: 7, storageGiB: 50 };
    const traces = { retentionDays: 7, storageGiB: 20 };
    expect(logAdvice(logs, plan(50))).toEqual([]);
    // 400 lines of 1,000 bytes a second: 225.3 GiB in a week, of which 50 × 0.7 × 4 have room.
    expect(logAdvice(logs, plan(100))).toMatchObject([
      {
        rule: "logs-fill-their-volume",
        message: expect.stringContaining("about 226 GiB of log lines in 7 days, and 50 GiB hold 140 of them"),
      },
    ]);
    expect(logAdvice({ ...logs, storageGiB: 81 }, plan(100))).toEqual([]);
    expect(traceAdvice(traces, plan(1))).toEqual([]);
    expect(traceAdvice(traces, plan(10)).map(({ rule }) => rule)).toEqual(["traces-fill-their-volume"]);
  });
});
