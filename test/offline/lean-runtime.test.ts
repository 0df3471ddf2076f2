import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import { describe, expect, it, vi } from "vitest";
import { withLeanRuntime } from "../../offline/lean-runtime";
import { runOffline } from "../../offline/run";

/** The promises that the SDK has a record of, and its report; they are forgotten. */
const { leakedPromises }: { leakedPromises(): readonly [ReadonlySet<unknown>, string] } = createRequire(__filename)(
  "@pulumi/pulumi/runtime/debuggable.js",
);

class Thing extends pulumi.CustomResource {
  declare readonly content: pulumi.Output<unknown>;

  constructor(content: unknown) {
    super("test:index:Thing", "thing", { content });
  }
}

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
    expect(new Error("later").stack).toMatch(/^Error: later\n +at .*lean-runtime\.test\.ts:\d+:\d+/);
  });

  it("takes none until the last of overlapping runs has ended, in whichever order", async () => {
    const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
    for (const endings of [
      [0, 1],
      [1, 0],
    ]) {
      const ends: (() => void)[] = [];
      const runs = [0, 1].map(() => withLeanRuntime(() => new Promise<void>((resolve) => ends.push(resolve))));
      const [first = 0, second = 1] = endings;
      ends[first]?.();
      await runs[first];
      expect(Error.stackTraceLimit).toBe(0);
      ends[second]?.();
      await runs[second];
      expect(Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")).toEqual(limit);
    }
  });

  it("packs no properties into messages, and answers as if it did", async () => {
    const packed = vi.spyOn(Value, "fromJavaScript");
    const nested = {
      zones: 1,
      list: [1, "two", true, null, { deep: [undefined, "x"] }],
      left: undefined,
      secret: pulumi.secret("s"),
    };
    let answered: unknown;
    const run = async () => {
      const { resources } = await runOffline(() => {
        const file = new Thing(nested);
        file.content.apply((value) => {
          answered = value;
        });
      }, options);
      return resources.map(({ inputs, secretInputs }) => ({ inputs, secretInputs }));
    };
    const lean = await run();
    expect(packed).not.toHaveBeenCalled();
    expect(lean[1]).toEqual({
      inputs: { content: { list: [1, "two", true, null, { deep: [null, "x"] }], secret: "s", zones: 1 } },
      secretInputs: ["content"],
    });
    expect(Object.keys(lean[1]?.inputs.content as object)).toEqual(["list", "secret", "zones"]);
    expect(answered).toEqual(lean[1]?.inputs.content);
    expect(Struct.fromJavaScript({ a: "b" }).toJavaScript()).toEqual({ a: "b" });
    expect(packed).toHaveBeenCalledOnce();
  });

  it("keeps no record of promises, and reports those that never settle itself", async () => {
    leakedPromises();
    const never = runOffline(
      () => {
        new Thing({ value: pulumi.output(new Promise(() => {})) });
      },
      { ...options, drainTimeoutMs: 20 },
    );
    await expect(never).rejects.toThrow('still waiting for the inputs of: test:index:Thing "thing"');
    expect(leakedPromises()[0].size).toBe(0);
  });

  it("keeps it where it is asked for", async () => {
    vi.stubEnv("INFERENCE_STACKS_TRACES", "1");
    await expect(runOffline(failing, options)).rejects.toMatchObject({
      stack: expect.stringMatching(/^Error: boom\n +at .*lean-runtime\.test\.ts/),
    });
  });

  it("says how to get the trace of a program that throws", async () => {
    const failed = runOffline(failing, options);
    await expect(failed).rejects.toMatchObject({
      message: "boom",
      stack: "Error: boom\n    (set INFERENCE_STACKS_TRACES=1 for a stack trace)",
    });
    expect(new Error("later").stack).toContain("lean-runtime.test.ts");
  });
});
