import { describe, expect, it } from "vitest";
import { parseEnvironmentFile } from "../../stacks/config";
import { environmentWith } from "./environment";

describe("environmentWith", () => {
  it.each([1, 10, 1000])("makes a valid environment of %i models", (count) => {
    const parsed = parseEnvironmentFile(environmentWith(count));
    expect(parsed).toMatchObject({ ok: true });
    expect(parsed.ok && Object.keys(parsed.environment.models).length).toBe(count);
  });

  it("varies what models ask for", () => {
    const parsed = parseEnvironmentFile(environmentWith(100));
    const questions = parsed.ok
      ? Object.values(parsed.environment.models).map((m) => `${m.model} ${m.contextTokens} ${m.concurrency}`)
      : [];
    expect(new Set(questions).size).toBe(45);
  });
});
