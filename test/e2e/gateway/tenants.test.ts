/**
 * Who may call what, through the real gateway: keys and tokens lead to the same tenant, and nobody gets past either. The issuer is
 * a server of this test; what the proxies know of it they fetch over TLS.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { type GatewayRequest, sendRequest } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import type { StandIn } from "../../../rehearsal/cluster/gateway/stand-ins";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { changedRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";
import { type Claims, TestIssuer } from "./token-issuer";

const CHAT = "llama-70b";
const VECTORS = "embeddings";
const KSERVE = "drafts";
const CONSUMERS = { everything: {}, vectors: { models: [VECTORS] } };

const issuer = new TestIssuer("login.example.net");
const folder = mkdtempSync(join(tmpdir(), "inference-stacks-issuer-"));
afterAll(() => {
  issuer.discard();
  rmSync(folder, { recursive: true, force: true });
});

/** What engines got. */
const seen: IncomingHttpHeaders[] = [];

const engine: RequestListener = (request, response) => {
  seen.push(request.headers);
  request.resume().once("end", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const message = { role: "assistant", content: "yes" };
    const answer = request.url?.endsWith("embeddings")
      ? { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.1] }], model: VECTORS, usage }
      : {
          id: "1",
          object: "chat.completion",
          created: 1,
          model: CHAT,
          choices: [{ index: 0, message, finish_reason: "stop" }],
          usage,
        };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
};

let keysServer: StandIn | undefined;

const stand = sharedBySuite(async () => {
  writeFileSync(join(folder, "ca.pem"), issuer.authority.certificate);
  const { resources } = await changedRun(
    "aws-prod",
    {
      gateway: {
        hostname: "inference.example.com",
        tls: { kind: "acme", email: "platform@example.com" },
        consumers: CONSUMERS,
        auth: {
          oidc: {
            issuer: issuer.issuer,
            audience: "inference",
            jwksUri: issuer.jwksUri,
            tenantClaim: "tenant.name",
            caFile: join(folder, "ca.pem"),
          },
        },
      },
    },
    folder,
  );
  const gateway = await GatewayStand.start(resources, { proxies: 0 });
  for (const model of [CHAT, VECTORS, KSERVE]) {
    await gateway.serve(model, engine);
  }
  keysServer = await gateway.listen(issuer.hostname, 443, issuer.server);
  await gateway.startProxy();
  await waitFor(
    "keys and tokens to open the gateway",
    async () => {
      const answers = await Promise.all([
        gateway.request({ ...chat, consumer: "everything" }),
        gateway.request({ ...chat, headers: bearer(tokenOf("everything")) }),
      ]);
      return answers.every(({ status }) => status === 200) || undefined;
    },
    60,
  );
  return gateway;
});

const tokenOf = (name: string, changes: Claims = {}) => issuer.token({ tenant: { name }, ...changes });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const messages = [{ role: "user", content: "is it?" }];
const chat: GatewayRequest = { path: "/v1/chat/completions", json: { model: CHAT, messages } };
const vectors: GatewayRequest = { path: "/v1/embeddings", json: { model: VECTORS, input: "is it?" } };

/** How a caller proves who they are. */
const PROOFS = [
  ["a key", (name: string) => ({ consumer: name })],
  ["a token", (name: string) => ({ headers: bearer(tokenOf(name)) })],
] as const;

async function errorOf(request: GatewayRequest) {
  const { status, headers, text } = await stand().request(request);
  const { error } = JSON.parse(text) as {
    error: { message: string; type: string; param: string | null; code: string };
  };
  return { status, type: headers["content-type"], code: error.code, param: error.param };
}

const refused = (status: number, code: string, param: string | null = null) => ({
  status,
  type: "application/json",
  code,
  param,
});

