/**
 * Portainer's routes for edge environments (portainer/portainer, api/http/handler/endpoints and
 * api/chisel/key.go, read 2026-11-29 at the newest public copy, of October 2024).
 */
import { z } from "zod";
import { type ServerApi, ServerRefused } from "./api";

/** A cluster managed by the server. */
export interface EdgeEnvironment {
  readonly id: number;
  /** Secret with the server's address for the agent. */
  readonly edgeKey: string;
  /** Bound Edge ID. Undefined: the first agent's. */
  readonly edgeId: string | undefined;
  /** Created by this run. */
  readonly isNew: boolean;
}

const endpoint = z.object({
  Id: z.number(),
  Name: z.string(),
  Type: z.number(),
  EdgeKey: z.string().default(""),
  EdgeID: z.string().optional(),
});

/** EndpointCreationType of agents that connect to the server. */
const EDGE_AGENT = "4";
/** Edge agents on Docker, the type before connecting, and on Kubernetes. */
const EDGE_TYPES: readonly number[] = [4, 7];

export class PortainerServer {
  constructor(private readonly api: ServerApi) {}

  async version(): Promise<string> {
    return (await this.api.ask("GET", "/api/system/status", z.object({ Version: z.string() }))).Version;
  }

  /**
   * Finds or creates the edge environment.
   *
   * @param url of the server for agents.
   * @param tunnelPort of the server.
   */
  async edgeEnvironment(name: string, { url, tunnelPort }: EdgeAddress): Promise<EdgeEnvironment> {
    const path = `/api/endpoints?name=${encodeURIComponent(name)}&excludeSnapshots=true`;
    const [found, ...others] = (await this.api.ask("GET", path, z.array(endpoint))).filter(
      (each) => each.Name === name,
    );
    if (others.length > 0) {
      throw new ServerRefused(`${others.length + 1} environments are named ${name}: rename or remove all but one`);
    }
    if (found !== undefined && !EDGE_TYPES.includes(found.Type)) {
      throw new ServerRefused(
        `the environment ${name} of the server is of another kind (Type ${found.Type}), not of an edge agent: rename it there`,
      );
    }
    const form = new FormData();
    form.set("Name", name);
    form.set("EndpointCreationType", EDGE_AGENT);
    form.set("URL", url);
    form.set("EdgeTunnelServerAddress", `${new URL(url).hostname}:${tunnelPort}`);
    const made = found ?? (await this.api.ask("POST", "/api/endpoints", endpoint, form));
    if (made.EdgeKey === "") {
      throw new ServerRefused(
        `the server shows no edge key of ${name}: the access token needs the role of an administrator`,
      );
    }
    return {
      id: made.Id,
      edgeKey: made.EdgeKey,
      edgeId: made.EdgeID === "" ? undefined : made.EdgeID,
      isNew: found === undefined,
    };
  }
}

export interface EdgeAddress {
  readonly url: string;
  readonly tunnelPort: number;
}
