/** A server outside behind the real gateway: whom it trusts, which key leaves, and what stays. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { IssuedCertificate } from "../../../rehearsal/cluster/authority";
import type { GatewayAnswer } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { changedRun } from "../../stacks/run";
import { issueCertificate } from "../model-store/authority";
import { sharedBySuite } from "../shared-by-suite";
import { emittedBy, leaks } from "./emitted";
import { RecordingBackend } from "./recording-backend";

const PARTNER = "llm.partner.example";
const MISNAMED = "misnamed.example";
const STRANGER = "stranger.example";

interface Outside {
  readonly stand: GatewayStand;
  /** By hostname. */
  readonly servers: Readonly<Record<string, RecordingBackend>>;
  stop(): Promise<void>;
}

async function start(): Promise<Outside> {
  const right = issueCertificate([`DNS:${PARTNER}`, `DNS:${STRANGER}`]);
  const folder = mkdtempSync(join(tmpdir(), "outside-"));
  writeFileSync(join(folder, "ca.pem"), right["ca.crt"]);
  const external = { model: "gpt-small", secretKey: "partnerApiKey", caFile: "ca.pem" };
  const models = {
    assistant: { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 },
    partner: { engine: "external", external: { ...external, url: `https://${PARTNER}:8443/openai/v1` } },
    // Its authority is ours, its name is another's.
    misnamed: { engine: "external", external: { ...external, model: "misnamed", url: `https://${MISNAMED}:8443/v1` } },
    // Its name is right, its authority is none that the public trusts.
    stranger: { engine: "external", external: { model: "stranger", url: `https://${STRANGER}:8443/v1` } },
  };
  const { resources } = await changedRun("dev", { models, partnerApiKey: { secure: "v1:never-read" } }, folder);
  rmSync(folder, { recursive: true });
  const stand = await GatewayStand.start(resources);
  const servers = Object.fromEntries(
    [PARTNER, MISNAMED, STRANGER].map((host) => [host, new RecordingBackend(host)] as const),
  );
  for (const [host, { listener }] of Object.entries(servers)) {
    await stand.listen(host, 8443, createServer(identity(right), listener));
  }
  return { stand, servers, stop: () => stand.stop() };
}

function identity(certificate: IssuedCertificate): { readonly key: string; readonly cert: string } {
  return { key: certificate["tls.key"], cert: certificate["tls.crt"] };
}

describe("a server outside behind the real gateway", () => {
  const shared = sharedBySuite(start);

  /** Sends one chat to a model, by its path or by its name in the body. */
  async function chat(
    { stand }: Outside,
    model: string,
    {
      path = "/v1/chat/completions",
      ...caller
    }: { path?: string; consumer?: string; headers?: Record<string, string> },
  ): Promise<GatewayAnswer> {
    return stand.request({ ...caller, path, json: { model, messages: [{ role: "user", content: "Hello." }] } });
  }

  it.each(["/v1/chat/completions", "/partner/v1/chat/completions"])(
    "gets its own key at its own path and name, and no client's (%s)",
    async (path) => {
      const { stand, servers } = shared();
      const headers = { "x-api-key": "another-key-of-the-client", cookie: "session=of-the-client" };
      const answer = await chat(shared(), "partner", { path, consumer: "default", headers });
      expect(answer).toMatchObject({ status: 200 });
      const asked = servers[PARTNER]?.asked.splice(0) ?? [];
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatchObject({
        url: "/openai/v1/chat/completions",
        headers: { host: PARTNER, authorization: "Bearer (secret)", "x-consumer-id": "default" },
      });
      expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ model: "gpt-small" });
      expect(JSON.stringify(asked)).not.toContain("of-the-client");
      const key = await stand.key("default");
      expect(key.length).toBeGreaterThan(10);
      expect(JSON.stringify(asked)).not.toContain(key);
    },
  );

  it("is not called for who has no key, its own key included", async () => {
    for (const path of ["/v1/chat/completions", "/partner/v1/chat/completions"]) {
      for (const headers of [undefined, { authorization: "Bearer (secret)" }]) {
        expect((await chat(shared(), "partner", { path, headers })).status).toBe(401);
      }
    }
    expect(shared().servers[PARTNER]?.asked).toEqual([]);
  });

  it("leaves no prompt, answer, key or query in the proxy's logs and metrics, which have its id and its tokens", async () => {
    const { stand, servers } = shared();
    const [prompt, query, agent, other] = ["canary-prompt-1f", "canary-query-2e", "canary-agent-3d", "canary-key-4c"];
    const json = { model: "partner", messages: [{ role: "user", content: prompt }] };
    const headers = { "user-agent": agent, "x-api-key": other, cookie: `session=${other}` };
    const path = `/v1/chat/completions?api_key=${query}`;
    const { status, text } = await stand.request({ path, json, headers, consumer: "default" });
    expect([status, text.includes(PARTNER)]).toEqual([200, true]);
    const id = String(servers[PARTNER]?.asked.splice(0).at(-1)?.headers["x-request-id"]);
    const [proxy] = stand.proxies;
    const emitted = await waitFor("the access log", async () => {
      const all = proxy && (await emittedBy(proxy));
      return all?.["log of envoy"]?.includes(id) ? all : undefined;
    });
    expect(emitted["metrics of tokens"]).toContain("gen_ai_client_token_usage");
    expect(leaks(emitted, [prompt, `Hello from ${PARTNER}`, query, agent, other, await stand.key("default")])).toEqual(
      [],
    );
  });

  it.each([
    { model: "misnamed", host: MISNAMED },
    { model: "stranger", host: STRANGER },
  ])("is not called where its certificate is not its own ($model)", async ({ model, host }) => {
    const { stand, servers } = shared();
    const [proxy] = stand.proxies;
    // Handshakes that failed for the certificate, and for nothing else, by cluster.
    const refused = async () => {
      const stats = (await proxy?.stats(`${model}.*ssl\\.fail_verify_(error|san)$`)) ?? new Map<string, number>();
      return [...stats.values()].reduce((sum, count) => sum + count, 0);
    };
    const before = await refused();
    const { status } = await chat(shared(), model, { consumer: "default" });
    expect(status).toBe(503);
    expect(servers[host]?.asked).toEqual([]);
    expect(await refused()).toBeGreaterThan(before);
  });
});
