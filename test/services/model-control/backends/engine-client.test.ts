import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EngineClient } from "../../../../services/model-control/src/backends/engine-client";

let connections = 0;
const server = createServer((_, response) => response.end("{}"));
server.on("connection", () => {
  connections += 1;
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

test("each request has a connection of its own: a kept one that the engine closes would fail the next", async () => {
  const client = new EngineClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (let asked = 0; asked < 3; asked += 1) {
    await client.answer("GET", "/", { signal: AbortSignal.timeout(5000) });
  }
  expect(connections).toBe(3);
});
