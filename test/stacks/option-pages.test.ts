/** What pages of docs about models and engines suggest can be deployed. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engineOptions } from "../../engines";
import { repositoryRoot } from "../../names/repository-root";
import { changedPlan, isDeployable, refusalsOf } from "./planned";
import { changedRun } from "./run";
import { changedText, type Sections, suggestedSections, together } from "./texts";

/** A page's models stand alone: on a pool of their own size. */
function alone(fragment: Sections): Sections {
  const pools = {
    system: { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64 },
    // Virtual machines, for bare metal attaches no volume to models of Ollama.
    a10: { shape: "VM.GPU.A10.2", availabilityDomains: [1], minNodes: 0, maxNodes: 4 },
    large: { shape: "BM.GPU.A10.4", availabilityDomains: [1], minNodes: 0 },
  };
  return fragment.models ? { ...fragment, pools } : fragment;
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
    const fits = (group: Sections) => isDeployable(changedText("oci-h100", alone(group)));
    const found = suggestedSections(`${page}.md`);
    expect(found).toHaveLength(count);
    for (const fragment of found) {
      const { plan } = await changedPlan("oci-h100", alone(fragment), folder);
      expect([fragment, refusalsOf(plan)]).toEqual([fragment, []]);
    }
    for (const group of await together(found, fits)) {
      const { plan } = await changedRun("oci-h100", alone(group), folder);
      expect([group, refusalsOf(plan)]).toEqual([group, []]);
    }
  });
});

describe("docs/engine-options.md", () => {
  it("names the pinned versions", () => {
    const [vllm, ollama] = (["vllm", "ollama"] as const).map((engine) => engineOptions(engine).options.version);
    const page = readFileSync(join(repositoryRoot(), "docs", "engine-options.md"), "utf8");
    expect(page).toContain(`vLLM ${vllm}, Ollama ${ollama}`);
  });
});