describe.each(PROOFS)("%s", (_name, proof) => {
  it("leads to the tenant, whose name and no credential reaches the engine", async () => {
    seen.length = 0;
    const forged = {
      "x-consumer-id": "vectors",
      "x-tenant-id": "vectors",
      "x-ai-eg-model": VECTORS,
      "X-Tenant-ID": "vectors",
      // Else the AI gateway's filter answers 500, which counts as a failure of the model.
      "x-gateway-destination-endpoint": "127.0.0.1:1",
    };
    const own = proof("everything");
    const { status } = await stand().request({
      ...chat,
      ...own,
      headers: { ...forged, ...("headers" in own && own.headers) },
    });
    expect(status).toBe(200);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      "x-consumer-id": "everything",
      "x-tenant-id": "everything",
      "x-ai-eg-model": CHAT,
    });
    expect(seen[0]).not.toHaveProperty("authorization");
    expect(seen[0]).not.toHaveProperty("x-api-key");
  });

  it("opens the models of its tenant, and no other, on every way", async () => {
    const kserve = `/${KSERVE}/v2/models/${KSERVE}`;
    const own = proof("vectors");
    expect(await stand().request({ ...vectors, ...own })).toMatchObject({ status: 200 });
    expect(await stand().request({ ...vectors, ...own, path: `/${VECTORS}/v1/embeddings` })).toMatchObject({
      status: 200,
    });
    for (const way of [chat, { ...chat, path: `/${CHAT}/v1/chat/completions` }, { path: `${kserve}/ready` }]) {
      expect([way.path, await errorOf({ ...way, ...own })]).toEqual([way.path, refused(403, "model_not_allowed")]);
    }
    for (const way of [chat, { ...chat, path: `/${CHAT}/v1/chat/completions` }, { path: `${kserve}/ready` }]) {
      expect([way.path, (await stand().request({ ...way, ...proof("everything") })).status]).toEqual([way.path, 200]);
    }
  });

  it("of a tenant that may use one model alone answers unknown models as OpenAI does", async () => {
    const unknown = { ...chat, json: { model: "gpt-nobody-has", messages } };
    const answer = refused(404, "model_not_found", "model");
    expect(await errorOf({ ...unknown, ...proof("vectors") })).toEqual(answer);
    expect(await errorOf({ ...unknown, ...proof("everything") })).toEqual(answer);
    expect(await errorOf({ ...unknown, path: `/${VECTORS}/v1/chat/completions`, ...proof("vectors") })).toEqual(answer);
  });

  it("lists all models", async () => {
    const { status, text } = await stand().request({ path: "/v1/models", ...proof("vectors") });
    expect(status).toBe(200);
    expect((JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(
      expect.arrayContaining([CHAT, VECTORS]),
    );
  });

  it("is not asked to spell headers with underscores", async () => {
    const own = proof("everything");
    const headers = { x_tenant_id: "vectors", ...("headers" in own && own.headers) };
    expect((await stand().request({ ...chat, ...own, headers })).status).toBe(400);
  });
});

describe("what is no proof", () => {
  const past = Math.floor(Date.now() / 1000) - 3600;
  it.each<[string, () => Readonly<Record<string, string>>]>([
    ["nothing", () => ({})],
    ["a wrong key", () => bearer("x".repeat(48))],
    ["a wrong key in its own header", () => ({ "x-api-key": "x".repeat(48) })],
    ["an expired token", () => bearer(tokenOf("everything", { exp: past }))],
    ["a token of later", () => bearer(tokenOf("everything", { nbf: past + 7200 }))],
    ["a token for another audience", () => bearer(tokenOf("everything", { aud: "billing" }))],
    ["a token for none", () => bearer(tokenOf("everything", { aud: undefined }))],
    ["a token of another issuer", () => bearer(tokenOf("everything", { iss: "https://login.example.org" }))],
    ["a token that somebody else signed", () => bearer(issuer.forged({ tenant: { name: "everything" } }))],
    ["a token that nobody signed", () => bearer(issuer.unsigned({ tenant: { name: "everything" } }))],
    ["a token as a basic password", () => ({ authorization: `Basic ${tokenOf("everything")}` })],
    ["a token as an API key", () => ({ "x-api-key": tokenOf("everything") })],
  ])("is %s: 401", async (_name, headers) => {
    expect(await errorOf({ ...chat, headers: headers() })).toEqual(refused(401, "invalid_api_key"));
  });

  it.each<[string, () => string]>([
    ["nobody's", () => tokenOf("nobody")],
    ["without the claim", () => issuer.token()],
    ["with several tenants", () => issuer.token({ tenant: { name: ["everything", "vectors"] } })],
  ])("is a token %s: 403, for the list of models too", async (_name, token) => {
    const headers = bearer(token());
    expect(await errorOf({ ...chat, headers })).toEqual(refused(403, "model_not_allowed"));
    expect(await errorOf({ path: "/v1/models", headers })).toEqual(refused(403, "model_not_allowed"));
  });

  it("does not count beside a token: its tenant is who calls, and the key goes no further", async () => {
    const key = await stand().key("everything");
    seen.length = 0;
    const both = { ...bearer(tokenOf("vectors")), "x-api-key": key };
    expect(await errorOf({ ...chat, headers: both })).toEqual(refused(403, "model_not_allowed"));
    expect((await stand().request({ ...vectors, headers: both })).status).toBe(200);
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toHaveProperty("x-api-key");
    const wrong = { ...bearer(issuer.forged({ tenant: { name: "everything" } })), "x-api-key": key };
    expect(await errorOf({ ...chat, headers: wrong })).toEqual(refused(401, "invalid_api_key"));
  });

  it("opens no route: each that is on the models' listener answers 401 without one", async () => {
    const paths = stand().objects.flatMap(pathsOf);
    expect(paths.length).toBeGreaterThan(8);
    const { hostname, ca, proxies } = stand();
    const [proxy] = proxies;
    if (proxy === undefined) {
      throw new Error("no proxy");
    }
    for (const { method, path, headers } of paths) {
      const { status } = await sendRequest({ method, path, headers, proxy }, { hostname, ca, key: undefined });
      expect([method, path, status]).toEqual([method, path, 401]);
    }
  });
});

