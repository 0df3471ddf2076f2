import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { httpText } from "../../downloads/http";
import { viaProxy } from "../../downloads/proxy";
import { startOrigin } from "./origin";

describe("a download through a proxy", () => {
  afterEach(() => vi.unstubAllEnvs());

  /** What it is asked for; it lets HTTP through, and HTTPS not. */
  async function startProxy() {
    const asked: string[] = [];
    const server = createServer(({ url, headers }, response) => {
      asked.push(`${url} for ${headers.host} ${headers["proxy-authorization"] ?? ""} by ${headers["user-agent"]}`);
      response.end("through the proxy");
    });
    server.on("connect", ({ url }, socket) => {
      asked.push(`CONNECT ${url}`);
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { asked, host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
  }

  it("has the whole address in the request, and the proxy's password", async () => {
    const { asked, host, close } = await startProxy();
    vi.stubEnv("HTTP_PROXY", `http://me:pw@${host}`);
    expect(await httpText("http://releases.invalid/a")).toBe("through the proxy");
    const password = Buffer.from("me:pw").toString("base64");
    expect(asked).toEqual([`http://releases.invalid/a for releases.invalid Basic ${password} by inference-stacks`]);
    close();
  });

  it("asks for a tunnel for HTTPS, and says what the proxy answers", async () => {
    const { asked, host, close } = await startProxy();
    vi.stubEnv("HTTPS_PROXY", `http://${host}`);
    const url = "https://releases.invalid/a";
    await expect(httpText(url)).rejects.toThrow(`${url}: the proxy ${host} answers 407 for releases.invalid:443`);
    expect(asked).toEqual(["CONNECT releases.invalid:443"]);
    close();
  });

  const ask = (proxy: string, url: string, silenceSeconds?: number) =>
    viaProxy(new URL(proxy), new URL(url), { headers: {}, silenceSeconds });

  it.each([204, 304])("has no content where the status is %i", async (status) => {
    const { url } = await startOrigin({ "http://a.invalid/": (_, response) => response.writeHead(status).end() });
    const response = await ask(url, "http://a.invalid/");
    expect([response.status, response.body, response.url]).toEqual([status, null, "http://a.invalid/"]);
  });

  it("fails where the status is none of HTTP", async () => {
    const { url } = await startOrigin({ "http://a.invalid/": (_, response) => response.writeHead(700).end() });
    await expect(ask(url, "http://a.invalid/")).rejects.toThrow(RangeError);
  });

  it("fails when nothing comes from the proxy", async () => {
    const { url } = await startOrigin({ "http://a.invalid/": () => {} });
    await expect(ask(url, "http://a.invalid/", 0.05)).rejects.toThrow("nothing came for 0.05 s");
  });

  it("reaches a proxy by its IPv6 address", async () => {
    await expect(ask("http://[::1]:1", "https://a.invalid/")).rejects.toThrow(/connect E\w+ ::1:1/);
  });

  it.each([
    { host: "releases.invalid", isNamed: true },
    { host: "203.0.113.7", isNamed: false },
  ])("for $host names the host in TLS: $isNamed", async ({ host, isNamed }) => {
    const server = createServer();
    const hello = new Promise<Buffer>((resolve) => {
      server.on("connect", (_, socket) => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        socket.once("data", (bytes) => {
          resolve(bytes);
          socket.destroy();
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(ask(proxy, `https://${host}/`)).rejects.toThrow();
    expect((await hello).includes(host)).toBe(isNamed);
    server.close();
  });
});
