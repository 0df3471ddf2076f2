import { expect, test } from "vitest";
import { evaluatePolicies } from "../../../policies/evaluate";
import { knownServers } from "../../../policies/rules/known-servers";
import { container, deployment, object, podSpec, policyCases, release, resource, UNKNOWN } from "../cases";

const KEY = "ssh-ed25519 AAAA";
const command = (connection: unknown, type = "command:remote:Command") => [
  resource(type, { connection, create: "id" }),
];

const cluster = (kubeconfig: unknown) => [resource("pulumi:providers:kubernetes", { kubeconfig })];

const held = (spec: unknown) => [object("a.example/v1", "Thing", { spec })];
const text = (content: string) => [object("core/v1", "ConfigMap", { data: { "a.conf": content } })];
const runs = (changes: Record<string, unknown>) => [deployment(podSpec({ containers: [container(changes)] }))];
const checked = "certificates that are checked";

policyCases(knownServers, [
  ...[
    { tls: { insecureSkipVerify: true } },
    { tlsConfig: { insecureSkipVerify: "true" } },
    { insecureSkipTLSVerify: true },
    { triggers: [{ metadata: { unsafeSsl: "true" } }] },
    { remote: { tls_skip_verify: 1 } },
    { server: { verifySSL: false } },
    { server: { sslVerify: "off" } },
    { output: { tls: { verify: false } } },
    { config: '{"tls_config": {"insecure_skip_verify": true}}' },
    { template: "scrape:\n  - insecure_skip_verify: true # for now\n" },
  ].map((spec) => [`a server that anybody can be: ${JSON.stringify(spec)}`, held(spec), [checked]] as const),
  ...[
    "tls = { insecure_skip_verify = true }",
    'tls_config: {"insecure_skip_verify": true}',
    '[{"insecureSkipVerify": true}]',
    "server: https://a.example/?skip_verify=true",
    "a({rejectUnauthorized:!1})",
  ].map((content) => [`a file: ${content}`, text(content), [checked]] as const),
  ...["insecure_skip_verify: true", "sslverify=false\ntls_verify = false", "skip_ssl_validation true"].map(
    (content) => [`a file: ${content}`, text(content), [checked]] as const,
  ),
  ...[
    ["--insecure-skip-tls-verify"],
    ["--tls-skip-verify", "true"],
    ["--skip-tls-verify=1"],
    ["sh", "-c", "wget --no-check-certificate https://a"],
    ["--ssl-verify", "false"],
  ].map((args) => [`an option: ${args.join(" ")}`, runs({ args }), [checked]] as const),
  ...[
    ["GIT_SSL_NO_VERIFY", "1"],
    ["NODE_TLS_REJECT_UNAUTHORIZED", "0"],
    ["PYTHONHTTPSVERIFY", "0"],
    ["VAULT_SKIP_VERIFY", "true"],
  ].map(([name, value]) => [`a variable: ${name}`, runs({ env: [{ name, value }] }), [checked]] as const),
  ["a chart", [release({ values: { kubelet: { tlsConfig: { insecureSkipVerify: true } } } })], [checked]],
  ["a chart that checks", [release({ values: { tls: { insecureSkipVerify: false, verify: true } } })], "pass"],
  ["servers that are checked", held({ tls: { insecureSkipVerify: false, verifySsl: true }, sslVerify: "on" }), "pass"],
  ["what only sounds like it", runs({ args: ["--verify-images=false", "--skip-verification-of-nothing"] }), "pass"],
  ["an option that checks", runs({ args: ["--tls-skip-verify", "false"] }), "pass"],
  ...[
    ["--no-validate"],
    ["--disable-validation"],
    ["--disable-host-check"],
    ["sh", "-c", "git commit --no-verify -m a"],
    ["kubectl", "apply", "--validate=false"],
  ].map((args) => [`a check of something else: ${args.join(" ")}`, runs({ args }), "pass"] as const),
  ["checks of something else", held({ skipValidation: true, skipCheck: true, noCheck: true }), "pass"],
  ["a connection without TLS", held({ exporter: { tls: { insecure: true } } }), "pass"],
  ["how to fix it there", held({ tls: { insecureSkipVerify: true } }), ["fix: Leave the check on"]],
  ["how to fix it for SSH", command({ host: "a" }), ["fix: Set connection.hostKey"]],
  ["how to fix it for a cluster", cluster("insecure-skip-tls-verify: true"), ["fix: Give the kubeconfig"]],
  ...[
    "# insecure_skip_verify: true\nverify: full\n",
    "verify: full # insecure_skip_verify: true\n",
    "; sslverify=false\n// tls_verify = false\n",
    "Use `--insecure-skip-tls-verify` only for tests.\n",
    "Do not set insecure_skip_verify = true\n",
    "description: never --insecure-skip-tls-verify\n",
    'case "$1" in\n  --no-check-certificate | --tls-skip-verify) exit 1;;\nesac\n',
    'if [ "$VERIFY_SSL" = "false" ]; then exit 1; fi\n',
  ].map((content) => [`a text that only mentions it: ${content}`, text(content), "pass"] as const),
  ["a description", held({ properties: { a: { description: "Sets --insecure-skip-tls-verify=true" } } }), "pass"],
  ...[
    "echo '#' # for now\nwget --no-check-certificate https://a # for now",
    "echo 'a # b' && wget --no-check-certificate https://a",
    "case a in\n--fast) wget --no-check-certificate https://a;;\nesac",
  ].map((content) => [`a script that does it: ${content}`, runs({ args: [content] }), [checked]] as const),
  ["a program's own name", runs({ args: ["Fetch it now --insecure-skip-tls-verify"] }), [checked]],
  ["an unknown switch", held({ tls: { insecureSkipVerify: UNKNOWN } }), "unknown"],
  ["an unknown value of an option", runs({ args: ["--tls-skip-verify", UNKNOWN] }), "unknown"],
  ["a machine by its key", command({ host: "a", hostKey: KEY }), "pass"],
  ["any machine", command({ host: "a" }), ["connection.hostKey is not set"]],
  ["an empty key", command({ host: "a", hostKey: "" }), ['connection.hostKey is ""']],
  ["files for any machine", command({ host: "a" }, "command:remote:CopyToRemote"), ["connection.hostKey is not set"]],
  ["a machine between, by its key", command({ hostKey: KEY, proxy: { host: "b", hostKey: KEY } }), "pass"],
  ["any machine between", command({ hostKey: KEY, proxy: { host: "b" } }), ["connection.proxy.hostKey is not set"]],
  ["an unknown key", command({ host: "a", hostKey: UNKNOWN }), "unknown"],
  ["a cluster by its certificate", cluster("clusters: [{ cluster: { certificate-authority-data: YQ== } }]"), "pass"],
  [
    "any cluster",
    cluster("clusters:\n- cluster:\n    insecure-skip-tls-verify: true\n"),
    ["kubeconfig has insecure-skip-tls-verify"],
  ],
  ["any cluster, in JSON", cluster('{"insecure-skip-tls-verify": true}'), ["kubeconfig has"]],
  ["a cluster that is yet to be made", cluster(UNKNOWN), "pass"],
  ["any cloud", [resource("pulumi:providers:aws", { insecure: "true" })], ['insecure is "true"']],
  ["a command here", command(undefined, "command:local:Command"), "pass"],
]);

