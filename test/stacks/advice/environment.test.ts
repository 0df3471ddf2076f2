import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import type { ModelPlan } from "../../../planner/types";
import { declaredLevels } from "../../../stacks/advice/declared-levels";
import { exampleNames } from "../../../stacks/advice/example-names";
import { gatedModels } from "../../../stacks/advice/gated-models";
import { movingRevisions } from "../../../stacks/advice/moving-revisions";
import { gatewaySection } from "../../../stacks/config/core/sections/gateway";
import { onA10, planOf, useFolder } from "../../cli/run";
import { modelPlan, ollamaPlan } from "../../harness/plans";

const source = (repository: string, revision = "main") => ({ kind: "huggingface", repository, revision }) as const;
const llama = (revision?: string) =>
  modelPlan({ name: "llama", source: source("meta-llama/Llama-3.1-8B-Instruct", revision) });
const qwen = modelPlan({ name: "qwen", source: source("Qwen/Qwen2.5-7B-Instruct") });

describe("gated models", () => {
  const plan = (...models: ReturnType<typeof modelPlan>[]) =>
    ({ environment: "prod", models }) as unknown as Parameters<typeof gatedModels>[0]["plan"];

  it("are named where no token is set, with the command that sets it", () => {
    expect(gatedModels({ plan: plan(llama(), qwen), secrets: {} })).toEqual([
      {
        severity: "advisory",
        rule: "gated-models",
        subject: "huggingFaceToken",
        message: expect.stringMatching(
          /^llama: gated .* pulumi config set --secret inference-stacks:huggingFaceToken -s prod$/,
        ),
      },
    ]);
  });

  it("are no matter with a token, from Ollama's registry or a bucket, nor where the repository is open", () => {
    const secrets = { huggingFaceToken: pulumi.secret("hf_x") };
    expect(gatedModels({ plan: plan(llama()), secrets })).toEqual([]);
    const bucket = modelPlan({ source: { kind: "bucket", uri: "s3://models/llama" } });
    expect(gatedModels({ plan: plan(qwen, ollamaPlan(), bucket), secrets: {} })).toEqual([]);
  });
});

describe("example names", () => {
  const names = (hostname: string, tls: object) =>
    exampleNames({ environment: { gateway: gatewaySection.parse({ hostname, tls }) } });

  it.each(["inference.example.com", "example.org", "a.b.example.net", "chat.example", "x.test", "y.invalid"])(
    "%s gets no certificate from a public authority",
    (hostname) => {
      const [found] = names(hostname, { kind: "acme", email: "ops@acme.io" });
      expect(found).toMatchObject({ severity: "advisory", rule: "example-names", subject: "gateway.hostname" });
      expect(found?.message).toContain(`${hostname}: for examples only`);
    },
  );

  it("are looked for in the account's address too", () => {
    expect(names("chat.acme.io", { kind: "acme", email: "ops@example.com" })).toEqual([
      expect.objectContaining({ subject: "gateway.tls.email", message: expect.stringContaining("ops@example.com") }),
    ]);
  });

  it.each(["chat.acme.io", "example.com.acme.io", "myexample.com", "contest.io"])("%s is none of them", (hostname) => {
    expect(names(hostname, { kind: "acme", email: "ops@acme.io" })).toEqual([]);
  });

  it("are no matter without a public authority", () => {
    expect(names("inference.example.com", { kind: "secret", secretName: "tls" })).toEqual([]);
    expect(names("inference.example.com", { kind: "self-signed" })).toEqual([]);
  });
});

describe("moving revisions", () => {
  const advice = (stage: "production" | "development", ...models: ReturnType<typeof modelPlan>[]) =>
    movingRevisions({
      plan: { environment: "prod", stage, models } as unknown as Parameters<typeof movingRevisions>[0]["plan"],
    });
  const commit = "0123456789abcdef0123456789abcdef01234567";

  it("are named in production, with the command that pins them", () => {
    const [found] = advice("production", llama("v1.0"), qwen, ollamaPlan());
    expect(found).toMatchObject({ severity: "advisory", rule: "moving-revisions", subject: "models" });
    expect(found?.message).toMatch(/^llama, qwen: no commit is named.* npm run pin -- prod writes/);
  });

  it("are not commits, nor of interest in development", () => {
    expect(advice("production", llama(commit))).toEqual([]);
    expect(advice("development", llama())).toEqual([]);
  });
});

describe("service levels", () => {
  const advice = (...serviceLevels: ModelPlan["serviceLevel"][]) =>
    declaredLevels({
      plan: {
        models: serviceLevels.map((serviceLevel, index) => ({ ...qwen, name: `m${index}`, serviceLevel })),
      } as unknown as Parameters<typeof declaredLevels>[0]["plan"],
    });

  it("are not to be read as promised by a green plan", () => {
    const [found, ...others] = advice({ availability: 0.999 }, undefined, { ttftMs: 500, percentile: 99 });
    expect(found).toMatchObject({ severity: "advisory", rule: "service-level-not-planned", subject: "models" });
    expect(found?.message).toMatch(/^m0, m2: the service level is written down, but nothing is sized/);
    expect(others).toEqual([]);
  });

  it("that nobody declares are no matter", () => {
    expect(advice(undefined)).toEqual([]);
  });
});

describe("the plan", () => {
  const folder = useFolder();
  const llamaOnA10 = (changes: object = {}) =>
    onA10(
      { model: "llama-3.1-8b-instruct", contextTokens: 4096 },
      {
        stage: "production",
        gateway: { hostname: "inference.example.com", tls: { kind: "acme", email: "ops@acme.io" } },
        ...changes,
      },
    );
  const rules = (out: string) =>
    JSON.parse(out).violations.map(({ policy, severity }: { policy: string; severity: string }) => [policy, severity]);

  it("gives this advice, and can be deployed all the same", async () => {
    const { status, out } = await planOf(folder, llamaOnA10(), "--json");
    expect(status).toBe(0);
    for (const rule of ["gated-models", "example-names", "moving-revisions"]) {
      expect(rules(out)).toContainEqual([rule, "advisory"]);
    }
  });

  it("knows of a token that is encrypted in the file", async () => {
    const huggingFaceToken = { secure: "v1:3q2+7w==:dGhlLWNpcGhlcnRleHQ=" };
    const { out } = await planOf(folder, llamaOnA10({ huggingFaceToken }), "--json");
    expect(rules(out)).not.toContainEqual(["gated-models", "advisory"]);
  });

  it("keeps it to itself while the plan is refused", async () => {
    const { status, out } = await planOf(folder, llamaOnA10({ budget: { monthlyUsd: 1 } }), "--json");
    expect([status, rules(out)]).toEqual([1, [["monthly-budget", "mandatory"]]]);
  });
});
