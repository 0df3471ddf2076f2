import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../cli/plan";
import { laptop, onA10, plan, planOf, runPiped, useFolder } from "./run";

const folder = useFolder();
const ESCAPE = "\u001b";
/** What needs more memory than the machines have. */
const tooLarge = onA10({ model: "llama-3.3-70b-instruct", concurrency: 16 });
const overBudget = onA10({}, { budget: { monthlyUsd: 100 } });
/** A message as it was before it was broken into lines. */
const unwrapped = (text: string) => text.replace(/\n {2,}/g, " ");

describe("the command line of plan", () => {
  it("explains itself", async () => {
    const { status, out, err } = await plan("--help");
    expect([status, err]).toEqual([0, ""]);
    for (const option of ["--config FILE", "--json", "--html FILE", "--explain", "--tree", "--resources"]) {
      expect(out).toContain(option);
    }
    expect(out).toContain("0 deployable, 1 forbidden by a capacity rule or policy, 2 bad input");
  });

  it.each([
    { argv: [], says: "name one environment: aws-prod, dev, edge-nvidia, edge-radeon, oci-a10, oci-h100" },
    { argv: ["dev", "oci-a10"], says: "name one environment" },
    { argv: ["mine.yaml"], says: "--config mine.yaml" },
    { argv: ["/tmp/mine.yaml"], says: "--config /tmp/mine.yaml" },
    { argv: ["oci-h1000"], says: 'there is no environment "oci-h1000"; did you mean "oci-h100"?' },
    { argv: ["nothing-like-it"], says: "environments: aws-prod, dev, edge-nvidia, edge-radeon, oci-a10, oci-h100" },
    { argv: ["dev", "--jsno"], says: "Unknown option '--jsno'" },
    { argv: ["dev", "--config"], says: "--config" },
    { argv: ["dev", "--json=yes"], says: "--json" },
    { argv: ["dev", "--config", join(folder, "missing.yaml")], says: "it does not exist; correct the path" },
    { argv: ["dev", "--config", folder], says: `cannot read ${folder}` },
    { argv: ["dev", "--config", ""], says: "cannot read" },
    { argv: [""], says: "cannot be the name of an environment" },
    { argv: ["../etc/passwd"], says: "cannot be the name of an environment" },
    { argv: ["größe 1", "--config", "Pulumi.dev.yaml"], says: "cannot be the name of an environment" },
  ])("$argv: bad input", async ({ argv, says }) => {
    const { status, out, err } = await plan(...argv);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(says);
    expect(err).not.toMatch(/\n\s+at /);
  });
});

