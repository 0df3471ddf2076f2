/** The built site on a port of this computer, as a static web server serves it. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

export interface StaticSite {
  readonly origin: string;
  readonly close: () => void;
}

export async function serveFolder(folder: string): Promise<StaticSite> {
  const server: Server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname));
    const file = [path, `${path}.html`, join(path, "index.html")]
      .map((each) => join(folder, each))
      .find((each) => existsSync(each) && statSync(each).isFile());
    response.writeHead(file === undefined ? 404 : 200, { "content-type": TYPES[extname(file ?? "")] ?? "text/plain" });
    response.end(file === undefined ? "" : readFileSync(file));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
