import { describe, expect, it } from "vitest";
import { type EngineName, engineOf } from "../../engines";
import type { ArgumentValue, ModelTask } from "../../engines/served-model";

const reuse = (
  engine: EngineName,
  engineVersion: string,
  task: ModelTask = "chat",
  args: Readonly<Record<string, ArgumentValue>> = {},
) => engineOf(engine).prefixReuse({ engineVersion, task, args });

describe("prompts that begin alike", () => {
  it.each([
    ["0.9.2", "chat", "shared"],
    ["0.10.0", "chat", "salted"],
    ["0.33.0", "completion", "salted"],
    ["0.15.0", "embedding", "shared"],
    ["0.16.0", "embedding", "salted"],
    ["0.19.1", "rerank", "shared"],
    ["0.20.0", "rerank", "salted"],
  ] as const)("are kept apart by vLLM %s of %s: %s", (version, task, answer) => {
    expect(reuse("vllm", version, task)).toBe(answer);
  });

  it("are reused for everybody by a second cache that does not know the salt", () => {
    const connector = (kv_connector: string) =>
      reuse("vllm", "0.33.0", "chat", { "kv-transfer-config": { kv_connector } });
    expect([connector("LMCacheConnectorV1"), connector("MultiConnector"), connector("OffloadingConnector")]).toEqual([
      "shared",
      "shared",
      "salted",
    ]);
  });

  it("may have images, which vLLM reuses for everybody, also in Ray Serve", () => {
    const keeping = (["vllm", "ray", "ollama", "tgi", "triton"] as const).filter((engine) =>
      engineOf(engine).reusesImages?.({}),
    );
    expect(keeping).toEqual(["vllm", "ray"]);
  });

  it("are not kept where the cache is off", () => {
    for (const engine of ["vllm", "ray"] as const) {
      expect([engine, reuse(engine, "0.33.0", "chat", { "enable-prefix-caching": false })]).toEqual([engine, "none"]);
    }
  });

  it("are reused for everybody by engines that take no salt", () => {
    expect([
      reuse("ollama", "0.32.15"),
      reuse("ray", "2.56.0"),
      reuse("tgi", "3.0.1"),
      reuse("triton", "26.07", "completion"),
    ]).toEqual(["shared", "shared", "shared", "shared"]);
    expect(reuse("ollama", "0.32.15", "embedding")).toBe("none");
  });
});
