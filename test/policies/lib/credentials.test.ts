import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import catalogue from "../../../catalog/models.json";
import {
  credentialIn,
  entropy,
  isCredentialName,
  isCredentialVariable,
  isLiteral,
} from "../../../policies/lib/credentials";
import published from "../../fixtures/model-names.json";

describe("names", () => {
  test.each(["password", "adminPassword", "MINIO_ROOT_PASSWORD", "api-key", "HF_TOKEN", "clientSecret", "secretKey"])(
    "%s holds a credential",
    (name) => {
      expect(isCredentialName(name)).toBe(true);
    },
  );
  test.each([
    "existingSecret",
    "passwordKey",
    "secretName",
    "maxTokens",
    "tokenizer",
    "key",
    "password_file",
    "TOKENIZERS_PARALLELISM",
  ])("%s does not", (name) => {
    expect(isCredentialName(name)).toBe(false);
  });
  test("environment variables hold the value itself under _KEY and _SECRET", () => {
    expect(["SSH_KEY", "WEBHOOK_SECRET", "GOOGLE_CREDENTIALS"].map((name) => isCredentialVariable(name))).toEqual([
      true,
      true,
      true,
    ]);
    expect(["SSH_PUBLIC_KEY", "MONKEY", "SECRET_NAME"].map((name) => isCredentialVariable(name))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

test.each(["", "true", "8080", "/run/secrets/key", "$(VALUE)", "$" + "{VALUE}"])(
  "%j stands for something else",
  (value) => {
    expect(isLiteral(value)).toBe(false);
  },
);

/** So many runs of capitals, letters and digits, in `length` characters that are all different. */
function wordOf(length: number, runs: number): string {
  const kinds = ["ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"].map((all) => [...all]);
  const longer = length % runs;
  return Array.from({ length: runs }, (_, run) =>
    kinds[run % 3]?.splice(0, Math.floor(length / runs) + (run < longer ? 1 : 0)).join(""),
  ).join("");
}

describe("random keys", () => {
  test.each([
    [32, 15, "a random key"],
    [32, 14, undefined],
    [31, 31, undefined],
  ])("%d characters in %d runs are %s: 0.42 of the neighbours differ in kind", (length, runs, kind) => {
    const word = wordOf(length, runs);
    expect(word).toHaveLength(length);
    expect(credentialIn(word)).toBe(kind);
  });

  // Hashes of a counter are random enough, and the same on every run.
  const bytes = (length: number) =>
    Array.from({ length: 1000 }, (_, index) =>
      createHash("shake256", { outputLength: length }).update(String(index)).digest(),
    );
  const grouped = (lengths: readonly number[]) =>
    bytes(60).map((hash) => {
      const letters = hash.toString("base64").replace(/[^A-Za-z0-9]/g, "");
      const starts = lengths.map((_, index) => lengths.slice(0, index).reduce((sum, length) => sum + length, 0));
      return lengths.map((length, index) => letters.slice(starts[index], (starts[index] ?? 0) + length)).join("-");
    });

  test.each([
    ["32 bytes in base64url", bytes(32).map((key) => key.toString("base64url")), 0.96],
    ["32 bytes in base64", bytes(32).map((key) => key.toString("base64")), 0.97],
    ["64 bytes in base64", bytes(64).map((key) => key.toString("base64")), 0.99],
    ["24 bytes in base64", bytes(24).map((key) => key.toString("base64")), 0.95],
    ["24 bytes in base64url", bytes(24).map((key) => key.toString("base64url")), 0.92],
    ["letters and digits", bytes(32).map((key) => key.toString("base64url").replace(/[-_]/g, "")), 0.95],
    ["groups as of a UUID", grouped([8, 4, 4, 4, 12]), 0.95],
    ["groups of equal length", grouped([5, 5, 5, 5, 5, 5]), 0.95],
    ["a key behind a name", bytes(32).map((key) => `models/qwen3-32b/${key.toString("base64")}`), 0.95],
  ])("nearly every random key is found: %s", (_, keys, share) => {
    expect(keys.filter((key) => credentialIn(key) === "a random key").length / keys.length).toBeGreaterThan(share);
  });

  test("hexadecimal digests never are", () => {
    const hex = fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("hex"));
    fc.assert(fc.property(hex, (digest) => credentialIn(`sha256:${digest}`) === undefined));
  });

  test.each([
    "AmazonEKSClusterAdminPolicyForOperatorsV2",
    "vllm_time_to_first_token_seconds_bucket",
    "projected-service-account-token-volume-2024",
    "https://docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengcreatingloadbalancer_topic-Summaryofannotations.htm",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  ])("%s is no key", (text) => {
    expect(credentialIn(text)).toBeUndefined();
  });

  const catalogued = catalogue.models.flatMap(({ name, repository }) => [repository, `catalogue/${name}`]);
  const keyOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

  test.each([...published.names, ...published.further, ...catalogued])(
    "the model %s is no key, however it is named",
    (model) => {
      const name = model.slice(model.indexOf("/") + 1);
      const texts = [
        `hf://${model}@${"0123456789".repeat(4)}`,
        `--served-model-name=${name}`,
        `{"Resource":["arn:aws:s3:::models/${keyOf(name)}/*"],"from":"${model}"}`,
        `model-${keyOf(model)}-canary`,
        `RedHatAI/${name}-quantized.w4a16/NVFP4`,
      ];
      expect(texts.filter((text) => credentialIn(text) !== undefined)).toEqual([]);
    },
  );

  test("names of models are no keys, in whatever order their words are", () => {
    const words = [...new Set(published.names.flatMap((name) => name.split(/[/_.-]/)))];
    const name = fc
      .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom("-", "-", "-", "_", ".", "/")), {
        minLength: 4,
        maxLength: 10,
      })
      .map((parts) => parts.map(([word, separator]) => word + separator).join(""));
    fc.assert(fc.property(name, (text) => credentialIn(text) === undefined));
  });

  const KEY = ["aZ3kQ9xW7bLm2Tn8", "Vr5Yc1Jd6Hf4Gs0P"].join("");
  test.each([
    ["the name itself", `{"name":"${KEY}"}`, undefined],
    ["a name inside of a longer word", `x${KEY}`, "a random key"],
    ["another key beside the name", `${KEY} ${[...KEY].reverse().join("")}`, "a random key"],
  ])("public names are no keys: %s", (_, text, kind) => {
    expect(credentialIn(text)).toBe("a random key");
    expect(credentialIn(text, [KEY])).toBe(kind);
  });

  test.each([
    ["hf_overrides and sk-telecom-language-models-production", undefined],
    ["bearer authentication-by-the-gateway", undefined],
    [`sk-${"proj-"}${"aB3d".repeat(12)}`, "a vendor's API token"],
    [`sk-${"0a1b2c3d".repeat(4)}`, "a vendor's API token"],
  ])("%s holds %s", (text, kind) => {
    expect(credentialIn(text)).toBe(kind);
  });

  test("entropy is 0 for one letter and the logarithm of the alphabet for all different letters", () => {
    expect(entropy("aaaa")).toBeCloseTo(0);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 33, max: 126 }), { minLength: 1 }), (codes) => {
        expect(entropy(String.fromCharCode(...codes))).toBeCloseTo(Math.log2(codes.length));
      }),
    );
  });
});
