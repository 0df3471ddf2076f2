/** The probe of docs/alerts.md, as a shell runs it. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const docs = readFileSync(join(__dirname, "../../../docs/alerts.md"), "utf8");
const [, script = ""] = docs.match(/```sh\n(#!\/bin\/sh\n[^`]+)```/) ?? [];

describe("the probe from outside", () => {
  let folder = "";
  let server: Server;
  let url = "";
  let status = 200;
  let beats = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "probe-"));
    server = createServer((request, response) => {
      if (request.url === "/beat") {
        beats += 1;
        response.end();
        return;
      }
      const isAsked = request.url === "/v1/models" && request.headers.authorization === "Bearer sk-1";
      response.writeHead(isAsked ? status : 401).end("{}");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    writeFileSync(join(folder, "probe"), script);
    writeFileSync(join(folder, "key"), "Authorization: Bearer sk-1\n");
    writeFileSync(join(folder, "wrong"), "Authorization: Bearer sk-2\n");
    writeFileSync(join(folder, "heartbeat"), `url = "${url}/beat"\n`);
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    status = 200;
    beats = 0;
  });

  const probe = (at: string, key = "key") =>
    new Promise<number>((resolve) => {
      execFile("sh", ["probe", at, key, "heartbeat"], { cwd: folder }, (error) => {
        resolve(error === null ? 0 : Number(error.code));
      });
    });

  it("beats where the gateway answers", async () => {
    expect(await probe(url)).toBe(0);
    expect(beats).toBe(1);
  });

  it.each([
    { what: "an error", answers: 503 },
    { what: "a key that is refused", key: "wrong" },
    { what: "no server", at: "http://127.0.0.1:9" },
    { what: "no such name", at: "http://gateway.invalid" },
  ])("does not beat at $what, and says so", async ({ answers = 200, key, at = url }) => {
    status = answers;
    expect(await probe(at, key)).not.toBe(0);
    expect(beats).toBe(0);
  });
});
