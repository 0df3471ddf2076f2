/** Mesh settings without effect. */
import type { Rule } from "../core/rule";

const TURN_ON = "write mode: ambient or mode: sidecar next to it";

/** Only sidecars restrict pods to hosts: elsewhere the list would have no effect. */
export const egressHostsHaveSidecars: Rule = function* ({ sections: { mesh } }) {
  if (mesh && mesh.egressHosts.length > 0 && mesh.mode !== "sidecar") {
    yield {
      path: ["mesh", "egressHosts"],
      value: mesh.egressHosts,
      allowed: "only with mode: sidecar: nothing else closes names of servers to pods",
      fix: "remove it: NetworkPolicies, by addresses, are what closes the way out; or write mode: sidecar",
    };
  }
};

export const egressHostsAreNamedOnce: Rule = function* ({ sections: { mesh } }) {
  for (const [i, host] of mesh?.egressHosts.entries() ?? []) {
    if (mesh?.egressHosts.indexOf(host) !== i) {
      yield {
        path: ["mesh", "egressHosts", i],
        value: host,
        allowed: "each name once",
        fix: "remove it",
      };
    }
  }
};

export const limitsHaveAMesh: Rule = function* ({ sections: { mesh } }) {
  if (mesh?.mode === "off" && mesh.requestsPerSecond !== undefined) {
    yield {
      path: ["mesh", "requestsPerSecond"],
      value: mesh.requestsPerSecond,
      allowed: "only where a mesh is: its proxies count",
      fix: `${TURN_ON}, or limit callers by gateway.consumers`,
    };
  }
};
