/** TLS needs certificates, which openssl makes; a process reads authorities of its own only when it starts. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { Authority } from "../../../rehearsal/cluster/authority";
import { useFolder } from "../../cli/run";

const folder = useFolder();
const ca = join(folder, "ca.crt");
const HTTP = join(repositoryRoot(), "downloads", "http.ts");
const SCRIPT = `const { httpText } = require(${JSON.stringify(HTTP)});
httpText(process.argv[1]).then(console.log, (error) => console.log(error.message));`;

/** What a process of its own gets from an address, or why it gets nothing. */
async function download(
  url: string,
  env: Readonly<Record<string, string>> = { NODE_EXTRA_CA_CERTS: ca },
): Promise<string> {
  const args = ["--import", "tsx", "-e", SCRIPT, url];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: repositoryRoot(),
    env: { PATH: process.env.PATH, ...env },
  });
  return stdout.trim();
}

describe("a download over HTTPS", () => {
  const authority = new Authority();
  const asked: string[] = [];
  let server: Server;
  let port: number;
  const proxy = createProxy();

  beforeAll(async () => {
    writeFileSync(ca, authority.certificate);
    const { "tls.crt": cert, "tls.key": key } = authority.issue([
      "DNS:releases.test",
      "IP:127.0.0.1",
      "IP:203.0.113.7",
    ]);
    server = createServer({ cert, key }, ({ url }, response) => {
      if (url === "/plain") {
        response.writeHead(302, { location: `http://127.0.0.1:${port}/file` }).end();
      } else {
        response.end("a release");
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
    proxy.on("connect", ({ url, headers }, socket) => {
      asked.push(`${url} ${headers["proxy-authorization"]}`);
      const target = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        target.pipe(socket).pipe(target);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  });

  afterAll(() => {
    server.close();
    proxy.close();
    authority.discard();
  });

  it("is refused without the authority", async () => {
    expect(await download(`https://127.0.0.1:${port}/file`, {})).toMatch(/\/file: .*(self-signed|unable to)/);
  });

  it("is not redirected to HTTP", async () => {
    expect(await download(`https://127.0.0.1:${port}/plain`)).toContain("redirects from HTTPS to http://127.0.0.1");
  });

  it("goes through the proxy of HTTPS_PROXY, which knows the name and sees nothing else", async () => {
    const env = {
      HTTPS_PROXY: `http://me:pw@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: ca,
    };
    expect(await download(`https://releases.test:${port}/file`, env)).toBe("a release");
    expect(asked).toEqual([`releases.test:${port} Basic ${Buffer.from("me:pw").toString("base64")}`]);
  });

  it("checks an IP address behind a proxy as well", async () => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, NODE_EXTRA_CA_CERTS: ca };
    expect(await download(`https://203.0.113.7:${port}/file`, env)).toBe("a release");
    expect(await download(`https://203.0.113.8:${port}/file`, env)).toMatch(/203\.0\.113\.8.*is not in the cert/);
  });

  it("checks the name behind a proxy as well", async () => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, NODE_EXTRA_CA_CERTS: ca };
    expect(await download(`https://other.test:${port}/file`, env)).toMatch(/other\.test.*is not in the cert/);
  });
});
