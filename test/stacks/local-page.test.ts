import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { localClusterTools } from "../../catalog/local-clusters";
import { repositoryRoot } from "../../names/repository-root";
import { laptop, planOf, useFolder } from "../cli/run";

const page = readFileSync(join(repositoryRoot(), "docs", "local.md"), "utf8");
const folder = useFolder();

describe("the page of clusters on this computer", () => {
  it("shows an environment that plans", async () => {
    const [, fragment = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
    const sections = Object.entries(parse(fragment) as object).map(([key, value]) => [key.split(":")[1], value]);
    const { status, err } = await planOf(folder, { ...laptop, ...Object.fromEntries(sections) });
    expect([status, err]).toEqual([0, ""]);
  });

  it("tells what is pinned", () => {
    for (const { oldest, kubernetesVersion, storageClass } of localClusterTools) {
      expect(page).toContain(` ${oldest} |`);
      expect(page).toContain(` ${kubernetesVersion.replace(/\+.*$/, "")} |`);
      expect(page).toContain(`\`${storageClass}\``);
    }
  });
});
