import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { runOffline } from "../../offline/run";
import { withoutSdkStacks } from "../../offline/sdk-stacks";

function debuggablePromise(): string | undefined {
  return new Error("a promise of the SDK").stack;
}

describe("an offline run", () => {
  const options = { project: "inference-stacks", stack: "test" };

  it("spares the stacks of the SDK's own books, and those alone", async () => {
    const [ofSdk, ofProgram] = await withoutSdkStacks(async () => [debuggablePromise(), new Error("ours").stack]);
    expect(ofSdk).toBe("");
    expect(ofProgram).toMatch(/^Error: ours\n +at .*sdk-stacks\.test\.ts:\d+:\d+/);
    expect(debuggablePromise()).toMatch(/debuggablePromise .*sdk-stacks\.test\.ts/);
  });

  it("meets the SDK's functions under the names that it looks for", async () => {
    const taken: string[] = [];
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (_, frames) => {
      taken.push(frames[0]?.getFunctionName() ?? "");
      return "";
    };
    try {
      await runOffline(() => new pulumi.ComponentResource("inference:test:Thing", "thing"), options);
    } finally {
      Error.prepareStackTrace = before;
    }
    expect(taken).toEqual([]);
  });

  it("keeps the stack of a program that throws", async () => {
    const failed = runOffline(() => {
      throw new Error("boom");
    }, options);
    await expect(failed).rejects.toMatchObject({
      stack: expect.stringMatching(/^Error: boom\n +at .*sdk-stacks\.test\.ts/),
    });
  });
});
