import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { metricsServer, metricsToken } from "../../../components/storage/scripts/metrics.ts";
import { serve } from "./fakes";

const KEYS = { accessKeyId: "reader", secretAccessKey: "secret" };
const json = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString());

describe("the token for the store's metrics", () => {
  it("is that of one user for one minute, signed with the user's secret key", () => {
    const [head, claims, signature] = metricsToken(KEYS, new Date(90_999)).split(".");
    expect(json(head)).toEqual({ alg: "HS512", typ: "JWT" });
    expect(json(claims)).toEqual({ exp: 150, sub: "reader", iss: "prometheus" });
    expect(signature).toBe(createHmac("sha512", "secret").update(`${head}.${claims}`).digest("base64url"));
  });
});

describe("the exporter of the store's metrics", () => {
  let folder: string;
  let url: string;
  const closing: (() => unknown)[] = [];
  let errors: MockInstance<typeof console.error>;

  beforeEach(async () => {
    errors = vi.spyOn(console, "error").mockReturnValue(undefined);
    folder = mkdtempSync(join(tmpdir(), "metrics-"));
    writeFileSync(join(folder, "keys"), "aws_access_key_id = reader\naws_secret_access_key = secret\n");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "keys"));
    const server = metricsServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await Promise.all(closing.splice(0).map((close) => close()));
    rmSync(folder, { recursive: true });
  });

  /** A store with this answer; gives back what it was asked for. */
  async function store(status: number, text: string): Promise<readonly IncomingMessage[]> {
    const asked: IncomingMessage[] = [];
    const served = await serve((request, response) => {
      asked.push(request);
      response.writeHead(status, { "content-type": "text/plain; version=0.0.4" }).end(text);
    });
    closing.push(served.close);
    vi.stubEnv("AWS_ENDPOINT_URL", served.url);
    return asked;
  }

  async function scraped() {
    const answer = await fetch(`${url}/metrics`);
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
  }

  it("passes on what the store answers to a user that may read them", async () => {
    const asked = await store(200, "minio_up 1\n");
    expect(await scraped()).toEqual({ status: 200, type: "text/plain; version=0.0.4", text: "minio_up 1\n" });
    expect(asked.map(({ url: path }) => path)).toEqual(["/minio/v2/metrics/cluster"]);
    const [, claims] = asked[0]?.headers.authorization?.replace(/^Bearer /, "").split(".") ?? [];
    expect(json(claims)).toMatchObject({ sub: "reader" });
    expect(errors).not.toHaveBeenCalled();
  });

  it("answers 502 with the store's reason, and logs it", async () => {
    await store(403, "AccessDenied");
    const reason = `${process.env.AWS_ENDPOINT_URL}/minio/v2/metrics/cluster: HTTP 403 AccessDenied`;
    expect(await scraped()).toEqual({ status: 502, type: "text/plain", text: `${reason}\n` });
    expect(errors.mock.calls).toEqual([[reason]]);
  });

  it("answers 502 and names the file where it has no keys", async () => {
    const asked = await store(200, "");
    rmSync(join(folder, "keys"));
    expect(await scraped()).toMatchObject({ status: 502, text: expect.stringContaining("ENOENT") });
    expect([asked, errors.mock.calls.length]).toEqual([[], 1]);
  });

  it.each([
    ["/health", 200],
    ["/", 404],
    ["/minio/v2/metrics/cluster", 404],
  ])("answers %s with %i, without the store", async (path, status) => {
    expect((await fetch(url + path)).status).toBe(status);
  });
});
