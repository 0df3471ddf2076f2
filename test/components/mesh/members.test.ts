import { describe, expect, it } from "vitest";
import { Connections, connect, podsIn } from "../../../components/core/connections";
import { type MeshScope, meshMembers } from "../../../components/mesh/members";
import { meshMembership } from "../../../components/mesh/membership";

const NOBODY = new Connections([]);

const PODS = { namespace: "model-embeddings", podLabels: { app: "ray" } };

const scope: Omit<MeshScope, "mode"> = {
  namespaces: [
    "istio-system",
    "calico-system",
    "inference-gateway",
    "model-chat",
    "model-large",
    "model-embeddings",
    "observability",
    "node-metrics",
    "gpu-metrics",
    "beta9",
  ],
  declared: [
    connect({ name: "to-itself", reason: "Ports of their choice", from: PODS, to: PODS }),
    connect({ name: "any-port", reason: "Elsewhere", from: podsIn("inference-gateway"), to: podsIn("model-chat") }),
    connect({ name: "own-port", reason: "Known", from: podsIn("model-chat"), to: podsIn("model-chat"), ports: [80] }),
  ],
  models: [
    { name: "chat", nodesPerReplica: 1 },
    { name: "large", nodesPerReplica: 2 },
    { name: "embeddings", nodesPerReplica: 1 },
  ],
};
const ambient = meshMembers({ ...scope, mode: "ambient" });
const sidecar = meshMembers({ ...scope, mode: "sidecar" });

describe("members of a mesh", () => {
  it("are all namespaces but agents of nodes, what moves packets itself, and groups that span nodes", () => {
    expect(ambient.inside).toEqual(["inference-gateway", "model-chat", "model-embeddings", "observability"]);
  });

  it("with sidecars are without those whose ports nobody knows, and without Prometheus", () => {
    expect(sidecar.inside).toEqual(["inference-gateway", "model-chat"]);
  });

  it("and outsiders are all of the platform's namespaces, each outsider with its reason", () => {
    for (const { inside, outsiders } of [ambient, sidecar]) {
      expect([...inside, ...outsiders.map(({ namespace }) => namespace)].toSorted()).toEqual(
        scope.namespaces.toSorted(),
      );
      for (const { reason } of outsiders) {
        expect(reason).toMatch(/^\S.{30,}[^.]$/);
      }
    }
  });

  it("are none that the platform does not make", () => {
    for (const namespace of ["kube-system", "cert-manager", "somebody-elses", "model-chat-2", ""]) {
      expect(ambient.isInMesh(namespace)).toBe(false);
    }
    expect(ambient.isInMesh("model-chat")).toBe(true);
  });
});

describe("labels of namespaces", () => {
  it("take members in by one label, and say of the others that they stay out", () => {
    expect(meshMembership(ambient, NOBODY).labelsOf("model-chat")).toEqual({ "istio.io/dataplane-mode": "ambient" });
    expect(meshMembership(ambient, NOBODY).labelsOf("model-large")).toEqual({ "istio.io/dataplane-mode": "none" });
    expect(meshMembership(sidecar, NOBODY).labelsOf("model-chat")).toEqual({ "istio-injection": "enabled" });
    expect(meshMembership(sidecar, NOBODY).labelsOf("observability")).toEqual({ "istio-injection": "disabled" });
  });

  it("are refused to a namespace that is not in the platform's list", () => {
    expect(() => meshMembership(ambient, NOBODY).labelsOf("forgotten")).toThrow(/"forgotten".*platform-namespaces/);
  });
});
