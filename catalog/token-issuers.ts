import issuers from "./token-issuers.json";

/** Names of the issuers of tokens of which it is known where they publish their keys. */
export const knownTokenIssuers: readonly string[] = issuers.map(({ name }) => name);

/** Where an issuer of tokens publishes its keys; undefined for one that is not known. */
export function knownJwksUri(issuer: string): string | undefined {
  const url = issuer.replace(/\/+$/, "");
  const known = issuers.find((each) => new RegExp(each.issuer).test(url));
  return known && url.replace(new RegExp(known.issuer), known.jwksUri);
}
