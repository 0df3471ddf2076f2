import { knownJwksUri } from "../../../catalog/token-issuers";
import type { CoreConfig } from "./schema";

type Oidc = NonNullable<NonNullable<CoreConfig["gateway"]["auth"]>["oidc"]>;

/** Undefined only for invalid configurations. */
export function jwksUrl({ issuer, jwksUri }: Pick<Oidc, "issuer" | "jwksUri">): string | undefined {
  return jwksUri ?? knownJwksUri(issuer);
}
