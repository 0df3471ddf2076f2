/** One of two real Envoys is told to stop, as Kubernetes tells it: by the hooks of its pod, and the real shutdown manager. */
import { Agent, request } from "node:https";
import { describe, expect, it } from "vitest";
import type { GatewayProxy } from "../../../rehearsal/cluster/gateway/proxy";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { chatStream } from "../../e2e/gateway/stream-client";
import { TokenEngine } from "../../e2e/gateway/token-engine";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { programRun } from "../../stacks/run";

const STREAMS = 50;
const TOKENS = 4;
const PATH = "/v1/chat/completions";
/** Of the rendered `minDrainDuration`, and three seconds more: by then a proxy that waits for nobody would be gone. */
const AFTER_LEAST_DRAIN_MS = 43_000;
/** From the last stream's end until the pod's: seen, 2 s. The helper looks once a second; this machine is shared. */
const GONE_MS = 30_000;

const stand = sharedBySuite(async () => GatewayStand.start((await programRun("dev")).resources, { proxies: 2 }));

/** What the proxy says about the connection of a client that would keep it. */
async function connectionAfterAnswer(agent: Agent, proxy: GatewayProxy): Promise<string | undefined> {
  const headers = { host: stand().hostname, authorization: `Bearer ${await stand().key("default")}` };
  return new Promise((resolve, reject) => {
    request({ ...connectionOptions(proxy, stand()), agent, path: "/v1/models", headers }, (response) => {
      response.resume().once("end", () => resolve(response.headers.connection));
    })
      .once("error", reject)
      .end();
  });
}

describe("a proxy that is told to stop", () => {
  it("finishes its fifty streams, takes new ones while load balancers still send them, and goes with the last", async () => {
    const engine = new TokenEngine(TOKENS);
    await stand().serve("assistant", engine.listener);
    const [leaving, staying] = stand().proxies;
    if (leaving === undefined || staying === undefined) {
      throw new Error("the stand has two proxies");
    }
    const open = (user: string, proxy: typeof leaving, index = 0) =>
      chatStream(stand(), { http: index % 2 === 0 ? "HTTP/1.1" : "HTTP/2", path: PATH, user, proxy });
    await waitFor("the engine behind both proxies", async () => {
      const streams = await Promise.all([leaving, staying].map((proxy, index) => open(`probe ${index}`, proxy)));
      for (const stream of streams) {
        stream.leave();
      }
      return streams.every(({ status }) => status === 200) ? true : undefined;
    });

    const users = Array.from({ length: STREAMS }, (_, index) => `stream ${index}`);
    const streams = await Promise.all(users.map((user, index) => open(user, leaving, index)));
    const agent = new Agent({ keepAlive: true });
    expect(await connectionAfterAnswer(agent, leaving)).not.toBe("close");
    const left = leaving.stop("terminate");
    await waitFor("the drain", async () =>
      leaving.output("shutdown-manager").includes("initiating drain") ? true : undefined,
    );
    const asked = Date.now();

    /** Reads an answer to its end, token by token. */
    const finish = (user: string, stream: (typeof streams)[number]) => {
      let seen = 1;
      return stream.read(() => {
        if (seen++ < TOKENS) {
          engine.stream(user).next();
        }
      });
    };
    expect(await connectionAfterAnswer(agent, leaving)).toBe("close");
    const late = await open("late", leaving);
    expect(late.status).toBe(200);
    await finish("late", late);
    const elsewhere = await open("elsewhere", staying);
    expect(elsewhere.status).toBe(200);
    await finish("elsewhere", elsewhere);

    await new Promise((resolve) => setTimeout(resolve, AFTER_LEAST_DRAIN_MS - (Date.now() - asked)));
    expect(leaving.isRunning).toBe(true);
    const answers = await Promise.all(streams.map((stream, index) => finish(users[index] ?? "", stream)));
    expect(answers.map((text) => text.endsWith("data: [DONE]\n\n"))).toEqual(Array(STREAMS).fill(true));
    expect(users.map((user) => engine.arrived.get(user))).toEqual(Array(STREAMS).fill(1));
    const ended = Date.now();
    await left;
    expect(Date.now() - ended).toBeLessThan(GONE_MS);
    expect(leaving.output("shutdown-manager")).toContain("drain sequence completed");
    expect(staying.isRunning).toBe(true);
  }, 240_000);
});
