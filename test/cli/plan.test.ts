import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { laptop, onA10, plan, planOf, useFolder } from "./run";

const folder = useFolder();
const ESCAPE = "\u001b";

describe("the command line of plan", () => {
  it("explains itself", async () => {
    const { status, out, err } = await plan("--help");
    expect([status, err]).toEqual([0, ""]);
    for (const option of ["--config FILE", "--json", "--html FILE", "--tree"]) {
      expect(out).toContain(option);
    }
    expect(out).toContain("0 deployable, 1 forbidden by a capacity rule or policy, 2 bad input");
  });

  it.each([
    { argv: [], says: "name one environment: aws-prod, dev, edge-nvidia, edge-radeon, oci-a10, oci-h100" },
    { argv: ["dev", "oci-a10"], says: "name one environment" },
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
    expect(out).toMatch(/^Policies +\d+ passed · 0 failed · 1 advisory$/m);
    expect(out).toMatch(/Next: pulumi up -s dev\n$/);
    expect(out).not.toContain("platform-models-assistant");
  });

  it("lists every resource below its component with --tree", async () => {
    const { out } = await plan("dev", "--tree");
    const [, count] = /^Resources +(\d+) in/m.exec(out) ?? [];
    expect(out.match(/^[│├└ ─]*\S+ \(\S+\)$/gm)).toHaveLength(Number(count));
    expect(out).toContain("│  └─ platform-models-assistant (inference:serving:OllamaServer)\n");
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
      cost: { hourlyUsd: 0, monthlyUsd: 0 },
      policies: { passed: expect.any(Number), failed: 0 },
      // The image of the control API is one that only a fork can make.
      violations: [
        {
          policy: "model-control-image",
          severity: "advisory",
          resource: "modelControl.image",
          message: expect.stringContaining("placeholder"),
        },
      ],
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
    const [first, second] = [await plan("dev", "--json"), await plan("dev", "--json")];
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
    const { status, out } = await planOf(folder, onA10({ model: "llama-3.3-70b-instruct", concurrency: 16 }));
    expect(status).toBe(1);
    expect(out).toMatch(/✗ model-fits models\.chat/);
    expect(out).toMatch(/\d+\.\d GiB missing/);
    expect(out).toMatch(/five-step rule would say \d+ node\(s\) of VM\.GPU\.A10\.2/);
    expect(out).toMatch(/To fix it: .*allow a pool of BM\.GPU/);
    expect(out).toMatch(/Not deployable\. Fix what is marked ✗ and plan again\.\n$/);
  });

  it("is as clear to a program", async () => {
    const { status, out } = await planOf(folder, onA10({ model: "llama-3.3-70b-instruct", concurrency: 16 }), "--json");
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      deployable: false,
      models: [],
      violations: [{ policy: "model-fits", severity: "mandatory", resource: "models.chat" }],
    });
  });

  it("is one above its budget, said once", async () => {
    const { status, out } = await planOf(folder, onA10({}, { budget: { monthlyUsd: 100 } }));
    expect(status).toBe(1);
    expect(out.match(/✗ monthly-budget/g)).toHaveLength(1);
    expect(out).toMatch(/costs 2920\.00 USD a month, 2820\.00 over the budget of 100\.00/);
  });

  it.each([
    { why: "a context that the model does not have", models: { contextTokens: 32_769 }, says: /allows 32768/ },
    { why: "more replicas than nodes", models: { replicas: { min: 1000 } }, says: /Raise maxNodes/ },
  ])("is one with $why", async ({ models, says }) => {
    const chat = { ...laptop.models.chat, ...models };
    const { status, out } = await planOf(folder, { ...laptop, models: { chat } });
    expect([status, out]).toEqual([1, expect.stringMatching(says)]);
  });

  it("is a model without a pool that may run it, and the fix names one", async () => {
    const models = { chat: { model: "qwen2.5-0.5b-instruct" } };
    const { status, out } = await planOf(folder, { ...laptop, models });
    expect([status, out]).toEqual([1, expect.stringContaining("add a pool with GPUs that is open to it")]);
  });

  it("is one on a machine that the platform alone fills", async () => {
    const pools = { laptop: { role: "cpu", node: { vcpus: 1, memoryGiB: 1 } } };
    const { status, out } = await planOf(folder, { ...laptop, pools });
    expect([status, out]).toEqual([1, expect.stringContaining("take all 1 GiB of cpu-node")]);
  });
});

describe("an environment without models", () => {
  it("is the platform alone", async () => {
    const { status, out } = await planOf(folder, { ...laptop, models: {} }, "--json");
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
    for (const argv of [[], ["--json"], ["--tree"], ["--html", html]]) {
      const { status, out, err } = await planOf(folder, environment, ...argv);
      expect(status).toBe(0);
      expect(out + err).not.toContain(cipher);
    }
    expect(readFileSync(html, "utf8")).not.toContain(cipher);
    const { out } = await planOf(folder, environment, "--tree");
    expect(out).toContain("platform-store-hugging-face (kubernetes:core/v1:Secret)");
  });

  it("belong to keys of their own: one inside an object is a mistake", async () => {
    const gateway = { ...laptop.gateway, hostname: { secure: cipher } };
    const { status, out, err } = await planOf(folder, { ...laptop, gateway });
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain("gateway.hostname");
    expect(err).toContain("secrets have keys of their own: huggingFaceToken, alertWebhookUrl");
    expect(err).not.toContain(cipher);
  });

  it("must be encrypted, and the plain one is not repeated", async () => {
    const { status, err } = await planOf(folder, { ...laptop, huggingFaceToken: "hf_plainplainplain" });
    expect([status, err]).toEqual([2, expect.stringContaining("treat the plain value as leaked")]);
    expect(err).not.toContain("hf_plain");
  });
});
