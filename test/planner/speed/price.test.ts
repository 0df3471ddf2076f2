import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apiPricesOf, pricesOf } from "../../../catalog/api-prices";
import table from "../../../catalog/api-prices.json";
import { findModel } from "../../../catalog/models";
import { type PricedModel, tokenPrice } from "../../../planner/speed/price";

const API = {
  provider: "An API",
  offer: "a-model",
  inputUsdPerMillion: 0.2,
  outputUsdPerMillion: 0.6,
  asOf: "2026-08-06",
  source: "a list",
};
/** 730 hours at 2 USD. */
const MODEL: PricedModel = {
  monthlyUsd: 1460,
  requestsPerSecond: 1,
  capacityPerSecond: 5,
  inputTokens: 1000,
  outputTokens: 1000,
};

describe("tokenPrice", () => {
  it("is the machines' price over the tokens of a month", () => {
    // 2 USD an hour, 3600 requests of 2000 tokens in it: 2 / 7.2 million.
    expect(tokenPrice(MODEL, [])).toMatchObject({ apis: [] });
    expect(tokenPrice(MODEL, []).usdPerMillionTokens).toBeCloseTo(2 / 7.2, 12);
    expect(tokenPrice(MODEL, []).atCapacityUsdPerMillionTokens).toBeCloseTo(2 / 36, 12);
  });

  it("names the rate from which an API costs more, and whether the replicas reach it", () => {
    // 1000 tokens in and out at the API: 0.0008 USD; 2 USD an hour pay for 2500 of them.
    const [api] = tokenPrice(MODEL, [API]).apis;
    expect(api?.breakEvenPerSecond).toBeCloseTo(2500 / 3600, 12);
    expect(api?.usdPerMillionTokens).toBeCloseTo(0.4, 12);
    expect(api?.isReachable).toBe(true);
    expect(tokenPrice({ ...MODEL, capacityPerSecond: 0.5 }, [API]).apis[0]?.isReachable).toBe(false);
  });

  it("has no price for traffic that nobody declares, or nobody can answer", () => {
    expect(tokenPrice({ ...MODEL, requestsPerSecond: 0 }, [])).not.toHaveProperty("usdPerMillionTokens");
    expect(tokenPrice({ ...MODEL, capacityPerSecond: 0 }, [])).not.toHaveProperty("atCapacityUsdPerMillionTokens");
  });

  it("costs at the break-even what the API would", () => {
    const amount = fc.double({ min: 0.01, max: 1e5, noNaN: true });
    const tokens = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(amount, amount, amount, tokens, tokens, (monthlyUsd, input, output, inputTokens, outputTokens) => {
        const api = { ...API, inputUsdPerMillion: input, outputUsdPerMillion: output };
        const priced = { monthlyUsd, requestsPerSecond: 1, capacityPerSecond: 1, inputTokens, outputTokens };
        const [compared] = tokenPrice(priced, [api]).apis;
        const own = tokenPrice({ ...priced, requestsPerSecond: compared?.breakEvenPerSecond ?? 0 }, []);
        expect((own.usdPerMillionTokens ?? 0) / (compared?.usdPerMillionTokens ?? 0)).toBeCloseTo(1, 9);
      }),
    );
  });

  it("puts the cheapest API for the mix first", () => {
    const forInput = { ...API, provider: "cheap to read", inputUsdPerMillion: 0.1, outputUsdPerMillion: 2 };
    const asks = (mix: Partial<PricedModel>) => tokenPrice({ ...MODEL, ...mix }, [API, forInput]).apis[0]?.provider;
    expect(asks({ inputTokens: 10_000, outputTokens: 10 })).toBe("cheap to read");
    expect(asks({ inputTokens: 10, outputTokens: 10_000 })).toBe("An API");
  });
});

describe("prices that an environment states", () => {
  const stated = (model: string, provider: string) => ({ ...API, model, provider, outputUsdPerMillion: 0.001 });
  const providers = (...own: Parameters<typeof pricesOf>[2]) =>
    pricesOf("llama-3.1-8b-instruct", "chat", own).map(({ provider, source }) => [provider, source === API.source]);

  it("stand in place of the table's of that provider, beside those of others", () => {
    const listed = providers();
    expect(listed.length).toBeGreaterThan(1);
    expect(providers(stated("chat", "deepinfra"))).toEqual([
      ["deepinfra", true],
      ...listed.filter(([provider]) => provider !== "DeepInfra"),
    ]);
    expect(providers(stated("llama-3.1-8b-instruct", "A new one"))).toEqual([["A new one", true], ...listed]);
  });

  it("are of the model that they name", () => {
    expect(providers(stated("other", "DeepInfra"))).toEqual(providers());
    expect(pricesOf(undefined, "chat", [stated("chat", "DeepInfra")])).toHaveLength(1);
  });
});

describe("the table of API prices", () => {
  it("is about models of the catalogue, each offer once, at prices that are above zero", () => {
    const offers = table.prices.map(({ model, provider, offer }) => `${model} ${provider} ${offer}`);
    expect(new Set(offers).size).toBe(offers.length);
    for (const row of table.prices) {
      expect(findModel(row.model), row.model).toBeDefined();
      expect(row.inputUsdPerMillion, row.offer).toBeGreaterThan(0);
      expect(row.outputUsdPerMillion, row.offer).toBeGreaterThanOrEqual(row.inputUsdPerMillion);
    }
  });

  it("is dated, and answers by model", () => {
    expect(apiPricesOf("llama-3.1-8b-instruct").length).toBeGreaterThan(1);
    expect(apiPricesOf("llama-3.1-8b-instruct")[0]).toMatchObject({ asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    expect(apiPricesOf("no-such-model")).toEqual([]);
  });
});
