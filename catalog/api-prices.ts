import table from "./api-prices.json";

/** What an API of somebody else asks for tokens of a model; list price. */
export interface ApiPrice {
  readonly provider: string;
  /** What it calls the model. */
  readonly offer: string;
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  /** Day of the price. */
  readonly asOf: string;
  readonly source: string;
}

/** @param model key of the catalogue (models.json). @returns cheapest output first; empty: nobody here has read one. */
export function apiPricesOf(model: string): ApiPrice[] {
  return table.prices
    .filter((row) => row.model === model)
    .map(({ model: _, ...row }) => ({ ...row, asOf: table.asOf, source: table.source }))
    .sort((a, b) => a.outputUsdPerMillion - b.outputUsdPerMillion);
}
