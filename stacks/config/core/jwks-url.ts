import { knownJwksUri } from "../../../catalog/token-issuers";
import type { CoreConfig } from "./schema";

type Oidc = NonNullable<NonNullable<CoreConfig["gateway"]["auth"]>["oidc"]>;

/** Where an issuer publishes its keys; undefined where nothing says so, which no right configuration has. */
export function jwksUrl({ issuer, jwksUri }: Pick<Oidc, "issuer" | "jwksUri">): string | undefined {
  return jwksUri ?? knownJwksUri(issuer);
}
