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
  [
    "a variable of a program",
    values({ extraEnv: [{ name: "GF_AUTH_ANONYMOUS_ENABLED", value: "true" }] }),
    ["value is"],
  ],
  ["a variable by its name", values({ env: { WEBUI_AUTH: "False" } }), ["WEBUI_AUTH is"]],
  ["a variable of another way in", values({ env: { GF_AUTH_BASIC_ENABLED: "false", HTTP_AUTH: "false" } }), "pass"],
  ["a way in that asks nobody", values({ auth: { strategy: "anonymous" } }), ["auth.strategy is"]],
  ["no way in", values({ auth: "none" }), ["auth is"]],
  ["the server's own rights", values({ server: { authModes: ["server"] } }), ["authModes is"]],
  ["a way in that asks", values({ auth: { strategy: "openid" }, server: { authModes: ["sso"] } }), "pass"],
  ["no password", values({ redis: { usePassword: false } }), ["usePassword is"]],
  ["nobody has to", values({ requireAuth: false }), ["requireAuth is"]],
  ["a way in by parts of its name", values({ configs: { params: { "server.disable.auth": "true" } } }), ["auth"]],
  ["options in a text", values({ command: "serve --v=2 --disable-auth" }), ["command is"]],
  ["an option and its value", values({ args: ["--auth-mode", "server"] }), ["args[0] is"]],
  ["lines of a file", values({ config: "[auth.anonymous]\nenabled = true\n" }), ["config is"]],
  [
    "lines of a file that ask",
    values({ config: "[auth.anonymous]\nenabled = false\n[users]\nenabled = true\n" }),
    "pass",
  ],
  ["a text that is unknown", values({ command: UNKNOWN }), "pass"],
  ["a form alone that is off", values({ "grafana.ini": { auth: { disable_login_form: true } } }), "pass"],
  [
    "reports about usage",
    values({ global: { sendAnonymousUsage: true }, telemetry: { anonymous: { enabled: true } } }),
    "pass",
  ],
  ["nobody anonymous", values({ denyAnonymous: true, disableAnonymous: true, blockAnonymousAccess: true }), "pass"],
  ["somebody anonymous after all", values({ denyAnonymous: false }), ["denyAnonymous is false"]],
  ["a cache of known callers", values({ disableAuthCache: true, noAuthor: true }), "pass"],
  ["limits of anonymous callers", values({ rateLimit: { anonymous: { enabled: true } } }), "pass"],
  ["a mail server without a password", values({ smtp: { auth: false } }), "pass"],
  ["an unknown switch", values({ auth: { enabled: UNKNOWN } }), "unknown"],
]);
