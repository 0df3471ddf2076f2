import { OPEN_WEBUI_NAMESPACE } from "../../../names/namespaces";
import type { ClusterFacts } from "../facts";
import { type Check, failed, judged, passed, type Subject } from "./check";
import { namesOf, running } from "./controllers";

interface Product {
  readonly title: string;
  readonly image: RegExp;
  /** Where another one is in the way. @default everywhere */
  readonly namespace?: string;
  readonly needed: string;
  /** How to remove one that is not the platform's. */
  readonly remove: string;
}

const ONE_REGISTRATION = "none of others: the platform installs its own";

/** By the key of a stack's output: agents of servers of others, which register a cluster once, and the chat page. */
const PRODUCTS = {
  rancher: {
    title: "Rancher's agent",
    image: /rancher\/rancher-agent(:|@|$)/,
    needed: ONE_REGISTRATION,
    remove:
      "delete this cluster at the server that it is registered at, and then what is left of cattle-system (docs/rancher.md, Removing it)",
  },
  portainer: {
    title: "Portainer's agent",
    image: /portainer\/agent(:|@|$)/,
    needed: ONE_REGISTRATION,
    remove: "remove it, with its namespace portainer: kubectl delete namespace portainer",
  },
  openWebUi: {
    title: "Chat page",
    image: /open-webui\/open-webui(:|@|$)/,
    namespace: OPEN_WEBUI_NAMESPACE,
    needed: `no other Open WebUI in the namespace ${OPEN_WEBUI_NAMESPACE}: its objects would have the same names`,
    remove: `save its data, and remove it from the namespace ${OPEN_WEBUI_NAMESPACE}; in another namespace it may stay`,
  },
} as const satisfies Readonly<Record<string, Product>>;
export type Agent = keyof typeof PRODUCTS;

/** Those that an environment installs, by the outputs of its program. */
export function agentsOf(outputs: Readonly<Record<string, unknown>>): Agent[] {
  return (Object.keys(PRODUCTS) as Agent[]).filter((agent) => outputs[agent] !== undefined);
}

/** Two would have the same names. */
export const agents: Check = (facts, needs) =>
  needs.agents.map((agent) => {
    const { title, image, namespace, needed, remove }: Product = PRODUCTS[agent];
    const subject: Subject = { check: "agent", title, needed };
    return judged(subject, running({ ...facts, deployments: workloads(facts) }, { image }), (found) => {
      const others = found.others.filter((each) => namespace === undefined || each.namespace === namespace);
      return others.length > 0
        ? failed(`${namesOf(others)}, not the platform's`, remove)
        : passed(found.ours.length > 0 ? "the platform's own" : "none yet");
    });
  });

/** Portainer's manifests and Open WebUI's chart have one or the other, by their settings. */
function workloads({ deployments, statefulSets }: ClusterFacts): ClusterFacts["deployments"] {
  return deployments.known && statefulSets.known
    ? { known: true, value: [...deployments.value, ...statefulSets.value] }
    : deployments.known
      ? statefulSets
      : deployments;
}
