/** `npm run rancher` against a fake of a Rancher server's API v3 over TLS: the routes and fields of rancher/rancher v2.15.0. */

import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../cli/rancher";
import { Authority } from "../../rehearsal/cluster/authority";
import { runPiped, useFolder } from "../cli/run";
import { changedText } from "../stacks/texts";

const folder = useFolder();
const API_TOKEN = "token-abcde:never-real";
const HOST = "rancher.example.internal";
const REGISTRATION = "7hxmd8qkrb5t7hxmd8qkrb5t";

interface FakeCluster {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

interface FakeToken {
  readonly name: string;
  readonly clusterId: string;
  /** Filled in by the server's controller, after the answer to the POST. */
  readonly token: string;
}

interface State {
  version: string;
  cacerts: string;
  clusters: FakeCluster[];
  tokens: FakeToken[];
  posts: string[];
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
  }
  return JSON.parse(text) as Record<string, string>;
}

describe("npm run rancher", () => {
  const authority = new Authority();
  const other = new Authority();
  let state: State;
  let server: Server;
  let port: number;

  beforeAll(async () => {
    const { "tls.crt": cert, "tls.key": key } = authority.issue([`DNS:${HOST}`]);
    server = createServer({ cert, key }, async (request, response) => {
      const url = new URL(request.url ?? "/", `https://${HOST}`);
      const answer = (status: number, body: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      if (request.headers.authorization !== `Bearer ${API_TOKEN}`) {
        answer(401, { type: "error", status: "401" });
        return;
      }
      const route = `${request.method} ${url.pathname}`;
      if (request.method === "POST") {
        state.posts.push(url.pathname);
      }
      switch (route) {
        case "GET /v3/settings/server-version":
          return answer(200, { value: state.version });
        case "GET /v3/settings/cacerts":
          return answer(200, { value: state.cacerts });
        case "GET /v3/clusters":
          return answer(200, { data: state.clusters.filter(({ name }) => name === url.searchParams.get("name")) });
        case "POST /v3/clusters": {
          const { type, name = "" } = await bodyOf(request);
          const cluster = { id: "c-7w2lp", name, state: "pending" };
          state.clusters.push(cluster);
          // The server makes a token of its own with the cluster.
          state.tokens.push({ name: "system", clusterId: cluster.id, token: "not-for-people" });
          return answer(type === "cluster" ? 201 : 422, cluster);
        }
        case "GET /v3/clusterregistrationtokens": {
          const data = state.tokens.filter(({ clusterId }) => clusterId === url.searchParams.get("clusterId"));
          state.tokens = state.tokens.map((each) => ({ ...each, token: each.token || REGISTRATION }));
          return answer(200, { data });
        }
        case "POST /v3/clusterregistrationtokens": {
          const { type, clusterId = "" } = await bodyOf(request);
          state.tokens.push({ name: "crt-x7", clusterId, token: "" });
          return answer(type === "clusterRegistrationToken" ? 201 : 422, { name: "crt-x7", clusterId });
        }
        default:
          return answer(404, { type: "error", status: "404" });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.close();
    authority.discard();
    other.discard();
  });
  beforeEach(() => {
    state = { version: "v2.15.0", cacerts: `${authority.certificate.trim()}\n`, clusters: [], tokens: [], posts: [] };
  });

  /** Runs the command for an environment whose server is the fake. */
  function rancher(
    argv: readonly string[],
    section: object = {},
    env: NodeJS.ProcessEnv = { RANCHER_TOKEN_KEY: API_TOKEN },
  ) {
    const settings = {
      acknowledgeClusterAdmin: true,
      url: `https://${HOST}`,
      networks: ["192.168.1.31/32"],
      caCerts: authority.certificate,
      cluster: "edge",
      ...section,
    };
    const file = join(folder, "environment.yaml");
    writeFileSync(file, changedText("edge-nvidia", { rancher: settings }));
    return runPiped((args, io) => main(args, io, env, port), ["edge-nvidia", "--config", file, ...argv]);
  }

  it("creates the cluster and its token once, and changes nothing again", async () => {
    const first = await rancher([]);
    expect(first).toMatchObject({ status: 0, err: "" });
    expect(first.out).toContain("edge (c-7w2lp) was created");
    expect(state.posts).toEqual(["/v3/clusters", "/v3/clusterregistrationtokens"]);
    const again = await rancher(["--token"]);
    expect(again).toMatchObject({ status: 0, out: `${REGISTRATION}\n` });
    expect(again.err).toContain("edge (c-7w2lp) is known");
    expect(state.posts).toHaveLength(2);
  });

  it("keeps the token out of everything but --token", async () => {
    const { out, err } = await rancher(["--json"]);
    expect(JSON.parse(out)).toMatchObject({ id: "c-7w2lp", isNew: true, state: "pending" });
    expect(`${out}${err}`).not.toContain(REGISTRATION);
  });

  it("refuses a server of another authority before it asks anything", async () => {
    const { status, err } = await rancher([], { caCerts: other.certificate });
    expect(status).toBe(1);
    expect(err).toMatch(/is not trusted[\s\S]*rancher\.caCerts/);
    expect(state.posts).toEqual([]);
  });

  it("refuses caCerts that the agent would refuse, before it creates anything", async () => {
    state.cacerts = other.certificate;
    expect(await rancher([])).toMatchObject({ status: 1, err: expect.stringContaining("/v3/settings/cacerts") });
    state.cacerts = "";
    expect(await rancher([])).toMatchObject({ status: 1, err: expect.stringContaining("remove rancher.caCerts") });
    expect(state.posts).toEqual([]);
  });

  it("refuses an API token that may do nothing, and names the variable where there is none", async () => {
    const refused = await rancher([], {}, { RANCHER_TOKEN_KEY: "token-abcde:revoked" });
    expect(refused).toMatchObject({ status: 1, err: expect.stringContaining("answered 401") });
    expect(await rancher([], {}, {})).toMatchObject({ status: 2, err: expect.stringContaining("RANCHER_TOKEN_KEY") });
  });

  it("refuses a release that does not run with the environment's Kubernetes, and names one that does", async () => {
    state.version = "v2.14.4";
    expect(await rancher([])).toMatchObject({
      status: 1,
      err: expect.stringMatching(/v2\.14\.4 .*upgrade .* to 2\.15/),
    });
    expect(state.posts).toEqual([]);
  });

  it("refuses two clusters of one name", async () => {
    state.clusters = ["c-1", "c-2"].map((id) => ({ id, name: "edge", state: "active" }));
    expect(await rancher([])).toMatchObject({ status: 1, err: expect.stringContaining("2 clusters are named edge") });
    expect(state.posts).toEqual([]);
  });
});
