/** A spike in which a replica dies: what people are told, in which order, and what it costs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { isTestFile, type PromtoolFiles } from "./promtool-files";
import { afterDeath, spikeFiles, TOLD_OF_SPIKE } from "./stories/spike";
import { tool } from "./tool";

describe("a spike with a dying replica", { timeout: 400_000 }, () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "spike-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function inPrometheus(files: PromtoolFiles) {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text);
    }
    const tests = Object.keys(files).filter(isTestFile);
    return tool("promtool", "test", "rules", ...tests.map((name) => join(folder, name)));
  }

  it("fires the expected alerts and no others, and has burn rates and costs as added up by hand", () => {
    const { status, output } = inPrometheus(spikeFiles());
    expect(status, output.slice(0, 4000)).toBe(0);
  });

  it("is told from one in which an alert comes a minute later", () => {
    const [first, ...others] = TOLD_OF_SPIKE;
    const { status, output } = inPrometheus(spikeFiles(first ? [{ ...first, from: first.from + 1 }, ...others] : []));
    expect(status).not.toBe(0);
    expect(output.match(/got:/g)).toHaveLength(1);
  });

  it("stands in docs/alerts.md, in this order", () => {
    const minutes = TOLD_OF_SPIKE.map(({ from }) => from);
    expect(minutes).toEqual([...minutes].sort((a, b) => a - b));
    const docs = readFileSync(join(repositoryRoot(), "docs/alerts.md"), "utf8");
    const rows = TOLD_OF_SPIKE.map((told) => {
      const { alert } = told;
      return `| ${afterDeath(told)} min | [${alert}](operations.md#${alert.toLowerCase()}) |`;
    });
    const found = rows.map((row) => docs.indexOf(row));
    expect(
      found.every((at) => at >= 0),
      rows.join("\n"),
    ).toBe(true);
    expect(found).toEqual([...found].sort((a, b) => a - b));
  });
});
