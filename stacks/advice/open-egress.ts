import { engineOf } from "../../engines";
import { outsideServer } from "../../names/outside-server";
import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** Pods that may send to any address that is not private, because the platform knows what they call by a name alone. */
export function openEgress({ plan, environment }: Pick<Advised, "plan" | "environment">): CapacityProblem[] {
  const { storage, gateway, nodes } = environment;
  const fetching = plan.models.filter(
    ({ engine, serverOf }) => engineOf(engine).weightsFrom === "registry" && !serverOf,
  );
  const isOpen = storage.proxy === undefined && storage.registryNetworks === undefined;
  const who = [
    ...(isOpen
      ? fetching.map(({ name }) => `pods of models.${name} (storage.proxy, or storage.registryNetworks)`)
      : []),
    ...Object.entries(environment.externalModels).flatMap(([name, { external }]) =>
      isNamed(external) ? [`the gateway for models.${name} (models.${name}.external.networks)`] : [],
    ),
    ...Object.entries(nodes).flatMap(([name, { registrar }]) =>
      registrar && isNamed(registrar) ? [`nodes of ${name} (nodes.${name}.registrar.networks)`] : [],
    ),
    ...(gateway.auth?.oidc && !gateway.auth.oidc.networks
      ? ["the gateway for the keys of tokens (gateway.auth.oidc.networks)"]
      : []),
  ];
  return who.length === 0
    ? []
    : [
        {
          severity: "advisory",
          rule: "open-egress",
          subject: "networks",
          message: `NetworkPolicies know no names, so these reach the port of what they call at every address that is not private: ${who.join("; ")}. To narrow it: the key in brackets (docs/network.md).`,
        },
      ];
}

function isNamed({
  url,
  networks,
}: {
  readonly url: string;
  readonly networks?: readonly string[] | undefined;
}): boolean {
  return networks === undefined && outsideServer(url)?.family === undefined;
}
