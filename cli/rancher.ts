/**
 * `npm run rancher`: finds or creates an environment's cluster at its Rancher server, and fetches
 * its registration token.
 */
import { parseArgs } from "node:util";
import { K3S_VERSION } from "../catalog/k3s";
import { localClusterTool } from "../catalog/local-clusters";
import { oldestRancherFor, rancherRunsWith } from "../catalog/rancher";
import type { ClusterConfig } from "../stacks/config";
import { type CommandIo, EXIT } from "./io";
import { reportRefusal, ServerApi, ServerRefused } from "./management-servers/api";
import { assertAuthority, RancherServer } from "./management-servers/rancher";
import { ENVIRONMENT_OPTIONS, environmentArguments, openEnvironment } from "./read-environment";
import { HttpClient } from "./smoke/http";

const API_TOKEN = "RANCHER_TOKEN_KEY";

const USAGE = `Usage: npm run rancher -- <environment> [options]

Asks the Rancher server of the section rancher for the environment's cluster by its name, and creates cluster and registration
token where there are none. A second run changes nothing. pulumi up installs the agent (docs/rancher.md).

  npm run -s rancher -- <environment> --token | pulumi config set --secret inference-stacks:rancherToken --stack <environment>

  --token         write the registration token, and nothing else, to the standard output
  --config FILE   read this file instead of Pulumi.<environment>.yaml
  --json          machine-readable, without the token
  -h, --help      this text

${API_TOKEN} is an API token of the server (token-abcde:…), of a user who may create clusters.
Exit status: 0 the cluster and its token are there; 1 the server refused or was not reached; 2 bad input.
`;

export const options = { ...ENVIRONMENT_OPTIONS, token: { type: "boolean", default: false } } as const;

/** For all answers. */
const LIMIT_MS = 60_000;

/**
 * Exit status.
 *
 * @param localPort local port in place of the server's address, for tests. @default from the URL
 */
export async function main(
  argv: string[],
  io: CommandIo,
  env: NodeJS.ProcessEnv = process.env,
  localPort?: number,
): Promise<number> {
  const opening = openEnvironment(
    environmentArguments(
      () => parseArgs({ args: argv, options, allowPositionals: true }),
      ({ token, json }) => ({ token, json }),
    ),
    USAGE,
    io,
  );
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const { rancher, cluster } = environment.file.environment;
  const apiToken = env[API_TOKEN];
  if (rancher === undefined) {
    io.err(`${environment.fileName} has no section rancher: add it with the server's url (docs/rancher.md)\n`);
    return EXIT.badInput;
  }
  if (apiToken === undefined || apiToken === "") {
    io.err(`${API_TOKEN} is not set: create an API token at ${rancher.url} (Account & API Keys), and export it\n`);
    return EXIT.badInput;
  }
  const { url, caCerts, cluster: name = args.environment } = rancher;
  const client = new HttpClient(url.replace(/\/$/, ""), {
    token: apiToken,
    // As the agent with STRICT_VERIFY does.
    ...(caCerts !== undefined && { onlyCa: caCerts }),
    ...(localPort !== undefined && { connectTo: { host: "127.0.0.1", port: localPort } }),
    userAgent: "inference-stacks-rancher",
  });
  try {
    const server = new RancherServer(
      new ServerApi(client, AbortSignal.timeout(LIMIT_MS), {
        product: "Rancher",
        setting: "rancher.url",
        token: "the API token",
      }),
    );
    const version = await server.setting("server-version");
    assertRunsWith(version, kubernetesOf(cluster));
    assertAuthority(caCerts, await server.setting("cacerts"));
    const { id, state, isNew } = await server.cluster(name);
    const token = await server.token(id);
    const said = `${name} (${id}) ${isNew ? "was created" : "is known"} at ${url}, Rancher ${version}; state: ${state}\n`;
    if (args.token) {
      io.err(said);
      io.out(`${token}\n`);
    } else {
      io.out(args.json ? `${JSON.stringify({ server: url, version, cluster: name, id, state, isNew })}\n` : said);
    }
    return EXIT.ok;
  } catch (error) {
    return reportRefusal(error, io, "rancher.caCerts: the authority that signed the server's certificate");
  }
}

/** Kubernetes version of a provisioned cluster; undefined for others. */
function kubernetesOf(cluster: ClusterConfig): string | undefined {
  if (cluster.provision !== "create") {
    return undefined;
  }
  switch (cluster.kind) {
    case "edge":
      return K3S_VERSION;
    case "aws":
      return cluster.eks?.kubernetesVersion;
    case "oci":
      return cluster.oke?.kubernetesVersion;
    default:
      return cluster.local && localClusterTool(cluster.local.tool).kubernetesVersion;
  }
}

/** @throws ServerRefused for a release known to be incompatible. */
function assertRunsWith(version: string, kubernetes: string | undefined): void {
  if (kubernetes !== undefined && rancherRunsWith(version, kubernetes) === false) {
    const oldest = oldestRancherFor(kubernetes);
    throw new ServerRefused(
      `Rancher ${version} does not run with Kubernetes ${kubernetes} of this environment: upgrade the server${oldest === undefined ? "" : ` to ${oldest} or later`}`,
    );
  }
}
