import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GatewayAccess, gatewayAddress } from "../../../components/gateway/address";
import { modelUsage } from "../../../components/gateway/usage";
import { atNight } from "../../harness/property-runs";
import { published } from "./fixture";

const PUBLIC: GatewayAccess = {
  hostname: "llm.example.com",
  exposure: "LoadBalancer",
  tls: { kind: "acme", email: "a@example.com" },
};

describe("gatewayAddress", () => {
  it("names the port where it is not 443", () => {
    expect(gatewayAddress({ hostname: "llm.example.com", exposure: "LoadBalancer" })).toBe("https://llm.example.com");
    expect(gatewayAddress({ hostname: "llm.example.com", exposure: "ClusterIP" })).toBe("https://llm.example.com");
    expect(gatewayAddress({ hostname: "edge.local", exposure: "NodePort" })).toBe("https://edge.local:30443");
  });
});

describe("modelUsage", () => {
  it("is what a consumer needs", () => {
    expect(modelUsage(published("legal", { servedName: "llama-3.1-8b" }), PUBLIC, "team-a")).toEqual({
      baseUrl: "https://llm.example.com/legal/v1",
      modelId: "llama-3.1-8b",
      enableStream: true,
      curl: [
        "curl https://llm.example.com/v1/chat/completions \\",
        "  -H \"Authorization: Bearer $(kubectl -n inference-gateway get secret consumer-team-a -o jsonpath='{.data.team-a}' | base64 -d)\" \\",
        '  -H "Content-Type: application/json" \\',
        '  -d \'{"model":"llama-3.1-8b","messages":[{"role":"user","content":"Say hello."}],"max_tokens":64}\'',
      ].join("\n"),
    });
  });

  it.each([
    ["completion", "/v1/completions", true],
    ["embedding", "/v1/embeddings", false],
    ["rerank", "/cohere/v2/rerank", false],
  ] as const)("calls the API of the task: %s", (task, path, enableStream) => {
    const usage = modelUsage(published("m", { task }), PUBLIC, "default");
    expect(usage.curl).toContain(`curl https://llm.example.com${path} `);
    expect(usage.enableStream).toBe(enableStream);
  });

  it("trusts the cluster's CA, and forwards a port where there is no address outside", () => {
    const { curl } = modelUsage(
      published("m"),
      { ...PUBLIC, exposure: "ClusterIP", tls: { kind: "self-signed" } },
      "default",
    );
    expect(curl).toContain("kubectl -n inference-gateway port-forward service/inference 8443:443 &");
    expect(curl).toContain("--connect-to llm.example.com:443:127.0.0.1:8443");
    expect(curl).toContain(
      "--cacert <(kubectl -n inference-gateway get secret gateway-tls -o jsonpath='{.data.ca\\.crt}' | base64 -d)",
    );
  });

  it("goes to a node where nodes listen", () => {
    const { curl } = modelUsage(published("m"), { ...PUBLIC, exposure: "NodePort" }, "default");
    expect(curl).toContain("curl https://llm.example.com:30443/v1/chat/completions");
    expect(curl).toContain('--connect-to "llm.example.com:30443:$(kubectl get nodes');
  });

  it("sends the very body, whatever the model's name holds", () => {
    const names = fc.string({ minLength: 1, unit: "grapheme-ascii" });
    const count = atNight(40);
    fc.assert(
      fc.property(fc.array(names, { minLength: count, maxLength: count }), (served) => {
        const data = served.map((servedName) => {
          const { curl } = modelUsage(published("m", { servedName }), PUBLIC, "default");
          return curl.slice(curl.lastIndexOf("\n  -d ") + "\n  -d ".length);
        });
        // A shell reads the last argument as it would for curl. JSON has no line ends: one line is one body.
        const seen = execFileSync("sh", ["-c", `printf '%s\\n' ${data.join(" ")}`], { encoding: "utf8" });
        const models = seen
          .trimEnd()
          .split("\n")
          .map((body) => JSON.parse(body).model);
        expect(models).toEqual(served);
      }),
      { numRuns: 1 },
    );
  });
});