describe("the issuer's keys", () => {
  it("are asked for once in five minutes, not for each token", async () => {
    const before = issuer.asked;
    await stand().request({ ...chat, headers: bearer(tokenOf("everything")) });
    expect(issuer.asked).toBe(before);
  });

  it("count while the issuer is away, and for a proxy that never had them no token does, though keys of ours do", async () => {
    await keysServer?.close();
    expect((await stand().request({ ...chat, headers: bearer(tokenOf("everything")) })).status).toBe(200);
    const proxy = await stand().startProxy();
    await waitFor(
      "the second proxy to know the engines",
      async () => (await stand().request({ ...chat, proxy, consumer: "everything" })).status === 200 || undefined,
      30,
    );
    expect(await errorOf({ ...chat, proxy, headers: bearer(tokenOf("everything")) })).toEqual(
      refused(401, "invalid_api_key"),
    );
  });

  it("are those that it publishes now, once a proxy has asked again", async () => {
    issuer.rotate();
    expect(await errorOf({ ...chat, headers: bearer(tokenOf("everything")) })).toEqual(refused(401, "invalid_api_key"));
    const [, second] = stand().proxies;
    if (second === undefined) {
      throw new Error("no second proxy");
    }
    keysServer = await stand().listen(issuer.hostname, 443, issuer.server);
    await waitFor(
      "the second proxy to get the keys",
      async () =>
        (await stand().request({ ...chat, proxy: second, headers: bearer(tokenOf("everything")) })).status === 200 ||
        undefined,
      60,
    );
  });
});

interface Match {
  readonly method?: string;
  readonly path?: { readonly type?: string; readonly value: string };
  readonly headers?: readonly { readonly type?: string; readonly name: string; readonly value: string }[];
}

/** One request for each way into a route of the models' listener that a client can take. */
function pathsOf({ kind, spec }: KubernetesObject) {
  const { parentRefs = [], rules = [] } = (spec ?? {}) as {
    readonly parentRefs?: readonly { readonly sectionName?: string }[];
    readonly rules?: readonly { readonly matches?: readonly Match[] }[];
  };
  if (
    !["HTTPRoute", "AIGatewayRoute"].includes(kind) ||
    !parentRefs.some(({ sectionName }) => sectionName === "https")
  ) {
    return [];
  }
  return rules
    .flatMap(({ matches = [] }) => matches)
    .filter(({ headers = [] }) => headers.every(({ type = "Exact" }) => type === "Exact"))
    .map(({ method = "GET", path = { value: "/" }, headers = [] }) => ({
      method,
      path: path.value,
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    }));
}
