/** Plan inputs of the sections `nodes` and `mesh`. */
import type { NodePlan, RegistrarPlan, ServerGroupPlan } from "../planner/inference-nodes";
import type { ModelRequest } from "../planner/request";
import { MESH_PROXY, NODE_PROXY, NODE_REGISTRATION } from "../planner/sidecars";
import { type EnvironmentConfig, registrarAuthorities } from "./config";

/** By name. @param authorities certificates, among others by name of `registrarAuthorities`. */
export function serverGroups(
  nodes: EnvironmentConfig["nodes"],
  authorities: ReadonlyMap<string, string>,
): ServerGroupPlan[] {
  return Object.entries(nodes)
    .map(([name, { model, registrar }]) => ({
      name,
      model,
      ...(registrar && { registrar: registrarPlan(registrar, authorities.get(registrarAuthorities(name))) }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function registrarPlan(
  { url, networks, secretKey, caFile, renewSeconds }: NonNullable<EnvironmentConfig["nodes"][string]["registrar"]>,
  authorities: string | undefined,
): RegistrarPlan {
  return {
    url,
    renewSeconds,
    ...(networks && { networks }),
    ...(secretKey !== undefined && { secretKey }),
    ...(caFile !== undefined && authorities !== undefined && { authorities: { file: caFile, text: authorities } }),
  };
}

/** Sidecars of engines, for models in a group or in none. */
export function sidecarsOf({ mode }: EnvironmentConfig["mesh"]) {
  const everywhere = mode === "sidecar" ? [MESH_PROXY] : [];
  return (node: NodePlan | undefined): Pick<ModelRequest, "node" | "sidecars"> => ({
    ...(node && { node }),
    sidecars: [...everywhere, ...(node ? [NODE_PROXY] : []), ...(node?.registrar ? [NODE_REGISTRATION] : [])],
  });
}
