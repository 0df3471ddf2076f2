import { beforeAll, describe, expect, it } from "vitest";
import { evaluatePolicies } from "../../policies/evaluate";
import { judge } from "../../report/judge";
import { publicNames } from "../../report/public-names";
import { changedRun, type ProgramRun } from "../stacks/run";

/** A name that looks like a key, in two halves so that scanners of this repository find nothing. */
const RANDOM = ["aZ3kQ9xW7bLm2Tn8", "Vr5Yc1Jd6Hf4Gs0P"].join("");
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const ISSUER = `https://login.example.com/oauth2/${RANDOM}`;
const POLICY = "no-plaintext-secret";

let run: ProgramRun;
beforeAll(async () => {
  run = await changedRun("dev", {
    pools: {
      system: { role: "system", node: { vcpus: 16, memoryGiB: 64 } },
      gpu: {
        node: { card: "h200", gpuCount: 8, vcpus: 96, memoryGiB: 2048, localNvmeGB: 8000 },
        maxNodes: 3,
      },
    },
    models: {
      "qwen3-coder-30b-a3b-instruct-fp8": { model: "qwen3-30b-a3b", concurrency: 1 },
      chat: {
        model: "qwen3-235b-a22b-fp8",
        source: `hf://RedHatAI/Qwen3-235B-A22B-FP8-dynamic@${COMMIT}`,
        concurrency: 1,
      },
      nemotron: { model: "qwen3-32b", servedName: "NVIDIA-Nemotron-3-Super-120B-A12B-FP8", concurrency: 1 },
      odd: { model: "qwen2.5-7b-instruct", servedName: RANDOM, concurrency: 1 },
    },
    modelControl: { enabled: false },
    gateway: {
      hostname: "inference.example.internal",
      exposure: "ClusterIP",
      tls: { kind: "self-signed" },
      auth: { oidc: { issuer: ISSUER, audience: "inference", jwksUri: `${ISSUER}/v1/keys` } },
    },
  });
}, 60_000);

const refusals = (violations: readonly { readonly policy: string; readonly message: string }[]) =>
  violations.filter(({ policy }) => policy === POLICY).map(({ message }) => message);

describe("names that an environment gives", () => {
  it("are those of models, of their sources and of whoever signs tokens", () => {
    expect(publicNames(run)).toEqual(
      expect.arrayContaining([
        "RedHatAI/Qwen3-235B-A22B-FP8-dynamic",
        "NVIDIA-Nemotron-3-Super-120B-A12B-FP8",
        RANDOM,
        ISSUER,
        `${ISSUER}/v1/keys`,
      ]),
    );
  });

  it("are no keys, wherever the plan writes them", () => {
    expect(refusals(judge(run).violations)).toEqual([]);
  });

  it("are found by what they look like where the plan is not known, but for names of the usual kind", () => {
    const { violations } = evaluatePolicies(run.recording.resources, { project: "inference-stacks", stack: "dev" });
    const found = refusals(violations);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((message) => /qwen3-coder|model-chat|nemotron/.test(message))).toEqual([]);
  });
});
