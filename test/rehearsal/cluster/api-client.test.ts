import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiClient, ApiError } from "../../../rehearsal/cluster/api-client";

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "chat" } };
const kinds = { resources: [{ kind: "ConfigMap", name: "configmaps", namespaced: true }] };
const client = new ApiClient({ port: 1, ca: "", token: "" });
afterEach(() => vi.restoreAllMocks());

/** The API server answers every request for the object with this status. */
function answering(status: number, body: object): void {
  vi.spyOn(client, "request").mockImplementation(async (_method, path) =>
    path === "/api/v1" ? { status: 200, body: kinds, warnings: [] } : { status, body, warnings: [] },
  );
}

describe("an answer of the API server", () => {
  it.each([200, 201, 299])("with status %i is the object", async (status) => {
    answering(status, object);
    expect(await client.get(object)).toEqual(object);
    expect(await client.create(object)).toBe(true);
  });

  it.each([300, 403, 500])("with status %i is an error that gives the server's reason", async (status) => {
    answering(status, { message: "not today" });
    for (const attempt of [client.get(object), client.apply(object), client.create(object), client.delete(object)]) {
      const error = await attempt.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status, message: expect.stringContaining(`: ${status} not today`) });
    }
  });

  it("is no error where an object to read or delete is absent, or one to create exists", async () => {
    answering(404, {});
    expect([await client.get(object), await client.delete(object)]).toEqual([undefined, undefined]);
    answering(409, {});
    expect(await client.create(object)).toBe(false);
  });
});
