import table from "./api-prices.json";

/** List price of an external API for tokens of a model. */
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

/** Replaces the table's price of the same provider, or adds one. */
export interface StatedPrice extends ApiPrice {
  /** Name of the catalogue, or of a model of the environment. */
  readonly model: string;
}

/**
 * @param catalogued catalogue name, if any.
 * @param named name in the environment.
 * @returns cheapest output first.
 */
export function pricesOf(catalogued: string | undefined, named: string, stated: readonly StatedPrice[]): ApiPrice[] {
  const own = stated
    .filter(({ model }) => model === named || model === catalogued)
    .map(({ model: _, ...price }) => price);
  const isOwn = ({ provider }: ApiPrice) => own.some((each) => sameProvider(each.provider, provider));
  const listed = catalogued === undefined ? [] : apiPricesOf(catalogued).filter((price) => !isOwn(price));
  return [...listed, ...own].sort((a, b) => a.outputUsdPerMillion - b.outputUsdPerMillion);
}

function sameProvider(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * @param model key of the catalogue (models.json).
 * @returns cheapest output first; empty: none is recorded.
 */
export function apiPricesOf(model: string): ApiPrice[] {
  return table.prices
    .filter((row) => row.model === model)
    .map(({ model: _, ...row }) => ({ ...row, asOf: table.asOf, source: table.source }))
    .sort((a, b) => a.outputUsdPerMillion - b.outputUsdPerMillion);
}
