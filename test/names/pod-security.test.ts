import { describe, expect, it } from "vitest";
import { POD_SECURITY_EXCEPTIONS, type PodSecurityException, podSecurityLevel } from "../../names/pod-security";

describe("podSecurityLevel", () => {
  const named = (name: string) => ({ name, labels: {} });

  it("is restricted but for the namespaces with a reason", () => {
    const excepted = ["beta9", "calico-system", "gpu-metrics", "istio-system", "node-metrics"];
    expect(excepted.map((name) => podSecurityLevel(named(name)))).toEqual(excepted.map(() => "privileged"));
    for (const name of ["model-llama-70b", "model-beta9", "beta9-functions", "observability", ""]) {
      expect(podSecurityLevel(named(name)), name).toBe("restricted");
    }
    expect(POD_SECURITY_EXCEPTIONS.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });

  it("tells namespaces of one kind apart by their labels; the first row that matches counts", () => {
    const rows: PodSecurityException[] = [
      {
        matches: ({ name, labels }) => name.startsWith("model-") && labels.network === "host",
        level: "privileged",
        reason: "its pods use the network of their nodes",
      },
      { matches: ({ name }) => name.startsWith("model-b"), level: "baseline", reason: "any reason" },
    ];
    const levelOf = (name: string, labels = {}) => podSecurityLevel({ name, labels }, rows);
    expect(levelOf("model-a")).toBe("restricted");
    expect(levelOf("model-a", { network: "host" })).toBe("privileged");
    expect(levelOf("model-b")).toBe("baseline");
    expect(levelOf("model-b", { network: "host" })).toBe("privileged");
    expect(levelOf("other", { network: "host" })).toBe("restricted");
  });
});
