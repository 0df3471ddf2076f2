import { describe, expect, it } from "vitest";
import { chartNameOf } from "../../catalog/chart-archive";
import { chartImageReferences, chartImages, chartImageValues } from "../../catalog/chart-images";
import { chartValueProblems, readChartValueKeys } from "../../catalog/chart-values";
import { chartReference } from "../../catalog/charts";
import { mirrored } from "../../catalog/image-mirror";
import { imageEntry } from "../../catalog/images";
import { nested } from "./nested";

const DIGEST = `@sha256:${"0".repeat(64)}`;
const MIRROR = { mirror: "registry.example.com:5000/mirror" };
const PROXIES = { registries: { "docker.io": "harbor.example.com/dockerhub", "quay.io": "harbor.example.com/quay" } };

describe("a mirror of images", () => {
  it.each([
    ["docker.io/ollama/ollama:0.32.15", "registry.example.com:5000/mirror/docker.io/ollama/ollama:0.32.15"],
    ["busybox:1.37", "registry.example.com:5000/mirror/docker.io/library/busybox:1.37"],
    ["envoyproxy/envoy", "registry.example.com:5000/mirror/docker.io/envoyproxy/envoy"],
    [`quay.io/minio/minio:1${DIGEST}`, `registry.example.com:5000/mirror/quay.io/minio/minio:1${DIGEST}`],
    ["registry.local:5001/a/b:1", "registry.example.com:5000/mirror/registry.local-5001/a/b:1"],
    ["localhost/a:1", "registry.example.com:5000/mirror/localhost/a:1"],
    // A team's own image, beside the mirror.
    ["registry.example.com:5000/team/control:1", "registry.example.com:5000/team/control:1"],
  ])("holds %s as %s", (reference, expected) => {
    expect(mirrored(reference, MIRROR)).toBe(expected);
    expect(mirrored(expected, MIRROR)).toBe(expected);
  });

  it("of one registry holds its images under their names alone, and comes first", () => {
    expect(mirrored("docker.io/ollama/ollama:1", PROXIES)).toBe("harbor.example.com/dockerhub/ollama/ollama:1");
    expect(mirrored("node:24", PROXIES)).toBe("harbor.example.com/dockerhub/library/node:24");
    expect(mirrored("ghcr.io/a/b:1", PROXIES)).toBe("ghcr.io/a/b:1");
    const both = { ...PROXIES, ...MIRROR };
    expect(mirrored("quay.io/a/b:1", both)).toBe("harbor.example.com/quay/a/b:1");
    expect(mirrored("ghcr.io/a/b:1", both)).toBe("registry.example.com:5000/mirror/ghcr.io/a/b:1");
  });
});

const CHARTS = [
  "argo-cd",
  "gpu-operator",
  "amd-gpu",
  "aws-efa-k8s-device-plugin",
  "gateway-helm",
  "ai-gateway-helm",
  "cert-manager",
  "kube-prometheus-stack",
  "lws",
  "dcgm-exporter",
  "amd-device-metrics-exporter",
  "beta9-chart",
  "istio-istiod",
  "istio-cni",
  "istio-ztunnel",
];

/** The values of a chart that name images: `…image.repository`, or a whole reference where there is no repository. */
function imageKeys(chart: string): string[] {
  const { values, otherKeys } = readChartValueKeys(chart);
  const keys = [...Object.keys(values), ...otherKeys];
  const isMap = (key: string) => keys.some((other) => other.startsWith(`${key}.`));
  return keys.filter(
    (key) =>
      /[iI]mages?(\.\w+)?\.repository$/.test(key) || (/[iI]mage$/.test(key) && !isMap(key) && values[key] === "string"),
  );
}

/** The values by which a chart takes digests. */
const withoutMirror = (chart: string) => chartImageValues(chart, {});

