import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { httpText } from "../../downloads/http";
import { proxyOf } from "../../downloads/proxy";

const GITHUB = "https://github.com/a";

describe("the proxy of an address", () => {
  it.each([
    { what: "HTTPS_PROXY for HTTPS", env: { HTTPS_PROXY: "http://proxy:3128" }, proxy: "http://proxy:3128/" },
    { what: "the variable in small letters", env: { https_proxy: "http://proxy:3128" }, proxy: "http://proxy:3128/" },
    { what: "one without http://", env: { HTTPS_PROXY: "proxy:3128" }, proxy: "http://proxy:3128/" },
    { what: "not HTTP_PROXY for HTTPS", env: { HTTP_PROXY: "http://proxy:3128" }, proxy: undefined },
    { what: "none that is empty", env: { HTTPS_PROXY: "" }, proxy: undefined },
    { what: "none for a name of NO_PROXY", env: { HTTPS_PROXY: "http://p", NO_PROXY: "a.example, github.com" } },
    { what: "none below a name of NO_PROXY", env: { HTTPS_PROXY: "http://p", no_proxy: ".com" } },
    { what: "none where NO_PROXY is *", env: { HTTPS_PROXY: "http://p", NO_PROXY: "*" } },
    {
      what: "one where NO_PROXY ends alike",
      env: { HTTPS_PROXY: "http://p", NO_PROXY: "hub.com" },
      proxy: "http://p/",
    },
    {
      what: "one where NO_PROXY means a port",
      env: { HTTPS_PROXY: "http://p", NO_PROXY: "github.com:99" },
      proxy: "http://p/",
    },
  ])("is $what", ({ env, proxy }) => {
    expect(proxyOf(new URL(GITHUB), env)?.href).toBe(proxy);
  });

  it("is none for this machine", () => {
    const env = { HTTP_PROXY: "http://p", HTTPS_PROXY: "http://p" };
    for (const url of ["http://localhost:1/", "http://127.0.0.1/", "https://[::1]/"]) {
      expect(proxyOf(new URL(url), env)).toBeUndefined();
    }
  });

  it("is refused when it speaks SOCKS", () => {
    expect(() => proxyOf(new URL(GITHUB), { HTTPS_PROXY: "socks5://p:1" })).toThrow(
      "HTTPS_PROXY names a proxy of socks5://",
    );
  });
});

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
});
