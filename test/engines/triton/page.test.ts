import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../../names/repository-root";
import { laptop, planOf, useFolder } from "../../cli/run";

const page = readFileSync(join(repositoryRoot(), "docs/triton.md"), "utf8");
const fragments = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);

describe("docs/triton.md", () => {
  const folder = useFolder();

  it.each(fragments)("suggests what can be deployed: %s", async (text) => {
    const models = (parse(text) as Record<string, object>)["inference-stacks:models"];
    const node = { card: "l40s", gpuCount: 1, vcpus: 32, memoryGiB: 256 };
    const { status, out } = await planOf(
      folder,
      { ...laptop, cluster: { kind: "edge" }, pools: { gpu: { node } }, models },
      "--json",
    );
    expect([status, out.includes('"engine": "triton"')]).toEqual([0, true]);
  });

  it("has one for each way", () => {
    expect(fragments).toHaveLength(2);
  });
});
