import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import { runOffline } from "../../offline/run";

describe("an offline run", () => {
  const options = { project: "inference-stacks", stack: "test" };
  const failing = () => {
    new pulumi.ComponentResource("inference:test:Thing", "thing");
    throw new Error("boom");
  };

  it("takes no stack traces, and those after it are whole", async () => {
    const limit = Error.stackTraceLimit;
    const { outputs } = await runOffline(() => {
      new pulumi.ComponentResource("inference:test:Thing", "thing");
      return { trace: new Error("ours").stack };
    }, options);
    expect(outputs.trace).toBeUndefined();
    expect(Error.stackTraceLimit).toBe(limit);
    expect(new Error("later").stack).toMatch(/^Error: later\n +at .*stack-traces\.test\.ts:\d+:\d+/);
  });

  it("keeps it where it is asked for", async () => {
    vi.stubEnv("INFERENCE_STACKS_TRACES", "1");
    await expect(runOffline(failing, options)).rejects.toMatchObject({
      stack: expect.stringMatching(/^Error: boom\n +at .*stack-traces\.test\.ts/),
    });
  });

  it("says how to get the trace of a program that throws", async () => {
    const failed = runOffline(failing, options);
    await expect(failed).rejects.toMatchObject({
      message: "boom",
      stack: "Error: boom\n    (set INFERENCE_STACKS_TRACES=1 for a stack trace)",
    });
    expect(new Error("later").stack).toContain("stack-traces.test.ts");
  });
});
