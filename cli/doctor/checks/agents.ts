import { type Check, failed, judged, passed, type Subject } from "./check";
import { namesOf, running } from "./controllers";

/** By stack output: the management server's agent, and how to remove an earlier one. */
const AGENTS = {
  rancher: {
    title: "Rancher's agent",
    image: /rancher\/rancher-agent(:|@|$)/,
    remove:
      "delete this cluster at the server that it is registered at, and then what is left of cattle-system (docs/rancher.md, Removing it)",
  },
  portainer: {
    title: "Portainer's agent",
    image: /portainer\/agent(:|@|$)/,
    remove: "remove it, with its namespace portainer: kubectl delete namespace portainer",
  },
} as const;
export type Agent = keyof typeof AGENTS;

/** Agents of the environment, by its program's outputs. */
export function agentsOf(outputs: Readonly<Record<string, unknown>>): Agent[] {
  return (Object.keys(AGENTS) as Agent[]).filter((agent) => outputs[agent] !== undefined);
}

/** A cluster is registered once: two agents would share names. */
export const agents: Check = (facts, needs) =>
  needs.agents.map((agent) => {
    const { title, image, remove } = AGENTS[agent];
    const subject: Subject = { check: "agent", title, needed: "none of others: the platform installs its own" };
    return judged(subject, running(facts, { image }), ({ ours, others }) =>
      others.length > 0
        ? failed(`${namesOf(others)}, not the platform's`, remove)
        : passed(ours.length > 0 ? "the platform's own" : "none yet"),
    );
  });
