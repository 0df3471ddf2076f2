import { expect, test } from "vitest";
import { EngineUnavailable } from "../../../../services/model-control/src/errors";
import { OllamaStub } from "../ollama-stub";
import { model, ollamaWorker, signal, testFleet } from "./fixture";

const AWAY = "http://127.0.0.1:1";

test("no worker is no fault, one that answers is enough, and where none does the caller is told", async () => {
  expect(await testFleet([]).fleet.models(signal)).toEqual([]);
  const ollama = await OllamaStub.listen({ "seven:7b": model(8) });
  try {
    const some = testFleet([ollamaWorker("a", ollama.url), ollamaWorker("b", AWAY)]);
    expect((await some.fleet.models(signal)).map(({ model: name }) => name)).toEqual(["seven:7b"]);
  } finally {
    await ollama.close();
  }
  const none = testFleet([ollamaWorker("a", AWAY), ollamaWorker("b", AWAY)]);
  await expect(none.fleet.models(signal)).rejects.toThrow(EngineUnavailable);
});
