import { sshHostKey } from "../../../policies/rules/ssh-host-key";
import { policyCases, resource, UNKNOWN } from "../cases";

const KEY = "ssh-ed25519 AAAA";
const command = (connection: unknown, type = "command:remote:Command") => [
  resource(type, { connection, create: "id" }),
];

policyCases(sshHostKey, [
  ["a machine by its key", command({ host: "a", hostKey: KEY }), "pass"],
  ["any machine", command({ host: "a" }), ["connection.hostKey is not set"]],
  ["an empty key", command({ host: "a", hostKey: "" }), ['connection.hostKey is ""']],
  ["files for any machine", command({ host: "a" }, "command:remote:CopyToRemote"), ["connection.hostKey is not set"]],
  ["a machine between, by its key", command({ hostKey: KEY, proxy: { host: "b", hostKey: KEY } }), "pass"],
  ["any machine between", command({ hostKey: KEY, proxy: { host: "b" } }), ["connection.proxy.hostKey is not set"]],
  ["an unknown key", command({ host: "a", hostKey: UNKNOWN }), "unknown"],
  ["a command here", command(undefined, "command:local:Command"), "pass"],
]);
