/** How engines that fetch models themselves reach their registry. */
import type * as kubernetes from "@pulumi/kubernetes";
import type { End } from "../core/connections";
import { type ClusterNetworks, internet, networksOf } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import { variables } from "./pod-settings";

export interface RegistryAccess {
  /** An HTTP proxy that tunnels (CONNECT). @default none */
  readonly proxy?: OutsideAddress | undefined;
  /** CIDRs of the registry and its redirects. @default the internet */
  readonly registryNetworks?: readonly string[] | undefined;
}

/** A proxy, or the registry. */
export function registryEnd(
  { proxy, registryNetworks }: RegistryAccess,
  networks: Pick<ClusterNetworks, "privateCidrs">,
): { readonly to: readonly End[]; readonly port: number } {
  return proxy === undefined
    ? { to: registryNetworks ? networksOf(registryNetworks) : internet(networks), port: 443 }
    : { to: outsideEnds(proxy, networks), port: serverAt(proxy).port };
}

/**
 * Ollama's registry uses the https proxy; HTTP_PROXY would affect its clients (ollama/ollama,
 * docs/faq.mdx).
 */
export function registryVariables({ proxy }: RegistryAccess): kubernetes.types.input.core.v1.EnvVar[] {
  return proxy === undefined ? [] : variables({ HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1,localhost" });
}
