/**
 * Rancher's routes for importing a cluster (API v3; rancher/rancher v2.15.0,
 * pkg/client/generated/management/v3).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { authorityChecksum } from "../../names/rancher";
import { type ServerApi, ServerRefused } from "./api";

export interface ImportedCluster {
  readonly id: string;
  readonly state: string;
  /** Created by this run. */
  readonly isNew: boolean;
}

const setting = z.object({ value: z.string().default("") });
const cluster = z.object({ id: z.string(), name: z.string(), state: z.string().default("unknown") });
const token = z.object({ name: z.string().default(""), clusterId: z.string(), token: z.string().default("") });

function collection<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item).default([]) });
}

/** The server's own token for connected agents, which it rotates. */
const SERVERS_OWN = "system";

/** Tries until a server fills in a new token. */
const TOKEN_TRIES = 15;

export class RancherServer {
  constructor(
    private readonly api: ServerApi,
    private readonly waitMs = 1000,
  ) {}

  /** For example `server-version`, `cacerts`. */
  async setting(name: string): Promise<string> {
    return (await this.api.ask("GET", `/v3/settings/${name}`, setting)).value;
  }

  /** Found or created. */
  async cluster(name: string): Promise<ImportedCluster> {
    const { data } = await this.api.ask("GET", `/v3/clusters?name=${encodeURIComponent(name)}`, collection(cluster));
    const [found, ...others] = data.filter((each) => each.name === name);
    if (others.length > 0) {
      throw new ServerRefused(`${others.length + 1} clusters are named ${name}: rename or remove all but one`);
    }
    const { id, state } = found ?? (await this.api.ask("POST", "/v3/clusters", cluster, { type: "cluster", name }));
    return { id, state, isNew: found === undefined };
  }

  /** Found or created registration token. */
  async token(clusterId: string): Promise<string> {
    const path = `/v3/clusterregistrationtokens?clusterId=${encodeURIComponent(clusterId)}`;
    const known = async () => {
      const { data } = await this.api.ask("GET", path, collection(token));
      return data.filter((each) => each.clusterId === clusterId && each.name !== SERVERS_OWN);
    };
    let tokens = await known();
    if (tokens.length === 0) {
      await this.api.ask("POST", "/v3/clusterregistrationtokens", token, {
        type: "clusterRegistrationToken",
        clusterId,
      });
    }
    for (let tries = 0; tries < TOKEN_TRIES; tries += 1) {
      const [ready] = tokens.filter((each) => each.token !== "");
      if (ready !== undefined) {
        return ready.token;
      }
      await sleep(this.waitMs, undefined, { signal: this.api.signal });
      tokens = await known();
    }
    throw new ServerRefused(
      `the server shows no registration token of ${clusterId}: the API token needs the role Cluster Owner, or to create clusters`,
    );
  }
}

/**
 * @throws ServerRefused where an agent would refuse the server: ours compares what the server hands out with the checksum of caCerts, and
 * the manifest that the server applies over ours has the checksum of its setting cacerts, also where a public authority signed.
 */
export function assertAuthority(caCerts: string | undefined, handedOut: string): void {
  const isEmpty = handedOut.trim() === "";
  if (caCerts === undefined ? isEmpty : authorityChecksum(caCerts) === authorityChecksum(handedOut)) {
    return;
  }
  if (caCerts === undefined) {
    throw new ServerRefused(
      "the server hands out an authority (its setting cacerts), by which agents then verify it: write it as rancher.caCerts, or empty the setting where a public authority signed the server's certificate",
    );
  }
  throw new ServerRefused(
    isEmpty
      ? "the server hands out no authority (its setting cacerts is empty), and the agent would wait for one: remove rancher.caCerts"
      : "rancher.caCerts is not what the server hands out at /v3/settings/cacerts, which the agent compares: copy it from there, with all its certificates",
  );
}
