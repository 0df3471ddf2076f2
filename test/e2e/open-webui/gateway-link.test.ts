/** The way of the chat page to the gateway: a real Envoy with the rendered configuration, and a TLS server in the gateway's place. */
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { ENVOY_ARGUMENTS } from "../../../components/node/envoy-arguments";
import { gatewayLinkConfig } from "../../../components/open-webui/gateway-link";
import { GATEWAY_LINK_PORT } from "../../../components/open-webui/variables";
import { Authority } from "../../../rehearsal/cluster/authority";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { ServerProcess } from "../model-control/registry/server-process";

const HOSTNAME = "models.example.internal";

const office = new Authority();
const stranger = new Authority();
const asked: (string | undefined)[] = [];
let gateway: Server;
let envoy: ServerProcess | undefined;

beforeAll(async () => {
  const certificate = office.issue([`DNS:${HOSTNAME}`]);
  gateway = createServer(
    { key: certificate["tls.key"], cert: certificate["tls.crt"] },
    ({ headers, url }, response) => {
      asked.push(`${headers.host}${url} ${headers.authorization}`);
      response.end("{}");
    },
  );
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  await envoy?.stop();
  envoy = undefined;
  asked.length = 0;
});

afterAll(() => {
  gateway.close();
  office.discard();
  stranger.discard();
});

/** Base URL of an Envoy that trusts an authority, for a gateway of this name. */
async function link(authority: Authority, hostname = HOSTNAME): Promise<string> {
  const [port = 0] = await freePorts(1);
  const { port: gatewayPort } = gateway.address() as AddressInfo;
  envoy = await ServerProcess.start((folder) => {
    const authorities = join(folder, "gateway.pem");
    writeFileSync(authorities, authority.issue(["DNS:none"])["ca.crt"]);
    const config = gatewayLinkConfig({ hostname, authorities, gateway: { host: "127.0.0.1", port: gatewayPort } });
    const here = JSON.stringify(config).replaceAll(`"port_value":${GATEWAY_LINK_PORT}`, `"port_value":${port}`);
    const path = join(folder, "envoy.json");
    writeFileSync(path, here);
    return {
      command: requirePart("envoy"),
      args: ["--config-path", path, ...ENVOY_ARGUMENTS],
      ready: async () => (await fetch(`http://127.0.0.1:${port}/`)).status === 404,
    };
  });
  return `http://127.0.0.1:${port}`;
}

const headers = { authorization: "Bearer key" };

it("is by the gateway's name, with the key of the page", async () => {
  const response = await fetch(`${await link(office)}/v1/models`, { headers });
  expect(response.status).toBe(200);
  expect(asked).toEqual([`${HOSTNAME}/v1/models Bearer key`]);
});

it("has no request for a server whose authority is another", async () => {
  const response = await fetch(`${await link(stranger)}/v1/models`, { headers });
  expect(response.status).toBe(503);
  expect(asked).toEqual([]);
});

it("has no request for a server whose certificate is for another name", async () => {
  const response = await fetch(`${await link(office, "other.example.internal")}/v1/models`, { headers });
  expect(response.status).toBe(503);
  expect(asked).toEqual([]);
});
