import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiComparison } from "../../planner/speed/price";
import type { ServiceCost } from "../../planner/types";
import { htmlReport } from "../../report/html";
import { escapeText, html } from "../../report/html/markup";
import { memoryVerdict } from "../harness/plans";
import { atNight } from "../harness/property-runs";
import {
  advisory,
  mandatory,
  modelPlan,
  planResult,
  poolPlan,
  refusedResult,
  resource,
  resources,
  shape,
} from "./html.fixture";
import { malformations, visibleText, withModels } from "./page";

describe("a deployable plan", () => {
  const page = htmlReport(planResult);
  const text = visibleText(page);

  it("is well-formed and needs nothing from outside", () => {
    expect(malformations(page)).toEqual([]);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|https?:|\bsrc=|\son[a-z]+=/i);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(
      [...page.matchAll(/href="([^"]*)"/g)].every(([, target]) => page.includes(` id="${target?.slice(1)}"`)),
    ).toBe(true);
  });

  it("says at the top which environment it is and that it may be deployed", () => {
    const header = visibleText(page.slice(page.indexOf("<header>"), page.indexOf("</header>")));
    expect(header).toContain("aws-prod production environment Deployable Next: npm run doctor -- aws-prod");
  });

  it("names the receivers of alerts", () => {
    expect(htmlReport(planResult)).toContain("Alerts: slack (critical, warning), heartbeat");
  });

  it("shows the key figures", () => {
    expect(text).toContain("Models placed 4 3 on vLLM · 1 on Ollama");
    expect(text).toContain("GPUs claimed 19 of 20 95% of the GPUs that always run");
    expect(text).toContain("Per hour $115.89 6 nodes always on");
    expect(text).toContain("Per month $84,601");
    expect(text).toContain("of a budget of $90,000");
    expect(text).toContain("Policies 24 passed 0 failed · 1 advisory");
  });

  it.each([
    ["llama-405b", "Weights 47.3 GiB KV cache 16.2 GiB 32 × 16,384 tokens Overhead 5.1 GiB Free 2.9 GiB"],
    ["qwen-8b", "Weights 9.4 GiB KV cache 5.3 GiB 16 × 8,192 tokens Overhead 1.8 GiB Free 3.2 GiB"],
    ["reranker", "Weights 1.1 GiB KV cache 0.0 GiB 16 × 8,192 tokens Overhead 1.6 GiB Free 17.0 GiB"],
    ["assistant", "Weights 1.9 GiB KV cache 1.8 GiB 4 × 4,096 tokens Overhead 0.9 GiB Free 46.6 GiB"],
  ])("splits the memory of %s", (name, split) => {
    const memory = text.slice(text.indexOf(" Memory On the tightest"), text.indexOf(" Models Start-up"));
    expect(memory.slice(memory.indexOf(` ${name} `))).toContain(split);
  });

  it("shows what lies beyond the limit", () => {
    const memoryPerGpu = { weightsGiB: 20, kvCacheGiB: 4, overheadGiB: 1, totalGiB: 25, limitGiB: 20 };
    const over = htmlReport(withModels([modelPlan({ name: "large", memoryPerGpu })]));
    expect(visibleText(over)).toContain("Over the limit 5.0 GiB");
    expect(over).toContain('<rect class="over" x="80%" width="20%"');
    expect(over).toContain('<rect class="weights" x="0%" width="80%"');
  });

  it("shows how each model runs, what it costs, and the five-step rule beside the plan", () => {
    expect(text).toMatch(
      /A llama-405b llama-3\.1-405b-instruct · chat example\/model@4f2c1b9 · BF16 vLLM 0\.11\.2 p5\.48xlarge NVIDIA H100 80GB SXM pool large TP 8 × PP 2 16 GPUs on 2 nodes 1 up to 2 ≤ 10 min 10 s \$80,358 ?\/month \$110\.08 ?\/hour /,
    );
    expect(text).toMatch(
      /D assistant assistant · chat llama3\.2:3b · BF16 Ollama 0\.13\.0 m7i\.4xlarge 7 CPUs, amd64 pool cpu CPU no GPU 2 up to 4 ≤ 30 s \$95\.20/,
    );
    expect(text).toContain("llama-405b Rule 2 nodes, 974 GB; exact 2 nodes");
  });

  it("shows how a model and its canary share requests, and what both cost", () => {
    const model = modelPlan({ name: "chat", monthlyUsd: 1000 });
    const canary = modelPlan({ name: "chat-canary", monthlyUsd: 234, revisionOf: { model: "chat", weight: 20 } });
    const page = htmlReport({ ...planResult, plan: { ...planResult.plan, models: [model, canary] } });
    expect(page).toContain("<small>80 % of its requests, 1,234 USD/month with its canary</small>");
    expect(page).toContain("<small>canary: 20 % of the requests to chat</small>");
    expect(htmlReport({ ...planResult, plan: { ...planResult.plan, models: [model] } })).not.toContain(
      "of its requests",
    );
  });

  it("folds services below a hundredth of the cost, which the total holds", () => {
    const service = (name: string, monthlyUsd: number): ServiceCost => ({
      kind: "volume",
      name,
      count: 1,
      hourlyUsd: 0,
      monthlyUsd,
      maxMonthlyUsd: monthlyUsd,
      note: "a price",
    });
    const services = [service("NAT gateways", 10), service("keys", 9), service("addresses", 8)];
    const cost = { ...planResult.plan.cost, monthlyUsd: 1000, services };
    const page = htmlReport({ ...planResult, plan: { ...planResult.plan, cost } });
    const [open, folded = ""] = page.slice(page.indexOf('id="cost"')).split("<summary>");
    expect(open).toContain("NAT gateways");
    expect(open).not.toContain("addresses");
    expect(visibleText(folded)).toContain("In the total: keys, addresses, each below 1%, together $17.00 a month");
  });

  it("compares with the cheapest API at the top", () => {
    const api = (provider: string, usdPerMillionTokens: number): ApiComparison => ({
      provider,
      offer: "chat",
      asOf: "2026-11-01",
      source: "a page",
      inputUsdPerMillion: 1,
      outputUsdPerMillion: 1,
      usdPerMillionTokens,
      breakEvenPerSecond: 9,
      isReachable: false,
    });
    const model = modelPlan({ name: "chat", tokenPrice: { apis: [api("Dear", 2), api("Cheap", 0.5)] } });
    expect(visibleText(htmlReport(withModels([model])))).toMatch(/chat by an API: Cheap 0\.5 USD .* Topology/);
  });

  it("says for each model how the five-step rule differs", () => {
    const differences = text.slice(text.indexOf("How the five-step rule and the capacity table compare"));
    expect(differences).toContain("nodes: ⌈974 / 640⌉ = 2 The rule counts 20% for the KV cache; 32 requests");
    expect(differences).toContain("nodes: ⌈19.3 / 96⌉ = 1 Both say one node.");
  });

  it("shows each pool with its nodes, claims, prices and notes, and their total", () => {
    expect(text).toContain(
      "large models on GPUs p5.48xlarge 8 × NVIDIA H100 80GB SXM 2–4 16 of 16 $55.04 $110.08 $80,358 $160,717 95%",
    );
    expect(text).toContain("shared models on GPUs g6.12xlarge 4 × NVIDIA L4 1 3 of 4 $4.60 $4.60 $3,359 $3,359 4%");
    expect(text).toContain("<1% · 12.00 USD are free".replace("<", "&lt;"));
    expect(text).toContain("system platform services m7i.xlarge 2–4 – $0.20 $0.40 $294.34 $588.67");
    expect(text).toContain("Total $115.89 $84,601 $165,842 budget $90,000 a month");
  });

  it("shows the model store and each model's origin and volume", () => {
    expect(text).toContain("bucket models , 1,159 GiB for llama-405b, qwen-8b, reranker");
    expect(text).toContain(
      "llama-405b example/model Hugging Face, revision 4f2c1b9 811.7 GB 405.9 B parameters 1,134 GiB streamed yes",
    );
    expect(text).toContain("assistant llama3.2:3b Ollama registry 2 GB 3.2 B parameters 3 GiB copied first no");
  });

  it("lists every resource below its component, and no input", () => {
    const tree = page.slice(page.indexOf('id="resources"'));
    expect(visibleText(tree)).toContain("6 resources in 2 components");
    for (const { name, type } of resources) {
      expect(visibleText(tree)).toContain(`${name} ${type}`);
    }
    expect(tree.match(/<details/g)).toHaveLength(3);
    expect(visibleText(tree)).toContain("models aws:s3/bucket:Bucket protected");
    expect(page).not.toContain("a-secret-value");
  });

  it("shows advice, but not before the plan", () => {
    expect(text).toContain(advisory.message);
    expect(page.indexOf('id="violations"')).toBeGreaterThan(page.indexOf('id="cost"'));
  });

  it("says what the budget limits, what the month costs at most, and what has no price here", () => {
    expect(text).toContain("$165,842 with every pool at maxNodes");
    expect(text).toContain("the budget limits this. The largest month, with every pool at maxNodes, is $165,842");
    expect(text).toContain("Not priced: volumes, load balancers.");
  });

  it("says when it was made, and of which commit, where that is known", () => {
    expect(text).not.toContain("planned 2");
    const made = { date: "2026-11-22 08:30 UTC", commit: "76a9bda01234-dirty" };
    const dated = visibleText(htmlReport({ ...planResult, made }));
    expect(dated).toContain("production environment · planned 2026-11-22 08:30 UTC · commit 76a9bda01234-dirty");
  });

  it("shows the capacity table beside the exact figure, as a rule of thumb", () => {
    const capacityTable = {
      classB: 7,
      tableGpuMemoryGB: 8,
      tableGpus: 1,
      exactGpuMemoryGB: 20.3,
      exactGpus: 1,
      tokensPerSecond: { from: 40, to: 80 },
      batchingBenefit: "moderate",
      difference: "exactly 20.3 GB, 12.3 above the table's 8",
    };
    expect(visibleText(htmlReport(withModels([modelPlan({ name: "one", capacityTable })])))).toContain(
      "Capacity table: 8 GB on 1 GPU for 7 billion parameters at 4 bits, 40–80 tokens/s for one request (its rule of thumb, not a measurement). exactly 20.3 GB, 12.3 above the table&#39;s 8",
    );
  });

  it("is the same page for the same result", () => {
    expect(htmlReport(planResult)).toBe(page);
  });
});

