import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import { runOffline } from "../../offline/run";
import { withoutStackTraces } from "../../offline/stack-traces";

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

  it("takes none until the last of overlapping runs has ended, in whichever order", async () => {
    const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
    for (const endings of [
      [0, 1],
      [1, 0],
    ]) {
      const ends: (() => void)[] = [];
      const runs = [0, 1].map(() => withoutStackTraces(() => new Promise<void>((resolve) => ends.push(resolve))));
      const [first = 0, second = 1] = endings;
      ends[first]?.();
      await runs[first];
      expect(Error.stackTraceLimit).toBe(0);
      ends[second]?.();
      await runs[second];
      expect(Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")).toEqual(limit);
    }
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
