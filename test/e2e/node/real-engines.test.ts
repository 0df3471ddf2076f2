/** An inference node in front of a real Ollama and a real Triton. */
import { describe, expect, it } from "vitest";
import { startOllama, startRegistry } from "../model-control/registry";
import { RealTritonModel } from "../triton/real-model";
import { startNode } from "./real-node";

const JSON_TYPE = { "content-type": "application/json" };

describe("the node of a real engine", () => {
  it("answers a chat of Ollama at /infer, at once and as a stream", { timeout: 240_000 }, async () => {
    const [ollama, registry] = await Promise.all([startOllama(), startRegistry()]);
    const model = registry.publish("tiny:latest");
    await fetch(`${ollama.url}/api/pull`, { method: "POST", body: JSON.stringify({ model, insecure: true }) }).then(
      (r) => r.text(),
    );
    const own = await startNode({
      model: { engine: "ollama", servedName: model, task: "chat", node: { group: "inference-cluster" } },
      enginePort: Number(new URL(ollama.url).port),
    });
    const ask = (more: object) => {
      const body = { model, messages: [{ role: "user", content: "hello" }], max_tokens: 4, ...more };
      return fetch(`${own.url}/infer`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
    };
    try {
      expect(await (await ask({})).json()).toMatchObject({ object: "chat.completion", model });
      const stream = await ask({ stream: true });
      expect(stream.headers.get("content-type")).toBe("text/event-stream");
      expect(await stream.text()).toMatch(/^data: \{.*data: \[DONE\]\n\n$/s);
    } finally {
      await Promise.all([own.stop(), ollama.stop(), registry.stop()]);
    }
  });

  it("answers a text of Triton at /infer, and streams at the engine's own path", { timeout: 240_000 }, async () => {
    const triton = await RealTritonModel.start();
    const own = await startNode({
      model: { engine: "triton", servedName: "llama", task: "completion", node: { group: "inference-cluster" } },
      enginePort: triton.port,
    });
    const post = (path: string, body: object) =>
      fetch(own.url + path, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
    try {
      expect(await (await post("/infer", { text_input: "all" })).json()).toMatchObject({ text_output: "all 0" });
      // Why not KServe's own `infer`: a model that can stream is refused there.
      const tensors = await post("/v2/models/llama/infer", {
        inputs: [{ name: "text_input", shape: [1], datatype: "BYTES", data: ["all"] }],
      });
      expect([tensors.status, await tensors.text()]).toEqual([501, expect.stringContaining("decoupled")]);
      const stream = await post("/v2/models/llama/generate_stream", {
        text_input: "one",
        sampling_param_max_tokens: 2,
      });
      expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
      expect(await stream.text()).toContain('"text_output":"one 1"');
    } finally {
      await Promise.all([own.stop(), triton.stop()]);
    }
  });
});
