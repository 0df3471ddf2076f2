/** Egress of engines and store Jobs to registries: by proxy, or to the registry's networks. */
import { engineNames, engineOf } from "../../../engines";
import { outsideServer } from "../../../names/outside-server";
import { isPrivateName } from "../../../names/private-name";
import { isName, NETWORKS_FIX, outsideProblems } from "../core/outside-url";
import { list } from "../core/problems";
import type { Rule } from "../core/rule";

export const proxiesAreServersOfOthers: Rule = function* ({ sections: { storage, stage } }) {
  const { proxy } = storage ?? {};
  if (proxy === undefined) {
    return;
  }
  // Its traffic is end-to-end encrypted: http to the proxy is allowed in production.
  yield* outsideProblems(["storage", "proxy"], proxy, "development");
  const server = outsideServer(proxy.url);
  const isNamed = server !== undefined && server.family === undefined && proxy.networks === undefined;
  // A private name needs them in every stage, as of any server.
  if (isNamed && !isPrivateName(server.host) && stage === "production") {
    yield {
      path: ["storage", "proxy", "networks"],
      value: undefined,
      allowed: `in production the networks of ${server.host}: without them NetworkPolicies allow every public address at port ${server.port}, and no proxy in a private network`,
      fix: NETWORKS_FIX,
    };
  }
};

const fetching = engineNames.filter((name) => engineOf(name).weightsFrom === "registry");

export const registryNetworksAreRead: Rule = function* ({ sections: { storage, models } }) {
  const { proxy, registryNetworks } = storage ?? {};
  if (registryNetworks === undefined) {
    return;
  }
  const path = ["storage", "registryNetworks"];
  if (proxy !== undefined) {
    yield {
      path,
      value: registryNetworks,
      allowed: "only without storage.proxy: with it, engines reach the proxy and not the registry",
      fix: "remove registryNetworks, or remove proxy",
    };
  } else if (models !== undefined && !Object.values(models).some(({ engine }) => fetching.includes(engine))) {
    yield {
      path,
      value: registryNetworks,
      allowed: `only with a model whose engine fetches models itself: ${list(fetching)}`,
      fix: "remove it: nothing reads it",
    };
  }
};

export const registryNetworksAreNetworks: Rule = function* ({ sections: { storage } }) {
  const registry = { url: "https://registry.example.com", networks: storage?.registryNetworks };
  for (const problem of outsideProblems(["storage"], registry, "production")) {
    const { value } = problem;
    yield {
      ...problem,
      path: ["storage", "registryNetworks", ...problem.path.slice(2)],
      ...(typeof value === "string" && isName(value) && { fix: BY_NAME }),
    };
  }
};

/** The registry redirects to a CDN with changing addresses (docs/network.md). */
const BY_NAME =
  "remove registryNetworks and write storage.proxy with its networks: the proxy decides by name (docs/network.md has the registry's hosts)";
