import { expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { applyPlatform } from "../../rehearsal/bring-up";
import { type ApiClient, ApiError } from "../../rehearsal/cluster/api-client";

const named = (apiVersion: string, kind: string, name: string): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(kind !== "Namespace" && { namespace: "chat" }) },
});

/** An API server that refuses some objects, with the names of those that it received, in order. */
function apiServer(refuses: readonly string[] = []) {
  const received: string[] = [];
  const client = {
    apply: async ({ metadata: { name } }: KubernetesObject) => {
      received.push(name);
      if (refuses.includes(name)) {
        throw new ApiError(`apply ${name}`, 422, { message: "is invalid" });
      }
    },
    get: async (object: KubernetesObject) => ({ ...object, status: { used: {} } }),
  };
  return { client: client as unknown as ApiClient, received };
}

const platform = [
  named("apps/v1", "Deployment", "server"),
  named("v1", "ConfigMap", "settings"),
  named("v1", "ResourceQuota", "gpus"),
  named("scheduling.k8s.io/v1", "PriorityClass", "serving"),
  named("v1", "Namespace", "chat"),
];

it("applies each object once: namespaces and priorities, then what pods need, then what creates pods", async () => {
  const { client, received } = apiServer();
  expect(await applyPlatform(client, platform)).toEqual({ applied: 5, refused: [] });
  expect(received).toEqual(["serving", "chat", "settings", "gpus", "server"]);
});

it("reports the objects that the API server refuses, and applies the others", async () => {
  const { client, received } = apiServer(["chat", "gpus", "server"]);
  const { applied, refused } = await applyPlatform(client, platform);
  expect([applied, received.length]).toEqual([2, 5]);
  expect(refused).toEqual(
    ["chat", "gpus", "server"].map((name) => ({
      object: expect.stringContaining(name),
      reason: `apply ${name}: 422 is invalid`,
    })),
  );
});
