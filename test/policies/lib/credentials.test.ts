import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  credentialIn,
  entropy,
  isCredentialName,
  isCredentialVariable,
  isLiteral,
} from "../../../policies/lib/credentials";

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
    expect(["SSH_KEY", "WEBHOOK_SECRET", "GOOGLE_CREDENTIALS"].map(isCredentialVariable)).toEqual([true, true, true]);
    expect(["SSH_PUBLIC_KEY", "MONKEY", "SECRET_NAME"].map(isCredentialVariable)).toEqual([false, false, false]);
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
  ])("%d characters in %d runs are %s: 0.45 of the neighbours differ in kind", (length, runs, kind) => {
    const word = wordOf(length, runs);
    expect(word).toHaveLength(length);
    expect(credentialIn(word)).toBe(kind);
  });

  test("nearly every random key is found, whatever its alphabet", () => {
    // Hashes of a counter are random enough, and the same on every run.
    const keys = Array.from({ length: 1000 }, (_, index) =>
      createHash("sha256").update(String(index)).digest("base64url"),
    );
    const alphanumeric = keys.map((key) => key.replace(/[-_]/g, "")).filter((key) => key.length >= 40);
    for (const samples of [keys, alphanumeric]) {
      expect(samples.filter((key) => credentialIn(key) === "a random key").length / samples.length).toBeGreaterThan(
        0.95,
      );
    }
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

  test("entropy is 0 for one letter and the logarithm of the alphabet for all different letters", () => {
    expect(entropy("aaaa")).toBeCloseTo(0);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 33, max: 126 }), { minLength: 1 }), (codes) => {
        expect(entropy(String.fromCharCode(...codes))).toBeCloseTo(Math.log2(codes.length));
      }),
    );
  });
});
