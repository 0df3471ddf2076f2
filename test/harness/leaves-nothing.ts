import { afterAll, expect, vi } from "vitest";

/**
 * Files share a process (vitest.config.mts): one that leaves a changed environment, folder or clock behind would fail
 * another, later and elsewhere. It fails itself.
 */
export function expectNothingLeft(): void {
  const variables = { ...process.env };
  const folder = process.cwd();
  const { stackTraceLimit } = Error;

  afterAll(() => {
    const names = new Set([...Object.keys(variables), ...Object.keys(process.env)]);
    const left = {
      // Names alone: values may be somebody's secrets.
      variables: [...names].filter((name) => process.env[name] !== variables[name]),
      folder: process.cwd(),
      fakeTimers: vi.isFakeTimers(),
      stackTraceLimit: Error.stackTraceLimit,
    };
    expect(left, "what this file leaves behind in its process").toEqual({
      variables: [],
      folder,
      fakeTimers: false,
      stackTraceLimit,
    });
  });
}
