/** What an operator is told of failures, and when; and that nobody is told anything in a week without any. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTestFile } from "./promtool-files";
import { storyFiles } from "./stories/files";
import { STORIES } from "./stories/stories";
import { tool } from "./tool";

describe("failures of a platform", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stories-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("are told by the right alert in time, and a quiet week by none", { timeout: 200_000 }, () => {
    const files = storyFiles();
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text);
    }
    const tests = Object.keys(files).filter(isTestFile);
    const { status, output } = tool("promtool", "test", "rules", ...tests.map((name) => join(folder, name)));
    expect(status, output).toBe(0);
  });

  it("are told within 6 minutes where a model or the gateway is down, and within 20 otherwise", () => {
    for (const { story, after, isOutage } of STORIES) {
      expect(after, story).toBeLessThanOrEqual(isOutage ? 6 : 20);
    }
  });

  it("stand in docs/alerts.md", () => {
    const docs = readFileSync(join(__dirname, "../../../docs/alerts.md"), "utf8");
    for (const { story, alert, after } of STORIES) {
      expect(docs).toContain(`| ${story} | [${alert}](operations.md#${alert.toLowerCase()}) | ${after} min |`);
    }
  });
});
