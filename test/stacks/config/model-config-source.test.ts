import { mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, readModelConfigSource } from "../../../stacks/config";

const SIX_MIB = 6 * 1024 * 1024;

describe("a model's config.json", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "model-"));
    writeFileSync(join(folder, "config.json"), '{"model_type":"llama"}');
  });

  const read = (location: string, options = {}) =>
    readModelConfigSource("mine", location, { baseDirectory: folder, env: {}, ...options });

  it("is read from a path beside the environment file, from an absolute one, and from a file URL", async () => {
    const expected = { config: '{"model_type":"llama"}' };
    expect(await read("config.json")).toEqual(expected);
    expect(await read(join(folder, "config.json"))).toEqual(expected);
    expect(await read(pathToFileURL(join(folder, "config.json")).href)).toEqual(expected);
  });

  it("comes with the quantization beside it", async () => {
    writeFileSync(join(folder, "hf_quant_config.json"), '{"quantization":{}}');
    expect(await read("config.json")).toEqual({
      config: '{"model_type":"llama"}',
      quantization: '{"quantization":{}}',
    });
  });

  it.each([
    ["missing.json", "there is no"],
    [".", "is a folder"],
    ["/dev/zero", "is a device"],
    ["file://elsewhere/config.json", "names another machine"],
    ["ftp://host/config.json", "ftp:// is not supported"],
    ["https://user:geheim@host/config.json", "malformed, or holds a user name"],
    ["s3://bucket", "names a bucket and a key"],
  ])("says why %s cannot be read", async (location, reason) => {
    const [problem] = await problemsOf(read(location));
    expect(problem).toMatchObject({ path: "models.mine.config", allowed: expect.stringContaining(reason) });
    expect(problem?.message).not.toContain("geheim");
  });

  it("is not read when it is something large", async () => {
    truncateSync(join(folder, "config.json"), SIX_MIB);
    expect((await problemsOf(read("config.json")))[0]?.allowed).toContain("larger than 5 MiB");
  });

  it("is fetched over HTTPS", async () => {
    const fetch = async (input: string | URL | Request) => new Response(new Request(input).url);
    expect(await read("https://host/a/config.json", { fetch })).toEqual({ config: "https://host/a/config.json" });
  });

  it.each([
    [404, "correct the address"],
    [403, "download the file"],
    [500, "try again later"],
  ])("is refused with status %i and a fix", async (status, fix) => {
    const fetch = async () => new Response("no", { status });
    const [problem] = await problemsOf(read("https://host/config.json", { fetch }));
    expect(problem?.allowed).toContain(String(status));
    expect(problem?.fix).toContain(fix);
  });

  it("is not taken from a redirect without TLS", async () => {
    const fetch = async () => Object.defineProperty(new Response("{}"), "url", { value: "http://host/config.json" });
    expect((await problemsOf(read("https://host/config.json", { fetch })))[0]?.allowed).toContain("without TLS");
  });

  describe("from an S3 store", () => {
    let respond: RequestListener;
    let requests: IncomingMessage[];
    let server: ReturnType<typeof createServer>;
    let endpoint: string;
    beforeEach(async () => {
      requests = [];
      respond = (_, response) => response.end("{}");
      server = createServer((request, response) => {
        requests.push(request);
        respond(request, response);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    it("is asked for in path style, signed with the credentials of the environment", async () => {
      const env = {
        AWS_ENDPOINT_URL: `${endpoint}/`,
        AWS_ACCESS_KEY_ID: "key",
        AWS_SECRET_ACCESS_KEY: "geheim",
        AWS_REGION: "eu-west-1",
      };
      expect(await read("s3://weights/my model/config.json", { env })).toEqual({ config: "{}" });
      expect(requests[0]?.url).toBe("/weights/my%20model/config.json");
      expect(requests[0]?.headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-west-1\/s3\/aws4_request/,
      );
    });

    it("is asked for without a signature when there are no credentials", async () => {
      await read("s3://weights/config.json", { env: { AWS_ENDPOINT_URL: endpoint } });
      expect(requests[0]?.headers.authorization).toBeUndefined();
    });

    it("needs credentials where it is private", async () => {
      respond = (_, response) => response.writeHead(403).end();
      const [problem] = await problemsOf(read("s3://weights/config.json", { env: { AWS_ENDPOINT_URL: endpoint } }));
      expect(problem?.fix).toContain("AWS_ACCESS_KEY_ID");
    });

    it("is cut off when it is too large or too slow", async () => {
      const env = { AWS_ENDPOINT_URL: endpoint };
      respond = (_, response) => response.end(Buffer.alloc(SIX_MIB));
      expect((await problemsOf(read("s3://weights/config.json", { env })))[0]?.allowed).toContain("larger than 5 MiB");
      respond = (_, response) => response.write("{");
      expect((await problemsOf(read("s3://weights/config.json", { env, timeoutMs: 200 })))[0]?.allowed).toContain(
        "no answer within 0.2 s",
      );
    });

    it("is at Amazon by default, with the bucket in the host name", async () => {
      const fetch = async (input: string | URL | Request) => new Response(new Request(input).url);
      expect((await read("s3://weights/c.json", { fetch })).config).toBe(
        "https://weights.s3.us-east-1.amazonaws.com/c.json",
      );
      expect((await read("s3://my.weights/c.json", { fetch })).config).toBe(
        "https://s3.us-east-1.amazonaws.com/my.weights/c.json",
      );
    });

    it("says when the store cannot be reached", async () => {
      server.close();
      const env = { AWS_ENDPOINT_URL: "http://127.0.0.1:1" };
      expect((await problemsOf(read("s3://weights/config.json", { env })))[0]?.allowed).toContain("cannot be reached");
    });
  });
});

async function problemsOf(reading: Promise<unknown>) {
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) {
    throw new Error(`expected a ConfigError, got ${String(error)}`);
  }
  return error.problems;
}