describe("a refused plan", () => {
  const page = htmlReport(refusedResult);
  const text = visibleText(page);

  it("shows the findings first, the mandatory ones before the advice", () => {
    expect(malformations(page)).toEqual([]);
    expect(text).toContain("Not deployable Fix the findings below and plan again.");
    expect(page.indexOf('id="violations"')).toBeLessThan(page.indexOf('class="figures"'));
    expect(text.indexOf(mandatory.message)).toBeGreaterThan(0);
    expect(text.indexOf(mandatory.message)).toBeLessThan(text.indexOf(advisory.message));
    expect(text).toContain("What forbids this deployment 2 findings to fix, 1 to consider.");
  });

  it("names the resource of a finding instead of its URN", () => {
    expect(text).toContain(
      "must be fixed resources-set llama-405b-workers kubernetes:apps/v1:Deployment container worker",
    );
    expect(text).not.toContain("urn:pulumi");
  });

  it("puts the findings of one rule about one resource in one row", () => {
    const messages = ["container a has no limit", "container b has no limit"];
    const violations = messages.map((message) => ({ ...mandatory, policy: "resources-set", message }));
    const grouped = htmlReport({ ...refusedResult, violations });
    expect(grouped.match(/class="severity mandatory"/g)).toHaveLength(1);
    expect(visibleText(grouped)).toContain(messages.join(" "));
    expect(visibleText(grouped)).toContain("2 findings to fix");
  });

  it("says by how much the budget is exceeded", () => {
    expect(text).toContain("$4,601 over the budget of $80,000");
    expect(text).toContain("22 passed 2 failed · 1 advisory");
  });

  it("shows models without a place in every section, with what they lack", () => {
    const memoryPerGpu = { weightsGiB: 16.5, kvCacheGiB: 5, overheadGiB: 2.7, totalGiB: 24.2, limitGiB: 20.3 };
    const parts = { tensorParallel: 4, pipelineParallel: 2, nodesPerReplica: 2, gpusPerNode: 4 };
    const { servedName, engine, engineVersion, task, source, format, contextTokens, concurrency } = modelPlan({
      name: "x",
    });
    const lost = { servedName, engine, engineVersion, task, source, format, contextTokens, concurrency };
    const nearest = {
      pool: "a10",
      shape: "BM.GPU.A10.4",
      ...parts,
      memoryPerGpu,
      verdict: memoryVerdict({ answer: "no" }),
    };
    const unplaced = [{ ...lost, name: "huge", rule: "model-fits", nearest }];
    const partly = htmlReport({ ...refusedResult, plan: { ...refusedResult.plan, unplaced } });
    expect(malformations(partly)).toEqual([]);
    const shown = visibleText(partly);
    expect(shown).toContain("Models placed 4 of 5 huge without a place");
    expect(shown).toContain("huge has no place (model-fits)");
    expect(shown).toContain("huge not placed nearest: TP 4 × PP 2 on BM.GPU.A10.4");
    expect(shown).toContain("Over the limit 3.9 GiB");
    expect(shown).toMatch(/huge x · chat example\/model@4f2c1b9 · BF16 vLLM 0\.11\.2 not placed model-fits/);
  });

  it("lists the changes that would mend it", () => {
    const message = "too dear.\nTo fix it:\n- lower models.a.concurrency from 8 to 7: 100 USD a month";
    const page = htmlReport({ ...refusedResult, violations: [{ ...mandatory, message }] });
    expect(page.replaceAll("<wbr>", "")).toContain(
      '<ul class="fixes"><li>lower models.a.concurrency from 8 to 7: 100 USD a month</li></ul>',
    );
  });

  it("is complete without a single placed model", () => {
    const empty = htmlReport({
      ...refusedResult,
      resources: [],
      plan: { ...refusedResult.plan, models: [], pools: [] },
    });
    expect(malformations(empty)).toEqual([]);
    expect(visibleText(empty)).toContain("no GPU in this plan");
  });
});

