import { describe, expect, it } from "vitest";
import { imageEntry } from "../../catalog/images";
import { SUPPORTED_KUBERNETES } from "../../catalog/kubernetes-versions";
import { oldestRancherFor, rancherMinor, rancherRunsWith } from "../../catalog/rancher";

describe("releases of Rancher", () => {
  it("run with every Kubernetes version of the platform, as the pinned agent's does", () => {
    const newest = `v1.${SUPPORTED_KUBERNETES.newestMinor}.0`;
    expect(rancherRunsWith(imageEntry("rancher-agent").tag, newest)).toBe(true);
    expect(oldestRancherFor(newest)).toBe("2.15");
  });

  it.each([
    ["v2.14.4", "v1.36.4+k3s1", false],
    ["v2.14.4", "1.35", true],
    ["v2.13.8", "v1.34.2", true],
    ["v2.99.0", "v1.36.4", undefined],
    ["v2.15-head", "v1.36.4", undefined],
  ])("%s with Kubernetes %s: %s", (server, kubernetes, runs) => {
    expect(rancherRunsWith(server, kubernetes)).toBe(runs);
  });

  it("have a minor number unless they are built from a branch", () => {
    expect([rancherMinor("v2.15.0"), rancherMinor("head")]).toEqual([15, undefined]);
  });
});
