import { waitsForItsCluster } from "../lib/kubeconfig";
import { resourcePolicy } from "../lib/policy";
import { broken, isGiven, isTrue, type Row } from "../lib/rows";
import { uncheckedCertificates } from "../lib/unchecked-certificates";

const SSH_KEY =
  "Set connection.hostKey, and connection.proxy.hostKey, to what ssh-keyscan shows and the machine's owner confirms";

const REMOTE = ["command:remote:Command", "command:remote:CopyFile", "command:remote:CopyToRemote"];

const ROWS: readonly Row[] = [
  {
    on: REMOTE,
    path: "connection.hostKey",
    isWrong: (value) => !isGiven(value),
    allowed: "the machine's public key: without, any machine that answers at the address gets what is sent",
    fix: SSH_KEY,
  },
  {
    on: ["pulumi:providers:aws"],
    path: "insecure",
    isWrong: isTrue,
    allowed: "false",
    fix: "Leave insecure out",
  },
  {
    on: ["pulumi:providers:kubernetes"],
    path: "kubeconfig",
    isWrong: (text) =>
      /["']?insecure-skip-tls-verify["']?\s*:\s*["']?true/i.test(JSON.stringify(text ?? "").replaceAll("\\", "")),
    found: "has insecure-skip-tls-verify, by which any machine that answers gets the credentials",
    allowed: "certificate-authority-data",
    fix: "Give the kubeconfig certificate-authority-data in its place",
  },
];

export const knownServers = resourcePolicy(
  {
    name: "known-servers",
    description:
      "Only known servers receive credentials: connections by SSH, through another machine too, have the key of the machine that they expect, and providers, kubeconfigs, Kubernetes objects and Helm charts check certificates.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["supply-chain", "authentication"],
    remediationSteps: `${SSH_KEY}; give kubeconfigs certificate-authority-data; elsewhere leave the check of certificates on.`,
  },
  (resource, report) => {
    if (waitsForItsCluster(resource)) {
      return;
    }
    for (const finding of broken(ROWS, resource)) {
      report({ resource, ...finding });
    }
    for (const field of uncheckedCertificates(resource)) {
      report({
        resource,
        field,
        allowed: "certificates that are checked, against the authority that signs them",
        fix: "Leave the check on, and give the program the certificate of the authority (a CA bundle) where it is no public one.",
      });
    }
    const proxy = resource.props.get("connection", "proxy");
    const field = proxy.get("hostKey");
    if (REMOTE.includes(resource.type) && proxy.is(isGiven) && field.is((value) => !isGiven(value))) {
      report({ resource, field, allowed: "the public key of the machine between", fix: SSH_KEY });
    }
  },
);
