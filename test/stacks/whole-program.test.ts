import { EventEmitter } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { UnfinishedProgramError, whole } from "../../stacks/whole-program";

class Ending extends EventEmitter {
  exitCode: number | undefined;
}

const never = () => new Promise<never>(() => undefined);

describe("a program that ends", () => {
  it("gives what it made, or its own error, and leaves no listener behind", async () => {
    const ending = new Ending();
    expect(await whole(async () => ({ address: "10.0.0.1" }), ending)).toEqual({ address: "10.0.0.1" });
    await expect(whole(() => Promise.reject(new Error("own")), ending)).rejects.toThrow("own");
    expect(ending.eventNames()).toEqual([]);
  });

  it("fails while its process could still go on, where it waits for what never happens", async () => {
    const ending = new Ending();
    const program = whole(never, ending);
    ending.emit("beforeExit", 0);
    await expect(program).rejects.toBeInstanceOf(UnfinishedProgramError);
    expect(ending.exitCode).toBeUndefined();
  });

  it.each([
    [0, 1],
    [3, undefined],
  ])("whose process something ends with %i ends with another status only where that says success", (code, status) => {
    const told = vi.spyOn(console, "error").mockReturnValue();
    const ending = new Ending();
    void whole(never, ending);
    ending.emit("exit", code);
    expect(ending.exitCode).toBe(status);
    expect(told).toHaveBeenCalledTimes(status === undefined ? 0 : 1);
  });
});
