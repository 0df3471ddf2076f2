import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TritonBackend } from "../../../../services/model-control/src/backends/triton";
import { EngineRefusal, NotSupported, UnknownModel } from "../../../../services/model-control/src/errors";
import { HttpStub, type StubAnswer, type StubRequest } from "../http-stub";

const signal = new AbortController().signal;

/** Triton's repository and statistics routes in explicit mode. */
class TritonStub {
  readonly states = new Map<string, string | undefined>([
    ["reranker", undefined],
    ["broken", undefined],
  ]);
  explicit = true;
  /** Answers of the index for which a model that was told to leave is still there. */
  leavingAnswers = 2;

  answer({ method, path }: StubRequest): StubAnswer {
    const control = /^\/v2\/repository\/models\/([^/]+)\/(load|unload)$/.exec(path);
    if (method === "POST" && control?.[1] && control[2]) {
      return this.control(control[1], control[2]);
    }
    switch (`${method} ${path}`) {
      case "GET /v2/health/live":
        return { body: "" };
      case "GET /v2":
        return { body: { name: "triton", version: "2.72.0", extensions: ["model_repository"] } };
      case "POST /v2/repository/index":
        return { body: this.index() };
      case "GET /v2/models/stats":
        return { body: { model_stats: [{ name: "reranker", version: "1", last_inference: 1700000000123 }] } };
      default:
        return { status: 404, body: { error: "not found" } };
    }
  }

  private control(model: string, verb: string): StubAnswer {
    if (!this.explicit) {
      return { status: 503, body: { error: "explicit model load / unload is not allowed if polling is enabled" } };
    }
    if (verb === "unload") {
      this.states.set(model, "UNLOADING");
    } else if (model === "broken") {
      return { status: 400, body: { error: "failed to load 'broken', no version is available" } };
    } else {
      this.states.set(model, "READY");
    }
    return {};
  }

  private index(): object[] {
    if ([...this.states.values()].includes("UNLOADING") && this.leavingAnswers-- <= 0) {
      this.states.set("reranker", "UNAVAILABLE");
    }
    return [...this.states].map(([name, state]) =>
      state === undefined ? { name } : { name, version: "1", state, reason: "" },
    );
  }
}

describe("a Triton server", () => {
  let triton: TritonStub;
  let stub: HttpStub;
  let backend: TritonBackend;

  beforeEach(async () => {
    triton = new TritonStub();
    stub = await HttpStub.listen((request) => triton.answer(request));
    backend = new TritonBackend(stub.url);
  });
  afterEach(() => stub.close());

  test("tells its version", async () => {
    expect(await backend.health(signal)).toEqual({ version: "2.72.0" });
  });

  test("lists its repository, with the last inference of what is loaded as mark", async () => {
    expect(await backend.models(signal)).toEqual([
      { name: "reranker", loaded: false, useMark: undefined },
      { name: "broken", loaded: false, useMark: undefined },
    ]);
    await backend.load("reranker", signal);
    expect((await backend.models(signal))[0]).toEqual({ name: "reranker", loaded: true, useMark: "1700000000123" });
  });

  test("unloads, and waits until it has", async () => {
    await backend.load("reranker", signal);
    await backend.unload("reranker", signal);
    expect(triton.states.get("reranker")).toBe("UNAVAILABLE");
    const before = stub.asked.length;
    await backend.unload("reranker", signal);
    expect(stub.asked.slice(before)).toEqual(["POST /v2/repository/index"]);
  });

  test("names have no tag", () => {
    expect(backend.nameOf("reranker:latest")).toBe("reranker");
    expect(backend.nameOf("reranker:2")).toBe("reranker:2");
  });

  test("refuses what it does not have, and what it cannot", async () => {
    await expect(backend.load("absent", signal)).rejects.toThrow(UnknownModel);
    await expect(backend.load("broken", signal)).rejects.toThrow(EngineRefusal);
    await expect(backend.load("broken", signal)).rejects.toThrow("failed to load 'broken', no version is available");
    await expect(backend.pull("reranker", () => undefined, signal)).rejects.toThrow(NotSupported);
    await expect(backend.purge("reranker", signal)).rejects.toThrow(NotSupported);
  });

  test("that was not started in explicit mode says how it must be started", async () => {
    triton.explicit = false;
    await expect(backend.load("reranker", signal)).rejects.toThrow("--model-control-mode=explicit");
  });
});
