import { type OutsideAddress, serverAt } from "../core/outside";

/**
 * Succeeds with an established connection to the server's port, other than the Kubernetes API's.
 * /proc/net/tcp has remote ends in hexadecimal, IPv4 reversed; 01 means established.
 */
const PROGRAM = `BEGIN {
  if (split(ENVIRON["KUBERNETES_SERVICE_HOST"], byte, ".") == 4)
    api = sprintf("%02X%02X%02X%02X", byte[4], byte[3], byte[2], byte[1])
}
$4 == "01" && split($3, end, ":") == 2 && end[2] == port && end[1] != api { found = 1 }
END { exit !found }`;

/**
 * The agent's file `connected` is never removed (rancher/rancher v2.15.0, cmd/agent/main.go), so
 * the probe reads connections.
 * @param folder with the kernel's tables of connections.
 */
export function connectedProbe(server: Pick<OutsideAddress, "url">, folder = "/proc/net"): string[] {
  const port = serverAt(server).port.toString(16).toUpperCase().padStart(4, "0");
  return ["sh", "-c", `cat ${folder}/tcp ${folder}/tcp6 2>/dev/null | awk -v port=${port} '${PROGRAM}'`];
}
