import { chartAuthentication } from "../../../policies/rules/chart-authentication";
import { policyCases, release, UNKNOWN } from "../cases";

const values = (held: object) => [release({ values: held })];

policyCases(chartAuthentication, [
  [
    "authentication on",
    values({ auth: { enabled: true }, "grafana.ini": { "auth.anonymous": { enabled: false } } }),
    "pass",
  ],
  ["no value of it", values({ replicas: 2, serviceAccount: { create: true } }), "pass"],
  [
    "anonymous users",
    values({ "grafana.ini": { "auth.anonymous": { enabled: true } } }),
    ['["auth.anonymous"].enabled is true'],
  ],
  ["anonymous users as text", values({ anonymousAuth: "true" }), ["anonymousAuth is"]],
  [
    "authentication off",
    values({ server: { authentication: { enabled: false } } }),
    ["authentication.enabled is false"],
  ],
  ["a switch that turns it off", values({ disableAuth: true }), ["disableAuth is true"]],
  ["a switch that is off", values({ authEnabled: false }), ["authEnabled is false"]],
  ["an option", values({ args: ["--v=2", "--enable-skip-login"] }), ['args[1] is "--enable-skip-login"']],
  ["an option that turns it on", values({ args: ["--anonymous-auth=false"] }), "pass"],
  ["an unknown switch", values({ auth: { enabled: UNKNOWN } }), "unknown"],
]);
