import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Reserved for documentation (RFC 2606): nobody owns them, so no authority certifies them or mails to them. */
const RESERVED = /(^|[.@])(example\.(com|net|org)|(.+\.)?(example|invalid|test))$/;

/** Example names of the shipped environments: no public authority certifies such a name, and no login signs tokens there. */
export function exampleNames({
  environment,
}: {
  readonly environment: Pick<EnvironmentConfig, "gateway">;
}): CapacityProblem[] {
  const { hostname, tls, auth } = environment.gateway;
  const certified =
    tls.kind === "acme"
      ? [
          { path: "gateway.hostname", value: hostname },
          { path: "gateway.tls.email", value: tls.email },
        ].filter(({ value }) => RESERVED.test(value))
      : [];
  const issuer = auth?.oidc?.issuer;
  return [
    ...advisory(
      certified,
      `for examples only, no authority certifies that. Write your own ${certified.map(({ path }) => path).join(" and ")}.`,
    ),
    ...advisory(
      issuer !== undefined && RESERVED.test(new URL(issuer).hostname)
        ? [{ path: "gateway.auth.oidc.issuer", value: issuer }]
        : [],
      "for examples only, nobody signs tokens there: API keys alone let callers in. Write your own issuer, or leave gateway.auth out.",
    ),
  ];
}

function advisory(names: readonly { readonly path: string; readonly value: string }[], what: string) {
  const [first] = names;
  return first === undefined
    ? []
    : [
        {
          severity: "advisory" as const,
          rule: "example-names",
          subject: first.path,
          message: `${names.map(({ value }) => value).join(" and ")}: ${what}`,
        },
      ];
}
