/** Models served by one process: a host with the pods, and guests without. */
import { engineOf } from "../engines";
import { withinEngine } from "./at-once";
import type { ModelRequest } from "./request";
import type { CapacityProblem } from "./types";

interface Member {
  readonly name: string;
  readonly serverOf?: string;
}

/** A server with its models, mostly one. */
export interface ServerModels<M extends Member = ModelRequest> {
  readonly host: M;
  /** Sorted by name, independent of the configuration's order. */
  readonly guests: readonly M[];
}

export function hostsOf<M extends Member>(models: readonly M[]): M[] {
  return models.filter(({ serverOf }) => serverOf === undefined);
}

export function guestsOf<M extends Member>(host: Member, models: readonly M[]): M[] {
  return models
    .filter(({ serverOf }) => serverOf === host.name)
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/**
 * In the order of hosts. Guests inherit process-wide settings; each takes at most its engine's
 * limit of requests.
 *
 * @throws Error when a guest has no host: validation should have refused it.
 */
export function serversOf(models: readonly ModelRequest[]): ServerModels[] {
  const hosts = hostsOf(models);
  const stray = models.find(({ serverOf }) => serverOf !== undefined && !hosts.some(({ name }) => name === serverOf));
  if (stray) {
    throw new Error(`models.${stray.name} joins the server of "${stray.serverOf}", which has none`);
  }
  return hosts.map((host) => ({
    host: withinEngine(host),
    guests: guestsOf(host, models).map((guest) => withinEngine(asGuest(guest, host))),
  }));
}

function asGuest(guest: ModelRequest, host: ModelRequest): ModelRequest {
  const { pools: _pools, env: _env, image: _image, scaling: _scaling, ...own } = guest;
  const { engineVersion, concurrency, minReplicas, maxReplicas, pools, env, image } = host;
  return {
    ...own,
    engineVersion,
    concurrency,
    minReplicas,
    maxReplicas,
    ...(pools && { pools }),
    ...(env && { env }),
    ...(image && { image }),
  };
}

/** Why the engine cannot hold these models on one server. */
export function serverProblem({ host, guests }: ServerModels): CapacityProblem | undefined {
  const problems = engineOf(host.engine).sharedServer?.problems([host, ...guests]) ?? [];
  if (guests.length === 0 || problems.length === 0) {
    return undefined;
  }
  return {
    severity: "mandatory",
    rule: "shared-server",
    subject: `models.${host.name}`,
    message: problems.map((problem) => `${problem}.`).join("\n"),
  };
}
