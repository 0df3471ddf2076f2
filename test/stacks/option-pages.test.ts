/** What pages of docs about models and engines suggest can be deployed. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { engineOptions } from "../../engines";
import { repositoryRoot } from "../../names/repository-root";
import { changedRun } from "./run";

const read = (page: string) => readFileSync(join(repositoryRoot(), "docs", `${page}.md`), "utf8");

/** Fragments below `config:`, keys without our namespace. */
function fragments(page: string): Record<string, unknown>[] {
  return [...read(page).matchAll(/^```yaml\n(inference-stacks:.*?)^```$/gms)].map(([, text = ""]) =>
    Object.fromEntries(
      Object.entries(parse(text) as object).map(([key, value]) => [key.replace("inference-stacks:", ""), value]),
    ),
  );
}

describe.each([
  ["engine-options", 6],
  ["images", 2],
  ["lora-adapters", 1],
  ["prefill-decode", 1],
  ["ray-serve", 1],
  ["shared-servers", 1],
])("docs/%s.md", (page, count) => {
  it("suggests what can be deployed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-"));
    mkdirSync(join(folder, "templates"));
    writeFileSync(join(folder, "templates/chat.jinja"), "{{ messages }}");
    const found = fragments(page);
    expect(found).toHaveLength(count);
    for (const fragment of found) {
      // A page's models stand alone: on a pool of their own size.
      const pools = {
        system: { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64 },
        a10: { shape: "BM.GPU.A10.4", availabilityDomains: [1] },
      };
      const { plan } = await changedRun("oci-h100", fragment.models ? { ...fragment, pools } : fragment, folder);
      const refused = plan.problems.filter(({ severity }) => severity === "mandatory");
      expect([fragment, refused]).toEqual([fragment, []]);
    }
  });
});

describe("docs/engine-options.md", () => {
  it("names the pinned versions", () => {
    const [vllm, ollama] = (["vllm", "ollama"] as const).map((engine) => engineOptions(engine).options.version);
    expect(read("engine-options")).toContain(`vLLM ${vllm}, Ollama ${ollama}`);
  });
});
