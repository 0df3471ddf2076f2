import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Server } from "../../../../services/model-control/src/routes/surroundings";
import { testApi } from "../api";

const operationSchema = z.object({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(z.object({ token: z.array(z.string()) })).optional(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), required: z.boolean().optional() })).optional(),
  requestBody: z.object({ required: z.boolean() }).optional(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()) })),
});

describe("the description", () => {
  let server: Server;
  let text: string;
  let operations: Map<string, z.infer<typeof operationSchema>>;

  beforeAll(async () => {
    ({ server } = await testApi());
    text = (await server.inject("/openapi.json")).body;
    const { paths } = z
      .object({ openapi: z.literal("3.1.0"), paths: z.record(z.string(), z.record(z.string(), operationSchema)) })
      .parse(JSON.parse(text));
    operations = new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
      ),
    );
  });
  afterAll(() => server.close());

  it("has every route, with the model as a parameter", () => {
    expect([...operations.keys()].sort()).toEqual([
      "DELETE /models/{model}",
      "DELETE /tasks/{id}",
      "GET /health",
      "GET /livez",
      "GET /models",
      "GET /models/{model}/status",
      "GET /openapi.json",
      "GET /readyz",
      "GET /tasks",
      "GET /tasks/{id}/status",
      "GET /workers",
      "POST /models/load",
      "POST /models/pull",
      "POST /workers/start",
      "POST /workers/stop",
    ]);
    expect(
      operations
        .get("DELETE /models/{model}")
        ?.parameters?.map(({ name }) => name)
        .sort(),
    ).toEqual(["force", "model", "purge"]);
  });

  it("says which routes take a token, and what they refuse", () => {
    const open = [...operations].filter(([, { security }]) => security === undefined).map(([name]) => name);
    expect(open.sort()).toEqual(["GET /health", "GET /livez", "GET /openapi.json", "GET /readyz"]);
    for (const [name, { security, responses }] of operations) {
      if (security === undefined) {
        continue;
      }
      expect([name, Object.keys(responses)]).toEqual([name, expect.arrayContaining(["401", "403", "429", "503"])]);
      expect(Object.keys(responses["401"]?.content ?? {})).toEqual(["application/problem+json"]);
    }
  });

  it("says which bodies may be left out", () => {
    const optional = [...operations].filter(([, { requestBody }]) => requestBody?.required === false);
    expect(optional.map(([name]) => name).sort()).toEqual(["POST /workers/start", "POST /workers/stop"]);
  });

  it("refers to nothing that it does not hold, and holds nothing unused", () => {
    const used = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
    const { components } = z
      .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
      .parse(JSON.parse(text));
    expect(Object.keys(components.schemas).sort()).toEqual([...used].sort());
    expect(text).not.toContain("Input");
  });
});