describe("hostile text", () => {
  const attack = `"><script>alert('x')</script>&`;

  it("stays text, wherever it comes from", () => {
    const stack = resource(attack, "pulumi:pulumi:Stack");
    const page = htmlReport({
      ...refusedResult,
      resources: [stack, resource(attack, attack, stack)],
      violations: [{ policy: attack, severity: "mandatory", resource: attack, message: attack }],
      plan: {
        ...planResult.plan,
        environment: attack,
        models: [
          modelPlan({
            name: attack,
            servedName: attack,
            domain: attack,
            engineVersion: attack,
            gpuModel: attack,
            notes: [attack],
            source: { kind: "bucket", uri: attack },
          }),
        ],
        pools: [poolPlan({ name: attack, shape: { ...shape("g6.12xlarge"), name: attack } })],
        storage: { models: [attack], bucket: attack, sizeGiB: 1 },
        cost: {
          hourlyUsd: 0,
          monthlyUsd: 0,
          maxMonthlyUsd: 0,
          notPriced: [attack],
          services: [
            {
              kind: "volume",
              name: attack,
              count: 1,
              sizeGiB: 1,
              hourlyUsd: 0,
              monthlyUsd: 0,
              maxMonthlyUsd: 0,
              note: attack,
            },
          ],
          items: [{ name: attack, hourlyUsd: 0, monthlyUsd: 0, maxMonthlyUsd: 0, note: attack }],
        },
      },
    });
    expect(malformations(page)).toEqual([]);
    expect(page).not.toContain("<script");
    expect(page).toContain(escapeText(attack));
  });

  it("leaves a page well-formed for any model name and message", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (name, message) => {
        const page = htmlReport({ ...withModels([modelPlan({ name })]), violations: [{ ...mandatory, message }] });
        expect(malformations(page)).toEqual([]);
        // A line that begins like a list's is one of a list, whose mark the page draws itself.
        expect(page.replaceAll("<wbr>", "")).toContain(escapeText(message.replace(/^- /, "")));
      }),
      { numRuns: atNight(50), examples: [["chat", "- one"]] },
    );
  });

  it("is escaped by the template, once", () => {
    expect(html`<p title="${'"'}">${["<", html`<b>${"&"}</b>`]}${undefined}${7}</p>`.text).toBe(
      '<p title="&quot;">&lt;<b>&amp;</b>7</p>',
    );
  });
});