describe.each(CHARTS)("images of chart %s", (chart) => {
  it("are listed, each that its values name, or left off with a reason", () => {
    const { images, unused } = chartImages(chart);
    const keys = imageKeys(chart);
    expect(keys.length).toBeGreaterThan(0);
    const listed = images.flatMap(
      ({ repository, folder, reference }) => repository ?? reference ?? folder?.replace(/repository$/, "image") ?? [],
    );
    expect(listed.filter((key) => !keys.includes(key))).toEqual([]);
    const missing = keys.filter(
      (key) => !listed.includes(key) && !Object.keys(unused).some((off) => key.startsWith(off)),
    );
    expect(missing).toEqual([]);
    expect(Object.keys(unused).filter((off) => !keys.some((key) => key.startsWith(off)))).toEqual([]);
  });

  it("are in the catalogue, and come from the mirror by values that the chart has", () => {
    const values = chartImageValues(chart, MIRROR, "image-pull");
    expect(chartValueProblems(chart, nested(values))).toEqual([]);
    const { images, pullSecrets } = chartImages(chart);
    expect(images.map(({ component }) => imageEntry(component).component)).toHaveLength(images.length);
    expect(Object.values(pullSecrets ?? {}).flat()).not.toEqual([]);
    const places = images.flatMap(({ registry, repository, folder, reference }) =>
      [registry, repository, folder, reference].filter((key) => key !== undefined),
    );
    const own = [...places, ...Object.values(pullSecrets ?? {}).flat(), ...withoutMirror(chart).keys()];
    expect(new Set(values.keys())).toEqual(new Set(own));
    expect(chartNameOf(chartReference(chart).chart)).toBe(chart);
  });

  it("stay where they are without a mirror", () => {
    // Their digests are set all the same.
    const values = withoutMirror(chart);
    const named = chartImageReferences(chart, nested(values)).map((reference) => reference.replace(/@.*/, ""));
    expect(named).toEqual(chartImageReferences(chart, {}));
    expect(chartImageValues(chart, { registries: { "registry.invalid": "other.invalid" } })).toEqual(values);
  });
});

describe("images of charts", () => {
  it("are parted into registry and repository where the chart wants that", () => {
    const values = chartImageValues("kube-prometheus-stack", MIRROR, "image-pull");
    expect(values.get("grafana.image.registry")).toBe("registry.example.com:5000");
    expect(values.get("grafana.image.repository")).toBe("mirror/docker.io/grafana/grafana");
    expect(values.get("global.imagePullSecrets")).toEqual([{ name: "image-pull" }]);
    expect(chartImageValues("amd-device-metrics-exporter", {}, "image-pull").get("image.pullSecrets")).toBe(
      "image-pull",
    );
  });

  it("of Istio are opened by the names of pull secrets alone", () => {
    const values = chartImageValues("istio-istiod", MIRROR, "image-pull");
    expect(values.get("global.imagePullSecrets")).toEqual(["image-pull"]);
    expect(values.get("global.proxy.image")).toMatch(
      /^registry\.example\.com:5000\/.*\/proxyv2:1\.\d+\.\d+-distroless(@sha256:[0-9a-f]{64})?$/,
    );
    expect(chartImageValues("istio-ztunnel", {}, "image-pull").get("imagePullSecrets")).toEqual(["image-pull"]);
  });

  it("whose name stands apart are told the folder that holds it", () => {
    const values = chartImageValues("gpu-operator", MIRROR, "image-pull");
    expect(values.get("operator.repository")).toBe("registry.example.com:5000/mirror/nvcr.io/nvidia");
    expect(values.get("toolkit.repository")).toBe("registry.example.com:5000/mirror/nvcr.io/nvidia/k8s");
    expect(values.get("toolkit.imagePullSecrets")).toEqual(["image-pull"]);
    expect(values.get("node-feature-discovery.imagePullSecrets")).toEqual([{ name: "image-pull" }]);
  });

  it("must be listed", () => {
    expect(() => chartImages("tempo")).toThrow('chart "tempo" has no row in catalog/chart-images.json');
  });
});
