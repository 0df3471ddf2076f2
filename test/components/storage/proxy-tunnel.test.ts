/** Servers of weights behind an HTTP proxy: all of a Job's requests take it, and what it refuses ends the Job. */
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createSilent } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { throughProxy } from "../../../components/storage/scripts/proxy-tunnel.ts";
import { FinalError } from "../../../components/storage/scripts/retry.ts";
import { sendTo } from "../../../components/storage/scripts/trusted-request.ts";
import { ConnectProxy } from "../../harness/connect-proxy";

describe("a request through a proxy", () => {
  let proxy: ConnectProxy;
  let server: Server;
  let url: URL;

  beforeEach(async () => {
    proxy = await ConnectProxy.start();
    server = createServer((request, response) => {
      request.pipe(response.writeHead(206, { "x-range": request.headers.range ?? "" }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = new URL(`http://weights.invalid:${(server.address() as AddressInfo).port}/file?part=1`);
    proxy.names.add("weights.invalid");
  });
  afterEach(() => {
    proxy.stop();
    server.closeAllConnections();
    server.close();
  });

  const send = () => sendTo(url.host, undefined, throughProxy(new URL(proxy.url)));

  it("reaches the server by a tunnel of its own, with its body and headers", async () => {
    const response = await send()(url, { method: "POST", headers: { range: "bytes=2-" }, body: Buffer.from("hello") });
    expect([response.status, response.headers.get("x-range"), await response.text()]).toEqual([
      206,
      "bytes=2-",
      "hello",
    ]);
    await (await send()(url)).text();
    expect(proxy.asked).toEqual([url.host, url.host]);
  });

  it.each([
    ["403 Forbidden", "allow it there"],
    ["407 Proxy Authentication Required", "without one"],
    ["502 Bad Gateway", undefined],
    ["429 Too Many Requests", undefined],
  ])("that answers %s is final: %s", async (refusal, fix) => {
    proxy.refusal = refusal;
    const error = await send()(url).then(
      () => expect.fail("a tunnel was made"),
      (reason: unknown) => reason,
    );
    expect(String(error)).toContain(`${proxy.url} answers ${refusal.slice(0, 3)} when asked for ${url.host}`);
    expect(error instanceof FinalError).toBe(fix !== undefined);
    expect(String(error)).toContain(fix ?? "");
  });

  it("takes every answer of 2xx as a tunnel", async () => {
    proxy.established = "204 No Content";
    expect(await (await send()(url, { method: "POST", body: Buffer.from("hello") })).text()).toBe("hello");
  });

  it("that sends its answer byte by byte is given up", async () => {
    const slow = createSilent((socket) => {
      socket.on("error", () => undefined).once("data", () => socket.write("HTTP/1.1 200 OK\r\nx-slow: "));
      const bytes = setInterval(() => socket.write("a"), 20);
      socket.on("close", () => clearInterval(bytes));
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const at = new URL(`http://127.0.0.1:${(slow.address() as AddressInfo).port}`);
    await expect(sendTo(url.host, undefined, throughProxy(at, 200))(url)).rejects.toThrow(
      `the proxy ${at.origin}: no tunnel to ${url.host} in 0.2 seconds`,
    );
    slow.close();
  });

  it("that is down is named", async () => {
    const at = proxy.url;
    proxy.stop();
    await expect(sendTo(url.host, undefined, throughProxy(new URL(at)))(url)).rejects.toThrow(
      `the proxy ${at}: connect ECONNREFUSED`,
    );
  });

  it.each(["http", "https"])("whose tunnel leads to silence is given up: %s", async (scheme) => {
    const silent = createSilent((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const at = new URL(`${scheme}://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
    await expect(sendTo(at.host, undefined, throughProxy(new URL(proxy.url)), 200)(at)).rejects.toThrow(
      `${at.host} was silent for 0.2 seconds`,
    );
    silent.close();
  });

  it("that breaks off in the tunnel is an error, and no answer", async () => {
    const silent = createSilent((socket) => socket.once("data", () => socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const port = (silent.address() as AddressInfo).port;
    await expect(send()(new URL(`http://127.0.0.1:${port}/`))).rejects.toThrow(/socket hang up|ECONNRESET/);
    silent.close();
  });
});
