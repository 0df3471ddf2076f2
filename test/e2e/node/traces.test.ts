/** A node's spans: of the trace that the gateway began, by one id in span, access log and engine, and without what may be secret. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { type RealNode, startNode } from "./real-node";
import { SpanBytes } from "./span-bytes";
import { TestEngine } from "./test-engine";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CANARY = "canary-7f3a9c";

/** What stands around a text, so that a failure tells where it leaks. */
function around(bytes: Buffer, text: string): string | undefined {
  const at = bytes.indexOf(text);
  return at < 0 ? undefined : bytes.subarray(Math.max(0, at - 60), at + 60).toString("latin1");
}

let engine: TestEngine;
let node: RealNode;
let spans: SpanBytes;

beforeAll(async () => {
  const [grpcPort = 0] = await freePorts(1);
  spans = await SpanBytes.start(grpcPort);
  engine = await TestEngine.start();
  const traces = { host: "127.0.0.1", grpcPort, httpPort: 0 };
  const model = { engine: "vllm", servedName: "llama", task: "chat", node: { group: "cluster", traces } } as const;
  node = await startNode({ model, enginePort: engine.port });
});
afterAll(async () => {
  await node?.stop();
  await engine?.stop();
  spans?.stop();
});

describe("a node that reports spans", () => {
  it("continues the trace of its request, in span, log and engine", async () => {
    const headers = {
      traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      "x-request-id": "11111111-2222-4333-8444-555555555555",
      authorization: `Bearer ${CANARY}`,
      "user-agent": CANARY,
    };
    const body = JSON.stringify({ messages: [{ role: "user", content: CANARY }] });
    const answer = await fetch(`${node.url}/infer?api_key=${CANARY}`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    const id = Buffer.from(TRACE, "hex");
    await waitFor("the span", async () => (spans.bytes.includes(id) ? true : undefined), 20);
    expect(spans.bytes.includes("/infer")).toBe(true);
    expect(around(spans.bytes, CANARY)).toBeUndefined();
    expect(engine.lastValues("traceparent")).toEqual([
      expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`)),
    ]);
    const [line] = await waitFor("the log", async () => {
      const lines = node.log().filter(({ path }) => path === "/infer");
      return lines.length > 0 ? lines : undefined;
    });
    expect(line).toMatchObject({ trace_id: TRACE, request_id: headers["x-request-id"] });
    expect(JSON.stringify(line)).not.toContain(CANARY);
  });

  it("makes no trace of a probe", async () => {
    const before = spans.received.length;
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
    // Envoy reports every 5 s.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect(Buffer.concat(spans.received.slice(before)).includes("/health")).toBe(false);
  });

  it("answers as fast while nobody takes its spans", async () => {
    spans.stop();
    const started = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => fetch(`${node.url}/infer`, { method: "POST", body: "{}" })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});
