import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { ConfigError, parseEnvironmentFile } from "../../../stacks/config";
import { loadEnvironment, secretTexts } from "../../../stacks/config/load";
import { resolved as settled } from "../../harness/deploy";
import { atNight } from "../../harness/property-runs";
import { environmentText, rightEnvironment } from "./samples";

function setConfig(sections: Record<string, unknown>, secretKeys: string[] = []): void {
  const entries = Object.entries(sections).map(([key, value]) => [
    `inference-stacks:${key}`,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  pulumi.runtime.setAllConfig(
    Object.fromEntries(entries),
    secretKeys.map((key) => `inference-stacks:${key}`),
  );
}

function problemsOfLoading(): ConfigError {
  try {
    loadEnvironment();
  } catch (error) {
    if (error instanceof ConfigError) {
      return error;
    }
    throw error;
  }
  throw new Error("the environment was accepted");
}

describe("the environment of a Pulumi program", () => {
  afterEach(() => pulumi.runtime.setAllConfig({}));

  it("is the one that the offline plan reads from the file", () => {
    const parsed = parseEnvironmentFile(environmentText(rightEnvironment));
    pulumi.runtime.setAllConfig({ ...parsed.config, "aws:region": "us-east-1" });
    expect(loadEnvironment().environment).toEqual(parsed.ok ? parsed.environment : undefined);
  });

  it("knows the texts of secrets for checks, and of nothing else", () => {
    const alertSlackUrl = "https://hooks.example.com/x";
    setConfig({ ...rightEnvironment, alertSlackUrl, partnerApiKey: "key" }, ["alertSlackUrl", "partnerApiKey"]);
    expect(secretTexts()).toEqual({ alertSlackUrl });
  });

  it("hands secrets over as secret outputs, and leaves out those that are not set", async () => {
    setConfig({ ...rightEnvironment, huggingFaceToken: "hf_token" }, ["huggingFaceToken"]);
    const { secrets } = loadEnvironment();
    expect(Object.keys(secrets)).toEqual(["huggingFaceToken"]);
    const token = secrets.huggingFaceToken ?? pulumi.output("");
    expect(await pulumi.isSecret(token)).toBe(true);
    expect(await settled(pulumi.unsecret(token))).toBe("hf_token");
  });

  it("takes credentials of every published form under the keys of secrets", () => {
    const secrets = {
      huggingFaceToken: `hf_${"aB3d".repeat(9)}`,
      alertWebhookUrl: "https://hooks.example.com/xoxb-12345678901",
    };
    setConfig({ ...rightEnvironment, ...secrets }, Object.keys(secrets));
    expect(Object.keys(loadEnvironment().secrets).sort()).toEqual(["alertWebhookUrl", "huggingFaceToken"]);
  });

  it("takes the placeholders of the offline plan", () => {
    const text = environmentText({ ...rightEnvironment, alertWebhookUrl: { secure: "v1:cipher" } });
    const { config, secretKeys } = parseEnvironmentFile(text);
    pulumi.runtime.setAllConfig({ ...config }, [...secretKeys]);
    expect(Object.keys(loadEnvironment().secrets)).toEqual(["alertWebhookUrl"]);
  });

  it("lists every problem, also text where a section should be", () => {
    setConfig({ ...rightEnvironment, cluster: "oci", stage: "test", pools: "{not json" });
    expect(problemsOfLoading().problems.map(({ path, value }) => [path, value])).toEqual([
      ["stage", '"test"'],
      ["cluster", '"oci"'],
      ["pools", '"{not json"'],
    ]);
  });

  it("lists problems in the order of the sections, unknown sections last", () => {
    const gpu = { shape: "VM.GPU.A10.2", localDisks: "pods" };
    setConfig({
      ...rightEnvironment,
      unknownSection: "text",
      huggingFaceToken: "in plain text",
      gateway: { hostname: 1, tls: { kind: "self-signed" } },
      pools: { ...rightEnvironment.pools, gpu },
      stage: "prod",
    });
    expect(problemsOfLoading().problems.map(({ path }) => path)).toEqual([
      "stage",
      "pools.gpu.localDisks",
      "gateway.hostname",
      "huggingFaceToken",
      "unknownSection",
    ]);
  });

  it("refuses a key whose namespace is ours but for a slip, as the offline plan does", () => {
    setConfig(rightEnvironment);
    pulumi.runtime.setAllConfig({ ...pulumi.runtime.allConfig(), "inference-stack:budget": "{}" });
    expect(problemsOfLoading().problems.map(({ path, fix }) => [path, fix])).toEqual([
      ["inference-stack:budget", "write inference-stacks:budget"],
    ]);
  });

  it("never shows what is encrypted", () => {
    const sections = { ...rightEnvironment, alertWebhookUrl: "geheim", gateway: { hostname: "geheim" } };
    setConfig(sections, ["alertWebhookUrl", "gateway"]);
    const error = problemsOfLoading();
    expect(error.problems.map(({ path, value }) => [path, value])).toEqual([
      ["gateway", "(hidden)"],
      ["alertWebhookUrl", "(hidden)"],
    ]);
    expect(error.message).not.toContain("geheim");
  });

  it("is an environment or a ConfigError, whatever the sections hold", () => {
    const key = fc.constantFrom(...Object.keys(rightEnvironment), "storage", "budget", "huggingFaceToken", "unknown");
    fc.assert(
      fc.property(key, fc.oneof(fc.json(), fc.string()), fc.boolean(), (section, text, secret) => {
        setConfig({ ...rightEnvironment, [section]: text }, secret ? [section] : []);
        try {
          expect(loadEnvironment().environment.cluster.kind).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
      { numRuns: atNight(300) },
    );
  });
});
