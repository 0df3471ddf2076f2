import { writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ClusterApi, type Limits } from "../../../cli/cluster/cluster-api";
import { NotAsked } from "../../../cli/cluster/failure";
import { cleaned, someOf } from "../../../cli/cluster/foreign-text";
import { main } from "../../../cli/doctor";
import { gatherFacts } from "../../../cli/doctor/gather";
import { doctorSchema } from "../../../cli/doctor/result";
import { runPiped, useFolder } from "../run";

const folder = useFolder();
/** Longer than an answer takes on a busy machine: what is tested to end by time says in which. */
const LIMITS: Limits = { requestSeconds: 30, answerBytes: 100_000, pages: 3 };

let server: Server | undefined;
// No tool of this machine's.
beforeEach(() => vi.stubEnv("PATH", join(folder, "nowhere")));
afterEach(async () => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function gather(listener: RequestListener, limits = LIMITS) {
  const address = { server: await serve(listener), insecure: false };
  const context = { context: "test", address, login: { token: "t" } };
  const api = await ClusterApi.open(context, limits);
  try {
    return await gatherFacts(api, context, [{ verb: "*", group: "*", resource: "*" }]);
  } finally {
    api.close();
  }
}

const VERSION = JSON.stringify({ gitVersion: "v1.34.1" });

/** The version is answered; all else by `rest`. */
function afterVersion(rest: RequestListener): RequestListener {
  return (request, response) => (request.url === "/version" ? response.end(VERSION) : rest(request, response));
}

/** Nothing is told of such a server but one reason, with what to do about it. */
async function expectOneReason(facts: Promise<unknown>, message: RegExp) {
  const failure = await facts.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(NotAsked);
  expect((failure as NotAsked).message).toMatch(message);
  expect((failure as NotAsked).remedies.length).toBeGreaterThan(0);
}

describe("an API server that is none, or is no friend", () => {
  it.each<[string, RequestListener]>([
    ["hangs", () => {}],
    ["drips", (_, response) => void setInterval(() => response.write(" "), 10).unref()],
  ])("that %s at once is one reason, with remedies", async (_, listener) => {
    const facts = gather(listener, { ...LIMITS, requestSeconds: 0.1 });
    await expectOneReason(facts, /gives no answer within 0\.1 s/);
  });

  it.each<[string, RequestListener, RegExp]>([
    ["never ends", (_, response) => endless(response), /longer than 100000 bytes/],
    ["cuts connections", (request) => request.socket.destroy(), /ECONNRESET/],
    ["is a login page", (_, response) => response.end("<html>"), /is no API server of Kubernetes \(200\)/],
    [
      "sends elsewhere",
      (_, response) => response.writeHead(302, { location: "http://example.com" }).end(),
      /no API server.*302/,
    ],
    ["knows nobody", (_, response) => response.writeHead(401).end(), /does not accept the kubeconfig's credentials/],
  ])("that %s at once is one reason, with remedies", async (_, listener, message) => {
    await expectOneReason(gather(listener), message);
  });

  it.each<[string, RequestListener, RegExp, Limits?]>([
    ["hangs", () => {}, /within 1 s/, { ...LIMITS, requestSeconds: 1 }],
    [
      "never ends a list",
      (_, response) => response.end('{"metadata":{"continue":"x"},"items":[]}'),
      /more than 1500 objects/,
    ],
    ["answers nonsense", (_, response) => response.end('{"items":[{"metadata":7}]}'), /not of the expected form/],
    ["answers no list", (_, response) => response.end("[]"), /200 and no list/],
    ["refuses", (_, response) => response.writeHead(403).end("{}"), /no right to ask for it \(403\)/],
  ])("that then %s leaves facts unknown, each with its reason", async (_, listener, reason, limits) => {
    const { version, nodes, storageClasses } = await gather(afterVersion(listener), limits);
    expect(version).toEqual({ known: true, value: "v1.34.1" });
    for (const fact of [nodes, storageClasses]) {
      expect(fact).toMatchObject({ known: false, reason: expect.stringMatching(reason) });
    }
  });

  it("cannot draw on the terminal, nor flood it", async () => {
    const evil = `\u001b[2J\u001b]0;owned\u0007\u202e${"x".repeat(100_000)}`;
    const items = Array.from({ length: 200 }, () => ({ metadata: { name: evil }, provisioner: evil }));
    const address = await serve((request, response) => {
      const body =
        request.url === "/version"
          ? { gitVersion: `v1.34.1${evil}` }
          : { items: request.url?.includes("storageclasses") ? items : [] };
      response.end(JSON.stringify(body));
    });
    const file = join(folder, "kubeconfig");
    const name = "evil\u001b[31m";
    const config = {
      "current-context": name,
      clusters: [{ name: "c", cluster: { server: address } }],
      contexts: [{ name, context: { cluster: "c" } }],
    };
    writeFileSync(file, JSON.stringify(config));
    const { status, out } = await runPiped(main, ["dev", "--kubeconfig", file]);
    expect(status).toBe(1);
    expect(out.length).toBeLessThan(20_000);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(out).toContain("\\u001b[2J");
    const json = await runPiped(main, ["dev", "--kubeconfig", file, "--json"]);
    expect(doctorSchema.parse(JSON.parse(json.out)).cluster?.context).toBe("evil\\u001b[31m");
  });
});

it("texts of strangers are visible and short", () => {
  expect(cleaned("a\tb\u0085c\u200fd")).toBe("a\\u0009b\\u0085c\\u200fd");
  expect(cleaned("x".repeat(5000)).length).toBeLessThan(700);
  expect(someOf(["a", "b"])).toBe("a, b");
  expect(someOf(["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
});

function endless(response: Parameters<RequestListener>[1]): void {
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(10_000))) {}
  };
  response.on("drain", more).on("error", () => {});
  more();
}
