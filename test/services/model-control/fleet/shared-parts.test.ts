/** Models that share parts, as the variants of one do: what deletes one must not leave the other without them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { OllamaStub } from "../ollama-stub";
import { GIB, model, ollamaWorker, signal, testFleet } from "./fixture";

let ollama: OllamaStub;

beforeEach(async () => {
  const base = { ...model(8, 10), weights: "seven" };
  ollama = await OllamaStub.listen({ "base:7b": base });
  ollama.registry.set("base:7b", base).set("variant:7b", base);
  ollama.pullPause = 8;
});
afterEach(() => ollama.close());

const pulls = () => ollama.requests.filter(({ path }) => path === "/api/pull").length;

test("one that is pulled while the other is deleted is pulled until it is whole", async () => {
  const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url)]);
  const pulling = pull("variant:7b", { load: false });
  await expect.poll(async () => (await fleet.model("variant:7b", signal)).state).toBe("pulling");
  await fleet.purge("base:7b", { force: false }, signal);
  expect(await pulling).toBe("a");
  expect([...ollama.broken]).toEqual([]);
  expect(pulls()).toBe(2);
  expect(await pull("variant:7b")).toBe("a");
});

test("one that is pulled while the other makes room for it is whole, too", async () => {
  const { pull, evicted } = testFleet([ollamaWorker("a", ollama.url, { diskBytes: 15 * GIB })]);
  await pull("variant:7b");
  expect(evicted()).toEqual(["a/base:7b from disk"]);
  expect([...ollama.loaded.keys()]).toEqual(["variant:7b"]);
});

test("one that is listed without its parts is pulled again, however it came to that", async () => {
  const { pull } = testFleet([ollamaWorker("a", ollama.url)]);
  ollama.broken.add("base:7b");
  expect(await pull("base:7b")).toBe("a");
  expect(pulls()).toBe(1);
  expect([...ollama.loaded.keys()]).toEqual(["base:7b"]);
});

test("one whose parts always go is given up", async () => {
  const { pull } = testFleet([ollamaWorker("a", ollama.url)]);
  ollama.alwaysBroken = true;
  await expect(pull("variant:7b")).rejects.toThrow(
    "variant:7b was pulled 3 times, and each time other operations deleted layers of it",
  );
});

test("a name in another case is the same model", async () => {
  const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url, { pins: ["Base:7B"] })]);
  expect(await pull("BASE:7b")).toBe("a");
  expect(pulls()).toBe(0);
  expect([...ollama.loaded.keys()]).toEqual(["base:7b"]);
  expect(await fleet.model("Base:7b", signal)).toMatchObject({ state: "loaded", pinned: true });
});

test("a name goes to the registry as it was asked for", async () => {
  const { pull } = testFleet([ollamaWorker("a", ollama.url)]);
  ollama.registry.set("hf.co/Org/Model-GGUF:Q4_K_M", model(1));
  expect(await pull("hf.co/Org/Model-GGUF:Q4_K_M")).toBe("a");
  expect([...ollama.loaded.keys()]).toEqual(["hf.co/Org/Model-GGUF:Q4_K_M"]);
});
