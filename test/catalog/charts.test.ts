import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chartValueProblems, readChartValueKeys } from "../../catalog/chart-values";
import { chart, chartReference, charts } from "../../catalog/charts";
import { atNight } from "../harness/property-runs";

describe("charts", () => {
  it("are found by name", () => {
    expect(chart("gateway-helm")).toMatchObject({
      version: "v1.9.3",
      repository: "oci://docker.io/envoyproxy/gateway-helm",
    });
    expect(() => chart("gatway-helm")).toThrow('unknown chart "gatway-helm": did you mean "gateway-helm"?');
  });

  it("are referenced as Helm wants: OCI by reference, others by name and index", () => {
    expect(chartReference("lws")).toEqual({ chart: "oci://registry.k8s.io/lws/charts/lws", version: "0.10.0" });
    expect(chartReference("istio-base")).toEqual({
      chart: "base",
      version: "1.30.8",
      repositoryOpts: { repo: "https://istio-release.storage.googleapis.com/charts" },
    });
  });
});

it("archives that were read are of the pinned versions: raise the digest with the version, or leave it to the user's lock", () => {
  const older = charts.filter(({ version, archive }) => archive !== undefined && archive.version !== version);
  expect(older.map(({ name }) => name)).toEqual([]);
});

describe("chartValueProblems", () => {
  it("accepts values that the charts document", () => {
    const documented: Record<string, Record<string, unknown>> = {
      "gateway-helm": {
        config: { envoyGateway: { extensionApis: { enableBackend: true }, rateLimit: { backend: { type: "Redis" } } } },
        deployment: { replicas: 2, envoyGateway: { resources: { limits: { memory: "1Gi" } } } },
      },
      "argo-cd": { configs: { params: { "server.insecure": true } }, global: { networkPolicy: { create: false } } },
      "kube-prometheus-stack": {
        prometheus: { prometheusSpec: { ruleSelectorNilUsesHelmValues: false, retention: "15d" } },
        grafana: { admin: { existingSecret: "grafana" }, "grafana.ini": { server: { root_url: "https://x" } } },
        additionalPrometheusRulesMap: { inference: { groups: [] } },
        crds: { enabled: false },
      },
      "cert-manager": { crds: { enabled: true }, config: { gatewayAPI: { enabled: true } } },
      "istio-istiod": {
        profile: "ambient",
        pilot: { env: { PILOT_ENABLE_AMBIENT: "true" } },
        meshConfig: { accessLogFile: "/dev/stdout" },
      },
      karpenter: {
        settings: { clusterName: "x", interruptionQueue: "q" },
        serviceAccount: { annotations: { "eks.amazonaws.com/role-arn": "arn" } },
      },
      minio: {
        mode: "standalone",
        replicas: 1,
        existingSecret: "minio",
        users: [],
        resources: { requests: { memory: "512Mi" } },
      },
      lws: { image: { manager: { tag: "v0.10.0" } }, enableCertManager: true, replicaCount: 2 },
    };
    const problems = Object.entries(documented).flatMap(([name, values]) => chartValueProblems(name, values));
    expect(problems).toEqual([]);
  });

  it("names a misspelt key, its path and the nearest known one", () => {
    expect(chartValueProblems("gateway-helm", { deployment: { replica: 2 } })).toEqual([
      'gateway-helm v1.9.3: no value "deployment.replica"; the nearest one is "deployment.replicas"',
    ]);
  });

  it("names every problem at once", () => {
    expect(
      chartValueProblems("lws", { replicas: 1, image: "lws:v1", service: { type: "ClusterIP", prot: 1 } }),
    ).toEqual([
      expect.stringContaining('no value "replicas"'),
      'lws 0.10.0: value "image" must be a map, "lws:v1" given',
      expect.stringContaining('no value "service.prot"; the nearest one is "service.port"'),
    ]);
  });

  it("lets a map be removed with null", () => {
    expect(chartValueProblems("lws", { image: null })).toEqual([]);
  });

  it("refuses an unknown chart", () => {
    expect(() => chartValueProblems("nginx", {})).toThrow('unknown chart "nginx"');
  });

  it("accepts every default key of every chart, set on its own, and refuses it with a letter more", () => {
    const paths = charts.flatMap(({ name }) =>
      Object.keys(readChartValueKeys(name).values).map((path) => ({ name, path })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...paths), ({ name, path }) => {
        expect(chartValueProblems(name, nested(path, {}))).toEqual([]);
        const root = path.split(".")[0]?.replaceAll("\\", "") ?? "";
        expect(chartValueProblems(name, { [`${root}§`]: 1 })).toHaveLength(1);
      }),
      { numRuns: atNight(300) },
    );
  });
});

/** { a: { b: leaf } } for "a.b"; "\." inside a key is a dot of the key. */
function nested(path: string, leaf: unknown): Record<string, unknown> {
  const keys = path.split(/(?<!\\)\./).map((key) => key.replaceAll("\\.", "."));
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), leaf) as Record<string, unknown>;
}
