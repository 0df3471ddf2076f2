/** How engines that fetch models themselves reach their registry. */
import type * as kubernetes from "@pulumi/kubernetes";
import type { End } from "../core/connections";
import { type ClusterNetworks, internet, networksOf } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import { variables } from "./pod-settings";

export interface RegistryAccess {
  /** An HTTP proxy that tunnels (CONNECT). @default none */
  readonly proxy?: OutsideAddress | undefined;
  /** Networks in CIDR form of the registry, and of hosts that it redirects to. @default the internet */
  readonly registryNetworks?: readonly string[] | undefined;
}

/** Where the pods connect to, and the port there: of a proxy nothing else. */
export function registryEnd(
  { proxy, registryNetworks }: RegistryAccess,
  networks: Pick<ClusterNetworks, "privateCidrs">,
): { readonly to: readonly End[]; readonly port: number } {
  return proxy === undefined
    ? { to: registryNetworks ? networksOf(registryNetworks) : internet(networks), port: 443 }
    : { to: outsideEnds(proxy, networks), port: serverAt(proxy).port };
}

/** Ollama takes the proxy of https alone for its registry; HTTP_PROXY would reach its own clients (ollama/ollama, docs/faq.mdx). */
export function registryVariables({ proxy }: RegistryAccess): kubernetes.types.input.core.v1.EnvVar[] {
  return proxy === undefined ? [] : variables({ HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1,localhost" });
}
