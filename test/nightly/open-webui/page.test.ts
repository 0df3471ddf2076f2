/** Open WebUI behind the real gateway, as people and as those who must not come in use it: accounts, chats, what is off, and copies. */
import { mkdirSync, rmSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { launchChromium } from "../chromium";
import { ADMINISTRATOR, MODEL, PAGE_HOSTNAME, PageTestbed } from "./page-testbed";

/** Of an account that the administrator makes. */
const ANN = { email: "ann@example.com", password: "Correct-horse-1" };
const CHAT = "Greetings of Ann";
const HI = [{ role: "user", content: "Hi" }];

/** What the engine was asked, and answers that are under way. */
const asked: string[] = [];
const open: ServerResponse[] = [];

const engine: RequestListener = async (incoming, response) => {
  const body = await text(incoming);
  if (incoming.method === "GET") {
    response.end("{}");
    return;
  }
  asked.push(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(event("Hel"));
  open.push(response);
};

const event = (content: string) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: MODEL, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

const testbed = sharedBySuite(() => PageTestbed.start(engine));

const signIn = (account: { readonly email: string; readonly password: string }) =>
  testbed().ask({ path: "/api/v1/auths/signin", json: account });

async function token(account: { readonly email: string; readonly password: string }): Promise<string> {
  const answer = await signIn(account);
  expect([account.email, answer.status]).toEqual([account.email, 200]);
  return answer.json<{ token: string }>().token;
}

const administrator = () => token({ email: ADMINISTRATOR, password: testbed().secret("WEBUI_ADMIN_PASSWORD") });
/** Of a single sign-in: the page refuses the sixteenth of three minutes. */
let annsSession: Promise<string> | undefined;
const ann = () => {
  annsSession ??= token(ANN);
  return annsSession;
};

async function chats(session: string): Promise<string[]> {
  const answer = await testbed().ask({ path: "/api/v1/chats/" }, session);
  return answer.json<{ title: string }[]>().map(({ title }) => title);
}

describe("who comes in", () => {
  it("the first administrator, with the password of the Secret, and accounts that it makes", async () => {
    const account = { ...ANN, name: "Ann", role: "user" };
    const made = await testbed().ask({ path: "/api/v1/auths/add", json: account }, await administrator());
    expect(made.status).toBe(200);
    await ann();
  });

  it("for a day", async () => {
    const [, claims = ""] = (await ann()).split(".");
    const { iat, exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { iat: number; exp: number };
    expect(exp - iat).toBeCloseTo(24 * 3600, -1);
  });

  it("no one by signing up, with another password, or without a session", async () => {
    const stranger = { name: "Bob", email: "bob@example.com", password: "Correct-horse-2" };
    expect((await testbed().ask({ path: "/api/v1/auths/signup", json: stranger })).status).toBe(403);
    expect((await signIn({ ...ANN, password: "wrong" })).status).toBe(400);
    expect((await testbed().ask({ path: "/api/models" })).status).toBe(401);
    const chat = { model: MODEL, messages: HI };
    expect((await testbed().ask({ path: "/api/chat/completions", json: chat })).status).toBe(401);
  });

  it("no one to the gateway with a session of the page, or to the page with a key of the gateway", async () => {
    const session = await ann();
    const gateway = await testbed().gateway.request({
      path: "/v1/models",
      headers: { authorization: `Bearer ${session}` },
    });
    expect(gateway.status).toBe(401);
    const key = await testbed().gateway.key("open-webui");
    expect((await testbed().ask({ path: "/api/models" }, key)).status).toBe(401);
  });
});

describe("a chat", () => {
  it("is with the models of the page's consumer alone", async () => {
    const models = await testbed().ask({ path: "/api/models" }, await ann());
    expect(models.json<{ data: { id: string }[] }>().data.map(({ id }) => id)).toEqual([MODEL]);
    const other = { model: "writer", messages: HI };
    expect((await testbed().ask({ path: "/api/chat/completions", json: other }, await ann())).status).toBe(400);
  });

  it("comes word by word, through both Envoys of the pods and the gateway in between, as the page's consumer", async () => {
    const session = await ann();
    const [proxy] = testbed().gateway.proxies;
    const connection = connectionOptions(proxy as NonNullable<typeof proxy>, {
      hostname: PAGE_HOSTNAME,
      ca: testbed().gateway.ca,
    });
    // A browser names its session.
    const body = JSON.stringify({ model: MODEL, messages: HI, stream: true, session_id: "browser" });
    const headers = {
      host: PAGE_HOSTNAME,
      authorization: `Bearer ${session}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    };
    let seen = "";
    let ended = false;
    const sent = request(
      { ...connection, path: "/api/chat/completions", method: "POST", headers, agent: false },
      (answer) => {
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          seen += chunk;
        });
        answer.once("end", () => {
          ended = true;
        });
      },
    );
    sent.end(body);
    // The engine writes the second half once the first has arrived.
    await waitFor("the first word", async () => seen.includes("Hel") || undefined, 60);
    expect([seen.includes("lo!"), ended]).toEqual([false, false]);
    open.at(-1)?.end(`${event("lo!")}data: [DONE]\n\n`);
    await waitFor("the rest", async () => ended || undefined, 60);
    expect(seen).toContain("lo!");
    // Nothing but the message: no tools of the page, which vLLM refuses where the model does not ask for them.
    const { messages, tools } = JSON.parse(asked.at(-1) ?? "") as { messages: object; tools?: object };
    expect([messages, tools]).toEqual([HI, undefined]);
    await waitFor(
      "the line of the access log",
      async () => JSON.stringify(testbed().gateway.proxies[0]?.accessLog() ?? []).includes("open-webui") || undefined,
    );
  });

  it("is shown in Chromium, which loads nothing from elsewhere that an answer names", async () => {
    const [proxy] = testbed().gateway.proxies;
    const browser = await launchChromium(
      `--host-resolver-rules=MAP ${PAGE_HOSTNAME}:443 ${proxy?.address}:${proxy?.httpsPort}, MAP * ~NOTFOUND`,
    );
    try {
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      const refused: string[] = [];
      page.on("console", (message) => {
        if (message.text().includes("Content Security Policy")) {
          refused.push(message.text());
        }
      });
      await page.goto(`https://${PAGE_HOSTNAME}/auth`);
      await page.fill("#email", ANN.email);
      await page.fill("input[type=password]", ANN.password);
      await page.click("button[type=submit]");
      await page.click("#chat-input");
      const before = open.length;
      await page.keyboard.type("Hi");
      await page.keyboard.press("Enter");
      await waitFor("the message", async () => open.length > before || undefined, 60);
      // Requests for a title are the engine's too.
      const answered = setInterval(() => {
        for (const response of open.splice(before)) {
          response.end(`${event("lo! ![](https://elsewhere.example.com/?chat=Hi)")}data: [DONE]\n\n`);
        }
      }, 200);
      await page.getByText("Hello!").first().waitFor({ timeout: 60_000 });
      await waitFor("the image's refusal", async () => refused.length > 0 || undefined, 30);
      clearInterval(answered);
      expect(refused.filter((text) => !text.includes("elsewhere.example.com"))).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it("gets its answers by a WebSocket, from the page's own address alone", async () => {
    expect(await upgrade(`https://${PAGE_HOSTNAME}`)).toBe(101);
    expect(await upgrade("https://evil.example.com")).toBe(403);
  });
});

describe("an administrator", () => {
  it("is shown no chats, messages and files of others", async () => {
    const [own, session] = [await ann(), await administrator()];
    const form = `--x\r\ncontent-disposition: form-data; name="file"; filename="ann.txt"\r\ncontent-type: text/plain\r\n\r\nOf Ann\r\n--x--\r\n`;
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const sent = await testbed().ask({ path: "/api/v1/files/?process=false", body: form, headers }, own);
    expect(sent.status).toBe(200);
    const files = async (who: string) =>
      (await testbed().ask({ path: "/api/v1/files/" }, who))
        .json<{ items: { filename: string }[] }>()
        .items.map(({ filename }) => filename);
    expect([await files(own), await files(session)]).toEqual([["ann.txt"], []]);
    const { id } = (await testbed().ask({ path: "/api/v1/auths/" }, own)).json<{ id: string }>();
    expect((await testbed().ask({ path: `/api/v1/chats/list/user/${id}` }, session)).status).toBe(401);
    // Where no route is, the page's own document answers.
    for (const path of [`messages?user_id=${id}`, `models/${MODEL}/chats`]) {
      const answer = await testbed().ask({ path: `/api/v1/analytics/${path}` }, session);
      expect(answer.headers["content-type"]).toContain("text/html");
    }
  });
});

describe("what is off", () => {
  it.each([
    ["images", { path: "/api/v1/images/generations", json: { prompt: "a cat" } }, 403],
    ["speech", { path: "/api/v1/audio/speech", json: { input: "Hi", model: "tts-1", voice: "alloy" } }, 503],
    ["keys of its API", { path: "/api/v1/auths/api_key", method: "POST" }, 403],
    ["the database as a file", { path: "/api/v1/utils/db/download" }, 401],
  ])("%s", async (_what, asks, status) => {
    expect((await testbed().ask(asks, await ann())).status).toBe(status);
  });

  it("functions and tools, for administrators too", async () => {
    const content = "class Pipe:\n    def pipe(self, body):\n        return 'ran'\n";
    const code = { id: "pipe", name: "Pipe", content, meta: { description: "runs in the pod" } };
    const session = await administrator();
    expect((await testbed().ask({ path: "/api/v1/functions/create", json: code }, session)).status).toBe(400);
  });

  it("in what the page offers", async () => {
    const { features } = (await testbed().ask({ path: "/api/config" }, await ann())).json<{
      features: Readonly<Record<string, boolean>>;
    }>();
    const off = [
      ...["enable_signup", "enable_api_keys", "enable_version_update_check", "enable_direct_connections"],
      ...["enable_plugins", "enable_web_search", "enable_code_execution", "enable_code_interpreter"],
      ...["enable_image_generation", "enable_community_sharing", "enable_admin_export", "enable_admin_chat_access"],
      ...["enable_admin_analytics", "enable_message_rating"],
    ];
    expect(off.filter((name) => features[name] !== false)).toEqual([]);
  });

  it("calls to the internet: the pod has asked for no name outside of the cluster", async () => {
    const outside = () => [...testbed().gateway.namesAsked].filter((name) => !name.endsWith(".cluster.local"));
    expect(outside()).toEqual([]);
    // What it asks for is seen: a user may have it read a page of the web, for which it finds no server here.
    const read = { path: "/api/v1/retrieval/process/web", json: { url: "https://probe.example.com/" } };
    expect((await testbed().ask(read, await ann())).status).toBe(400);
    expect(outside()).toEqual(["probe.example.com"]);
  });
});

describe("users and chats", () => {
  it("outlive a restart, and so do sessions", async () => {
    const session = await ann();
    const chat = { title: CHAT, models: [MODEL], messages: [{ id: "1", ...HI[0] }] };
    expect((await testbed().ask({ path: "/api/v1/chats/new", json: { chat } }, session)).status).toBe(200);
    await testbed().stopPage();
    await testbed().startPage();
    expect(await chats(session)).toContain(CHAT);
    expect(await chats(await token(ANN))).toContain(CHAT);
  });

  it("come back from the real MinIO after the volume is lost", async () => {
    expect(await testbed().backUp()).toContain("2 users");
    await testbed().stopPage();
    rmSync(testbed().data, { recursive: true });
    mkdirSync(testbed().data);
    await testbed().startPage();
    expect((await signIn(ANN)).status).toBe(400);
    await testbed().stopPage();
    expect(await testbed().restore()).toContain("2 users are back");
    await testbed().startPage();
    expect(await chats(await token(ANN))).toContain(CHAT);
  });
});

/** Status of an upgrade of the page's socket for a browser of this origin. */
async function upgrade(origin: string): Promise<number> {
  const [proxy] = testbed().gateway.proxies;
  const connection = connectionOptions(proxy as NonNullable<typeof proxy>, {
    hostname: PAGE_HOSTNAME,
    ca: testbed().gateway.ca,
  });
  const headers = {
    host: PAGE_HOSTNAME,
    origin,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  };
  const path = "/ws/socket.io/?EIO=4&transport=websocket";
  return new Promise((resolve, reject) => {
    const sent = request({ ...connection, path, headers, agent: false });
    sent.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", reject);
    sent.end();
  });
}
