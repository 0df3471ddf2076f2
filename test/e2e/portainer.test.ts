/** `npm run portainer` against a fake of a Portainer server's API over TLS: the routes and fields of portainer/portainer. */
import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../cli/portainer";
import { Authority } from "../../rehearsal/cluster/authority";
import { runPiped, useFolder } from "../cli/run";
import { changedText } from "../stacks/texts";

const folder = useFolder();
const ACCESS_TOKEN = "ptr_never-real";
const HOST = "portainer.example.internal";
const URL_OF_SERVER = `https://${HOST}:9443`;

interface FakeEnvironment {
  readonly Id: number;
  readonly Name: string;
  readonly Type: number;
  readonly EdgeKey: string;
  readonly EdgeID?: string;
}

interface State {
  environments: FakeEnvironment[];
  posts: string[];
  /** Edge ID that the server sets itself (its setting EnforceEdgeID). */
  enforcedId: string | undefined;
  tunnelPort: number;
}

async function formOf(request: IncomingMessage): Promise<FormData> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  return new Response(Buffer.concat(chunks), { headers }).formData();
}

describe("npm run portainer", () => {
  const authority = new Authority();
  let state: State;
  let server: Server;
  let port: number;

  const edgeKey = (url: string, id: number) =>
    Buffer.from(`${url}|${HOST}:${state.tunnelPort}|de:ad:be:ef|${id}`).toString("base64").replace(/=+$/, "");

  beforeAll(async () => {
    const { "tls.crt": cert, "tls.key": key } = authority.issue([`DNS:${HOST}`]);
    server = createServer({ cert, key }, async (request, response) => {
      const url = new URL(request.url ?? "/", URL_OF_SERVER);
      const answer = (status: number, body: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      const route = `${request.method} ${url.pathname}`;
      if (route === "GET /api/system/status") {
        return answer(200, { Version: "2.39.6", InstanceID: "instance" });
      }
      if (request.headers["x-api-key"] !== ACCESS_TOKEN) {
        return answer(401, { message: "Unauthorized" });
      }
      if (route === "GET /api/endpoints") {
        return answer(
          200,
          state.environments.filter(({ Name }) => Name === url.searchParams.get("name")),
        );
      }
      if (route === "POST /api/endpoints") {
        const form = await formOf(request);
        const [name = "", kind, address = ""] = ["Name", "EndpointCreationType", "URL"].map((field) =>
          String(form.get(field)),
        );
        state.posts.push(name);
        const id = state.environments.length + 1;
        const made = { Id: id, Name: name, Type: 4, EdgeKey: edgeKey(address, id) };
        state.environments.push({ ...made, ...(state.enforcedId && { EdgeID: state.enforcedId }) });
        return answer(kind === "4" ? 200 : 400, state.environments.at(-1) ?? {});
      }
      return answer(404, {});
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.close();
    authority.discard();
  });
  beforeEach(() => {
    state = { environments: [], posts: [], enforcedId: undefined, tunnelPort: 8000 };
  });

  interface Given {
    readonly section?: object;
    readonly env?: NodeJS.ProcessEnv;
    readonly ca?: string | undefined;
  }

  /** Runs the command for an environment whose server is the fake. */
  function portainer(argv: readonly string[], given: Given = {}) {
    const { section = {}, env = { PORTAINER_ACCESS_TOKEN: ACCESS_TOKEN } } = given;
    const ca = "ca" in given ? given.ca : authority.certificate;
    const edge = { mode: "edge", acknowledgeClusterAdmin: true, id: "edge-1", url: URL_OF_SERVER };
    const file = join(folder, "environment.yaml");
    writeFileSync(
      file,
      changedText("edge-nvidia", { portainer: { ...edge, networks: ["192.168.1.30/32"], ...section } }),
    );
    const test = { place: { host: "127.0.0.1", port }, ...(ca && { ca }) };
    return runPiped((args, io) => main(args, io, env, test), ["edge-nvidia", "--config", file, ...argv]);
  }

  it("creates the environment once, and changes nothing again", async () => {
    const first = await portainer([]);
    expect(first).toMatchObject({ status: 0, err: "" });
    expect(first.out).toContain("edge-nvidia (1) was created");
    const again = await portainer(["--key"]);
    expect(again).toMatchObject({ status: 0, out: `${edgeKey(URL_OF_SERVER, 1)}\n` });
    expect(again.err).toContain("edge-nvidia (1) is known");
    expect(state.posts).toEqual(["edge-nvidia"]);
  });

  it("keeps the key out of everything but --key", async () => {
    const { out, err } = await portainer(["--json"]);
    expect(JSON.parse(out)).toMatchObject({ id: 1, isNew: true, environment: "edge-nvidia" });
    expect(`${out}${err}`).not.toContain(edgeKey(URL_OF_SERVER, 1));
  });

  it("refuses a server of an authority that is not public, as the agent does, before it asks anything", async () => {
    const { status, err } = await portainer([], { ca: undefined });
    expect([status, err]).toEqual([1, expect.stringMatching(/is not trusted[\s\S]*public authorities alone/)]);
    expect(state.posts).toEqual([]);
  });

  it("refuses an environment that is bound to another Edge ID, or of another kind", async () => {
    state.enforcedId = "5f3c1d2e";
    const bound = await portainer([]);
    expect(bound).toMatchObject({ status: 1, err: expect.stringContaining("write portainer.id: 5f3c1d2e") });
    expect(await portainer([], { section: { id: "5f3c1d2e" } })).toMatchObject({ status: 0 });
    state.environments = [{ Id: 9, Name: "edge-nvidia", Type: 6, EdgeKey: "" }];
    expect(await portainer([])).toMatchObject({ status: 1, err: expect.stringContaining("of another kind (Type 6)") });
    expect(state.posts).toEqual(["edge-nvidia"]);
  });

  it("refuses a key that leads elsewhere, or to a tunnel that NetworkPolicies close", async () => {
    state.environments = [
      { Id: 1, Name: "edge-nvidia", Type: 7, EdgeKey: edgeKey("https://other.example.internal:9443", 1) },
    ];
    expect(await portainer([])).toMatchObject({ status: 1, err: expect.stringContaining("leads to https://other.") });
    state = { ...state, environments: [], tunnelPort: 8443 };
    expect(await portainer([])).toMatchObject({
      status: 1,
      err: expect.stringContaining("portainer.tunnelPort: 8443"),
    });
  });

  it("refuses a token that may do nothing, and an environment without the section's edge mode", async () => {
    const revoked = await portainer([], { env: { PORTAINER_ACCESS_TOKEN: "ptr_revoked" } });
    expect(revoked).toMatchObject({ status: 1, err: expect.stringContaining("answered 401") });
    expect(await portainer([], { env: {} })).toMatchObject({
      status: 2,
      err: expect.stringContaining("PORTAINER_ACCESS_TOKEN"),
    });
    const file = join(folder, "direct.yaml");
    const direct = { mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] };
    writeFileSync(file, changedText("edge-nvidia", { portainer: direct }));
    const run = (argv: string[]) => runPiped((args, io) => main(args, io, {}, undefined), argv);
    expect(await run(["edge-nvidia", "--config", file])).toMatchObject({
      status: 2,
      err: expect.stringContaining("portainer.mode: direct"),
    });
  });
});
