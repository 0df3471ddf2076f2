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
