import { resourcePolicy } from "../lib/policy";
import { broken, isGiven, type Row } from "../lib/rows";

const REMOTE = ["command:remote:Command", "command:remote:CopyFile", "command:remote:CopyToRemote"];

const ROWS: readonly Row[] = [
  {
    on: REMOTE,
    path: "connection.hostKey",
    isWrong: (value) => !isGiven(value),
    allowed: "the machine's public key: without, any machine that answers at the address gets what is sent",
  },
];

export const sshHostKey = resourcePolicy(
  {
    name: "ssh-host-key",
    description: "Connections by SSH, through another machine too, know the key of the machine that they expect.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["supply-chain", "authentication"],
    remediationSteps:
      "Set connection.hostKey, and connection.proxy.hostKey, to what ssh-keyscan shows and the machine's owner confirms.",
  },
  (resource, report) => {
    for (const finding of broken(ROWS, resource)) {
      report({ resource, ...finding });
    }
    const proxy = resource.props.get("connection", "proxy");
    const field = proxy.get("hostKey");
    if (REMOTE.includes(resource.type) && proxy.is(isGiven) && field.is((value) => !isGiven(value))) {
      report({ resource, field, allowed: "the public key of the machine between" });
    }
  },
);
