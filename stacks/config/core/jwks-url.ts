import type { CoreConfig } from "./schema";

type Oidc = NonNullable<NonNullable<CoreConfig["gateway"]["auth"]>["oidc"]>;

/** Where an issuer publishes its keys. */
export function jwksUrl({ issuer, jwksUri }: Pick<Oidc, "issuer" | "jwksUri">): string {
  return jwksUri ?? `${issuer.replace(/\/+$/, "")}/.well-known/jwks.json`;
}
