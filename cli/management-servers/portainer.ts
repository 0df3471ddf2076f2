/**
 * The routes of a Portainer server by which an edge environment is created (portainer/portainer, api/http/handler/endpoints and
 * api/chisel/key.go, read 2026-11-29 at the newest public copy, of October 2024).
 */
import { z } from "zod";
import { type ServerApi, ServerRefused } from "./api";

/** An environment of the server's, which is a cluster that it manages. */
export interface EdgeEnvironment {
  readonly id: number;
  /** What the agent finds its server by; secret. */
  readonly edgeKey: string;
  /** Edge ID that it is bound to. Undefined: to the one of the first agent that connects. */
  readonly edgeId: string | undefined;
  /** Whether this run created it. */
  readonly isNew: boolean;
}

const endpoint = z.object({
  Id: z.number(),
  Name: z.string(),
  Type: z.number(),
  EdgeKey: z.string().default(""),
  EdgeID: z.string().optional(),
});

/** EndpointCreationType: an agent that connects to the server. */
const EDGE_AGENT = "4";
/** Edge agents on Docker, which each is taken for until it connects, and on Kubernetes. */
const EDGE_TYPES: readonly number[] = [4, 7];

export class PortainerServer {
  constructor(private readonly api: ServerApi) {}

  /** Release of the server. */
  async version(): Promise<string> {
    return (await this.api.ask("GET", "/api/system/status", z.object({ Version: z.string() }))).Version;
  }

  /**
   * The edge environment of that name; created where there is none.
   *
   * @param url of the server, as agents reach it.
   * @param tunnelPort of its tunnel.
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
