/** Conventions of a Portainer server and its agent (portainer/portainer, api/chisel/key.go). */

/** What an edge key holds. */
export interface EdgeKey {
  /** Where the agent asks for work, without a slash at its end. */
  readonly url: string;
  /** Where it opens its tunnel: `host:port`. */
  readonly tunnel: string;
  readonly tunnelPort: number;
}

/** @returns undefined for text of another form. */
export function readEdgeKey(key: string): EdgeKey | undefined {
  const [url, tunnel, , id] = Buffer.from(key, "base64").toString("utf8").split("|");
  return url && tunnel && id
    ? { url: url.replace(/\/$/, ""), tunnel, tunnelPort: Number(tunnel.split(":").at(-1)) }
    : undefined;
}
