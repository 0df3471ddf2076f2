import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Reserved for documentation (RFC 2606): nobody owns them, so no authority certifies them or mails to them. */
const RESERVED = /(^|[.@])(example\.(com|net|org)|(.+\.)?(example|invalid|test))$/;

/** Example names of the shipped environments that a public certificate authority will not accept. */
export function exampleNames({
  environment,
}: {
  readonly environment: Pick<EnvironmentConfig, "gateway">;
}): CapacityProblem[] {
  const { hostname, tls } = environment.gateway;
  if (tls.kind !== "acme") {
    return [];
  }
  const names = [
    { path: "gateway.hostname", value: hostname },
    { path: "gateway.tls.email", value: tls.email },
  ].filter(({ value }) => RESERVED.test(value));
  const [first] = names;
  return first === undefined
    ? []
    : [
        {
          severity: "advisory",
          rule: "example-names",
          subject: first.path,
          message: `${names.map(({ value }) => value).join(" and ")}: for examples only, no authority certifies that. Write your own ${names.map(({ path }) => path).join(" and ")}.`,
        },
      ];
}
