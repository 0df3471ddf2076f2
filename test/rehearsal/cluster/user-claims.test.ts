import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { userClaimsOf, volumeAndClaim } from "../../../rehearsal/cluster/user-claims";

const claimed = (kind: string, name: string, claimName: string): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "model-chat" },
  spec: { template: { spec: { containers: [], volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] } } },
});

describe("claims that users make", () => {
  it("are those of pods that no object makes, each once", () => {
    const own = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "own", namespace: "model-chat" } };
    const objects = [
      claimed("Deployment", "a", "weights"),
      claimed("Deployment", "b", "weights"),
      claimed("Deployment", "c", "own"),
      claimed("StatefulSet", "d", "of-its-template"),
      own,
    ];
    expect(userClaimsOf(objects)).toEqual([{ name: "weights", namespace: "model-chat" }]);
  });

  it("are bound to a volume that many nodes read", () => {
    const [volume, claim] = volumeAndClaim({ name: "weights", namespace: "model-chat" });
    expect(claim).toMatchObject({
      metadata: { name: "weights", namespace: "model-chat" },
      spec: { volumeName: volume.metadata.name, accessModes: ["ReadOnlyMany"], storageClassName: "" },
    });
  });
});
