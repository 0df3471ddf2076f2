import { afterAll, expect, vi } from "vitest";

/**
 * Files share a process (vitest.config.mts): one that leaves a changed environment, folder or clock behind would fail
 * another, later and elsewhere. It fails itself.
 */
const before = state();
afterAll(() => {
  expect(state(), "what this file leaves behind in its process").toEqual(before);
});

function state(): object {
  return {
    env: { ...process.env },
    folder: process.cwd(),
    fakeTimers: vi.isFakeTimers(),
    stack: Error.prepareStackTrace,
  };
}
