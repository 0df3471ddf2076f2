import { describe, expect, it } from "vitest";
import { formatProblems, parseEnvironmentFile } from "../../../stacks/config";
import { holdsCredential } from "../../../stacks/config/core/credentials";
import { environmentText, parseWith, problemsOf, problemsWith, rightEnvironment } from "./samples";

describe("secrets", () => {
  const token = "hf_abcdefghijklmnop";

  it("counts encrypted ones as present, with a placeholder", () => {
    const parsed = parseWith({ huggingFaceToken: { secure: "v1:cipher" }, alertWebhookUrl: { secure: "v1:cipher" } });
    expect(parsed.ok).toBe(true);
    expect(parsed.secretKeys).toEqual(["inference-stacks:huggingFaceToken", "inference-stacks:alertWebhookUrl"]);
    expect(parsed.config["inference-stacks:huggingFaceToken"]).toBe("(secret)");
    expect(JSON.stringify(parsed)).not.toContain("v1:cipher");
  });

  it("refuses one inside a section, and shows neither it nor the cipher text", () => {
    const gateway = { ...rightEnvironment.gateway, tls: { kind: "secret", secretName: { secure: "v1:cipher" } } };
    const parsed = parseWith({ gateway });
    expect(problemsOf(parsed)).toMatchObject([
      { path: "gateway.tls.secretName", value: "(hidden)", fix: expect.stringContaining("key of its own") },
    ]);
    expect(parsed.secretKeys).toEqual(["inference-stacks:gateway"]);
    expect(JSON.stringify(parsed)).not.toContain("v1:cipher");
  });

  it("refuses plain text under a secret's key, and an encrypted section", () => {
    const problems = problemsWith({ huggingFaceToken: token, stage: { secure: "v1:cipher" } });
    expect(problems).toMatchObject([
      { path: "stage", value: "(hidden)" },
      { path: "huggingFaceToken", value: "(hidden)", allowed: "an encrypted value" },
    ]);
    expect(problems[1]?.fix).toContain("--secret inference-stacks:huggingFaceToken");
  });

  it("never echoes a token under a misspelt key or in the wrong place", () => {
    const problems = problemsWith({
      hugingFaceToken: token,
      models: { chat: { config: `https://user:geheim@example.com/config.json?token=geheim`, source: token } },
      cluster: { kind: token },
    });
    const shown = formatProblems(problems) + problems.map(({ message }) => message).join();
    expect(problems.map(({ path }) => path)).toEqual(["cluster.kind", "models.chat.source", "hugingFaceToken"]);
    expect(shown).not.toContain(token);
    expect(shown).not.toContain("geheim");
  });

  it.each(["hello", "hf_abcdefghijklmnopqrstuvwxyz0123456789", "", 5])("refuses %j as an encrypted value", (plain) => {
    const problems = problemsWith({ huggingFaceToken: { secure: plain } });
    expect(problems).toMatchObject([
      {
        path: "config.inference-stacks:huggingFaceToken",
        value: "(hidden)",
        fix: expect.stringMatching(
          /^run pulumi .* --secret inference-stacks:huggingFaceToken, and treat the plain value as leaked$/,
        ),
      },
    ]);
    expect(JSON.stringify(problems)).not.toContain(`"${plain}"`);
  });

  it("takes what Pulumi Cloud encrypts", () => {
    const cipher = Buffer.from("0123456789".repeat(4)).toString("base64");
    expect(parseWith({ huggingFaceToken: { secure: cipher } }).ok).toBe(true);
  });

  it("refuses a token in plain text, wherever it stands, and does not show it", () => {
    const serviceAnnotations = { "example.com/token": `Bearer ${token}` };
    const problems = problemsWith({ gateway: { ...rightEnvironment.gateway, serviceAnnotations } });
    expect(problems).toMatchObject([
      {
        path: 'gateway.serviceAnnotations["example.com/token"]',
        fix: expect.stringContaining("treat it as leaked"),
      },
    ]);
    expect(JSON.stringify(problems)).not.toContain(token);
  });

  it.each([
    "AKIAIOSFODNN7EXAMPLE",
    "glpat-abcdefghijklmnopqrst",
    "ghs_abcdefghijklmnopqrstuvwx",
    "sk-ant-abcdefghijklmnopqrstuvwx",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig",
  ])("hides %s, and refuses it", (text) => {
    const serviceAnnotations = { "example.com/name": `Bearer ${text}` };
    const problems = problemsWith({ gateway: { ...rightEnvironment.gateway, serviceAnnotations } });
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain(text);
    expect(holdsCredential(text)).toBe(true);
  });

  it.each(["sk-prod-cluster-01.example.com", "models/hf_checkpoints", "AKIA"])(
    "does not take %s for a token",
    (text) => {
      const serviceAnnotations = { "example.com/name": text };
      expect(parseWith({ gateway: { ...rightEnvironment.gateway, serviceAnnotations } }).ok).toBe(true);
    },
  );

  it("leaves other namespaces' secrets alone", () => {
    const parsed = parseEnvironmentFile(
      `${environmentText(rightEnvironment)}  oci:privateKey:\n    secure: v1:cipher\n`,
    );
    expect(parsed.ok).toBe(true);
    expect(parsed.secretKeys).toEqual(["oci:privateKey"]);
  });
});
