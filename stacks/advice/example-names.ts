import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Reserved for documentation (RFC 2606): no owner, so no certificates or mail. */
const RESERVED = /(^|[.@])(example\.(com|net|org)|(.+\.)?(example|invalid|test))$/;

/** Example names of shipped environments: no CA certifies them, and no login signs tokens there. */
export function exampleNames({
  environment,
}: {
  readonly environment: Pick<EnvironmentConfig, "gateway"> & Partial<Pick<EnvironmentConfig, "observability">>;
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
  const { runbookUrl } = environment.observability ?? {};
  const mail = mailNames(environment.observability);
  return [
    ...advisory(
      mail,
      `for examples only, alerts arrive nowhere. Write your own ${[...new Set(mail.map(({ path }) => path))].join(" and ")}.`,
    ),
    ...advisory(
      runbookUrl !== undefined && RESERVED.test(new URL(runbookUrl).hostname)
        ? [{ path: "observability.runbookUrl", value: runbookUrl }]
        : [],
      "for examples only, links in alerts lead nowhere. Write the URL of docs/operations.md in your repository.",
    ),
    ...advisory(
      certified,
      `for examples only, no authority certifies that. Write your own ${certified.map(({ path }) => path).join(" and ")}.`,
    ),
    ...advisory(
      issuer !== undefined && RESERVED.test(new URL(issuer).hostname)
        ? [{ path: "gateway.auth.oidc.issuer", value: issuer }]
        : [],
      "for examples only, no issuer signs tokens there: API keys alone let callers in. Write your own issuer, or leave gateway.auth out.",
    ),
  ];
}

/** Of alert mails. */
function mailNames(observability: EnvironmentConfig["observability"] | undefined) {
  const alerts = observability?.alerts;
  const email = alerts === undefined || alerts === "none" ? undefined : alerts.email;
  return email === undefined
    ? []
    : [
        ...email.to.map((value) => ({ path: "observability.alerts.email.to", value, host: value })),
        { path: "observability.alerts.email.from", value: email.from, host: email.from },
        {
          path: "observability.alerts.email.smarthost",
          value: email.smarthost,
          host: email.smarthost.split(":")[0] ?? "",
        },
      ].filter(({ host }) => RESERVED.test(host));
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
