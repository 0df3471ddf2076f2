/** Streams through the real gateway: token by token, cancelled with their client, broken with their engine, never sent twice. */
import { beforeEach, describe, expect, it } from "vitest";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { programRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";
import { chatStream, type HttpVersion } from "./stream-client";
import { TokenEngine } from "./token-engine";

const TOKENS = 200;
/** An engine closes what was idle for 5 s (vLLM's VLLM_HTTP_TIMEOUT_KEEP_ALIVE): soon before, a request may cross that. */
const ALMOST_IDLE_MS = 4000;
const PATHS = ["/v1/chat/completions", "/assistant/v1/chat/completions"] as const;
const WAYS = (["HTTP/1.1", "HTTP/2"] as const).flatMap((http) => PATHS.map((path) => ({ http, path })));

/** The gateway, and the engine as soon as it is reached. */
const shared = sharedBySuite(async () => {
  const stand = await GatewayStand.start((await programRun("dev")).resources);
  const engine = new TokenEngine(TOKENS);
  await stand.serve("assistant", engine.listener);
  engine.onChat = (response) => response.end("{}");
  for (const path of PATHS) {
    await waitFor(`the engine behind ${path}`, async () => {
      const json = { model: "assistant", messages: [], user: "probe" };
      return (await stand.request({ path, consumer: "default", json })).status === 200 ? true : undefined;
    });
  }
  return { stand, engine, stop: () => stand.stop() };
});

beforeEach(() => {
  const { engine } = shared();
  engine.onChat = undefined;
  engine.arrived.clear();
});

describe("a stream", () => {
  it.each(WAYS.flatMap((way) => [false, true].map((usage) => ({ ...way, usage }))))(
    "passes each token before the next one is made: $http $path, usage $usage",
    async ({ usage, ...way }) => {
      const { stand, engine } = shared();
      const stream = await chatStream(stand, { ...way, usage, user: "reader" });
      expect(stream.status).toBe(200);
      const tokens: string[] = [];
      // The engine makes the next one when this one is here: were any held back, nothing would ever come.
      const text = await stream.read((token) => {
        tokens.push(token);
        if (tokens.length < TOKENS) {
          engine.stream("reader").next();
        }
      });
      expect(tokens).toEqual(Array.from({ length: TOKENS }, (_, index) => String(index + 1)));
      expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
      expect(engine.arrived.get("reader")).toBe(1);
    },
  );

  it.each(WAYS)("ends at the engine when its client leaves: $http $path", async (way) => {
    const { stand, engine } = shared();
    const stream = await chatStream(stand, { ...way, user: "leaver" });
    const { cancelled } = engine.stream("leaver");
    const left = Date.now();
    const reading = stream.read(() => stream.leave()).catch(() => undefined);
    await cancelled;
    // No more than a second was asked for; this machine is shared.
    expect(Date.now() - left).toBeLessThan(1000);
    await reading;
  });

  it.each(WAYS)("breaks where its engine dies, and does not end: $http $path", async (way) => {
    const { stand, engine } = shared();
    const stream = await chatStream(stand, { ...way, user: "orphan" });
    const tokens: string[] = [];
    const reading = stream.read((token) => {
      tokens.push(token);
      if (tokens.length < 3) {
        engine.stream("orphan").next();
      } else {
        engine.stream("orphan").die();
      }
    });
    await expect(reading).rejects.toThrow();
    expect(tokens).toEqual(["1", "2", "3"]);
    expect(engine.arrived.get("orphan")).toBe(1);
  });

  it.each(PATHS)("is asked of an engine once, also where that dies before its answer begins: %s", async (path) => {
    const { stand, engine } = shared();
    engine.onChat = (response) => response.socket?.destroy();
    const http: HttpVersion = "HTTP/1.1";
    const { status } = await chatStream(stand, { http, path, user: "unlucky" });
    expect(status).toBeGreaterThanOrEqual(502);
    expect(engine.arrived.get("unlucky")).toBe(1);
  });

  it("is asked again where the engine refuses it without having begun", async () => {
    const { stand, engine } = shared();
    engine.onChat = (response) => {
      engine.onChat = undefined;
      response.writeHead(503).end("{}");
    };
    const stream = await chatStream(stand, { http: "HTTP/2", path: PATHS[0], user: "patient" });
    expect(stream.status).toBe(200);
    expect(engine.arrived.get("patient")).toBe(2);
    stream.leave();
  });

  it.each(PATHS)("is not sent on a connection that its engine is about to close: %s", async (path) => {
    const { stand, engine } = shared();
    const answered = new Map<unknown, number>();
    let lost = 0;
    engine.onChat = (response) => {
      const { socket } = response;
      if (Date.now() - (answered.get(socket) ?? Date.now()) > ALMOST_IDLE_MS) {
        lost += 1;
        socket?.destroy();
      } else {
        response.end("{}", () => answered.set(socket, Date.now()));
      }
    };
    // Each of Envoy's threads has connections of its own, and a new client may come to any.
    const several = async (user: string) => {
      const json = { model: "assistant", messages: [], user };
      const all = Array.from({ length: 8 }, () => stand.request({ path, consumer: "default", json }));
      return (await Promise.all(all)).map(({ status }) => status);
    };
    const well = Array(8).fill(200);
    expect(await several("before")).toEqual(well);
    await new Promise((resolve) => setTimeout(resolve, ALMOST_IDLE_MS + 500));
    expect(await several("after")).toEqual(well);
    expect({ lost, asked: engine.arrived.get("after") }).toEqual({ lost: 0, asked: 8 });
  });
});