describe("the plan of dev", () => {
  it("is text without colours when piped, and says what comes next", async () => {
    const { status, out, err } = await plan("dev");
    expect([status, err]).toEqual([0, ""]);
    expect(out).not.toContain(ESCAPE);
    expect(out).toMatch(/^inference-stacks · dev · plan in \d+\.\d s\n/);
    expect(out).toMatch(/^Cost +0 USD\/hour, 0 USD\/month: the nodes that always run\nStorage /m);
    expect(out).not.toMatch(/^(Sizing|Ranges) /m);
    expect(out).toMatch(/^Policies +\d+ passed · 0 failed( · \d+ advisory)?$/m);
    expect(out).toMatch(
      /^First: correct modelControl\.image \(model-control-image, above\)\nNext: npm run doctor -- dev\n(.*\n)*.*pulumi up -s dev --policy-pack policies\n$/m,
    );
    expect(out).not.toContain("platform-models-assistant");
  });

  it("lists every resource below its component with --resources", async () => {
    const { out } = await plan("dev", "--resources");
    const [, count] = /^Resources +(\d+) in/m.exec(out) ?? [];
    expect(out.match(/^[│├└ ─]*\S+ \(\S+\)$/gm)).toHaveLength(Number(count));
    expect(out).toContain("│  └─ platform-models-assistant (inference:serving:OllamaServer)\n");
  });

  it("lists the components with what each makes with --tree, in few lines", async () => {
    const { out } = await plan("dev", "--tree");
    const [, components] = /^Resources +\d+ in (\d+) components/m.exec(out) ?? [];
    expect(out.match(/\(inference:/g)).toHaveLength(Number(components));
    expect(out).toMatch(
      /─ platform-models-assistant \(inference:serving:OllamaServer\): Namespace, 2 NetworkPolicy,$/m,
    );
    expect(out).not.toContain("(kubernetes:");
  });

  it("has the JSON keys that others rely on", async () => {
    const { status, out } = await plan("dev", "--json");
    expect(status).toBe(0);
    const json: unknown = JSON.parse(out);
    expect(json).toMatchObject({
      environment: "dev",
      deployable: true,
      pools: [{ name: "laptop", shape: "cpu-node", minNodes: 1, maxNodes: 1, hourlyUsd: 0 }],
      models: [
        {
          name: "assistant",
          engine: "ollama",
          pool: "laptop",
          shape: "cpu-node",
          gpusPerNode: 0,
          tensorParallel: 1,
          pipelineParallel: 1,
          nodesPerReplica: 1,
          minReplicas: 1,
          maxReplicas: 1,
          memoryPerGpu: {
            weightsGiB: expect.any(Number),
            kvCacheGiB: expect.any(Number),
            overheadGiB: expect.any(Number),
            totalGiB: expect.any(Number),
            limitGiB: expect.any(Number),
          },
          modelStorageGiB: expect.any(Number),
          startupBudgetSeconds: expect.any(Number),
        },
      ],
      cost: { hourlyUsd: 0, monthlyUsd: 0, maxMonthlyUsd: 0, notPriced: [] },
      policies: { passed: expect.any(Number), failed: 0 },
      unplaced: [],
      externalModels: [],
      resources: expect.arrayContaining([
        {
          urn: "urn:pulumi:dev::inference-stacks::inference:platform:Platform::platform",
          type: "inference:platform:Platform",
          parent: "urn:pulumi:dev::inference-stacks::pulumi:pulumi:Stack::inference-stacks-dev",
        },
      ]),
    });
  });

  it("is the same plan every time", async () => {
    const anew = () => runPiped(main, ["dev", "--json"]);
    const [first, second] = [await anew(), await anew()];
    expect(second.out).toBe(first.out);
  });
});

describe("--html", () => {
  it("writes one page that stands alone", async () => {
    const file = join(folder, "plan.html");
    const { status, out, err } = await plan("dev", "--html", file);
    expect([status, err]).toEqual([0, `wrote ${file}\n`]);
    expect(out).toContain("inference-stacks · dev");
    expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>/i);
  });

  it("cannot write into a folder that is missing, nor over one", async () => {
    const taken = join(folder, "taken");
    mkdirSync(taken);
    for (const file of [join(folder, "missing", "plan.html"), taken]) {
      const { status, err } = await plan("dev", "--html", file);
      expect(status).toBe(2);
      expect(err).toMatch(/^cannot write the web page: .*(no such file|illegal operation on a directory)/);
    }
    expect(existsSync(join(folder, "missing"))).toBe(false);
  });
});

describe("a plan that must not be deployed", () => {
  it("says how many GiB are missing, what would fit, and what the five-step rule would have said", async () => {
    const { status, out } = await planOf(folder, tooLarge);
    expect(status).toBe(1);
    expect(out).toMatch(/✗ model-fits models\.chat/);
    expect(out).toMatch(/\d+\.\d GiB missing/);
    expect(unwrapped(out)).toMatch(/five-step rule would say \d+ node\(s\) of VM\.GPU\.A10\.2/);
    expect(unwrapped(out)).toMatch(
      /To fix it, one of these, cheapest first: - \w+ (models|pools)\..*: [\d,]+ USD a month/,
    );
    expect(out).toMatch(
      /Not deployable\. Fix what is marked ✗ and plan again; docs\/refusals\.md explains each rule\.\n$/,
    );
  });

  it("is as clear to a program", async () => {
    const { status, out } = await planOf(folder, tooLarge, "--json");
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      deployable: false,
      models: [],
      violations: [{ policy: "model-fits", severity: "mandatory", resource: "models.chat" }],
    });
  });

  it("is one above its budget, said once", async () => {
    const { status, out } = await planOf(folder, overBudget);
    expect(status).toBe(1);
    expect(out.match(/✗ monthly-budget/g)).toHaveLength(1);
    expect(unwrapped(out)).toMatch(/costs 2926\.38 USD a month, 2826\.38 over the budget of 100\.00/);
  });

  it.each([
    { why: "a context that the model does not have", models: { contextTokens: 32_769 }, says: /allows 32768/ },
    {
      why: "more replicas than nodes",
      models: { replicas: { min: 1000 } },
      says: /lower models\.chat\.replicas from 1000 to 2/,
    },
  ])("is one with $why", async ({ models, says }) => {
    const chat = { ...laptop.models.chat, ...models };
    const { status, out } = await planOf(folder, { ...laptop, models: { chat } });
    expect([status, unwrapped(out)]).toEqual([1, expect.stringMatching(says)]);
  });

  it("is a model without a pool that may run it, and the fix names one", async () => {
    const pools = { platform: { ...laptop.pools.laptop, role: "system" } };
    const models = { chat: { model: "qwen2.5-0.5b-instruct" } };
    const { status, out } = await planOf(folder, { ...laptop, pools, models });
    expect([status, unwrapped(out)]).toEqual([
      1,
      expect.stringContaining("Add a pool with GPUs, or one with role: cpu, that is open to it."),
    ]);
  });

  it("is one on a machine that the platform alone fills", async () => {
    const pools = { laptop: { role: "cpu", node: { vcpus: 1, memoryGiB: 1 } } };
    const { status, out } = await planOf(folder, { ...laptop, pools });
    expect([status, unwrapped(out)]).toEqual([1, expect.stringContaining("take all 1 GiB of cpu-node")]);
  });
});

