/** Requests for a model, and what makes it leave memory, in whatever order they come. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelNotLoaded } from "../../../../services/model-control/src/errors";
import { OllamaStub } from "../ollama-stub";
import { model, ollamaWorker, signal, type TestFleet, testFleet } from "./fixture";

const PROMPT = { input: { prompt: "hello" }, maxTokens: 2, seconds: 5, sampling: {} };

describe("a model that requests use", () => {
  let ollama: OllamaStub;
  let fleet: TestFleet;

  beforeEach(async () => {
    ollama = await OllamaStub.listen({ "a:1": model(10), "b:1": model(10), "c:1": model(10) });
    fleet = testFleet([ollamaWorker("w", ollama.url)], { engineTimeouts: { unloadSeconds: 0.3 } });
    await fleet.pull("a:1");
    await fleet.pull("b:1");
  });
  afterEach(() => ollama.close());

  async function answered(name: string): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of fleet.fleet.generate("w", name, PROMPT, signal)) {
      types.push(type);
    }
    return types;
  }

  it("is not asked of an engine that has it on its disk alone, which would load it whatever its budget", async () => {
    await fleet.fleet.unload("a:1", signal);
    const before = ollama.asked.length;
    await expect(answered("a:1")).rejects.toThrow(ModelNotLoaded);
    expect(ollama.asked.slice(before).filter((request) => request.startsWith("POST"))).toEqual([]);
    expect(await fleet.loaded()).toEqual({ w: ["b:1"] });
  });

  it("stays until its requests have ended, and leaves then", async () => {
    expect(await fleet.state.beginUse("w", "a:1", "mine")).toBe(true);
    await expect(fleet.fleet.unload("a:1", signal)).rejects.toThrow("a:1 is still in use on w 0.3 s");
    expect(await fleet.loaded()).toEqual({ w: ["a:1", "b:1"] });
    const leaving = fleet.fleet.unload("a:1", signal);
    await fleet.state.endUse("w", "a:1", "mine");
    await leaving;
    expect(await fleet.loaded()).toEqual({ w: ["b:1"] });
  });

  it("begins none while it leaves, and some again when it stayed", async () => {
    await fleet.state.beginUse("w", "a:1", "mine");
    const leaving = fleet.fleet.unload("a:1", signal);
    await expect.poll(() => fleet.state.beginUse("w", "a:1", "theirs")).toBe(false);
    await expect(answered("a:1")).rejects.toThrow("a:1 is leaving the memory of w");
    expect(await fleet.state.beginUse("w", "b:1", "theirs")).toBe(true);
    await expect(leaving).rejects.toThrow("it stays");
    expect(await answered("a:1")).toEqual(["text", "end"]);
  });

  it("leaves after one that nobody uses, though that was used later", async () => {
    await fleet.state.beginUse("w", "a:1", "mine");
    expect(await answered("b:1")).toEqual(["text", "end"]);
    await fleet.pull("c:1");
    expect(fleet.evicted()).toEqual(["w/b:1 from memory"]);
  });

  it("is used no more when its answer has ended, or was given up", async () => {
    await answered("a:1");
    const answer = fleet.fleet.generate("w", "b:1", PROMPT, signal)[Symbol.asyncIterator]();
    await answer.next();
    expect(await fleet.state.usedModels("w")).toEqual(new Set(["b:1"]));
    await answer.return?.(undefined);
    expect(await fleet.state.usedModels("w")).toEqual(new Set());
  });
});
