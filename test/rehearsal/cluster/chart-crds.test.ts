import { describe, expect, it, vi } from "vitest";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { createDefinition } from "../../../rehearsal/cluster/chart-crds";

const definition = {
  summary: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: { group: "example.com", names: { kind: "Thing" } },
  },
  text: "kind: CustomResourceDefinition",
};

/** An API server that answers these, one after the other. */
function answering(...statuses: number[]) {
  const request = vi.fn(async () => ({ status: statuses.shift() ?? 500, body: '{"message": "too busy"}' }));
  return { client: { request } as unknown as ApiClient, request };
}

describe("a definition that is created", () => {
  it("is sent again to an API server that gave up or was full, and counts as made where a lost attempt made it", async () => {
    const { client, request } = answering(504, 429, 409);
    await createDefinition(client, definition, 0);
    expect(request).toHaveBeenCalledTimes(3);
  });

  it("is refused at once where the API server refuses it", async () => {
    const { client, request } = answering(422, 201);
    await expect(createDefinition(client, definition, 0)).rejects.toThrow(/things\.example\.com.*too busy/);
    expect(request).toHaveBeenCalledTimes(1);
  });

  it("is given up after four attempts", async () => {
    const { client, request } = answering(504, 504, 504, 504, 201);
    await expect(createDefinition(client, definition, 0)).rejects.toThrow("504");
    expect(request).toHaveBeenCalledTimes(4);
  });
});
