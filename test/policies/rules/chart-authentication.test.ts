import { chartAuthentication } from "../../../policies/rules/chart-authentication";
import { container, deployment, object, podSpec, policyCases, release, UNKNOWN } from "../cases";

const values = (held: object) => [release({ values: held })];

const runs = (changes: Record<string, unknown>) => [deployment(podSpec({ containers: [container(changes)] }))];
const file = (content: unknown) => [object("core/v1", "ConfigMap", { data: { "redis.conf": content } })];
const known = "allowed: callers that are known";

policyCases(chartAuthentication, [
  ...[
    ["valkey-server", "--protected-mode", "no"],
    ["redis-server --protected-mode no --port 6379"],
    ["sh", "-c", "exec redis-server --save '' --protected-mode=no"],
    ["redis-server", "--requirepass", "", "--protected-mode", "no"],
    ["redis-cli", "CONFIG", "SET", "protected-mode", "no"],
    ["sh", "-c", "redis-cli config set protected-mode no"],
    ["sh", "-c", "printf 'protected-mode no\\n' | redis-server -"],
    ["sh", "-c", "echo protected-mode no > /tmp/c; redis-server /tmp/c"],
  ].map((args) => [`Redis for everybody: ${args.join(" ")}`, runs({ args }), [known]] as const),
  ["Redis for everybody, by its command", runs({ command: ["redis-server", "--protected-mode", "no"] }), [known]],
  ["Redis for everybody, by its file", file("port 6379\nprotected-mode no\n"), [known]],
  ["Redis for everybody, by a chart", values({ commonConfiguration: "appendonly yes\nprotected-mode no" }), [known]],
  ["Redis for everybody, by a variable", runs({ env: [{ name: "X_FLAGS", value: "--protected-mode no" }] }), [known]],
  ["Redis with a password", runs({ args: ["--protected-mode", "no", "--requirepass", "$(PASSWORD)"] }), "pass"],
  ["Redis with a password, by its file", file("protected-mode no\naclfile /run/users.acl\nrequirepass abc\n"), "pass"],
  [
    "Redis beside another one with a password",
    [
      deployment(
        podSpec({
          containers: [
            container({ args: ["--protected-mode", "no"] }),
            container({ name: "other", args: ["--requirepass", "$(PASSWORD)"] }),
          ],
        }),
      ),
    ],
    [known],
  ],
  ["Redis that protects itself", file("protected-mode yes\n"), "pass"],
  ["nobody knows", runs({ args: ["--protected-mode", UNKNOWN] }), "unknown"],
  ["an empty password", runs({ env: [{ name: "ALLOW_EMPTY_PASSWORD", value: "yes" }] }), [known]],
  ["a database that trusts", runs({ env: [{ name: "POSTGRES_HOST_AUTH_METHOD", value: "trust" }] }), [known]],
  ["a pod that lets anybody in", runs({ args: ["--anonymous-auth=true"] }), [known]],
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
