import { type OutsideAddress, serverAt } from "../core/outside";

/**
 * Succeeds where a connection to the port of the server is established that is not one to the Kubernetes API: lines of /proc/net/tcp have the
 * other end in hexadecimal, IPv4 addresses with their last byte first, and 01 for an established one.
 */
const PROGRAM = `BEGIN {
  if (split(ENVIRON["KUBERNETES_SERVICE_HOST"], byte, ".") == 4)
    api = sprintf("%02X%02X%02X%02X", byte[4], byte[3], byte[2], byte[1])
}
$4 == "01" && split($3, end, ":") == 2 && end[2] == port && end[1] != api { found = 1 }
END { exit !found }`;

/**
 * Command that checks whether the agent's tunnel is open. The agent's own mark, the file `connected`, stays once it was: the agent never removes
 * it (rancher/rancher v2.15.0, cmd/agent/main.go). The image has sh and awk for its run.sh.
 *
 * @param folder with the kernel's tables of connections.
 */
export function connectedProbe(server: Pick<OutsideAddress, "url">, folder = "/proc/net"): string[] {
  const port = serverAt(server).port.toString(16).toUpperCase().padStart(4, "0");
  return ["sh", "-c", `cat ${folder}/tcp ${folder}/tcp6 2>/dev/null | awk -v port=${port} '${PROGRAM}'`];
}
