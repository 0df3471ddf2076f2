import { describe, expect, it } from "vitest";
import { chart } from "../../catalog/charts";
import {
  isSupportedKubernetes,
  kubernetesMinor,
  SUPPORTED_KUBERNETES_BY,
  supportedKubernetes,
} from "../../catalog/kubernetes-versions";

describe("versions of Kubernetes", () => {
  it("are those of the gateway's pinned chart", () => {
    const { version, notes } = chart("gateway-helm");
    expect(SUPPORTED_KUBERNETES_BY).toBe(`Envoy Gateway ${/^v(\d+\.\d+)/.exec(version)?.[1]}`);
    expect(notes.join(" ")).toContain(`Kubernetes ${supportedKubernetes().replace(" to ", "-")}`);
  });

  it.each([
    ["v1.32.9", false],
    ["v1.33.0", true],
    ["v1.34.1+k3s1", true],
    ["v1.36.3-eks-abc123", true],
    ["1.36", true],
    ["v1.37.0", false],
    ["v1.3", false],
    ["v2.34.0", undefined],
    ["latest", undefined],
    ["", undefined],
  ])("%s", (version, supported) => {
    expect(isSupportedKubernetes(version)).toBe(supported);
  });

  it("are told by their minor number", () => {
    expect(kubernetesMinor("v1.33.4+k3s1")).toBe(33);
    expect(kubernetesMinor("v1.3x.4")).toBeUndefined();
  });
});
