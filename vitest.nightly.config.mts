import { defineConfig } from "vitest/config";

/** Tests that take large parts or long: neither part of `npm test` nor of the tests on real parts. */
export default defineConfig({
  test: {
    include: ["test/nightly/**/*.test.ts"],
    testTimeout: 20 * 60_000,
  },
});
