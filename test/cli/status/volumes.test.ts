import { describe, expect, it } from "vitest";
import { Refused } from "../../../cli/cluster/cluster-api";
import { orphanedVolumes } from "../../../cli/status/volumes";

const volume = (name: string, phase: string, claim: string | undefined, size = "2Gi") => {
  const [namespace = "", of = ""] = claim?.split("/") ?? [];
  return {
    metadata: { name },
    spec: { capacity: { storage: size }, ...(claim !== undefined && { claimRef: { namespace, name: of } }) },
    status: { phase },
  };
};
const answering = (items: unknown) => ({ list: async () => items as unknown[] });

describe("volumes without a claim", () => {
  it("are those whose claim in a namespace of the environment is gone, by name", async () => {
    const found = await orphanedVolumes(
      answering([
        volume("pvc-3", "Failed", "model-store/minio-data", "500Gi"),
        volume("pvc-1", "Released", "model-chat/models-model-chat-2"),
        volume("pvc-2", "Bound", "model-chat/models-model-chat-0"),
        volume("pvc-4", "Released", "elsewhere/data"),
        volume("pvc-5", "Available", undefined),
      ]),
      ["model-chat", "model-store"],
    );
    expect(found).toEqual([
      { name: "pvc-1", claim: "model-chat/models-model-chat-2", size: "2Gi", phase: "Released" },
      { name: "pvc-3", claim: "model-store/minio-data", size: "500Gi", phase: "Failed" },
    ]);
  });

  it("are not known where volumes may not be seen, or the answer is none of Kubernetes", async () => {
    const refusing = {
      list: async () => {
        throw new Refused("GET", 403, "");
      },
    };
    expect([await orphanedVolumes(refusing, []), await orphanedVolumes(answering([{}]), [])]).toEqual([null, null]);
  });
});
