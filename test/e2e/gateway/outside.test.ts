/** The way by path to a server outside, on a real Envoy: whom it trusts, which key leaves, and what stays. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";
import { changedRun } from "../../stacks/run";
import { ServerProcess } from "../model-control/registry/server-process";
import { type IssuedCertificate, issueCertificate } from "../model-store/authority";
import { outsideRoute } from "./outside-route";

const HOST = "llm.partner.example";

/** What a server outside was asked. */
interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A stand-in for a server outside: TLS, and OpenAI's answer to a chat. */
async function partner(certificate: IssuedCertificate, seen: Seen[]): Promise<Server> {
  const server = createServer({ key: certificate["tls.key"], cert: certificate["tls.crt"] }, (asked, response) => {
    let body = "";
    asked.on("data", (part) => {
      body += String(part);
    });
    asked.on("end", () => {
      seen.push({ url: asked.url, headers: asked.headers, body });
      response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "hello" } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

describe("a server outside behind a real Envoy", () => {
  const right = issueCertificate([`DNS:${HOST}`]);
  const running: { stop(): Promise<unknown> | undefined }[] = [];
  let deployment: Deployment;
  let consumerKey = "";

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "outside-"));
    writeFileSync(join(folder, "ca.pem"), right["ca.crt"]);
    const external = { model: "gpt-small", secretKey: "partnerApiKey", caFile: "ca.pem" };
    const models = {
      assistant: { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 },
      partner: { engine: "external", external: { ...external, url: `https://${HOST}:8443/openai/v1` } },
      other: { engine: "external", external: { ...external, url: "https://other.example/v1" } },
    };
    const secret = { secure: "v1:never-read" };
    ({ deployment } = await changedRun("dev", { models, partnerApiKey: secret }, folder));
    rmSync(folder, { recursive: true });
    const keys = deployment
      .ofType("kubernetes:core/v1:Secret")
      .find((resource) => metadataOf(resource).name === "consumer-default");
    consumerKey = String((keys?.inputs.stringData as Record<string, string> | undefined)?.default);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
  });

  /** Starts the server and Envoy before it, and sends one chat. */
  async function chat(
    certificate: IssuedCertificate,
    headers: Record<string, string>,
    model = "partner",
  ): Promise<[number | undefined, Seen[]]> {
    const seen: Seen[] = [];
    const server = await partner(certificate, seen);
    running.push({ stop: async () => server.close() });
    const [admin = 0, gateway = 0] = await freePorts(2);
    const ports = { admin, gateway, server: (server.address() as AddressInfo).port };
    const envoy = await ServerProcess.start((folder) => {
      const file = join(folder, "envoy.json");
      writeFileSync(file, JSON.stringify(outsideRoute(deployment, model, ports, right)));
      return {
        command: requirePart("envoy"),
        args: ["-c", file, "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "error"],
        ready: async () => (await fetch(`http://127.0.0.1:${admin}/ready`)).ok,
      };
    });
    running.push(envoy);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const path = `/${model}/v1/chat/completions`;
      const options = { host: "127.0.0.1", port: gateway, path, method: "POST", headers, rejectUnauthorized: false };
      const asked = request(options, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      asked.on("error", reject);
      asked.end(JSON.stringify({ model: "gpt-small", messages: [] }));
    });
    return [status, seen];
  }

  it("gets its own key at its own path and name, and no client's", async () => {
    const [status, seen] = await chat(right, {
      authorization: `Bearer ${consumerKey}`,
      "x-api-key": "another-key-of-the-client",
      cookie: "session=of-the-client",
    });
    expect(status).toBe(200);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      url: "/openai/v1/chat/completions",
      headers: { host: HOST, authorization: "Bearer (secret)", "x-consumer-id": "default" },
      body: JSON.stringify({ model: "gpt-small", messages: [] }),
    });
    expect(JSON.stringify(seen)).not.toContain("of-the-client");
    expect(consumerKey.length).toBeGreaterThan(10);
    expect(JSON.stringify(seen)).not.toContain(consumerKey);
  });

  it("is not called for who has no key, its own key included", async () => {
    for (const headers of [{}, { authorization: "Bearer (secret)" }]) {
      expect(await chat(right, headers as Record<string, string>)).toEqual([401, []]);
    }
  });

  it("is not called where its certificate is of another name, or of another authority", async () => {
    const caller = { authorization: `Bearer ${consumerKey}` };
    expect(await chat(issueCertificate([`DNS:${HOST}`]), caller)).toEqual([503, []]);
    expect(await chat(right, caller, "other")).toEqual([503, []]);
  });
});
