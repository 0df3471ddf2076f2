import { describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { baseValues, cniValues, istiodValues, ztunnelValues } from "../../../components/mesh/istio-values";
import { Mesh, type MeshArgs } from "../../../components/mesh/mesh";
import { deploy, type RecordedResource } from "../../harness/deploy";

const RELEASE = "kubernetes:helm.sh/v3:Release";

const mesh = (args: Partial<MeshArgs> = {}) =>
  deploy(() => {
    new Mesh("mesh", {
      mode: "ambient",
      stage: "production",
      platform: "standard",
      drainSeconds: 600,
      egress: [],
      ...args,
    });
  });

const chartsOf = (releases: readonly RecordedResource[]) =>
  releases.map(({ inputs }) => [inputs.name, inputs.chart, inputs.version, inputs.namespace]);

describe("Istio", () => {
  it("is four charts of one version, its CRDs first, in a namespace whose agents may do what they must", async () => {
    const deployment = await mesh();
    expect(chartsOf(deployment.ofType(RELEASE)).toSorted()).toEqual([
      ["istio-base", "base", "1.30.8", "istio-system"],
      ["istio-cni", "cni", "1.30.8", "istio-system"],
      ["istiod", "istiod", "1.30.8", "istio-system"],
      ["ztunnel", "ztunnel", "1.30.8", "istio-system"],
    ]);
    const base = deployment.resource(RELEASE, "mesh-istio-crds");
    for (const suffix of ["istiod", "cni", "ztunnel"]) {
      expect(deployment.resource(RELEASE, `mesh-istio-${suffix}`).dependsOn).toContain(base.urn);
    }
    const namespace = deployment.resource("kubernetes:core/v1:Namespace", "mesh-istio-namespace-namespace");
    expect(namespace.inputs).toMatchObject({
      metadata: { name: "istio-system", labels: { "pod-security.kubernetes.io/enforce": "privileged" } },
    });
  });

  it("with sidecars has no agent that encrypts", async () => {
    const charts = chartsOf((await mesh({ mode: "sidecar" })).ofType(RELEASE)).map(([name]) => name);
    expect(charts.toSorted()).toEqual(["istio-base", "istio-cni", "istiod"]);
  });
});

describe.each(["ambient", "sidecar"] as const)("values of Istio's charts in mode %s", (mode) => {
  it("are keys that the charts have", () => {
    expect(chartValueProblems("istio-base", baseValues)).toEqual([]);
    expect(chartValueProblems("istio-istiod", istiodValues({ mode, stage: "production", drainSeconds: 600 }))).toEqual(
      [],
    );
    expect(chartValueProblems("istio-cni", cniValues({ mode, platform: "k3s" }))).toEqual([]);
    expect(chartValueProblems("istio-ztunnel", ztunnelValues({ drainSeconds: 600 }))).toEqual([]);
  });

  it("leave no pod a right over its own network, and give injected containers what restricted namespaces ask of them", () => {
    expect(istiodValues({ mode, stage: "production", drainSeconds: 600 })).toMatchObject({
      cni: { enabled: true },
      env: { ENABLE_NATIVE_SIDECARS: "true" },
      global: { proxy: { seccompProfile: { type: "RuntimeDefault" } } },
      gateways: { seccompProfile: { type: "RuntimeDefault" } },
    });
  });

  it("keep pods with a proxy in the class that is evicted last", () => {
    const { global } = istiodValues({ mode, stage: "production", drainSeconds: 600 });
    const size = { cpu: "250m", memory: "256Mi", "ephemeral-storage": "256Mi" };
    expect(global).toMatchObject({ proxy: { resources: { requests: size, limits: size } } });
  });

  it("run the control plane twice in production, once in development", () => {
    expect(istiodValues({ mode, stage: "production", drainSeconds: 600 })).toMatchObject({
      replicaCount: 2,
      rollingMaxSurge: 1,
    });
    expect(istiodValues({ mode, stage: "development", drainSeconds: 600 })).toMatchObject({
      replicaCount: 1,
      rollingMaxUnavailable: 0,
    });
  });

  it("say where plugins lie where that is not the usual place", () => {
    expect(cniValues({ mode, platform: "k3s" })).toMatchObject({ global: { platform: "k3s" } });
    expect(cniValues({ mode, platform: "standard" }).global).not.toHaveProperty("platform");
  });
});

describe("the agent that encrypts", () => {
  it("stays as long as an answer may stream, with limits of its own instead of the namespace's", () => {
    expect(ztunnelValues({ drainSeconds: 600 })).toMatchObject({
      terminationGracePeriodSeconds: 600,
      resources: {
        requests: { cpu: "200m", memory: "512Mi", "ephemeral-storage": "64Mi" },
        limits: { cpu: "4", memory: "1Gi", "ephemeral-storage": "256Mi" },
      },
    });
  });
});

describe("a waypoint", () => {
  const { gatewayClasses } = istiodValues({ mode: "ambient", stage: "production", drainSeconds: 600 });

  it("that is replaced hands on what streams, and ends with its last connection", () => {
    expect(gatewayClasses).toMatchObject({
      "istio-waypoint": {
        deployment: {
          spec: {
            template: {
              spec: {
                terminationGracePeriodSeconds: 600,
                containers: [
                  { name: "istio-proxy", env: [{ name: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS", value: "true" }] },
                ],
              },
            },
          },
        },
      },
    });
  });
});

describe("what tells the modes apart", () => {
  it("is the profile of every chart", () => {
    for (const values of [
      istiodValues({ mode: "ambient", stage: "production", drainSeconds: 600 }),
      cniValues({ mode: "ambient", platform: "standard" }),
      ztunnelValues({ drainSeconds: 600 }),
    ]) {
      expect(values).toMatchObject({ profile: "ambient" });
    }
    expect(istiodValues({ mode: "sidecar", stage: "production", drainSeconds: 600 })).not.toHaveProperty("profile");
    expect(cniValues({ mode: "sidecar", platform: "standard" })).not.toHaveProperty("profile");
  });

  it("is that sidecars let out what is named alone", () => {
    const policy = { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" } };
    expect(istiodValues({ mode: "sidecar", stage: "production", drainSeconds: 600 }).meshConfig).toMatchObject(policy);
    expect(istiodValues({ mode: "ambient", stage: "production", drainSeconds: 600 }).meshConfig).not.toMatchObject(
      policy,
    );
  });
});
