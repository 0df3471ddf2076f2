/** Models that one server process serves together: a host, which has the pods, and guests, which have none of their own. */
import { engineOf } from "../engines";
import { withinEngine } from "./at-once";
import type { ModelRequest } from "./request";
import type { CapacityProblem } from "./types";

/** Whatever names the model whose server it joins. */
interface Member {
  readonly name: string;
  readonly serverOf?: string;
}

/** A server with all its models; most have one. */
export interface ServerModels<M extends Member = ModelRequest> {
  readonly host: M;
  /** By name, so that their order in the configuration changes nothing. */
  readonly guests: readonly M[];
}

/** Models with a server of their own. */
export function hostsOf<M extends Member>(models: readonly M[]): M[] {
  return models.filter(({ serverOf }) => serverOf === undefined);
}

export function guestsOf<M extends Member>(host: Member, models: readonly M[]): M[] {
  return models
    .filter(({ serverOf }) => serverOf === host.name)
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/**
 * The servers in the order of their hosts. What one process has once, guests have from their host; each takes no more
 * requests at once than its engine does.
 *
 * @throws Error when a guest has no host among the models: validation should have refused it.
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

/** Why its engine cannot hold these models on one server. */
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
