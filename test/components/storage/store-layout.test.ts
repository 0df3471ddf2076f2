import { describe, expect, it } from "vitest";
import { keyPrefix, metricsPolicy, readerPolicy, writerPolicy } from "../../../components/storage/store-layout";
import { modelPlan } from "../../harness/plans";

const bucketSource = (uri: string) => ({ kind: "bucket", uri }) as const;

describe("keyPrefix", () => {
  it("is the model's name below its domain", () => {
    expect(keyPrefix(modelPlan(), "models")).toBe("llama-8b");
    expect(keyPrefix(modelPlan({ domain: "legal" }), "models")).toBe("legal/llama-8b");
  });

  it.each(["s3://models/own/tuned", "s3://models/own/tuned/", "s3://models/own/tuned//"])("follows %s", (uri) => {
    expect(keyPrefix(modelPlan({ source: bucketSource(uri) }), "models")).toBe("own/tuned");
  });

  it.each(["s3://other/own", "s3://models", "s3://models/", "own/tuned"])(
    "refuses %s and says where to copy to",
    (uri) => {
      expect(() => keyPrefix(modelPlan({ source: bucketSource(uri) }), "models")).toThrow(
        /models\.llama-8b\.source: .* copy the model to s3:\/\/models\/llama-8b/,
      );
    },
  );

  it("refuses the Ollama registry for another engine", () => {
    const source = { kind: "ollama", tag: "llama3" } as const;
    expect(() => keyPrefix(modelPlan({ source }), "models")).toThrow(
      /the Ollama registry is not behind the model store; vllm needs/,
    );
  });
});

describe("policies", () => {
  it("let a reader read and list its prefix and nothing else", () => {
    const { Statement } = readerPolicy("models", ["legal/llama"]);
    expect(Statement).toEqual([
      { Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::models/legal/llama/*"] },
      {
        Effect: "Allow",
        Action: ["s3:ListBucket"],
        Resource: ["arn:aws:s3:::models"],
        Condition: { StringLike: { "s3:prefix": ["legal/llama/", "legal/llama/*"] } },
      },
      { Effect: "Allow", Action: ["s3:GetBucketLocation"], Resource: ["arn:aws:s3:::models"] },
      { Effect: "Deny", Action: ["admin:*"] },
    ]);
  });

  it("let Prometheus's part read metrics, and no object", () => {
    expect(metricsPolicy().Statement.filter(({ Effect }) => Effect === "Allow")).toEqual([
      { Effect: "Allow", Action: ["admin:Prometheus"] },
    ]);
  });

  it("let the writer touch objects of the bucket, not the bucket or its policies", () => {
    const allowed = writerPolicy("models").Statement.filter(({ Effect }) => Effect === "Allow");
    const actions = allowed.flatMap((s) => s.Action);
    expect(actions).toContain("s3:PutObject");
    expect(actions.filter((a) => /Policy|CreateBucket|DeleteBucket|\*/.test(a))).toEqual([]);
    expect(writerPolicy("models").Statement).toContainEqual({ Effect: "Deny", Action: ["admin:*"] });
    expect(allowed.flatMap((s) => s.Resource)).toEqual(["arn:aws:s3:::models/*", "arn:aws:s3:::models"]);
  });
});
