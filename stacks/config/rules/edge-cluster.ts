import type { ProblemDraft } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";
import { NAMESPACE } from "../core/schema";
import { oneMachine } from "./one-machine";

/** A provisioned edge cluster is one machine: one pool of one node. */
export const edgeIsOneMachine: Rule = function* (context) {
  const { cluster } = context.sections;
  if (cluster?.kind !== "edge" || cluster.provision !== "create" || cluster.hosts === undefined) {
    return;
  }
  const hosts = Object.keys(cluster.hosts);
  if (hosts.length !== 1) {
    yield {
      path: ["cluster", "hosts"],
      value: hosts,
      allowed: "one machine: its k3s is a cluster of one node",
      fix:
        hosts.length === 0
          ? "add <name>: {address: …, user: …, hostKey: ssh-ed25519 …}"
          : "keep one, and give each other machine an environment of its own: npm run fleet plans many from one file (docs/fleet.md)",
    };
  }
  yield* oneMachine(context);
};

/** k3s settings need machines to set up. */
export const k3sIsOfOurMachines: Rule = function* ({ sections: { cluster } }) {
  if (cluster?.kind === "edge" && cluster.provision !== "create" && cluster.k3s !== undefined) {
    yield {
      path: ["cluster", "k3s"],
      value: cluster.k3s,
      allowed: "only with provision: create: the k3s of others stays as it is",
      fix: "write provision: create and hosts, or remove k3s",
    };
  }
};

const SSH_SECRETS = ["sshPrivateKey", "sshPrivateKeyPassphrase", "sshPassword"];

/** SSH secrets need a machine to log in to. */
export const sshSecretsHaveAMachine: Rule = function* ({ sections: { cluster }, declared }) {
  if (!cluster) {
    return;
  }
  const isOurs = cluster.kind === "edge" && cluster.provision === "create";
  for (const key of SSH_SECRETS.filter((key) => !isOurs && declared.secrets.includes(key))) {
    yield unused(key, "only with cluster.kind: edge and provision: create: nothing else logs in to machines");
  }
  if (isOurs && declared.secrets.includes("sshPrivateKeyPassphrase") && !declared.secrets.includes("sshPrivateKey")) {
    yield unused("sshPrivateKeyPassphrase", "only with sshPrivateKey: keys of the SSH agent are open");
  }
};

function unused(key: RuleContext["declared"]["secrets"][number], allowed: string): ProblemDraft {
  return { path: [key], value: undefined, allowed, fix: `pulumi config rm ${NAMESPACE}:${key}` };
}