/** Names by which programs and kinds skip the check, or have it, in the forms of their owners. */
const NAMES = [
  ...["insecureSkipVerify", "insecureSkipTLSVerify", "insecure-skip-tls-verify", "skipTlsVerify", "SKIP_TLS_VERIFY"],
  ...["disableTLSVerification", "noSslVerify", "GIT_SSL_NO_VERIFY", "VAULT_SKIP_VERIFY", "tls_skip_verify_insecure"],
  ...["skip_ssl_validation", "no-check-certificate", "tlsAllowInvalidCertificates", "allowInsecureSsl", "unsafeSsl"],
  ...["trustServerCertificate", "ignore-certificate-errors", "tlsVerifyDisabled", "without-peer-certificate-check"],
  ...["verify_ssl", "tlsVerify", "sslVerify", "PYTHONHTTPSVERIFY", "NODE_TLS_REJECT_UNAUTHORIZED"],
  ...["rejectUnauthorized", "check-certificates", "validateCerts", "tlsVerifyEnabled", "proxy_ssl_verify"],
];

/** A setting of the name in each place where one can be. */
const WAYS: Readonly<Record<string, (name: string, value: boolean) => ReturnType<typeof held>>> = {
  property: (name, value) => held({ [name]: value }),
  "value of a chart": (name, value) => [release({ values: { server: { [name]: value } } })],
  variable: (name, value) => runs({ env: [{ name, value: String(value) }] }),
  option: (name, value) => runs({ args: [`--${name}=${value}`] }),
  "line of a file": (name, value) => text(`clusters:\n- cluster:\n    ${name}: ${value}\n    server: https://a\n`),
};

test.each(Object.entries(WAYS))("of %s, one of true and false is refused", (_, way) => {
  const refused = (name: string, value: boolean) =>
    evaluatePolicies(way(name, value), { project: "p", stack: "s", policies: [knownServers] }).violations.length > 0;
  expect(NAMES.filter((name) => refused(name, true) === refused(name, false))).toEqual([]);
});
