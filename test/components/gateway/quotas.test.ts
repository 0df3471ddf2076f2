import { describe, expect, it } from "vitest";
import { quotaRule, quotaSpec } from "../../../components/gateway/quotas";
import { quotasOf } from "../../../planner/quotas";
import { tenantsOf } from "../../../planner/tenants";
import { deployGateway, specOf } from "./fixture";

const TENANTS = tenantsOf({
  web: { requestsPerMinute: 600 },
  open: {},
  batch: { requestsPerMinute: 60, tokensPerMinute: 200_000 },
});
const QUOTAS = quotasOf(TENANTS);

interface Policy {
  readonly targetRefs: readonly { readonly sectionName?: string }[];
  readonly rateLimit?: { readonly global: { readonly rules: readonly object[] } };
  readonly responseOverride?: readonly {
    readonly source: string;
    readonly match: { readonly statusCodes: readonly { readonly value: number }[]; readonly responseHeaders?: object };
    readonly response: {
      readonly body: { readonly inline: string };
      readonly header: { readonly set: readonly { readonly name: string; readonly value: string }[] };
    };
  }[];
}

describe("quotas in the policy of the models' listener", () => {
  it("are one bucket per tenant and kind over all routes; tokens are asked for first and taken last", async () => {
    const { deployment } = await deployGateway({ tenants: TENANTS });
    const { targetRefs, rateLimit } = specOf(deployment, "BackendTrafficPolicy", "inference") as Policy;
    expect(targetRefs.map(({ sectionName }) => sectionName)).toEqual(["https"]);
    const of = (tenant: string) => [
      { headers: [{ type: "Exact", name: "x-consumer-id", value: tenant, invert: false }] },
    ];
    const requests = { shared: true, xRateLimitHeaders: "Off" };
    expect(rateLimit?.global.rules).toEqual([
      { clientSelectors: of("web"), limit: { requests: 600, unit: "Minute" }, ...requests },
      { clientSelectors: of("batch"), limit: { requests: 60, unit: "Minute" }, ...requests },
      {
        clientSelectors: of("batch"),
        limit: { requests: 200_000, unit: "Minute" },
        shared: true,
        xRateLimitHeaders: "DraftVersion03",
        cost: {
          request: { from: "Number", number: 0 },
          response: { from: "Metadata", metadata: { namespace: "io.envoy.ai_gateway", key: "llm_total_token" } },
        },
      },
    ]);
  });

  it("are absent where no tenant has one", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "BackendTrafficPolicy", "inference")).not.toHaveProperty("rateLimit");
    const { responseOverride } = specOf(deployment, "BackendTrafficPolicy", "inference") as Policy;
    expect(JSON.stringify(responseOverride)).not.toContain("429");
  });

  it("answer as OpenAI does, and leave an engine's own 429 as it is", () => {
    const { responseOverride = [] } = quotaSpec(QUOTAS) as Policy;
    expect(responseOverride.map(({ source, match }) => [source, match.statusCodes.map(({ value }) => value)])).toEqual([
      ["Local", [429]],
      ["Local", [429]],
    ]);
    const answers = responseOverride.map(({ response: { body, header } }) => ({
      ...(JSON.parse(body.inline) as { error: { type: string; code: string } }).error,
      headers: header.set.map(({ name }) => name),
    }));
    expect(answers).toMatchObject([
      { type: "tokens", code: "rate_limit_exceeded", headers: ["retry-after", "x-quota"] },
      { type: "requests", code: "rate_limit_exceeded", headers: ["retry-after", "x-quota"] },
    ]);
  });

  it("have rules that metrics name by their place", () => {
    expect(QUOTAS.map(quotaRule)).toEqual([
      { tenant: "web", kind: "requests", rule: "inference-gateway/.*/rule/0" },
      { tenant: "batch", kind: "requests", rule: "inference-gateway/.*/rule/1" },
      { tenant: "batch", kind: "tokens", rule: "inference-gateway/.*/rule/2" },
    ]);
  });
});
