import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ApiClient } from "../../rehearsal/cluster/api-client";
import { issueCertificate } from "./model-store/authority";

describe("a client of the API server", () => {
  let server: Server;
  let client: ApiClient;
  afterEach(() => {
    client.close();
    server.close();
  });

  /** A server that cuts a connection on its n-th request, without an answer. */
  async function startCutting(cuts: (nth: number) => boolean): Promise<{ seen: string[] }> {
    const { "tls.crt": cert, "tls.key": key, "ca.crt": ca } = issueCertificate(["IP:127.0.0.1"]);
    const seen: string[] = [];
    const served = new WeakMap<Socket, number>();
    server = createServer({ cert, key }, (request, response) => {
      const nth = (served.get(request.socket) ?? 0) + 1;
      served.set(request.socket, nth);
      seen.push(`${request.method} ${nth}`);
      if (cuts(nth)) {
        request.socket.destroy();
      } else {
        response.end("{}");
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    client = new ApiClient({ port: (server.address() as AddressInfo).port, ca, token: "t" });
    return { seen };
  }

  it("asks again over a new connection where the server closed an idle one", async () => {
    const { seen } = await startCutting((nth) => nth === 2);
    expect((await client.request("GET", "/version")).status).toBe(200);
    expect((await client.request("PATCH", "/api/v1/x", "{}")).status).toBe(200);
    expect(seen).toEqual(["GET 1", "PATCH 2", "PATCH 1"]);
  });

  it("fails where a new connection is cut: somebody may have acted on the request", async () => {
    const { seen } = await startCutting(() => true);
    await expect(client.request("POST", "/api/v1/x", "{}")).rejects.toThrow("socket hang up");
    expect(seen).toEqual(["POST 1"]);
  });
});
