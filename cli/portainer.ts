/**
 * `npm run portainer`: finds or creates an environment's cluster at its Portainer server, and
 * fetches its edge key.
 */
import { parseArgs } from "node:util";
import { imageEntry } from "../catalog/images";
import { readEdgeKey } from "../names/portainer";
import { type CommandIo, EXIT } from "./io";
import { reportRefusal, ServerApi, ServerRefused } from "./management-servers/api";
import { type EdgeAddress, type EdgeEnvironment, PortainerServer } from "./management-servers/portainer";
import { ENVIRONMENT_OPTIONS, environmentArguments, openEnvironment } from "./read-environment";
import { HttpClient, type Place } from "./smoke/http";

const ACCESS_TOKEN = "PORTAINER_ACCESS_TOKEN";

const USAGE = `Usage: npm run portainer -- <environment> [options]

Asks the Portainer server of the section portainer (mode: edge) for an environment of that name, and creates one for an edge agent
where there is none. A second run changes nothing. pulumi up installs the agent (docs/portainer.md).

  npm run -s portainer -- <environment> --key | pulumi config set --secret inference-stacks:portainerEdgeKey --stack <environment>

  --key           write the edge key, and nothing else, to the standard output
  --config FILE   read this file instead of Pulumi.<environment>.yaml
  --json          machine-readable, without the key
  -h, --help      this text

${ACCESS_TOKEN} is an access token (ptr_…) of an administrator of the server.
Exit status: 0 the environment and its key are there; 1 the server refused or was not reached; 2 bad input.
`;

export const options = { ...ENVIRONMENT_OPTIONS, key: { type: "boolean", default: false } } as const;

/** For all answers. */
const LIMIT_MS = 60_000;

export interface TestServer {
  readonly place: Place;
  /** Authority that is trusted. @default as of the agent */
  readonly ca?: string;
}

/** Exit status. */
export async function main(
  argv: string[],
  io: CommandIo,
  env: NodeJS.ProcessEnv = process.env,
  test?: TestServer,
): Promise<number> {
  const opening = openEnvironment(
    environmentArguments(
      () => parseArgs({ args: argv, options, allowPositionals: true }),
      ({ key, json }) => ({ key, json }),
    ),
    USAGE,
    io,
  );
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const { portainer } = environment.file.environment;
  const accessToken = env[ACCESS_TOKEN];
  if (portainer?.mode !== "edge") {
    const found = portainer === undefined ? "no section portainer" : "portainer.mode: direct";
    io.err(
      `${environment.fileName} has ${found}: this command is for mode: edge. With direct, add the agent's address at the server (docs/portainer.md)\n`,
    );
    return EXIT.badInput;
  }
  if (accessToken === undefined || accessToken === "") {
    io.err(`${ACCESS_TOKEN} is not set: create an access token at ${portainer.url} (My account), and export it\n`);
    return EXIT.badInput;
  }
  const { id, tunnelPort, caCerts } = portainer;
  const url = portainer.url.replace(/\/$/, "");
  const client = new HttpClient(url, {
    key: { header: "x-api-key", value: accessToken },
    ...(caCerts !== undefined ? { onlyCa: caCerts } : test && { ca: test.ca }),
    ...(test && { connectTo: test.place }),
    userAgent: "inference-stacks-portainer",
  });
  try {
    const api = new ServerApi(client, AbortSignal.timeout(LIMIT_MS), {
      product: "Portainer",
      setting: "portainer.url",
      token: "the access token",
    });
    const server = new PortainerServer(api);
    const version = await server.version();
    const found = await server.edgeEnvironment(args.environment, { url, tunnelPort });
    assertSame(found, id, { url, tunnelPort });
    const said = `${args.environment} (${found.id}) ${found.isNew ? "was created" : "is known"} at ${url}, Portainer ${version}\n${releaseNote(version)}`;
    if (args.key) {
      io.err(said);
      io.out(`${found.edgeKey}\n`);
    } else {
      const { id: environmentId, isNew } = found;
      const json = { server: url, version, environment: args.environment, id: environmentId, isNew };
      io.out(args.json ? `${JSON.stringify(json)}\n` : said);
    }
    return EXIT.ok;
  } catch (error) {
    const untrusted =
      "portainer.caCerts: the authority that signed the server's certificate; without it the agent trusts public authorities alone";
    return reportRefusal(error, io, untrusted);
  }
}

/** @throws ServerRefused where the agent would be refused, or NetworkPolicies would block it. */
function assertSame({ edgeId, edgeKey }: EdgeEnvironment, id: string, { url, tunnelPort }: EdgeAddress): void {
  if (edgeId !== undefined && edgeId !== id) {
    throw new ServerRefused(
      `the server knows this environment by another Edge ID, and refuses an agent with ${id}: write portainer.id: ${edgeId}`,
    );
  }
  const key = readEdgeKey(edgeKey);
  if (key === undefined) {
    throw new ServerRefused(
      "the server's edge key is of a form that this command does not know: copy it from the page",
    );
  }
  if (key.url !== url) {
    throw new ServerRefused(
      `the edge key leads to ${key.url}, and portainer.url is ${url}: write that, or remove the environment at the server and run this again`,
    );
  }
  if (key.tunnelPort !== tunnelPort) {
    throw new ServerRefused(
      `the server's tunnel is ${key.tunnel}, and NetworkPolicies let the agent out to port ${tunnelPort}: write portainer.tunnelPort: ${key.tunnelPort}`,
    );
  }
}

/** Portainer wants agents of its own release. */
function releaseNote(version: string): string {
  const agent = imageEntry("portainer-agent").tag;
  const minor = (release: string) => release.split(".").slice(0, 2).join(".");
  return minor(agent) === minor(version)
    ? ""
    : `the agent is ${agent}: Portainer recommends the server's release for it\n`;
}