describe("the terminal", () => {
  const wide = (out: string) => out.split("\n").filter((line) => line.length > 100);

  it.each(["dev", "oci-a10", "oci-h100", "aws-prod", "edge-nvidia", "edge-radeon"])(
    "shows %s in 100 columns",
    async (name) => {
      const { out } = await plan(name, "--explain", "--tree");
      expect(wide(out)).toEqual([]);
    },
  );

  it("has room for the longest names, and for refusals", async () => {
    const name = `a${"-long".repeat(7)}-name`.slice(0, 40);
    const models = { [name]: { model: "llama-3.3-70b-instruct", replicas: { min: 1, max: 2 } } };
    for (const environment of [onA10({}, { models }), overBudget]) {
      const { out } = await planOf(folder, environment);
      expect(wide(out)).toEqual([]);
    }
  });

  it("says what a model is, and what hours a day would save that nothing keeps to", async () => {
    const pools = {
      system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 },
      gpu: { shape: "VM.GPU.A10.1", hoursPerDay: 4 },
    };
    const { out } = await planOf(folder, onA10({}, { pools }));
    expect(out).toMatch(/^ {2}Qwen\/Qwen2\.5-7B-Instruct · BF16 · vLLM \d+\.\d+\.\d+ · start-up ≤ /m);
    expect(out).toMatch(/^ {2}1 × NVIDIA A10 · 243\.33 USD a month if you stop it after 4 hours a day/m);
  });

  it("says what the budget limits, what the month costs at most, and what has no price here", async () => {
    const { out } = await planOf(folder, onA10({}, { budget: { monthlyUsd: 5000 } }));
    expect(out).toMatch(/^Cost +4\.08 USD\/hour, 2,926 USD\/month of a budget of 5,000: what always runs$/m);
    expect(out).toMatch(/^ +11,686 USD\/month with .* maxNodes; the budget does not limit this$/m);
    expect(out).toMatch(/^ +not priced: network traffic, the cluster's own .* nodes' disks$/m);
    expect(out).toMatch(/^Ranges +.*the second runs while demand or a schedule asks for it$/m);
  });

  it("keeps the five-step rule and the capacity table for --explain", async () => {
    const environment = onA10({});
    expect((await planOf(folder, environment)).out).not.toContain("the rule counts");
    const { out } = await planOf(folder, environment, "--explain");
    for (const step of [
      "1. parameters",
      "2. precision: 16 bits",
      "3. GPU memory",
      "4. GPU memory of one node",
      "5. nodes",
    ]) {
      expect(out).toContain(`    ${step}`);
    }
    expect(unwrapped(out)).toContain("- weights: the rule counts 15.2 GB");
    expect(unwrapped(out)).toMatch(
      /capacity table: 8 GB on 1 GPU\(s\) for 7 billion .* 4 bits, 40–80 tokens\/s .*, not a measurement\)/,
    );
    expect(unwrapped(out)).toMatch(/GB exactly, [\d.]+ more than the table's 8: the table counts 4 bits per parameter/);
  });

  it("shows a model without a place in the table, with what it lacks, after the reason", async () => {
    const { out } = await planOf(folder, tooLarge);
    expect(out).toMatch(/^chat +✗ not placed +TP 2 × PP 4 +\d+\.\d \+\d\.\d of 20\.\d GiB/m);
    expect(out).toMatch(
      /^ {2}meta-llama\/Llama-3\.3-70B-Instruct · BF16 · vLLM \S+ · nearest: VM\.GPU\.A10\.2 · model-fits$/m,
    );
    expect(out.indexOf("✗ model-fits")).toBeLessThan(out.indexOf("Models "));
  });
});

