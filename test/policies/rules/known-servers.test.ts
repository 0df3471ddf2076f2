import { knownServers } from "../../../policies/rules/known-servers";
import { policyCases, resource, UNKNOWN } from "../cases";

const KEY = "ssh-ed25519 AAAA";
const command = (connection: unknown, type = "command:remote:Command") => [
  resource(type, { connection, create: "id" }),
];

const cluster = (kubeconfig: unknown) => [resource("pulumi:providers:kubernetes", { kubeconfig })];

policyCases(knownServers, [
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
