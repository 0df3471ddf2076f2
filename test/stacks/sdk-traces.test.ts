import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it } from "vitest";
import { requireAsSdk, takeNoSdkTraces } from "../../stacks/sdk-traces";

interface Recorded extends Promise<unknown> {
  readonly _debugStackTrace: string;
}

/** As the SDK calls it: by the module, each time. */
const recorded = () => {
  const promise = Promise.resolve() as unknown as Recorded;
  const { debuggablePromise } = requireAsSdk("@pulumi/pulumi/runtime/debuggable.js");
  return { promise, returned: debuggablePromise(promise, "here") };
};
const positions = pulumi.Resource as unknown as { callsites(): readonly object[] };

let undo = () => {};
afterEach(() => undo());

describe("the SDK's own traces", () => {
  it("are not taken, while promises stay on its list and errors keep theirs", async () => {
    const { leakCandidates } = requireAsSdk("@pulumi/pulumi/runtime/state.js").getStore();
    undo = takeNoSdkTraces({});
    const { promise, returned } = recorded();
    expect(promise._debugStackTrace).not.toContain("sdk-traces.test");
    expect(leakCandidates.has(promise)).toBe(true);
    await returned;
    expect(leakCandidates.has(promise)).toBe(false);
    expect(positions.callsites()).toEqual([]);
    expect(new Error("ours").stack).toContain("sdk-traces.test");
  });

  it("are taken where somebody asks for leaks", () => {
    undo = takeNoSdkTraces({ PULUMI_DEBUG_PROMISE_LEAKS: "1" });
    expect(recorded().promise._debugStackTrace).toContain("sdk-traces.test");
    expect(positions.callsites().length).toBeGreaterThan(0);
  });

  it("are taken again afterwards", () => {
    takeNoSdkTraces({})();
    expect(recorded().promise._debugStackTrace).toContain("sdk-traces.test");
    expect(positions.callsites().length).toBeGreaterThan(0);
  });
});