describe("a fork", () => {
  it("that names its own image of the control API gets no word about it", async () => {
    const modelControl = { enabled: true, image: "ghcr.io/acme/inference-model-control:1.0.0" };
    const { status, out } = await planOf(folder, { ...laptop, modelControl });
    expect(status).toBe(0);
    expect(out).not.toContain("model-control-image");
  });
});

describe("a program that reads the plan", () => {
  it("finds the steps of the five-step rule, what would fix a refusal, and what has no place", async () => {
    const { out } = await planOf(folder, onA10({}), "--json");
    const placed = JSON.parse(out);
    expect(placed.models[0].sizing).toMatchObject({ ruleNodes: 1, exactNodes: 1, difference: expect.any(String) });
    expect(placed.models[0].sizing.steps.map((s: { step: number }) => s.step)).toEqual([1, 2, 3, 4, 5]);
    expect(placed.models[0]).toMatchObject({ format: "BF16", capacityTable: { classB: 7, tableGpus: 1 } });
    expect(placed.cost).toMatchObject({
      maxMonthlyUsd: 11_686.375,
      notPriced: expect.arrayContaining(["network traffic"]),
    });

    const refused = JSON.parse((await planOf(folder, tooLarge, "--json")).out);
    expect(refused.unplaced).toMatchObject([{ name: "chat", rule: "model-fits", nearest: { pool: "gpu" } }]);
    const [fix] = refused.violations[0].fixes;
    expect(fix).toMatchObject({ path: expect.stringMatching(/^(models|pools)\./), monthlyUsd: expect.any(Number) });
    expect(refused.violations[0].message).toContain(fix.path);
  });

  it("can write the first fix into the file, and gets the plan that was promised", async () => {
    const environment = onA10({ concurrency: 64 }, { budget: { monthlyUsd: 3000 } });
    const [refusal] = JSON.parse((await planOf(folder, environment, "--json")).out).violations;
    const fix = refusal.fixes.find(({ path }: { path: string }) => path === "models.chat.concurrency");
    expect(fix.to).toBeLessThan(64);
    const mended = onA10({ concurrency: fix.to }, { budget: { monthlyUsd: 3000 } });
    const { status, out } = await planOf(folder, mended, "--json");
    expect([status, JSON.parse(out).cost.monthlyUsd]).toEqual([0, fix.monthlyUsd]);
  });
});

describe("an environment without models", () => {
  it("is the platform alone", async () => {
    const cluster = { ...laptop.cluster, apiServerCidrs: ["10.96.0.1/32", "172.18.0.2/32"] };
    const { status, out } = await planOf(folder, { ...laptop, cluster, models: {} }, "--json");
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ models: [], violations: [] });
  });

  it("is said on purpose: a missing section is a mistake", async () => {
    const { models, ...others } = laptop;
    const { status, err } = await planOf(folder, others);
    expect([status, err]).toEqual([2, expect.stringContaining("add it, for example models: {chat:")]);
    expect(Object.keys(models)).toHaveLength(1);
  });
});

describe("secrets", () => {
  const cipher = "v1:3q2+7w==:dGhlLWNpcGhlcnRleHQ=";

  it("may be encrypted in the file, and never show", async () => {
    const secrets = { huggingFaceToken: { secure: cipher }, alertWebhookUrl: { secure: cipher } };
    const html = join(folder, "secret.html");
    const environment = onA10({}, secrets);
    for (const argv of [[], ["--json"], ["--resources"], ["--html", html]]) {
      const { status, out, err } = await planOf(folder, environment, ...argv);
      expect(status).toBe(0);
      expect(out + err).not.toContain(cipher);
    }
    expect(readFileSync(html, "utf8")).not.toContain(cipher);
    const { out } = await planOf(folder, environment, "--resources");
    expect(out).toContain("platform-store-hugging-face (kubernetes:core/v1:Secret)");
  });

  it("belong to keys of their own: one inside an object is a mistake", async () => {
    const gateway = { ...laptop.gateway, hostname: { secure: cipher } };
    const { status, out, err } = await planOf(folder, { ...laptop, gateway });
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain("gateway.hostname");
    expect(err).toContain("secrets have keys of their own: huggingFaceToken, registryCredentials, sshPrivateKey,");
    expect(err).not.toContain(cipher);
  });

  it("must be encrypted, and the plain one is not repeated", async () => {
    const { status, err } = await planOf(folder, { ...laptop, huggingFaceToken: "hf_plainplainplain" });
    expect([status, err]).toEqual([2, expect.stringMatching(/huggingFaceToken[\s\S]* leaked/)]);
    expect(err).not.toContain("hf_plain");
  });
});
